/* A finished result as the database stores and lists it: the question, and the main figures. */
#ifndef STEPSIM_MODEL_RESULT_RECORD_H
#define STEPSIM_MODEL_RESULT_RECORD_H

#include <stdint.h>

#include "model/base/error.h"

/* Texts are never NULL; a count that a result does not have is -1, and such a real is not a number.
 * X(field, "name", what it is). */
/* clang-format off */
#define SS_RECORD_TEXTS(X) \
  X(kind, "kind", "search, point (of a sweep) or replay") \
  X(workload, "workload", "its name") \
  X(platform, "platform", "its name") \
  X(label, "label", "what varies: values of a point, sizes of a strategy") \
  X(refusal, "refused", "why there is no result") \
  X(version, "stepsim", "version of the program") \
  X(program, "program", "key of the program's file, in hexadecimal digits") \
  X(inputs, "inputs", "key of workload and machine after all overrides") \
  X(topology, "topology", "key of the platform's file")
#define SS_RECORD_LATER_TEXTS(X) \
  X(kernels, "kernels", "constants of the platform's kernels: fitted, given or default; empty where version 1 wrote it")
#define SS_RECORD_DOCUMENTS(X) \
  X(parts, "result", "all of it, as JSON text")
#define SS_RECORD_COUNTS(X) \
  X(gpus, "gpus", "GPUs that the strategy uses") \
  X(fits, "fits", "in memory: 0 or 1")
#define SS_RECORD_REALS(X) \
  X(estimate_s, "estimate_s", "time of an iteration by the closed form") \
  X(simulation_s, "simulation_s", "time of an iteration by the replay") \
  X(memory_bytes, "memory_bytes", "on the fullest GPU")
/* clang-format on */

typedef struct ss_record {
#define SS_RECORD_TEXT(field, name, meaning)  const char *field;
#define SS_RECORD_COUNT(field, name, meaning) int64_t field;
#define SS_RECORD_REAL(field, name, meaning)  double field;
  SS_RECORD_TEXTS(SS_RECORD_TEXT)
  SS_RECORD_LATER_TEXTS(SS_RECORD_TEXT)
  SS_RECORD_DOCUMENTS(SS_RECORD_TEXT)
  SS_RECORD_COUNTS(SS_RECORD_COUNT)
  SS_RECORD_REALS(SS_RECORD_REAL)
#undef SS_RECORD_TEXT
#undef SS_RECORD_COUNT
#undef SS_RECORD_REAL
} ss_record;

/* An empty record: empty texts, missing numbers. */
ss_record ss_record_empty(void);

/* A copy that owns its texts; release it with ss_record_free in any case. SS_ERROR_MEMORY. */
ss_status ss_record_copy(const ss_record *record, ss_record *copy);

/* Releases the texts of a copy. */
void ss_record_free(ss_record *copy);

#endif
