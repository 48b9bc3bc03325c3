/* What a job draws: energy as power times the times of a prediction. */
#ifndef STEPSIM_MODEL_RUN_POWER_H
#define STEPSIM_MODEL_RUN_POWER_H

#include "model/input/machine.h"
#include "model/result/prediction.h"

/* What a GPU is doing: X(enumerator, "key"). */
#define SS_DRAW_LIST(X)                                                                                                \
  X(SS_DRAWS_COMPUTING, "computing")                                                                                   \
  X(SS_DRAWS_MOVING, "moving")                                                                                         \
  X(SS_DRAWS_WAITING, "waiting")

typedef enum ss_draw {
#define SS_DRAW_ID(id, key) id,
  SS_DRAW_LIST(SS_DRAW_ID)
#undef SS_DRAW_ID
      SS_DRAWS
} ss_draw;

const char *ss_draw_key(ss_draw draw);

/* Watts for each GPU of a machine. */
typedef struct ss_power {
  double gpu_w[SS_DRAWS]; /* of the GPU alone */
  double idle_w;          /* of a GPU without a job */
  double around_w;        /* its share of nodes, NICs, switches and cables, which draw the same whatever the GPU does */
  double pue;             /* what all of that is multiplied by at the meter */
} ss_power;

/* gpu-power is above 0. */
ss_power ss_power_of(const ss_machine *machine);

/* Watts at the meter for each GPU that does this; and for one without a job. */
double ss_power_at_meter_w(const ss_power *power, ss_draw draw);
double ss_power_idle_w(const ss_power *power);

/* Joules for each GPU in an iteration, as on the rank that the prediction is of: of the GPU alone, and at the meter. */
double ss_power_gpu_j(const ss_power *power, const ss_breakdown *iteration);
double ss_power_iteration_j(const ss_power *power, const ss_breakdown *iteration);

#endif
