/* Reading rank files. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/io/file.h"
#include "sim/io/io.h"
#include "sim/io/lines.h"
#include "sim/io/value.h"

/* A rank file being read: `rank` is the next one, owner[gpu] is 1 + the rank it was given to. */
typedef struct reader {
  const char *path;
  int line, last_line; /* the current one, and that of the last GPU */
  int64_t rank, ranks, gpus;
  int32_t *gpu;
  int32_t *owner;
} reader;

static ss_status read_rank(reader *file, const char *text, ss_error *error)
{
  int64_t gpu;
  const char *end = ss_digits_parse(text, &gpu);
  if (end == NULL || *end != '\0')
    return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                        "\"%s\": is not a GPU index; allowed: one per line, 0 to %" PRId64, ss_quote_of(text).text,
                        file->gpus - 1);
  if (gpu >= file->gpus)
    return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                        "GPU %" PRId64 " does not exist; allowed: 0 to %" PRId64, gpu, file->gpus - 1);
  if (file->rank == file->ranks)
    return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                        "GPU %" PRId64 " is left over; allowed: one GPU for each of %" PRId64 " ranks", gpu,
                        file->ranks);
  if (file->owner[gpu] != 0)
    return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                        "GPU %" PRId64 " is given to rank %" PRId64 " and to rank %d; allowed: each GPU once", gpu,
                        file->rank, file->owner[gpu] - 1);
  file->gpu[file->rank++] = (int32_t)gpu;
  file->owner[gpu] = (int32_t)file->rank;
  file->last_line = file->line;
  return SS_OK;
}

static ss_status read_lines(reader *file, char *text, ss_error *error)
{
  for (; text != NULL; file->line++) {
    const char *line = ss_line_next(&text);
    if (*line == '\0') continue;
    const ss_status status = read_rank(file, line, error);
    if (status != SS_OK) return status;
  }
  if (file->rank == file->ranks) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, file->path, file->last_line,
                      "ends after %" PRId64 " GPUs; allowed: one GPU for each of %" PRId64 " ranks", file->rank,
                      file->ranks);
}

ss_status ss_ranks_load(const char *path, int64_t ranks, int64_t gpus, int32_t *gpu, ss_error *error)
{
  SS_ASSERT(ranks > 0 && gpus > 0 && ranks < INT32_MAX && gpus < INT32_MAX);
  ss_file text;
  ss_status status = ss_file_read(path, &text, error);
  if (status != SS_OK) return status;
  reader file = {.path = path, .line = 1, .ranks = ranks, .gpus = gpus, .gpu = gpu};
  file.owner = calloc((size_t)gpus, sizeof *file.owner);
  if (file.owner == NULL)
    status = ss_error_set(error, SS_ERROR_MEMORY, path, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
  else
    status = read_lines(&file, text.text, error);
  free(file.owner);
  ss_file_free(&text);
  return status;
}
