#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "sim/report/output.h"
#include "sim/report/report.h"
#include "sim/report/strategy.h"

static const struct {
  size_t offset;
  const char *field;
} memories[] = {
#define SS_MEMORY_ROW(field, label) {offsetof(ss_memory, field), #field},
    SS_MEMORY_LIST(SS_MEMORY_ROW) SS_MEMORY_DETAIL_LIST(SS_MEMORY_ROW) SS_MEMORY_ROW(total_bytes, "total")
#undef SS_MEMORY_ROW
};
enum { MEMORIES = sizeof memories / sizeof memories[0] };

static void print_times_header(ss_output *output, const char *model)
{
  ss_output_print(output, ",%s.iteration_s", model);
  for (int part = 0; part < SS_PART_COUNT; ++part)
    ss_output_print(output, ",%s.%s", model, ss_part_field((ss_part)part));
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

static void print_strategy_header(ss_output *output, ss_knob_set knobs)
{
  ss_output_print(output, ",strategy.tensor");
  for (int i = 0; i < SIZES; ++i) ss_output_print(output, ",strategy.%s", sizes[i].field);
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[ss_knobs()[i].attribute];
    if ((knobs & SS_KNOB_BIT(i)) != 0) ss_output_print(output, ",%s.%s", row->element, row->name);
  }
}

/* Empty fields where there is no strategy. The second coordinate of a domain is tp2 or cp, whichever is split. */
static void print_strategy(ss_output *output, ss_knob_set knobs, const ss_strategy *strategy)
{
  const ss_candidate *c = strategy != NULL ? &strategy->candidate : NULL;
  ss_output_print(output, ",%s", c != NULL ? ss_word(SS_AT_parallelism_tensor, (int)c->tensor) : "");
  for (int i = 0; i < SIZES; ++i) {
    int64_t size;
    ss_output_print(output, ",");
    if (c == NULL) continue;
    memcpy(&size, (const char *)c + sizes[i].offset, sizeof size);
    ss_output_print(output, "%" PRId64, size);
  }
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((knobs & SS_KNOB_BIT(i)) == 0) continue;
    char text[SS_TEXT_SIZE] = "";
    if (c != NULL) ss_knob_text(i, c->value.of[i], text, sizeof text);
    ss_output_print(output, ",%s", text);
  }
}

static void print_header(ss_output *output, const ss_sweep_report *report)
{
  for (int64_t i = 0; i < report->sweep->axes; ++i) {
    ss_output_print_field(output, report->sweep->axis[i].name);
    ss_output_print(output, ",");
  }
  ss_output_print(output, ss_sweep_varies(report->sweep, SS_SWEEP_GPUS) ? "used.gpus" : "gpus");
  if (report->priced) ss_output_print(output, ",system_dollars");
  if (report->best != SS_BEST_NOTHING) print_strategy_header(output, report->knobs);
  print_times_header(output, "estimate");
  if (report->replayed) print_times_header(output, "simulation");
  for (int i = 0; i < MEMORIES; ++i) ss_output_print(output, ",memory.%s", memories[i].field);
  ss_output_print(output, ",memory.fits,refused\n");
}

/* Empty fields where there is no time. */
static void print_times(ss_output *output, const ss_breakdown *times)
{
  for (int i = 0; times == NULL && i < SS_PART_COUNT + 1; ++i) ss_output_print(output, ",");
  if (times == NULL) return;
  ss_output_print(output, ",%.17g", times->iteration_s);
  for (int part = 0; part < SS_PART_COUNT; ++part)
    ss_output_print(output, ",%.17g", ss_breakdown_part(times, (ss_part)part));
}

static void print_memory(ss_output *output, const ss_memory *memory)
{
  for (int i = 0; memory == NULL && i < MEMORIES + 1; ++i) ss_output_print(output, ",");
  if (memory == NULL) return;
  for (int i = 0; i < MEMORIES; ++i) {
    double bytes;
    memcpy(&bytes, (const char *)memory + memories[i].offset, sizeof bytes);
    ss_output_print(output, ",%.17g", bytes);
  }
  ss_output_print(output, ",%s", memory->fits ? "yes" : "no");
}

static void print_point(ss_output *output, const ss_sweep_report *report, int64_t index)
{
  const ss_sweep_point *point = &report->sweep->point[index];
  const ss_strategy *best = ss_sweep_best(point);
  for (int64_t i = 0; i < report->sweep->axes; ++i) {
    ss_output_print_field(output, ss_sweep_value(report->sweep, index, i));
    ss_output_print(output, ",");
  }
  if (best != NULL) ss_output_print(output, "%" PRId64, point->gpus);
  if (report->priced && best != NULL) ss_output_print(output, ",%.17g", point->dollars);
  if (report->priced && best == NULL) ss_output_print(output, ",");
  if (report->best != SS_BEST_NOTHING) print_strategy(output, report->knobs, best);
  print_times(output, best != NULL ? &best->estimate : NULL);
  if (report->replayed) print_times(output, best != NULL && best->simulated ? &best->simulation : NULL);
  print_memory(output, best != NULL ? &best->memory : NULL);
  ss_output_print(output, ",");
  if (point->refusal != NULL) ss_output_print_field(output, point->refusal);
  ss_output_print(output, "\n");
}

ss_status ss_report_sweep_csv(const char *path, const ss_sweep_report *report, ss_error *error)
{
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  print_header(&output, report);
  for (int64_t i = 0; i < report->sweep->count; ++i) print_point(&output, report, i);
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}
