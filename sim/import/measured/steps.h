/* Measured iterations: from a table that somebody wrote, or from what a training run printed. */
#ifndef STEPSIM_SIM_IMPORT_MEASURED_STEPS_H
#define STEPSIM_SIM_IMPORT_MEASURED_STEPS_H

#include <stdbool.h>

#include "model/input/machine.h"
#include "sim/import/files/source.h"

enum { SS_STEP_SETTINGS = 24, SS_STEP_NAME_SIZE = 64, SS_STEP_VALUE_SIZE = 64 };

/* An attribute of the workload that is other than its file has it. */
typedef struct ss_step_setting {
  char name[SS_STEP_NAME_SIZE];   /* "parallelism.tp" */
  char value[SS_STEP_VALUE_SIZE]; /* as a user writes it */
} ss_step_setting;

/* An iteration. */
typedef struct ss_timed_step {
  char workload[SS_PATH_SIZE]; /* as it is written; empty: none is named */
  ss_step_setting setting[SS_STEP_SETTINGS];
  int64_t settings;
  int64_t gpus; /* 0 where it is not said */
  double seconds, weight;
  int64_t of, left_out; /* of a log: the steps that seconds is the median of, and those of warm-up before them */
  int line;
} ss_timed_step;

typedef struct ss_timed_steps {
  ss_timed_step *step; /* [count] owned */
  int64_t count, room;
  int64_t foreign; /* lines of a log that say nothing of steps */
} ss_timed_steps;

/* A new step at the end, zeroed but for weight 1; NULL without memory. */
ss_timed_step *ss_timed_steps_add(ss_timed_steps *steps);

/* Adds a setting; false where there is no room or a text is too long. */
bool ss_step_set(ss_timed_step *step, const char *name, const char *value);

void ss_timed_steps_free(ss_timed_steps *steps);

/* The columns of a table, and the lines "NAME ..... VALUE" of a log of Megatron-LM that say the same: X(enumerator,
 * "column", "attribute", "name in the log", what it is). */
/* clang-format off */
#define SS_STEP_COLUMN_LIST(X) \
  X(SS_STEP_WORKLOAD, "workload", "", "", "a workload file, or the name of a shipped one") \
  X(SS_STEP_GPUS, "gpus", "", "world_size", "GPUs of the job: dp is what follows") \
  X(SS_STEP_TP, "tp", "parallelism.tp", "tensor_model_parallel_size", "tensor parallelism") \
  X(SS_STEP_PP, "pp", "parallelism.pp", "pipeline_model_parallel_size", "pipeline parallelism") \
  X(SS_STEP_DP, "dp", "parallelism.dp", "data_parallel_size", "data parallelism") \
  X(SS_STEP_MICRO_BATCH, "micro-batch", "training.micro-batch", "micro_batch_size", "sequences of a micro-batch") \
  X(SS_STEP_GLOBAL_BATCH, "global-batch", "training.global-batch", "global_batch_size", "sequences of an iteration") \
  X(SS_STEP_SEQUENCE, "sequence", "model.sequence", "seq_length", "tokens of a sequence") \
  X(SS_STEP_SECONDS, "seconds", "", "", "the iteration") \
  X(SS_STEP_WEIGHT, "weight", "", "", "of this row beside the others; 1 without the column")
/* clang-format on */

typedef enum ss_step_column {
#define SS_STEP_COLUMN_ID(id, column, attribute, logged, help) id,
  SS_STEP_COLUMN_LIST(SS_STEP_COLUMN_ID)
#undef SS_STEP_COLUMN_ID
      SS_STEP_COLUMNS
} ss_step_column;

/* Whether a text is such a table: its first line that is no comment has the column seconds. */
bool ss_step_table_is(const char *text);

/* Reads a table: comma-separated, the first line names the columns, in any order, of which only seconds is needed; a
 * column with a dot is that attribute of the workload; an empty field is what the workload says; '#' starts a comment.
 * The text of the source is cut. SS_ERROR_INPUT with the line, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_step_table_read(const ss_source *source, ss_timed_steps *steps, ss_error *error);

/* Whether a text has lines of steps of Megatron-LM, Megatron Bridge or NeMo. */
bool ss_step_log_is(const char *text);

enum { SS_STEP_WARMUP_FIFTH = -1 };

/* Reads a log as one step: the median of the times it prints, without the first `warmup` of them (SS_STEP_WARMUP_FIFTH:
 * a fifth, and at least one where there are two). What Megatron-LM prints of its arguments becomes settings; sizes that
 * change in the log are refused. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_step_log_read(const ss_source *source, int64_t warmup, ss_timed_steps *steps, ss_error *error);

#endif
