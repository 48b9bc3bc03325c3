/* The search: spaces counted by hand, and the same result on any number of threads and from one job after the other. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/pipeline_walk.hpp"
#include "tests/support/searches.hpp"

extern "C" {
#include "model/search/balance.h"
}

using namespace stepsim;

namespace
{

void expect_same(const ss_strategy &a, const ss_strategy &b)
{
  const ss_candidate &x = a.candidate, &y = b.candidate;
  EXPECT_EQ(x.tensor, y.tensor);
  EXPECT_EQ(x.tp, y.tp);
  EXPECT_EQ(x.tp2, y.tp2);
  EXPECT_EQ(x.panels, y.panels);
  EXPECT_EQ(x.pp, y.pp);
  EXPECT_EQ(x.dp, y.dp);
  EXPECT_EQ(x.micro_batch, y.micro_batch);
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((x.knobs & SS_KNOB_BIT(i)) != 0) {
      EXPECT_EQ(x.value.of[i], y.value.of[i]);
    }
  }
  EXPECT_EQ(x.inside.tp, y.inside.tp);
  EXPECT_EQ(x.inside.cp, y.inside.cp);
  EXPECT_EQ(x.inside.dp, y.inside.dp);
  EXPECT_EQ(x.inside.pp, y.inside.pp);
  EXPECT_EQ(a.estimate.iteration_s, b.estimate.iteration_s);
  EXPECT_EQ(a.memory.total_bytes, b.memory.total_bytes);
}

void expect_same_span(ss_span a, ss_span b)
{
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.domains, b.domains);
  EXPECT_EQ(a.per_domain, b.per_domain);
}

/* A job whose groups are looked up GPU by GPU, since a rank file places it. */
class ListedJob
{
public:
  ListedJob(const ss_workload &workload, const ss_machine &machine) : workload_(workload)
  {
    ss_error error = {};
    ss_placement placement;
    const ss_room room = {&machine, nullptr};
    EXPECT_EQ(ss_placement_init(&placement, &workload, room, nullptr, &error), SS_OK) << error.message;
    ranks_.assign(placement.gpu, placement.gpu + ss_workload_gpus(&workload));
    ss_placement_free(&placement);
    workload_.placement.domain[0] = '\0';
    ss_job_options options = {};
    options.cost = SS_COST_SC24;
    options.ranks = ranks_.data();
    EXPECT_EQ(ss_job_init(&job_, &workload_, &machine, options, &error), SS_OK) << error.message;
  }
  ListedJob(const ListedJob &) = delete;
  ListedJob &operator=(const ListedJob &) = delete;
  ~ListedJob()
  {
    ss_job_free(&job_);
  }
  const ss_job *get() const
  {
    return &job_;
  }

private:
  ss_workload workload_;
  std::vector<int32_t> ranks_;
  ss_job job_ = {};
};

} /* namespace */

/* tp 1, 2 or 4, pp 1 to 4 / tp, dp the rest; a replica of batch 1, 2, 4 has 1, 2, 3 micro-batch sizes. All of it in one
 * domain: tp 1: dp 4, 2, 1: 1 + 2 + 3; tp 2: dp 2, 1: 2 + 3; tp 4: 3. In domains of two, with the coordinate that
 * shares one: tp 1: dp * 1, (dp or pp) * 2, pp * 3; tp 2: (tp or dp) * 2, (tp or pp) * 3; tp 4: tp * 3. */
TEST(Search, Counts1d)
{
  const Search whole(small_workload(), machine_of(4, 4), options_of(4, one_d));
  EXPECT_EQ(whole->candidates, 6 + 5 + 3);
  EXPECT_EQ(whole->feasible, 14);
  EXPECT_EQ(whole->count, 14);
  const Search split(small_workload(), machine_of(4, 2), options_of(4, one_d));
  EXPECT_EQ(split->candidates, (1 + 4 + 3) + (4 + 6) + 3);
}

/* tp x tp2: 1 x 1 as above 6; 1 x 2 and 2 x 1: 5 each; 1 x 4, 2 x 2 and 4 x 1: 3 each. With 1d, those with
 * tp2 = 1 are not counted twice. */
TEST(Search, Counts2d)
{
  const Search search(small_workload(), machine_of(4, 4), options_of(4, two_d));
  EXPECT_EQ(search->candidates, 6 + 2 * 5 + 3 * 3);
  const Search both(small_workload(), machine_of(4, 4), options_of(4, one_d | two_d));
  EXPECT_EQ(both->candidates, 14 + 5 + 2 * 3);
}

/* Two GPUs, 1024 columns, 512 at least in a panel: 1 x 1 in 1 or 2 panels: (2 + 3) * 2; 1 x 2 and 2 x 1 in 2: 3 each.
 */
TEST(Search, CountsSumma)
{
  const Search search(small_workload(), machine_of(4, 4), options_of(2, summa));
  EXPECT_EQ(search->candidates, 10 + 2 * 3);
}

TEST(Search, NothingDividesEvenly)
{
  const Search search(small_workload(), machine_of(16, 4), options_of(6, one_d));
  EXPECT_EQ(search->candidates, 0);
  EXPECT_EQ(search->count, 0);
}

/* 514 tokens over tp 4: 2 or 4 sequences have a multiple of 4 tokens, but one has not. */
TEST(Search, CountsWhatCannotBeUsed)
{
  ss_workload workload = small_workload();
  workload.model.sequence = 514;
  ss_machine machine = machine_of(4, 4);
  const Search refused(workload, machine, options_of(4, one_d));
  EXPECT_EQ(refused->refused[SS_REFUSAL_tp_sequence], 2);
  EXPECT_EQ(refused->feasible, refused->candidates - 2);
  machine.hbm_bytes = 1.0;
  const Search large(workload, machine, options_of(4, one_d));
  EXPECT_EQ(large->too_large, large->candidates - 2);
  EXPECT_EQ(large->feasible, 0);
  EXPECT_EQ(large->count, 0);
}

/* Every candidate worked out by itself, rank by rank, gives the same groups, messages and times, and so the same best.
 */
TEST(Search, SameAsOneByOne)
{
  const ss_machine machine = machine_of(32, 4);
  const ss_workload workload = small_workload();
  std::vector<double> times_s;
  for (const ss_candidate &candidate : candidates_of(workload, machine, 32, one_d | two_d | summa)) {
    ss_workload own = workload;
    ss_candidate_apply(&candidate, &own);
    ASSERT_EQ(ss_workload_check(&own, nullptr), SS_OK);
    const Job job(own, machine);
    const ListedJob listed(own, machine);
    ASSERT_TRUE(job->placement.even);
    ASSERT_FALSE(listed.get()->placement.even);
    for (int group = 0; group < SS_GROUPS; ++group) expect_same_span(job->span[group], listed.get()->span[group]);
    for (int64_t stage = 0; stage < job->stages; ++stage) {
      for (int group = 0; group < SS_DATA_GROUPS; ++group)
        expect_same_span(ss_job_data_span(job.get(), (ss_data_group)group, stage),
                         ss_job_data_span(listed.get(), (ss_data_group)group, stage));
      const int64_t next = (stage + 1) % job->stages;
      EXPECT_EQ(ss_placement_crosses(&job->placement, stage, next),
                ss_placement_crosses(&listed.get()->placement, stage, next));
    }
    for (const int64_t chunks : {1, 2}) {
      const ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_INTERLEAVED, job->stages, job->stages, chunks);
      EXPECT_EQ(ss_placement_slow_hops(&job->placement, &shape),
                ss_placement_slow_hops(&listed.get()->placement, &shape));
    }
    times_s.push_back(ss_estimate_time(listed.get()).iteration_s);
  }
  const Search search(workload, machine, options_of(32, one_d | two_d | summa));
  ASSERT_EQ((int64_t)times_s.size(), search->candidates);
  ASSERT_EQ(search->feasible, search->candidates);
  std::sort(times_s.begin(), times_s.end());
  for (int64_t i = 0; i < search->count; ++i) EXPECT_EQ(search.best(i).estimate.iteration_s, times_s[(size_t)i]);
}

/* What is listed has the MFU that its job has by itself. */
TEST(Search, CountsTheFlopOfTheBest)
{
  const ss_machine machine = machine_of(32, 4);
  const ss_workload workload = small_workload();
  const Search search(workload, machine, options_of(32, one_d | two_d | summa));
  ASSERT_GT(search->count, 1);
  for (int64_t i = 0; i < search->count; ++i) {
    const ss_strategy &best = search.best(i);
    ss_workload own = workload;
    ss_candidate_apply(&best.candidate, &own);
    const ss_metrics metrics = ss_estimate_metrics(Job(own, machine).get(), best.estimate.iteration_s);
    EXPECT_EQ(best.model_flop, metrics.model_flop_per_iteration);
    EXPECT_EQ(best.model_flop / (best.peak_flop_per_s * best.estimate.iteration_s), metrics.mfu);
  }
}

TEST(Search, Objectives)
{
  const ss_machine machine = machine_of(32, 4);
  ss_search_options options = options_of(32, one_d);
  const Search time(small_workload(), machine, options);
  options.objective = SS_OBJECTIVE_GPU_HOURS;
  const Search hours(small_workload(), machine, options);
  expect_same(time.best(), hours.best());
  ss_shortlist_rule rule = {};
  rule.objective = SS_OBJECTIVE_GPU_HOURS;
  rule.gpus = 32;
  EXPECT_DOUBLE_EQ(ss_strategy_value(&hours.best(), &rule), 32 * hours.best().estimate.iteration_s / 3600);
  options.objective = SS_OBJECTIVE_MEMORY;
  const Search memory(small_workload(), machine, options);
  EXPECT_LT(memory.best().memory.total_bytes, time.best().memory.total_bytes);
  for (int64_t i = 1; i < memory->count; ++i) {
    const ss_strategy &before = memory.best(i - 1), &after = memory.best(i);
    EXPECT_LE(before.memory.total_bytes, after.memory.total_bytes);
    if (before.memory.total_bytes == after.memory.total_bytes) {
      EXPECT_LE(before.estimate.iteration_s, after.estimate.iteration_s);
    }
  }
}

/* Of the 14 of Counts1d: with pp 2 from tp 1 (dp 2) 2 and from tp 2 (dp 1) 3; with pp 2 and dp 2 those 2; with
 * micro-batch 2 all but (tp 1, dp 4). All sizes pinned leave the one strategy that the workload has. */
TEST(Search, CountsPinned)
{
  ss_workload workload = small_workload();
  workload.parallelism.pp = 2;
  workload.parallelism.dp = 2;
  workload.training.micro_batch = 2;
  ss_search_options options = options_of(4, one_d);
  const auto count = [&](unsigned pins) {
    options.pins = pins;
    return Search(workload, machine_of(4, 4), options)->candidates;
  };
  EXPECT_EQ(count(SS_SIZE_BIT(SS_SIZE_pp)), 2 + 3);
  EXPECT_EQ(count(SS_SIZE_BIT(SS_SIZE_pp) | SS_SIZE_BIT(SS_SIZE_dp)), 2);
  EXPECT_EQ(count(SS_SIZE_BIT(SS_SIZE_tp)), 1 + 2 + 3); /* tp 1 */
  EXPECT_EQ(count(SS_SIZE_BIT(SS_SIZE_micro_batch)), 6);
  EXPECT_EQ(count(SS_SIZES_ALL), 1);
  workload.parallelism.dp = 4;
  EXPECT_EQ(count(SS_SIZES_ALL), 0); /* eight GPUs */
}

/* Seven layers make one stage or, in layouts, 2 (4, 3) or 4 (2, 2, 2, 1) as well: then the candidates are those of
 * Counts1d. Without, those with one stage: tp 1, 2 and 4 with micro-batches of 1, 2 and 3 sizes. */
TEST(Search, CountsUnevenStages)
{
  ss_workload workload = small_workload();
  workload.model.layers = 7;
  ss_search_options options = options_of(4, one_d);
  EXPECT_EQ(Search(workload, machine_of(4, 4), options)->candidates, 1 + 2 + 3);
  options.knobs = ss_knob_find("uneven-stages", 13);
  const Search search(workload, machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, 6 + 5 + 3);
  EXPECT_EQ(search->feasible, search->candidates);
  for (int64_t i = 0; i < search->count; ++i) {
    const ss_candidate &c = search.best(i).candidate;
    char text[SS_TEXT_SIZE];
    ss_balance_text(c.value.of[SS_KNOB_layout], &c.model, text, sizeof text);
    EXPECT_STREQ(text, c.pp == 1 ? "" : c.pp == 2 ? "Et*4|t*3L" : "Et*2|(t*2|)*2tL");
  }
}

/* What the workload says about its pipeline does not keep one stage, or a schedule without chunks, from being tried. */
TEST(Search, OneStageIsNotInterleaved)
{
  ss_workload workload = small_workload();
  workload.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  workload.parallelism.interleave = 2;
  ss_search_options options = options_of(4, one_d);
  EXPECT_GT(Search(workload, machine_of(4, 4), options)->refused[SS_REFUSAL_pipeline_pp], 0);
  options.knobs = SS_KNOBS_FOLLOWING;
  EXPECT_EQ(Search(workload, machine_of(4, 4), options)->refused[SS_REFUSAL_pipeline_pp], 0);
  options.knobs |= ss_knob_find("schedule", 8);
  EXPECT_EQ(Search(workload, machine_of(4, 4), options)->refused[SS_REFUSAL_interleave_pipeline], 0);
}

TEST(Search, SizesFromTheCommandLine)
{
  ss_workload workload = small_workload();
  EXPECT_EQ(ss_sizes_overridden(&workload), 0u);
  workload.line[SS_AT_parallelism_tp] = workload.line[SS_AT_training_micro_batch] = SS_LINE_OVERRIDE;
  workload.line[SS_AT_schedule_pipeline] = SS_LINE_OVERRIDE;
  EXPECT_EQ(ss_sizes_overridden(&workload), SS_SIZE_BIT(SS_SIZE_tp) | SS_SIZE_BIT(SS_SIZE_micro_batch));
}

/* With one size pinned to each value in turn, the candidates are those of the whole space, in which tp2 goes up to 4;
 * what the bounds of the space leave out is there, too, where it is asked for: six stages of eight layers are refused
 * by name. */
TEST(Search, PinsDivideTheSpace)
{
  ss_workload workload = small_workload();
  ss_search_options options = options_of(16, one_d | two_d | summa);
  const ss_machine machine = machine_of(48, 4);
  const int64_t all = Search(workload, machine, options)->candidates;
  const struct {
    ss_size size;
    int64_t *value;
  } pins[] = {{SS_SIZE_tp, &workload.parallelism.tp},
              {SS_SIZE_tp2, &workload.parallelism.tp2},
              {SS_SIZE_pp, &workload.parallelism.pp},
              {SS_SIZE_dp, &workload.parallelism.dp},
              {SS_SIZE_micro_batch, &workload.training.micro_batch}};
  for (const auto &pin : pins) {
    int64_t sum = 0;
    options.pins = SS_SIZE_BIT(pin.size);
    for (*pin.value = 1; *pin.value <= (pin.size == SS_SIZE_tp2 ? 4 : 16); *pin.value *= 2) {
      const Search search(workload, machine, options);
      for (int64_t i = 0; i < search->count; ++i) {
        const ss_candidate &c = search.best(i).candidate;
        const int64_t sizes[] = {c.tp, c.tp2, c.panels, c.pp, c.dp, c.micro_batch};
        EXPECT_EQ(sizes[pin.size], *pin.value);
      }
      sum += search->feasible;
    }
    *pin.value = 1;
    EXPECT_EQ(sum, all) << pin.size;
  }
  options = options_of(48, one_d);
  options.pins = SS_SIZE_BIT(SS_SIZE_pp);
  workload.parallelism.pp = 6;
  workload.training.global_batch = 8;
  const Search refused(workload, machine, options);
  EXPECT_GT(refused->candidates, 0);
  EXPECT_EQ(refused->refused[SS_REFUSAL_pp_layers], refused->candidates);
}

/* Eight layers. Interleaved with pp 2 in 2 or 4 chunks, with pp 4 in 2; with pp 1 refused in 2, 4 or 8. Micro-batches
 * of one replica are 4 / dp / b, which have to be a multiple of pp: pp 2 not with b 2 (dp 2) and b 4 (dp 1), pp 4 not
 * with b 2 or 4. 1f1b has one chunk. */
TEST(Search, CountsInterleave)
{
  ss_search_options options = options_of(4, one_d);
  options.knobs = ss_knob_find("interleave", 10);
  const Search search(small_workload(), machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, 14 + 3 * (1 + 2 + 3) + 2 * (2 + 3) + 3);
  EXPECT_EQ(search->refused[SS_REFUSAL_pipeline_pp], 3 * (1 + 2 + 3));
  EXPECT_EQ(search->refused[SS_REFUSAL_interleaved_batch], 2 * (1 + 1) + 2);
}

/* cp 1: 14; cp 2, 512 tokens: on the other two GPUs tp 1 with pp 1 (dp 2) or 2, tp 2: 2 + 3 + 3; cp 4: 3. The ring or
 * gathering makes no difference with cp 1. */
TEST(Search, CountsContextParallel)
{
  ss_search_options options = options_of(4, one_d);
  options.knobs = SS_KNOB_BIT(SS_KNOB_cp) | SS_KNOB_BIT(SS_KNOB_cp_exchange);
  const Search search(small_workload(), machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, 14 + 3 * (2 + 3 + 3) + 3 * 3);
}

/* Four experts: ep divides dp: 1, 2 or 4 of dp 4, 1 or 2 of dp 2. */
TEST(Search, CountsExpertParallel)
{
  ss_workload workload = small_workload();
  workload.model.experts = 4;
  ss_search_options options = options_of(4, one_d);
  options.knobs = SS_KNOB_BIT(SS_KNOB_ep);
  const Search search(workload, machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, (3 * 1 + 2 * 2 + 3) + (2 * 2 + 3) + 3);
}

/* Flash attention has nothing that selective recomputation could compute again: none and full; unfused has all three.
 * Each attention is with each of the four shardings if there are replicas: with dp 4 (1 micro-batch size) and dp 2
 * (2 + 2); otherwise, with dp 1 (3 + 3 + 3), once. */
TEST(Search, CountsAttention)
{
  ss_search_options options = options_of(4, one_d);
  options.knobs = SS_KNOB_BIT(SS_KNOB_attention) | SS_KNOB_BIT(SS_KNOB_recompute);
  EXPECT_EQ(Search(small_workload(), machine_of(4, 4), options)->candidates, (2 + 3) * 14);
  options.knobs = SS_KNOB_BIT(SS_KNOB_attention) | SS_KNOB_BIT(SS_KNOB_sharding);
  EXPECT_EQ(Search(small_workload(), machine_of(4, 4), options)->candidates, 2 * (4 * (1 + 2 + 2) + (3 + 3 + 3)));
}

/* On one GPU, one sequence. For each of 8 layers, unfused attention keeps, for 8 * 512 * 512 logits, the softmax (2
 * bytes), the mask of the dropout (1) and its output (2), as in arXiv 2205.05198, 4.1: 5 a s^2 b; flash attention keeps
 * two 2-byte numbers for 8 * 512 rows. The rest is the same. Logits that go through memory take longer. */
TEST(Search, AttentionHasTimeAndMemoryOfItsOwn)
{
  ss_workload workload = small_workload();
  workload.training.global_batch = 1;
  ss_search_options options = options_of(1, one_d);
  options.cost = SS_COST_CALIBRATED;
  options.knobs = SS_KNOB_BIT(SS_KNOB_attention);
  const Search search(workload, machine_of(4, 4), options);
  ASSERT_EQ(search->count, 2);
  const ss_strategy &flash = search.best(0), &unfused = search.best(1);
  EXPECT_EQ(flash.candidate.value.of[SS_KNOB_attention], SS_ATTENTION_FLASH);
  EXPECT_EQ(unfused.candidate.value.of[SS_KNOB_attention], SS_ATTENTION_UNFUSED);
  EXPECT_LT(flash.estimate.iteration_s, unfused.estimate.iteration_s);
  EXPECT_DOUBLE_EQ(unfused.memory.total_bytes - flash.memory.total_bytes,
                   8 * (5.0 * 8 * 512 * 512 - 2.0 * 2 * 8 * 512));
}

/* A machine without a second memory tier refuses seven of the eight combinations. */
TEST(Search, CountsWhatTheMachineRefuses)
{
  ss_search_options options = options_of(4, one_d);
  options.knobs = ss_knob_find("offload", 7);
  const Search search(small_workload(), machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, 8 * 14);
  EXPECT_EQ(search->feasible, 14);
  EXPECT_EQ(search->refused[SS_REFUSAL_weights_tier], 4 * 14);
  EXPECT_EQ(search->refused[SS_REFUSAL_activations_tier], 2 * 14);
  EXPECT_EQ(search->refused[SS_REFUSAL_optimizer_tier], 14);
}

/* Every knob, by itself: the best is no worse than without it, and each that is listed is estimated as that workload
 * by itself. */
TEST(Search, KnobsOneByOne)
{
  ss_machine machine = machine_of(16, 4);
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 64e9;
  ss_workload workload = small_workload();
  workload.training.global_batch = 8;
  workload.model.experts = 4;
  ss_search_options options = options_of(16, one_d);
  options.cost = SS_COST_CALIBRATED;
  const Search without(workload, machine, options);
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    options.knobs = ss_knob_find(ss_knobs()[i].name, strlen(ss_knobs()[i].name));
    const Search with(workload, machine, options);
    EXPECT_LE(with.best().estimate.iteration_s, without.best().estimate.iteration_s) << ss_knobs()[i].name;
    for (int64_t j = 0; j < with->count; ++j) {
      ss_workload own = workload;
      ss_candidate_apply(&with.best(j).candidate, &own);
      const Job job(own, machine, SS_COST_CALIBRATED);
      const double alone_s = ss_estimate_time(job.get()).iteration_s;
      EXPECT_NEAR(with.best(j).estimate.iteration_s, alone_s, 1e-12 * alone_s) << ss_knobs()[i].name;
    }
  }
}

/* What makes no difference is listed once: no two of the same sizes, placement, time and memory. */
TEST(Search, ListsNoRepeats)
{
  ss_search_options options = options_of(8, one_d);
  options.knobs = ss_knob_find("schedule", 8) | ss_knob_find("interleave", 10) | ss_knob_find("tp-redo", 7);
  options.top = 200;
  const Search search(small_workload(), machine_of(8, 4), options);
  for (int64_t i = 0; i < search->count; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const ss_strategy &a = search.best(i), &b = search.best(j);
      const bool same =
          a.sizes == b.sizes && memcmp(&a.candidate.inside, &b.candidate.inside, sizeof(ss_coordinates)) == 0;
      EXPECT_FALSE(same && a.estimate.iteration_s == b.estimate.iteration_s &&
                   a.memory.total_bytes == b.memory.total_bytes);
    }
}

/* Asked to end, a search has what it has found so far; a slice that is asked makes the whole one such. */
TEST(Search, EndsWithTheBestSoFar)
{
  const ss_machine machine = machine_of(32, 4);
  ss_search_options options = options_of(32, one_d);
  const Search whole(small_workload(), machine, options);
  EXPECT_FALSE(whole->stopped);
  EXPECT_EQ(whole->sizes_done, whole->sizes);
  int asked = 0;
  options.context = &asked;
  options.is_over = [](const void *context) { return ++*(int *)context > 3; };
  const Search some(small_workload(), machine, options);
  EXPECT_TRUE(some->stopped);
  EXPECT_GE(some->sizes_done, 3);
  EXPECT_LT(some->sizes_done, some->sizes);
  EXPECT_LT(some->candidates, whole->candidates);
  EXPECT_GT(some->count, 0);
  EXPECT_EQ(some->sizes, whole->sizes);
  options.is_over = [](const void *) { return true; };
  const Search none(small_workload(), machine, options);
  EXPECT_TRUE(none->stopped);
  EXPECT_LT(none->sizes_done, some->sizes_done);
}

#ifdef _OPENMP
TEST(Search, SameOnAnyNumberOfThreads)
{
  const ss_machine machine = machine_of(32, 4);
  const int before = omp_get_max_threads();
  std::vector<std::unique_ptr<Search>> searches;
  for (const int threads : {1, 2, 4}) {
    omp_set_num_threads(threads);
    ss_search_options options = options_of(32, one_d | two_d | summa);
    options.knobs = ss_knob_find("schedule", 8) | ss_knob_find("sharding", 8);
    searches.push_back(std::make_unique<Search>(small_workload(), machine, options));
  }
  omp_set_num_threads(before);
  const Search &one = *searches[0];
  for (const auto &other : searches) {
    ASSERT_EQ(one->count, (*other)->count);
    EXPECT_EQ(one->candidates, (*other)->candidates);
    EXPECT_EQ(one->feasible, (*other)->feasible);
    for (int64_t i = 0; i < one->count; ++i) expect_same(one.best(i), other->best(i));
  }
}
#endif
