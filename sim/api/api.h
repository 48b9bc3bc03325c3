/* What the functions of include/stepsim.h have in common. */
#ifndef STEPSIM_SIM_API_API_H
#define STEPSIM_SIM_API_API_H

#include "include/stepsim.h"
#include "model/input/workload.h"
#include "sim/options/option_table.h"
#include "sim/session/run.h"

/* The inputs as they were read and set; what follows from them is worked out by each prediction. */
struct stepsim_job {
  ss_workload workload;
  ss_machine machine;
};

/* Hands a status over and, where it is none of success, what was wrong; `error` may be NULL. */
stepsim_status ss_api_return(ss_status status, const ss_error *of, stepsim_error *error);

/* The same for wrong use, in the words of printf. */
stepsim_status ss_api_misuse(stepsim_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What options of a prediction say. */
typedef struct ss_api_question {
  ss_options options;
  ss_option_table table;
  char **text; /* [count] copies of the options, which they point into; owned */
  int64_t count;
} ss_api_question;

/* Reads the options, NULL behind the last or NULL for none, of a function that answers as a command does.
 * SS_ERROR_INPUT, SS_ERROR_MEMORY. Free in any case; zeroed is fine. */
ss_status ss_api_question_init(ss_api_question *question, ss_command command, const char *const *options,
                               ss_error *error);
void ss_api_question_free(ss_api_question *question);

/* The knob of this name; -1 where there is none. */
int64_t ss_api_knob_find(const char *name);

/* A row of a result: its inputs, and what was predicted. It stays where it is. */
typedef struct ss_api_row {
  stepsim_job job;
  ss_run run;
} ss_api_row;

struct stepsim_result {
  ss_api_row **row; /* [rows] each owned, like the array */
  int64_t rows;
  char *json; /* owned */
};

/* A row more, for a job, whose session has begun; NULL without memory. */
ss_api_row *ss_api_result_add(stepsim_result *result, const stepsim_job *job);

#endif
