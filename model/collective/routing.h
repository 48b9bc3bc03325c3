/* How many places the experts of a token are at: what an exchange of tokens carries where each goes to a place once,
 * and not once for each of its experts. */
#ifndef STEPSIM_MODEL_COLLECTIVE_ROUTING_H
#define STEPSIM_MODEL_COLLECTIVE_ROUTING_H

#include "model/collective/span.h"

/* Experts of a layer, and those of them that a token chooses; none where it does not matter. */
typedef struct ss_top_k {
  int64_t experts, choices;
} ss_top_k;

/* Experts of a layer, those that a token chooses, and the domains that these are in, at most (0: any). Without choices,
 * nothing is routed. Choices may be of so many `idle` experts, too, which are nowhere. A byte of a dispatch takes its
 * place on NVLink `nvlink_cost` times as long as one of other collectives. Of `groups` equal groups of experts (0:
 * none), whatever domains they are on, the choices are in `open_groups`. */
typedef struct ss_routing {
  int64_t experts, choices, domains;
  double nvlink_cost;
  int64_t groups, open_groups;
  int64_t idle;
} ss_routing;

/* Expected number of domains, and of ranks, of a group that a token goes to, over those of its choices that are
 * somewhere: they are drawn evenly, without repeats, from the experts of as many domains, or groups of experts, as it
 * may go to (arXiv 2412.19437 section 2.1.2), and these evenly, too. 1 where nothing is routed. */
double ss_routing_domains(const ss_routing *routing, ss_span span);
double ss_routing_ranks(const ss_routing *routing, ss_span span);

#endif
