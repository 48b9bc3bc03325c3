#include "sim/figure/search/search.h"

#include <inttypes.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/plan/check/refusal_row.h"
#include "sim/figure/html.h"
#include "sim/figure/parts.h"
#include "sim/figure/search/front.h"
#include "sim/figure/search/knobs.h"
#include "sim/report/calibration.h"
#include "sim/report/margin.h"
#include "sim/report/strategies/strategy_name.h"

enum { BEST_SHOWN = 10 };

static const ss_search *first_of(const void *report)
{
  return ((const ss_search_report *)report)->findings[0].search;
}

static bool has_any(const void *report)
{
  const ss_search_report *all = report;
  for (int64_t i = 0; i < all->count; ++i)
    if (all->findings[i].search->count > 0) return true;
  return false;
}

static bool has_several(const void *report)
{
  return first_of(report)->count > 1;
}

static bool has_best(const void *report)
{
  return first_of(report)->count > 0;
}

static bool has_sizes(const void *report)
{
  return ((const ss_search_report *)report)->count > 1 && has_any(report);
}

static double draw_parts(ss_svg *svg, const void *report)
{
  const ss_search *search = first_of(report);
  const int64_t count = search->count < BEST_SHOWN ? search->count : BEST_SHOWN;
  const ss_knob_set knobs = ss_strategy_differ_in(search->top, count, ((const ss_search_report *)report)->knobs);
  const ss_breakdown *all[BEST_SHOWN] = {NULL};
  char names[BEST_SHOWN][SS_STRATEGY_NAME_SIZE];
  const char *rows[BEST_SHOWN] = {NULL};
  for (int64_t i = 0; i < count; ++i) {
    all[i] = search->top[i].simulated ? &search->top[i].simulation : &search->top[i].estimate;
    rows[i] = ss_strategy_name(&search->top[i], knobs, names[i]);
  }
  return ss_parts_draw_rows(svg, all, rows, count);
}

/* Why candidates cannot be used: "parallelism.tp does not divide model.heads". */
static void refusal_text(const ss_refusal *row, char *text, size_t size)
{
  const ss_attribute *blamed = &ss_workload_attributes()[row->blamed];
  size_t used = (size_t)snprintf(text, size, "%s.%s ", blamed->element, blamed->name);
  for (const char *c = row->problem; *c != '\0' && used + 1 < size; ++c)
    if (*c != '{' && *c != '}') text[used++] = *c;
  text[used < size ? used : size - 1] = '\0';
}

enum { REASONS = SS_REFUSAL_TOTAL + 2, REASON_SIZE = 160 };

/* What became of the candidates. */
typedef struct reasons {
  ss_row_value value[REASONS]; /* [count] */
  char name[REASONS][REASON_SIZE], text[REASONS][64];
  int64_t count;
} reasons;

static void add_reason(reasons *r, int64_t candidates, ss_colour colour, const ss_search *search)
{
  (void)snprintf(r->text[r->count], sizeof r->text[0], "%" PRId64 " (%.1f %%)", candidates,
                 100.0 * (double)candidates / (double)search->candidates);
  r->value[r->count] = (ss_row_value){
      .name = r->name[r->count], .text = r->text[r->count], .value = (double)candidates, .colour = colour};
  ++r->count;
}

static void list_reasons(reasons *r, const ss_search *search)
{
  r->count = 0;
  (void)snprintf(r->name[r->count], REASON_SIZE, "can be used");
  add_reason(r, search->feasible, SS_GREEN, search);
  (void)snprintf(r->name[r->count], REASON_SIZE, "do not fit in memory");
  add_reason(r, search->too_large, SS_VERMILLION, search);
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) {
    if (search->refused[i] == 0) continue;
    refusal_text(&ss_refusals()[i], r->name[r->count], REASON_SIZE);
    add_reason(r, search->refused[i], SS_GREY, search);
  }
}

static double draw_losers(ss_svg *svg, const void *report)
{
  const ss_ruler ruler = {.quantity = SS_QUANTITY_PLAIN, .label = "candidates"};
  reasons r;
  list_reasons(&r, first_of(report));
  return ss_rows_draw(svg, 4.0, r.value, r.count, &ruler);
}

/* Reasons that are too long for the figure are here in full. */
static void write_losers(FILE *stream, const void *report)
{
  static const char *const columns[] = {"reason", "candidates"};
  reasons r;
  list_reasons(&r, first_of(report));
  ss_html_table_begin(stream, columns, 2);
  for (int64_t i = 0; i < r.count; ++i) ss_html_table_row(stream, (const char *const[]){r.name[i], r.text[i]}, 2);
  ss_html_table_end(stream);
}

/* The numbers of GPUs that were asked for, such as "256, 512 GPUs", as far as they have room. */
static void list_sizes(const ss_search_report *all, char *text, size_t size)
{
  size_t used = 0;
  for (int64_t i = 0; i < all->count && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i > 0 ? ", " : "", all->findings[i].search->gpus);
}

static void write_best(FILE *stream, const ss_search_report *all)
{
  const ss_strategy *best = &all->findings[0].search->top[0];
  char name[64], value[SS_QUANTITY_SIZE], more[SS_STRATEGY_NAME_SIZE];
  (void)snprintf(name, sizeof name, "Best iteration on %" PRId64 " GPUs", all->findings[0].search->gpus);
  ss_html_tile(stream, "best", name, ss_quantity_text(SS_QUANTITY_TIME, ss_strategy_time_s(best), 4, value),
               ss_strategy_name(best, all->knobs, more));
  (void)snprintf(more, sizeof more, "of %.4g GiB", best->memory.capacity_bytes / SS_GIB);
  ss_html_tile(stream, "memory", "Its memory", ss_quantity_text(SS_QUANTITY_BYTES, best->memory.total_bytes, 4, value),
               more);
}

static void write_head(FILE *stream, const void *report)
{
  const ss_search_report *all = report;
  const ss_search *search = first_of(report);
  char title[2 * SS_TEXT_SIZE], value[SS_QUANTITY_SIZE], more[64] = "", sizes[160];
  list_sizes(all, sizes, sizeof sizes);
  (void)snprintf(title, sizeof title, "%s on %s", all->workload->model.name, all->machine->name);
  if (all->count > 1) (void)snprintf(more, sizeof more, "; parts, knobs and losers are of %" PRId64, search->gpus);
  ss_html_title(stream, title, "Strategies for a global batch of %" PRId64 " on %s GPUs, %s%s.",
                all->workload->training.global_batch, sizes,
                all->pareto ? "the front of time and memory" : "the best first", more);
  const ss_calibrated platform = {all->machine->name, ss_calibration_of(all->machine)};
  if (!ss_cost_traits_of(all->cost).as_published) ss_calibration_tell(stream, &platform, 1, ss_html_alert);
  if (search->count > 0) ss_margin_tell(stream, &search->top[0].memory, "The first", ss_html_alert);
  ss_html_tiles_begin(stream);
  if (search->count > 0) write_best(stream, all);
  (void)snprintf(value, sizeof value, "%" PRId64, search->candidates);
  (void)snprintf(more, sizeof more, "%" PRId64 " can be used", search->feasible);
  ss_html_tile(stream, "candidates", "Candidates", value, more);
  ss_html_tiles_end(stream);
}

static ss_status write_json(const void *report, char **text, ss_error *error)
{
  return ss_report_search_json_text(report, text, error);
}

static const ss_figure_row figures[] = {
    {"front", "Time against memory",
     "The strategies that the search has kept; large points are on the front: nothing kept on as many GPUs is faster "
     "with no more memory. --pareto keeps the whole front.",
     has_any, ss_search_draw_front, NULL},
    {"parts", "Where their time goes", "The best strategies, and the parts of their iterations.", has_best, draw_parts,
     NULL},
    {"knobs", "What they have in common",
     "A line is a strategy; the best is the thick one. Axes are the sizes and knobs in which those that were kept "
     "differ.",
     has_several, ss_search_draw_knobs, NULL},
    {"losers", "Why the others lost",
     "Candidates by the first reason that rules them out. What can be used is compared by the closed form.", NULL,
     draw_losers, write_losers},
    {"sizes", "The best of each number of GPUs", "Both axes are logarithmic.", has_sizes, ss_search_draw_sizes, NULL},
};

ss_subject ss_search_subject(const ss_search_report *report)
{
  return (ss_subject){.command = "search",
                      .figure = figures,
                      .figures = sizeof figures / sizeof figures[0],
                      .report = report,
                      .head = write_head,
                      .json = write_json};
}
