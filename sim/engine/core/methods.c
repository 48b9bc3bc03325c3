#include "sim/engine/core/methods.h"

#include "model/plan/task_time.h"
#include "model/plan/transfer_time.h"

/* The index of a method; the count of the list where it is not there. */
static int64_t index_of(const ss_method_list *list, ss_method method, ss_top_k top_k)
{
  int64_t index = 0;
  while (index < list->count &&
         (list->method[index].kind != method.kind || list->method[index].algorithm != method.algorithm ||
          list->top_k[index].experts != top_k.experts || list->top_k[index].choices != top_k.choices))
    ++index;
  return index;
}

void ss_method_list_add(ss_method_list *list, ss_method method, ss_top_k top_k)
{
  if (index_of(list, method, top_k) < list->count) return;
  SS_ASSERT(list->count < SS_METHOD_COUNT);
  list->top_k[list->count] = top_k;
  list->method[list->count++] = method;
}

int64_t ss_method_list_find(const ss_method_list *list, ss_method method, ss_top_k top_k)
{
  const int64_t index = index_of(list, method, top_k);
  SS_ASSERT(index < list->count);
  return index;
}

ss_method ss_method_of_call(const ss_job *job, const ss_task *task, int64_t call)
{
  return ss_job_call_method(job, task, call, job->span[task->call[call].group]);
}

ss_method ss_method_of_data(const ss_job *job, int64_t stage, ss_collective kind, ss_data_group group,
                            double volume_bytes)
{
  return (ss_method){kind,
                     ss_collective_choose(&job->network, kind, ss_job_data_span(job, group, stage), volume_bytes)};
}

ss_method ss_method_of_tie(const ss_job *job)
{
  return (ss_method){SS_ALL_REDUCE,
                     ss_collective_choose(&job->network, SS_ALL_REDUCE, ss_job_tied_span(job), job->tied_bytes)};
}
