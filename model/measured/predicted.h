/* Who predicts what was measured, and what comes of it. */
#ifndef STEPSIM_MODEL_MEASURED_PREDICTED_H
#define STEPSIM_MODEL_MEASURED_PREDICTED_H

#include "model/measured/likeness.h"
#include "model/result/prediction.h"

/* What predicts: X(enumerator, "label", "field of JSON and CSV"). */
#define SS_PREDICTOR_LIST(X)                                                                                           \
  X(SS_PREDICTOR_ESTIMATE, "closed form", "estimate")                                                                  \
  X(SS_PREDICTOR_SIMULATION, "replay", "simulation")

typedef enum ss_predictor {
#define SS_PREDICTOR_ID(id, label, field) id,
  SS_PREDICTOR_LIST(SS_PREDICTOR_ID)
#undef SS_PREDICTOR_ID
      SS_PREDICTORS
} ss_predictor;

/* The label of a predictor, for tables; static text. */
const char *ss_predictor_label(ss_predictor predictor);

/* The field of a predictor in JSON and CSV; static text. */
const char *ss_predictor_field(ss_predictor predictor);

/* The predictions of a point; all zero of one that is not used. */
typedef struct ss_predicted {
  double time_s[SS_PREDICTORS];
  ss_breakdown parts[SS_PREDICTORS]; /* of an iteration */
  double memory_bytes;               /* of an iteration, on the fullest GPU */
  bool fits;                         /* it does, as what was measured did */
  ss_likeness likeness;              /* of an iteration: by what others are like it */
  bool sustains_own; /* its matrix-sustained is not that of the platform, with which others are predicted */
} ss_predicted;

#endif
