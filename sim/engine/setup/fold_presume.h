/* What a fold presumes of flows: which of them cross less than others of their kind, and which of them are waited for
 * together. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_FOLD_PRESUME_H
#define STEPSIM_SIM_ENGINE_SETUP_FOLD_PRESUME_H

#include "sim/engine/setup/fold_graph.h"

/* Links of a folded network. */
typedef struct ss_folded_links {
  const int32_t *link_of_node; /* [used_links] borrowed */
  const int64_t *first_hop;    /* [kinds + 1] where those start that flows of each kind cross; borrowed */
} ss_folded_links;

/* Notes the types of flows, whose routes are not folded yet: `f->presumption`. SS_ERROR_MEMORY. */
ss_status ss_fold_presume(const ss_fold_graph *f, const ss_folded_links *to);

/* Notes which kinds transfers wait for together, when all routes are folded; and, where messages tell no replicas
 * apart, which flows go on together. SS_ERROR_MEMORY. */
ss_status ss_fold_note_together(const ss_fold_graph *f);

#endif
