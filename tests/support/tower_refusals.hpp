/* Refusals of vision towers: of the GPT-3 workload with a small one. */
#ifndef STEPSIM_TESTS_SUPPORT_TOWER_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_TOWER_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

/* A tower of two layers, and more. */
inline Overrides tower(const Overrides &more)
{
  Overrides all = {"model.vision-layers=2",  "model.vision-hidden=64", "model.vision-heads=4",
                   "model.vision-tokens=64", "model.vision-patch=588", "model.vocabulary=50257"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::vector<Refusal> tower_refusals = {
    {SS_REFUSAL_vision_sizes,
     {"model.vision-layers=2", "model.vision-hidden=64"},
     "--set: model.vision-layers=\"2\": is above 0, but a tower needs sizes: model.vision-hidden=\"64\", "
     "model.vision-heads=\"0\", model.vision-tokens=\"0\", model.vision-patch=\"0\"; allowed: 0, or all of them above "
     "0"},
    {SS_REFUSAL_vision_none,
     {"model.vision-hidden=64"},
     "--set: model.vision-hidden=\"64\": is above 0 without a tower: model.vision-layers=\"0\"; allowed: 0, or "
     "model.vision-layers above 0"},
    {SS_REFUSAL_vision_frozen,
     {"training.freeze-vision=yes"},
     "--set: training.freeze-vision=\"yes\": is yes without a tower: model.vision-layers=\"0\"; allowed: no, or "
     "model.vision-layers above 0"},
    {SS_REFUSAL_vision_offload, tower({"training.freeze-vision=yes", "training.offload-weights=yes"}),
     "--set: training.freeze-vision=\"yes\": is yes, but weights are read and written with each step: "
     "training.offload-weights=\"yes\"; allowed: no, or training.offload-weights=\"no\""},
    {SS_REFUSAL_vision_heads, tower({"model.vision-heads=24"}),
     "--set: model.vision-heads=\"24\": does not divide model.vision-hidden=\"64\"; allowed: 1, 2, 4, 8, 16, 32, 64, "
     "..."},
    {SS_REFUSAL_vision_merge, tower({"model.vision-merge=3"}),
     "--set: model.vision-merge=\"3\": does not divide model.vision-tokens=\"64\"; allowed: 1, 2, 4, 8, 16, 32, 64"},
    {SS_REFUSAL_vision_vocabulary, tower({"model.vocabulary=0"}),
     "--set: model.vision-layers=\"2\": is above 0 without an embedding that images come into: "
     "model.vocabulary=\"0\"; allowed: 0, or model.vocabulary above 0"},
    {SS_REFUSAL_vision_images, tower({"model.vision-images=1000"}),
     "--set: model.vision-images=\"1000\": are more tokens than model.sequence=\"2048\" has, of "
     "model.vision-tokens=\"64\" / model.vision-merge=\"1\" each; allowed: fewer, or a longer model.sequence"},
    {SS_REFUSAL_vision_tensor, tower({"parallelism.tensor=2d"}),
     "--set: parallelism.tensor=\"2d\": has a second axis, over which no images are split: model.vision-layers=\"2\"; "
     "allowed: 1d, or model.vision-layers=\"0\""},
    {SS_REFUSAL_vision_window, tower({"model.vision-window=48"}),
     "--set: model.vision-window=\"48\": does not divide model.vision-tokens=\"64\", or there is no tower: "
     "model.vision-layers=\"2\"; allowed: 0, 1, 2, 4, 8, 16, 32, ..."},
    {SS_REFUSAL_vision_full, tower({"model.vision-full-every=2"}),
     "--set: model.vision-full-every=\"2\": is above 0, but all layers attend to all of an image: "
     "model.vision-window=\"0\"; allowed: 0, or a model.vision-window above 0"},
    {SS_REFUSAL_vision_tp_none,
     {"parallelism.vision-tp=1"},
     "--set: parallelism.vision-tp=\"1\": is given without a tower: model.vision-layers=\"0\"; allowed: leave it out, "
     "or model.vision-layers above 0"},
    {SS_REFUSAL_vision_tp, tower({"parallelism.vision-tp=2", "parallelism.tp=3"}),
     "--set: parallelism.vision-tp=\"2\": does not divide parallelism.tp=\"3\"; allowed: 1, 3"},
    {SS_REFUSAL_vision_tp_heads, tower({"parallelism.vision-tp=8", "parallelism.tp=8"}),
     "--set: parallelism.vision-tp=\"8\": does not divide model.vision-heads=\"4\"; allowed: 1, 2, 4"},
    {SS_REFUSAL_vision_share,
     {"parallelism.vision-share=context"},
     "--set: parallelism.vision-share=\"context\": shares images out, but there is no tower: "
     "model.vision-layers=\"0\"; "
     "allowed: no, or model.vision-layers above 0"},
    {SS_REFUSAL_vision_share_tensor,
     tower({"parallelism.vision-share=yes", "parallelism.vision-tp=4", "parallelism.tp=4"}),
     "--set: parallelism.vision-share=\"yes\": shares images out over tensor-parallel ranks, but these split the "
     "tower: "
     "parallelism.vision-tp=\"4\"; allowed: no, context, or a parallelism.vision-tp below parallelism.tp"},
    {SS_REFUSAL_layout_vision, tower({"parallelism.layout=V*3|Et*96|(|)*13L"}),
     "--set: parallelism.layout=\"V*3|Et*96|(|)*13L\": has 3 layers of a vision tower (V), not "
     "model.vision-layers=\"2\"; allowed: one with as many V as model.vision-layers, or with none, where all of the "
     "tower is ahead of the embedding"},
    {SS_REFUSAL_vision_stages_layout,
     tower({"parallelism.vision-stages=1", "parallelism.pp=2", "parallelism.layout=VV|Et*96L"}),
     "--set: parallelism.vision-stages=\"1\": is above 0, but the layout says where the tower is: "
     "parallelism.layout=\"VV|Et*96L\"; allowed: 0, or no layout"},
    {SS_REFUSAL_vision_stages_tower, tower({"parallelism.vision-stages=3"}),
     "--set: parallelism.vision-stages=\"3\": is more than model.vision-layers=\"2\"; allowed: 0, 1, 2"},
    {SS_REFUSAL_vision_stages_pp, tower({"parallelism.vision-stages=2", "parallelism.pp=2"}),
     "--set: parallelism.vision-stages=\"2\": leaves none of 2 virtual stages to the decoder: parallelism.pp=\"2\", "
     "parallelism.interleave=\"1\", schedule.pipeline=\"1f1b\"; allowed: 0, 1"},
    {SS_REFUSAL_vision_stages_ends,
     tower({"parallelism.vision-stages=1", "parallelism.first-stage-layers=6", "parallelism.interleave=2",
            "schedule.pipeline=interleaved"}),
     "--set: parallelism.vision-stages=\"1\": is above 0, and stages have several virtual stages, beside "
     "parallelism.first-stage-layers=\"6\" and parallelism.last-stage-layers=\"0\"; allowed: 0, or a "
     "parallelism.layout that says it all"},
    {SS_REFUSAL_vision_stages_layers, tower({"parallelism.vision-stages=1", "parallelism.pp=8"}),
     "--set: parallelism.vision-stages=\"1\": leaves the decoder 8 less as many virtual stages, to which "
     "model.layers=\"96\", and the ends that count as layers, give no even share; allowed: 0, 2, or a "
     "parallelism.layout"},
    {SS_REFUSAL_rs_ag_vision,
     tower({"parallelism.layout=VV|Et*96L", "parallelism.pp=2", "schedule.pipeline-rs-ag=yes"}),
     "--set: schedule.pipeline-rs-ag=\"yes\": is yes, but shares are of hidden states, not of what a tower on stages "
     "of its own sends: parallelism.vision-stages=\"0\", parallelism.layout=\"VV|Et*96L\"; allowed: no, or the tower "
     "in the virtual stage of the embedding"},
};

} /* namespace stepsim */

#endif
