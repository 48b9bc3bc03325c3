#include "model/search/strategy.h"

#include "model/estimate/estimate.h"
#include "model/input/workload.h"

double ss_strategy_time_s(const ss_strategy *strategy)
{
  return strategy->simulated ? strategy->simulation.iteration_s : strategy->estimate.iteration_s;
}

void ss_strategy_weigh(ss_strategy *strategy, const ss_job *job)
{
  strategy->memory = ss_estimate_memory(job);
}

void ss_strategy_time(ss_strategy *strategy, const ss_job *job)
{
  strategy->estimate = ss_estimate_time(job);
}

void ss_strategy_count_flop(ss_strategy *strategy, const ss_job *job)
{
  const double gpus = (double)ss_workload_gpus(job->workload);
  const ss_metrics metrics = ss_estimate_metrics(job, 1.0);
  strategy->model_flop = metrics.model_flop_per_iteration;
  strategy->peak_flop_per_s = gpus * job->machine->matrix_flop_per_s;
  strategy->tokens = gpus * metrics.tokens_per_s_per_gpu;
  strategy->parameters = metrics.parameters;
}
