#include "sim/traces/bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

ss_status ss_bytes_open(ss_bytes *bytes, const char *path, ss_error *error)
{
  struct stat node;
  *bytes = (ss_bytes){.path = path};
  const bool found = stat(path, &node) == 0;
  if (found && S_ISDIR(node.st_mode)) return ss_error_set(error, SS_ERROR_INPUT, path, 0, "is a folder");
  if (found) bytes->file = gzopen(path, "rb");
  if (bytes->file != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, path, 0, "cannot be read: %s", strerror(errno));
}

ss_status ss_bytes_read(ss_bytes *bytes, void *to, size_t room, size_t *count, ss_error *error)
{
  int problem = Z_OK;
  const int got = gzread(bytes->file, to, (unsigned)room);
  const char *text = gzerror(bytes->file, &problem);
  *count = got > 0 ? (size_t)got : 0;
  if (got >= 0 && (problem == Z_OK || problem == Z_STREAM_END)) return SS_OK;
  if (problem == Z_BUF_ERROR)
    return ss_error_set(error, SS_ERROR_INPUT, bytes->path, 0, "ends early: gzip has packed more");
  return ss_error_set(error, SS_ERROR_INPUT, bytes->path, 0, "cannot be unpacked: %s",
                      problem == Z_ERRNO ? strerror(errno) : text);
}

void ss_bytes_close(ss_bytes *bytes)
{
  if (bytes->file != NULL) (void)gzclose_r(bytes->file);
  bytes->file = NULL;
}
