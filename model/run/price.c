#include "model/run/price.h"

#include "model/fabric/parts.h"

#define SECONDS_PER_HOUR 3600.0
#define SECONDS_PER_YEAR (365.25 * 86400.0)
#define JOULES_PER_KWH   3.6e6

ss_prices ss_prices_of(const ss_machine *machine)
{
  const ss_fabric_parts fabric = ss_fabric_parts_of(machine);
  const double gpus = (double)machine->gpus, of_nics = (double)fabric.nic_cables;
  const double cables = (double)fabric.cables - of_nics + of_nics * machine->nic_cable_price;
  return (ss_prices){.gpu_dollars = ss_machine_gpu_dollars(machine),
                     .nic_dollars = machine->nic_dollars * ss_machine_nics_per_gpu(machine),
                     .switch_dollars = machine->switch_dollars * (double)fabric.switches / gpus,
                     .cable_dollars = machine->cable_dollars * cables / gpus};
}

bool ss_price_is_known(const ss_machine *machine)
{
  return machine->gpu_hour_dollars > 0.0 || machine->gpu_price.count > 0;
}

double ss_price_gpu_dollars_per_s(const ss_machine *machine)
{
  if (machine->gpu_hour_dollars > 0.0) return machine->gpu_hour_dollars / SECONDS_PER_HOUR;
  const ss_prices prices = ss_prices_of(machine);
  double sum = 0.0;
#define PRICE_SUM(field, label, key) sum += prices.field;
  SS_PRICE_LIST(PRICE_SUM)
#undef PRICE_SUM
  return sum / (machine->lifetime_years * SECONDS_PER_YEAR);
}

double ss_price_dollars_per_j(const ss_machine *machine)
{
  return machine->gpu_hour_dollars > 0.0 ? 0.0 : machine->energy_dollars_per_kwh / JOULES_PER_KWH;
}
