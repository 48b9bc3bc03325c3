/* Which stages of a job are drawn, where there are more than rows. */
#ifndef STEPSIM_SIM_FIGURE_RUN_STAGES_H
#define STEPSIM_SIM_FIGURE_RUN_STAGES_H

#include <stdbool.h>
#include <stdint.h>

#define SS_STAGES_SHOWN 64

/* Stages in order: [count]. */
typedef struct ss_shown_stages {
  int64_t count, stage[SS_STAGES_SHOWN];
} ss_shown_stages;

/* At most `most` of the stages: the first, the last and `wanted`, and others evenly between them. */
ss_shown_stages ss_stages_shown(int64_t stages, int64_t most, int64_t wanted);

/* The row of a stage, or -1 where it is not shown. */
int64_t ss_stages_row(const ss_shown_stages *shown, int64_t stage);

#endif
