/* Vision towers: sizes of published encoders, their tasks by hand, and where they lie. */
#include "tests/support/blocks.hpp"
#include "tests/support/towers.hpp"

extern "C" {
#include "model/input/tower.h"
#include "model/plan/stage_ops.h"
}

using namespace stepsim;

namespace
{

constexpr double e = 1024; /* hidden size of the fixtures' decoder */

double parameters(const ss_workload &workload, ss_block_kind kind)
{
  return build(workload, kind)->parameters[SS_WEIGHTS_DENSE];
}

double parameters_of_tower(const ss_workload &workload)
{
  return parameters(workload, SS_BLOCK_PATCHES) +
         (double)workload.model.vision_layers * parameters(ss_tower_workload(&workload), SS_BLOCK_VISION);
}

double stored(const ss_workload &workload, ss_block_kind kind)
{
  return build(workload, kind)->stored_bytes;
}

} /* namespace */

/* SigLIP so400m/14 of Gemma 3, 417 million (arXiv 2503.19786, table 1); ViT-L/14 of CLIP, 303 million with the
 * positions of 16 x 16 patches and a class (arXiv 2103.00020; 304 million with its projection); and Qwen2-VL's, 675
 * million with the merger (arXiv 2409.12191, table 1): 32 layers of 1280, two frames of 14 x 14, and an MLP of 5120 on
 * four patches side by side. Biases of queries, keys and values are not counted: 3 / (12 hidden) of all. */
TEST(Tower, ParametersOfPublishedEncoders)
{
  ss_workload w = with_tower();
  w.model.vision_layers = 27;
  w.model.vision_hidden = 1152;
  w.model.vision_ffn = 4304;
  w.model.vision_heads = 16;
  w.model.vision_positions = 4096;
  const double layer = 4 * 1152 * 1152 + 2 * 1152 * 4304 + 1152 + 4304 + 1152 + 4 * 1152;
  EXPECT_DOUBLE_EQ(parameters_of_tower(w), 27 * layer + (588 + 1 + 4096) * 1152);
  expect_close(parameters_of_tower(w), 416.87e6, 1e-3);
  w.model.vision_layers = 24;
  w.model.vision_hidden = 1024;
  w.model.vision_ffn = 4096;
  w.model.vision_positions = 257;
  expect_close(parameters_of_tower(w), 303.2e6, 1e-3);
  w.model.hidden = 3584;
  w.model.vision_layers = 32;
  w.model.vision_hidden = 1280;
  w.model.vision_ffn = 5120;
  w.model.vision_patch = 1176;
  w.model.vision_positions = 0;
  w.model.vision_projector = 5120;
  expect_close(parameters_of_tower(w) + parameters(w, SS_BLOCK_PROJECTOR), 675.8e6, 1e-3);
}

/* Of 2 x 64 patches: the product of 588 values, which asks for no gradient of the images; layers of 128 tokens that see
 * 64 each, without any mask; 32 tokens of four states side by side, or of their mean. */
TEST(Tower, TasksAndActivations)
{
  ss_workload w = with_tower();
  const double patches = 2 * 64, h = 256;
  const BlockPointer ends = build(w, SS_BLOCK_PATCHES);
  EXPECT_EQ(names(*ends, SS_PASS_FORWARD), "patch product, positions");
  EXPECT_DOUBLE_EQ(find(*ends, SS_PASS_FORWARD, SS_OP_PATCHES).kernel.flop, patches * h * (2 * 588 - 1));
  EXPECT_EQ(find(*ends, SS_PASS_BACKWARD, SS_OP_PATCHES).role, SS_ROLE_WEIGHTS);
  EXPECT_DOUBLE_EQ(stored(w, SS_BLOCK_PATCHES), SS_ELEMENT_BYTES * patches * 588);

  ss_workload alone = ss_tower_workload(&w), whole = alone;
  whole.model.chunk = 0;
  const auto attention = [](const ss_workload &tower) {
    return find(*build(tower, SS_BLOCK_VISION), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
  };
  EXPECT_DOUBLE_EQ(attention(alone), attention(whole) / 2);
  EXPECT_DOUBLE_EQ(find(*build(alone, SS_BLOCK_VISION), SS_PASS_FORWARD, SS_OP_FC1).kernel.flop,
                   patches * 1024 * (2 * h - 1));
  alone.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_DOUBLE_EQ(stored(alone, SS_BLOCK_VISION), SS_ELEMENT_BYTES * patches * h);

  const double tokens = patches / 4;
  EXPECT_EQ(names(*build(w, SS_BLOCK_PROJECTOR), SS_PASS_FORWARD), "final norm, projector product, concatenation");
  EXPECT_DOUBLE_EQ(find(*build(w, SS_BLOCK_PROJECTOR), SS_PASS_FORWARD, SS_OP_PROJECTOR).kernel.flop,
                   tokens * e * (2 * 4 * h - 1));
  EXPECT_DOUBLE_EQ(parameters(w, SS_BLOCK_PROJECTOR), 2 * h + 4 * h * e);
  w.model.vision_join = SS_NO;
  EXPECT_EQ(names(*build(w, SS_BLOCK_PROJECTOR), SS_PASS_FORWARD),
            "final norm, pooling, projector product, concatenation");
  EXPECT_DOUBLE_EQ(parameters(w, SS_BLOCK_PROJECTOR), 2 * h + h * e);
  w.model.vision_projector = 512;
  w.parallelism.tp = 2;
  w.parallelism.sequence_parallel = SS_YES;
  EXPECT_EQ(calls(*build(w, SS_BLOCK_PROJECTOR), SS_PASS_FORWARD), "all-gather reduce-scatter ");
  EXPECT_DOUBLE_EQ(parameters(w, SS_BLOCK_PROJECTOR), 2 * h + 512 * (h + e) / 2);
}

/* Ahead of the embedding, on the first stage only; a model is asked for three times its products, and twice for those
 * of the patches. */
TEST(Tower, LiesOnTheFirstStage)
{
  ss_workload w = with_tower();
  w.model.layers = 4;
  w.parallelism.pp = 2;
  w.training.global_batch = 4;
  const ss_machine machine = make_machine({});
  const Job job(w, machine, SS_COST_CALIBRATED);
  const ss_block_kind kinds[] = {SS_BLOCK_PATCHES,   SS_BLOCK_VISION, SS_BLOCK_VISION, SS_BLOCK_PROJECTOR,
                                 SS_BLOCK_EMBEDDING, SS_BLOCK_LAYER,  SS_BLOCK_LAYER};
  ASSERT_EQ(ss_job_block_count(job.get(), {0, 0}), 7);
  for (int64_t i = 0; i < 7; ++i) EXPECT_EQ(ss_job_block_kind(job.get(), {0, 0}, i), kinds[i]);
  EXPECT_EQ(ss_job_block_layer(job.get(), {0, 0}, 1), -1);
  EXPECT_EQ(ss_job_block_layer(job.get(), {0, 0}, 6), 1);
  EXPECT_EQ(ss_job_block_count(job.get(), {1, 0}), 3);

  ss_workload without = w;
  without.model.vision_layers = without.model.vision_hidden = 0;
  const Job plain(without, machine, SS_COST_CALIBRATED);
  const double more = ss_estimate_metrics(job.get(), 1).model_flop_per_iteration -
                      ss_estimate_metrics(plain.get(), 1).model_flop_per_iteration;
  const double patches = 128, h = 256, layer = 2 * patches * (4 * h * h + 2 * h * 1024) + 4 * patches * 64 * h;
  expect_close(more, 4 * (2 * 3 * layer + 4 * patches * 588 * h + 6 * 32 * 4 * h * e), 1e-12);
  const double tower = parameters_of_tower(w) + parameters(w, SS_BLOCK_PROJECTOR);
  expect_close(ss_job_stage_parameters(job.get(), 0, SS_WEIGHTS_DENSE) -
                   ss_job_stage_parameters(plain.get(), 0, SS_WEIGHTS_DENSE),
               tower, 1e-9);
  EXPECT_GT(ss_estimate_stage_memory(job.get(), 0).total_bytes, ss_estimate_stage_memory(plain.get(), 0).total_bytes);
  expect_close(ss_estimate_stage_memory(job.get(), 1).total_bytes, ss_estimate_stage_memory(plain.get(), 1).total_bytes,
               1e-12);
}

/* A frozen tower goes forward once and keeps nothing; its projector is trained. Without it a rank has no gradients and
 * no optimizer states, but its weights; a model is asked for one pass of it, and nothing of it is gathered or reduced:
 * but with FSDP gathered, forward only. */
TEST(Tower, FrozenGoesForwardOnly)
{
  ss_workload w = with_tower();
  w.parallelism.dp = 4;
  w.training.global_batch = 4;
  w.training.recompute = SS_RECOMPUTE_FULL;
  for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
    w.parallelism.sharding = sharding;
    w.training.freeze_vision = SS_NO;
    const Job trained(w, make_machine({}), SS_COST_CALIBRATED);
    w.training.freeze_vision = SS_YES;
    const Job frozen(w, make_machine({}), SS_COST_CALIBRATED);
    for (ss_block_kind kind : {SS_BLOCK_PATCHES, SS_BLOCK_VISION}) {
      const ss_block &block = frozen->block[kind];
      EXPECT_EQ(names(block, SS_PASS_FORWARD), names(trained->block[kind], SS_PASS_FORWARD));
      EXPECT_EQ(names(block, SS_PASS_BACKWARD), "");
      EXPECT_EQ(block.stored_bytes + block.working_bytes, 0);
      EXPECT_EQ(block.parameters[SS_WEIGHTS_DENSE], trained->block[kind].parameters[SS_WEIGHTS_DENSE]);
      EXPECT_EQ(frozen->reduce_bytes[kind][SS_WEIGHTS_DENSE], 0);
      EXPECT_TRUE(ss_pass_gathers(frozen.get(), kind, SS_PASS_FORWARD));
      EXPECT_FALSE(ss_pass_gathers(frozen.get(), kind, SS_PASS_BACKWARD));
    }
    EXPECT_EQ(names(frozen->block[SS_BLOCK_PROJECTOR], SS_PASS_BACKWARD),
              names(trained->block[SS_BLOCK_PROJECTOR], SS_PASS_BACKWARD));
    const double tower = parameters_of_tower(w), shards = sharding == SS_SHARDING_PARAMETERS ? 4 : 1;
    const ss_memory more = ss_estimate_stage_memory(trained.get(), 0), less = ss_estimate_stage_memory(frozen.get(), 0);
    expect_close(more.optimizer_bytes - less.optimizer_bytes, 12 * tower / 4, 1e-6);
    expect_close(more.gradients_bytes - less.gradients_bytes, 4 * tower / shards, 1e-6);
    EXPECT_EQ(more.weights_bytes, less.weights_bytes);
    const double patches = 128, h = 256, layer = 2 * patches * (4 * h * h + 2 * h * 1024) + 4 * patches * 64 * h;
    expect_close(ss_estimate_metrics(trained.get(), 1).model_flop_per_iteration -
                     ss_estimate_metrics(frozen.get(), 1).model_flop_per_iteration,
                 4 * (2 * 2 * layer + 2 * patches * 588 * h), 1e-9);
    EXPECT_LT(ss_estimate_time(frozen.get()).iteration_s, ss_estimate_time(trained.get()).iteration_s);
  }
}

/* Qwen2.5-VL: windows of 64 patches in all but each eighth layer (arXiv 2502.13923, table 1). Here each fourth of eight
 * layers sees 64 patches, the others 16; a layout that splits the tower does not change which these are. */
TEST(Tower, LayersHaveWindows)
{
  ss_workload w = with_tower(make_pipeline(4, 2, 1));
  w.model.vision_layers = 8;
  w.training.global_batch = 1;
  set_layout(w, "V*3|V*5Et*4L");
  const ss_machine machine = make_machine({});
  const Job whole(w, machine, SS_COST_CALIBRATED);
  w.model.vision_window = 16;
  w.model.vision_full_every = 4;
  const Job windows(w, machine, SS_COST_CALIBRATED);
  for (int64_t layer = 0; layer < 8; ++layer) {
    const ss_chunk chunk = {layer < 3 ? 0 : 1, 0};
    const int64_t index = layer < 3 ? 1 + layer : layer - 3; /* patches are ahead of the first */
    EXPECT_EQ(ss_job_block_kind(windows.get(), chunk, index), layer % 4 == 3 ? SS_BLOCK_VISION : SS_BLOCK_WINDOWS);
    EXPECT_EQ(ss_job_block_kind(whole.get(), chunk, index), SS_BLOCK_VISION);
  }
  const auto attention = [&](ss_block_kind kind) {
    return find(windows->block[kind], SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
  };
  EXPECT_DOUBLE_EQ(attention(SS_BLOCK_WINDOWS), attention(SS_BLOCK_VISION) / 4);
  const double less = 6 * 4.0 * 128 * (64 - 16) * 256; /* scores and sums of six layers, of 128 patches */
  expect_close(ss_estimate_metrics(whole.get(), 1).model_flop_per_iteration -
                   ss_estimate_metrics(windows.get(), 1).model_flop_per_iteration,
               3 * less, 1e-9);
}

/* Three sequences of two images, of 64 patches each, are 6 for 4 ranks: the busiest has 2, of 6 on ranks that have all.
 * It encodes, keeps and sends a third of that, and gathers the 96 tokens that the decoder takes. Together the ranks
 * encode 8 of 6: the model's flop stay. */
TEST(Tower, RanksShareImages)
{
  ss_workload w = with_tower(make_pipeline(4, 2, 1));
  w.parallelism.vision_stages = 1;
  w.parallelism.tp = 4;
  w.parallelism.vision_tp = 1;
  w.training.micro_batch = w.training.global_batch = 3;
  const ss_machine machine = make_machine({});
  const Job all(w, machine, SS_COST_CALIBRATED);
  w.parallelism.vision_share = SS_IMAGES_TENSOR;
  const Job shared(w, machine, SS_COST_CALIBRATED);
  for (ss_block_kind kind : {SS_BLOCK_PATCHES, SS_BLOCK_VISION}) {
    EXPECT_DOUBLE_EQ(flop(shared->block[kind], SS_PASS_FORWARD), flop(all->block[kind], SS_PASS_FORWARD) / 3);
    EXPECT_DOUBLE_EQ(shared->block[kind].stored_bytes, all->block[kind].stored_bytes / 3);
    EXPECT_EQ(shared->block[kind].parameters[SS_WEIGHTS_DENSE], all->block[kind].parameters[SS_WEIGHTS_DENSE]);
  }
  EXPECT_EQ(shared->message_bytes[SS_CARGO_PATCHES], 2.0 * 2 * 64 * 256);
  EXPECT_EQ(shared->message_bytes[SS_CARGO_IMAGES], all->message_bytes[SS_CARGO_IMAGES]);
  EXPECT_EQ(calls(all->block[SS_BLOCK_PROJECTOR], SS_PASS_FORWARD), "");
  EXPECT_EQ(calls(shared->block[SS_BLOCK_PROJECTOR], SS_PASS_FORWARD), "all-gather ");
  for (const ss_task &task : tasks(shared->block[SS_BLOCK_PROJECTOR], SS_PASS_FORWARD)) {
    if (task.calls == 0) continue;
    EXPECT_DOUBLE_EQ(task.call[0].volume_bytes, 2.0 * 96 * 1024);
  }
  const ss_metrics metrics = ss_estimate_metrics(shared.get(), 1), whole = ss_estimate_metrics(all.get(), 1);
  EXPECT_DOUBLE_EQ(metrics.model_flop_per_iteration, whole.model_flop_per_iteration);
  EXPECT_LT(metrics.hfu, whole.hfu);
  expect_close(shared.replay().breakdown.iteration_s, ss_estimate_time(shared.get()).iteration_s, 0.05);
}

/* Four heads are not split over eight ranks: each of them has the tower and sends all patches; they add up its
 * gradients of 4 bytes ahead of the step, and gather what the decoder's ranks have of those of 32 tokens. */
TEST(Tower, RanksHaveAllOfIt)
{
  ss_workload w = with_tower(make_pipeline(4, 2, 1));
  w.parallelism.vision_stages = 1;
  w.parallelism.tp = 4;
  w.parallelism.sequence_parallel = SS_YES;
  w.model.heads = w.model.kv_heads = 16;
  const ss_machine machine = make_machine({});
  const Job split(w, machine, SS_COST_CALIBRATED);
  EXPECT_NE(calls(split->block[SS_BLOCK_VISION], SS_PASS_FORWARD), "");
  w.parallelism.tp = 8;
  const Job whole(w, machine, SS_COST_CALIBRATED);
  w.parallelism.vision_tp = 1;
  const Job said(w, machine, SS_COST_CALIBRATED);
  EXPECT_EQ(ss_estimate_time(said.get()).iteration_s, ss_estimate_time(whole.get()).iteration_s);
  ss_workload one = w;
  one.parallelism.tp = 1;
  one.parallelism.sequence_parallel = SS_NO;
  const Job alone(one, machine, SS_COST_CALIBRATED);
  double tower = 0.0;
  for (ss_block_kind kind : {SS_BLOCK_PATCHES, SS_BLOCK_VISION, SS_BLOCK_PROJECTOR}) {
    const ss_block &block = whole->block[kind];
    EXPECT_EQ(calls(block, SS_PASS_FORWARD), "");
    EXPECT_EQ(block.parameters[SS_WEIGHTS_DENSE], alone->block[kind].parameters[SS_WEIGHTS_DENSE]);
    EXPECT_EQ(block.stored_bytes, alone->block[kind].stored_bytes);
    EXPECT_EQ(ss_duration_sum(whole->pass[kind][SS_PASS_FORWARD]), ss_duration_sum(alone->pass[kind][SS_PASS_FORWARD]));
    tower += (kind == SS_BLOCK_VISION ? 2.0 : 1.0) * block.parameters[SS_WEIGHTS_DENSE];
  }
  EXPECT_EQ(calls(whole->block[SS_BLOCK_PROJECTOR], SS_PASS_BACKWARD), "all-gather ");
  EXPECT_DOUBLE_EQ(whole->block[SS_BLOCK_PROJECTOR].list[SS_PASS_BACKWARD].task[0].call[0].volume_bytes,
                   2.0 * 32 * 1024);
  EXPECT_EQ(whole->message_bytes[SS_CARGO_PATCHES], 2.0 * 128 * 256);
  EXPECT_EQ(whole->message_bytes[SS_CARGO_IMAGES], 2.0 * 32 * 1024);
  const ss_span span = whole->span[SS_GROUP_TENSOR];
  const double sum_s = ss_comm_time_sum(ss_collective_time(&whole->network, SS_ALL_REDUCE, span, 4 * tower));
  expect_close(ss_job_optimizer(whole.get(), 0).optimizer_s - ss_job_optimizer(alone.get(), 0).optimizer_s, sum_s,
               1e-9);
  w.training.freeze_vision = SS_YES;
  const Job frozen(w, machine, SS_COST_CALIBRATED);
  EXPECT_LT(ss_job_optimizer(frozen.get(), 0).optimizer_s, ss_job_optimizer(whole.get(), 0).optimizer_s);
}

/* Two of four ranks split the tower, and the two groups of them do the same: per rank twice the products that four have
 * of a layer, and half of its weights; a layer's collectives are over two. The rank gathers the 32 tokens that its
 * group makes, so that each of four takes its part; the groups add up gradients. All four ranks are as before. */
TEST(Tower, PartOfTheRanksSplitIt)
{
  ss_workload w = with_tower(make_pipeline(4, 2, 1));
  w.parallelism.vision_stages = 1;
  w.parallelism.tp = 4;
  w.parallelism.sequence_parallel = SS_YES;
  const ss_machine machine = make_machine({});
  const Job four(w, machine, SS_COST_CALIBRATED);
  w.parallelism.vision_tp = 4;
  const Job said(w, machine, SS_COST_CALIBRATED);
  EXPECT_EQ(ss_estimate_time(said.get()).iteration_s, ss_estimate_time(four.get()).iteration_s);
  w.parallelism.vision_tp = 2;
  const Job two(w, machine, SS_COST_CALIBRATED);
  const double h = 256, layer = 4 * h * h + 2 * h * 1024;
  const ss_block &block = two->block[SS_BLOCK_VISION];
  expect_close(block.parameters[SS_WEIGHTS_DENSE] - four->block[SS_BLOCK_VISION].parameters[SS_WEIGHTS_DENSE],
               layer / 4 + 1024.0 / 4, 1e-12);
  for (const ss_task &task : tasks(block, SS_PASS_FORWARD))
    for (int64_t i = 0; i < task.calls; ++i) EXPECT_EQ(task.call[i].group, SS_GROUP_VISION);
  EXPECT_EQ(two->span[SS_GROUP_VISION].size, 2);
  EXPECT_EQ(two->span[SS_GROUP_VISION_COPIES].size, 2);
  EXPECT_EQ(two->message_bytes[SS_CARGO_PATCHES], 2 * four->message_bytes[SS_CARGO_PATCHES]);
  EXPECT_EQ(two->message_bytes[SS_CARGO_IMAGES], 4 * four->message_bytes[SS_CARGO_IMAGES]);
  EXPECT_EQ(calls(two->block[SS_BLOCK_PROJECTOR], SS_PASS_FORWARD), "all-gather ");
  EXPECT_EQ(calls(two->block[SS_BLOCK_PROJECTOR], SS_PASS_BACKWARD), "all-gather ");
  EXPECT_EQ(ss_tower_copies(&w), 2);
  expect_close(two.replay().breakdown.iteration_s, ss_estimate_time(two.get()).iteration_s, 0.05);
}

/* Two sequences of two images over two context-parallel ranks: each encodes all four, as one rank does, and sends their
 * tokens; that of a stage's gradients is over both. Where they share them out, each encodes two, gathers 64 tokens of
 * all four, and adds up their gradients. */
TEST(Tower, ContextParallelRanksEncodeAllOrShare)
{
  ss_workload w = with_tower(make_pipeline(4, 2, 1));
  w.parallelism.vision_stages = 1;
  w.training.micro_batch = w.training.global_batch = 2;
  const ss_machine machine = make_machine({});
  const Job one(w, machine, SS_COST_CALIBRATED);
  w.parallelism.cp = 2;
  const Job all(w, machine, SS_COST_CALIBRATED);
  w.parallelism.vision_share = SS_IMAGES_CONTEXT;
  const Job shared(w, machine, SS_COST_CALIBRATED);
  for (ss_block_kind kind : {SS_BLOCK_PATCHES, SS_BLOCK_VISION}) {
    EXPECT_EQ(flop(all->block[kind], SS_PASS_FORWARD), flop(one->block[kind], SS_PASS_FORWARD));
    EXPECT_EQ(calls(all->block[kind], SS_PASS_FORWARD), "");
    EXPECT_EQ(all->block[kind].stored_bytes, one->block[kind].stored_bytes);
    EXPECT_DOUBLE_EQ(flop(shared->block[kind], SS_PASS_FORWARD), flop(all->block[kind], SS_PASS_FORWARD) / 2);
    EXPECT_DOUBLE_EQ(shared->block[kind].stored_bytes, all->block[kind].stored_bytes / 2);
  }
  EXPECT_EQ(all->message_bytes[SS_CARGO_IMAGES], one->message_bytes[SS_CARGO_IMAGES]);
  EXPECT_EQ(calls(all->block[SS_BLOCK_PROJECTOR], SS_PASS_FORWARD), "");
  EXPECT_EQ(calls(shared->block[SS_BLOCK_PROJECTOR], SS_PASS_FORWARD), "all-gather ");
  EXPECT_EQ(calls(shared->block[SS_BLOCK_PROJECTOR], SS_PASS_BACKWARD), "all-reduce ");
  for (ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    for (const ss_task &task : tasks(shared->block[SS_BLOCK_PROJECTOR], pass)) {
      if (task.calls == 0) continue;
      EXPECT_EQ(task.call[0].group, SS_GROUP_CONTEXT);
      EXPECT_DOUBLE_EQ(task.call[0].volume_bytes, 2.0 * 64 * 1024);
    }
  const ss_metrics metrics = ss_estimate_metrics(shared.get(), 1), whole = ss_estimate_metrics(all.get(), 1);
  EXPECT_DOUBLE_EQ(metrics.model_flop_per_iteration, whole.model_flop_per_iteration);
  EXPECT_LT(metrics.hfu, whole.hfu);
  for (const Job *job : {&all, &shared})
    expect_close(job->replay().breakdown.iteration_s, ss_estimate_time(job->get()).iteration_s, 0.05);
}

/* What layers of the tower keep goes to the second tier as that of others does; patches and projector stay. */
TEST(Tower, ActivationsAreOffloaded)
{
  ss_workload w = with_tower();
  w.training.offload_activations = SS_YES;
  std::mt19937 random(1);
  const ss_machine machine = random_machine(random);
  const Job job(w, machine, SS_COST_CALIBRATED);
  const double bytes = job->block[SS_BLOCK_VISION].stored_bytes;
  EXPECT_GT(bytes, 0.0);
  EXPECT_EQ(job->offload.write_bytes[SS_BLOCK_VISION][SS_PASS_FORWARD], bytes);
  EXPECT_EQ(job->offload.read_bytes[SS_BLOCK_VISION][SS_PASS_BACKWARD], bytes);
  for (ss_block_kind kind : {SS_BLOCK_PATCHES, SS_BLOCK_PROJECTOR})
    EXPECT_EQ(job->offload.write_bytes[kind][SS_PASS_FORWARD], 0.0);
  w.training.offload_activations = SS_NO;
  const Job kept(w, machine, SS_COST_CALIBRATED);
  EXPECT_GT(ss_estimate_stage_memory(job.get(), 0).offloaded_bytes, 2 * bytes);
  EXPECT_LT(ss_estimate_stage_memory(job.get(), 0).activations_bytes,
            ss_estimate_stage_memory(kept.get(), 0).activations_bytes);
  w.training.offload_activations = w.training.freeze_vision = SS_YES;
  EXPECT_EQ(Job(w, machine, SS_COST_CALIBRATED)->offload.write_bytes[SS_BLOCK_VISION][SS_PASS_FORWARD], 0.0);
}

/* Where nobody shares links the replay is the closed form, if that walks; folded or not it is the same. */
TEST(Tower, ClosedFormIsTheReplay)
{
  std::mt19937 random(81);
  int walked = 0;
  for (int found = 0; found < 80;) {
    ss_workload w = random_workload(random);
    const ss_machine machine = random_machine(random);
    w.placement.segment = SS_DERIVED; /* groups of a kind lie alike */
    randomise_tower(random, w);
    ss_error error = {};
    if (ss_workload_check(&w, &error) != SS_OK) continue;
    SCOPED_TRACE(testing::Message() << "job " << ++found);
    const Job job(w, machine, SS_COST_CALIBRATED, own_links());
    ss_replay_options options = {};
    options.private_links = true;
    walked += job->uneven;
    if (job->uneven)
      expect_close(job.replay(options).breakdown.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
    options = {};
    options.fold = SS_FOLD_NONE;
    expect_close(job.replay(options).breakdown.iteration_s, job.replay().breakdown.iteration_s, 1e-9);
  }
  EXPECT_GT(walked, 20);
}
