#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "sim/report/report.h"

#define GIB              (1024.0 * 1024.0 * 1024.0)
#define SECONDS_PER_HOUR 3600.0

/* Which columns a table has beside those that all have. */
typedef struct columns {
  bool layouts, tp2, cp, panels, replayed;
  int knob[SS_KNOB_TOTAL]; /* width, or 0 without a column */
} columns;

static const char *knob_label(int index)
{
  return ss_workload_attributes()[ss_knobs()[index].attribute].name;
}

static void knob_text(const ss_candidate *candidate, int index, char *text, size_t size)
{
  const ss_attribute_index attribute = ss_knobs()[index].attribute;
  const int value = candidate->value.of[index];
  if (ss_workload_attributes()[attribute].words != NULL)
    (void)snprintf(text, size, "%s", ss_word(attribute, value));
  else
    (void)snprintf(text, size, "%d", value);
}

/* Wide enough for the label and all values, where there are several. */
static int knob_width(const ss_search_report *report, int index)
{
  size_t width = strlen(knob_label(index));
  int values = 0, last = SS_KNOB_NONE;
  for (int64_t i = 0; i < report->count; ++i)
    for (int64_t j = 0; j < report->findings[i].search->count; ++j) {
      const ss_candidate *candidate = &report->findings[i].search->top[j].candidate;
      char text[SS_TEXT_SIZE];
      knob_text(candidate, index, text, sizeof text);
      if (strlen(text) > width) width = strlen(text);
      values += candidate->value.of[index] != last;
      last = candidate->value.of[index];
    }
  return values > 1 ? (int)width : 0;
}

/* The size has a column of its own. */
static void find_knobs(const ss_search_report *report, columns *c)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    if ((report->knobs & SS_KNOB_BIT(i)) != 0 && i != SS_KNOB_cp) c->knob[i] = knob_width(report, i);
}

static void print_knobs(FILE *stream, const columns *c, const ss_candidate *candidate)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if (c->knob[i] == 0) continue;
    char text[SS_TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%s", knob_label(i));
    if (candidate != NULL) knob_text(candidate, i, text, sizeof text);
    (void)fprintf(stream, "  %-*s", c->knob[i], text);
  }
}

/* What has no column is the same for all that are listed: named once. */
static void print_common(FILE *stream, const columns *c, const ss_search_report *report, const ss_candidate *candidate)
{
  const char *before = "in all of them: ";
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((report->knobs & SS_KNOB_BIT(i)) == 0 || c->knob[i] != 0 || i == SS_KNOB_cp) continue;
    char text[SS_TEXT_SIZE];
    knob_text(candidate, i, text, sizeof text);
    (void)fprintf(stream, "%s%s %s", before, knob_label(i), text);
    before = ", ";
  }
  if (before[0] == ',') (void)fputs("\n\n", stream);
}

static columns columns_of(const ss_search_report *report)
{
  columns c = {0};
  for (int64_t i = 0; i < report->count; ++i) {
    const ss_search *search = report->findings[i].search;
    c.replayed = c.replayed || report->findings[i].replayed > 0;
    for (int64_t j = 0; j < search->count; ++j) {
      const ss_candidate *candidate = &search->top[j].candidate;
      c.layouts = c.layouts || candidate->tensor != report->workload->parallelism.tensor;
      c.cp = c.cp || candidate->cp > 1;
      c.tp2 = c.tp2 || candidate->tensor != SS_TENSOR_1D;
      c.panels = c.panels || candidate->tensor == SS_TENSOR_SUMMA;
    }
  }
  find_knobs(report, &c);
  return c;
}

static void print_header(FILE *stream, const columns *c, const char *first)
{
  (void)fprintf(stream, "%6s", first);
  if (c->layouts) (void)fprintf(stream, "  %-6s", "tensor");
  (void)fprintf(stream, "%5s", "tp");
  if (c->tp2) (void)fprintf(stream, "%5s", "tp2");
  if (c->cp) (void)fprintf(stream, "%5s", "cp");
  (void)fprintf(stream, "%5s%6s%13s", "pp", "dp", "micro-batch");
  if (c->panels) (void)fprintf(stream, "%8s", "panels");
  print_knobs(stream, c, NULL);
  (void)fprintf(stream, "  %-14s%14s", "in a domain", "closed form");
  if (c->replayed) (void)fprintf(stream, "%14s", "replay");
  (void)fprintf(stream, "%12s%13s\n", "GPU hours", "memory");
}

/* "tp 4 pp 2": the coordinates that several GPUs of a domain share. */
static void domain_text(const ss_candidate *candidate, char *text, size_t size)
{
  const char *sequence = candidate->tensor == SS_TENSOR_1D ? "cp" : "tp2";
  const struct {
    const char *name;
    int64_t share;
  } axes[] = {{"tp", candidate->inside.tp},
              {sequence, candidate->inside.cp},
              {"dp", candidate->inside.dp},
              {"pp", candidate->inside.pp}};
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i) {
    if (axes[i].share == 1 || used >= size) continue;
    const int length =
        snprintf(text + used, size - used, "%s%s %" PRId64, used > 0 ? " " : "", axes[i].name, axes[i].share);
    used += (size_t)length;
  }
  if (used == 0) (void)snprintf(text, size, "-");
}

static void print_time(FILE *stream, double time_s)
{
  if (time_s < 1.0)
    (void)fprintf(stream, "%11.3f ms", 1e3 * time_s);
  else
    (void)fprintf(stream, "%12.4f s", time_s);
}

static void print_strategy(FILE *stream, const columns *c, int64_t first, const ss_search *search,
                           const ss_strategy *strategy)
{
  const ss_candidate *candidate = &strategy->candidate;
  const ss_breakdown *best = strategy->simulated ? &strategy->simulation : &strategy->estimate;
  char domain[96];
  domain_text(candidate, domain, sizeof domain);
  (void)fprintf(stream, "%6" PRId64, first);
  if (c->layouts) (void)fprintf(stream, "  %-6s", ss_word(SS_AT_parallelism_tensor, candidate->tensor));
  (void)fprintf(stream, "%5" PRId64, candidate->tp);
  if (c->tp2) (void)fprintf(stream, "%5" PRId64, candidate->tp2);
  if (c->cp) (void)fprintf(stream, "%5" PRId64, candidate->cp);
  (void)fprintf(stream, "%5" PRId64 "%6" PRId64 "%13" PRId64, candidate->pp, candidate->dp, candidate->micro_batch);
  if (c->panels && candidate->panels > 0) (void)fprintf(stream, "%8" PRId64, candidate->panels);
  if (c->panels && candidate->panels == 0) (void)fprintf(stream, "%8s", "-");
  print_knobs(stream, c, candidate);
  (void)fprintf(stream, "  %-14s", domain);
  print_time(stream, strategy->estimate.iteration_s);
  if (strategy->simulated) print_time(stream, strategy->simulation.iteration_s);
  if (c->replayed && !strategy->simulated) (void)fprintf(stream, "%14s", "-");
  (void)fprintf(stream, "%12.5g%9.2f GiB\n", best->iteration_s * (double)search->gpus / SECONDS_PER_HOUR,
                strategy->memory.total_bytes / GIB);
}

/* Writes a problem of the table of refusals without its braces. */
static void print_problem(FILE *stream, const char *problem)
{
  for (; *problem != '\0'; ++problem)
    if (*problem != '{' && *problem != '}') (void)fputc(*problem, stream);
}

static void print_counts(FILE *stream, const ss_search *search, const ss_machine *machine)
{
  (void)fprintf(stream, "\n%" PRId64 " GPU%s: %" PRId64 " candidates, %" PRId64 " can be used\n", search->gpus,
                search->gpus == 1 ? "" : "s", search->candidates, search->feasible);
  if (search->candidates == 0)
    (void)fprintf(stream, "  nothing divides that many GPUs, the global batch and domains of %" PRId64 " evenly\n",
                  machine->domain_size);
  if (search->too_large > 0)
    (void)fprintf(stream, "%8" PRId64 "  do not fit in %.2f GiB\n", search->too_large, machine->hbm_bytes / GIB);
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) {
    if (search->refused[i] == 0) continue;
    const ss_refusal *row = &ss_refusals()[i];
    const ss_attribute *blamed = &ss_workload_attributes()[row->blamed];
    (void)fprintf(stream, "%8" PRId64 "  refused: %s.%s ", search->refused[i], blamed->element, blamed->name);
    print_problem(stream, row->problem);
    (void)fputc('\n', stream);
  }
}

static void print_size(FILE *stream, const columns *c, const ss_search_report *report, const ss_findings *findings)
{
  const ss_search *search = findings->search;
  print_counts(stream, search, report->machine);
  if (search->count == 0) return;
  (void)fputc('\n', stream);
  print_common(stream, c, report, &search->top[0].candidate);
  print_header(stream, c, "");
  for (int64_t i = 0; i < search->count; ++i) print_strategy(stream, c, i + 1, search, &search->top[i]);
  if (findings->replayed > 0)
    (void)fprintf(stream, "Replay of %" PRId64 ": the closed form's favourite takes %.2f %% longer than the best.\n",
                  findings->replayed, 100.0 * findings->regret);
}

/* The best of every number of GPUs, one below the other. */
static void print_sizes(FILE *stream, const columns *c, const ss_search_report *report)
{
  (void)fprintf(stream, "\nThe best of each number of GPUs\n");
  print_header(stream, c, "GPUs");
  for (int64_t i = 0; i < report->count; ++i) {
    const ss_search *search = report->findings[i].search;
    if (search->count > 0)
      print_strategy(stream, c, search->gpus, search, &search->top[0]);
    else
      (void)fprintf(stream, "%6" PRId64 "  none\n", search->gpus);
  }
}

void ss_report_search_text(FILE *stream, const ss_search_report *report)
{
  const columns c = columns_of(report);
  (void)fprintf(stream, "%s on %s, global batch %" PRId64 ", %s costs: least %s\n", report->workload->model.name,
                report->machine->name, report->workload->training.global_batch, ss_cost_word(report->cost),
                ss_objective_word(report->objective));
  for (int64_t i = 0; i < report->count; ++i) print_size(stream, &c, report, &report->findings[i]);
  if (report->count > 1) print_sizes(stream, &c, report);
}
