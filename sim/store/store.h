/* A database of results (SQLite): each is kept as soon as it is known, and found again by what it depends on. */
#ifndef STEPSIM_SIM_STORE_STORE_H
#define STEPSIM_SIM_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/error.h"
#include "sim/store/digest.h"

/* Columns of a result that are there to be read: X(field, "name"). The texts are never NULL; a real that a result does
 * not have is not a number, a count is -1. */
/* clang-format off */
#define SS_STORE_TEXTS(X) \
  X(kind, "kind")               /* what was asked for */ \
  X(version, "version")         /* of the program */ \
  X(program, "program")         /* keys of what it depends on, in hexadecimal digits */ \
  X(inputs, "inputs") \
  X(topology, "topology") \
  X(workload, "workload")       /* names */ \
  X(platform, "platform") \
  X(label, "label")             /* what varies */ \
  X(refusal, "refusal")         /* why there is no result */ \
  X(json, "json")               /* all of it, to be read by others */
#define SS_STORE_COUNTS(X) \
  X(gpus, "gpus") \
  X(fits, "fits")               /* in memory: 0 or 1 */
#define SS_STORE_REALS(X) \
  X(estimate_s, "estimate_s") \
  X(simulation_s, "simulation_s") \
  X(memory_bytes, "memory_bytes")
/* clang-format on */

typedef struct ss_store_row {
  ss_key key;
#define SS_STORE_TEXT(field, name)  const char *field;
#define SS_STORE_COUNT(field, name) int64_t field;
#define SS_STORE_REAL(field, name)  double field;
  SS_STORE_TEXTS(SS_STORE_TEXT)
  SS_STORE_COUNTS(SS_STORE_COUNT)
  SS_STORE_REALS(SS_STORE_REAL)
#undef SS_STORE_TEXT
#undef SS_STORE_COUNT
#undef SS_STORE_REAL
  const void *outcome; /* [outcome_size] for the program that wrote it */
  size_t outcome_size;
} ss_store_row;

/* A row without anything: texts empty, numbers missing. */
ss_store_row ss_store_row_empty(void);

typedef struct ss_store ss_store;

/* Opens the database behind `path`; where `writable`, creates it if there is none or the file is empty. Several
 * processes may have it open. SS_ERROR_INPUT, with the file as it was, where it is no database, damaged, of another
 * program or of a later version of this one, or cannot be opened; SS_ERROR_MEMORY. */
ss_status ss_store_open(const char *path, bool writable, ss_store **store, ss_error *error);
void ss_store_close(ss_store *store);

/* Reads the outcome with a key, which has to have this size, if there is one. SS_ERROR_INPUT where it is damaged. */
ss_status ss_store_find(ss_store *store, const ss_key *key, void *outcome, size_t size, bool *found, ss_error *error);

/* Keeps a result, in place of one with the same key: all of it is on the disk when this returns, or nothing.
 * SS_ERROR_OUTPUT. */
ss_status ss_store_keep(ss_store *store, const ss_store_row *row, ss_error *error);

/* Goes through all results, in the order of kind, workload, platform, GPUs, label and key, until `see` fails. A row is
 * valid until `see` returns. Errors of `see`; SS_ERROR_INPUT where one is damaged. */
ss_status ss_store_list(ss_store *store, ss_status (*see)(void *context, const ss_store_row *row, ss_error *error),
                        void *context, ss_error *error);

#endif
