/* What the stages of a pipeline take for a micro-batch; stages that are the same are worked out once. */
#ifndef STEPSIM_MODEL_ESTIMATE_STAGE_TIMES_H
#define STEPSIM_MODEL_ESTIMATE_STAGE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"

/* One micro-batch on a stage, through all its chunks, forth and back, without its messages. */
typedef struct ss_stage_work {
  ss_duration passes;       /* of its blocks */
  double passes_s;          /* all of it */
  double pass_s[SS_PASSES]; /* the same by pass */
  double slowed_s;          /* kernels beside the collectives of their layer */
  double slowed_forward_s;  /* of these, in forward passes */
} ss_stage_work;

/* The same with its messages. */
typedef struct ss_stage_time {
  const ss_stage_work *work;
  double sends_s[2];      /* messages that it sends, by pass: activations on, gradients back */
  double slowed_s;        /* kernels beside the collectives of their layer and beside messages */
  double back_nic_s;      /* of the gradients that it sends, moving bytes on NICs, where they may meet others */
  double shared_s;        /* passes beside messages that are on the same NICs */
  double alone_s;         /* all of this without the messages */
  double busy_s;          /* with those that take their turn on the stage */
  double turn_s;          /* from one micro-batch to the next */
  double beside_s;        /* of what it sends beside its compute, what has to be waited for once */
  double on_s[SS_PASSES]; /* to pass a micro-batch on, forward and backward, with messages */
  double fill_s;          /* that it adds to a pipeline with another, slower stage */
  double lead_s, drain_s; /* that the next stage starts later, and has done its last pass earlier */
} ss_stage_time;

/* Stages that follow one another and are the same. */
typedef struct ss_stage_run {
  int64_t first, end;
  bool like_before; /* but for the messages, the stages are those of the run before */
  const ss_stage_time *time;
  double fills_s; /* of all of them */
} ss_stage_run;

/* Runs that follow one another, as often as that: where stages fill domains, each of these has the same ones, and they
 * are listed as those of the first. Runs that do so more than once are like those before. */
typedef struct ss_stage_stretch {
  const ss_stage_run *run; /* [count] of all runs */
  int64_t count, times;
  int64_t stages; /* each time */
  double fills_s; /* each time */
} ss_stage_stretch;

/* All stages of a pipeline, from the first to the last, whose run is in a stretch of its own time. */
typedef struct ss_stage_runs {
  int64_t count, times, stretches;
  ss_stage_run *run;         /* [count] */
  ss_stage_time *time;       /* [times] that runs refer to: those that differ */
  ss_stage_stretch *stretch; /* [stretches] */
  double fills_s;            /* of all stages */
  ss_scratch_mark before;
} ss_stage_runs;

/* Works out the stages of a job, without what data parallelism and offloading do: kernels, collectives of layers and
 * messages, or only `kernels`, into the job's scratch. Every run is listed, or, if it `folds`, those of domains with
 * the same ones once, as stretches that end at stage P - M of P stages with M micro-batches, where its domain begins
 * and ends: ahead of it, stages have all micro-batches under way. Aborts when memory is out, as a search could not go
 * on. Give back with ss_stage_runs_free. */
ss_stage_runs ss_stage_runs_list(const ss_job *job, bool kernels, bool folds);
void ss_stage_runs_free(const ss_job *job, ss_stage_runs *runs);

#endif
