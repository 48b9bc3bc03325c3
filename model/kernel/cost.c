#include "model/kernel/cost.h"

#include <string.h>

#include "model/base/number.h"

#define SC24_EFFICIENCY 0.8
#define SC24_LAUNCH_S   20e-6

const char *ss_cost_word(ss_cost cost)
{
  static const char *const words[] = {
#define SS_COST_WORD(id, word, help) word,
      SS_COST_LIST(SS_COST_WORD)
#undef SS_COST_WORD
  };
  return words[cost];
}

bool ss_cost_find(const char *word, ss_cost *cost)
{
  for (int i = 0; i < SS_COST_COUNT; ++i) {
    if (strcmp(word, ss_cost_word((ss_cost)i)) != 0) continue;
    *cost = (ss_cost)i;
    return true;
  }
  return false;
}

ss_cost_traits ss_cost_traits_of(ss_cost cost)
{
  if (cost == SS_COST_CALIBRATED)
    return (ss_cost_traits){.ends_of_model = true, .fp32_gradients = true, .buffers = true};
  return (ss_cost_traits){
      .as_published = true, .mean_messages = true, .free_slow_hops = cost == SS_COST_SC24_CODE, .spare_panel = true};
}

const char *ss_group_name(ss_group group)
{
  static const char *const names[] = {
#define SS_GROUP_NAME(id, name, part) name,
      SS_GROUP_LIST(SS_GROUP_NAME)
#undef SS_GROUP_NAME
  };
  return names[group];
}

double ss_duration_kernel_s(ss_duration duration)
{
  return duration.compute_s + duration.memory_s + duration.launch_s;
}

double ss_duration_sum(ss_duration duration)
{
  double sum_s = ss_duration_kernel_s(duration);
  for (int group = 0; group < SS_GROUPS; ++group) sum_s += duration.comm_s[group];
  return sum_s;
}

ss_duration ss_duration_add(ss_duration a, ss_duration b)
{
  ss_duration sum = {a.compute_s + b.compute_s, a.memory_s + b.memory_s, a.launch_s + b.launch_s, {0.0}};
  for (int group = 0; group < SS_GROUPS; ++group) sum.comm_s[group] = a.comm_s[group] + b.comm_s[group];
  return sum;
}

ss_duration ss_duration_scale(double factor, ss_duration duration)
{
  ss_duration scaled = {factor * duration.compute_s, factor * duration.memory_s, factor * duration.launch_s, {0.0}};
  for (int group = 0; group < SS_GROUPS; ++group) scaled.comm_s[group] = factor * duration.comm_s[group];
  return scaled;
}

static double peak_flop_per_s(const ss_machine *machine, ss_engine engine)
{
  const double peaks[] = {
#define SS_ENGINE_PEAK(id, peak, efficiency) machine->peak,
      SS_ENGINE_LIST(SS_ENGINE_PEAK)
#undef SS_ENGINE_PEAK
  };
  return peaks[engine];
}

static const ss_curve *engine_curve(const ss_machine *machine, ss_engine engine)
{
  const ss_curve *const curves[] = {
#define SS_ENGINE_CURVE(id, peak, efficiency) &machine->efficiency,
      SS_ENGINE_LIST(SS_ENGINE_CURVE)
#undef SS_ENGINE_CURVE
  };
  return engine == SS_ENGINE_FP8 && curves[engine]->count == 0 ? &machine->matrix_efficiency : curves[engine];
}

static bool is_attention(ss_engine engine)
{
  return engine == SS_ENGINE_ATTENTION_FORWARD || engine == SS_ENGINE_ATTENTION_BACKWARD;
}

static ss_duration sc24_duration(const ss_machine *machine, const ss_kernel *kernel)
{
  const double rate_flop_per_s = SC24_EFFICIENCY * peak_flop_per_s(machine, kernel->engine);
  const double compute_s = SC24_LAUNCH_S + kernel->flop / rate_flop_per_s;
  const double hbm_s = kernel->hbm_bytes / machine->hbm_bytes_per_s;
  return (ss_duration){.compute_s = compute_s, .memory_s = ss_max(hbm_s - compute_s, 0.0)};
}

/* Heads of 108 made experiment 070 in validation/measured-bigscience.xml a third slower: that is what the vector
 * units take for the products of unfused attention. */
static ss_engine calibrated_engine(const ss_machine *machine, const ss_kernel *kernel)
{
  const bool on_vector_units = kernel->shape.batched && kernel->shape.unaligned && machine->tile_start_bytes > 0.0;
  return on_vector_units ? SS_ENGINE_VECTOR : kernel->engine;
}

static double calibrated_efficiency(const ss_machine *machine, const ss_kernel *kernel, ss_engine engine)
{
  const ss_curve *curve = engine_curve(machine, engine);
  if (is_attention(engine)) return ss_curve_value(curve, kernel->shape.columns);
  const double flop = kernel->flop / ss_max(kernel->products, 1.0);
  if (engine == SS_ENGINE_VECTOR || machine->tile_start_bytes <= 0.0) return ss_curve_value(curve, flop);
  const double start = machine->tile_start_bytes / (engine == SS_ENGINE_FP8 ? 1.0 : 2.0);
  return ss_product_shape_efficiency(&kernel->shape, flop, start, curve);
}

static double calibrated_compute_s(const ss_machine *machine, const ss_kernel *kernel)
{
  if (kernel->flop <= 0.0) return 0.0;
  const ss_engine engine = calibrated_engine(machine, kernel);
  const double share = engine == SS_ENGINE_VECTOR || is_attention(engine) ? 1.0 : machine->matrix_sustained;
  const double efficiency = share * calibrated_efficiency(machine, kernel, engine);
  return kernel->flop / (efficiency * peak_flop_per_s(machine, engine));
}

static double calibrated_hbm_s(const ss_machine *machine, const ss_kernel *kernel)
{
  const double efficiency = ss_curve_value(&machine->hbm_efficiency, ss_max(kernel->hbm_bytes, 1.0));
  const bool element_wise = kernel->engine == SS_ENGINE_VECTOR && !kernel->streams;
  const double share = element_wise ? machine->vector_hbm_share : 1.0;
  return kernel->hbm_bytes / (share * efficiency * machine->hbm_bytes_per_s);
}

ss_duration ss_kernel_duration(const ss_machine *machine, ss_cost cost, const ss_kernel *kernel)
{
  if (ss_cost_traits_of(cost).as_published) return sc24_duration(machine, kernel);
  const double compute_s = calibrated_compute_s(machine, kernel), hbm_s = calibrated_hbm_s(machine, kernel);
  return (ss_duration){
      .compute_s = compute_s, .memory_s = ss_max(hbm_s - compute_s, 0.0), .launch_s = machine->launch_overhead_s};
}

double ss_overlap_time(const ss_overlap *overlap, double kernel_piece_s, double call_piece_s)
{
  SS_ASSERT(overlap->kernel_pieces > 0 && overlap->call_pieces > 0);
  const int64_t first = overlap->kernel_first ? overlap->kernel_pieces : overlap->call_pieces;
  const int64_t second = overlap->kernel_first ? overlap->call_pieces : overlap->kernel_pieces;
  const double first_s = overlap->kernel_first ? kernel_piece_s : call_piece_s;
  const double second_s = overlap->kernel_first ? call_piece_s : kernel_piece_s;
  /* Piece j of the second kind starts after j - lag pieces of the first, and all from it on follow: the second kind
   * ends when the latest such chain does. Its length is linear in j up to the last piece that waits for one more piece
   * than the piece before it, and falls from there on, so the longest chain is the first or that one. */
  const int64_t last = second < first + overlap->lag ? second : first + overlap->lag;
  const double first_chain_s = ss_max((double)(1 - overlap->lag), 0.0) * first_s + (double)second * second_s;
  const double last_chain_s =
      ss_max((double)(last - overlap->lag), 0.0) * first_s + (double)(second - last + 1) * second_s;
  return ss_max((double)first * first_s, ss_max(first_chain_s, last_chain_s));
}
