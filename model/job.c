#include "model/job.h"

#include <stdlib.h>

/* Adam reads gradient, master weight and two moments in fp32, writes the last three and the 16-bit weight; the
 * gradient's norm reads it once more: 16 + 14 + 4 bytes per parameter. */
#define OPTIMIZER_BYTES_PER_PARAMETER 34.0

static void compute_durations(ss_job *job)
{
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_task_list *list = ss_job_tasks(job, (ss_block_kind)kind, (ss_pass)pass);
      ss_duration sum = {0};
      for (int64_t i = 0; i < list->count; ++i)
        sum = ss_duration_add(sum, ss_job_task_duration(job, (ss_block_kind)kind, (ss_pass)pass, &list->task[i]));
      job->pass[kind][pass] = sum;
    }
}

static double ends_ratio(const ss_job *job, ss_pass pass)
{
  const double ends_s =
      ss_duration_sum(job->pass[SS_BLOCK_EMBEDDING][pass]) + ss_duration_sum(job->pass[SS_BLOCK_HEAD][pass]);
  return 1.0 + ends_s / ((double)job->workload->model.layers * ss_duration_sum(job->pass[SS_BLOCK_LAYER][pass]));
}

/* Spreads embedding and output layer over the layers, so that every stage takes the same time and holds the same
 * weights. */
static void equalise_stages(ss_job *job)
{
  for (int pass = 0; pass < SS_PASSES; ++pass) job->scale[pass] = ends_ratio(job, (ss_pass)pass);
  const double layers = (double)job->workload->model.layers;
  job->gather_bytes[SS_BLOCK_LAYER] +=
      (job->gather_bytes[SS_BLOCK_EMBEDDING] + job->gather_bytes[SS_BLOCK_HEAD]) / layers;
  job->reduce_bytes[SS_BLOCK_LAYER] +=
      (job->reduce_bytes[SS_BLOCK_EMBEDDING] + job->reduce_bytes[SS_BLOCK_HEAD]) / layers;
  job->has_ends = false;
  compute_durations(job);
}

static void build(ss_job *job)
{
  const double vector_to_matrix = job->machine->matrix_flop_per_s / job->machine->vector_flop_per_s;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind) {
    ss_block *block = &job->block[kind];
    ss_block_build(job->workload, job->options.cost, vector_to_matrix, (ss_block_kind)kind, block);
    job->gather_bytes[kind] = 2.0 * block->parameters;
    job->reduce_bytes[kind] = ss_job_gradient_bytes(job) * block->parameters;
  }
  const double tokens = (double)(job->workload->training.micro_batch * job->workload->model.sequence);
  const bool sharded = job->workload->parallelism.sequence_parallel == SS_YES;
  job->message_bytes = 2.0 * tokens * (double)job->workload->model.hidden / (sharded ? (double)job->tensor : 1.0);
  compute_durations(job);
  if (job->options.what_if.equal_stages && job->has_ends && job->stages > 1) equalise_stages(job);
}

/* Keeps the slower of two groups, by a collective of a gigabyte. */
static void keep_slower(const ss_job *job, ss_span *slowest, ss_span span)
{
  const double volume_bytes = 1e9;
  const double slowest_s = ss_comm_time_sum(ss_collective_time(&job->network, SS_ALL_GATHER, *slowest, volume_bytes));
  const double span_s = ss_comm_time_sum(ss_collective_time(&job->network, SS_ALL_GATHER, span, volume_bytes));
  if (slowest->size == 0 || span_s > slowest_s) *slowest = span;
}

static ss_status find_spans(ss_job *job)
{
  const int64_t widest = job->tensor > job->replicas ? job->tensor : job->replicas;
  int32_t *gpu = malloc((size_t)widest * sizeof *gpu);
  job->data_span = calloc((size_t)job->stages, sizeof *job->data_span);
  if (gpu == NULL || job->data_span == NULL) {
    free(gpu);
    return SS_ERROR_MEMORY;
  }
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    for (int64_t replica = 0; replica < job->replicas; ++replica) {
      ss_placement_tensor_group(&job->placement, stage, replica, gpu);
      keep_slower(job, &job->tensor_span, ss_span_of(gpu, job->tensor, job->placement.domain_size));
    }
    for (int64_t tensor = 0; tensor < job->tensor; ++tensor) {
      ss_placement_data_group(&job->placement, stage, tensor, gpu);
      keep_slower(job, &job->data_span[stage], ss_span_of(gpu, job->replicas, job->placement.domain_size));
    }
  }
  job->slow_hops = ss_placement_slow_hops(&job->placement);
  free(gpu);
  return SS_OK;
}

ss_status ss_job_init(ss_job *job, const ss_workload *workload, const ss_machine *machine, ss_job_options options,
                      ss_error *error)
{
  *job = (ss_job){
      .workload = workload,
      .machine = machine,
      .options = options,
      .network = ss_network_of(machine),
      .micro_batches = ss_workload_micro_batches(workload),
      .stages = workload->parallelism.pp,
      .replicas = workload->parallelism.dp,
      .tensor = workload->parallelism.tp,
      .layers_per_stage = workload->model.layers / workload->parallelism.pp,
      .has_ends = ss_cost_traits_of(options.cost).ends_of_model && workload->model.vocabulary > 0,
      .scale = {1.0, 1.0},
  };
  if (options.what_if.no_latency) job->network.nvlink_latency_s = job->network.fabric_latency_s = 0.0;
  ss_status status = ss_placement_init(&job->placement, workload, machine, options.ranks, error);
  if (status != SS_OK) return status;
  status = find_spans(job);
  if (status != SS_OK) {
    ss_job_free(job);
    return ss_error_set(error, status, NULL, 0, "out of memory for %lld stages", (long long)workload->parallelism.pp);
  }
  build(job);
  return SS_OK;
}

void ss_job_free(ss_job *job)
{
  ss_placement_free(&job->placement);
  free(job->data_span);
  job->data_span = NULL;
}

static bool has_embedding(const ss_job *job, int64_t stage)
{
  return job->has_ends && stage == 0;
}

static bool has_head(const ss_job *job, int64_t stage)
{
  return job->has_ends && stage == job->stages - 1;
}

int64_t ss_job_block_count(const ss_job *job, int64_t stage)
{
  return job->layers_per_stage + has_embedding(job, stage) + has_head(job, stage);
}

ss_block_kind ss_job_block_kind(const ss_job *job, int64_t stage, int64_t index)
{
  if (has_embedding(job, stage) && index == 0) return SS_BLOCK_EMBEDDING;
  if (has_head(job, stage) && index == ss_job_block_count(job, stage) - 1) return SS_BLOCK_HEAD;
  return SS_BLOCK_LAYER;
}

int64_t ss_job_block_layer(const ss_job *job, int64_t stage, int64_t index)
{
  if (ss_job_block_kind(job, stage, index) != SS_BLOCK_LAYER) return -1;
  return stage * job->layers_per_stage + index - has_embedding(job, stage);
}

int64_t ss_job_block_at(const ss_job *job, int64_t stage, bool backward, int64_t place)
{
  return backward ? ss_job_block_count(job, stage) - 1 - place : place;
}

const ss_task_list *ss_job_tasks(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_block *block = &job->block[kind];
  return pass == SS_PASS_FORWARD ? &block->forward : &block->backward;
}

double ss_job_scale(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  return kind == SS_BLOCK_LAYER ? job->scale[pass] : 1.0;
}

ss_duration ss_job_task_duration(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  ss_duration d = {0};
  if (task->collective)
    d.comm_s = ss_comm_time_sum(ss_collective_time(&job->network, task->kind, job->tensor_span, task->volume_bytes));
  else
    d = ss_kernel_duration(job->machine, job->options.cost, task->matrix, task->flop, task->hbm_bytes);
  const double scale = ss_job_scale(job, kind, pass);
  return (ss_duration){scale * d.compute_s, scale * d.memory_s, scale * d.launch_s, scale * d.comm_s};
}

ss_comm_time ss_job_data_time(const ss_job *job, ss_collective kind, ss_span span, double volume_bytes)
{
  return ss_collective_time(&job->network, kind, span, job->options.what_if.free_messages ? 0.0 : volume_bytes);
}

ss_comm_time ss_job_message_time(const ss_job *job, bool across_domains)
{
  return ss_message_time(&job->network, across_domains, job->options.what_if.free_messages ? 0.0 : job->message_bytes);
}

double ss_job_hop_s(const ss_job *job, int64_t stage)
{
  const double slow_s = ss_comm_time_sum(ss_job_message_time(job, true));
  const double fast_s = ss_comm_time_sum(ss_job_message_time(job, false));
  if (ss_cost_traits_of(job->options.cost).mean_messages)
    return job->slow_hops * slow_s + (1.0 - job->slow_hops) * fast_s;
  return ss_placement_hop_crosses(&job->placement, stage) ? slow_s : fast_s;
}

double ss_job_stage_parameters(const ss_job *job, int64_t stage)
{
  double bytes = 0.0;
  for (int64_t i = 0; i < ss_job_block_count(job, stage); ++i)
    bytes += job->gather_bytes[ss_job_block_kind(job, stage, i)];
  return bytes / 2.0;
}

double ss_job_optimizer_s(const ss_job *job, int64_t stage)
{
  if (!ss_cost_traits_of(job->options.cost).ends_of_model) return 0.0;
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  const double parameters = ss_job_stage_parameters(job, stage) / (sharded ? (double)job->replicas : 1.0);
  return ss_duration_sum(
      ss_kernel_duration(job->machine, job->options.cost, false, 0.0, OPTIMIZER_BYTES_PER_PARAMETER * parameters));
}

double ss_job_gradient_bytes(const ss_job *job)
{
  const bool fp32 =
      ss_cost_traits_of(job->options.cost).fp32_gradients && job->workload->training.precision == SS_PRECISION_BF16;
  return fp32 ? 4.0 : 2.0;
}

ss_data_plan ss_job_data_plan(const ss_job *job)
{
  const ss_sharding sharding = job->workload->parallelism.sharding;
  const bool active = job->replicas > 1, fsdp = sharding == SS_SHARDING_PARAMETERS;
  return (ss_data_plan){
      .active = active,
      .gathers_at_start = active && (sharding == SS_SHARDING_OPTIMIZER || sharding == SS_SHARDING_GRADIENTS),
      .gathers_each_pass = active && fsdp,
      .reduces_each_pass = active && (fsdp || sharding == SS_SHARDING_GRADIENTS),
      .reduction = sharding == SS_SHARDING_NONE ? SS_ALL_REDUCE : SS_REDUCE_SCATTER,
  };
}
