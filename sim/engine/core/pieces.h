/* Pieces of a task, and in which order they start: those of its kernel and those of its collectives go side by side. */
#ifndef STEPSIM_SIM_ENGINE_CORE_PIECES_H
#define STEPSIM_SIM_ENGINE_CORE_PIECES_H

#include "model/plan/job.h"
#include "model/result/contention.h"

/* How far a task is, and what that took. */
typedef struct ss_pieces {
  const ss_task *task;
  ss_duration kernel;                     /* of one piece */
  int64_t kernels_done, calls_done, call; /* pieces that are done; the collective of the piece in progress */
  double call_s[SS_GROUPS], slowed_s;
  double behind_s;       /* beside call_s: until the last replica had come to a collective */
  ss_exposed call_parts; /* of call_s */
} ss_pieces;

/* How many pieces its kernel has. */
int64_t ss_pieces_of_kernel(const ss_task *task);

/* Whether the next piece of the kernel may start, and the next one of the collectives, if no other of its kind runs. */
bool ss_pieces_may_start_kernel(const ss_pieces *pieces);
bool ss_pieces_may_start_call(const ss_pieces *pieces);

/* Nothing is left of the task. */
bool ss_pieces_are_over(const ss_pieces *pieces);

/* The collective in progress has taken so long, which has these parts. */
void ss_pieces_end_call(ss_pieces *pieces, double call_s, const ss_exposed *parts);

/* What its collectives have taken so far. */
double ss_pieces_calls_s(const ss_pieces *pieces);

/* How a task that is over, after `task_s`, divides: kernels take the time they take; what is left was communication
 * that nothing hid, which is returned, or a wait for replicas that were behind. */
double ss_pieces_parts(const ss_pieces *pieces, double task_s, ss_duration *parts);

/* That wait, as nothing hid it either: as much of it as of collectives. */
double ss_pieces_behind_s(const ss_pieces *pieces, double exposed_s);

#endif
