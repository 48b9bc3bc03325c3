/* Reading files of the lengths of documents. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/io/file.h"
#include "sim/io/io.h"
#include "sim/io/lines.h"
#include "sim/io/value.h"

/* So that sums of tokens are exact. */
#define MOST 1000000000

static ss_status refuse_line(const char *path, int line, const char *text, ss_error *error)
{
  return ss_error_set(
      error, SS_ERROR_INPUT, path, line,
      "\"%s\": is no length of documents; allowed: TOKENS or TOKENS DOCUMENTS, such as \"1200 35\", each 1 "
      "to %d",
      ss_quote_of(text).text, MOST);
}

static const char *read_number(const char *text, int64_t *number)
{
  while (ss_is_white(*text)) text++;
  const char *end = ss_digits_parse(text, number);
  return end != NULL && *number >= 1 && *number <= MOST ? end : NULL;
}

static ss_status read_line(const char *path, int line, const char *text, ss_documents_of_length *documents,
                           ss_error *error)
{
  const char *end = read_number(text, &documents->length);
  documents->documents = 1;
  if (end != NULL && ss_is_white(*end)) end = read_number(end, &documents->documents);
  return end != NULL && *end == '\0' ? SS_OK : refuse_line(path, line, text, error);
}

static ss_status out_of_memory(const char *path, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, path, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
}

static ss_status read_lines(const char *path, char *text, ss_documents_of_length *given, int64_t *count,
                            ss_error *error)
{
  ss_status status = SS_OK;
  for (int line = 1; status == SS_OK && text != NULL; line++) {
    const char *words = ss_line_next(&text);
    if (*words != '\0') status = read_line(path, line, words, &given[(*count)++], error);
  }
  if (status != SS_OK || *count > 0) return status;
  return ss_error_set(error, SS_ERROR_INPUT, path, 0, "has no length of documents; allowed: at least one");
}

ss_status ss_documents_load(const char *path, ss_document_list **list, ss_error *error)
{
  ss_file file;
  ss_status status = ss_file_read(path, &file, error);
  if (status != SS_OK) return status;
  int64_t lines = 1, count = 0;
  for (const char *byte = file.text; *byte != '\0'; byte++) lines += *byte == '\n';
  ss_documents_of_length *given = malloc((size_t)lines * sizeof *given);
  status = given != NULL ? read_lines(path, file.text, given, &count, error) : out_of_memory(path, error);
  if (status == SS_OK) {
    *list = ss_document_list_create(given, count);
    if (*list == NULL) status = out_of_memory(path, error);
  }
  free(given);
  ss_file_free(&file);
  return status;
}
