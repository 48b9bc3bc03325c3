#include "sim/io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/byte_order_mark.h"

/* Far above any description, and far below what an endless device would deliver. */
#define MAX_BYTES ((size_t)64 << 20)

static ss_status read_stream(FILE *stream, const char *path, ss_file *file, ss_error *error)
{
  size_t room = 4096;
  while (!feof(stream)) {
    room *= 2;
    char *grown = realloc(file->text, room + 1);
    if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, path, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
    file->text = grown;
    errno = 0;
    file->size += fread(file->text + file->size, 1, room - file->size, stream);
    if (ferror(stream)) return ss_error_set(error, SS_ERROR_INPUT, path, 0, "cannot be read: %s", strerror(errno));
    if (file->size > MAX_BYTES)
      return ss_error_set(error, SS_ERROR_INPUT, path, 0, "is too large; allowed: at most %zu MiB", MAX_BYTES >> 20);
  }
  const size_t read = file->size;
  file->size = ss_drop_byte_order_mark(file->text, read);
  file->had_mark = file->size < read;
  file->text[file->size] = '\0';
  if (file->size == 0) return ss_error_set(error, SS_ERROR_INPUT, path, 0, "is empty");
  if (memchr(file->text, '\0', file->size) != NULL)
    return ss_error_set(error, SS_ERROR_INPUT, path, 0, "contains a zero byte; allowed: UTF-8 text");
  return SS_OK;
}

ss_status ss_file_read(const char *path, ss_file *file, ss_error *error)
{
  *file = (ss_file){.size = 0};
  if (strlen(path) >= SS_PATH_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, path, 0, "has a path that is too long; allowed: at most %d bytes",
                        SS_PATH_SIZE - 1);
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) return ss_error_set(error, SS_ERROR_INPUT, path, 0, "cannot be read: %s", strerror(errno));
  const ss_status status = read_stream(stream, path, file, error);
  (void)fclose(stream);
  if (status != SS_OK) ss_file_free(file);
  return status;
}

void ss_file_free(ss_file *file)
{
  free(file->text);
  *file = (ss_file){.size = 0};
}
