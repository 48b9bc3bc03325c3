/* Times by parts, and memory, as columns. */
#include <stddef.h>
#include <string.h>

#include "sim/report/json.h"
#include "sim/report/strategies/blocks.h"
#include "sim/report/strategies/cell.h"

enum { LEAST_PART_WIDTH = 9 };

static int part_width(int part)
{
  const int length = (int)strlen(ss_part_label((ss_part)part));
  return 2 + (length > LEAST_PART_WIDTH ? length : LEAST_PART_WIDTH);
}

static void print_parts_header(FILE *stream, const ss_listing *listing)
{
  for (int part = 0; part < SS_PART_COUNT; ++part)
    if (listing->shows_part[part]) (void)fprintf(stream, "%*s", part_width(part), ss_part_label((ss_part)part));
}

static void print_parts(FILE *stream, const ss_line *line)
{
  for (int part = 0; part < SS_PART_COUNT; ++part) {
    if (!line->listing->shows_part[part]) continue;
    char text[SS_TEXT_SIZE];
    const double part_s = ss_breakdown_part(&line->strategy->estimate, (ss_part)part);
    ss_cell_common_time(NULL, line->listing, part_s, text, sizeof text);
    (void)fprintf(stream, "%*s", part_width(part), text);
  }
}

static void write_times_header(ss_output *output, const char *key, const ss_listing *listing)
{
  (void)listing;
  ss_output_print(output, ",%s.iteration_s", key);
  for (int part = 0; part < SS_PART_COUNT; ++part) ss_output_print(output, ",%s.%s", key, ss_part_field((ss_part)part));
}

/* Empty fields where there is no time. */
static void write_times(ss_output *output, const ss_breakdown *times)
{
  for (int i = 0; times == NULL && i < SS_PART_COUNT + 1; ++i) ss_output_print(output, ",");
  if (times == NULL) return;
  ss_output_print(output, ",%.17g", times->iteration_s);
  for (int part = 0; part < SS_PART_COUNT; ++part)
    ss_output_print(output, ",%.17g", ss_breakdown_part(times, (ss_part)part));
}

static void add_estimate(json_t *object, const char *key, const ss_line *line, bool *complete)
{
  ss_json_add(object, key, ss_json_breakdown(&line->strategy->estimate, complete), complete);
}

static void write_estimate(ss_output *output, const ss_line *line)
{
  write_times(output, line->strategy != NULL ? &line->strategy->estimate : NULL);
}

const ss_column_block ss_estimate_block = {.print_header = print_parts_header,
                                           .print = print_parts,
                                           .add_json = add_estimate,
                                           .write_csv_header = write_times_header,
                                           .write_csv = write_estimate};

static void add_simulation(json_t *object, const char *key, const ss_line *line, bool *complete)
{
  if (!line->strategy->simulated) return;
  ss_json_add(object, key, ss_json_breakdown(&line->strategy->simulation, complete), complete);
}

static void write_simulation(ss_output *output, const ss_line *line)
{
  const ss_strategy *strategy = line->strategy;
  write_times(output, strategy != NULL && strategy->simulated ? &strategy->simulation : NULL);
}

const ss_column_block ss_simulation_block = {
    .add_json = add_simulation, .write_csv_header = write_times_header, .write_csv = write_simulation};

static const struct {
  size_t offset;
  const char *field;
} memories[] = {
#define SS_MEMORY_ROW(field, label) {offsetof(ss_memory, field), #field},
    SS_MEMORY_LIST(SS_MEMORY_ROW) SS_MEMORY_DETAIL_LIST(SS_MEMORY_ROW) SS_MEMORY_ROW(total_bytes, "total")
#undef SS_MEMORY_ROW
};
enum { MEMORIES = sizeof memories / sizeof memories[0] };

static void add_memory(json_t *object, const char *key, const ss_line *line, bool *complete)
{
  ss_json_add(object, key, ss_json_memory(&line->strategy->memory, complete), complete);
}

static void write_memory_header(ss_output *output, const char *key, const ss_listing *listing)
{
  (void)listing;
  for (int i = 0; i < MEMORIES; ++i) ss_output_print(output, ",%s.%s", key, memories[i].field);
  ss_output_print(output, ",%s.fits", key);
}

static void write_memory(ss_output *output, const ss_line *line)
{
  const ss_memory *memory = line->strategy != NULL ? &line->strategy->memory : NULL;
  for (int i = 0; memory == NULL && i < MEMORIES + 1; ++i) ss_output_print(output, ",");
  if (memory == NULL) return;
  for (int i = 0; i < MEMORIES; ++i) {
    double bytes;
    memcpy(&bytes, (const char *)memory + memories[i].offset, sizeof bytes);
    ss_output_print(output, ",%.17g", bytes);
  }
  ss_output_print(output, ",%d", memory->fits);
}

const ss_column_block ss_memory_block = {
    .add_json = add_memory, .write_csv_header = write_memory_header, .write_csv = write_memory};
