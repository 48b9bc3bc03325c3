#include "model/cost.h"

#include <math.h>
#include <string.h>

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
  const bool whole_model = cost == SS_COST_CALIBRATED;
  return (ss_cost_traits){
      .fused = whole_model, .ends_of_model = whole_model, .fp32_gradients = whole_model, .mean_messages = !whole_model};
}

double ss_duration_sum(ss_duration duration)
{
  return duration.compute_s + duration.memory_s + duration.launch_s + duration.comm_s;
}

ss_duration ss_duration_add(ss_duration a, ss_duration b)
{
  return (ss_duration){a.compute_s + b.compute_s, a.memory_s + b.memory_s, a.launch_s + b.launch_s,
                       a.comm_s + b.comm_s};
}

static ss_duration sc24_duration(const ss_machine *machine, double peak_flop_per_s, double flop, double hbm_bytes)
{
  const double compute_s = SC24_LAUNCH_S + flop / (SC24_EFFICIENCY * peak_flop_per_s);
  const double hbm_s = hbm_bytes / machine->hbm_bytes_per_s;
  return (ss_duration){.compute_s = compute_s, .memory_s = fmax(hbm_s - compute_s, 0.0)};
}

ss_duration ss_kernel_duration(const ss_machine *machine, ss_cost cost, bool matrix, double flop, double hbm_bytes)
{
  const double peak_flop_per_s = matrix ? machine->matrix_flop_per_s : machine->vector_flop_per_s;
  if (cost == SS_COST_SC24) return sc24_duration(machine, peak_flop_per_s, flop, hbm_bytes);
  const ss_curve *curve = matrix ? &machine->matrix_efficiency : &machine->vector_efficiency;
  const double compute_s = flop > 0.0 ? flop / (ss_curve_value(curve, flop) * peak_flop_per_s) : 0.0;
  const double hbm_efficiency = ss_curve_value(&machine->hbm_efficiency, fmax(hbm_bytes, 1.0));
  const double hbm_s = hbm_bytes / (hbm_efficiency * machine->hbm_bytes_per_s);
  return (ss_duration){
      .compute_s = compute_s, .memory_s = fmax(hbm_s - compute_s, 0.0), .launch_s = machine->launch_overhead_s};
}
