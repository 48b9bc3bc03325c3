/* Files of the library: found and listed by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/api.h"

ss_status ss_api_find_file(ss_shipped kind, const char *name, char path[SS_PATH_SIZE], ss_error *error)
{
  const ss_status status = ss_shipped_find(kind, name, path, error);
  char *absolute = status == SS_OK ? realpath(path, NULL) : NULL;
  if (absolute != NULL && strlen(absolute) < SS_PATH_SIZE) (void)snprintf(path, SS_PATH_SIZE, "%s", absolute);
  free(absolute);
  return status;
}

/* The names of files, a line each, on the heap; NULL without memory. */
static char *join(const ss_shipped_files *files)
{
  char *names = malloc((size_t)files->count * SS_SHIPPED_NAME_SIZE + 1);
  size_t used = 0;
  if (names == NULL) return NULL;
  names[0] = '\0';
  for (int64_t i = 0; i < files->count; ++i)
    used += (size_t)snprintf(names + used, SS_SHIPPED_NAME_SIZE + 1, "%s\n", files->file[i].name);
  return names;
}

stepsim_status stepsim_list(const char *kind, char **names, stepsim_error *error)
{
  ss_error why = {0};
  ss_shipped_files files = {.count = 0};
  if (names != NULL) *names = NULL;
  if (kind == NULL || names == NULL) return ss_api_misuse(error, "stepsim_list: kind or names is NULL");
  const ss_shipped found = ss_shipped_kind_of(kind);
  ss_status status = found != SS_SHIPPED_NONE
                         ? ss_shipped_files_init(&files, found, &why)
                         : ss_error_set(&why, SS_ERROR_INPUT, NULL, 0,
                                        "\"%.64s\": is no kind of files; allowed: workloads, platforms", kind);
  if (status == SS_OK) {
    *names = join(&files);
    if (*names == NULL) status = ss_error_set(&why, SS_ERROR_MEMORY, NULL, 0, "out of memory for a list of files");
  }
  ss_shipped_files_free(&files);
  return ss_api_return(status, &why, error);
}

void stepsim_text_free(char *text)
{
  free(text);
}
