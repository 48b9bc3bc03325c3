/* Refusals of passes in pairs (schedule.overlap-ep), and of rules for buckets. */
#ifndef STEPSIM_TESTS_SUPPORT_PAIR_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_PAIR_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

/* Passes in pairs, of experts that two ranks share out. */
inline Overrides paired(Overrides more)
{
  const Overrides all = {"model.experts=8", "parallelism.ep=2", "parallelism.etp=1", "schedule.overlap-ep=paired"};
  more.insert(more.begin(), all.begin(), all.end());
  return more;
}

#define PAIRED "--set: schedule.overlap-ep=\"paired\": "
inline const std::vector<Refusal> pair_refusals = {
    {SS_REFUSAL_overlap_ep, paired({"parallelism.ep=1"}),
     PAIRED "hides all-to-alls of experts, which there are none of: parallelism.ep=\"1\"; allowed: none, or "
            "parallelism.ep above 1"},
    {SS_REFUSAL_overlap_ep_pipeline, paired({"schedule.pipeline=gpipe"}),
     PAIRED "needs backward passes that a forward pass can run beside: schedule.pipeline=\"gpipe\"; allowed: "
            "none, or schedule.pipeline=\"1f1b\", \"eager-1f1b\", \"interleaved\", \"dualpipe-v\" or \"dualpipe\""},
    {SS_REFUSAL_overlap_ep_delayed,
     paired({"schedule.pipeline=dualpipe-v", "model.layers=32", "parallelism.interleave=1",
             "schedule.overlap-ep=delayed"}),
     "--set: schedule.overlap-ep=\"delayed\": delays weight gradients, which have passes of their own: "
     "schedule.pipeline=\"dualpipe-v\"; allowed: none or paired"},
    {SS_REFUSAL_overlap_ep_stages, paired({}),
     PAIRED "needs a forward pass that is there when backward comes: schedule.pipeline=\"1f1b\", "
            "parallelism.interleave=\"1\"; allowed: none, schedule.pipeline=\"eager-1f1b\", \"dualpipe\" or "
            "\"dualpipe-v\", parallelism.interleave "
            "above 1, or one stage"},
};

#undef PAIRED

} /* namespace stepsim */

#endif
