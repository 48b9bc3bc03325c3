/* A database of results (SQLite): each is written as soon as it is known, and found again by what it depends on. */
#ifndef STEPSIM_SIM_STORE_STORE_H
#define STEPSIM_SIM_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/error.h"
#include "model/result/record.h"
#include "sim/store/digest.h"

/* A result: found by its key, read by people as a record, and taken back as an outcome by the program that wrote it. */
typedef struct ss_store_row {
  ss_key key;
  ss_record record;
  const void *outcome; /* [size] */
  size_t size;
} ss_store_row;

typedef struct ss_store ss_store;

/* Opens the database behind `path`; where `writable`, creates it if there is none or the file is empty. Several
 * processes may have it open. SS_ERROR_INPUT, with the file as it was, where it is not a database, damaged, of another
 * program or of a later version of this one, or cannot be opened; SS_ERROR_MEMORY. */
ss_status ss_store_open(const char *path, bool writable, ss_store **store, ss_error *error);
void ss_store_close(ss_store *store);

/* Reads the outcome with a key: on the heap, and the caller's, or NULL where there is none. SS_ERROR_INPUT where it is
 * damaged, SS_ERROR_MEMORY. */
ss_status ss_store_find(ss_store *store, const ss_key *key, void **outcome, size_t *size, ss_error *error);

/* Keeps a result, in place of one with the same key: all of it is on the disk when this returns, or nothing.
 * SS_ERROR_OUTPUT. */
ss_status ss_store_keep(ss_store *store, const ss_store_row *row, ss_error *error);

/* Goes through all results, in the order of kind, workload, platform, GPUs, label, time and result, until `see` fails.
 * A row is valid until `see` returns. Errors of `see`; SS_ERROR_INPUT where one is damaged. */
ss_status ss_store_list(ss_store *store, ss_status (*see)(void *context, const ss_store_row *row, ss_error *error),
                        void *context, ss_error *error);

#endif
