#include "sim/engine/trace_size.h"

#include <math.h>
#include <stdlib.h>

#include "model/plan/stage_ops.h"

/* A stage waits before about every pass, and sends and receives: a slice at each end, and an arrow's two. */
#define SLICES_OF_A_WAIT    1.0
#define SLICES_OF_A_MESSAGE 4.0

/* A collective or a message begins and ends on two ports. The writer bounds what is written of each port in an
 * iteration, and so in the share of it that is shown; of a port with messages, which are apart, that is about half. */
#define LOADS_OF_A_TRANSFER 4.0
#define LOADS_MOST          (SS_PORT_COUNT * 600.0)
#define LOADS_OF_MESSAGES   (2.0 * 300.0)

static void add_task(const ss_job *job, const ss_task *task, ss_trace_size *size)
{
  const bool pieces = task->overlap.kernel_pieces > 0;
  const double calls = (double)task->calls * (double)(pieces ? task->overlap.call_pieces : 1);
  const double kernels = pieces ? (double)task->overlap.kernel_pieces : task->computes ? 1.0 : 0.0;
  size->slices += calls + kernels * (job->host.active ? 2.0 : 1.0);
  size->loads += LOADS_OF_A_TRANSFER * calls;
}

static bool sends(const ss_job *job, ss_chunk chunk, ss_pass pass)
{
  ss_chunk other;
  return pass != SS_PASS_WEIGHT && ss_job_receiver(job, chunk, pass, &other) && other.stage != chunk.stage;
}

/* What a rank shows of a pass of a chunk; loads without those of its messages. */
static ss_trace_size size_of_pass(const ss_job *job, ss_chunk chunk, ss_pass pass)
{
  ss_trace_size size = {1.0 + SLICES_OF_A_WAIT + (sends(job, chunk, pass) ? SLICES_OF_A_MESSAGE : 0.0), 0.0};
  for (int64_t block = 0; block < ss_job_block_count(job, chunk); ++block) {
    const ss_task_list *tasks = ss_job_tasks(job, ss_job_block_kind(job, chunk, block), pass);
    size.slices += 1.0;
    for (int64_t i = 0; i < tasks->count; ++i) add_task(job, &tasks->task[i], &size);
  }
  return size;
}

/* The data-parallel collectives of a rank of a stage, which are shown whatever the micro-batches. */
static ss_status add_data(const ss_job *job, int64_t stage, ss_trace_size *size)
{
  ss_stage_ops ops;
  const ss_status status = ss_stage_ops_init(&ops, job, stage);
  for (int64_t i = 0; status == SS_OK && i < ops.count; ++i) {
    const bool often =
        ops.op[i].start == SS_OP_AHEAD || (ops.op[i].start == SS_OP_BEHIND && job->data.reduces_each_pass);
    const double times = often ? (double)job->micro_batches * (ops.op[i].start == SS_OP_AHEAD ? 2.0 : 1.0) : 1.0;
    size->slices += times;
    size->loads += LOADS_OF_A_TRANSFER * times;
  }
  if (status == SS_OK) ss_stage_ops_free(&ops);
  return status;
}

/* Messages load ports in all micro-batches, collectives of layers in those that are shown. */
static ss_status size_of_rank(const ss_job *job, int64_t stage, const ss_selection *micro_batches, ss_work *order,
                              ss_trace_size *size)
{
  ss_trace_size pass[SS_PASSES];
  const int64_t passes = ss_schedule_length(&job->shape);
  double messages = 0.0, shown = 0.0;
  *size = (ss_trace_size){1.0, 0.0}; /* the optimizer */
  ss_schedule_emit(&job->shape, stage, order);
  for (int64_t chunk = 0; chunk < job->chunks; ++chunk) {
    for (int i = 0; i < SS_PASSES; ++i) pass[i] = size_of_pass(job, (ss_chunk){stage, chunk}, (ss_pass)i);
    for (const ss_work *work = order; work < order + passes; ++work) {
      if (work->chunk != chunk) continue;
      if (sends(job, (ss_chunk){stage, chunk}, work->pass)) messages += LOADS_OF_A_TRANSFER;
      if (!ss_selection_has(micro_batches, work->micro_batch)) continue;
      size->slices += pass[work->pass].slices;
      size->loads += pass[work->pass].loads;
      shown += 1.0;
    }
  }
  size->loads = fmin(size->loads, LOADS_MOST * shown / (double)passes) + fmin(messages, LOADS_OF_MESSAGES);
  return add_data(job, stage, size);
}

static int64_t count_ranks(const ss_job *job, int64_t stage, const ss_selection *ranks)
{
  const int64_t of_stage = job->replicas * job->tensor * job->context;
  int64_t count = 0;
  for (int64_t i = 0; i < of_stage; ++i) count += ss_selection_has(ranks, stage * of_stage + i);
  return count;
}

ss_status ss_trace_size_of(const ss_job *job, const ss_selection *ranks, const ss_selection *micro_batches,
                           ss_trace_size *size)
{
  ss_work *order = malloc((size_t)ss_schedule_length(&job->shape) * sizeof *order);
  ss_status status = order != NULL ? SS_OK : SS_ERROR_MEMORY;
  *size = (ss_trace_size){0.0, 0.0};
  for (int64_t stage = 0; status == SS_OK && stage < job->stages; ++stage) {
    const int64_t count = count_ranks(job, stage, ranks);
    ss_trace_size of_rank = {0.0, 0.0};
    if (count > 0) status = size_of_rank(job, stage, micro_batches, order, &of_rank);
    size->slices += (double)count * of_rank.slices;
    size->loads += (double)count * fmin(of_rank.loads, LOADS_MOST);
  }
  free(order);
  return status;
}
