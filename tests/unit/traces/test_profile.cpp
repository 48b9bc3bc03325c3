/* Profiles of overlapping work, rules for names, and groups of ranks, with numbers worked out by hand. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/profile/comparison.h"
#include "model/profile/rules.h"
}

using namespace stepsim;

namespace
{

struct Work {
  double start_s, end_s;
  ss_kernel_class kind;
  int64_t layer = SS_NO_INDEX;
  bool is_kernel = true;
};

ss_profile profile_of(const std::vector<Work> &work, ss_window window)
{
  ss_work_log log = {};
  ss_error error = {};
  for (const Work &w : work) {
    const ss_work_interval interval = {w.start_s, w.end_s, w.kind, w.layer, w.is_kernel};
    EXPECT_EQ(ss_work_log_add(&log, &interval, &error), SS_OK);
  }
  ss_work_log_sort(&log);
  ss_profile profile;
  ss_profile_of(&log, window, &profile);
  ss_work_log_free(&log);
  return profile;
}

double sum_of(const ss_profile &profile)
{
  double sum_s = profile.idle_s;
  for (const ss_class_time &time : profile.of) sum_s += time.alone_s;
  return sum_s;
}

/* Products 0..4 and 3..6, norms 5..7, data parallel 2..9, idle 9..10, copies 10..12 and 11..12. */
TEST(Profile, EveryMomentBelongsToWhatRunsThen)
{
  const ss_profile p = profile_of({{3, 6, SS_CLASS_PRODUCT},
                                   {0, 4, SS_CLASS_PRODUCT},
                                   {5, 7, SS_CLASS_NORM},
                                   {2, 9, SS_CLASS_DATA},
                                   {10, 12, SS_CLASS_COPY},
                                   {11, 12, SS_CLASS_COPY}},
                                  {0, 12});
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PRODUCT].kernels, 2);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PRODUCT].sum_s, 7);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PRODUCT].active_s, 6);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PRODUCT].alone_s, 5.5); /* half of 5..6 */
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_NORM].alone_s, 1.5);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_DATA].active_s, 7);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_DATA].alone_s, 2); /* 7..9 */
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_COPY].sum_s, 3);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_COPY].alone_s, 2);
  EXPECT_DOUBLE_EQ(p.compute_s, 7);
  EXPECT_DOUBLE_EQ(p.beside_s, 9);
  EXPECT_DOUBLE_EQ(p.hidden_s, 5); /* 2..7 */
  EXPECT_DOUBLE_EQ(p.idle_s, 1);
  EXPECT_DOUBLE_EQ(p.gaps, 1);
  EXPECT_DOUBLE_EQ(sum_of(p), p.iteration_s);
}

/* What begins before the window or ends behind it counts for what is inside; it is counted where it begins. */
TEST(Profile, OfAWindow)
{
  const ss_profile p =
      profile_of({{0, 4, SS_CLASS_PRODUCT}, {5, 9, SS_CLASS_PRODUCT}, {20, 21, SS_CLASS_NORM}}, {2, 8});
  EXPECT_DOUBLE_EQ(p.iteration_s, 6);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PRODUCT].kernels, 1);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PRODUCT].sum_s, 5);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_NORM].sum_s, 0);
  EXPECT_DOUBLE_EQ(p.idle_s, 1);
  EXPECT_DOUBLE_EQ(profile_of({}, {0, 3}).idle_s, 3);
  EXPECT_DOUBLE_EQ(
      profile_of({{0, 1, SS_CLASS_NORM}, {1 + 5e-10, 2, SS_CLASS_NORM}, {3, 4, SS_CLASS_NORM}}, {0, 4}).gaps, 1);
}

TEST(Profile, WaitsAreNoKernelsAndLayersHaveNoCommunication)
{
  const ss_profile p = profile_of({{0, 2, SS_CLASS_PIPELINE, SS_NO_INDEX, false},
                                   {2, 3, SS_CLASS_PRODUCT, 4},
                                   {2, 5, SS_CLASS_TENSOR, 4},
                                   {3, 5, SS_CLASS_NORM, 4}},
                                  {0, 5});
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PIPELINE].kernels, 0);
  EXPECT_DOUBLE_EQ(p.of[SS_CLASS_PIPELINE].alone_s, 2);
  ASSERT_EQ(p.layers, 5);
  EXPECT_DOUBLE_EQ(p.layer[4].sum_s, 3);
  EXPECT_DOUBLE_EQ(p.layer[4].kernels, 2);
  EXPECT_DOUBLE_EQ(p.layer[3].kernels, 0);
}

TEST(Profile, MeanOfRanks)
{
  ss_profile mean = {};
  ss_profile_add(&mean, std::make_unique<ss_profile>(profile_of({{0, 2, SS_CLASS_PRODUCT, 0}}, {0, 4})).get(), 0.5);
  ss_profile_add(&mean, std::make_unique<ss_profile>(profile_of({{0, 6, SS_CLASS_PRODUCT, 1}}, {0, 8})).get(), 0.5);
  EXPECT_DOUBLE_EQ(mean.iteration_s, 6);
  EXPECT_DOUBLE_EQ(mean.of[SS_CLASS_PRODUCT].alone_s, 4);
  EXPECT_DOUBLE_EQ(mean.idle_s, 2);
  EXPECT_EQ(mean.layers, 2);
  EXPECT_DOUBLE_EQ(mean.layer[1].sum_s, 3);
}

/* Every activity that a timeline draws is work of a class, or is a pass, a block, a wait or the host. */
TEST(KernelClass, OfActivities)
{
  EXPECT_EQ(ss_class_of_activity(SS_OP_NORM_1, SS_STREAM_COMPUTE), SS_CLASS_NORM);
  EXPECT_EQ(ss_class_of_activity(SS_OP_SOFTMAX, SS_STREAM_COMPUTE), SS_CLASS_ATTENTION);
  EXPECT_EQ(ss_class_of_activity(SS_OP_UNPERMUTE, SS_STREAM_COMPUTE), SS_CLASS_ROUTING);
  EXPECT_EQ(ss_class_of_activity(SS_OP_FC1, SS_STREAM_COMPUTE), SS_CLASS_PRODUCT);
  EXPECT_EQ(ss_class_of_activity(SS_COMM_ALL_REDUCE, SS_STREAM_DATA), SS_CLASS_DATA);
  EXPECT_EQ(ss_class_of_activity(SS_COMM_READ, SS_STREAM_OFFLOAD_READ), SS_CLASS_COPY);
  EXPECT_EQ(ss_class_of_activity(SS_WAIT_PIPELINE, SS_STREAM_COMPUTE), SS_CLASS_PIPELINE);
  EXPECT_EQ(ss_class_of_activity(SS_WAIT_DATA, SS_STREAM_COMPUTE), SS_CLASS_COUNT);
  EXPECT_EQ(ss_class_of_activity(SS_FORWARD, SS_STREAM_COMPUTE), SS_CLASS_COUNT);
  for (int i = 0; i < SS_ACTIVITY_COUNT; ++i)
    EXPECT_EQ(ss_activity_of_name(ss_activity_name(static_cast<ss_activity>(i))), i);
  for (int i = 0; i < SS_STREAM_COUNT; ++i) EXPECT_EQ(ss_stream_of_name(ss_stream_name(static_cast<ss_stream>(i))), i);
  for (int i = 0; i < SS_CLASS_COUNT; ++i)
    EXPECT_EQ(ss_class_of_word(ss_class_word(static_cast<ss_kernel_class>(i))), i);
}

TEST(Rules, Patterns)
{
  EXPECT_NE(ss_pattern_find("flash_FWD", "void Flash_fwd_kernel<>"), nullptr);
  EXPECT_EQ(ss_pattern_find("flash_fwd", "flash_bwd"), nullptr);
  EXPECT_STREQ(ss_pattern_find("a*c", "xxabbbcd"), "d");
  EXPECT_EQ(ss_pattern_find("a*c", "cba"), nullptr);
  EXPECT_STREQ(ss_pattern_find("layers.", "model.layers.17.mlp"), "17.mlp");
  EXPECT_STREQ(ss_pattern_find("ab", "aab"), "");
  EXPECT_STREQ(ss_pattern_find("*", "x"), "x");
}

TEST(Rules, TheFirstOneThatMatchesCounts)
{
  auto rules = std::make_unique<ss_rules>();
  rules->count = 4;
  rules->rule[0] = {SS_RULE_KERNEL, SS_CLASS_ATTENTION, "sdpa"};
  rules->rule[1] = {SS_RULE_KERNEL, SS_CLASS_PRODUCT, "sm90_xmma"};
  rules->rule[2] = {SS_RULE_GROUP, SS_CLASS_DATA, "sdpa"};
  rules->rule[3] = {SS_RULE_STEP, SS_CLASS_COUNT, "Step#"};
  EXPECT_EQ(ss_rules_class(rules.get(), SS_RULE_KERNEL, "cudnn_sm90_xmma_sdpa"), SS_CLASS_ATTENTION);
  EXPECT_EQ(ss_rules_class(rules.get(), SS_RULE_KERNEL, "sm90_xmma_gemm"), SS_CLASS_PRODUCT);
  EXPECT_EQ(ss_rules_class(rules.get(), SS_RULE_GROUP, "sm90_xmma"), SS_CLASS_COUNT);
  EXPECT_EQ(ss_rules_number(rules.get(), SS_RULE_STEP, "ProfilerStep#012x"), 12);
  EXPECT_EQ(ss_rules_number(rules.get(), SS_RULE_STEP, "ProfilerStep#"), -1);
  EXPECT_EQ(ss_rules_number(rules.get(), SS_RULE_STEP, "ProfilerStep#1234567890"), -1);
  EXPECT_EQ(ss_rules_number(rules.get(), SS_RULE_LAYER, "ProfilerStep#1"), -1);
}

/* tp 2, cp 2, dp 4, pp 2: ranks are tp + 2 (cp + 2 (dp + 4 pp)). */
TEST(JobGroups, ByHowTheirRanksLie)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.cp = 2;
  workload.parallelism.dp = 4;
  workload.parallelism.pp = 2;
  workload.training.global_batch = 8;
  ss_workload_derive(&workload);
  const Job job(workload, machine_of(32, 8), SS_COST_CALIBRATED);
  const ss_job_groups groups = ss_job_groups_of(job.get());
  EXPECT_EQ(ss_job_groups_class(&groups, {2, 1}), SS_CLASS_TENSOR);
  EXPECT_EQ(ss_job_groups_class(&groups, {2, 2}), SS_CLASS_CONTEXT);
  EXPECT_EQ(ss_job_groups_class(&groups, {2, 16}), SS_CLASS_PIPELINE);
  EXPECT_EQ(ss_job_groups_class(&groups, {4, 4}), SS_CLASS_DATA);
  EXPECT_EQ(ss_job_groups_class(&groups, {8, 2}), SS_CLASS_DATA);
  EXPECT_EQ(ss_job_groups_class(&groups, {4, 0}), SS_CLASS_DATA);
  EXPECT_EQ(ss_job_groups_class(&groups, {2, 0}), SS_CLASS_COLLECTIVE);
  EXPECT_EQ(ss_job_groups_class(&groups, {0, 0}), SS_CLASS_COLLECTIVE);
  EXPECT_EQ(ss_job_groups_class(&groups, {3, 1}), SS_CLASS_COLLECTIVE);
}

/* Products take 3 s longer, norms 1 s less, and a tenth of a microsecond of 10 s is nothing. */
TEST(Comparison, PartsInTheOrderOfWhatTheyTakeBeyondThePrediction)
{
  auto trace = std::make_unique<ss_compared_trace>();
  trace->measured.profile =
      profile_of({{0, 8, SS_CLASS_PRODUCT}, {8, 9, SS_CLASS_NORM}, {9, 10, SS_CLASS_ELEMENT}}, {0, 12});
  trace->predicted =
      profile_of({{0, 5, SS_CLASS_PRODUCT}, {5, 7, SS_CLASS_NORM}, {7, 8 + 1e-7, SS_CLASS_ELEMENT}}, {0, 10});
  auto comparison = std::make_unique<ss_comparison>();
  comparison->trace = trace.get();
  comparison->count = 1;
  ss_comparison_average(comparison.get());
  ss_compared_part part[SS_COMPARED_PARTS];
  ASSERT_EQ(ss_comparison_parts(comparison.get(), part), 4);
  EXPECT_EQ(part[0].kind, SS_CLASS_PRODUCT);
  EXPECT_DOUBLE_EQ(part[0].excess_s, 3);
  EXPECT_EQ(part[1].kind, SS_CLASS_ELEMENT);
  EXPECT_EQ(part[1].excess_s, 0);
  EXPECT_EQ(part[2].kind, SS_CLASS_COUNT); /* idle for 2 s, as predicted but for that */
  EXPECT_EQ(part[3].kind, SS_CLASS_NORM);
  EXPECT_STREQ(ss_compared_part_name(part[2].kind), "idle");
}

} /* namespace */
