#include "model/base/error.h"
#include "model/base/number.h"
#include "model/block/holders.h"
#include "model/block/recipe.h"
#include "model/estimate/estimate.h"
#include "model/estimate/peaks.h"
#include "model/input/workload.h"
#include "model/plan/host_step.h"
#include "model/plan/optimizer.h"
#include "model/plan/stage_ops.h"
#include "model/schedule/schedule.h"

static bool has_buffers(const ss_job *job)
{
  return ss_cost_traits_of(job->options.cost).buffers;
}

/* The blocks of a stage. */
typedef struct stage_blocks {
  ss_block_counts counts;
  int64_t all;
} stage_blocks;

/* Trained parameters of a stage that this rank keeps of a class of weights, sharded from some step of ZeRO on. */
static double kept_parameters(const ss_job *job, int64_t stage, ss_weights weights, ss_sharding sharded_from)
{
  const bool sharded = job->workload->parallelism.sharding >= sharded_from;
  return ss_job_trained_parameters(job, stage, weights) / (sharded ? (double)ss_job_shards(job, weights) : 1.0);
}

static stage_blocks blocks_of(const ss_job *job, int64_t stage)
{
  const int64_t *first = &job->block_first[stage * job->chunks];
  return (stage_blocks){job->counts[stage], first[job->chunks] - first[0]};
}

static double sum_bytes(const ss_block_counts *counts, const double bytes[SS_BLOCK_COUNT])
{
  double sum = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    sum += (double)counts->of[kind] * bytes[kind];
  }
  return sum;
}

/* The kind with most bytes of those that are left. */
static ss_block_kind largest_kind(const ss_block_counts *left, const double bytes[SS_BLOCK_COUNT])
{
  ss_block_set others = left->kinds;
  ss_block_kind largest = ss_block_take(&others);
  while (others != 0) {
    const ss_block_kind kind = ss_block_take(&others);
    if (left->of[kind] > 0 && (left->of[largest] == 0 || bytes[kind] > bytes[largest])) largest = kind;
  }
  return largest;
}

/* The most bytes that `window` blocks can have, each taken as often as they go round and round the stage. */
static double window_bytes(const stage_blocks *blocks, const double bytes[SS_BLOCK_COUNT], int64_t window)
{
  ss_block_counts left = blocks->counts;
  if (blocks->all == 0) return 0.0;
  const int64_t rounds = window / blocks->all, rest = window % blocks->all;
  double sum = (double)rounds * sum_bytes(&blocks->counts, bytes);
  for (int64_t i = 0; i < rest; ++i) {
    const ss_block_kind largest = largest_kind(&left, bytes);
    sum += bytes[largest];
    --left.of[largest];
  }
  return sum;
}

/* Blocks that a stage is in at a time: of two passes that run together one each. */
static int64_t blocks_at_once(const ss_job *job)
{
  return job->shape.pairs ? SS_PAIR_LANES : 1;
}

/* Weights that are sharded or offloaded are in use only while their block runs, and in the blocks fetched ahead. */
static bool are_fetched(const ss_job *job, ss_weights weights)
{
  const bool sharded = job->data.gathers_each_pass && ss_job_shards(job, weights) > 1;
  return sharded || job->workload->training.offload_weights == SS_YES;
}

/* Bytes of a class of weights of a block as its kernels use them. */
static double in_use_bytes(const ss_job *job, ss_block_kind kind, ss_weights weights)
{
  const bool layer = ss_block_traits_of(kind)->layer;
  const ss_workload *workload = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const ss_precision precision = ss_weights_precision(workload, kind, weights);
  const bool copies_only = layer && workload->training.weights_type == SS_AS_OPERANDS && ss_recipe_quantises(precision);
  const bool frozen = ss_workload_adapts(job->workload) && copies_only;
  const double copies_bytes = ss_recipe_kept_bytes(ss_recipe_of(precision), job->machine, frozen);
  const bool copied = copies_only || has_buffers(job);
  return ((copies_only ? 0.0 : SS_WEIGHT_BYTES) + (copied ? copies_bytes : 0.0)) * job->block[kind].parameters[weights];
}

/* Bytes that this rank keeps of a class of weights of a stage, to be gathered or fetched from. */
static double kept_weights_bytes(const ss_job *job, int64_t stage, ss_weights weights)
{
  const bool sharded = job->workload->parallelism.sharding == SS_SHARDING_PARAMETERS;
  const ss_block_counts *counts = &job->counts[stage];
  double bytes = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    bytes += (double)counts->of[kind] * job->gather_bytes[kind][weights];
  }
  return bytes / (sharded ? (double)ss_job_shards(job, weights) : 1.0);
}

/* Takes what stays gathered out of the bytes of the kinds, and returns what the blocks have of it. */
static double take_tables(const ss_job *job, const stage_blocks *blocks, double bytes[SS_BLOCK_COUNT])
{
  double tables_bytes = 0.0;
  for (ss_block_set left = job->data.kept_tables & blocks->counts.kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    tables_bytes += (double)blocks->counts.of[kind] * bytes[kind];
    bytes[kind] = 0.0;
  }
  return tables_bytes;
}

/* The share of a shard that is a copy in 16 bits, beside master weights or where these are on the host. */
static double copied_share(const ss_workload *workload)
{
  return workload->parallelism.shards == SS_SHARDS_16BIT ? 1.0 : ss_host_stepped_share(workload);
}

/* Weights that are fetched come from the second memory tier, or from the shards of all ranks: these are a copy in 16
 * bits, or the optimizer's master weights, which are cast as they are gathered. */
static void add_weights(const ss_job *job, const stage_blocks *blocks, ss_memory *memory)
{
  const bool offloaded = job->workload->training.offload_weights == SS_YES;
  const int64_t window = blocks_at_once(job) + ss_reads_ahead(job, job->shape.pairs);
  double always_bytes[SS_BLOCK_COUNT] = {0.0}, fetched_bytes[SS_BLOCK_COUNT] = {0.0};
  for (int class = 0; class < SS_WEIGHTS; ++class) {
    const ss_weights weights = (ss_weights) class;
    const bool fetched = are_fetched(job, weights);
    double *bytes = fetched ? fetched_bytes : always_bytes;
    for (ss_block_set left = blocks->counts.kinds; left != 0;) {
      const ss_block_kind kind = ss_block_take(&left);
      bytes[kind] += in_use_bytes(job, kind, weights);
    }
    if (!fetched) continue;
    double *home_bytes = offloaded ? &memory->offloaded_bytes : &memory->weights_bytes;
    *home_bytes += (offloaded ? 1.0 : copied_share(job->workload)) * kept_weights_bytes(job, memory->stage, weights);
  }
  const double tables_bytes = take_tables(job, blocks, fetched_bytes);
  const double there_bytes =
      tables_bytes + window_bytes(blocks, fetched_bytes, window < blocks->all ? window : blocks->all);
  memory->weights_bytes += sum_bytes(&blocks->counts, always_bytes) + there_bytes;
  if (!offloaded) memory->gathered_bytes = there_bytes;
}

/* Gradients that are sharded are whole until they are reduced: those of the block that runs, and of the one before
 * while that is reduced beside it; so are those that go to the host as they are. */
static void add_unreduced(const ss_job *job, const stage_blocks *blocks, ss_memory *memory)
{
  if (!job->data.reduces_each_pass && !job->offload.gradients) return;
  const int64_t window = job->overlaps_data ? 2 : 1;
  double bytes[SS_BLOCK_COUNT] = {0.0};
  for (ss_block_set left = blocks->counts.kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      if (job->offload.gradients || ss_job_shards(job, (ss_weights)weights) > 1)
        bytes[kind] += job->reduce_bytes[kind][weights];
  }
  const double tables_bytes =
      take_tables(job, blocks, bytes); /* their gradients begin at the last block that uses them */
  memory->unreduced_bytes = tables_bytes + window_bytes(blocks, bytes, window < blocks->all ? window : blocks->all);
  memory->gradients_bytes += memory->unreduced_bytes;
}

/* Parameters whose products share a placeholder, one for each shape: experts of a layer have the same. */
static double shaped_parameters(const ss_job *job, ss_block_kind kind)
{
  const ss_workload *workload = job->workload;
  const int64_t experts = ss_layer_plan_workload(&job->layers, workload, kind)->model.experts;
  double parameters = 0.0;
  for (int class = 0; class < SS_WEIGHTS; ++class) {
    const ss_weights weights = (ss_weights) class;
    const double alike = weights == SS_WEIGHTS_EXPERT ? (double)experts / (double)workload->parallelism.ep : 1.0;
    if (!ss_gradients_leave(workload, weights) && alike > 0.0) parameters += job->block[kind].trained[weights] / alike;
  }
  return parameters;
}

/* A product that adds up the gradient of its weights itself returns one all the same, to the framework's autograd: of
 * their shape, in 16 bits, never filled. Transformer Engine keeps one for each shape, which the layers share
 * (transformer_engine/pytorch/module/base.py, get_dummy_wgrad); Megatron-LM makes that of the output layer, while all
 * activations are there (megatron/core/tensor_parallel/layers.py). */
static void add_placeholders(const ss_job *job, const stage_blocks *blocks, ss_memory *memory)
{
  if (!has_buffers(job) || job->workload->training.gradient_accumulation != SS_ACCUMULATION_FUSED) return;
  double layer = 0.0, head = 0.0;
  for (ss_block_set left = blocks->counts.kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    if (ss_block_traits_of(kind)->layer)
      layer = ss_max(layer, shaped_parameters(job, kind));
    else if (kind == SS_BLOCK_HEAD)
      head = shaped_parameters(job, SS_BLOCK_HEAD);
  }
  memory->placeholders_bytes = SS_WEIGHT_BYTES * (layer + head);
  memory->gradients_bytes += memory->placeholders_bytes;
}

static void add_gradients_and_optimizer(const ss_job *job, const stage_blocks *blocks, ss_memory *memory)
{
  add_unreduced(job, blocks, memory);
  add_placeholders(job, blocks, memory);
  const double kept = ss_host_takes_gradients(job->workload) ? 1.0 - ss_host_stepped_share(job->workload) : 1.0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights)
    memory->gradients_bytes += kept * ss_job_gradient_bytes(job) *
                               kept_parameters(job, memory->stage, (ss_weights)weights, SS_SHARDING_GRADIENTS);
  memory->optimizer_bytes += ss_job_gpu_state_bytes(job, memory->stage);
  memory->offloaded_bytes += ss_job_tier_bytes(job, memory->stage);
}

/* Activations are gone when the optimizer steps: what it needs then counts as far as it is more than they. */
static void add_step(const ss_job *job, ss_memory *memory)
{
  memory->optimizer_bytes += ss_max(0.0, ss_job_step_bytes(job, memory->stage) - memory->activations_bytes);
}

/* What micro-batches keep on a stage: from forward to backward, of that what goes to the second tier and logits, and
 * from backward to the gradients of weights. */
typedef struct kept_bytes {
  double stored, moved, logits, deferred;
} kept_bytes;

static kept_bytes add_kept(kept_bytes a, double factor, kept_bytes b)
{
  return (kept_bytes){.stored = a.stored + factor * b.stored,
                      .moved = a.moved + factor * b.moved,
                      .logits = a.logits + factor * b.logits,
                      .deferred = a.deferred + factor * b.deferred};
}

static double moved_bytes(const ss_job *job, ss_block_kind kind)
{
  return job->offload.write_bytes[kind][SS_PASS_FORWARD];
}

static kept_bytes kept_by_block(const ss_job *job, ss_chunk chunk, int64_t index)
{
  const ss_block_kind kind = ss_job_block_kind(job, chunk, index);
  const ss_block *block = &job->block[kind];
  return (kept_bytes){block->stored_bytes, moved_bytes(job, kind), block->logits_bytes, block->deferred_bytes};
}

/* One micro-batch in a chunk. */
static kept_bytes kept_by_chunk(const ss_job *job, ss_chunk chunk)
{
  kept_bytes sum = {0};
  const int64_t count = ss_job_block_count(job, chunk);
  for (int64_t i = 0; i < count; ++i) sum = add_kept(sum, 1.0, kept_by_block(job, chunk, i));
  return sum;
}

/* What the two micro-batches of a pair of passes keep at most: block by block forward begins to keep, and backward,
 * whose chunk keeps `whole`, lets go. */
static kept_bytes kept_by_pair(const ss_job *job, ss_chunk backward, ss_chunk forward, kept_bytes whole)
{
  const int64_t begun = ss_job_block_count(job, forward), left = ss_job_block_count(job, backward);
  kept_bytes now = whole, most = whole;
  for (int64_t i = 0; i < begun; ++i) {
    now = add_kept(now, 1.0, kept_by_block(job, forward, i));
    if (now.stored > most.stored) most = now;
    if (i < left) now = add_kept(now, -1.0, kept_by_block(job, backward, left - 1 - i));
  }
  return most;
}

/* What the chunks of a stage keep at a moment, when they keep `one` [chunks] of a micro-batch. They differ - the first
 * holds the embedding, the last the logits. */
static kept_bytes kept_at(const ss_job *job, int64_t stage, const ss_moment *moment, const kept_bytes *one)
{
  kept_bytes kept = {0};
  if (moment->paired) {
    const ss_chunk backward = {stage, moment->backward_chunk}, forward = {stage, moment->forward_chunk};
    kept = kept_by_pair(job, backward, forward, one[backward.index]);
    kept = add_kept(add_kept(kept, -1.0, one[backward.index]), -1.0, one[forward.index]);
    kept.deferred = 0.0;
  }
  for (int64_t c = 0; c < job->chunks; ++c) {
    const ss_in_flight held = ss_schedule_held(&job->shape, moment, c);
    const double deferred = kept.deferred + (double)held.halves * one[c].deferred;
    kept = add_kept(kept, (double)held.whole, one[c]);
    kept.deferred = deferred;
  }
  return kept;
}

/* All chunks of a stage have the same blocks: so it is where the stage after it has those of this one. */
static bool has_equal_chunks(const ss_job *job, int64_t stage)
{
  return job->repeats[stage] || (stage + 1 < job->stages && job->repeats[stage + 1]);
}

static kept_bytes most_of(kept_bytes most, kept_bytes kept)
{
  return kept.stored + kept.deferred > most.stored + most.deferred ? kept : most;
}

/* The most of all moments; where chunks are equal and always hold as many micro-batches together, that is any. */
static kept_bytes most_kept(const ss_job *job, int64_t stage, const kept_bytes *one)
{
  const bool by_depth = job->shape.schedule->order->by_depth, any = by_depth && has_equal_chunks(job, stage);
  kept_bytes most = {0};
  if (!by_depth && job->options.peaks != NULL) {
    const ss_peaks *peaks = ss_peak_cache_of(job->options.peaks, &job->shape, stage);
    for (int64_t i = 0; i < peaks->count; ++i) most = most_of(most, kept_at(job, stage, &peaks->moment[i], one));
    return most;
  }
  ss_moments moments = ss_schedule_moments(&job->shape, stage);
  bool more = true;
  for (ss_moment moment; more && ss_schedule_moment(&job->shape, &moments, &moment); more = !any)
    most = most_of(most, kept_at(job, stage, &moment, one));
  return most;
}

/* At the moment when a stage holds most. */
static kept_bytes kept_by_stage(const ss_job *job, int64_t stage)
{
  const ss_scratch_mark before = ss_scratch_now(job->scratch);
  kept_bytes *one = ss_scratch_take(job->scratch, (size_t)job->chunks * sizeof *one);
  for (int64_t c = 0; c < job->chunks; ++c) one[c] = kept_by_chunk(job, (ss_chunk){stage, c});
  const kept_bytes most = most_kept(job, stage, one);
  ss_scratch_return(job->scratch, before);
  return most;
}

/* Activations and gradients that come in, and that go out: a buffer for each that the stage has, as large as the
 * largest message. */
static double message_buffers_bytes(const ss_job *job, int64_t stage)
{
  double receives[SS_PASSES] = {0.0}, sends[SS_PASSES] = {0.0};
  for (int64_t c = 0; c < job->chunks; ++c)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_chunk chunk = {stage, c};
      ss_chunk other;
      if (ss_job_sender(job, chunk, (ss_pass)pass, &other))
        receives[pass] = ss_max(receives[pass], job->message_bytes[ss_job_cargo(job, other, (ss_pass)pass)]);
      if (ss_job_receiver(job, chunk, (ss_pass)pass, &other))
        sends[pass] = ss_max(sends[pass], job->message_bytes[ss_job_cargo(job, chunk, (ss_pass)pass)]);
    }
  double buffers = 0.0;
  for (int pass = 0; pass < SS_PASSES; ++pass) buffers += receives[pass] + sends[pass];
  return buffers;
}

/* All layers of a group run forward again before the last one runs backward. */
static double group_working_bytes(const ss_job *job, ss_chunk chunk)
{
  const int64_t count = ss_job_block_count(job, chunk);
  double group = 0.0, most = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, chunk, i);
    if (ss_block_traits_of(kind)->recomputes) group = 0.0;
    group += job->block[kind].working_bytes;
    most = ss_max(most, group);
  }
  return most;
}

/* What is on top for a moment: what kernels of the ends of the model need, or what layers run again, `recompute_bytes`,
 * and their kernels need. */
static double momentary_bytes(const ss_job *job, const stage_blocks *blocks, double recompute_bytes)
{
  double most = recompute_bytes;
  for (ss_block_set left = blocks->counts.kinds; left != 0;) {
    const ss_block *block = &job->block[ss_block_take(&left)];
    const double again_bytes = ss_block_traits_of(block->kind)->layer ? recompute_bytes : 0.0;
    most = ss_max(most, again_bytes + block->scratch_bytes);
  }
  return most;
}

/* What recomputation needs on top, while the block, or the group of layers, that needs most runs backward. */
static void add_recomputation(const ss_job *job, const stage_blocks *blocks, ss_memory *memory)
{
  const bool groups = job->workload->training.recompute_method == SS_RECOMPUTE_UNIFORM;
  for (int64_t c = 0; groups && c < job->chunks; ++c)
    memory->recompute_bytes = ss_max(memory->recompute_bytes, group_working_bytes(job, (ss_chunk){memory->stage, c}));
  for (ss_block_set left = groups ? 0 : blocks->counts.kinds; left != 0;)
    memory->recompute_bytes = ss_max(memory->recompute_bytes, job->block[ss_block_take(&left)].working_bytes);
}

/* Of what goes to the second tier, that of layers that run, of the one before and of those read ahead is there. */
static void add_activations(const ss_job *job, const stage_blocks *blocks, ss_memory *memory)
{
  kept_bytes kept = kept_by_stage(job, memory->stage);
  if (job->offload.activations) {
    double bytes[SS_BLOCK_COUNT] = {0.0};
    for (ss_block_set left = blocks->counts.kinds; left != 0;) {
      const ss_block_kind kind = ss_block_take(&left);
      bytes[kind] = moved_bytes(job, kind);
    }
    const double there_bytes =
        window_bytes(blocks, bytes, 1 + blocks_at_once(job) + ss_reads_ahead(job, job->shape.pairs));
    memory->offloaded_bytes += kept.moved;
    kept.stored -= kept.moved - ss_min(kept.moved, there_bytes);
  }
  memory->logits_bytes = kept.logits + (kept.logits > 0.0 ? job->block[SS_BLOCK_HEAD].scratch_bytes : 0.0);
  if (has_buffers(job)) memory->messages_bytes = message_buffers_bytes(job, memory->stage);
  memory->activations_bytes =
      kept.stored + kept.deferred + momentary_bytes(job, blocks, memory->recompute_bytes) + memory->messages_bytes;
}

ss_memory ss_estimate_stage_memory(const ss_job *job, int64_t stage)
{
  const stage_blocks blocks = blocks_of(job, stage);
  ss_memory memory = {.stage = stage,
                      .capacity_bytes = ss_machine_tensor_bytes(job->machine),
                      .reserved_bytes = job->machine->memory_reserved_bytes,
                      .offload_capacity_bytes = job->machine->offload_bytes};
  add_weights(job, &blocks, &memory);
  add_gradients_and_optimizer(job, &blocks, &memory);
  add_recomputation(job, &blocks, &memory);
  add_activations(job, &blocks, &memory);
  add_step(job, &memory);
#define SS_MEMORY_ADD(field, label) memory.total_bytes += memory.field;
  SS_MEMORY_LIST(SS_MEMORY_ADD)
#undef SS_MEMORY_ADD
  memory.fits = memory.total_bytes <= memory.capacity_bytes && memory.offloaded_bytes <= memory.offload_capacity_bytes;
  return memory;
}

ss_kept ss_estimate_kept(const ss_job *job, ss_chunk chunk)
{
  const kept_bytes kept = kept_by_chunk(job, chunk);
  return (ss_kept){kept.stored - (job->offload.activations ? kept.moved : 0.0), kept.deferred};
}

/* What a stage of one chunk has for `whole` micro-batches, and for `halves` of them. */
static double held_bytes(const ss_job *job, int64_t stage, ss_in_flight held)
{
  const ss_block_counts *counts = &job->counts[stage];
  double sum = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_block *block = &job->block[kind];
    sum += (double)counts->of[kind] *
           ((double)held.whole * block->stored_bytes + (double)held.halves * block->deferred_bytes);
  }
  return sum;
}

/* A stage with the blocks of the one before, that holds no more micro-batches - or trades whole ones for smaller halves
 * - and has no more buffers, needs no more memory: but for the first two, where buffers differ. */
static bool needs_no_more(const ss_job *job, int64_t stage)
{
  if (stage < 2 || !job->repeats[stage] || !job->shape.schedule->order->by_depth) return false;
  const ss_in_flight before = ss_schedule_in_flight(&job->shape, stage - 1);
  const ss_in_flight own = ss_schedule_in_flight(&job->shape, stage);
  if (own.whole > before.whole) return false;
  if (own.halves <= before.halves) return true;
  return !job->offload.activations && held_bytes(job, stage, own) <= held_bytes(job, stage, before);
}

ss_memory ss_estimate_memory(const ss_job *job)
{
  ss_memory fullest = ss_estimate_stage_memory(job, 0);
  for (int64_t stage = 1; stage < job->stages; ++stage) {
    if (needs_no_more(job, stage)) continue;
    const ss_memory memory = ss_estimate_stage_memory(job, stage);
    const bool fits = fullest.fits && memory.fits;
    if (memory.total_bytes > fullest.total_bytes) fullest = memory;
    fullest.fits = fits;
  }
  return fullest;
}

ss_offload ss_estimate_offload(const ss_job *job, int64_t stage)
{
  const ss_offload_plan *plan = &job->offload;
  const ss_tier_traffic step = ss_job_optimizer_traffic(job, stage);
  ss_offload offload = {0};
  if (!plan->active && step.written_bytes <= 0.0) return offload;
  const ss_block_counts *counts = &job->counts[stage];
  double read_bytes = 0.0, written_bytes = 0.0, passes_s = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      read_bytes += (double)counts->of[kind] * plan->read_bytes[kind][pass];
      written_bytes += (double)counts->of[kind] * plan->write_bytes[kind][pass];
      passes_s += (double)counts->of[kind] * ss_duration_sum(job->pass[kind][pass]);
    }
  }
  const bool moves_states = ss_host_stepped_share(job->workload) <= 0.0;
  const double step_s = moves_states ? ss_job_optimizer(job, stage).optimizer_s : 0.0;
  offload.read_bytes = (double)job->copy_batches * read_bytes + step.read_bytes;
  offload.written_bytes = (double)job->copy_batches * written_bytes + step.written_bytes;
  offload.needed_bytes_per_s = ss_max(read_bytes, written_bytes) / passes_s;
  if (step_s > 0.0) offload.optimizer_bytes_per_s = ss_max(step.read_bytes, step.written_bytes) / step_s;
  offload.available_bytes_per_s = plan->bytes_per_s;
  return offload;
}
