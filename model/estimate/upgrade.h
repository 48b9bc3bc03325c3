/* Better machines: one with one thing changed, and what the closed form says of a job on it. */
#ifndef STEPSIM_MODEL_ESTIMATE_UPGRADE_H
#define STEPSIM_MODEL_ESTIMATE_UPGRADE_H

#include "model/base/error.h"
#include "model/plan/job.h"

/* X(enumerator, word, "what is changed"). */
/* clang-format off */
#define SS_UPGRADE_LIST(X) \
  X(SS_UPGRADE_MATRIX, matrix, "matrix units twice as fast") \
  X(SS_UPGRADE_HBM, hbm, "twice the HBM bandwidth") \
  X(SS_UPGRADE_NVLINK, nvlink, "twice the NVLink bandwidth") \
  X(SS_UPGRADE_NICS, nics, "twice the NICs") \
  X(SS_UPGRADE_LAUNCHES, launches, "no gaps between kernels")
/* clang-format on */

typedef enum ss_upgrade {
#define SS_UPGRADE_ID(id, word, text) id,
  SS_UPGRADE_LIST(SS_UPGRADE_ID)
#undef SS_UPGRADE_ID
      SS_UPGRADES
} ss_upgrade;

/* The word of a change, and what it is; static texts. */
const char *ss_upgrade_word(ss_upgrade upgrade);
const char *ss_upgrade_text(ss_upgrade upgrade);

/* Changes a machine. */
void ss_upgrade_change(ss_upgrade upgrade, ss_machine *machine);

/* The iteration of a job by the closed form on its machine with one change, in seconds. Algorithms of collectives are
 * chosen anew where they are free. Errors as from ss_job_init. */
ss_status ss_upgrade_estimate(const ss_job *job, ss_upgrade upgrade, double *iteration_s, ss_error *error);

#endif
