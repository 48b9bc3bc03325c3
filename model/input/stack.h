/* Software stacks: what a training framework of a release sets where a workload does not say it. */
#ifndef STEPSIM_MODEL_INPUT_STACK_H
#define STEPSIM_MODEL_INPUT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/exchange.h"
#include "model/input/workload.h"

/* Workloads that a row is of: X(id, expression of the workload `w`, what they have). */
#define SS_STACK_OF_LIST(X)                                                                                            \
  X(ALWAYS, true, "")                                                                                                  \
  X(EXPERTS, w->model.experts > 0, "experts")                                                                          \
  X(STAGES, w->parallelism.pp > 1, "pp above 1")                                                                       \
  X(CHUNKS, w->parallelism.interleave > 1, "interleave above 1")                                                       \
  X(WHOLE, w->training.recompute == SS_RECOMPUTE_FULL && w->training.recompute_method == SS_RECOMPUTE_BLOCK,           \
    "recompute full, method block")                                                                                    \
  X(RING, ss_exchange_takes_ring(w), "no window, chunks or chosen tokens that exclude a ring")                         \
  X(SEQUENCE, w->parallelism.tp > 1 && w->parallelism.sequence_parallel == SS_YES, "tp above 1 and sequence-parallel")

typedef enum ss_stack_of {
#define SS_STACK_OF_ID(id, test, text) SS_STACK_OF_##id,
  SS_STACK_OF_LIST(SS_STACK_OF_ID)
#undef SS_STACK_OF_ID
} ss_stack_of;

/* Whether a job runs on the core of Megatron-LM, as those of NeMo do. */
static inline bool ss_runner_is_core(ss_runner runner)
{
  return runner == SS_RUNNER_MEGATRON || runner == SS_RUNNER_NEMO;
}

/* One row of model/input/stacks.def. */
typedef struct ss_stack_setting {
  ss_stack stack;
  ss_attribute_index attribute;
  ss_stack_of of;
  bool always;        /* whatever its settings say: with training.framework, too */
  const char *value;  /* as a workload file has it */
  const char *source; /* the file of the framework that has it, and how */
} ss_stack_setting;

/* What a stack is and where its files are, for reports; NULL for SS_STACK_NONE. */
typedef struct ss_stack_title {
  const char *name, *origin;
} ss_stack_title;

/* The table, those of a stack together and in the order of the words; `count` gets the number of rows. */
const ss_stack_setting *ss_stack_settings(int64_t *count);
ss_stack_title ss_stack_title_of(ss_stack stack);

/* What workloads a row of `of` has, in words; "" for all. */
const char *ss_stack_of_text(ss_stack_of of);

/* training.stack, or where it is none the stack that training.framework names; of that one, ss_stack_apply sets what no
 * settings of the framework say. */
ss_stack ss_stack_followed(const ss_workload *workload);

/* Sets what ss_stack_followed says of attributes that the workload does not say itself, neither in its file
 * nor by an override, and marks them with SS_LINE_STACK; and the exchange that nothing says
 * (model/input/exchange.h), with SS_LINE_DERIVED.
 * What another stack had set before has its default again. Call it once the last attribute is set, and before
 * ss_workload_derive. A search calls it again for the sizes of each candidate, before it sets knobs. */
void ss_stack_apply(ss_workload *workload);

#endif
