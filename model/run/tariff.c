#include "model/run/tariff.h"

#include <math.h>

#include "model/run/price.h"

ss_tariff ss_tariff_of(const ss_machine *machine)
{
  ss_tariff tariff = {.is_priced = ss_price_is_known(machine),
                      .gpu_dollars_per_s = ss_price_gpu_dollars_per_s(machine),
                      .dollars_per_j = ss_price_dollars_per_j(machine)};
  if (machine->gpu_power_w == 0.0) return tariff;
  tariff.power = ss_power_of(machine);
  tariff.least_w = INFINITY;
  for (int draw = 0; draw < SS_DRAWS; ++draw)
    tariff.least_w = fmin(tariff.least_w, ss_power_at_meter_w(&tariff.power, (ss_draw)draw));
  return tariff;
}

double ss_tariff_j(const ss_tariff *tariff, int64_t gpus, const ss_breakdown *iteration)
{
  return (double)gpus * ss_power_iteration_j(&tariff->power, iteration);
}

double ss_tariff_least_j(const ss_tariff *tariff, int64_t gpus, double iteration_s)
{
  return (double)gpus * tariff->least_w * iteration_s;
}

double ss_tariff_dollars(const ss_tariff *tariff, int64_t gpus, double time_s, double energy_j)
{
  return time_s * (double)gpus * tariff->gpu_dollars_per_s + energy_j * tariff->dollars_per_j;
}

double ss_tariff_iteration_dollars(const ss_tariff *tariff, int64_t gpus, const ss_breakdown *iteration)
{
  if (!tariff->is_priced) return NAN;
  return ss_tariff_dollars(tariff, gpus, iteration->iteration_s, ss_tariff_j(tariff, gpus, iteration));
}
