#include "sim/report/figures.h"

#include <math.h>
#include <string.h>

#include "sim/report/json.h"

static bool always(const ss_prediction *p)
{
  (void)p;
  return true;
}

static bool is_simulated(const ss_prediction *p)
{
  return p->simulated;
}

/* A replay by itself, and not one of many, whose times alone are kept. */
static bool is_explained(const ss_prediction *p)
{
  return p->simulated && p->stage_replicas > 0;
}

static bool is_shaken(const ss_prediction *p)
{
  return is_explained(p) && p->stability.measured;
}

static bool has_interval(const ss_prediction *p)
{
  return !p->as_published;
}

static bool has_offload(const ss_prediction *p)
{
  return p->offload.available_bytes_per_s > 0.0;
}

static bool is_priced(const ss_prediction *p)
{
  return p->outlay.iteration_dollars > 0.0;
}

static bool has_days(const ss_prediction *p)
{
  return p->metrics.days > 0.0;
}

static bool has_run_price(const ss_prediction *p)
{
  return p->outlay.run_dollars > 0.0;
}

/* The table: X(identifier, "name", "unit", "help", whether a prediction `p` has it, its value). */
#define PLAIN(X, part, field, unit, help, has) X(part##_##field, #part "." #field, unit, help, has, p->part.field)
/* clang-format off */
#define OF_ESTIMATE(field, label, help) PLAIN(ROW, estimate, field, "s", "closed form: " help, always)
#define OF_SIMULATION(field, label, help) PLAIN(ROW, simulation, field, "s", "replay: " help, is_simulated)
#define OF_EXPLANATION(field, label, help)                                                                             \
  PLAIN(ROW, explanation, field, "s", "replay minus closed form: " help, is_explained)
#define OF_EXPOSED(field, label, help) \
  ROW(exposed_##field, "replay.exposed." #field, "s", "exposed communication: " help, is_explained, p->exposed.field)
#define OF_PATH(field, label, help) \
  ROW(path_##field, "replay.critical_path." #field, "s", "on the critical path: " help, is_explained, p->path.field)
#define OF_MEMORY(field, label) PLAIN(ROW, memory, field, "bytes", label ", on a GPU of the fullest stage", always)

#define FIGURES \
  ROW(gpus, "gpus", "1", "GPUs of the job", always, (double)p->gpus) \
  ROW(micro_batches, "micro_batches", "1", "micro-batches of a replica in an iteration", always,                       \
      (double)p->micro_batches)                                                                                        \
  PLAIN(ROW, estimate, iteration_s, "s", "closed form: an iteration", always) \
  SS_PART_LIST(OF_ESTIMATE) \
  ROW(low, "interval.low_s", "s", "measured iterations of jobs like it take at least this, 80 % of them up to high_s", \
      has_interval, ss_prediction_iteration(p)->iteration_s * p->interval.low)                                         \
  ROW(high, "interval.high_s", "s", "the upper end of that", has_interval,                                             \
      ss_prediction_iteration(p)->iteration_s * p->interval.high)                                                      \
  PLAIN(ROW, simulation, iteration_s, "s", "replay: an iteration", is_simulated) \
  SS_PART_LIST(OF_SIMULATION) \
  SS_CAUSE_LIST(OF_EXPLANATION) \
  ROW(flows, "replay.flows", "1", "flows that crossed the network", is_explained, (double)p->flows) \
  SS_EXPOSED_LIST(OF_EXPOSED) \
  SS_PATH_LIST(OF_PATH) \
  ROW(change, "stability.change", "1",                                                                                 \
      "share by which the iteration changes with kernels that differ in the ninth digit", is_shaken,                   \
      ss_stability_change(&p->stability, p->simulation.iteration_s))                                                   \
  SS_MEMORY_LIST(OF_MEMORY) \
  SS_MEMORY_DETAIL_LIST(OF_MEMORY) \
  PLAIN(ROW, memory, total_bytes, "bytes", "all of that", always) \
  PLAIN(ROW, memory, capacity_bytes, "bytes", "memory of a GPU that tensors can have", always) \
  PLAIN(ROW, memory, reserved_bytes, "bytes", "of a GPU beside that, which no tensor can have", always) \
  PLAIN(ROW, memory, offloaded_bytes, "bytes", "in the second memory tier", always) \
  PLAIN(ROW, memory, offload_capacity_bytes, "bytes", "of the second memory tier", always) \
  ROW(fits, "memory.fits", "1", "1: it fits, in both tiers; 0: it does not", always, (double)p->memory.fits) \
  PLAIN(ROW, offload, read_bytes, "bytes", "that a GPU reads from the second memory tier in an iteration",             \
        has_offload)                                                                                                   \
  PLAIN(ROW, offload, written_bytes, "bytes", "that it writes there", has_offload) \
  PLAIN(ROW, offload, needed_bytes_per_s, "bytes/s",                                                                   \
        "of the larger of the two ways, to hide it behind the passes it runs beside", has_offload)                     \
  PLAIN(ROW, offload, optimizer_bytes_per_s, "bytes/s", "each way, to hide the states behind the optimizer step",      \
        has_offload)                                                                                                   \
  PLAIN(ROW, offload, available_bytes_per_s, "bytes/s", "of the second memory tier, each way", has_offload) \
  PLAIN(ROW, metrics, parameters, "1", "parameters of the model", always) \
  PLAIN(ROW, metrics, active_parameters, "1", "of these, those that a token goes through", always) \
  PLAIN(ROW, metrics, model_flop_per_iteration, "flop",                                                                \
        "forward and backward of the model, nothing twice, over all GPUs", always)                                     \
  PLAIN(ROW, metrics, mfu, "1", "share of the 16-bit matrix peak that these are, by the replay where there is one",    \
        always)                                                                                                        \
  PLAIN(ROW, metrics, hfu, "1", "the same of all flop that run", always) \
  PLAIN(ROW, metrics, tokens_per_s_per_gpu, "tokens/s", "tokens of a GPU", always) \
  PLAIN(ROW, metrics, useful, "1", "share of these that are not padding of whole documents", always) \
  PLAIN(ROW, metrics, useful_tokens_per_s_per_gpu, "tokens/s", "tokens of a GPU without padding", always) \
  PLAIN(ROW, metrics, days, "days", "the whole training run, where its tokens are known", has_days) \
  PLAIN(ROW, metrics, peak_flop_per_s, "flop/s", "16-bit matrix peak of a GPU", always) \
  PLAIN(ROW, metrics, products_peak_flop_per_s, "flop/s", "peak of the units of the products of layers forward",       \
        always)                                                                                                        \
  ROW(dollars, "dollars.iteration", "dollars",                                                                         \
      "what the GPUs of the job cost for an iteration, where the platform has prices", is_priced,                      \
      p->outlay.iteration_dollars)                                                                                     \
  ROW(run_dollars, "dollars.run", "dollars", "the same for the whole training run, where its tokens are known",        \
      has_run_price, p->outlay.run_dollars)
/* clang-format on */

#define ROW(id, name, unit, help, has, of)                                                                             \
  static double value_of_##id(const ss_prediction *p)                                                                  \
  {                                                                                                                    \
    return has(p) ? (of) : NAN;                                                                                        \
  }
FIGURES
#undef ROW

#define ROW(id, name, unit, help, has, of) {name, unit, help, value_of_##id},
static const ss_figure figures[] = {FIGURES};
#undef ROW

enum { FIGURE_COUNT = sizeof figures / sizeof figures[0] };

const ss_figure *ss_figures(size_t *count)
{
  *count = FIGURE_COUNT;
  return figures;
}

void ss_figures_add_json(json_t *object, const char *member, const ss_prediction *prediction, bool *complete)
{
  const size_t length = strlen(member);
  for (size_t i = 0; i < FIGURE_COUNT; ++i)
    if (strncmp(figures[i].name, member, length) == 0 && figures[i].name[length] == '.')
      ss_json_add_real(object, figures[i].name + length + 1, figures[i].value(prediction), complete);
}
