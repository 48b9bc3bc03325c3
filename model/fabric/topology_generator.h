/* The fabric of a machine that does not exist yet: from a few numbers to a topology, its switches and links. */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGY_GENERATOR_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGY_GENERATOR_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/fabric/topology_design.h"

/* The kind of fabric that is called so; false where there is none. */
bool ss_fabric_kind_find(const char *word, ss_fabric_kind *kind);

/* The options that a kind of fabric takes, a set of SS_TAKES. */
unsigned ss_fabric_kind_takes(ss_fabric_kind kind);

/* Reads the text of a shape option, one from SS_DESIGN_SIZES on, into a request. SS_ERROR_INPUT, with the option as the
 * file. */
ss_status ss_topology_read_shape(ss_design_option option, const char *text, ss_topology_request *request,
                                 ss_error *error);

/* Works the fabric out: the `generate` of its kind says how. SS_ERROR_INPUT where what is given does not go together,
 * in the words of the options. */
ss_status ss_topology_generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error);

/* The share of the rate of its NIC that every NIC has, if all send to the other half of the machine: the bisection
 * divided by half of the NICs. */
double ss_topology_bisection(const ss_topology_design *design);

#define SS_DESIGN_TEXT_SIZE 1024

/* What it is, in a few sentences. */
void ss_topology_describe(const ss_topology_design *design, char text[SS_DESIGN_TEXT_SIZE]);

#endif
