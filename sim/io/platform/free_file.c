/* Reading files of the GPUs that may be used. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/file.h"
#include "sim/io/io.h"
#include "sim/io/lines.h"
#include "sim/io/value.h"

#define LINE_FORM "DOMAINS COUNT or DOMAINS gpus LIST, such as \"0-5 64\" or \"7 gpus 0-31,40-71\""

/* Such a file being read. */
typedef struct reader {
  const char *path;
  int line;
  const ss_machine *machine;
  int *read_at;  /* [domains] the line of each, 0: none yet; owned */
  bool *is_free; /* [gpus]; owned */
} reader;

typedef struct range {
  int64_t first, last;
} range;

/* Reads "3", "0..5" or, the same, "0-5"; returns where it ends, NULL when it is neither. */
static const char *parse_range(const char *text, range *numbers)
{
  const char *end = ss_digits_parse(text, &numbers->first);
  numbers->last = numbers->first;
  if (end == NULL) return NULL;
  if (end[0] == '.' && end[1] == '.') return ss_digits_parse(end + 2, &numbers->last);
  return *end == '-' ? ss_digits_parse(end + 1, &numbers->last) : end;
}

static ss_status refuse_line(const reader *file, const char *line, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line, "\"%s\": says nothing about domains; allowed: %s",
                      ss_quote_of(line).text, LINE_FORM);
}

/* Refuses a range that is not in order, or not below `limit`. */
static ss_status check_range(const reader *file, range numbers, const char *what, int64_t limit, ss_error *error)
{
  if (numbers.first <= numbers.last && numbers.last < limit) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                      "%s %" PRId64 " to %" PRId64 " do not exist; allowed: in order, from 0 to %" PRId64, what,
                      numbers.first, numbers.last, limit - 1);
}

static ss_status take_domains(reader *file, range domains, ss_error *error)
{
  for (int64_t domain = domains.first; domain <= domains.last; ++domain) {
    if (file->read_at[domain] != 0)
      return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                          "domain %" PRId64 " was in line %d already; allowed: each domain once", domain,
                          file->read_at[domain]);
    file->read_at[domain] = file->line;
  }
  return SS_OK;
}

static void mark(reader *file, range domains, range gpus)
{
  const int64_t size = file->machine->domain_size;
  for (int64_t domain = domains.first; domain <= domains.last; ++domain)
    for (int64_t gpu = gpus.first; gpu <= gpus.last; ++gpu) file->is_free[domain * size + gpu] = true;
}

/* Reads "64": the first so many GPUs. */
static ss_status read_number(reader *file, const char *line, const char *text, range domains, ss_error *error)
{
  int64_t count;
  const char *end = ss_digits_parse(text, &count);
  if (end == NULL || *end != '\0') return refuse_line(file, line, error);
  if (count > file->machine->domain_size)
    return ss_error_set(error, SS_ERROR_INPUT, file->path, file->line,
                        "%" PRId64 " GPUs are more than a domain has; allowed: 0 to %" PRId64, count,
                        file->machine->domain_size);
  mark(file, domains, (range){0, count - 1});
  return SS_OK;
}

/* Reads "0-3,6": GPUs counted inside the domain. */
static ss_status read_list(reader *file, const char *line, const char *text, range domains, ss_error *error)
{
  for (bool more = true; more;) {
    range gpus;
    const char *end = parse_range(text, &gpus);
    if (end == NULL || (*end != ',' && *end != '\0')) return refuse_line(file, line, error);
    const ss_status status = check_range(file, gpus, "GPUs", file->machine->domain_size, error);
    if (status != SS_OK) return status;
    mark(file, domains, gpus);
    more = *end == ',';
    text = end + 1;
  }
  return SS_OK;
}

static const char *skip_white(const char *text)
{
  while (ss_is_white(*text)) text++;
  return text;
}

static ss_status read_line(reader *file, const char *line, ss_error *error)
{
  static const char word[] = "gpus";
  const size_t length = sizeof word - 1;
  range domains;
  const char *text = parse_range(line, &domains);
  if (text == NULL || !ss_is_white(*text)) return refuse_line(file, line, error);
  ss_status status = check_range(file, domains, "domains", file->machine->gpus / file->machine->domain_size, error);
  if (status == SS_OK) status = take_domains(file, domains, error);
  if (status != SS_OK) return status;
  text = skip_white(text);
  if (strncmp(text, word, length) != 0 || !ss_is_white(text[length]))
    return read_number(file, line, text, domains, error);
  return read_list(file, line, skip_white(text + length), domains, error);
}

static ss_status read_lines(reader *file, char *text, ss_error *error)
{
  ss_status status = SS_OK;
  for (file->line = 1; status == SS_OK && text != NULL; file->line++) {
    const char *line = ss_line_next(&text);
    if (*line != '\0') status = read_line(file, line, error);
  }
  return status;
}

static ss_status out_of_memory(const char *path, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, path, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
}

ss_status ss_free_gpus_load(const char *path, const ss_machine *machine, ss_free_gpus *free_gpus, ss_error *error)
{
  ss_file text;
  ss_status status = ss_file_read(path, &text, error);
  if (status != SS_OK) return status;
  reader file = {.path = path, .machine = machine};
  file.read_at = calloc((size_t)(machine->gpus / machine->domain_size), sizeof *file.read_at);
  file.is_free = calloc((size_t)machine->gpus, sizeof *file.is_free);
  const bool has_memory = file.read_at != NULL && file.is_free != NULL;
  status = has_memory ? read_lines(&file, text.text, error) : out_of_memory(path, error);
  if (status == SS_OK && ss_free_gpus_init(free_gpus, machine, file.is_free) != SS_OK)
    status = out_of_memory(path, error);
  free(file.read_at);
  free(file.is_free);
  ss_file_free(&text);
  return status;
}
