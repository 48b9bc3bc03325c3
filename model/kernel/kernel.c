#include "model/kernel/kernel.h"

#include "model/base/number.h"

#define SC24_EFFICIENCY 0.8
#define SC24_LAUNCH_S   20e-6

const char *ss_engine_name(ss_engine engine)
{
  static const char *const names[] = {
#define SS_ENGINE_NAME(id, name, peak, efficiency, bytes, by_tokens, instead) name,
      SS_ENGINE_LIST(SS_ENGINE_NAME)
#undef SS_ENGINE_NAME
  };
  return names[engine];
}

double ss_engine_peak_flop_per_s(const ss_machine *machine, ss_engine engine)
{
  const double peaks[] = {
#define SS_ENGINE_PEAK(id, name, peak, efficiency, bytes, by_tokens, instead) machine->peak,
      SS_ENGINE_LIST(SS_ENGINE_PEAK)
#undef SS_ENGINE_PEAK
  };
  return peaks[engine];
}

static double operand_bytes(ss_engine engine)
{
  static const double bytes[] = {
#define SS_ENGINE_BYTES(id, name, peak, efficiency, bytes, by_tokens, instead) bytes,
      SS_ENGINE_LIST(SS_ENGINE_BYTES)
#undef SS_ENGINE_BYTES
  };
  return bytes[engine];
}

static const ss_curve *own_curve(const ss_machine *machine, ss_engine engine)
{
  const ss_curve *const curves[] = {
#define SS_ENGINE_CURVE(id, name, peak, efficiency, bytes, by_tokens, instead) &machine->efficiency,
      SS_ENGINE_LIST(SS_ENGINE_CURVE)
#undef SS_ENGINE_CURVE
  };
  return curves[engine];
}

/* Formats whose efficiency is not known have that of fp8, and this that of 16 bits. */
static const ss_curve *engine_curve(const ss_machine *machine, ss_engine engine)
{
  if (own_curve(machine, engine)->count > 0) return own_curve(machine, engine);
  return machine->fp8_efficiency.count > 0 ? &machine->fp8_efficiency : &machine->matrix_efficiency;
}

static bool is_by_tokens(ss_engine engine)
{
  static const bool tokens[] = {
#define SS_ENGINE_BY_TOKENS(id, name, peak, efficiency, bytes, by_tokens, instead) by_tokens,
      SS_ENGINE_LIST(SS_ENGINE_BY_TOKENS)
#undef SS_ENGINE_BY_TOKENS
  };
  return tokens[engine];
}

ss_engine ss_engine_instead(ss_engine engine)
{
  static const ss_engine others[] = {
#define SS_ENGINE_INSTEAD(id, name, peak, efficiency, bytes, by_tokens, instead) instead,
      SS_ENGINE_LIST(SS_ENGINE_INSTEAD)
#undef SS_ENGINE_INSTEAD
  };
  return others[engine];
}

ss_engine ss_engine_known(const ss_machine *machine, ss_engine engine)
{
  while (own_curve(machine, engine)->count == 0 && ss_engine_instead(engine) != engine)
    engine = ss_engine_instead(engine);
  return engine;
}

static ss_duration sc24_duration(const ss_machine *machine, const ss_kernel *kernel)
{
  const double rate_flop_per_s = SC24_EFFICIENCY * ss_engine_peak_flop_per_s(machine, kernel->engine);
  const double compute_s = SC24_LAUNCH_S + kernel->flop / rate_flop_per_s;
  const double hbm_s = kernel->hbm_bytes / machine->hbm_bytes_per_s;
  return (ss_duration){.compute_s = compute_s, .memory_s = ss_max(hbm_s - compute_s, 0.0)};
}

/* Heads of 108 made experiment 070 in validation/measured-bigscience.xml a third slower: that is what the vector
 * units take for the products of unfused attention. */
static ss_engine calibrated_engine(const ss_machine *machine, const ss_kernel *kernel)
{
  const bool on_vector_units =
      kernel->shape.batched && ss_shape_is_unaligned(&kernel->shape) && machine->tile_start_bytes > 0.0;
  return on_vector_units ? SS_ENGINE_VECTOR : ss_engine_known(machine, kernel->engine);
}

static double calibrated_efficiency(const ss_machine *machine, const ss_kernel *kernel, ss_engine engine)
{
  const ss_curve *curve = engine_curve(machine, engine);
  if (is_by_tokens(engine)) return ss_curve_value(curve, kernel->shape.columns);
  const double flop = kernel->flop / ss_max(kernel->products, 1.0);
  if (engine == SS_ENGINE_VECTOR || machine->tile_start_bytes <= 0.0) return ss_curve_value(curve, flop);
  const double start = machine->tile_start_bytes / operand_bytes(engine);
  return ss_product_shape_efficiency(&kernel->shape, flop, start, curve);
}

static double stated_or(double share, double otherwise)
{
  return share > 0.0 ? share : otherwise;
}

/* What an iteration sustains of what single kernels reach. */
static double sustained_share(const ss_machine *machine, ss_engine engine)
{
  if (engine == SS_ENGINE_VECTOR || is_by_tokens(engine)) return 1.0;
  const double fp8 = stated_or(machine->fp8_sustained, machine->matrix_sustained);
  switch (engine) {
  case SS_ENGINE_FP8:
  case SS_ENGINE_FP8_BLOCK:
  case SS_ENGINE_FP8_TILE: return fp8;
  case SS_ENGINE_MXFP8: return stated_or(machine->mxfp8_sustained, fp8);
  case SS_ENGINE_NVFP4: return stated_or(machine->nvfp4_sustained, fp8);
  default: return machine->matrix_sustained;
  }
}

static double calibrated_compute_s(const ss_machine *machine, const ss_kernel *kernel)
{
  if (kernel->flop <= 0.0) return 0.0;
  const ss_engine engine = calibrated_engine(machine, kernel);
  const double efficiency = sustained_share(machine, engine) * calibrated_efficiency(machine, kernel, engine);
  return kernel->flop / (efficiency * ss_machine_clock(machine) * ss_engine_peak_flop_per_s(machine, engine));
}

static double kernels_of(const ss_kernel *kernel)
{
  return ss_max(kernel->kernels, 1.0);
}

/* What kernels leave of the bandwidth that benchmarks reach. */
static double hbm_share(const ss_machine *machine, const ss_kernel *kernel)
{
  if (kernel->engine != SS_ENGINE_VECTOR || kernel->access == SS_ACCESS_LONG_RUNS) return 1.0;
  const bool cudnn = kernel->access == SS_ACCESS_CUDNN_NORM;
  return cudnn ? stated_or(machine->cudnn_norm_share, machine->vector_hbm_share) : machine->vector_hbm_share;
}

static double calibrated_hbm_s(const ss_machine *machine, const ss_kernel *kernel)
{
  const double efficiency =
      ss_curve_value(&machine->hbm_efficiency, ss_max(kernel->hbm_bytes / kernels_of(kernel), 1.0));
  return kernel->hbm_bytes / (hbm_share(machine, kernel) * efficiency * machine->hbm_bytes_per_s);
}

ss_duration ss_kernel_duration(const ss_machine *machine, ss_cost cost, const ss_kernel *kernel)
{
  if (ss_cost_traits_of(cost).as_published) return sc24_duration(machine, kernel);
  const double compute_s = calibrated_compute_s(machine, kernel) / machine->kernel_speed;
  const double hbm_s = calibrated_hbm_s(machine, kernel) / machine->kernel_speed;
  return (ss_duration){.compute_s = compute_s,
                       .memory_s = ss_max(hbm_s - compute_s, 0.0),
                       .launch_s = kernels_of(kernel) * machine->launch_overhead_s};
}
