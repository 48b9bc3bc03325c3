/* What the time of a run comes to in energy and money. */
#ifndef STEPSIM_MODEL_RUN_BILL_H
#define STEPSIM_MODEL_RUN_BILL_H

#include "model/result/prediction.h"
#include "model/run/whole_run.h"

/* What a run draws and costs: GPUs that work, those of spare nodes, which are idle, and an iteration of them. */
typedef struct ss_bill_question {
  const ss_machine *machine;
  double gpus, spare_gpus;
  const ss_breakdown *iteration;
  const ss_whole_run_time *time;
} ss_bill_question;

/* Zero where the machine does not say: gpu-power, prices, carbon. */
typedef struct ss_bill {
  double gpu_s;     /* GPUs times seconds, spares too */
  double gpu_j;     /* of the GPUs that work alone */
  double energy_j;  /* at the meter */
  double carbon_kg; /* of CO2 equivalents */
  double machine_dollars, energy_dollars;
} ss_bill;

/* Energy is power times time: in work, also what is done again, that of the mean iteration; waiting in stalls and
 * the pauses of checkpoints; that of idle GPUs in recoveries and without a node. */
ss_bill ss_bill_of(const ss_bill_question *question);

/* What a machine says enough for. */
typedef struct ss_bill_known {
  bool energy, carbon, dollars, energy_dollars;
} ss_bill_known;

ss_bill_known ss_bill_known_of(const ss_machine *machine);

ss_bill ss_bill_sum(ss_bill a, ss_bill b);

/* All dollars. */
double ss_bill_dollars(const ss_bill *bill);

#endif
