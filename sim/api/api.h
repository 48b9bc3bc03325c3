/* What the functions of include/stepsim.h have in common, and what they call as the program does: with files by their
 * path, options as the command line has them, and errors that say which file and line. What is made here goes back as
 * include/stepsim.h says. */
#ifndef STEPSIM_SIM_API_API_H
#define STEPSIM_SIM_API_API_H

#include "include/stepsim.h"
#include "model/input/workload.h"
#include "sim/import/import.h"
#include "sim/io/io.h"
#include "sim/options/option_table.h"
#include "sim/session/outputs.h"
#include "sim/session/plan/planning.h"
#include "sim/session/run.h"
#include "sim/session/search_all.h"
#include "sim/session/sweep/study.h"

/* A platform as it was read, with the properties that were given. */
struct stepsim_machine {
  ss_machine of;
};

/* The inputs as they were read and set; what follows from them is worked out by each prediction. */
struct stepsim_job {
  ss_workload workload;
  stepsim_machine machine;
  const volatile int *stop; /* no longer 0: what is made of it ends; NULL: never; borrowed */
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

/* Makes a machine of a platform file. Errors as from ss_machine_load, and SS_ERROR_MEMORY; NULL then. */
ss_status ss_api_machine_create(const char *path, stepsim_machine **machine, ss_error *error);

/* Makes a job of a workload file, on no machine yet (stepsim_job_move). Errors as from ss_workload_load, and
 * SS_ERROR_MEMORY; NULL then. */
ss_status ss_api_job_create(const char *path, stepsim_job **job, ss_error *error);

/* Files of other programs, and what is set over them: "ELEMENT.ATTRIBUTE=VALUE". */
typedef struct ss_api_foreign {
  const char *const *file; /* [files] */
  int64_t files;
  const char *const *setting; /* [settings] */
  int64_t settings;
  int64_t gpus;       /* that the job is to have, from which the replicas follow; 0: as the files say */
  const char *recipe; /* of a file that has several; NULL: nobody says */
} ss_api_foreign;

/* Makes a job of files of other programs, on no machine yet. `import` has what is to be said of them, in any case until
 * ss_import_free, and borrows the workload of the job. Errors as from ss_import_read, ss_override and
 * ss_import_complete, and SS_ERROR_MEMORY; the job is NULL then. */
ss_status ss_api_job_import(const ss_api_foreign *foreign, stepsim_job **job, ss_import *import, ss_error *error);

/* Takes a setting as --set does: of the workload of a job, which is as before where that fails, or of a machine, which
 * may be the job's; NULL: that is refused. Errors as from ss_override, and SS_ERROR_MEMORY. */
ss_status ss_api_job_set(stepsim_job *job, stepsim_machine *machine, const char *setting, ss_error *error);

/* SS_ERROR_STOPPED, by the name of the question, where those of a job are to stop. */
ss_status ss_api_job_check_stop(const stepsim_job *job, const char *what, ss_error *error);

/* Begins a session with the inputs of a job. */
void ss_api_job_session(const stepsim_job *job, ss_session *session);

/* Refuses a workload, which is derived, that the settings of its framework could not name; makes these settings, on the
 * heap. Errors as from ss_emit_check and ss_emit_write. */
ss_status ss_api_emit_check(const ss_workload *workload, ss_error *error);
ss_status ss_api_emit(const ss_workload *workload, const ss_machine *machine, char **text, ss_error *error);

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
  char *json; /* NULL before ss_api_estimate_make_json; owned */
};

enum { SS_API_STAGE_PARTS = STEPSIM_STAGE_WAIT_DATA + 1 };

struct stepsim_replay {
  ss_api_iteration *of;
  ss_history history; /* empty where nobody asked for it */
  double *stage_s;    /* [stages SS_API_STAGE_PARTS]; NULL: not known; owned */
  char *json;         /* NULL before ss_api_replay_make_json; owned */
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

/* What a replay does beside finding out how long an iteration takes. */
typedef struct ss_api_replay_extras {
  bool history;  /* keeps what it went through */
  bool upgrades; /* tries better machines, too, where that does not take long */
} ss_api_replay_extras;

/* Replays an iteration with the writers of its outputs, which are open. Errors as from ss_run_simulate. */
ss_status ss_api_replay_make(stepsim_replay *replay, ss_outputs *outputs, ss_api_replay_extras extras,
                             const ss_options *options, ss_error *error);

/* Make the texts that stepsim_estimate_json and stepsim_replay_json hand out. SS_ERROR_MEMORY. */
ss_status ss_api_estimate_make_json(stepsim_estimate *estimate, ss_error *error);
ss_status ss_api_replay_make_json(stepsim_replay *replay, ss_error *error);

/* What the public functions have of a candidate. */
typedef struct ss_api_candidate ss_api_candidate;

/* A search that stays where it is. */
struct stepsim_search {
  ss_session session;
  ss_search_all all;
  ss_api_candidate **candidate; /* [count] each owned, like the array; the program goes without */
  int64_t count;
  ss_attribute_index setting[SS_ATTRIBUTE_TOTAL]; /* [settings] */
  int64_t settings;
  char *json; /* NULL before ss_api_search_make_json; owned */
};

/* Makes a search of a job that has found nothing yet: checked, so that outputs can be opened before it takes its time.
 * Errors as from ss_search_all_prepare, and SS_ERROR_MEMORY; NULL then. */
ss_status ss_api_search_create(const stepsim_job *job, const ss_options *options, stepsim_search **search,
                               ss_error *error);

/* Searches. Errors as from ss_search_all_run. */
ss_status ss_api_search_run(stepsim_search *search, ss_result_cache *cache, const ss_options *options, ss_error *error);

/* A sweep that stays where it is. */
struct stepsim_sweep {
  ss_study study;
  char *json; /* owned */
};

/* A plan that stays where it is. */
struct stepsim_plan {
  ss_planning planning;
  char *json; /* owned */
};

/* Makes the text that stepsim_search_json hands out. SS_ERROR_MEMORY. */
ss_status ss_api_search_make_json(stepsim_search *search, const ss_options *options, ss_error *error);

#endif
