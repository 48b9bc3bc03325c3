#include "sim/import/files/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/byte_order_mark.h"

/* Far above any description, and far below what an endless device would deliver. */
#define MAX_BYTES ((size_t)64 << 20)

static ss_status read_all(FILE *stream, ss_source *source, ss_error *error)
{
  size_t room = 4096;
  while (!feof(stream)) {
    room *= 2;
    char *grown = realloc(source->text, room + 1);
    if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, source->path, 0, "out of memory for a file");
    source->text = grown;
    errno = 0;
    source->size += fread(source->text + source->size, 1, room - source->size, stream);
    if (ferror(stream))
      return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "cannot be read: %s", strerror(errno));
    if (source->size > MAX_BYTES)
      return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "is too large; allowed: at most %zu MiB",
                          MAX_BYTES >> 20);
  }
  return SS_OK;
}

static ss_status read_stream(FILE *stream, ss_source *source, ss_error *error)
{
  const ss_status status = read_all(stream, source, error);
  if (status != SS_OK) return status;
  source->size = ss_drop_byte_order_mark(source->text, source->size);
  if (source->size == 0) return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "is empty");
  if (memchr(source->text, '\0', source->size) != NULL)
    return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "contains a zero byte; allowed: text");
  source->text[source->size] = '\0';
  return SS_OK;
}

ss_status ss_source_read(const char *path, ss_source *source, ss_error *error)
{
  *source = (ss_source){.path = path};
  if (strlen(path) >= SS_PATH_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, path, 0, "has a path that is too long; allowed: at most %d bytes",
                        SS_PATH_SIZE - 1);
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) return ss_error_set(error, SS_ERROR_INPUT, path, 0, "cannot be read: %s", strerror(errno));
  const ss_status status = read_stream(stream, source, error);
  (void)fclose(stream);
  return status;
}

void ss_source_free(ss_source *source)
{
  free(source->text);
  *source = (ss_source){.size = 0};
}

int ss_source_line(const ss_source *source, const char *at)
{
  int line = 1;
  for (const char *c = source->text; c < at; ++c) line += *c == '\n';
  return line;
}
