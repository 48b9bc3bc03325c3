/* Queues between a host and its GPU, against times worked out by hand. */
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "model/input/workload.h"
#include "model/plan/host_plan.h"
}

namespace
{

ss_launches all_of(const std::vector<ss_launches> &pieces)
{
  ss_launches sum = ss_launches_none();
  for (const ss_launches &piece : pieces) sum = ss_launches_then(sum, piece);
  return sum;
}

/* When the GPU is through with work that it and the host come to at g and h. */
double end_s(const ss_launches &work, double g, double h)
{
  return g + ss_launches_wait(&work, g, &h) + work.gpu_s;
}

ss_workload eager_workload()
{
  ss_workload w;
  ss_workload_init(&w);
  w.model.heads = 16;
  w.training.host = SS_HOST_EAGER;
  w.training.attention = SS_ATTENTION_UNFUSED;
  return w;
}

ss_machine machine_of(double forward_s, double backward_s, double collective_s)
{
  ss_machine m;
  ss_machine_init(&m);
  m.host_forward_s = forward_s;
  m.host_backward_s = backward_s;
  m.host_collective_s = collective_s;
  return m;
}

ss_host_plan of_queue(double ahead_s)
{
  ss_host_plan plan = {};
  plan.ahead_s = ahead_s;
  return plan;
}

double host_s(const ss_host_plan &plan, ss_pass pass, const ss_task &task)
{
  return ss_host_plan_launches(&plan, pass, &task, 0, false).host_s;
}

} /* namespace */

/* Launched at 3, 6 and 9, kernels of 1 run until 4, 7 and 10: the host sets the pace, and the last kernel is left. */
TEST(Launches, HostIsBehind)
{
  const ss_launches work = all_of({ss_launches_one(1, 3, 1), ss_launches_one(1, 3, 1), ss_launches_one(1, 3, 1)});
  EXPECT_DOUBLE_EQ(work.host_s, 9);
  EXPECT_DOUBLE_EQ(work.gpu_s, 3);
  EXPECT_DOUBLE_EQ(end_s(work, 0, 0), 10);
  EXPECT_DOUBLE_EQ(end_s(work, 0, -6), 4);  /* launched at -3, 0 and 3: only the last one waits */
  EXPECT_DOUBLE_EQ(end_s(work, 0, -9), 3);  /* all are there */
  EXPECT_DOUBLE_EQ(end_s(work, 20, 0), 23); /* the GPU comes later than all launches */
}

/* Kernels of 5: the first one waits for its launch, the others are launched while it runs. */
TEST(Launches, HostIsAhead)
{
  const ss_launches work = all_of({ss_launches_one(1, 3, 5), ss_launches_one(1, 3, 5), ss_launches_one(1, 3, 5)});
  EXPECT_DOUBLE_EQ(end_s(work, 0, 0), 3 + 15);
  EXPECT_DOUBLE_EQ(work.host_s, 9);
}

/* A long kernel lets the host get ahead by 10 - 2, which short ones then use up: launched at 2, 4, 6, 8, 10, 12, 14,
 * 16, they run behind the long one from 12 on, a unit each, until the 7th and 8th at 18 and 19 would be early, too. */
TEST(Launches, LeadIsUsedUp)
{
  std::vector<ss_launches> pieces = {ss_launches_one(1, 2, 10)};
  for (int i = 0; i < 7; ++i) pieces.push_back(ss_launches_one(1, 2, 1));
  EXPECT_DOUBLE_EQ(end_s(all_of(pieces), 0, 0), 19);
  for (int i = 0; i < 4; ++i) pieces.push_back(ss_launches_one(1, 2, 1)); /* launched at 18, 20, 22 and 24 */
  EXPECT_DOUBLE_EQ(end_s(all_of(pieces), 0, 0), 25);
}

/* Kernels of 10, 4 and 4, launches of 2; the host launches the second kernel when the first is done. That runs from 2
 * to 12, the second, launched at 14, until 18, the third, launched at 16, until 22. Two units are lost, however far the
 * host is ahead: from 20 the kernels end at 30, 36 and 40; from 0, the first launched long before, at 10, 16 and 20. */
TEST(Launches, HostWaitsOnTheWay)
{
  const ss_launches synced = ss_launches_synced(ss_launches_one(1, 2, 4));
  const ss_launches work = all_of({ss_launches_one(1, 2, 10), synced, ss_launches_one(1, 2, 4)});
  EXPECT_DOUBLE_EQ(work.gpu_s, 18);
  EXPECT_DOUBLE_EQ(end_s(work, 0, 0), 22);
  EXPECT_DOUBLE_EQ(end_s(work, 20, 0), 40);
  EXPECT_DOUBLE_EQ(end_s(work, 0, -100), 20);
  double host_s = 0;
  ss_launches_wait(&work, 20, &host_s);
  EXPECT_DOUBLE_EQ(host_s, 34); /* two launches after 30 */
}

/* The sum does not depend on where it is cut, also with several waits, of kernels that host and GPU take turns to be
 * slower with. */
TEST(Launches, SumsOfSums)
{
  std::vector<ss_launches> pieces;
  for (int i = 0; i < 12; ++i) {
    const ss_launches piece = ss_launches_one(1, 1 + i % 3, 1 + 7 * (i % 2) + i % 5);
    pieces.push_back(i % 4 == 2 ? ss_launches_synced(piece) : piece);
  }
  double g = 3, h = 0;
  for (const ss_launches &piece : pieces) g += ss_launches_wait(&piece, g, &h) + piece.gpu_s;
  for (size_t cut = 0; cut <= pieces.size(); ++cut) {
    const ss_launches sum =
        ss_launches_then(all_of({pieces.begin(), pieces.begin() + cut}), all_of({pieces.begin() + cut, pieces.end()}));
    double through = 0;
    EXPECT_DOUBLE_EQ(3 + ss_launches_wait(&sum, 3, &through) + sum.gpu_s, g);
    EXPECT_DOUBLE_EQ(through, h);
  }
}

TEST(Launches, NothingWaitsForNothing)
{
  const ss_launches one = ss_launches_one(1, 3, 1);
  EXPECT_DOUBLE_EQ(end_s(ss_launches_none(), 0, 100), 0);
  for (const ss_launches &sum : {all_of({one, ss_launches_none()}), all_of({ss_launches_none(), one})}) {
    EXPECT_DOUBLE_EQ(sum.host_s, one.host_s);
    EXPECT_DOUBLE_EQ(sum.start_s, one.start_s);
    EXPECT_DOUBLE_EQ(sum.gpu_s, one.gpu_s);
    EXPECT_DOUBLE_EQ(sum.count, one.count);
  }
}

/* Two launches of a product with its bias forward, two backward, where the bias has a sum and a hook, and again two
 * where backward computes it again. */
TEST(HostPlan, TaskTakesItsLaunches)
{
  const ss_machine machine = machine_of(100e-6, 40e-6, 70e-6);
  const ss_workload workload = eager_workload();
  const ss_host_plan plan = ss_host_plan_of(&workload, &machine);
  ss_task task = {};
  task.activity = SS_OP_QKV;
  task.computes = true;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_FORWARD, task), 200e-6);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 80e-6);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_WEIGHT, task), 80e-6);
  task.role = SS_ROLE_AGAIN;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 200e-6);
  task.calls = 1;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 270e-6);
  task.computes = false;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 70e-6);
  task.computes = true; /* in four pieces, beside as many of the collective */
  task.overlap.kernel_pieces = task.overlap.call_pieces = 4;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 4 * 170e-6);
}

/* Four experts: a launch each, or one for all; the host waits for their number of tokens. In a graph the first task is
 * one launch, those behind it none. */
TEST(HostPlan, ExpertsAndGraphs)
{
  const ss_machine machine = machine_of(100e-6, 40e-6, 70e-6);
  ss_workload workload = eager_workload();
  ss_host_plan plan = ss_host_plan_of(&workload, &machine);
  ss_task task = {};
  task.activity = SS_OP_EXPERT_FC1;
  task.computes = true;
  task.matrices = 4;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_FORWARD, task), 400e-6);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 160e-6);
  EXPECT_TRUE(std::isinf(ss_host_plan_launches(&plan, SS_PASS_FORWARD, &task, 0, false).caught_s));
  task.synced = true;
  EXPECT_DOUBLE_EQ(ss_host_plan_launches(&plan, SS_PASS_FORWARD, &task, 0, true).caught_s, 400e-6);
  workload.training.expert_kernels = SS_EXPERT_KERNELS_GROUPED;
  plan = ss_host_plan_of(&workload, &machine);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_FORWARD, task), 100e-6);
  task.matrices = 0;
  task.launches = 5;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_FORWARD, task), 500e-6);
  task.graphed = SS_GRAPHED_FIRST;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 40e-6);
  task.graphed = SS_GRAPHED_THEN;
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 0);
}

/* 16 heads over 8 ranks are 2 on each: with one sequence the fused softmax does not take them, with two it does. */
TEST(HostPlan, SoftmaxTakesFourHeads)
{
  const ss_machine machine = machine_of(100e-6, 40e-6, 70e-6);
  ss_workload workload = eager_workload();
  ss_task task = {};
  task.activity = SS_OP_SOFTMAX;
  task.computes = true;
  workload.parallelism.tp = 8;
  ss_host_plan plan = ss_host_plan_of(&workload, &machine);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_FORWARD, task), 600e-6);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_BACKWARD, task), 200e-6);
  workload.training.micro_batch = 2;
  plan = ss_host_plan_of(&workload, &machine);
  EXPECT_DOUBLE_EQ(host_s(plan, SS_PASS_FORWARD, task), 100e-6);
}

/* The host is no more ahead than the queue is long; where it waits for the GPU, not at all. */
TEST(HostPlan, RunsAheadAsFarAsTheQueueIsLong)
{
  const ss_host_plan ahead = of_queue(0.25), waits = of_queue(0);
  EXPECT_DOUBLE_EQ(ss_host_plan_begin_s(&ahead, 0.5, 1.0), 0.75);
  EXPECT_DOUBLE_EQ(ss_host_plan_begin_s(&ahead, 0.9, 1.0), 0.9);
  EXPECT_DOUBLE_EQ(ss_host_plan_begin_s(&ahead, 1.5, 1.0), 1.5);
  EXPECT_DOUBLE_EQ(ss_host_plan_begin_s(&waits, 0.5, 1.0), 1.0);
}

/* Messages end in a wait for the GPU, unless they run beside compute; timers always do. */
TEST(HostPlan, WaitsForTheGpu)
{
  const ss_machine machine = machine_of(30e-6, 10e-6, 0);
  ss_workload workload = eager_workload();
  const auto waits = [&] { return ss_host_plan_of(&workload, &machine).waits; };
  EXPECT_FALSE(waits());
  workload.parallelism.pp = 2;
  EXPECT_TRUE(waits());
  workload.schedule.overlap_pp = SS_YES;
  EXPECT_FALSE(waits());
  workload.training.host = SS_HOST_EAGER_TIMED;
  EXPECT_TRUE(waits());
}

/* Where layers are timed by themselves: before the first task of a block, and behind a collective. */
TEST(HostPlan, WaitsBeforeEachLayer)
{
  const ss_machine machine = machine_of(1e-6, 1e-6, 1e-6);
  ss_workload workload = eager_workload();
  ss_task_list list = {};
  list.count = 3;
  list.task[1].calls = 1;
  const auto waits = [&](int64_t i) {
    const ss_host_plan plan = ss_host_plan_of(&workload, &machine);
    return ss_host_plan_waits_at(&plan, &list, &list.task[i]);
  };
  EXPECT_FALSE(waits(0) || waits(1) || waits(2));
  workload.training.host = SS_HOST_EAGER_LAYERS;
  EXPECT_TRUE(waits(0) && waits(2));
  EXPECT_FALSE(waits(1));
  list.task[1].synced = true;
  EXPECT_TRUE(waits(1));
}
