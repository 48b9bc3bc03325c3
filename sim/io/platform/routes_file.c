/* Reading files of the routes of a fat tree. */
#include <inttypes.h>
#include <string.h>

#include "model/fabric/fabric.h"
#include "sim/io/file.h"
#include "sim/io/io.h"
#include "sim/io/lines.h"
#include "sim/io/value.h"

#define LINE_FORM                                                                                                      \
  "CABLE NICS, such as \"leaf-2:3 0-95:12,101\": what is for NICs 0, 12, ... 84 and 101 takes port 3 of leaf 2"

/* Such a file being read. */
typedef struct reader {
  const char *path;
  int line;
  const ss_fabric *fabric;
  ss_forwarding *forwarding;
  ss_error *error;
} reader;

/* NICs of a line: `first`, every `step`-th behind it, up to `last`. */
typedef struct nics {
  int64_t first, last, step;
} nics;

static ss_status out_of_memory(const reader *file)
{
  return ss_error_set(file->error, SS_ERROR_MEMORY, file->path, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
}

static ss_status refuse_line(const reader *file, const char *text)
{
  return ss_error_set(file->error, SS_ERROR_INPUT, file->path, file->line, "\"%s\": is no route; allowed: %s",
                      ss_quote_of(text).text, LINE_FORM);
}

/* Reads "3", "0-5" or "0-95:12"; returns where it ends, NULL where it is none of them. */
static const char *parse_nics(const char *text, nics *n)
{
  *n = (nics){.step = 1};
  const char *end = ss_digits_parse(text, &n->first);
  n->last = n->first;
  if (end == NULL || *end != '-') return end;
  end = ss_digits_parse(end + 1, &n->last);
  if (end != NULL && *end == ':') end = ss_digits_parse(end + 1, &n->step);
  return n->step > 0 && n->step <= SS_CLUSTER_HOSTS ? end : NULL;
}

static ss_status take_nics(const reader *file, int64_t link, nics n)
{
  const int64_t hosts = ss_fabric_hosts(file->fabric);
  if (n.first > n.last || n.last >= hosts)
    return ss_error_set(file->error, SS_ERROR_INPUT, file->path, file->line,
                        "NICs %" PRId64 " to %" PRId64 " do not exist; allowed: in order, from 0 to %" PRId64, n.first,
                        n.last, hosts - 1);
  for (int64_t nic = n.first; nic <= n.last; nic += n.step)
    if (ss_fabric_forward(file->fabric, link, nic, file->line, file->forwarding) != SS_OK) return out_of_memory(file);
  return SS_OK;
}

static ss_status find_cable(const reader *file, const char *name, int64_t *link)
{
  char names[SS_MESSAGE_SIZE / 2];
  *link = ss_fabric_cable(file->fabric, name);
  if (*link >= 0) return SS_OK;
  ss_fabric_names(file->fabric, names, sizeof names);
  return ss_error_set(
      file->error, SS_ERROR_INPUT, file->path, file->line,
      "there is no cable %s of the fabric; allowed: without a direction, which follows from the NIC: %s",
      ss_quote_of(name).text, names);
}

/* "leaf-2:3 0-95:12,101" */
static ss_status read_line(const reader *file, char *line)
{
  const char *form = line;
  char *list = line + strcspn(line, " \t"), *const gap = list;
  int64_t link = -1;
  while (ss_is_white(*list)) list++;
  if (*list == '\0') return refuse_line(file, form);
  const char blank = *gap;
  *gap = '\0';
  ss_status status = find_cable(file, line, &link);
  *gap = blank;
  for (const char *text = list, *end; status == SS_OK && text != NULL; text = *end == ',' ? end + 1 : NULL) {
    nics n;
    end = parse_nics(text, &n);
    if (end == NULL || (*end != ',' && *end != '\0')) return refuse_line(file, form);
    status = take_nics(file, link, n);
  }
  return status;
}

static ss_status read_lines(reader *file, char *text)
{
  for (file->line = 1; text != NULL; file->line++) {
    char *line = ss_line_next(&text);
    const ss_status status = *line != '\0' ? read_line(file, line) : SS_OK;
    if (status != SS_OK) return status;
  }
  const ss_forwarding_entry *again = ss_forwarding_sort(file->forwarding);
  if (again == NULL) return SS_OK;
  return ss_error_set(file->error, SS_ERROR_INPUT, file->path, again->line,
                      "says through which cable a switch sends to a NIC, as line %d does; allowed: one cable for each "
                      "switch and NIC",
                      again[-1].line);
}

static ss_status read_file(const ss_machine *machine, const ss_fabric *fabric, ss_forwarding *forwarding,
                           ss_error *error)
{
  ss_file text;
  const ss_status status = ss_file_read(machine->routes, &text, error);
  if (status != SS_OK) return status;
  reader file = {.path = machine->routes, .fabric = fabric, .forwarding = forwarding, .error = error};
  const ss_status read = read_lines(&file, text.text);
  ss_file_free(&text);
  return read;
}

ss_status ss_routes_load(const ss_machine *machine, ss_forwarding **forwarding, ss_error *error)
{
  *forwarding = NULL;
  if (machine->routes[0] == '\0') return SS_OK;
  ss_fabric *fabric;
  ss_status status = ss_fabric_create(&fabric, machine, error);
  if (status != SS_OK) return status;
  if (!ss_fabric_takes_routes(fabric))
    status = ss_machine_refuse(
        machine, SS_PROPERTY_routes, error,
        "needs a fabric that has them by destination; allowed: with a fat tree, and adaptive-routing=\"0\"");
  else if ((*forwarding = ss_forwarding_create()) == NULL)
    status = ss_error_set(error, SS_ERROR_MEMORY, machine->routes, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
  else
    status = read_file(machine, fabric, *forwarding, error);
  ss_fabric_destroy(fabric);
  if (status == SS_OK) return SS_OK;
  ss_forwarding_destroy(*forwarding);
  *forwarding = NULL;
  return status;
}
