/* What an iteration costs and draws, for those who compare many. */
#ifndef STEPSIM_MODEL_RUN_TARIFF_H
#define STEPSIM_MODEL_RUN_TARIFF_H

#include "model/run/power.h"

/* Of a machine, for each GPU. */
typedef struct ss_tariff {
  bool is_priced;           /* ss_price_is_known; without it dollars mean nothing */
  double gpu_dollars_per_s; /* ss_price_gpu_dollars_per_s */
  double dollars_per_j;     /* ss_price_dollars_per_j */
  double least_w;           /* at the meter, whatever it does */
  ss_power power;           /* all 0 where it is unknown, and so is energy then */
} ss_tariff;

ss_tariff ss_tariff_of(const ss_machine *machine);

/* Joules at the meter of so many GPUs in an iteration; and no more than those of any that takes so long. */
double ss_tariff_j(const ss_tariff *tariff, int64_t gpus, const ss_breakdown *iteration);
double ss_tariff_least_j(const ss_tariff *tariff, int64_t gpus, double iteration_s);

/* Dollars of so many GPUs for a time in which they draw so many joules together. */
double ss_tariff_dollars(const ss_tariff *tariff, int64_t gpus, double time_s, double energy_j);

/* Dollars of an iteration of so many GPUs with the energy that it draws; not a number where no price is known. */
double ss_tariff_iteration_dollars(const ss_tariff *tariff, int64_t gpus, const ss_breakdown *iteration);

#endif
