/* What the functions of include/stepsim.h have in common. */
#ifndef STEPSIM_SIM_API_API_H
#define STEPSIM_SIM_API_API_H

#include "include/stepsim.h"
#include "model/input/workload.h"
#include "sim/io/io.h"
#include "sim/options/option_table.h"
#include "sim/session/run.h"

/* A platform as it was read, with the properties that were given. */
struct stepsim_machine {
  ss_machine of;
};

/* The inputs as they were read and set; what follows from them is worked out by each prediction. */
struct stepsim_job {
  ss_workload workload;
  stepsim_machine machine;
};

/* Hands a status over and, where it is none of success, what was wrong; `error` may be NULL. */
stepsim_status ss_api_return(ss_status status, const ss_error *of, stepsim_error *error);

/* The same for wrong use, in the words of printf. */
stepsim_status ss_api_misuse(stepsim_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* There is no memory for `what`: SS_ERROR_MEMORY. */
ss_status ss_api_refuse_memory(const char *what, ss_error *error);

/* Copies a value for a function that `who` names, with the 0 that ends it; misuse where it has no room. */
stepsim_status ss_api_hand_over(const char *who, const char *text, char *value, size_t size, stepsim_error *error);

/* The path of a shipped file or of one with a path, from any folder, since some are read again by a prediction. Errors
 * as from ss_shipped_find. */
ss_status ss_api_find_file(ss_shipped kind, const char *name, char path[SS_PATH_SIZE], ss_error *error);

/* Writes the value of a knob of a job, an ss_attribute_index. */
void ss_api_knob_text(const stepsim_job *job, int64_t knob, char text[SS_ATTRIBUTE_TEXT_SIZE]);

/* What options of a prediction say. */
typedef struct ss_api_question {
  ss_options options;
  ss_option_table table;
  char **text; /* [count] copies of the options, which they point into; owned */
  int64_t count;
} ss_api_question;

/* Makes, on the heap, what options, NULL behind the last or NULL for none, say to a function that answers of a job as a
 * command does. SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_api_question_create(const stepsim_job *job, ss_command command, const char *const *options,
                                 ss_api_question **question, ss_error *error);
void ss_api_question_destroy(ss_api_question *question);

/* In iteration below. */
typedef struct ss_api_iteration ss_api_iteration;

struct stepsim_estimate {
  ss_api_iteration *of;
  ss_prediction prediction;
  char *json; /* owned */
};

enum { SS_API_STAGE_PARTS = STEPSIM_STAGE_WAIT_DATA + 1 };

struct stepsim_replay {
  ss_api_iteration *of;
  double *stage_s; /* [stages SS_API_STAGE_PARTS]; NULL: not known; owned */
  char *json;      /* owned */
};

/* An iteration with its closed form and perhaps its replay. It stays where it is. */
struct ss_api_iteration {
  ss_run run; /* its prediction has what the replay says, too */
  stepsim_estimate estimate;
  stepsim_replay replay;
};

/* Makes the iteration of a job, with its closed form. Errors as from ss_run_open; NULL then. */
ss_status ss_api_iteration_create(const stepsim_job *job, const ss_options *options, ss_api_iteration **iteration,
                                  ss_error *error);
void ss_api_iteration_destroy(ss_api_iteration *iteration);

#endif
