/**
 * @file stepsim.h
 * libstepsim: predicts one training iteration of a transformer on a GPU cluster.
 *
 * There are seven kinds of objects. A *machine* (`stepsim_machine_create`) is a platform, by its name or path, with
 * properties that differ from its file; it never changes, and any number of jobs may run on it. A *job*
 * (`stepsim_job_create`) is a workload on a machine; `stepsim_job_set` changes its knobs, as `--set` of the program
 * does. Five kinds of predictions are made of a job: an *estimate* by a closed form (`stepsim_estimate_create`), a
 * *replay* of every rank and message (`stepsim_replay_create`), and a *search* for the best strategies
 * (`stepsim_search_create`), whose candidates have an estimate, perhaps a replay, and a job each. A *sweep*
 * (`stepsim_sweep_create`) predicts the job at every value of what it varies, and a *plan* (`stepsim_plan_create`) is
 * of the whole run.
 *
 * Estimates and replays have functions for what people ask first, and all other numbers by column
 * (`stepsim_estimate_number`, `stepsim_column_find`). Each kind has `stepsim_KIND_create` and `stepsim_KIND_destroy`.
 *
 * **Units.** Numbers are doubles in SI units, which their names end with: seconds, bytes, flop and their rates. Shares,
 * counts and answers (0 or 1) have the unit "1". A number that there is not, such as dollars where the machine has no
 * price, is NaN. Texts have units of their own, as files do: "25GBps", "80GiB"; one without its unit is refused.
 *
 * **Errors.** What can fail returns a `stepsim_status` and fills the `stepsim_error`, which may be NULL and is left
 * alone where nothing fails. Wrong use is an error, too, as far as it can be seen: a pointer that must not be NULL is
 * an argument with STEPSIM_ERROR_USE. Where a function fails, what it would have made is NULL, and what it would have
 * changed is as before. Functions that return a number return NaN, 0 or NULL of an object that is NULL.
 *
 * **Ownership.** What a function makes is the caller's, who gives it back with the function that its comment names;
 * NULL is fine there. Objects may be given back in any order: a job keeps what it needs of its machine, and a
 * prediction of its job. To give something back twice, or to use it afterwards, is an error that nobody can see: the
 * behaviour is undefined, as of free(). Text that is returned as `const char *` stays the library's, and what a search
 * or a replay lends as `const stepsim_estimate *` or `const stepsim_replay *` stays the lender's while that is there.
 *
 * **Threads.** There is no state but what the objects hold. Different objects may be used by different threads at a
 * time; one object may be read by several, but not while one changes it or gives it back. A search uses the threads of
 * OpenMP (OMP_NUM_THREADS).
 *
 * **Processes.** A replay runs in a child process, since the network simulator allows one simulation for each process.
 * The calling thread waits for it. The child runs code of the library only, with no signal handler and no buffered
 * output of its parent, and dies with the thread that waits. The library installs no signal handler and writes neither
 * to standard output nor to standard error, but where the network simulator gives up, its child process may say why.
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
  STEPSIM_ERROR_USE = 9,      /**< a function was called with what it does not take, such as NULL */
  STEPSIM_ERROR_STOPPED = 10  /**< the caller has stopped it (stepsim_job_stop_by) */
} stepsim_status;

/** Bytes of the message of an error, with the 0 that ends it. */
#define STEPSIM_MESSAGE_SIZE 3600

/** What went wrong, for people: "FILE:LINE: what was given, and what is allowed". */
typedef struct stepsim_error {
  stepsim_status code;                /**< as the function returns it */
  char message[STEPSIM_MESSAGE_SIZE]; /**< the message, in UTF-8 */
} stepsim_error;

/** A cluster: GPUs in domains of fast links, nodes and a fabric, with what they cost and draw. */
typedef struct stepsim_machine stepsim_machine;

/** A workload on a machine. */
typedef struct stepsim_job stepsim_job;

/** What the closed form says of an iteration of a job. */
typedef struct stepsim_estimate stepsim_estimate;

/** What a replay says of it. */
typedef struct stepsim_replay stepsim_replay;

/** The best strategies for a job, the best one first. */
typedef struct stepsim_search stepsim_search;

/** What a job comes to at every value of one or two axes. */
typedef struct stepsim_sweep stepsim_sweep;

/** A whole run of a job: its days, what breaks in it, and what it costs. */
typedef struct stepsim_plan stepsim_plan;

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

/** @name Machines
 * @{ */
/** What products of matrices are made of. */
typedef enum stepsim_format {
  STEPSIM_FORMAT_16_BIT = 0, /**< bfloat16 and float16 */
  STEPSIM_FORMAT_FP8 = 1,    /**< 8 bits */
  STEPSIM_FORMAT_MXFP8 = 2,  /**< 8 bits, with a scale for 32 values */
  STEPSIM_FORMAT_NVFP4 = 3   /**< 4 bits, with a scale for 16 values */
} stepsim_format;

/** What data go over. */
typedef enum stepsim_path {
  STEPSIM_PATH_MEMORY = 0, /**< to and from the memory of a GPU */
  STEPSIM_PATH_DOMAIN = 1, /**< the links of a GPU inside its domain (NVLink), each way */
  STEPSIM_PATH_FABRIC = 2  /**< a GPU's share of the NICs of its domain, each way */
} stepsim_path;

/** Makes a machine.
 * @param platform name of a shipped platform, or path of a platform file. Files are found in the folders of the
 *        environment variable STEPSIM_PATH, and in the installation that the library is part of
 * @param properties NULL, or what differs from the file: texts "PROPERTY=VALUE", such as "domain-size=72" or
 *        "fabric-bandwidth=50GBps", with NULL behind the last one (stepsim_machine_property_name)
 * @param machine the machine; to be given back with stepsim_machine_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_machine_create(const char *platform, const char *const *properties,
                                                  stepsim_machine **machine, stepsim_error *error);

/** Makes a machine of another one, which stays as it is.
 * @param machine the machine that is there
 * @param properties what differs from it, as of stepsim_machine_create; NULL: nothing
 * @param varied the other machine; to be given back with stepsim_machine_destroy
 * @param error what went wrong, or NULL
 * @return as stepsim_machine_create */
STEPSIM_API stepsim_status stepsim_machine_vary(const stepsim_machine *machine, const char *const *properties,
                                                stepsim_machine **varied, stepsim_error *error);

/** Gives a machine back; jobs that were made on it stay. NULL is fine. */
STEPSIM_API void stepsim_machine_destroy(stepsim_machine *machine);

/** The value of a property, as stepsim_machine_create takes it: what was given, what the file says, or the default.
 * @param machine the machine
 * @param property its name
 * @param value where the text is written, with the 0 that ends it
 * @param size bytes that there are
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT (no such property), STEPSIM_ERROR_USE (also where `size` is too small) */
STEPSIM_API stepsim_status stepsim_machine_get(const stepsim_machine *machine, const char *property, char *value,
                                               size_t size, stepsim_error *error);

/** How many properties there are. They are numbered from 0. */
STEPSIM_API int64_t stepsim_machine_property_count(void);

/** The name of a property; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_machine_property_name(int64_t property);

/** What a property is, in a sentence; NULL likewise. */
STEPSIM_API const char *stepsim_machine_property_help(int64_t property);

/** The name of the platform; NULL of NULL. */
STEPSIM_API const char *stepsim_machine_name(const stepsim_machine *machine);

/** How many GPUs it has. */
STEPSIM_API int64_t stepsim_machine_gpus(const stepsim_machine *machine);

/** How many GPUs are joined by fast links. */
STEPSIM_API int64_t stepsim_machine_domain_gpus(const stepsim_machine *machine);

/** How many nodes it has, each of which fails as a whole. */
STEPSIM_API int64_t stepsim_machine_nodes(const stepsim_machine *machine);

/** The memory of a GPU in bytes; NaN of NULL. */
STEPSIM_API double stepsim_machine_memory_bytes(const stepsim_machine *machine);

/** The peak of a GPU for dense products of matrices in flop/s; NaN where it has none of this format. */
STEPSIM_API double stepsim_machine_flop_per_s(const stepsim_machine *machine, stepsim_format format);

/** The bandwidth of a GPU in bytes/s; NaN where there is no such path. */
STEPSIM_API double stepsim_machine_bytes_per_s(const stepsim_machine *machine, stepsim_path path);
/** @} */

/** @name Jobs
 * @{ */
/** Makes a job.
 * @param workload name of a shipped workload, or path of a workload file, which are found like platforms
 * @param machine what it runs on: the job keeps what it needs of it
 * @param job the job; to be given back with stepsim_job_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_create(const char *workload, const stepsim_machine *machine, stepsim_job **job,
                                              stepsim_error *error);

/** Makes a job of files of other programs, as `stepsim import` reads them: config.json of Hugging Face, launch scripts,
 * command lines, YAML or TOML of frameworks.
 * @param files their paths, with NULL behind the last one; what one says goes over what those before it say
 * @param knobs NULL, or what goes over all of them: texts "ELEMENT.ATTRIBUTE=VALUE" (stepsim_job_knob_name), with NULL
 *        behind the last one
 * @param machine what it runs on: the job keeps what it needs of it
 * @param job the job; to be given back with stepsim_job_destroy
 * @param notes NULL, or what was chosen, left out and not understood, each kind on a line; to be given back with
 *        stepsim_text_free
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_import(const char *const *files, const char *const *knobs,
                                              const stepsim_machine *machine, stepsim_job **job, char **notes,
                                              stepsim_error *error);

/** Copies a job.
 * @param job the job
 * @param copy the copy, which is changed by itself; to be given back with stepsim_job_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_copy(const stepsim_job *job, stepsim_job **copy, stepsim_error *error);

/** Gives a job back; predictions that were made of it stay. NULL is fine. */
STEPSIM_API void stepsim_job_destroy(stepsim_job *job);

/** Moves a job to another machine. Whether it fits there is checked by an estimate, a replay or a search.
 * @param job the job
 * @param machine the machine: the job keeps what it needs of it
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_move(stepsim_job *job, const stepsim_machine *machine, stepsim_error *error);

/** The machine of a job, which stays the job's, until the job moves or is given back; NULL of NULL. */
STEPSIM_API const stepsim_machine *stepsim_job_machine(const stepsim_job *job);

/** Sets a knob. Its value is checked by itself; what goes together is checked by an estimate, a replay or a search.
 * @param job the job
 * @param knob ELEMENT.ATTRIBUTE of the workload, such as "parallelism.tp" (stepsim_job_knob_name)
 * @param value the value as in a file: "8", "selective"; "default" where it has one
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_set(stepsim_job *job, const char *knob, const char *value, stepsim_error *error);

/** The value of a knob, as stepsim_job_set takes it: what was set, else what the file says, else the default or what
 * follows from the others.
 * @param job the job
 * @param knob its name
 * @param value where the text is written, with the 0 that ends it
 * @param size bytes that there are
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT (no such knob), STEPSIM_ERROR_USE (also where `size` is too small) */
STEPSIM_API stepsim_status stepsim_job_get(const stepsim_job *job, const char *knob, char *value, size_t size,
                                           stepsim_error *error);

/** Writes the workload of a job, with all that was set, as a workload file; it appears only when it is complete.
 * @param job the job
 * @param path where to
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_OUTPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_save(const stepsim_job *job, const char *path, stepsim_error *error);

/** Writes the settings that start a job with a framework, as `--emit` of the program does.
 * @param job the job
 * @param framework "megatron" (a command line), "nemo" (YAML of Megatron-Bridge) or "torchtitan" (TOML)
 * @param text the settings; to be given back with stepsim_text_free
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT (also of a strategy that it cannot run), STEPSIM_ERROR_MEMORY,
 * STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_job_emit(const stepsim_job *job, const char *framework, char **text,
                                            stepsim_error *error);

/** Lets another thread, or a handler of a signal, stop searches, sweeps and plans of a job: they end soon after `*stop`
 * is no longer 0, with STEPSIM_ERROR_STOPPED. Copies of the job and jobs of its searches are not stopped by it.
 * @param job the job; nothing happens where it is NULL
 * @param stop what is looked at, as long as the job is there, or NULL: nothing stops them */
STEPSIM_API void stepsim_job_stop_by(stepsim_job *job, const volatile int *stop);

/** How many knobs there are. They are numbered from 0. */
STEPSIM_API int64_t stepsim_job_knob_count(void);

/** The name of a knob, as stepsim_job_set takes it; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_job_knob_name(int64_t knob);

/** What a knob is, in a sentence; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_job_knob_help(int64_t knob);
/** @} */

/** @name Columns
 * @{ */
/** How many columns there are. They are numbered from 0; others may come with a version, so look them up by
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
/** @} */

/** What the time of an iteration is made of, on the rank that takes longest. */
typedef enum stepsim_part {
  STEPSIM_PART_COMPUTE = 0,           /**< matrix and vector units busy */
  STEPSIM_PART_MEMORY = 1,            /**< waiting for the memory of the GPU beyond that */
  STEPSIM_PART_TENSOR_PARALLEL = 2,   /**< exposed communication of tensor parallelism */
  STEPSIM_PART_CONTEXT_PARALLEL = 3,  /**< of context parallelism */
  STEPSIM_PART_EXPERT_PARALLEL = 4,   /**< of expert parallelism */
  STEPSIM_PART_DATA_PARALLEL = 5,     /**< of data parallelism */
  STEPSIM_PART_PIPELINE_PARALLEL = 6, /**< messages between stages */
  STEPSIM_PART_BUBBLE = 7,            /**< waiting for another stage */
  STEPSIM_PART_OPTIMIZER = 8,         /**< the optimizer step */
  STEPSIM_PART_OFFLOAD = 9,           /**< waiting for the second memory tier */
  STEPSIM_PART_HOST = 10,             /**< waiting for the host */
  STEPSIM_PART_OTHER = 11             /**< kernel launches, and what kernels take beyond their nominal time */
} stepsim_part;

/** What is in the memory of a GPU. */
typedef enum stepsim_memory {
  STEPSIM_MEMORY_WEIGHTS = 0,     /**< parameters */
  STEPSIM_MEMORY_GRADIENTS = 1,   /**< gradients */
  STEPSIM_MEMORY_OPTIMIZER = 2,   /**< states of the optimizer */
  STEPSIM_MEMORY_ACTIVATIONS = 3, /**< activations */
  STEPSIM_MEMORY_TOTAL = 4        /**< all of it */
} stepsim_memory;

/** The stage with the fullest memory, in the place of its number. */
#define STEPSIM_FULLEST_STAGE (-1)

/** What a stage of the pipeline does in a replay. */
typedef enum stepsim_stage_part {
  STEPSIM_STAGE_PASSES = 0,      /**< passes forward and backward, with the communication in them */
  STEPSIM_STAGE_OPTIMIZER = 1,   /**< the optimizer step */
  STEPSIM_STAGE_WAIT_STAGES = 2, /**< standing still until another stage has sent */
  STEPSIM_STAGE_WAIT_DATA = 3    /**< standing still for gathers of weights and reductions of gradients */
} stepsim_stage_part;

/** @name Estimates
 * @{ */
/** Predicts an iteration by the closed form, which takes milliseconds.
 * @param job the job
 * @param options NULL, or what differs from the defaults: texts "NAME=VALUE", or "NAME" of a flag, with NULL behind the
 *        last one. Names and values are those of the options of `stepsim estimate`: cost
 * @param estimate the estimate; to be given back with stepsim_estimate_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_INPUT, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE */
STEPSIM_API stepsim_status stepsim_estimate_create(const stepsim_job *job, const char *const *options,
                                                   stepsim_estimate **estimate, stepsim_error *error);

/** Gives an estimate back that stepsim_estimate_create has made. NULL is fine. */
STEPSIM_API void stepsim_estimate_destroy(stepsim_estimate *estimate);

/** The time of an iteration in seconds. */
STEPSIM_API double stepsim_estimate_iteration_s(const stepsim_estimate *estimate);

/** The least that measured iterations of jobs like it take, in seconds: 80 % of them take this up to
 * stepsim_estimate_high_s. NaN with the costs of a paper, option cost=sc24. */
STEPSIM_API double stepsim_estimate_low_s(const stepsim_estimate *estimate);

/** The upper end of that, in seconds. */
STEPSIM_API double stepsim_estimate_high_s(const stepsim_estimate *estimate);

/** Share of the 16-bit matrix peak that forward and backward of the model are, nothing counted twice. */
STEPSIM_API double stepsim_estimate_mfu(const stepsim_estimate *estimate);

/** The same of all flop that run, with recomputation. */
STEPSIM_API double stepsim_estimate_hfu(const stepsim_estimate *estimate);

/** Tokens in a second, over all GPUs. */
STEPSIM_API double stepsim_estimate_tokens_per_s(const stepsim_estimate *estimate);

/** Days of the whole training run; NaN where its tokens are unknown (training.tokens). */
STEPSIM_API double stepsim_estimate_days(const stepsim_estimate *estimate);

/** What the GPUs cost for an iteration, in dollars; NaN where the machine has no prices. */
STEPSIM_API double stepsim_estimate_iteration_dollars(const stepsim_estimate *estimate);

/** The same for the whole training run; NaN where its tokens are unknown, too. */
STEPSIM_API double stepsim_estimate_run_dollars(const stepsim_estimate *estimate);

/** A part of the time of an iteration in seconds; all of them add up to it. NaN where there is no such part. */
STEPSIM_API double stepsim_estimate_part_s(const stepsim_estimate *estimate, stepsim_part part);

/** GPUs of the job; 0 of NULL. */
STEPSIM_API int64_t stepsim_estimate_gpus(const stepsim_estimate *estimate);

/** Parameters of the model. */
STEPSIM_API double stepsim_estimate_parameters(const stepsim_estimate *estimate);

/** Stages of the pipeline, which are numbered from 0; 0 of NULL. */
STEPSIM_API int64_t stepsim_estimate_stages(const stepsim_estimate *estimate);

/** Bytes in the memory of a GPU of a stage, or of STEPSIM_FULLEST_STAGE; NaN where there is no such stage or kind. */
STEPSIM_API double stepsim_estimate_memory_bytes(const stepsim_estimate *estimate, int64_t stage, stepsim_memory kind);

/** Whether each stage fits in memory: 1 or 0; 0 of NULL. */
STEPSIM_API int stepsim_estimate_fits(const stepsim_estimate *estimate);

/** The number of a column in its unit; NaN where an estimate has none, as of the time of a replay. */
STEPSIM_API double stepsim_estimate_number(const stepsim_estimate *estimate, int64_t column);

/** All of it as JSON, as `stepsim estimate --json` has it. It lives as long as the estimate; NULL of NULL. */
STEPSIM_API const char *stepsim_estimate_json(const stepsim_estimate *estimate);
/** @} */

/** @name Replays
 * @{ */
/** Predicts an iteration by the closed form and by a replay.
 * @param job the job
 * @param options as of stepsim_estimate_create. Names are those of `stepsim run`: cost, flows, fold, seed, max-seconds,
 *        max-memory, beside, trials, and the files that it writes: trace, trace-ranks, trace-micro-batches, links
 * @param replay the replay; to be given back with stepsim_replay_destroy
 * @param error what went wrong, or NULL
 * @return as stepsim_estimate_create, and STEPSIM_ERROR_OUTPUT, STEPSIM_ERROR_DEADLOCK, STEPSIM_ERROR_ENGINE,
 *         STEPSIM_ERROR_BUDGET, STEPSIM_ERROR_PROCESS, STEPSIM_ERROR_MODULE */
STEPSIM_API stepsim_status stepsim_replay_create(const stepsim_job *job, const char *const *options,
                                                 stepsim_replay **replay, stepsim_error *error);

/** Gives a replay back that stepsim_replay_create has made. NULL is fine. */
STEPSIM_API void stepsim_replay_destroy(stepsim_replay *replay);

/** The closed form of the same job, with its memory. It is the replay's; NULL of NULL. */
STEPSIM_API const stepsim_estimate *stepsim_replay_estimate(const stepsim_replay *replay);

/** The time of an iteration in seconds. */
STEPSIM_API double stepsim_replay_iteration_s(const stepsim_replay *replay);

/** The least that measured iterations of jobs like it take, in seconds: 80 % of them take this up to
 * stepsim_replay_high_s. NaN with the costs of a paper, option cost=sc24. */
STEPSIM_API double stepsim_replay_low_s(const stepsim_replay *replay);

/** The upper end of that, in seconds. */
STEPSIM_API double stepsim_replay_high_s(const stepsim_replay *replay);

/** Share of the 16-bit matrix peak that forward and backward of the model are, nothing counted twice. */
STEPSIM_API double stepsim_replay_mfu(const stepsim_replay *replay);

/** The same of all flop that run, with recomputation. */
STEPSIM_API double stepsim_replay_hfu(const stepsim_replay *replay);

/** Tokens in a second, over all GPUs. */
STEPSIM_API double stepsim_replay_tokens_per_s(const stepsim_replay *replay);

/** Days of the whole training run; NaN where its tokens are unknown (training.tokens). */
STEPSIM_API double stepsim_replay_days(const stepsim_replay *replay);

/** What the GPUs cost for an iteration, in dollars; NaN where the machine has no prices. */
STEPSIM_API double stepsim_replay_iteration_dollars(const stepsim_replay *replay);

/** The same for the whole training run; NaN where its tokens are unknown, too. */
STEPSIM_API double stepsim_replay_run_dollars(const stepsim_replay *replay);

/** A part of the time of an iteration in seconds; all of them add up to it. NaN where there is no such part. */
STEPSIM_API double stepsim_replay_part_s(const stepsim_replay *replay, stepsim_part part);

/** Seconds that a stage of the replica of the model which finishes last spends so. NaN where there is no such stage or
 * part, and where a search made the replay. */
STEPSIM_API double stepsim_replay_stage_s(const stepsim_replay *replay, int64_t stage, stepsim_stage_part part);

/** The number of a column in its unit; NaN where a replay has none. */
STEPSIM_API double stepsim_replay_number(const stepsim_replay *replay, int64_t column);

/** All of it as JSON, as `stepsim run --json` has it. It lives as long as the replay; NULL of NULL. */
STEPSIM_API const char *stepsim_replay_json(const stepsim_replay *replay);
/** @} */

/** @name Searches
 * @{ */
/** Searches strategies and placements. A size of the strategy that stepsim_job_set has set stays what it is.
 * @param job the job
 * @param options as of stepsim_estimate_create. Names are those of `stepsim search`: cost, gpus, budget, tensor, knobs,
 *        objective, top, pareto, replay, flows, fold, max-seconds, max-memory
 * @param search the search; to be given back with stepsim_search_destroy. It has no candidates where nothing fits
 * @param error what went wrong, or NULL
 * @return as stepsim_replay_create, and STEPSIM_ERROR_STOPPED */
STEPSIM_API stepsim_status stepsim_search_create(const stepsim_job *job, const char *const *options,
                                                 stepsim_search **search, stepsim_error *error);

/** Gives a search back; jobs of it stay. NULL is fine. */
STEPSIM_API void stepsim_search_destroy(stepsim_search *search);

/** How many candidates it has kept. They are ranked from 0, the best one first, for each number of GPUs in turn; 0 of
 * NULL. */
STEPSIM_API int64_t stepsim_search_count(const stepsim_search *search);

/** The closed form of a candidate. It is the search's; NULL where there is no such candidate. */
STEPSIM_API const stepsim_estimate *stepsim_search_estimate(const stepsim_search *search, int64_t rank);

/** The replay of a candidate. It is the search's; NULL where it has not been replayed. */
STEPSIM_API const stepsim_replay *stepsim_search_replay(const stepsim_search *search, int64_t rank);

/** How many settings a candidate consists of, the same ones for all: the sizes of groups, and other knobs in which one
 * of them differs from the job. They are numbered from 0. */
STEPSIM_API int64_t stepsim_search_setting_count(const stepsim_search *search);

/** The knob of a setting, such as "parallelism.tp"; NULL where there is none of this number. */
STEPSIM_API const char *stepsim_search_setting_name(const stepsim_search *search, int64_t setting);

/** The value of a setting, as stepsim_job_set takes it; NULL where there is no such candidate or setting. */
STEPSIM_API const char *stepsim_search_setting(const stepsim_search *search, int64_t rank, int64_t setting);

/** Makes the job of a candidate, to be estimated, replayed, read or saved.
 * @param search the search
 * @param rank the rank
 * @param job the job; to be given back with stepsim_job_destroy
 * @param error what went wrong, or NULL
 * @return STEPSIM_OK, STEPSIM_ERROR_MEMORY, STEPSIM_ERROR_USE (also where there is no such candidate) */
STEPSIM_API stepsim_status stepsim_search_job(const stepsim_search *search, int64_t rank, stepsim_job **job,
                                              stepsim_error *error);

/** All of it as JSON, as `stepsim search --json` writes it, with what it went through. It lives as long as the search;
 * NULL of NULL. */
STEPSIM_API const char *stepsim_search_json(const stepsim_search *search);
/** @} */

/** @name Sweeps
 * @{ */
/** Predicts a job at every value of one or two axes, on all cores.
 * @param job the job
 * @param options as of stepsim_estimate_create. Names are those of `stepsim sweep`: vary, once or twice, as
 *        "vary=parallelism.tp=1..8*2"; cost, best, fewer, gpus, budget, tensor, knobs, objective, replay, flows, fold,
 *        max-seconds, max-memory
 * @param sweep the sweep; to be given back with stepsim_sweep_destroy. Points that are refused are part of it
 * @param error what went wrong, or NULL
 * @return as stepsim_replay_create, and STEPSIM_ERROR_STOPPED */
STEPSIM_API stepsim_status stepsim_sweep_create(const stepsim_job *job, const char *const *options,
                                                stepsim_sweep **sweep, stepsim_error *error);

/** Gives a sweep back. NULL is fine. */
STEPSIM_API void stepsim_sweep_destroy(stepsim_sweep *sweep);

/** How many points it has, of the last axis first; 0 of NULL. */
STEPSIM_API int64_t stepsim_sweep_count(const stepsim_sweep *sweep);

/** All of it as JSON, as `stepsim sweep --json` writes it: axes, points, and where the time turns. It lives as long as
 * the sweep; NULL of NULL. */
STEPSIM_API const char *stepsim_sweep_json(const stepsim_sweep *sweep);
/** @} */

/** @name Plans
 * @{ */
/** Plans the whole run of a job, whose tokens are known (training.tokens), with what breaks in it.
 * @param job the job
 * @param options as of stepsim_estimate_create. Names are those of `stepsim plan`: cost, trials, seed, simgrid-trials,
 *        best, gpus, budget, tensor, knobs, objective, replay, flows, fold, max-seconds, max-memory
 * @param plan the plan; to be given back with stepsim_plan_destroy
 * @param error what went wrong, or NULL
 * @return as stepsim_replay_create, and STEPSIM_ERROR_STOPPED */
STEPSIM_API stepsim_status stepsim_plan_create(const stepsim_job *job, const char *const *options, stepsim_plan **plan,
                                               stepsim_error *error);

/** Gives a plan back. NULL is fine. */
STEPSIM_API void stepsim_plan_destroy(stepsim_plan *plan);

/** The time of the run in seconds, in the mean of all that may break, in closed form. */
STEPSIM_API double stepsim_plan_total_s(const stepsim_plan *plan);

/** Seconds of that in which work is done that is not lost. */
STEPSIM_API double stepsim_plan_work_s(const stepsim_plan *plan);

/** What the run draws at the meter, in joules; NaN where the machine has no gpu-power. */
STEPSIM_API double stepsim_plan_energy_j(const stepsim_plan *plan);

/** What the run costs, in dollars; NaN where the machine has no prices. */
STEPSIM_API double stepsim_plan_dollars(const stepsim_plan *plan);

/** All of it as JSON, as `stepsim plan --json` writes it. It lives as long as the plan; NULL of NULL. */
STEPSIM_API const char *stepsim_plan_json(const stepsim_plan *plan);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
