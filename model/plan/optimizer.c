#include "model/plan/optimizer.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/number.h"
#include "model/block/recipe.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/host_step.h"
#include "model/plan/muon.h"

/* Bytes per parameter. Adam reads the gradient, and reads and writes master weight and two moments; the norm of the
 * gradient reads it once more. In one kernel the gradient is read as it is, and the 16-bit weight written, too;
 * else that is a copy of the master weight, as the gradient in fp32 is of one in 16 bits; clipping reads and writes it,
 * and so does unscaling with the check for overflow, in fp16. Counted from megatron/optimizer/optimizer.py of
 * Megatron-LM, step(). */
#define CLIP_BYTES     (SS_FP32_BYTES + SS_FP32_BYTES)
#define UNSCALE_BYTES  (SS_FP32_BYTES + SS_FP32_BYTES)
#define TO_FP32_BYTES  (SS_ELEMENT_BYTES + SS_FP32_BYTES)
#define TO_16BIT_BYTES (SS_FP32_BYTES + SS_ELEMENT_BYTES)

/* Operations of Adam as kernels of their own, over lists of tensors (_multi_tensor_adamw of torch/optim/adamw.py):
 * decay 4 + 4; first moment, towards the gradient 4 + 4 + 4; second moment, shrunk 4 + 4, and the square of the
 * gradient added 4 + 4 + 4; its root 4 + 4, which is divided 4 + 4, and made larger 4 + 4; weight 4 + 4 + 4 + 4. Tensor
 * by tensor (DecoupledAdamW.adamw of composer/optim/decoupled_weight_decay.py, by default without decay) the first
 * moment is shrunk 4 + 4, and the gradient added 4 + 4 + 4: as much. */
#define OPERATIONS       8
#define OPERATIONS_BYTES (20.0 * SS_FP32_BYTES)

/* Of a layer of a vision tower, weights and biases of two norms and of four products; of what is around its layers,
 * of one product. */
#define TENSORS_OF_VISION 12.0
#define TENSORS_AROUND    2.0

/* Parameters of one launch over lists of tensors: 320 blocks of 65,536 each (depth_to_max_blocks of multi_tensor_apply,
 * chunk size 2048 * 32 of Apex). As many tensors as a launch takes, 24 to 110, are rarely fewer. */
#define LAUNCH_PARAMETERS (320.0 * 65536.0)

static double master_bytes(const ss_job *job)
{
  static const double bytes[] = {
      [SS_MASTER_FP32] = SS_FP32_BYTES, [SS_MASTER_16BIT] = SS_ELEMENT_BYTES, [SS_MASTER_NONE] = 0.0};
  return bytes[job->workload->training.master_weights];
}

static double moment_bytes(const ss_job *job)
{
  static const double bytes[] = {
      [SS_MOMENTS_FP32] = SS_FP32_BYTES, [SS_MOMENTS_16BIT] = SS_ELEMENT_BYTES, [SS_MOMENTS_FP8] = 1.0};
  return bytes[job->workload->training.moments];
}

/* Of a parameter with so many moments. */
static double kept_bytes(const ss_job *job, double moments)
{
  return master_bytes(job) + moments * moment_bytes(job);
}

/* A master weight that is the rest of the one in 16 bits is read with that; without one, that is stepped itself. */
static double updated_bytes(const ss_job *job, double moments)
{
  const double whole = job->workload->training.master_weights == SS_MASTER_FP32 ? 0.0 : SS_WEIGHT_BYTES;
  return 2.0 * kept_bytes(job, moments) + whole;
}

/* What Adam keeps beside the master weight, and Muon. */
#define ADAM_MOMENTS 2.0
#define MUON_MOMENTS 1.0

static bool copies_gradients(const ss_job *job)
{
  return job->workload->training.optimizer_step != SS_STEP_FUSED && ss_job_gradient_bytes(job) < SS_FP32_BYTES;
}

static bool steps_by_operation(const ss_job *job)
{
  const ss_optimizer_step step = job->workload->training.optimizer_step;
  return step == SS_STEP_FOREACH || step == SS_STEP_TENSORS;
}

/* What updates in fp32 read of a clipped gradient, and read and write of states. Muon has one moment. */
static double update_bytes(const ss_job *job, double moments)
{
  const bool adam = moments == ADAM_MOMENTS;
  return steps_by_operation(job) && adam ? OPERATIONS_BYTES : SS_FP32_BYTES + updated_bytes(job, moments);
}

static double step_bytes(const ss_job *job, double moments)
{
  if (job->workload->training.optimizer_step == SS_STEP_FUSED)
    return 2.0 * ss_job_gradient_bytes(job) + updated_bytes(job, moments) + SS_WEIGHT_BYTES;
  const double copied = copies_gradients(job) ? TO_FP32_BYTES : 0.0;
  const double unscaled = job->workload->training.precision == SS_PRECISION_FP16 ? UNSCALE_BYTES : 0.0;
  return copied + unscaled + SS_FP32_BYTES + CLIP_BYTES + update_bytes(job, moments) + TO_16BIT_BYTES;
}

/* Of these, what is read and written until the norm of the gradient is known. */
static double norm_bytes(const ss_job *job)
{
  if (job->workload->training.optimizer_step == SS_STEP_FUSED) return ss_job_gradient_bytes(job);
  const double unscaled = job->workload->training.precision == SS_PRECISION_FP16 ? UNSCALE_BYTES : 0.0;
  return (copies_gradients(job) ? TO_FP32_BYTES : 0.0) + unscaled + SS_FP32_BYTES;
}

/* Parameters that this rank steps with Adam. */
static double adam_parameters(const ss_job *job, int64_t stage, const ss_muon *muon)
{
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  double parameters = 0.0;
  for (int i = 0; i < SS_WEIGHTS; ++i) {
    const ss_weights weights = (ss_weights)i;
    const double shards = sharded ? (double)ss_job_shards(job, weights) : 1.0;
    parameters += (ss_job_trained_parameters(job, stage, weights) - muon->parameters[i]) / shards;
  }
  return parameters;
}

/* Of all that this rank steps, as the GPU keeps them. */
static double own_state_bytes(const ss_job *job, int64_t stage, const ss_muon *muon)
{
  return kept_bytes(job, ADAM_MOMENTS) * adam_parameters(job, stage, muon) +
         kept_bytes(job, MUON_MOMENTS) * muon->stepped;
}

/* Parameters that the host steps of those of this rank. */
static double host_parameters(const ss_job *job, int64_t stage, const ss_muon *muon)
{
  return ss_host_stepped_share(job->workload) * adam_parameters(job, stage, muon);
}

double ss_job_gpu_state_bytes(const ss_job *job, int64_t stage)
{
  const ss_muon muon = ss_muon_of(job, stage);
  return (1.0 - ss_offloaded_share(job->workload)) * own_state_bytes(job, stage, &muon);
}

static double tier_state_bytes(const ss_job *job, int64_t stage)
{
  const double share = ss_offloaded_share(job->workload);
  if (share <= 0.0) return 0.0;
  const ss_muon muon = ss_muon_of(job, stage);
  if (ss_host_stepped_share(job->workload) > 0.0) return SS_HOST_STATE_BYTES * host_parameters(job, stage, &muon);
  return share * own_state_bytes(job, stage, &muon);
}

double ss_job_tier_bytes(const ss_job *job, int64_t stage)
{
  if (ss_offloaded_share(job->workload) <= 0.0) return 0.0;
  const ss_muon muon = ss_muon_of(job, stage);
  return tier_state_bytes(job, stage) + SS_HOST_GRADIENT_BYTES * host_parameters(job, stage, &muon);
}

double ss_job_state_bytes(const ss_job *job, int64_t stage)
{
  return ss_job_gpu_state_bytes(job, stage) + tier_state_bytes(job, stage);
}

double ss_job_step_bytes(const ss_job *job, int64_t stage)
{
  const ss_muon muon = ss_muon_of(job, stage);
  if (ss_cost_traits_of(job->options.cost).as_published) return muon.working_bytes;
  const double parameters = adam_parameters(job, stage, &muon) - host_parameters(job, stage, &muon);
  const double copied = copies_gradients(job) ? parameters + muon.stepped : 0.0;
  /* of all second moments, at once */
  const double roots = job->workload->training.optimizer_step == SS_STEP_FOREACH ? parameters : 0.0;
  return SS_FP32_BYTES * (copied + roots) + muon.working_bytes;
}

/* New weights that the second tier keeps. */
static double offloaded_weights_bytes(const ss_job *job, int64_t stage)
{
  double bytes = 0.0;
  if (job->workload->training.offload_weights == SS_YES)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      bytes += SS_WEIGHT_BYTES * ss_job_stage_parameters(job, stage, (ss_weights)weights);
  return bytes;
}

ss_tier_traffic ss_job_optimizer_traffic(const ss_job *job, int64_t stage)
{
  const ss_workload *workload = job->workload;
  const double weights_bytes = offloaded_weights_bytes(job, stage);
  if (ss_host_stepped_share(workload) <= 0.0) {
    const double states_bytes = tier_state_bytes(job, stage);
    return (ss_tier_traffic){states_bytes, states_bytes + weights_bytes};
  }
  const ss_muon muon = ss_muon_of(job, stage);
  const double parameters = host_parameters(job, stage, &muon);
  return (ss_tier_traffic){parameters * ss_host_step_up_bytes(workload),
                           parameters * ss_host_step_down_bytes(workload) + weights_bytes};
}

/* What of a stage several ranks of a tensor-parallel group have the same of. */
static double tower_sum_s(const ss_job *job, int64_t stage)
{
  if (!ss_has_tower(job->workload) || ss_tower_tp(job->workload) == job->tensor) return 0.0;
  double bytes = 0.0;
  for (ss_block_set left = job->counts[stage].kinds & SS_BLOCKS_OF_TOWER; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    bytes += (double)job->counts[stage].of[kind] * job->reduce_bytes[kind][SS_WEIGHTS_DENSE];
  }
  const bool sharded = job->workload->parallelism.sharding >= SS_SHARDING_GRADIENTS;
  if (sharded) bytes /= (double)ss_job_shards(job, SS_WEIGHTS_DENSE);
  if (bytes <= 0.0) return 0.0;
  return ss_comm_time_sum(ss_collective_time(&job->network, SS_ALL_REDUCE, job->span[SS_GROUP_VISION_COPIES], bytes));
}

/* Bytes per weight of a class in a kind of block to quantise it, once in an iteration: Megatron-LM tells the modules of
 * Transformer Engine which micro-batch is the first (is_first_microbatch,
 * megatron/core/extensions/transformer_engine.py), and they keep what they make for the others. It is read in 16 bits,
 * once more where the largest is looked for. Where ranks gather quantised weights, each has quantised its shard in
 * place of the copy in 16 bits: only that for the gradients of inputs is made of what is gathered. Quantised weights
 * beside adapters never change. */
static double quantise_bytes(const ss_job *job, ss_block_kind kind, ss_weights weights)
{
  const ss_workload *workload = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const ss_recipe *recipe = ss_recipe_of(ss_weights_precision(workload, kind, weights));
  const double copies_bytes = ss_recipe_weight_copies_bytes(recipe, job->machine);
  const bool as_operands = workload->training.weights_type == SS_AS_OPERANDS;
  if (copies_bytes <= 0.0 || (as_operands && ss_workload_adapts(workload))) return 0.0;
  const bool gathered = as_operands && ss_block_traits_of(kind)->layer && recipe->gathered_bytes < SS_WEIGHT_BYTES;
  if (gathered) return ss_recipe_shares_copy(recipe, job->machine) ? 0.0 : copies_bytes;
  return (recipe->scaling == SS_SCALING_TENSOR ? 2.0 : 1.0) * SS_WEIGHT_BYTES + copies_bytes;
}

/* Seconds to quantise the weights of a stage, all that ranks hold together for each other: shards are gathered first.
 */
static double quantise_s(const ss_job *job, int64_t stage)
{
  double bytes = 0.0;
  for (ss_block_set left = job->counts[stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int i = 0; i < SS_WEIGHTS; ++i)
      bytes += (double)job->counts[stage].of[kind] * quantise_bytes(job, kind, (ss_weights)i) *
               job->block[kind].parameters[i];
  }
  const ss_kernel kernel = {.engine = SS_ENGINE_VECTOR, .hbm_bytes = bytes, .access = SS_ACCESS_LONG_RUNS};
  return bytes > 0.0 ? ss_duration_sum(ss_kernel_duration(job->machine, job->options.cost, &kernel)) : 0.0;
}

/* Bytes of the sums of gradients that Megatron-LM clears ahead of the first pass (zero_grad_buffer of
 * megatron/core/distributed/distributed_data_parallel.py), all that a rank has; those of experts, whose means are taken
 * over fewer replicas, it also scales (expert_gradient_scaling_factor). FSDP keeps none from one iteration to the next.
 */
static double sums_bytes(const ss_job *job, int64_t stage)
{
  const ss_workload *workload = job->workload;
  const bool keeps = workload->parallelism.sharding < SS_SHARDING_GRADIENTS;
  if (workload->training.optimizer_step != SS_STEP_SEPARATE || !keeps) return 0.0;
  const bool scales = ss_job_holders(job, SS_WEIGHTS_EXPERT) != ss_job_holders(job, SS_WEIGHTS_DENSE);
  const double dense = ss_job_trained_parameters(job, stage, SS_WEIGHTS_DENSE);
  const double experts = ss_job_trained_parameters(job, stage, SS_WEIGHTS_EXPERT);
  return ss_job_gradient_bytes(job) * (dense + (scales ? 3.0 : 1.0) * experts);
}

/* Bytes of HBM for a parameter that the host steps: for the norm of the gradient, and where the gradient is still
 * there, to clip it. */
static double host_stepped_bytes(const ss_job *job)
{
  const bool clips = job->workload->training.optimizer_step != SS_STEP_FUSED && !ss_host_takes_gradients(job->workload);
  return norm_bytes(job) + (clips ? CLIP_BYTES : 0.0);
}

/* What the step takes of the second tier and of the host, which steps so many parameters, beyond kernels that take
 * `step_s`. Those for the parameters that the GPU steps itself, `own_s` of these, run beside the host's. */
static double tier_s(const ss_job *job, int64_t stage, double parameters, double step_s, double own_s)
{
  if (parameters > 0.0) {
    const double update_bytes = steps_by_operation(job) ? OPERATIONS_BYTES : SS_FP32_BYTES + 2.0 * SS_HOST_STATE_BYTES;
    const double host_s =
        ss_host_step_s(job->workload, job->machine, parameters, update_bytes, offloaded_weights_bytes(job, stage));
    return ss_max(host_s - own_s, 0.0);
  }
  const ss_tier_traffic traffic = ss_job_optimizer_traffic(job, stage);
  const double moved_bytes = ss_max(traffic.read_bytes, traffic.written_bytes);
  return moved_bytes > 0.0 ? ss_max(moved_bytes / job->machine->offload_bytes_per_s - step_s, 0.0) : 0.0;
}

static ss_optimizer_time work_out(const ss_job *job, int64_t stage)
{
  if (!ss_cost_traits_of(job->options.cost).ends_of_model) return (ss_optimizer_time){.optimizer_s = 0.0};
  const ss_muon muon = ss_muon_of(job, stage);
  const double adam = adam_parameters(job, stage, &muon), host = ss_host_stepped_share(job->workload) * adam;
  const double own_bytes = step_bytes(job, ADAM_MOMENTS) * (adam - host);
  const double bytes = own_bytes + host_stepped_bytes(job) * host + step_bytes(job, MUON_MOMENTS) * muon.stepped +
                       sums_bytes(job, stage);
  /* one kernel over lists of whole tensors, without reductions or random numbers */
  const ss_kernel kernel = {.engine = SS_ENGINE_VECTOR, .hbm_bytes = bytes, .access = SS_ACCESS_LONG_RUNS};
  const double kernel_s = ss_duration_sum(ss_kernel_duration(job->machine, job->options.cost, &kernel));
  const double kernels_s = kernel_s + muon.orthogonalise_s + tower_sum_s(job, stage) + quantise_s(job, stage);
  const double step_s = job->stretch * kernels_s;
  const double own_s = bytes > 0.0 ? job->stretch * kernel_s * own_bytes / bytes : 0.0;
  return (ss_optimizer_time){
      .optimizer_s = step_s, .exchange_s = muon.exchange_s, .offload_s = tier_s(job, stage, host, step_s, own_s)};
}

/* Tensor-parallel ranks exchange something, which takes what their placement makes it take. */
static bool exchanges(const ss_job *job)
{
  return job->workload->training.optimizer == SS_OPTIMIZER_MUON || ss_has_tower(job->workload);
}

ss_optimizer_time ss_job_optimizer(const ss_job *job, int64_t stage)
{
  if (job->kept_steps == NULL || exchanges(job)) return work_out(job, stage);
  ss_kept_step *kept = &job->kept_steps[stage];
  if (kept->revision != job->revision || kept->stretch != job->stretch)
    *kept = (ss_kept_step){job->revision, job->stretch, work_out(job, stage)};
  return kept->time;
}

ss_status ss_kept_steps_init(ss_job *job, int64_t stages)
{
  job->kept_steps = calloc((size_t)stages, sizeof *job->kept_steps);
  return job->kept_steps != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_kept_steps_free(ss_job *job)
{
  free(job->kept_steps);
  job->kept_steps = NULL;
}

/* Kernels of a step until the norm of the gradient is known, and behind that: clipping, the update, and the copy of
 * weights, or one for all. */
static int64_t kernels_to_norm(const ss_job *job)
{
  const bool unscales = job->workload->training.precision == SS_PRECISION_FP16;
  if (job->workload->training.optimizer_step == SS_STEP_FUSED) return 1;
  return 1 + (copies_gradients(job) ? 1 : 0) + (unscales ? 1 : 0);
}

static int64_t kernels_behind(const ss_job *job)
{
  if (job->workload->training.optimizer_step == SS_STEP_FUSED) return 1;
  return 2 + (steps_by_operation(job) ? OPERATIONS : 1);
}

/* One after the other, each of the same time. */
static ss_launches pieces(const ss_job *job, int64_t count, double gpu_s, bool synced)
{
  ss_launches all = ss_launches_none();
  for (int64_t i = 0; i < count; ++i) {
    const ss_launches one = ss_launches_one(1.0, job->host.launch_s[SS_PASS_FORWARD], gpu_s / (double)count);
    all = ss_launches_then(all, synced && i == 0 ? ss_launches_synced(one) : one);
  }
  return all;
}

#define SUMS_OF_METRIC 2.0 /* of losses and of tokens (sum_loss and total_items of LanguageCrossEntropy) */

/* The host waits for the loss (item() in _train_loop of composer/trainer/trainer.py), then gathers the sums of its
 * metrics into a tensor for each GPU, one by one: PyTorch fills them from Python (zeros_like in
 * _simple_gather_all_tensors of torchmetrics), and copies to them from C++ (allgather of ProcessGroupNCCL). */
static ss_launches gather_of_metrics(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  const int64_t gpus = ss_workload_gpus(workload);
  if (workload->training.loss_metrics == 0 || gpus == 1) return ss_launches_none();
  const double tensors = SUMS_OF_METRIC * (double)(workload->training.loss_metrics * gpus);
  const double tensor_s = job->host.launch_s[SS_PASS_FORWARD] + job->machine->launch_overhead_s;
  return ss_launches_synced(ss_launches_one(2.0 * tensors, tensors * tensor_s, 0.0));
}

/* LayerNorm of models with GELU, and their products, have biases beside their weights. */
static double tensors_of_module(const ss_workload *workload)
{
  return workload->model.mlp == SS_MLP_GELU ? 2.0 : 1.0;
}

/* Of experts that one kernel multiplies, a tensor has the matrices of all (GroupedExperts of torchtitan/models/moe). */
static double matrices_of(const ss_job *job, ss_block_kind kind, ss_weights weights)
{
  const ss_block *block = &job->block[kind];
  const bool apart = ss_workload_launches_experts(job->workload);
  double matrices = 0.0;
  for (int64_t i = 0; i < block->matrices; ++i)
    if (block->matrix[i].weights == weights)
      matrices += weights == SS_WEIGHTS_EXPERT && !apart ? 1.0 : block->matrix[i].count;
  return matrices;
}

static double dense_tensors(const ss_job *job, ss_block_kind kind)
{
  const ss_workload *workload = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const ss_block *block = &job->block[kind];
  const ss_block_set bit = SS_BLOCK_BIT(kind);
  const double norms = workload->model.post_norms == SS_YES ? 4.0 : 2.0;
  if (ss_workload_adapts(workload)) return matrices_of(job, kind, SS_WEIGHTS_DENSE);
  if (ss_block_traits_of(kind)->layer)
    return tensors_of_module(workload) * (norms + matrices_of(job, kind, SS_WEIGHTS_DENSE));
  if (block->parameters[SS_WEIGHTS_DENSE] <= 0.0) return 0.0;
  if ((bit & SS_BLOCKS_OF_TOWER) != 0) return (bit & SS_BLOCKS_OF_VISION) != 0 ? TENSORS_OF_VISION : TENSORS_AROUND;
  if (kind == SS_BLOCK_HEAD) return tensors_of_module(workload) + (block->shares_table ? 0.0 : 1.0);
  return 1.0; /* a table */
}

/* What a rank has some of: a share of each where each is sharded by itself (fully_shard of PyTorch), else of those of a
 * block one after the other a part, whose ends are cut: in the mean a tensor more than an even share of all others. */
static double tensors_of_share(const ss_job *job, ss_weights weights, double tensors)
{
  const ss_workload *workload = job->workload;
  const bool each =
      workload->parallelism.fsdp == SS_FSDP_PER_PARAMETER && workload->parallelism.sharding >= SS_SHARDING_GRADIENTS;
  const double shards = workload->parallelism.sharding == SS_SHARDING_NONE ? 1.0 : (double)ss_job_shards(job, weights);
  return each || tensors == 0.0 ? tensors : 1.0 + (tensors - 1.0) / shards;
}

/* Tensors of a stage of which this rank has some. */
static int64_t tensors_of(const ss_job *job, int64_t stage)
{
  double tensors = 0.0;
  for (ss_block_set left = job->counts[stage].kinds & ~job->frozen; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_workload *of_kind = ss_layer_plan_workload(&job->layers, job->workload, kind);
    const double experts = tensors_of_module(of_kind) * matrices_of(job, kind, SS_WEIGHTS_EXPERT);
    tensors +=
        (double)job->counts[stage].of[kind] * (tensors_of_share(job, SS_WEIGHTS_DENSE, dense_tensors(job, kind)) +
                                               tensors_of_share(job, SS_WEIGHTS_EXPERT, experts));
  }
  return (int64_t)ceil(tensors);
}

/* One list after the other, or one tensor, of which the host reads the number of its step (item() of a tensor of the
 * GPU), of what the GPU steps. */
static ss_launches behind_norm(const ss_job *job, int64_t stage, int64_t lists, double gpu_s)
{
  if (job->workload->training.optimizer_step != SS_STEP_TENSORS)
    return pieces(job, lists * kernels_behind(job), gpu_s, true);
  const double own = 1.0 - ss_host_stepped_share(job->workload);
  const int64_t tensors = (int64_t)ceil(own * (double)tensors_of(job, stage));
  ss_launches all = ss_launches_none();
  for (int64_t i = 0; i < tensors; ++i)
    all = ss_launches_then(all, pieces(job, kernels_behind(job), gpu_s / (double)tensors, true));
  return all;
}

ss_launches ss_job_step_launches(const ss_job *job, int64_t stage, double gpu_s)
{
  const ss_muon muon = ss_muon_of(job, stage);
  const double parameters = adam_parameters(job, stage, &muon) + muon.stepped;
  const bool apart = job->workload->training.optimizer_step == SS_STEP_TENSORS;
  const double own = parameters - host_parameters(job, stage, &muon);
  const int64_t lists = (int64_t)ss_max(ceil(parameters / LAUNCH_PARAMETERS), 1.0);
  const int64_t own_lists = (int64_t)ss_max(ceil(own / LAUNCH_PARAMETERS), 1.0);
  const double norm_s = gpu_s * norm_bytes(job) / step_bytes(job, ADAM_MOMENTS);
  const int64_t first = apart ? tensors_of(job, stage) : lists;
  const ss_launches step = ss_launches_then(pieces(job, first * kernels_to_norm(job), norm_s, false),
                                            behind_norm(job, stage, own_lists, gpu_s - norm_s));
  return ss_launches_then(step, gather_of_metrics(job));
}
