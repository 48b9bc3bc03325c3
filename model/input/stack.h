/* Software stacks: what a training framework of a release sets where a workload does not say it. */
#ifndef STEPSIM_MODEL_INPUT_STACK_H
#define STEPSIM_MODEL_INPUT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/stack_of.h"
#include "model/input/workload.h"

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
  const char *on;     /* models of GPUs, with blanks between them; "" for any, those that are not known, too */
  const char *value;  /* as a workload file has it */
  const char *source; /* the file of the framework that has it, and how */
} ss_stack_setting;

/* What a stack is and where its files are, for reports, NULL for SS_STACK_NONE; and the stack that has all rows which
 * it has not itself, or SS_STACK_NONE. */
typedef struct ss_stack_title {
  const char *name, *origin;
  ss_stack base;
} ss_stack_title;

/* The table, those of a stack together and in the order of the words; `count` gets the number of rows. */
const ss_stack_setting *ss_stack_settings(int64_t *count);
ss_stack_title ss_stack_title_of(ss_stack stack);

/* Whether a stack has the rows of another one: it is that one, or goes over it. */
bool ss_stack_includes(ss_stack stack, ss_stack other);

/* The row of training.stack that sets an attribute of the workload, or would if the workload were one of those that the
 * row is of; NULL where it has none. */
const ss_stack_setting *ss_stack_setting_of(const ss_workload *workload, ss_attribute_index attribute);

/* What workloads a row of `of` has, in words; "" for all. */
const char *ss_stack_of_text(ss_stack_of of);

/* training.stack, or where it is none the stack that training.framework names; of that one, ss_stack_apply sets what no
 * settings of the framework say. */
ss_stack ss_stack_followed(const ss_workload *workload);

/* Sets what ss_stack_followed says of attributes that the workload does not say itself, neither in its file
 * nor by an override, and marks them with SS_LINE_STACK; and the exchange that nothing says
 * (model/input/exchange.h), with SS_LINE_DERIVED.
 * What another stack had set before has its default again. Rows of GPUs hold where workload->gpu is one of them. Call
 * it once the last attribute is set, and before ss_workload_derive. A search calls it again for the sizes of each
 * candidate, before it sets knobs. */
void ss_stack_apply(ss_workload *workload);

/* Completes a workload whose last attribute is set: the model of an accelerator that it is to run on, or where that is
 * NULL the one that it has; what its stack sets; and what is derived. */
void ss_stack_complete(ss_workload *workload, const char *accelerator);

#endif
