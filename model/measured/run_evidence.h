/* What is known of predictions of whole runs: by how much published ones differ from them. */
#ifndef STEPSIM_MODEL_MEASURED_RUN_EVIDENCE_H
#define STEPSIM_MODEL_MEASURED_RUN_EVIDENCE_H

#include "model/measured/measured.h"

/* A figure that was published of a run. */
typedef struct ss_run_evidence {
  ss_run_figure figure;
  const char *run, *point; /* ids of validation/measured-runs.xml */
  double ratio;            /* of the time that is measured to the one that is predicted with replays */
} ss_run_evidence;

/* The table of model/measured/run_evidence.def: `count` rows; static. */
const ss_run_evidence *ss_run_evidence_known(int64_t *count);

/* How published runs compare with predictions. */
typedef enum ss_run_quality {
  SS_QUALITY_TIME,
  SS_QUALITY_GOODPUT,
  SS_QUALITY_INTERRUPTIONS,
  SS_QUALITY_ENERGY,
  SS_QUALITIES
} ss_run_quality;

/* Fills `ratio` [room] with measured over predicted, ascending: how long runs took, what share of it was work, how
 * many interruptions there were, or what it drew and emitted. Returns how many there are, at most `room`. */
int64_t ss_run_evidence_of(ss_run_quality quality, double *ratio, int64_t room);

#endif
