#include "model/block/task.h"

const char *ss_role_text(ss_role role)
{
  static const char *const texts[] = {
#define SS_ROLE_TEXT(id, text) text,
      SS_ROLE_LIST(SS_ROLE_TEXT)
#undef SS_ROLE_TEXT
  };
  return texts[role];
}

ss_task ss_kernel_task(ss_activity activity, ss_engine engine, double flop, double hbm_bytes)
{
  return (ss_task){
      .activity = activity, .computes = true, .kernel = {.engine = engine, .flop = flop, .hbm_bytes = hbm_bytes}};
}

ss_task ss_chain_task(ss_activity activity, double kernels, int64_t launches, double flop, double hbm_bytes)
{
  ss_task chain = ss_kernel_task(activity, SS_ENGINE_VECTOR, flop, hbm_bytes);
  chain.kernel.kernels = kernels;
  chain.launches = launches;
  return chain;
}

void ss_task_join(ss_task *task, ss_call call, ss_overlap overlap)
{
  SS_ASSERT(task->calls < SS_CALLS_MAX);
  if (!task->computes) task->activity = ss_collective_activity(call.kind);
  task->call[task->calls++] = call;
  task->overlap = overlap;
}

bool ss_task_exchanges(const ss_task *task)
{
  const ss_call *only = &task->call[0];
  const bool alone = !task->computes && task->calls == 1;
  return alone && only->group == SS_GROUP_EXPERT && only->kind != SS_ALL_REDUCE;
}
