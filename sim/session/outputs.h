/* The files that a command writes: checked before anything runs. */
#ifndef STEPSIM_SIM_SESSION_OUTPUTS_H
#define STEPSIM_SIM_SESSION_OUTPUTS_H

#include "model/result/link_writer.h"
#include "sim/options/output_options.h"
#include "sim/session/session.h"
#include "sim/session/trace_choice.h"

/* Writers of one run: of traces, and of what its links carry. */
typedef struct ss_outputs {
  ss_timeline timeline[SS_MAX_TRACES];
  int64_t count;
  ss_trace_choice choice; /* what the timelines show */
  ss_link_writer links;   /* zeroed where nobody asked */
} ss_outputs;

/* Refuses outputs that are the same as another output or an input, folders, files that cannot be created, and
 * selections of ranks or micro-batches that the job does not have; opens the writers. `inputs` are the paths of
 * workload and platform. Release in any case; the outputs must stay where they are. SS_ERROR_INPUT. */
ss_status ss_outputs_open(ss_outputs *outputs, const ss_output_options *options, const ss_common_options *inputs,
                          const ss_session *session, ss_error *error);

/* The part of it that looks at the paths: `input` [inputs], at most 5. */
ss_status ss_outputs_check(const ss_output_options *options, const char *const *input, int64_t inputs, ss_error *error);

/* Refuses an input that an option does not name by itself, where an output is the same file. SS_ERROR_INPUT. */
ss_status ss_outputs_check_input(const ss_output_options *options, const char *input, ss_error *error);

void ss_outputs_close(ss_outputs *outputs);

/* Says on standard error what the traces will show, where that is worth a line. */
void ss_outputs_say(const ss_outputs *outputs, const ss_output_options *options, const ss_session *session);

#endif
