/* Properties of jobs that combine everything: segments, free GPUs, layouts, folded experts, copies of shards, schedules
 * in a V, hidden all-to-alls, layers of kinds, state spaces, windows, vision towers, formats, recomputation and
 * offloading by module, documents, hosts; on random ones. */
#include <functional>
#include <memory>
#include <string>

#include "tests/support/alike.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/random_parts.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 20, kNetworkCases = 4;
#else
/* Where every message is a flow, all of them simulated: a case takes 0.1 to 0.2 s, most of it for a process and a
 * network of its own for each of its three replays. `for seed in $(seq 20)` with --seed=$seed has 2,000. */
constexpr int kCases = 2000, kNetworkCases = 100;
#endif

/* Something else about a workload; refused or not. */
using Change = std::function<void(std::mt19937 &, ss_workload &)>;

void change_layout(std::mt19937 &random, ss_workload &w)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(&w);
  set_layout(w, random_layout(random, ss_shape_parts(&shape), w.model.mtp_modules, &w.model.layers));
  w.model.dense_layers = 0;
  w.parallelism.account_for_embedding = w.parallelism.account_for_loss = SS_NO;
}

void change_ends(std::mt19937 &random, ss_workload &w)
{
  w.parallelism.account_for_embedding = pick_switch(random);
  w.parallelism.account_for_loss = pick_switch(random);
  w.model.layers -= (w.parallelism.account_for_embedding == SS_YES) + (w.parallelism.account_for_loss == SS_YES);
}

void change_chunks(std::mt19937 &random, ss_workload &w)
{
  w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  w.parallelism.interleave = pick(random, {2, 3});
  if (coin(random)) w.schedule.interleave_group = w.parallelism.pp + static_cast<int64_t>(random() % 6);
}

void change_schedule(std::mt19937 &random, ss_workload &w)
{
  w.schedule.pipeline = pick(
      random, {SS_PIPELINE_V_MIN, SS_PIPELINE_V_HALF, SS_PIPELINE_V_ZB, SS_PIPELINE_DUALPIPE_V, SS_PIPELINE_DUALPIPE});
  w.parallelism.interleave = 1;
  w.schedule.interleave_group = SS_DERIVED;
}

void change_experts(std::mt19937 &random, ss_workload &w)
{
  w.model.experts = 8;
  w.model.expert_ffn = pick(random, {1024, 4096});
  w.parallelism.dp = pick(random, {2, 4});
  w.parallelism.etp = pick(random, {SS_DERIVED, 1, 2, 4});
  w.parallelism.ep = pick(random, {2, 4, 8});
  w.parallelism.expert_groups = pick(random, all_of<ss_expert_groups>);
}

void change_dispatch(std::mt19937 &random, ss_workload &w)
{
  w.schedule.dispatch = pick(random, all_of<ss_dispatch>);
  w.model.routed_domains = pick(random, {0, 1, 2});
}

void change_precision(std::mt19937 &random, ss_workload &w)
{
  w.training.precision = pick(random, all_but<ss_precision>(SS_PRECISION_FP8_ROWS));
  w.training.bf16_first_layers = w.training.bf16_last_layers = 0;
  w.training.gather_type = w.training.weights_type = SS_AS_16BIT;
  w.training.reduce_type = SS_AS_16BIT;
  w.training.attention_type = w.training.output_type = SS_AS_16BIT;
  w.training.dispatch_type = SS_DISPATCH_16BIT;
  if (!ss_recipe_quantises(w.training.precision)) return;
  w.training.gather_type = pick(random, all_of<ss_held_as>);
  w.training.weights_type = pick(random, all_of<ss_held_as>);
  randomise_operands(random, w);
  if (w.model.experts > 0 && ss_recipe_takes_bytes(w.training.precision))
    w.training.dispatch_type = pick(random, all_of<ss_dispatch_type>);
}

/* Recomputation and offloading by module, of what the model has by then. */
void change_modules(std::mt19937 &random, ss_workload &w)
{
  w.training.recompute_modules = w.training.offload_modules = 0;
  w.training.offload_layers = SS_DERIVED;
  w = with_layer_modules(random, w);
}

void change_first_and_last(std::mt19937 &random, ss_workload &w)
{
  w.parallelism.first_stage_layers = pick(random, {1, 2});
  w.parallelism.last_stage_layers = pick(random, {1, 2});
}

void change_sharding(std::mt19937 &random, ss_workload &w)
{
  w.parallelism.sharding = pick(random, all_of<ss_sharding>);
  w.parallelism.shard_size = pick(random, {SS_DERIVED, 2, 4, 8});
}

void change_context(std::mt19937 &random, ss_workload &w)
{
  w.parallelism.cp = pick(random, {2, 4});
  w.parallelism.cp_inner = pick(random, {1, 2});
  w.parallelism.cp_exchange = pick(random, all_of<ss_cp_exchange>);
}

void change_pairs(std::mt19937 &random, ss_workload &w)
{
  change_experts(random, w);
  w.schedule.overlap_ep = pick(random, {SS_EP_OVERLAP_PAIRED, SS_EP_OVERLAP_DELAYED});
  w.parallelism.sharding = pick(random, all_of<ss_sharding>);
  w.schedule.pipeline =
      pick(random, {SS_PIPELINE_EAGER_1F1B, SS_PIPELINE_INTERLEAVED, SS_PIPELINE_DUALPIPE_V, SS_PIPELINE_DUALPIPE});
  w.parallelism.interleave = w.schedule.pipeline == SS_PIPELINE_INTERLEAVED ? 2 : 1;
}

/* Applies half of the changes, as far as they leave a workload on at most 64 GPUs that is not refused, in any order;
 * first what most others depend on, last what depends on how many layers there are, and on what these have. */
ss_workload combined(std::mt19937 &random, ss_workload w)
{
  std::vector<Change> changes = {change_ends,           change_chunks,    change_schedule, change_experts,
                                 change_dispatch,       change_precision, change_sharding, change_context,
                                 change_pairs,          randomise_sizes,  randomise_reach, randomise_mixer,
                                 change_first_and_last, randomise_tower,  randomise_host};
  std::shuffle(changes.begin(), changes.end(), random);
  changes.insert(changes.begin(), change_experts);
  changes.insert(changes.end(),
                 {change_layout, randomise_kinds, change_modules, randomise_documents, randomise_packing});
  for (const Change &change : changes) {
    const ss_workload before = w;
    change(random, w);
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 4, 8, 24});
    if (coin(random) || ss_workload_gpus(&w) > 64 || ss_workload_check(&w, nullptr) != SS_OK) w = before;
  }
  return w;
}

/* A job on the free GPUs of a machine, in segments, or as far as there is no room on all of them. */
struct Placed {
  /* `slows`: GPUs are slow, and communication costs compute. */
  explicit Placed(std::mt19937 &random, bool slows = false)
  {
    const ss_workload w = combined(random, random_workload(random));
    ss_machine machine = random_machine(random, slows);
    const char *slow = slows ? pick(random, {"", "3:0.7", "0-15:0.5 20:0.9"}) : "";
    std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%s", slow);
    const ss_cost cost = pick(random, {SS_COST_CALIBRATED, SS_COST_CALIBRATED, SS_COST_SC24});
    const int64_t segment = pick(random, {SS_DERIVED, SS_DERIVED, 1, 2, 3, 4});
    std::vector<int> counts(static_cast<size_t>(machine.gpus / machine.domain_size));
    for (int &count : counts) count = static_cast<int>(machine.domain_size - static_cast<int64_t>(random() % 3));
    free_gpus = std::make_unique<FreeGpus>(machine, counts);
    try_job(w, segment, machine, cost, free_gpus->get());
    try_job(w, segment, machine, cost, nullptr);
    try_job(w, SS_DERIVED, machine, cost, free_gpus->get());
    try_job(w, SS_DERIVED, machine, cost, nullptr);
  }

  std::unique_ptr<FreeGpus> free_gpus;
  std::unique_ptr<Job> job;

private:
  void try_job(ss_workload w, int64_t segment, const ss_machine &machine, ss_cost cost, const ss_free_gpus *gpus)
  {
    w.placement.segment = segment;
    try {
      if (job == nullptr) job = std::make_unique<Job>(w, machine, cost, own_links(), nullptr, gpus);
    } catch (const std::runtime_error &) {
      job = nullptr; /* no room */
    }
  }
};

/* The closed form goes through the whole pipeline. */
bool is_walked(const ss_job *job)
{
  return job->shape.pairs || job->stages == 1 || job->host.active || ss_job_moves_each_pass(job) ||
         job->shape.schedule->walks || job->uneven || ss_shape_group(&job->shape) != job->stages;
}

/* What jobs that are not read from files leave as it is. */
bool is_of_files(ss_attribute_index attribute)
{
  static const std::set<ss_attribute_index> left = {
      SS_AT_model_name,         SS_AT_training_tokens,           SS_AT_training_stack,
      SS_AT_training_framework, SS_AT_training_document_lengths, SS_AT_placement_free,
      SS_AT_placement_ranks,    SS_AT_placement_domain};
  return left.count(attribute) > 0;
}

/* What kinds of layers have, and a model whose layers are all alike has not. */
bool is_of_kinds(ss_attribute_index attribute)
{
  return attribute == SS_AT_model_shared_keys;
}

/* What no iteration depends on. */
bool is_of_runs(ss_attribute_index attribute)
{
  return std::string(row_of(attribute).element) == "run";
}

} /* namespace */

/* Every attribute is drawn: a new one that never differs from its default needs a line in
 * tests/support/random_parts.hpp or random_jobs.hpp. */
TEST(RandomCombined, DrawsEverything)
{
  std::mt19937 random(43 + seed);
  std::string drawn;
  for (int i = 0; i < 1000; ++i) drawn += settings_of(combined(random, random_workload(random)), make_workload());
  for (const ss_attribute_index attribute : all_attributes()) {
    const std::string name = std::string(" ") + row_of(attribute).element + "." + row_of(attribute).name + "=";
    const std::string own = is_of_kinds(attribute) ? std::string(row_of(attribute).name) + "=" : name;
    EXPECT_TRUE(is_of_files(attribute) || is_of_runs(attribute) || drawn.find(own) != std::string::npos) << name;
  }
}

/* Where the closed form goes through the pipeline, groups lie alike and so do micro-batches, it is the replay where
 * nobody shares links. One replica stands for all that do the same. */
TEST(RandomCombined, ClosedFormIsTheReplay)
{
  std::mt19937 random(41 + seed);
  int compared = 0;
  for (int i = 0; i < kCases; ++i) {
    const Placed placed(random);
    const Job &job = *placed.job;
    SCOPED_TRACE(testing::Message() << "case " << i << " " << settings_of(*job->workload, make_workload()));
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(options).breakdown;
    expect_adds_up(closed);
    expect_adds_up(replay);
    expect_memory_adds_up(job.get());
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
    options.fold = SS_FOLD_NONE;
    expect_close(job.replay(options).breakdown.iteration_s, replay.iteration_s, 1e-9);
    if (job->options.cost != SS_COST_CALIBRATED || !is_walked(job.get()) || !groups_lie_alike(job)) continue;
    if (ss_job_has_unlike_batches(job.get())) continue;
    expect_close(closed.iteration_s, replay.iteration_s, 1e-9);
    ++compared;
  }
  EXPECT_GE(compared, kCases / 5);
}

/* On the network, what is simulated once stands for all that does the same, and collectives that meet nobody take their
 * computed time; parts add up. */
TEST(RandomCombined, ShortcutsAreExact)
{
  std::mt19937 random(42 + seed);
  for (int i = 0; i < kNetworkCases; ++i) {
    const bool slows = coin(random);
    const Placed placed(random, slows);
    const Job &job = *placed.job;
    SCOPED_TRACE(testing::Message() << "case " << i << " " << settings_of(*job->workload, make_workload()));
    ss_replay_options options = {};
    const ss_replay_result some = job.replay(options);
    options.fold = SS_FOLD_NONE;
    const ss_replay_result unfolded = job.replay(options);
    options.flows = SS_FLOWS_ALL;
    const ss_replay_result all = job.replay(options);
    expect_adds_up(some.breakdown);
    for (const ss_breakdown &other : {unfolded.breakdown, all.breakdown}) {
      const double apart = std::abs(some.breakdown.iteration_s / other.iteration_s - 1);
      if (apart > 1e-9) {
        EXPECT_LE(apart, rounding_of(job, options.flows));
      }
    }
    EXPECT_EQ(some.flows, unfolded.flows);
  }
}
