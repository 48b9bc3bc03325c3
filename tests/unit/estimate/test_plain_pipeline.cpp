/* The formula of 1F1B pipelines against the walk through all of their passes. */
#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/estimate/pipeline_walk.h"
#include "model/estimate/plain_pipeline.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 200;
#else
constexpr int kCases = 4000;
#endif

/* A workload of 1F1B with messages between passes, otherwise random, as far as it may be. */
ss_workload random_plain_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.schedule.pipeline = SS_PIPELINE_1F1B;
    w.schedule.overlap_pp = SS_NO;
    w.parallelism.interleave = 1;
    w.placement.segment = 0;
    w.parallelism.pp = pick(random, {2, 4, 8});
    if (w.parallelism.sharding == SS_SHARDING_PARAMETERS) w.parallelism.sharding = SS_SHARDING_OPTIMIZER;
    w.training.offload_weights = w.training.offload_activations = SS_NO;
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 2, 3, 5, 8, 32, 200});
    if (coin(random)) {
      const std::string layout = random_layout(random, w.parallelism.pp, w.model.mtp_modules, &w.model.layers);
      std::snprintf(w.parallelism.layout, sizeof w.parallelism.layout, "%s", layout.c_str());
    }
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* From the beginning of an iteration until a stage has its gradients. */
double until_step_s(const ss_job *job, const ss_course &course, const ss_stage_time *t)
{
  const ss_exposure &e = course.exposed;
  return (double)job->copy_batches * t->alone_s + course.bubble_s + course.messages_s + e.data_s + e.slowed_s +
         e.offload_s + e.tail_s;
}

/* What the formula says of the stages of a job, with every run listed, or folded. */
struct Formula {
  Formula(const ss_job *job, bool folds)
      : job_(job), runs(ss_stage_runs_list(job, false, folds)), courses((size_t)job->stages),
        exact(ss_plain_pipeline_courses(job, &runs, courses.data())), least_s(ss_plain_pipeline_least_s(job, &runs))
  {
  }
  Formula(const Formula &) = delete;
  Formula &operator=(const Formula &) = delete;
  ~Formula()
  {
    ss_stage_runs_free(job_, &runs);
  }
  /* When the stages of runs that are not like those before are done, by the first of each. */
  std::map<int64_t, double> ends_s() const
  {
    std::map<int64_t, double> ends_s;
    for (int64_t i = 0; exact && i < runs.count; ++i)
      if (!runs.run[i].like_before)
        ends_s[runs.run[i].first] = until_step_s(job_, courses[(size_t)i], runs.run[i].time);
    return ends_s;
  }
  int64_t stages() const
  {
    int64_t stages = 0;
    for (int64_t i = 0; i < runs.stretches; ++i) stages += runs.stretch[i].times * runs.stretch[i].stages;
    return stages;
  }

private:
  const ss_job *job_;

public:
  ss_stage_runs runs;
  std::vector<ss_course> courses;
  bool exact;
  double least_s;
};

/* A job as searches have them, on domains of so many GPUs that all ranks of a stage are in one. */
class ComputedJob
{
public:
  ComputedJob(const ss_workload &workload, const ss_machine &machine) : workload_(workload), machine_(machine)
  {
    ss_job_options options = {};
    options.cost = SS_COST_CALIBRATED;
    options.estimate_only = true;
    inside_.tp = workload.parallelism.tp;
    inside_.cp = 1;
    inside_.dp = workload.parallelism.dp;
    inside_.pp = machine.domain_size / (inside_.tp * inside_.dp);
    options.inside = &inside_;
    ss_error error = {};
    EXPECT_EQ(ss_job_init(&job_, &workload_, &machine_, options, &error), SS_OK) << error.message;
  }
  ComputedJob(const ComputedJob &) = delete;
  ComputedJob &operator=(const ComputedJob &) = delete;
  ~ComputedJob()
  {
    ss_job_free(&job_);
  }
  const ss_job *get() const
  {
    return &job_;
  }

private:
  ss_workload workload_;
  ss_machine machine_;
  ss_coordinates inside_ = {};
  ss_job job_ = {};
};

/* A plain workload of many stages, several of which share a domain. */
ss_workload random_deep_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_plain_workload(random);
    w.parallelism.layout[0] = '\0';
    w.parallelism.pp = pick(random, {16, 24, 32});
    w.parallelism.tp = pick(random, {1, 2});
    w.parallelism.cp = w.parallelism.tp2 = 1;
    w.parallelism.dp = pick(random, {1, 1, 2});
    w.model.layers = w.parallelism.pp * pick(random, {1, 3});
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 4, 9, 14, 20, 40, 200});
    if (ss_workload_gpus(&w) <= 128 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* True if there are runs to fold. Then it is as if every run were listed. */
bool is_as_listed(const ss_job *job)
{
  const Formula all(job, false), folded(job, true);
  EXPECT_EQ(all.stages(), job->stages);
  EXPECT_EQ(folded.stages(), job->stages);
  EXPECT_EQ(all.exact, folded.exact);
  expect_close(folded.runs.fills_s, all.runs.fills_s, 1e-12);
  expect_close(folded.least_s, all.least_s, 1e-12);
  const std::map<int64_t, double> ends_s = all.ends_s(), folded_s = folded.ends_s();
  EXPECT_EQ(ends_s.size(), folded_s.size());
  for (const auto &end : folded_s) expect_close(end.second, ends_s.at(end.first), 1e-12);
  return folded.runs.count < all.runs.count;
}

/* True if there is a formula: its stages are then done when those of the walk are, and those that it leaves out, as
 * they are like the one before, no later than that. */
bool is_as_walked(const ss_job *job)
{
  std::vector<ss_course> formula((size_t)job->stages), walked((size_t)job->stages);
  ss_stage_runs runs = ss_stage_runs_list(job, false, false);
  const bool exact = ss_plain_pipeline_is(job) && ss_plain_pipeline_courses(job, &runs, formula.data());
  if (exact) ss_pipeline_walk(job, walked.data());
  double latest_s = 0.0;
  for (int64_t i = 0; exact && i < runs.count; ++i) {
    const ss_stage_run &run = runs.run[i];
    for (int64_t stage = run.first; stage < run.end; ++stage) {
      SCOPED_TRACE(testing::Message() << "stage " << stage);
      const double end_s = until_step_s(job, walked[(size_t)stage], run.time);
      if (stage > run.first || run.like_before) {
        EXPECT_LE(end_s, latest_s * (1 + 1e-9));
        continue;
      }
      latest_s = until_step_s(job, formula[(size_t)i], run.time);
      expect_close(latest_s, end_s, 1e-9);
    }
  }
  ss_stage_runs_free(job, &runs);
  return exact;
}

/* No pipeline is done earlier than its longest chain. */
void expect_no_earlier(const ss_job *job)
{
  ss_stage_runs runs = ss_stage_runs_list(job, false, true);
  const double least_s = ss_plain_pipeline_least_s(job, &runs);
  ss_stage_runs_free(job, &runs);
  EXPECT_GE(ss_estimate_time(job).iteration_s, least_s * (1 - 1e-9));
}

} // namespace

/* With unequal stages, few or many micro-batches, and ends of any length. */
TEST(PlainPipeline, FormulaIsTheWalk)
{
  std::mt19937 random(71 + seed);
  int plain = 0, exact = 0;
  for (int i = 0; i < kCases; ++i) {
    const Job job(random_plain_workload(random), random_machine(random, coin(random)), SS_COST_CALIBRATED);
    if (!ss_plain_pipeline_is(job.get())) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    ++plain;
    exact += is_as_walked(job.get());
    expect_no_earlier(job.get());
  }
  EXPECT_GT(plain, kCases / 8);
  EXPECT_GT(exact, kCases / 20);
}

/* Domains with the same runs are gone through once, with fewer and with more micro-batches than stages. */
TEST(PlainPipeline, DomainsAreFolded)
{
  std::mt19937 random(72 + seed);
  int folds = 0, exact = 0;
  for (int i = 0; i < kCases / 4; ++i) {
    PlatformSpec spec;
    spec.gpus = 128;
    spec.domain = spec.nics = pick(random, {4, 8});
    const ComputedJob job(random_deep_workload(random), able_machine(spec));
    if (!ss_plain_pipeline_is(job.get())) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    folds += is_as_listed(job.get());
    exact += Formula(job.get(), true).exact;
  }
  EXPECT_GT(folds, kCases / 80);
  EXPECT_GT(exact, kCases / 80);
}
