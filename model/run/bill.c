#include "model/run/bill.h"

#include "model/run/power.h"
#include "model/run/price.h"

#define JOULES_PER_KWH 3.6e6

static void add_energy(const ss_bill_question *q, ss_bill *bill)
{
  if (q->machine->gpu_power_w == 0.0) return;
  const ss_power power = ss_power_of(q->machine);
  const ss_whole_run_time *time = q->time;
  const double working_s = time->work_s + time->slowed_s + time->lost_s;
  const double waiting_s = time->paused_s + time->stalled_s;
  const double standing_s = time->recovery_s + time->waiting_s;
  const double iterations = working_s / q->iteration->iteration_s;
  bill->gpu_j = q->gpus * (iterations * ss_power_gpu_j(&power, q->iteration) +
                           waiting_s * power.gpu_w[SS_DRAWS_WAITING] + standing_s * power.idle_w);
  bill->energy_j =
      q->gpus * (iterations * ss_power_iteration_j(&power, q->iteration) +
                 waiting_s * ss_power_at_meter_w(&power, SS_DRAWS_WAITING) + standing_s * ss_power_idle_w(&power)) +
      q->spare_gpus * time->total_s * ss_power_idle_w(&power);
}

ss_bill ss_bill_of(const ss_bill_question *q)
{
  ss_bill bill = {.gpu_s = (q->gpus + q->spare_gpus) * q->time->total_s};
  add_energy(q, &bill);
  bill.carbon_kg = bill.energy_j / JOULES_PER_KWH * q->machine->carbon_kg_per_kwh;
  bill.machine_dollars = bill.gpu_s * ss_price_gpu_dollars_per_s(q->machine);
  bill.energy_dollars = bill.energy_j * ss_price_dollars_per_j(q->machine);
  return bill;
}

ss_bill_known ss_bill_known_of(const ss_machine *machine)
{
  const bool energy = machine->gpu_power_w > 0.0, rented = machine->gpu_hour_dollars > 0.0;
  return (ss_bill_known){.energy = energy,
                         .carbon = energy && machine->carbon_kg_per_kwh > 0.0,
                         .dollars = ss_price_is_known(machine),
                         .energy_dollars = rented || (energy && machine->energy_dollars_per_kwh > 0.0)};
}

ss_bill ss_bill_sum(ss_bill a, ss_bill b)
{
  return (ss_bill){.gpu_s = a.gpu_s + b.gpu_s,
                   .gpu_j = a.gpu_j + b.gpu_j,
                   .energy_j = a.energy_j + b.energy_j,
                   .carbon_kg = a.carbon_kg + b.carbon_kg,
                   .machine_dollars = a.machine_dollars + b.machine_dollars,
                   .energy_dollars = a.energy_dollars + b.energy_dollars};
}

double ss_bill_dollars(const ss_bill *bill)
{
  return bill->machine_dollars + bill->energy_dollars;
}
