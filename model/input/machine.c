#include "model/input/machine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/base/number.h"
#include "model/input/origin.h"

/* A budget that is a multiple of the price buys that many. */
#define ROUNDING 1e-12

/* No other count of GPUs may be larger. */
#define LARGEST_COUNT 1e12

#define SS_TEXT(field, label, room, preset, text)                                                                      \
  {.name = label, .type = SS_PROPERTY_TEXT, .offset = offsetof(ss_machine, field), .size = room, .help = text},
#define SS_COUNT(field, label, preset, least, most, text)                                                              \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_COUNT,                                                                                          \
   .offset = offsetof(ss_machine, field),                                                                              \
   .fallback = preset,                                                                                                 \
   .minimum = least,                                                                                                   \
   .maximum = most,                                                                                                    \
   .help = text},
#define SS_QUANTITY(field, label, written, preset, least, most, text)                                                  \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_QUANTITY,                                                                                       \
   .offset = offsetof(ss_machine, field),                                                                              \
   .unit = written,                                                                                                    \
   .fallback = preset,                                                                                                 \
   .minimum = least,                                                                                                   \
   .maximum = most,                                                                                                    \
   .help = text},
#define SS_CURVE(field, label, written, preset, text)                                                                  \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_CURVE,                                                                                          \
   .offset = offsetof(ss_machine, field),                                                                              \
   .unit = written,                                                                                                    \
   .fallback = preset,                                                                                                 \
   .maximum = SS_LARGEST_RATIO,                                                                                        \
   .help = text},
#define SS_PRICES(field, label, written, text)                                                                         \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_CURVE,                                                                                          \
   .offset = offsetof(ss_machine, field),                                                                              \
   .unit = written,                                                                                                    \
   .maximum = SS_LARGEST_PRICE,                                                                                        \
   .help = text},

static const ss_property properties[SS_PROPERTY_TOTAL] = {
#include "model/input/machine_properties.def"
};

const ss_property *ss_machine_properties(void)
{
  return properties;
}

const ss_property *ss_machine_property(const char *name)
{
  for (int i = 0; i < SS_PROPERTY_TOTAL; i++)
    if (strcmp(properties[i].name, name) == 0) return &properties[i];
  return NULL;
}

void ss_machine_init(ss_machine *machine)
{
  memset(machine, 0, sizeof *machine);
#define SS_TEXT(field, name, size, fallback, help)              (void)snprintf(machine->field, size, "%s", fallback);
#define SS_COUNT(field, name, fallback, minimum, maximum, help) machine->field = (fallback) > 0 ? (fallback) : 0;
#define SS_QUANTITY(field, name, unit, fallback, minimum, maximum, help)                                               \
  machine->field = (fallback) > 0 ? (fallback) : 0;
/* A single point is a constant: its size never enters the value. */
#define SS_CURVE(field, name, unit, fallback, help)                                                                    \
  machine->field = (ss_curve){.count = (fallback) > 0 ? 1 : 0, .size = {1}, .value = {fallback}};
#define SS_PRICES(field, name, unit, help)
#include "model/input/machine_properties.def"
}

ss_status ss_machine_refuse(const ss_machine *machine, ss_property_index index, ss_error *error, const char *format,
                            ...)
{
  const ss_property *row = &properties[index];
  const char *field = (const char *)machine + row->offset;
  char value[SS_NAME_SIZE], problem[SS_MESSAGE_SIZE];
  SS_ASSERT(row->type == SS_PROPERTY_TEXT || row->type == SS_PROPERTY_COUNT || row->type == SS_PROPERTY_QUANTITY);
  if (row->type == SS_PROPERTY_TEXT) {
    const char *end = strlen(field) >= sizeof value ? "..." : "";
    (void)snprintf(value, sizeof value, "%.*s%s", (int)(sizeof value - sizeof "..."), field, end);
  } else if (row->type == SS_PROPERTY_QUANTITY) {
    double quantity;
    memcpy(&quantity, field, sizeof quantity);
    (void)snprintf(value, sizeof value, "%g", quantity);
  } else {
    int64_t count;
    memcpy(&count, field, sizeof count);
    (void)snprintf(value, sizeof value, "%lld", (long long)count);
  }
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  const bool overridden = machine->line[index] == SS_LINE_OVERRIDE;
  return ss_error_set(error, SS_ERROR_INPUT, overridden ? SS_OVERRIDE_FILE : machine->file,
                      machine->line[index] > 0 ? machine->line[index] : 0, "%s=\"%s\": %s", row->name, value, problem);
}

const char *ss_unit_text(ss_unit unit)
{
  static const char *const texts[] = {
#define SS_UNIT_TEXT(id, text) text,
      SS_UNIT_LIST(SS_UNIT_TEXT)
#undef SS_UNIT_TEXT
  };
  SS_ASSERT((unsigned)unit < SS_UNIT_COUNT);
  return texts[unit];
}

double ss_curve_value(const ss_curve *curve, double size)
{
  SS_ASSERT(curve->count > 0 && curve->count <= SS_CURVE_POINTS);
  if (!(size > curve->size[0])) return curve->value[0];
  for (int64_t i = 1; i < curve->count; i++) {
    if (size >= curve->size[i]) continue;
    const double share = log(size / curve->size[i - 1]) / log(curve->size[i] / curve->size[i - 1]);
    return curve->value[i - 1] + share * (curve->value[i] - curve->value[i - 1]);
  }
  return curve->value[curve->count - 1];
}

double ss_price_value(const ss_curve *prices, double size)
{
  if (prices->count < 2) return prices->count == 1 ? prices->value[0] : 0.0;
  int64_t i = 1;
  while (i + 1 < prices->count && size > prices->size[i]) ++i;
  const double *sizes = &prices->size[i - 1], *dollars = &prices->value[i - 1];
  const double slope = (dollars[1] - dollars[0]) / (sizes[1] - sizes[0]);
  return fmax(0.0, dollars[0] + slope * (size - sizes[0]));
}

double ss_machine_gpu_power_w(const ss_machine *machine)
{
  const double limit_w = machine->gpu_limit_w;
  return limit_w > 0.0 ? fmin(limit_w, machine->gpu_power_w) : machine->gpu_power_w;
}

/* The share of the clock below which voltage stays as it is. Measured: GPT-3 175B on A100 of 500 W from 1410 down to
 * 855 MHz (Perseus, SOSP 2024: ml-energy/zeus@38cb3f9, sosp24_data/emulation/stage_profile/gpt3-175b+a100_sxm_bf16.csv)
 * and ResNet-50 on V100 at limits of 250 down to 100 W (Zeus, NSDI 2023: ml-energy/zeus@43297f6,
 * summary_power_v100.csv) follow the third power down to 0.8, and a line below. */
#define LEAST_VOLTAGE_CLOCK 0.8

double ss_machine_clock(const ss_machine *machine)
{
  const double full_w = machine->gpu_power_w, idle_w = machine->gpu_idle_w, limit_w = machine->gpu_limit_w;
  if (limit_w == 0.0 || limit_w >= full_w) return 1.0;
  if (machine->power_clock.count > 0) return ss_curve_value(&machine->power_clock, limit_w / full_w);
  const double share = (limit_w - idle_w) / (full_w - idle_w);
  return fmin(cbrt(share), share / (LEAST_VOLTAGE_CLOCK * LEAST_VOLTAGE_CLOCK));
}

bool ss_machine_has_chance(const ss_machine *machine)
{
  return machine->kernel_noise > 0.0 || machine->gpu_spread > 0.0;
}

bool ss_machine_has_uneven_iterations(const ss_machine *machine)
{
  return machine->iteration_noise > 0.0 || machine->stall_rate_per_s * machine->stall_time_s > 0.0;
}

bool ss_machine_has_perturbation(const ss_machine *machine)
{
  return machine->gpu_speed[0] != '\0' || ss_machine_has_chance(machine);
}

double ss_machine_tensor_bytes(const ss_machine *machine)
{
  return machine->hbm_bytes - machine->memory_reserved_bytes;
}

double ss_machine_gpu_dollars(const ss_machine *machine)
{
  if (machine->gpu_price.count == 0) return 0.0;
  return ss_price_value(&machine->gpu_price, machine->hbm_bytes) +
         ss_price_value(&machine->offload_price, machine->offload_bytes);
}

int64_t ss_machine_node_gpus(const ss_machine *machine)
{
  enum { MOST = 8 };
  if (machine->node_gpus > 0) return machine->node_gpus;
  return machine->domain_size < MOST ? machine->domain_size : MOST;
}

int64_t ss_machine_gpus_for(const ss_machine *machine, double dollars)
{
  const double price = ss_machine_gpu_dollars(machine) * (double)machine->domain_size;
  const double domains = price > 0.0 ? floor(dollars / price * (1.0 + ROUNDING)) : 0.0;
  return (int64_t)fmin(domains, LARGEST_COUNT / (double)machine->domain_size) * machine->domain_size;
}

double ss_machine_nics_per_gpu(const ss_machine *machine)
{
  return (double)machine->nics_per_domain / (double)machine->domain_size;
}

int64_t ss_machine_nic(const ss_machine *machine, int64_t gpu)
{
  const int64_t domain = gpu / machine->domain_size, within = gpu % machine->domain_size;
  return domain * machine->nics_per_domain + within * machine->nics_per_domain / machine->domain_size;
}

double ss_machine_compute_cost(const ss_machine *machine, ss_transport transport)
{
  const double nvlink = transport.nvlink ? machine->nvlink_compute_cost : 0.0;
  const double fabric = transport.fabric ? machine->fabric_compute_cost : 0.0;
  const double experts = transport.experts ? machine->exchange_compute_cost : 0.0;
  const double data = transport.nvlink && transport.data ? machine->data_parallel_compute_cost : 0.0;
  return ss_max(ss_max(experts, data), ss_max(nvlink, fabric));
}
