/* The links of a machine and the way between two of its ports: NVLink is flat, the fabric has a topology. The routes are
 * those that SimGrid computes for the same platform file, so that a replay need not ask it. */
#ifndef STEPSIM_MODEL_FABRIC_H
#define STEPSIM_MODEL_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/error.h"
#include "model/machine.h"

/* Links of one route, at most: topologies with longer ones are refused. */
#define SS_ROUTE_LINKS_MAX 128

/* Characters of the name of a link, with the 0. */
#define SS_LINK_NAME_SIZE 48

typedef struct ss_fabric ss_fabric;

/* Lays out the links of a machine: those of every GPU's NVLink port first (2 * gpu out, 2 * gpu + 1 in), then the
 * fabric's. The machine is borrowed. SS_ERROR_INPUT where link-speed names a link that is not there or a port is cut
 * off; SS_ERROR_MEMORY. Destroy accepts NULL. */
ss_status ss_fabric_create(ss_fabric **fabric, const ss_machine *machine, ss_error *error);
void ss_fabric_destroy(ss_fabric *fabric);

int64_t ss_fabric_links(const ss_fabric *fabric);

/* Capacity of a link in one direction, with its efficiency and what link-speed says. */
double ss_fabric_bytes_per_s(const ss_fabric *fabric, int64_t link);

/* Whether flows share the link; if not, each of them may use all of it (FATPIPE). */
bool ss_fabric_is_shared(const ss_fabric *fabric, int64_t link);

/* What people call it: "gpu-3:out", "nic-17:in", "leaf-2:up-5". As link-speed takes it. */
void ss_fabric_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE]);

/* The links from one GPU to another (inside a domain) or from one NIC to another (across), in order; how many there are.
 * `link` has room for SS_ROUTE_LINKS_MAX. */
int ss_fabric_route(const ss_fabric *fabric, bool across, int64_t from, int64_t to, int32_t *link);

#endif
