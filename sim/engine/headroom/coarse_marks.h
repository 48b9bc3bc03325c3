/* Coarse marks: where flows may be taken for others, only those are told apart that are well ahead of them, and by how
 * much they are. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_COARSE_MARKS_H
#define STEPSIM_SIM_ENGINE_HEADROOM_COARSE_MARKS_H

#include "sim/engine/headroom/presumption.h"

/* How far flows are ahead of others of their kind. */
typedef struct ss_ahead {
  const double *type_s;     /* [types], borrowed */
  const double *foremost_s; /* [kinds] the foremost type of each; borrowed */
  double sum_s;             /* of these */
} ss_ahead;

/* Makes the marks of types, which say when they were ahead, say by how much. SS_ERROR_MEMORY. */
ss_status ss_coarse_marks_make(const ss_presumption *presumption, const ss_ahead *ahead, int32_t *mark);

#endif
