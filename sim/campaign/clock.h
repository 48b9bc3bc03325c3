/* The clock of a run between two interruptions: work goes on, and checkpoints keep it. */
#ifndef STEPSIM_SIM_CAMPAIGN_CLOCK_H
#define STEPSIM_SIM_CAMPAIGN_CLOCK_H

#include "model/run/whole_run.h"

/* A cycle is an interval of work and a pause. The last one is as long as what is left, and ends with its write. */
typedef enum ss_whole_run_stage {
  SS_WHOLE_RUN_WORKS,
  SS_WHOLE_RUN_PAUSES,
  SS_WHOLE_RUN_WRITES,
  SS_WHOLE_RUN_IS_DONE
} ss_whole_run_stage;

typedef struct ss_whole_run_clock {
  ss_rhythm rhythm;
  double work_s;               /* all of it, at full speed */
  double done_s, kept_s;       /* of it, and what the last checkpoint has that is written */
  double writing_s, written_s; /* left of the one that is being written, which has `written_s`; 0: none is */
  ss_whole_run_stage stage;
  double left_s;   /* of the stage */
  double paused_s; /* in pauses, and in the last write */
} ss_whole_run_clock;

/* Begins, or goes on from the last checkpoint. */
void ss_whole_run_clock_restart(ss_whole_run_clock *clock);

/* Lets at most so much time pass, with this speed, above 0; returns how much did, which is less where the run is done
 * before. */
double ss_whole_run_clock_advance(ss_whole_run_clock *clock, double most_s, double speed);

#endif
