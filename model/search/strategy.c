#include "model/search/strategy.h"

#include "model/estimate/estimate.h"

void ss_strategy_weigh(ss_strategy *strategy, const ss_job *job)
{
  strategy->memory = ss_estimate_memory(job);
}

void ss_strategy_time(ss_strategy *strategy, const ss_job *job)
{
  strategy->estimate = ss_estimate_time(job);
}
