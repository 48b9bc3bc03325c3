/* The stages of a pipeline between two of their passes: what model/estimate/pipeline_walk.c moves on, and what
 * model/estimate/pipeline_steady.c looks at. */
#ifndef STEPSIM_MODEL_ESTIMATE_PIPELINE_H
#define STEPSIM_MODEL_ESTIMATE_PIPELINE_H

#include "model/estimate/exposure.h"
#include "model/estimate/hops.h"
#include "model/estimate/inbox.h"
#include "model/estimate/numbers.h"
#include "model/estimate/walk.h"

/* Directions of messages: activations go forward, gradients back. */
#define SS_DIRECTIONS 2

typedef struct ss_piped_stage ss_piped_stage;

/* The messages of the passes of a chunk in one direction: where those that they wait for lie, and where their own go.
 */
typedef struct ss_piped_leg {
  ss_inbox_ring *from, *to; /* NULL: they wait for none; none goes */
  ss_piped_stage *sender;   /* the stage that they wait for */
  ss_stage_hop hop;         /* of their own; 0 where it takes no time */
  double comes_s;           /* that passes of this stage lose to one that comes, if all of it comes beside them */
  int32_t direction;        /* of their passes: ss_pass */
  bool launched;            /* it goes to another stage, and the host launches it */
  bool stays;               /* it goes to the same stage, where it is there at once */
} ss_piped_leg;

/* A pass of the turns that a stage is in, as of the first of them. */
typedef struct ss_piped_pass {
  const ss_work *work;
  const ss_piped_leg *leg; /* NULL: weight passes have no messages */
} ss_piped_pass;

/* What of a course grows from beat to beat. */
typedef struct ss_course_sums {
  double bubble_s, messages_s, hidden_s;
} ss_course_sums;

static inline ss_course_sums ss_course_sums_of(const ss_course *course)
{
  const ss_course_sums sums = {course->bubble_s, course->messages_s, course->hidden_s};
  return sums;
}

/* A stage. */
struct ss_piped_stage {
  ss_walk walk;
  int64_t turns, pass; /* those it has done, but for what is skipped; of the turn it is in */
  ss_piped_pass of_turn[SS_TURN_PASSES];
  const ss_piped_pass *next;       /* of these */
  ss_piped_stage *asked_by;        /* the stage that waits for it */
  const ss_piped_leg *owed;        /* of a whole backward pass of this turn whose message has not left; NULL: none */
  bool done;                       /* with all passes */
  double sending_s[SS_DIRECTIONS]; /* until when it sends */
  ss_piped_leg *leg;               /* [chunks][SS_DIRECTIONS] */
  ss_inbox_ring *inbox;            /* [chunks][SS_DIRECTIONS] */
  ss_numbers lead, lead_before;    /* of one time before another where it waits for the later; the beat before */
  ss_course course;
  ss_course_sums noted;           /* of its course, when the pipeline was noted */
  ss_course_sums beats_before[2]; /* at the beat before, and the one before that */
};

/* Beats of a stage that lead from one mark to another. */
typedef struct ss_lap {
  const ss_walk_mark *before, *now;
  const ss_course_sums *course; /* when it began */
  int64_t beats;
  double bubble_gain_s; /* more of a bubble than in the lap before, and less of messages */
} ss_lap;

/* All that the time after depends on, but for the clock, as a list of numbers. */
typedef struct ss_pipeline_note {
  ss_numbers numbers;
  /* How far the clocks of stages are ahead of the first one's: a faster first look, as most notes differ there. */
  ss_numbers ahead_s;
  int64_t beat; /* when it was taken; 0 before */
  int64_t next; /* when it is taken again */
} ss_pipeline_note;

/* The pipeline at a beat: where stages are in their orders of work, and the times on which the time after depends. */
typedef struct ss_pipeline_beat {
  ss_numbers place, time_s;
} ss_pipeline_beat;

/* The last beats, the last one first. */
enum { SS_BEATS_NOTED = 3 };

typedef struct ss_pipeline_state {
  const ss_job *job;
  ss_stage_hops hops;
  bool in_rounds;        /* chunks take turns in rounds */
  int64_t beat_turns;    /* turns after which the pipeline is looked at: one, or a round of several chunks */
  ss_piped_stage *stage; /* [stages] */
  ss_pipeline_note note;
  ss_pipeline_beat beat[SS_BEATS_NOTED];
  int64_t beats; /* in a row at the same places, since the last skip */
} ss_pipeline_state;

#endif
