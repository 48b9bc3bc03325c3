#include "sim/report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/report/report.h"

/* Room for ".tmp.<process>.<attempt>". */
#define SUFFIX_SIZE 48
#define ATTEMPTS    100

static ss_status output_failed(const ss_output *output, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0, "cannot write \"%s\": %s", output->path,
                      strerror(output->failure));
}

static void keep_failure(ss_output *output, int reason)
{
  if (output->failure == 0) output->failure = reason != 0 ? reason : EIO;
}

static bool written_in_place(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static void name_temporary(const ss_output *output, int attempt)
{
  (void)snprintf(output->temporary, strlen(output->path) + SUFFIX_SIZE, "%s.tmp.%ld.%d", output->path, (long)getpid(),
                 attempt);
}

/* Opens a file without a name in the folder of the path, where the file system has that. */
static int open_nameless(ss_output *output)
{
  const char *slash = strrchr(output->path, '/');
  char *folder = slash == NULL ? strdup(".") : strndup(output->path, (size_t)(slash - output->path) + 1);
  if (folder == NULL) return -1;
  const int descriptor = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  output->nameless = descriptor >= 0;
  free(folder);
  return descriptor;
}

/* Gives it the temporary name. */
static bool link_nameless(const ss_output *output)
{
  char descriptor[64];
  (void)snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fileno(output->stream));
  bool linked = false;
  for (int attempt = 0; !linked && attempt < ATTEMPTS; attempt++) {
    name_temporary(output, attempt);
    linked = linkat(AT_FDCWD, descriptor, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0;
    if (!linked && errno != EEXIST) break;
  }
  return linked;
}

/* Opens a file without a name, or of one that nobody has; a crashed run with the same process number may have left one.
 */
static int open_temporary(ss_output *output)
{
  output->temporary = malloc(strlen(output->path) + SUFFIX_SIZE);
  if (output->temporary == NULL) return -1;
  name_temporary(output, 0);
  int descriptor = open_nameless(output);
  for (int attempt = 0; descriptor < 0 && attempt < ATTEMPTS; attempt++) {
    name_temporary(output, attempt);
    descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) {
    const int reason = errno;
    free(output->temporary);
    output->temporary = NULL;
    errno = reason;
  }
  return descriptor;
}

static FILE *open_stream(ss_output *output)
{
  if (strcmp(output->path, "-") == 0) return stdout;
  const int descriptor =
      written_in_place(output->path) ? open(output->path, O_WRONLY | O_TRUNC | O_CLOEXEC) : open_temporary(output);
  if (descriptor < 0) return NULL;
  FILE *stream = fdopen(descriptor, "w");
  if (stream == NULL) (void)close(descriptor);
  return stream;
}

ss_status ss_output_open(ss_output *output, const char *path, ss_error *error)
{
  *output = (ss_output){.path = strdup(path)};
  if (output->path == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  output->stream = open_stream(output);
  if (output->stream != NULL) return SS_OK;
  keep_failure(output, errno);
  const ss_status status = output_failed(output, error);
  if (output->temporary != NULL) (void)unlink(output->temporary);
  ss_output_free(output);
  return status;
}

ss_status ss_output_compress(ss_output *output, ss_error *error)
{
  output->gzip = ss_gzip_create();
  return output->gzip != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
}

/* Formats into memory first, since what is compressed does not go to a stream. */
static void print_compressed(ss_output *output, const char *format, va_list arguments)
{
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  const bool printed = stream != NULL && vfprintf(stream, format, arguments) >= 0;
  if (stream == NULL || fclose(stream) != 0 || !printed)
    keep_failure(output, ENOMEM);
  else
    ss_output_write(output, text, size);
  free(text);
}

void ss_output_print(ss_output *output, const char *format, ...)
{
  if (output->failure != 0) return;
  va_list arguments;
  va_start(arguments, format);
  if (output->gzip != NULL)
    print_compressed(output, format, arguments);
  else if (vfprintf(output->stream, format, arguments) < 0)
    keep_failure(output, errno);
  va_end(arguments);
}

void ss_output_write(ss_output *output, const char *bytes, size_t size)
{
  if (output->failure != 0) return;
  const bool written = output->gzip != NULL ? ss_gzip_write(output->gzip, output->stream, bytes, size, false)
                                            : fwrite(bytes, 1, size, output->stream) == size;
  if (!written) keep_failure(output, errno);
}

void ss_output_print_field(ss_output *output, const char *text)
{
  if (strpbrk(text, ",\"\r\n") == NULL) {
    ss_output_print(output, "%s", text);
    return;
  }
  ss_output_print(output, "\"");
  for (; *text != '\0'; ++text) ss_output_print(output, *text == '"' ? "\"\"" : "%c", *text);
  ss_output_print(output, "\"");
}

void ss_output_restart(ss_output *output)
{
  if (output->temporary == NULL || output->failure != 0) return;
  if (output->gzip != NULL) ss_gzip_restart(output->gzip);
  if (fseek(output->stream, 0, SEEK_SET) != 0 || ftruncate(fileno(output->stream), 0) != 0) keep_failure(output, errno);
}

static void close_stream(ss_output *output)
{
  if (output->stream == NULL) return;
  const int result = output->stream == stdout ? fflush(stdout) : fclose(output->stream);
  if (result != 0) keep_failure(output, errno);
  output->stream = NULL;
}

ss_status ss_output_close(ss_output *output, ss_error *error)
{
  SS_ASSERT(output->stream != NULL);
  if (output->failure == 0 && output->gzip != NULL && !ss_gzip_write(output->gzip, output->stream, NULL, 0, true))
    keep_failure(output, errno);
  const bool named = !output->nameless || output->failure != 0 || link_nameless(output);
  if (!named) keep_failure(output, errno);
  close_stream(output);
  if (output->temporary != NULL) {
    if (output->failure == 0 && rename(output->temporary, output->path) != 0) keep_failure(output, errno);
    if (output->failure != 0) (void)unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
  }
  return output->failure == 0 ? SS_OK : output_failed(output, error);
}

/* Whether the temporary name still means the file that was opened; a forked child may have renamed it, and its name
 * may since belong to another output. */
static bool owns_temporary(const ss_output *output)
{
  struct stat opened, named;
  return output->stream != NULL && fstat(fileno(output->stream), &opened) == 0 &&
         lstat(output->temporary, &named) == 0 && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void ss_output_free(ss_output *output)
{
  if (output->temporary != NULL && owns_temporary(output)) (void)unlink(output->temporary);
  close_stream(output);
  ss_gzip_destroy(output->gzip);
  free(output->temporary);
  free(output->path);
  *output = (ss_output){0};
}

static ss_status write_all(const char *path, const void *data, size_t size, const char *end, ss_error *error)
{
  ss_output output;
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  ss_output_write(&output, data, size);
  ss_output_write(&output, end, strlen(end));
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}

ss_status ss_report_bytes(const char *path, const char *text, ss_error *error)
{
  return ss_report_data(path, text, strlen(text), error);
}

ss_status ss_report_lines(const char *path, const char *text, ss_error *error)
{
  return write_all(path, text, strlen(text), "\n", error);
}

ss_status ss_report_data(const char *path, const void *data, size_t size, ss_error *error)
{
  return write_all(path, data, size, "", error);
}
