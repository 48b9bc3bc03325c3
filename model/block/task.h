/* Tasks of a GPU: kernels, collectives, and both side by side. */
#ifndef STEPSIM_MODEL_BLOCK_TASK_H
#define STEPSIM_MODEL_BLOCK_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/collective.h"
#include "model/kernel/activity.h"
#include "model/kernel/kernel.h"
#include "model/kernel/overlap.h"

#define SS_ELEMENT_BYTES 2.0 /* bf16 and fp16 */
#define SS_FP32_BYTES    4.0

/* A collective over one of the groups of a rank. */
typedef struct ss_call {
  ss_group group;
  ss_collective kind;
  double volume_bytes; /* as in ss_collective_phase; of the busiest group where they differ */
} ss_call;

#define SS_CALLS_MAX 4

/* What a task is for, where its activity occurs more than once in a pass: X(enumerator, "text"). */
#define SS_ROLE_LIST(X)                                                                                                \
  X(SS_ROLE_PLAIN, "")                                                                                                 \
  X(SS_ROLE_AGAIN, ", again")                                                                                          \
  X(SS_ROLE_INPUT, ", input gradient")                                                                                 \
  X(SS_ROLE_WEIGHTS, ", weight gradient")

typedef enum ss_role {
#define SS_ROLE_ID(id, text) id,
  SS_ROLE_LIST(SS_ROLE_ID)
#undef SS_ROLE_ID
} ss_role;

/* What to add to the name of an activity; empty for the plain role. */
const char *ss_role_text(ss_role role);

/* How a task is launched where part of a layer is a CUDA graph: by itself; with the graph, which is one launch, and of
 * which it is the first task, or another one. */
typedef enum ss_graphed { SS_GRAPHED_NOT, SS_GRAPHED_FIRST, SS_GRAPHED_THEN } ss_graphed;

/* One kernel, one collective, or a kernel with the collectives that run beside it, piece by piece. */
typedef struct ss_task {
  ss_activity activity;
  ss_role role;
  bool computes; /* there is a kernel */
  ss_kernel kernel;
  double matrices;    /* of the experts that the kernel works for, which may be a launch each; 0 is 1 */
  int64_t launches;   /* operations of the framework, each of which the host launches; 0: by activity */
  ss_graphed graphed; /* in a CUDA graph */
  bool synced;        /* its size is known on the GPU only: the host waits for all before it */
  int64_t calls;      /* collectives, one after the other; 0 for a kernel alone */
  ss_call call[SS_CALLS_MAX];
  ss_overlap overlap; /* with both: how they run side by side */
  ss_top_k top_k;     /* of the layer whose tokens are dispatched */
  bool late;          /* needs nothing of the exchange with other experts before it */
  bool timed; /* the next is known (searches); of the machine and the cost model, which jobs of a search share */
  struct {
    double compute_s, memory_s, launch_s;
  } piece; /* of its kernel, or all of it where none runs beside a collective; before job->scale, whatever the groups */
} ss_task;

/* A kernel alone. */
ss_task ss_kernel_task(ss_activity activity, ss_engine engine, double flop, double hbm_bytes);

/* Operations of the framework one after the other, each of one or more kernels that go element by element. */
ss_task ss_chain_task(ss_activity activity, double kernels, int64_t launches, double flop, double hbm_bytes);

/* A task that only exchanges tokens with other expert-parallel ranks. */
bool ss_task_exchanges(const ss_task *task);

#define SS_TASKS_MAX 288

typedef struct ss_task_list {
  int64_t count;
  ss_task task[SS_TASKS_MAX];
} ss_task_list;

/* Adds a collective to a task: alone where it has no kernel, else beside that as `overlap` says. */
void ss_task_join(ss_task *task, ss_call call, ss_overlap overlap);

#endif
