/* What a result depends on, as a number of 128 bits (XXH3): equal for equal inputs, whatever files they came from. */
#ifndef STEPSIM_SIM_STORE_DIGEST_H
#define STEPSIM_SIM_STORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/machine.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

enum { SS_KEY_SIZE = 16, SS_KEY_TEXT_SIZE = 2 * SS_KEY_SIZE + 1 };

typedef struct ss_key {
  uint8_t byte[SS_KEY_SIZE];
} ss_key;

typedef struct ss_digest ss_digest;

/* A digest of nothing so far, for ss_digest_destroy; NULL where memory ends. */
ss_digest *ss_digest_create(void);

/* Releases a digest; accepts NULL. */
void ss_digest_destroy(ss_digest *digest);

/* Adds a value. Every one goes with its length, so that no two sequences of values are the same bytes. */
void ss_digest_add_text(ss_digest *digest, const char *text);
void ss_digest_add_count(ss_digest *digest, int64_t count);
void ss_digest_add_real(ss_digest *digest, double real);
void ss_digest_add_bytes(ss_digest *digest, const void *bytes, size_t size);

/* Adds all attributes of a workload but the name of its rank file, which says nothing about what is in it. */
void ss_digest_add_workload(ss_digest *digest, const ss_workload *workload);

/* Adds all properties of a machine; its topology is known by the content of its file only. */
void ss_digest_add_machine(ss_digest *digest, const ss_machine *machine);

/* The key of what has been added so far. */
ss_key ss_digest_key(const ss_digest *digest);

/* The key of a file's content. SS_ERROR_INPUT where it cannot be read, SS_ERROR_MEMORY. */
ss_status ss_digest_file(const char *path, ss_key *key, ss_error *error);

/* The key of the file that this program was started from: another build may find other results. Errors as above. */
ss_status ss_digest_program(ss_key *key, ss_error *error);

/* A key in hexadecimal digits. */
void ss_key_text(const ss_key *key, char text[SS_KEY_TEXT_SIZE]);

#endif
