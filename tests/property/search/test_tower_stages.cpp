/* Vision towers on stages of their own: where their layers lie, what stages send each other, wait for and keep. */
#include "tests/support/blocks.hpp"
#include "tests/support/towers.hpp"

extern "C" {
#include "model/input/tower.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 20;
#else
constexpr int kCases = 150;
#endif

/* A tower of four layers ahead of a decoder of four, which a layout splits; two micro-batches. */
ss_workload laid_out(const std::string &layout, int64_t stages)
{
  ss_workload w = with_tower(make_pipeline(4, stages, 1));
  w.model.vision_layers = 4;
  w.training.global_batch = 2;
  set_layout(w, layout);
  return w;
}

std::string kinds(const Job &job, int64_t stage)
{
  std::string text;
  for (int64_t i = 0; i < ss_job_block_count(job.get(), {stage, 0}); ++i) {
    static const std::map<ss_block_kind, char> letters = {{SS_BLOCK_PATCHES, 'p'},   {SS_BLOCK_VISION, 'V'},
                                                          {SS_BLOCK_PROJECTOR, 'j'}, {SS_BLOCK_EMBEDDING, 'E'},
                                                          {SS_BLOCK_LAYER, 't'},     {SS_BLOCK_HEAD, 'L'}};
    text += letters.at(ss_job_block_kind(job.get(), {stage, 0}, i));
  }
  return text;
}

ss_replay_options private_links()
{
  ss_replay_options options = {};
  options.private_links = true;
  return options;
}

/* A pipeline with a tower of which stages have any part. */
ss_workload random_tower_job(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    randomise_tower(random, w);
    w.parallelism.pp = pick(random, {2, 4, 8}); /* stages that lie alike in domains */
    if (ss_schedule_of(w.schedule.pipeline)->chunks == SS_CHUNKS_GIVEN)
      w.parallelism.interleave = pick(random, {1, 2, 3});
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 3, 8, 24});
    w.placement.segment = SS_DERIVED; /* of another number of GPUs */
    w.model.dense_layers = 0;
    const ss_pipeline_shape shape = ss_pipeline_shape_of(&w);
    const int64_t parts = ss_shape_parts(&shape);
    const int64_t tower = 1 + static_cast<int64_t>(random() % static_cast<unsigned>(parts - 1));
    if (coin(random)) {
      w.parallelism.vision_stages = tower;
      w.model.layers = (parts - tower) * pick(random, {1, 2});
    } else {
      w.parallelism.vision_stages = 0;
      w.parallelism.account_for_embedding = w.parallelism.account_for_loss = SS_NO;
      const std::string decoder = random_layout(random, parts - tower, w.model.mtp_modules, &w.model.layers);
      set_layout(w, random_tower_layout(random, tower, w.model.vision_layers) + decoder);
    }
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

} /* namespace */

/* Patches are ahead of the first layer of the tower, the projector is behind the last one; without V all of it is ahead
 * of the embedding. Seven layers on two stages are four and three. */
TEST(TowerStages, LieWhereTheLayoutSays)
{
  const ss_machine machine = make_machine({});
  const Job apart(laid_out("VV||VV||Ett|ttL", 6), machine, SS_COST_CALIBRATED);
  const std::vector<std::string> expected = {"pVV", "", "VVj", "", "Ett", "ttL"};
  for (int64_t stage = 0; stage < 6; ++stage) EXPECT_EQ(kinds(apart, stage), expected[static_cast<size_t>(stage)]);
  EXPECT_EQ(apart->tables.stage[0], 4);
  EXPECT_EQ(ss_job_block_layer(apart.get(), {5, 0}, 0), 2);
  const Job together(laid_out("VVVVEtt|ttL", 2), machine, SS_COST_CALIBRATED),
      unsaid(laid_out("Ett|ttL", 2), machine, SS_COST_CALIBRATED);
  EXPECT_EQ(kinds(together, 0), "pVVVVjEtt");
  EXPECT_EQ(kinds(unsaid, 0), kinds(together, 0));
  ss_workload w = laid_out("", 4);
  w.model.vision_layers = 7;
  w.parallelism.vision_stages = 2;
  const Job shared(w, machine, SS_COST_CALIBRATED);
  EXPECT_EQ(kinds(shared, 0), "pVVVV");
  EXPECT_EQ(kinds(shared, 1), "VVVj");
  EXPECT_EQ(kinds(shared, 2), "Ett");
  w.parallelism.account_for_embedding = w.parallelism.account_for_loss = SS_YES;
  w.model.layers = 2;
  EXPECT_EQ(kinds(Job(w, machine, SS_COST_CALIBRATED), 2), "Et");
}

/* On four stages, of a micro-batch of one with 2 x 64 patches of 256 and 2 x 64 / 4 tokens of 1024: the first stage
 * sends 2 * 128 * 256 bytes, the second one, which has the projector, 2 * 32 * 1024, which happens to be as much, so
 * that the images here become 16 tokens; the third one 2 * sequence * 1024. Backward the same comes back: where the
 * tower is frozen, not to the first stage, as the projector is trained, but nothing ahead of it. */
TEST(TowerStages, SendWhatTheyHave)
{
  ss_workload w = laid_out("VV|VV|Ett|ttL", 4);
  w.model.vision_merge = 8;
  const double patches = 2.0 * 128 * 256, images = 2.0 * 16 * 1024, states = 2.0 * 1024 * (double)w.model.sequence;
  for (ss_switch frozen : {SS_NO, SS_YES}) {
    w.training.freeze_vision = frozen;
    const Job job(w, make_machine({}), SS_COST_CALIBRATED);
    const double sent[] = {patches, images, states};
    for (int64_t stage = 0; stage < 3; ++stage) {
      ss_chunk other;
      const bool returns = frozen == SS_NO || stage > 0;
      ASSERT_TRUE(ss_job_receiver(job.get(), {stage, 0}, SS_PASS_FORWARD, &other));
      EXPECT_EQ(ss_job_sender(job.get(), {stage, 0}, SS_PASS_BACKWARD, &other), returns);
      EXPECT_EQ(ss_job_receiver(job.get(), {stage + 1, 0}, SS_PASS_BACKWARD, &other), returns);
      EXPECT_EQ(job->message_bytes[ss_job_cargo(job.get(), {stage, 0}, SS_PASS_FORWARD)], sent[stage]);
      const ss_cargo back = ss_job_cargo(job.get(), {stage + 1, 0}, SS_PASS_BACKWARD);
      EXPECT_EQ(returns ? job->message_bytes[back] : sent[stage], sent[stage]);
    }
    const double back = frozen == SS_NO ? patches : 0.0;
    EXPECT_EQ(ss_estimate_stage_memory(job.get(), 0).messages_bytes, patches + back);
    EXPECT_EQ(ss_estimate_stage_memory(job.get(), 1).messages_bytes, patches + back + 2 * images);
    EXPECT_EQ(ss_estimate_stage_memory(job.get(), 2).messages_bytes, 2 * images + 2 * states);
  }
  w.parallelism.tp = 2;
  w.parallelism.sequence_parallel = SS_YES;
  const Job split(w, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_EQ(split->message_bytes[SS_CARGO_PATCHES], patches / 2);
}

/* One micro-batch goes through all stages and back: all passes and messages one after the other, and each stage steps
 * when it has sent its gradient. Backward of a frozen tower ends with the projector, which the second stage has. */
TEST(TowerStages, OneMicroBatchTakesAllPassesAndMessages)
{
  ss_workload w = laid_out("VV|VV|Ett|ttL", 4);
  w.training.global_batch = 1;
  for (ss_switch frozen : {SS_NO, SS_YES}) {
    w.training.freeze_vision = frozen;
    const Job job(w, make_machine({}), SS_COST_CALIBRATED);
    const auto pass_s = [&](int64_t stage, ss_pass pass) {
      double sum_s = 0.0;
      for (int64_t i = 0; i < ss_job_block_count(job.get(), {stage, 0}); ++i)
        sum_s += ss_duration_sum(job->pass[ss_job_block_kind(job.get(), {stage, 0}, i)][pass]);
      return sum_s;
    };
    const auto hop_s = [&](int64_t stage) {
      const ss_cargo cargo[] = {SS_CARGO_PATCHES, SS_CARGO_IMAGES, SS_CARGO_STATES};
      return ss_job_hop_s(job.get(), ss_placement_crosses(&job->placement, stage, stage + 1), cargo[stage]);
    };
    double now_s = 0.0, expected_s = 0.0;
    for (int64_t stage = 0; stage < 4; ++stage)
      now_s += pass_s(stage, SS_PASS_FORWARD) + (stage < 3 ? hop_s(stage) : 0);
    for (int64_t stage = 3; stage >= (frozen == SS_YES ? 1 : 0); --stage) {
      const bool returns = stage > (frozen == SS_YES ? 1 : 0);
      now_s += pass_s(stage, SS_PASS_BACKWARD) + (returns ? hop_s(stage - 1) : 0);
      expected_s = std::max(expected_s, now_s + ss_job_optimizer(job.get(), stage).optimizer_s);
    }
    EXPECT_EQ(pass_s(0, SS_PASS_BACKWARD) > 0.0, frozen == SS_NO);
    expect_close(ss_estimate_time(job.get()).iteration_s, expected_s, 1e-9);
    expect_close(job.replay(private_links()).breakdown.iteration_s, expected_s, 1e-9);
  }
}

/* Of a tower on the first two of four stages, 1F1B keeps four and three micro-batches, if it is trained; frozen, it
 * keeps none but what the projector reads. Weights and flop are those of the same tower on one stage. */
TEST(TowerStages, KeepAndCountWhatTheyHave)
{
  ss_workload w = laid_out("VV|VV|Ett|ttL", 4);
  w.training.global_batch = 8;
  const ss_machine machine = make_machine({});
  const Job trained(w, machine, SS_COST_CALIBRATED);
  w.training.freeze_vision = SS_YES;
  const Job frozen(w, machine, SS_COST_CALIBRATED);
  const auto stored = [](const Job &job, ss_block_kind kind) { return job->block[kind].stored_bytes; };
  const auto activations = [](const Job &job, int64_t stage) {
    const ss_memory memory = ss_estimate_stage_memory(job.get(), stage);
    return memory.activations_bytes - memory.messages_bytes - memory.recompute_bytes;
  };
  const double layers = 2 * stored(trained, SS_BLOCK_VISION);
  expect_close(activations(trained, 0), 4 * (stored(trained, SS_BLOCK_PATCHES) + layers), 1e-12);
  expect_close(activations(trained, 1), 3 * (stored(trained, SS_BLOCK_PROJECTOR) + layers), 1e-12);
  EXPECT_EQ(activations(frozen, 0), 0.0);
  expect_close(activations(frozen, 1), 3 * stored(trained, SS_BLOCK_PROJECTOR), 1e-12);
  EXPECT_EQ(ss_estimate_stage_memory(frozen.get(), 0).optimizer_bytes, 0.0);
  EXPECT_EQ(ss_estimate_stage_memory(frozen.get(), 0).weights_bytes,
            ss_estimate_stage_memory(trained.get(), 0).weights_bytes);
  const Job one(laid_out("VVVVEtt|ttL", 2), machine, SS_COST_CALIBRATED);
  expect_close(ss_estimate_metrics(one.get(), 1).model_flop_per_iteration * 4,
               ss_estimate_metrics(trained.get(), 1).model_flop_per_iteration, 1e-12);
}

/* Whatever the schedule, the chunks and the layout: where nobody shares links the replay is the closed form, folded or
 * not; memory adds up, and no bound is above what it bounds. */
TEST(TowerStages, ClosedFormIsTheReplay)
{
  std::mt19937 random(83 + seed);
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_tower_job(random);
    SCOPED_TRACE(testing::Message() << "case " << i << " " << workload.parallelism.layout);
    const Job job(workload, random_machine(random), SS_COST_CALIBRATED, own_links());
    const ss_breakdown closed = ss_estimate_time(job.get());
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
    const ss_memory fullest = ss_estimate_memory(job.get());
    for (int64_t stage = 0; stage < job->stages; ++stage)
      EXPECT_LE(ss_estimate_stage_memory(job.get(), stage).total_bytes, fullest.total_bytes);
    expect_close(closed.iteration_s, job.replay(private_links()).breakdown.iteration_s, 1e-9);
    ss_replay_options options = {};
    options.fold = SS_FOLD_NONE;
    expect_close(job.replay(options).breakdown.iteration_s, job.replay().breakdown.iteration_s, 1e-9);
  }
}
