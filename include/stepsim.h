/**
 * @file stepsim.h
 * libstepsim: predicts one training iteration of a transformer on a GPU cluster.
 *
 * A *job* is a workload on a platform: `stepsim_job_create` reads both, by their names or paths, and `stepsim_job_set`
 * changes a knob of either, as `--set` of the program does. `stepsim_estimate` predicts it by a closed form,
 * `stepsim_replay` also by a replay of every rank and message, and `stepsim_search` finds the best strategies for it.
 * All three make a *result*: a table with a row for each strategy and a column for each number, read by
 * `stepsim_result_value` and explained by `stepsim_column_name`, `stepsim_column_unit` and `stepsim_column_help`.
 *
 * **Units.** Numbers are doubles in the unit of their column, which is SI: seconds, bytes, flop and their rates.
 * Shares, counts and answers (0 or 1) have the unit "1".
 *
 * **Errors.** What can fail returns a `stepsim_status` and fills the `stepsim_error`, which may be NULL and is left
 * alone where nothing fails. Wrong use is an error, too, as far as it can be seen: a pointer that must not be NULL is
 * an argument with STEPSIM_ERROR_USE. Where a function fails, what it would have made is NULL, and what it would have
 * changed is as before.
 *
 * **Ownership.** What a function makes is the caller's, who gives it back with the function that its comment names;
 * NULL is fine there. To give something back twice, or to use it afterwards, is an error that nobody can see: the
 * behaviour is undefined, as of free(). Text that is returned as `const char *` stays the library's.
 *
 * **Threads.** There is no state but what the objects hold. Different objects may be used by different threads at a
 * time; one object may be read by several, but not while one changes it or gives it back. A search uses the threads of
 * OpenMP (OMP_NUM_THREADS).
 *
 * **Processes.** A replay runs in a child process, since the network simulator allows one simulation for each process.
 * The calling thread waits for it. The child runs code of the library only, with no signal handler and no buffered
 * output of its parent, and dies with the thread that waits. The library installs no signal handler and writes neither
 * to standard output nor to standard error; where the network simulator itself gives up, its child process may say why
 * on standard error.
 */
#ifndef STEPSIM_H
#define STEPSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The number in the name of the library. Functions, knobs and columns may be added under one number; what is there
 * stays. */
#define STEPSIM_ABI 0

/** Marks what the library exports. */
#if defined __GNUC__
#define STEPSIM_API __attribute__((visibility("default")))
#else
#define STEPSIM_API
#endif

/** What a function returns: STEPSIM_OK, or what went wrong. Values stay the same. */
typedef enum stepsim_status {
  STEPSIM_OK = 0,             /**< success */
  STEPSIM_ERROR_MEMORY = 1,   /**< out of memory */
  STEPSIM_ERROR_INPUT = 2,    /**< a file, a knob or an option is not usable; the message says what is allowed */
  STEPSIM_ERROR_OUTPUT = 3,   /**< a file could not be written */
  STEPSIM_ERROR_DEADLOCK = 4, /**< the ranks of a replay wait for each other forever */
  STEPSIM_ERROR_ENGINE = 5,   /**< the network simulation stopped early */
  STEPSIM_ERROR_BUDGET = 6,   /**< the limit of time or memory (max-seconds, max-memory) is reached */
  STEPSIM_ERROR_PROCESS = 7,  /**< a worker process stopped early */
  STEPSIM_ERROR_MODULE = 8,   /**< a part of the library cannot be loaded: the network simulator is missing */
  STEPSIM_ERROR_USE = 9       /**< a function was called with what it does not take, such as NULL */
} stepsim_status;

/** Bytes of the message of an error, with the 0 that ends it. */
#define STEPSIM_MESSAGE_SIZE 2064

/** What went wrong, for people: "FILE:LINE: what was given, and what is allowed". */
typedef struct stepsim_error {
  stepsim_status code;                /**< as the function returns it */
  char message[STEPSIM_MESSAGE_SIZE]; /**< the message, in UTF-8 */
} stepsim_error;

/** A workload on a platform. */
typedef struct stepsim_job stepsim_job;

/** What an estimate, a replay or a search came to. */
typedef struct stepsim_result stepsim_result;

/** The version of the library, such as "0.1.0 (commit 0123456789ab)". */
STEPSIM_API const char *stepsim_version(void);

/** The meaning of a status, in a few words; of what is none, "unknown status". */
STEPSIM_API const char *stepsim_status_text(stepsim_status status);

/** The names of the files of a kind that are found without a path: "workloads" or "platforms".
 * @param kind the kind
 * @param names the names, each with a line end; to be given back with stepsim_text_free
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT (no such kind, or nothing is installed), STEPSIM_ERROR_MEMORY,
 * STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_list(const char *kind, char **names, stepsim_error *error);

/** Gives a text back that a function made; NULL is fine. */
STEPSIM_API void stepsim_text_free(char *text);

/** Makes a job.
 * @param workload name of a shipped workload, or path of a workload file
 * @param platform name of a shipped platform, or path of a platform file. Files are found in the folders of the
 *        environment variable STEPSIM_PATH, and in the installation that the library is part of
 * @param job the job; to be given back with stepsim_job_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_create(const char *workload, const char *platform, stepsim_job **job,
                                              stepsim_error *error);

/** Makes a copy, which is changed and given back by itself. Otherwise as stepsim_job_create.
 * @param job the job
 * @param copy the copy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_copy(const stepsim_job *job, stepsim_job **copy, stepsim_error *error);

/** Gives a job back; results that were made of it stay. NULL is fine. */
STEPSIM_API void stepsim_job_destroy(stepsim_job *job);

/** Sets a knob. Its value is checked by itself; what goes together is checked by an estimate, a replay or a search.
 * @param job the job
 * @param name ELEMENT.ATTRIBUTE of the workload, such as "parallelism.tp", or platform.PROPERTY (stepsim_knob_name)
 * @param value the value as in a file: "8", "selective", "25GBps"
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_USE; where it fails, the job is as before */
STEPSIM_API stepsim_status stepsim_job_set(stepsim_job *job, const char *name, const char *value, stepsim_error *error);

/** The value of a knob, as stepsim_job_set takes it: what was set, else what the files say, else the default or what
 * follows from the others.
 * @param job the job
 * @param name the knob
 * @param value where the text is written, with the 0 that ends it
 * @param size bytes that there are
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT (no such knob), STEPSIM_ERROR_USE (also where `size` is too small) */
STEPSIM_API stepsim_status stepsim_job_get(const stepsim_job *job, const char *name, char *value, size_t size,
                                           stepsim_error *error);

/** Writes the workload of a job, with all that was set, as a workload file; it appears only when it is complete.
 * @param job the job
 * @param path where to
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_OUTPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_save(const stepsim_job *job, const char *path, stepsim_error *error);

/** How many knobs there are. They are numbered from 0: attributes of the workload, then properties of the platform. */
STEPSIM_API int64_t stepsim_knob_count(void);

/** The name of a knob, as stepsim_job_set takes it; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_knob_name(int64_t knob);

/** What a knob is, in a sentence; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_knob_help(int64_t knob);

/** Predicts an iteration by the closed form: a result of one row.
 * @param job the job
 * @param options NULL, or what differs from the defaults: texts "NAME=VALUE", or "NAME" of a flag, with NULL behind the
 *        last one. Names and values are those of the options of `stepsim estimate`: cost
 * @param result the result; to be given back with stepsim_result_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_estimate(const stepsim_job *job, const char *const *options, stepsim_result **result,
                                            stepsim_error *error);

/** Predicts an iteration by the closed form and by a replay: a result of one row.
 * @param job the job
 * @param options as of stepsim_estimate. Names are those of `stepsim run`: cost, flows, fold, seed, max-seconds,
 *        max-memory, beside, trials
 * @param result the result; to be given back with stepsim_result_destroy
 * @param error what went wrong, or NULL
 * @return as stepsim_estimate, and STEPSIM_ERROR_DEADLOCK, STEPSIM_ERROR_ENGINE, STEPSIM_ERROR_BUDGET,
 *         STEPSIM_ERROR_PROCESS, STEPSIM_ERROR_MODULE */
STEPSIM_API stepsim_status stepsim_replay(const stepsim_job *job, const char *const *options, stepsim_result **result,
                                          stepsim_error *error);

/** Searches strategies and placements: a result with a row for each of the best, the best one first. It has no rows
 * where nothing fits. A size of the strategy that stepsim_job_set has set stays what it is.
 * @param job the job
 * @param options as of stepsim_estimate. Names are those of `stepsim search`: cost, gpus, budget, tensor, knobs,
 *        objective, top, pareto, replay, flows, fold, max-seconds, max-memory
 * @param result the result; to be given back with stepsim_result_destroy
 * @param error what went wrong, or NULL
 * @return as stepsim_replay */
STEPSIM_API stepsim_status stepsim_search(const stepsim_job *job, const char *const *options, stepsim_result **result,
                                          stepsim_error *error);

/** How many columns all results have. They are numbered from 0; others may come with a version, so look them up by
 * name. */
STEPSIM_API int64_t stepsim_column_count(void);

/** The name of a column, such as "estimate.iteration_s"; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_column_name(int64_t column);

/** The unit of a column: "s", "bytes", "bytes/s", "flop", "flop/s", "tokens/s", "days", or "1"; NULL likewise. */
STEPSIM_API const char *stepsim_column_unit(int64_t column);

/** What a column is, in a few words; NULL likewise. */
STEPSIM_API const char *stepsim_column_help(int64_t column);

/** The number of the column of this name; -1 where there is none. */
STEPSIM_API int64_t stepsim_column_find(const char *name);

/** How many rows a result has; 0 of NULL. */
STEPSIM_API int64_t stepsim_result_rows(const stepsim_result *result);

/** A number, in the unit of its column. NaN where the row has none - such as the time of a replay in an estimate - and
 * where there is no such row or column. */
STEPSIM_API double stepsim_result_value(const stepsim_result *result, int64_t row, int64_t column);

/** The whole result as JSON, as `--json` of the program writes it: of a search also what it went through. It lives as
 * long as the result; NULL of NULL. */
STEPSIM_API const char *stepsim_result_json(const stepsim_result *result);

/** Makes the job of a row: of a search, the job with that strategy, to be estimated, replayed, read or saved.
 * @param result the result
 * @param row the row
 * @param job the job; to be given back with stepsim_job_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE (also where there is no such row) */
STEPSIM_API stepsim_status stepsim_result_job(const stepsim_result *result, int64_t row, stepsim_job **job,
                                              stepsim_error *error);

/** Gives a result back. NULL is fine. */
STEPSIM_API void stepsim_result_destroy(stepsim_result *result);

#ifdef __cplusplus
}
#endif

#endif
