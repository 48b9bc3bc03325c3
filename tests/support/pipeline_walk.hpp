/* Runs the orders of all stages of a pipeline against each other: equal stages, messages that take no time. */
#ifndef STEPSIM_TESTS_SUPPORT_PIPELINE_WALK_HPP
#define STEPSIM_TESTS_SUPPORT_PIPELINE_WALK_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

extern "C" {
#include "model/schedule/schedule.h"
}

namespace stepsim
{

/* A pipeline of one of the schedules that there are. */
inline ss_pipeline_shape pipeline_shape(ss_pipeline schedule, int64_t stages, int64_t micro_batches, int64_t chunks)
{
  return {ss_schedule_of(schedule), stages, micro_batches, chunks, 0, false};
}

inline std::vector<ss_work> pipeline_order(const ss_pipeline_shape &shape, int64_t stage)
{
  std::vector<ss_work> order((size_t)ss_schedule_length(&shape));
  ss_schedule_emit(&shape, stage, order.data());
  return order;
}

/* Seconds of each pass of one micro-batch through all chunks of a stage. */
using PassTimes = std::array<double, SS_PASSES>;

/* "F0 F1 B0 ...", with the chunk of each pass ("F0.1 ...") where there are several. */
inline std::string order_text(const ss_pipeline_shape &shape, int64_t stage)
{
  std::string text;
  for (const ss_work &work : pipeline_order(shape, stage)) {
    text += (text.empty() ? "" : " ") + std::string(1, "FBW"[work.pass]) + std::to_string(work.micro_batch);
    if (shape.chunks > 1) text += "." + std::to_string(work.chunk);
  }
  return text;
}

class PipelineWalk
{
public:
  std::vector<double> start_s, finish_s, busy_s; /* of each stage */
  bool deadlock = false;                         /* the stages wait for each other: the times are those until then */

  /* `hidden_s`: how much less a pair takes than its passes. */
  PipelineWalk(const ss_pipeline_shape &shape, const PassTimes &pass_s, double hidden_s = 0.0)
      : start_s((size_t)shape.stages), finish_s((size_t)shape.stages), busy_s((size_t)shape.stages), shape_(shape),
        pass_s_(pass_s), hidden_s_(hidden_s), place_((size_t)shape.stages)
  {
    for (int64_t stage = 0; stage < shape.stages; stage++) order_.push_back(pipeline_order(shape, stage));
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t stage = 0; stage < order_.size(); stage++) moved |= run(stage);
    }
    for (size_t stage = 0; stage < order_.size(); stage++) deadlock |= place_[stage] < order_[stage].size();
  }

  /* Seconds from the first start to the last finish. */
  double iteration_s() const
  {
    return *std::max_element(finish_s.begin(), finish_s.end());
  }

  /* Seconds that a stage is busy or waits, from its own first start to its own finish: the longest of the stages. */
  double stage_s() const
  {
    double longest_s = 0.0;
    for (size_t stage = 0; stage < order_.size(); stage++)
      longest_s = std::max(longest_s, finish_s[stage] - start_s[stage]);
    return longest_s;
  }

private:
  ss_pipeline_shape shape_;
  PassTimes pass_s_;
  double hidden_s_;
  std::vector<std::vector<ss_work>> order_;
  std::vector<size_t> place_;
  std::map<std::tuple<ss_pass, int64_t, int64_t, int64_t>, double> done_s_; /* by pass, copy, part, micro-batch */
  std::set<std::tuple<ss_pass, int64_t, int64_t, int64_t>> whole_;          /* those that wait for their weight pass */

  /* Runs a stage until it has to wait for another one; false if it could not even start. A pair waits for both
   * messages, and both are done when it is. */
  bool run(size_t stage)
  {
    const size_t from = place_[stage];
    while (place_[stage] < order_[stage].size()) {
      const ss_work *work = &order_[stage][place_[stage]];
      const size_t passes = work->paired ? 2 : 1;
      double ready_s = finish_s[stage];
      for (size_t i = 0; i < passes; i++) ready_s = std::max(ready_s, input_s(work[i], part_of(stage, work[i])));
      if (ready_s == std::numeric_limits<double>::infinity()) break;
      if (place_[stage] == 0) start_s[stage] = ready_s;
      double work_s = work->paired ? -hidden_s_ : 0.0;
      for (size_t i = 0; i < passes; i++)
        work_s += pass_s_[work[i].pass] * (double)shape_.stages / (double)ss_shape_parts(&shape_);
      finish_s[stage] = ready_s + work_s;
      busy_s[stage] += work_s;
      for (size_t i = 0; i < passes; i++) note(stage, work[i]);
      place_[stage] += passes;
    }
    return place_[stage] > from;
  }

  ss_model_part part_of(size_t stage, const ss_work &work) const
  {
    return ss_schedule_part(&shape_, {(int64_t)stage, work.chunk});
  }

  /* A pass is done. A whole backward pass is for others when its weight pass is. */
  void note(size_t stage, const ss_work &work)
  {
    const ss_model_part part = part_of(stage, work);
    const auto key = [&](ss_pass pass) { return std::make_tuple(pass, part.copy, part.index, work.micro_batch); };
    if (work.whole) whole_.insert(key(work.pass));
    if (!work.whole) done_s_[key(work.pass)] = finish_s[stage];
    if (work.pass == SS_PASS_WEIGHT && whole_.count(key(SS_PASS_BACKWARD)) > 0)
      done_s_[key(SS_PASS_BACKWARD)] = finish_s[stage];
  }

  /* When a pass can start at the earliest: infinity as long as what it needs has not been done. */
  double input_s(const ss_work &work, ss_model_part part) const
  {
    const ss_model_part before = {part.copy, part.index - 1}, after = {part.copy, part.index + 1};
    const bool first = part.index == 0, last = after.index == ss_shape_parts(&shape_);
    if (work.pass == SS_PASS_WEIGHT && whole_.count({SS_PASS_BACKWARD, part.copy, part.index, work.micro_batch}) > 0)
      return 0.0;
    if (work.pass == SS_PASS_WEIGHT) return done_s(SS_PASS_BACKWARD, part, work.micro_batch);
    if (work.pass == SS_PASS_FORWARD) return first ? 0.0 : done_s(SS_PASS_FORWARD, before, work.micro_batch);
    const double forward_s = done_s(SS_PASS_FORWARD, part, work.micro_batch);
    return last ? forward_s : std::max(forward_s, done_s(SS_PASS_BACKWARD, after, work.micro_batch));
  }

  double done_s(ss_pass pass, ss_model_part part, int64_t micro_batch) const
  {
    const auto found = done_s_.find({pass, part.copy, part.index, micro_batch});
    return found != done_s_.end() ? found->second : std::numeric_limits<double>::infinity();
  }
};

} /* namespace stepsim */

#endif
