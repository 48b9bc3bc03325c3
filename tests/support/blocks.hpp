/* Blocks of the small transformer of the fixtures, and what tests ask of their tasks. */
#ifndef STEPSIM_TESTS_SUPPORT_BLOCKS_HPP
#define STEPSIM_TESTS_SUPPORT_BLOCKS_HPP

#include <memory>
#include <string>
#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/block/layer/build.h"
#include "model/block/operation.h"
}

namespace stepsim
{

/* A block with the tasks that it refers to. */
struct OwnedBlock : ss_block {
  ss_task_list tasks[SS_PASSES];
};
using BlockPointer = std::unique_ptr<OwnedBlock>;

inline BlockPointer build_on(const ss_machine &machine, const ss_workload &workload,
                             ss_block_kind kind = SS_BLOCK_LAYER, ss_cost cost = SS_COST_CALIBRATED)
{
  BlockPointer block = std::make_unique<OwnedBlock>();
  ss_block_clear(block.get(), kind, block->tasks);
  ss_block_build(&workload, cost, &machine, block.get());
  return block;
}

inline BlockPointer build(const ss_workload &workload, ss_block_kind kind = SS_BLOCK_LAYER,
                          ss_cost cost = SS_COST_CALIBRATED)
{
  return build_on(make_machine({}), workload, kind, cost);
}

inline std::vector<ss_task> tasks(const ss_block &block, ss_pass pass)
{
  const ss_task_list &list = block.list[pass];
  return std::vector<ss_task>(list.task, list.task + list.count);
}

inline double flop(const ss_block &block, ss_pass pass)
{
  double sum = 0;
  for (const ss_task &task : tasks(block, pass)) sum += task.kernel.flop;
  return sum;
}

/* What the tasks of an activity move. */
inline double bytes(const ss_block &block, ss_pass pass, ss_activity activity)
{
  double sum = 0;
  for (const ss_task &task : tasks(block, pass))
    if (task.activity == activity) sum += task.kernel.hbm_bytes;
  return sum;
}

inline double bytes(const ss_workload &workload, ss_pass pass, ss_activity activity)
{
  return bytes(*build(workload), pass, activity);
}

/* The names of a pass: "norm 1, all-gather, qkv"; a task with collectives beside its kernel: "qkv | all-gather". */
inline std::string names(const ss_block &block, ss_pass pass)
{
  std::string text;
  for (const ss_task &task : tasks(block, pass)) {
    text += (text.empty() ? "" : ", ") + std::string(ss_activity_name(task.activity));
    for (int64_t i = 0; task.computes && i < task.calls; ++i)
      text += std::string(" | ") + ss_activity_name(ss_collective_activity(task.call[i].kind));
  }
  return text;
}

/* The collectives of a pass, whether or not beside a kernel. */
inline std::string calls(const ss_block &block, ss_pass pass)
{
  std::string text;
  for (const ss_task &task : tasks(block, pass))
    for (int64_t i = 0; i < task.calls; ++i)
      text += std::string(ss_activity_name(ss_collective_activity(task.call[i].kind))) + " ";
  return text;
}

/* The nth task of an activity in a pass. */
inline ss_task find(const ss_block &block, ss_pass pass, ss_activity activity, int nth = 0)
{
  for (const ss_task &task : tasks(block, pass))
    if (task.activity == activity && nth-- == 0) return task;
  ADD_FAILURE() << "no " << ss_activity_name(activity);
  return {};
}

inline ss_workload tensor_parallel(int tp)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = tp;
  return workload;
}

/* Experts of 2048 in place of the feed-forward part of 4096: 8 of them, 2 for each token. */
inline ss_workload mixture()
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.experts = 8;
  workload.model.top_k = 2;
  workload.model.expert_ffn = 2048;
  return workload;
}

} /* namespace stepsim */

#endif
