/* What a strategy is, as columns. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/report/json.h"
#include "sim/report/strategies/blocks.h"

static void print_header(FILE *stream, const ss_listing *listing)
{
  ss_strategy_print_header(stream, &listing->strategy);
}

static void print(FILE *stream, const ss_line *line)
{
  ss_strategy_print(stream, &line->listing->strategy, &line->strategy->candidate);
}

static void add_json(json_t *object, const char *key, const ss_line *line, bool *complete)
{
  json_t *target = key != NULL ? json_object() : object;
  ss_json_add_candidate(target, &line->strategy->candidate, line->listing->knobs, complete);
  if (key != NULL) ss_json_add(object, key, target, complete);
}

/* Sizes of a strategy, and of the part of it that shares a domain. */
static const struct {
  size_t offset;
  const char *field;
} sizes[] = {
#define SIZE_ROW(field, name) {offsetof(ss_candidate, field), name},
    SIZE_ROW(tp, "tp") SIZE_ROW(tp2, "tp2") SIZE_ROW(cp, "cp") SIZE_ROW(pp, "pp") SIZE_ROW(dp, "dp")
        SIZE_ROW(micro_batch, "micro_batch") SIZE_ROW(panels, "panels") SIZE_ROW(inside.tp, "domain.tp")
            SIZE_ROW(inside.cp, "domain.cp") SIZE_ROW(inside.dp, "domain.dp") SIZE_ROW(inside.pp, "domain.pp")
#undef SIZE_ROW
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void write_csv_header(ss_output *output, const char *key, const ss_listing *listing)
{
  ss_output_print(output, ",%s.tensor", key);
  for (int i = 0; i < SIZES; ++i) ss_output_print(output, ",%s.%s", key, sizes[i].field);
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[ss_knobs()[i].attribute];
    if ((listing->knobs & SS_KNOB_BIT(i)) != 0) ss_output_print(output, ",%s.%s", row->element, row->name);
  }
}

/* The second coordinate of a domain is tp2 or cp, whichever is split. */
static void write_csv(ss_output *output, const ss_line *line)
{
  const ss_candidate *c = line->strategy != NULL ? &line->strategy->candidate : NULL;
  ss_output_print(output, ",%s", c != NULL ? ss_word(SS_AT_parallelism_tensor, (int)c->tensor) : "");
  for (int i = 0; i < SIZES; ++i) {
    int64_t size;
    ss_output_print(output, ",");
    if (c == NULL) continue;
    memcpy(&size, (const char *)c + sizes[i].offset, sizeof size);
    ss_output_print(output, "%" PRId64, size);
  }
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((line->listing->knobs & SS_KNOB_BIT(i)) == 0) continue;
    char text[SS_TEXT_SIZE] = "";
    if (c != NULL) ss_knob_text(i, c, text, sizeof text);
    ss_output_print(output, ",%s", text);
  }
}

const ss_column_block ss_strategy_block = {.print_header = print_header,
                                           .print = print,
                                           .add_json = add_json,
                                           .write_csv_header = write_csv_header,
                                           .write_csv = write_csv};
