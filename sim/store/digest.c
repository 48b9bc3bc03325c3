#include "sim/store/digest.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/input/workload.h"

struct ss_digest {
  XXH3_state_t *state; /* owned */
};

ss_digest *ss_digest_create(void)
{
  ss_digest *digest = malloc(sizeof *digest);
  XXH3_state_t *state = XXH3_createState();
  if (digest == NULL || state == NULL || XXH3_128bits_reset(state) != XXH_OK) {
    free(digest);
    (void)XXH3_freeState(state);
    return NULL;
  }
  digest->state = state;
  return digest;
}

void ss_digest_destroy(ss_digest *digest)
{
  if (digest == NULL) return;
  (void)XXH3_freeState(digest->state);
  free(digest);
}

void ss_digest_add_bytes(ss_digest *digest, const void *bytes, size_t size)
{
  (void)XXH3_128bits_update(digest->state, &size, sizeof size);
  (void)XXH3_128bits_update(digest->state, bytes, size);
}

void ss_digest_add_text(ss_digest *digest, const char *text)
{
  ss_digest_add_bytes(digest, text, strlen(text));
}

void ss_digest_add_count(ss_digest *digest, int64_t count)
{
  ss_digest_add_bytes(digest, &count, sizeof count);
}

/* All zeros count as +0, all NaN as one. */
void ss_digest_add_real(ss_digest *digest, double real)
{
  const double value = real == 0.0 ? 0.0 : isnan(real) ? NAN : real;
  ss_digest_add_bytes(digest, &value, sizeof value);
}

void ss_digest_add_workload(ss_digest *digest, const ss_workload *workload)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    char text[SS_TEXT_SIZE] = "";
    const ss_attribute *row = &ss_workload_attributes()[i];
    double real;
    if (row->type == SS_ATTRIBUTE_REAL) {
      memcpy(&real, (const char *)workload + row->offset, sizeof real);
      ss_digest_add_real(digest, real);
    } else {
      if (i != SS_AT_placement_ranks) ss_workload_value_text(workload, (ss_attribute_index)i, text, sizeof text);
      ss_digest_add_text(digest, text);
    }
  }
}

static void add_curve(ss_digest *digest, const ss_curve *curve)
{
  ss_digest_add_count(digest, curve->count);
  for (int64_t i = 0; i < curve->count; ++i) {
    ss_digest_add_real(digest, curve->size[i]);
    ss_digest_add_real(digest, curve->value[i]);
  }
}

static void add_property(ss_digest *digest, const ss_property *row, const char *field)
{
  int64_t count;
  double real;
  switch (row->type) {
  case SS_PROPERTY_TEXT: ss_digest_add_text(digest, field); break;
  case SS_PROPERTY_COUNT:
    memcpy(&count, field, sizeof count);
    ss_digest_add_count(digest, count);
    break;
  case SS_PROPERTY_QUANTITY:
    memcpy(&real, field, sizeof real);
    ss_digest_add_real(digest, real);
    break;
  case SS_PROPERTY_CURVE: add_curve(digest, (const ss_curve *)(const void *)field); break;
  }
}

void ss_digest_add_machine(ss_digest *digest, const ss_machine *machine)
{
  ss_digest_add_text(digest, machine->name);
  ss_digest_add_count(digest, machine->gpus);
  ss_digest_add_real(digest, machine->zone_nvlink_bytes_per_s);
  ss_digest_add_real(digest, machine->zone_fabric_bytes_per_s);
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) {
    const ss_property *row = &ss_machine_properties()[i];
    add_property(digest, row, (const char *)machine + row->offset);
  }
}

ss_key ss_digest_key(const ss_digest *digest)
{
  ss_key key;
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest->state));
  memcpy(key.byte, canonical.digest, sizeof key.byte);
  return key;
}

/* Adds the bytes of a stream; false on a read error. */
static bool add_stream(ss_digest *digest, FILE *stream)
{
  char bytes[1 << 14];
  while (!feof(stream) && !ferror(stream))
    (void)XXH3_128bits_update(digest->state, bytes, fread(bytes, 1, sizeof bytes, stream));
  return !ferror(stream);
}

static ss_status add_file(ss_digest *digest, const char *path, ss_error *error)
{
  errno = 0;
  FILE *stream = fopen(path, "rb");
  const bool complete = stream != NULL && add_stream(digest, stream);
  const int problem = errno;
  if (stream != NULL) (void)fclose(stream);
  if (complete) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, path, 0, "cannot be read: %s", strerror(problem));
}

ss_status ss_digest_file(const char *path, ss_key *key, ss_error *error)
{
  ss_digest *digest = ss_digest_create();
  if (digest == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a digest");
  const ss_status status = add_file(digest, path, error);
  if (status == SS_OK) *key = ss_digest_key(digest);
  ss_digest_destroy(digest);
  return status;
}

ss_status ss_digest_program(ss_key *key, ss_error *error)
{
  return ss_digest_file("/proc/self/exe", key, error);
}

void ss_key_text(const ss_key *key, char text[SS_KEY_TEXT_SIZE])
{
  for (size_t i = 0; i < SS_KEY_SIZE; ++i) (void)snprintf(&text[2 * i], 3, "%02x", key->byte[i]);
}
