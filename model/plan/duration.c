#include "model/base/number.h"
#include "model/plan/job.h"

/* Bytes per parameter. Adam reads the gradient, and reads and writes master weight and two moments in fp32; the norm of
 * the gradient reads it once more. In one kernel the gradient is read as it is, and the 16-bit weight written, too;
 * else that is a copy of the master weight, as the gradient in fp32 is of one in 16 bits; clipping reads and writes it,
 * and so does unscaling with the check for overflow, in fp16. Counted from megatron/optimizer/optimizer.py of
 * Megatron-LM, step(). */
#define ADAM_BYTES     (12.0 + 12.0)
#define CLIP_BYTES     (SS_FP32_BYTES + SS_FP32_BYTES)
#define UNSCALE_BYTES  (SS_FP32_BYTES + SS_FP32_BYTES)
#define TO_FP32_BYTES  (SS_ELEMENT_BYTES + SS_FP32_BYTES)
#define TO_16BIT_BYTES (SS_FP32_BYTES + SS_ELEMENT_BYTES)

bool ss_job_step_copies_gradients(const ss_job *job)
{
  return job->workload->training.optimizer_step == SS_STEP_SEPARATE && ss_job_gradient_bytes(job) < SS_FP32_BYTES;
}

static double step_bytes(const ss_job *job)
{
  const double gradient_bytes = ss_job_gradient_bytes(job);
  if (job->workload->training.optimizer_step == SS_STEP_FUSED)
    return 2.0 * gradient_bytes + ADAM_BYTES + SS_WEIGHT_BYTES;
  const double copied = ss_job_step_copies_gradients(job) ? TO_FP32_BYTES : 0.0;
  const double unscaled = job->workload->training.precision == SS_PRECISION_FP16 ? UNSCALE_BYTES : 0.0;
  return copied + unscaled + 2.0 * SS_FP32_BYTES + CLIP_BYTES + ADAM_BYTES + TO_16BIT_BYTES;
}

const ss_task_list *ss_job_tasks(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  SS_ASSERT(!job->options.estimate_only);
  return &job->block[kind].list[pass];
}

double ss_job_scale(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  return ss_block_traits_of(kind)->layer ? job->scale[pass] : 1.0;
}

static bool is_overlapped(const ss_task *task)
{
  return task->overlap.kernel_pieces > 0;
}

ss_duration ss_job_kernel_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  const double scale = ss_job_scale(job, kind, pass);
  const double pieces = is_overlapped(task) ? (double)task->overlap.kernel_pieces : 1.0;
  const ss_cost cost = job->options.cost;
  if (ss_cost_traits_of(cost).as_published)
    return ss_duration_scale(scale / pieces, ss_kernel_duration(job->machine, cost, &task->kernel));
  ss_kernel piece = task->kernel;
  piece.flop /= pieces;
  piece.hbm_bytes /= pieces;
  piece.products = ss_max(piece.products / pieces, 1.0);
  return ss_duration_scale(scale, ss_kernel_duration(job->machine, cost, &piece));
}

double ss_task_call_bytes(const ss_task *task, int64_t call)
{
  const double volume_bytes = task->call[call].volume_bytes;
  if (!is_overlapped(task)) return volume_bytes;
  return volume_bytes / (double)(task->overlap.one_ring ? task->overlap.call_pieces : task->overlap.kernel_pieces);
}

double ss_task_call_starts(const ss_task *task)
{
  return task->overlap.one_ring ? 1.0 / (double)task->overlap.call_pieces : 1.0;
}

ss_method ss_job_call_method(const ss_job *job, const ss_task *task, int64_t call, ss_span span)
{
  const ss_collective kind = task->call[call].kind;
  if (task->overlap.one_ring) return (ss_method){kind, SS_ALGORITHM_RING};
  return (ss_method){kind, ss_collective_choose(&job->network, kind, span, ss_task_call_bytes(task, call))};
}

ss_comm_time ss_job_call_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, int64_t call,
                               ss_span span)
{
  const double scale = ss_job_scale(job, kind, pass), part = ss_task_call_starts(task);
  const double whole_bytes = ss_task_call_bytes(task, call) / part;
  const ss_comm_time time =
      task->overlap.one_ring
          ? ss_method_time(&job->network, ss_job_call_method(job, task, call, span), span, whole_bytes)
          : ss_collective_time(&job->network, task->call[call].kind, span, whole_bytes);
  return (ss_comm_time){scale * part * time.latency_s, scale * part * time.transfer_s};
}

ss_duration ss_job_task_duration(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  const double pieces = is_overlapped(task) ? (double)task->overlap.kernel_pieces : 1.0;
  double call_s[SS_CALLS_MAX] = {0.0}, calls_s = 0.0;
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_span span = job->span[task->call[i].group];
    call_s[i] = ss_comm_time_sum(ss_job_call_piece(job, kind, pass, task, i, span));
    calls_s += call_s[i];
  }
  ss_duration duration = {0};
  double exposed_s = calls_s;
  if (task->computes) duration = ss_duration_scale(pieces, ss_job_kernel_piece(job, kind, pass, task));
  if (is_overlapped(task)) {
    const double kernel_s = ss_duration_kernel_s(duration);
    exposed_s = ss_max(ss_overlap_time(&task->overlap, kernel_s / pieces, calls_s) - kernel_s, 0.0);
  }
  for (int64_t i = 0; i < task->calls && calls_s > 0.0; ++i)
    duration.comm_s[task->call[i].group] += exposed_s / calls_s * call_s[i];
  return duration;
}

static bool slows_compute(const ss_machine *machine)
{
  return machine->nvlink_compute_cost > 0.0 || machine->fabric_compute_cost > 0.0;
}

/* Pieces of a kernel that have no collective beside them: whichever goes ahead is alone in the beginning, the other in
 * the end. */
static int64_t pieces_alone(const ss_overlap *overlap)
{
  const int64_t ahead = overlap->kernel_first ? overlap->kernel_pieces : overlap->call_pieces;
  const int64_t behind = overlap->kernel_first ? overlap->call_pieces : overlap->kernel_pieces;
  const int64_t beside = ahead - 1 + overlap->lag;
  return overlap->kernel_pieces - (behind < beside ? behind : beside);
}

/* What a kernel loses to the collectives beside it. Pieces of it run at (1 - cost) as long as a collective lasts; what
 * that hides of the collectives is not lost. */
static double task_slowed_s(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  if (!task->computes || task->calls == 0) return 0.0;
  double calls_s = 0.0, cost_s = 0.0;
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_span span = job->span[task->call[i].group];
    const double call_s = ss_comm_time_sum(ss_job_call_piece(job, kind, pass, task, i, span));
    calls_s += call_s;
    cost_s += ss_machine_compute_cost(job->machine, span.domains > 1) * call_s;
  }
  if (cost_s <= 0.0) return 0.0;
  const double kernel_s = ss_duration_sum(ss_job_kernel_piece(job, kind, pass, task));
  const double slow_s = ss_min(kernel_s / (1.0 - cost_s / calls_s), kernel_s + cost_s);
  const double longer_s =
      ss_overlap_time(&task->overlap, slow_s, calls_s) - ss_overlap_time(&task->overlap, kernel_s, calls_s);
  return ss_max(longer_s - (double)pieces_alone(&task->overlap) * (slow_s - kernel_s), 0.0);
}

static void time_pass(ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_task_list *list = &job->block[kind].list[pass];
  const bool slows = slows_compute(job->machine);
  ss_duration sum = {0};
  double slowed_s = 0.0;
  for (int64_t i = 0; i < list->count; ++i) {
    sum = ss_duration_add(sum, ss_job_task_duration(job, kind, pass, &list->task[i]));
    if (slows) slowed_s += task_slowed_s(job, kind, pass, &list->task[i]);
  }
  job->pass[kind][pass] = sum;
  job->slowed_s[kind][pass] = slowed_s;
}

void ss_job_time_blocks(ss_job *job)
{
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) time_pass(job, (ss_block_kind)kind, (ss_pass)pass);
}

ss_comm_time ss_job_data_time(const ss_job *job, ss_collective kind, ss_span span, double volume_bytes)
{
  return ss_collective_time(&job->network, kind, span, job->options.what_if.free_messages ? 0.0 : volume_bytes);
}

/* The last stage is the one before the first in the ring that chunks go round. */
ss_span ss_job_tied_span(const ss_job *job)
{
  const bool across = ss_placement_hop_crosses(&job->placement, job->stages - 1);
  return across ? (ss_span){.size = 2, .domains = 2, .per_domain = 1}
                : (ss_span){.size = 2, .domains = 1, .per_domain = 2};
}

ss_comm_time ss_job_tied_time(const ss_job *job, ss_span span)
{
  return ss_job_data_time(job, SS_ALL_REDUCE, span, job->tied_bytes);
}

ss_comm_time ss_job_message_time(const ss_job *job, bool across_domains)
{
  return ss_message_time(&job->network, across_domains, job->options.what_if.free_messages ? 0.0 : job->message_bytes);
}

double ss_job_hop_s(const ss_job *job, bool across_domains)
{
  const ss_cost_traits traits = ss_cost_traits_of(job->options.cost);
  const double slow_s = ss_comm_time_sum(ss_job_message_time(job, true));
  const double fast_s = ss_comm_time_sum(ss_job_message_time(job, false));
  const bool free = traits.free_slow_hops && job->slow_hops < 1.0;
  if (traits.mean_messages) return (free ? 0.0 : job->slow_hops * slow_s) + (1.0 - job->slow_hops) * fast_s;
  return across_domains ? slow_s : fast_s;
}

double ss_job_stage_parameters(const ss_job *job, int64_t stage, ss_weights weights)
{
  double parameters = 0.0;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    parameters += (double)job->counts[stage].of[kind] * job->block[kind].parameters[weights];
  return parameters;
}

/* Parameters of a stage that this rank steps. */
static double stepped_parameters(const ss_job *job, int64_t stage)
{
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  double parameters = 0.0;
  for (int i = 0; i < SS_WEIGHTS; ++i) {
    const ss_weights weights = (ss_weights)i;
    const double shards = sharded ? (double)ss_job_holders(job, weights) : 1.0;
    parameters += ss_job_stage_parameters(job, stage, weights) / shards;
  }
  return parameters;
}

ss_tier_traffic ss_job_optimizer_traffic(const ss_job *job, int64_t stage)
{
  ss_tier_traffic traffic = {0.0, 0.0};
  if (job->workload->training.offload_optimizer == SS_YES)
    traffic.read_bytes = traffic.written_bytes = SS_OPTIMIZER_STATE_BYTES * stepped_parameters(job, stage);
  if (job->workload->training.offload_weights == SS_YES)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      traffic.written_bytes += SS_WEIGHT_BYTES * ss_job_stage_parameters(job, stage, (ss_weights)weights);
  return traffic;
}

ss_optimizer_time ss_job_optimizer(const ss_job *job, int64_t stage)
{
  if (!ss_cost_traits_of(job->options.cost).ends_of_model) return (ss_optimizer_time){0.0, 0.0};
  /* one kernel over lists of whole tensors, without reductions or random numbers */
  const ss_kernel kernel = {
      .engine = SS_ENGINE_VECTOR, .hbm_bytes = step_bytes(job) * stepped_parameters(job, stage), .streams = true};
  const double hbm_s = ss_duration_sum(ss_kernel_duration(job->machine, job->options.cost, &kernel));
  const ss_tier_traffic traffic = ss_job_optimizer_traffic(job, stage);
  const double moved_bytes = ss_max(traffic.read_bytes, traffic.written_bytes);
  if (moved_bytes <= 0.0) return (ss_optimizer_time){hbm_s, 0.0};
  return (ss_optimizer_time){hbm_s, ss_max(moved_bytes / job->machine->offload_bytes_per_s - hbm_s, 0.0)};
}
