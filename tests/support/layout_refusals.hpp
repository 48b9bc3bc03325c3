/* What a refusal looks like, and those of how layers are laid out over stages: of the GPT-3 workload with 96 layers on
 * 16 stages. */
#ifndef STEPSIM_TESTS_SUPPORT_LAYOUT_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_LAYOUT_REFUSALS_HPP

#include <string>
#include <vector>

extern "C" {
#include "model/plan/check/refusals.h"
}

namespace stepsim
{

using Overrides = std::vector<std::string>;

struct Refusal {
  ss_refusal_index rule;
  Overrides overrides;
  std::string expected;
};

const std::vector<Refusal> layout_refusals = {
    {SS_REFUSAL_summa_projections,
     {"parallelism.tensor=summa", "training.projections=separate"},
     "--set: training.projections=\"separate\": is separate, but panels of summa are of whole products: "
     "parallelism.tensor=\"summa\"; allowed: fused, or parallelism.tensor=\"1d\" or \"2d\""},
    {SS_REFUSAL_layout_stages,
     {"parallelism.layout=Et*96L", "parallelism.pp=1", "parallelism.account-for-loss=yes"},
     "--set: parallelism.layout=\"Et*96L\": says already how many layers a stage has, beside "
     "parallelism.first-stage-layers=\"0\", parallelism.last-stage-layers=\"0\", "
     "parallelism.account-for-embedding=\"no\" and parallelism.account-for-loss=\"yes\"; allowed: no layout, or none "
     "of these"},
    {SS_REFUSAL_layout_text,
     {"parallelism.layout=E(t*96L"},
     "--set: parallelism.layout=\"E(t*96L\": is no layout: a parenthesis is not closed; allowed: V, E, t, m, L and | "
     "for "
     "layer of a vision tower, embedding, layer, multi-token-prediction module, output layer and the end of a virtual "
     "stage, n times with *n behind a letter or behind several in ( ), and commas anywhere"},
    {SS_REFUSAL_layout_embedding,
     {"parallelism.layout=|Et*96|L"},
     "--set: parallelism.layout=\"|Et*96|L\": has 1 E; the embedding is the first element but for layers of a "
     "vision tower (V), and only there; allowed: a layout that begins with its only E, or with V and then that"},
    {SS_REFUSAL_layout_output,
     {"parallelism.layout=Et*95LtL"},
     "--set: parallelism.layout=\"Et*95LtL\": has 2 L; the output layer is the last element, and only there; allowed: "
     "a layout that ends with its only L"},
    {SS_REFUSAL_layout_layers,
     {"parallelism.layout=Et*6|(t*7|)*14t*6L"},
     "--set: parallelism.layout=\"Et*6|(t*7|)*14t*6L\": has 110 layers (t), not model.layers=\"96\"; allowed: one with "
     "as many t as model.layers, such as \"Et*7|(t*6|)*14t*5L\""},
    {SS_REFUSAL_layout_modules,
     {"parallelism.layout=Et*96|mL"},
     "--set: parallelism.layout=\"Et*96|mL\": has 1 multi-token-prediction modules (m), not model.mtp-modules=\"0\"; "
     "allowed: one with as many m as model.mtp-modules"},
    {SS_REFUSAL_layout_module_order,
     {"model.mtp-modules=1", "model.vocabulary=50257", "parallelism.layout=Et*95m|tL"},
     "--set: parallelism.layout=\"Et*95m|tL\": has a layer (t) behind a multi-token-prediction module (m), whose "
     "states "
     "come from the last one; allowed: one with m behind all t"},
    {SS_REFUSAL_layout_module_parts,
     {"model.mtp-modules=2", "model.vocabulary=50257", "parallelism.layout=Et*96m|mL"},
     "--set: parallelism.layout=\"Et*96m|mL\": has multi-token-prediction modules (m) in 2 virtual stages, each of "
     "which would need the embedding; allowed: one with all m in one virtual stage"},
    {SS_REFUSAL_mtp_vocabulary,
     {"model.mtp-modules=1", "model.vocabulary=0"},
     "--set: model.mtp-modules=\"1\": is above 0 without embedding and output layer: model.vocabulary=\"0\"; allowed: "
     "0, "
     "or model.vocabulary above 0"},
    {SS_REFUSAL_mtp_causal,
     {"model.mtp-modules=1", "model.vocabulary=50257", "model.causal=no"},
     "--set: model.mtp-modules=\"1\": is above 0, but every token sees those that modules predict: "
     "model.causal=\"no\"; "
     "allowed: 0, or model.causal=\"yes\""},
    {SS_REFUSAL_mtp_offload,
     {"model.mtp-modules=1", "model.vocabulary=50257", "parallelism.pp=1", "training.offload-weights=yes"},
     "--set: model.mtp-modules=\"1\": puts modules where another block uses the embedding's table, too, but each block "
     "reads its own weights: training.offload-weights=\"yes\", parallelism.pp=\"1\", model.tied-embeddings=\"no\"; "
     "allowed: 0, or training.offload-weights=\"no\""},
    {SS_REFUSAL_copied_tables,
     {"model.mtp-modules=1", "model.vocabulary=50257", "schedule.pipeline=dualpipe",
      "parallelism.layout=Et*48|t*48|(|)*12m|L"},
     "--set: parallelism.layout=\"Et*48|t*48|(|)*12m|L\": has the embedding on other stages than modules or a tied "
     "output layer, and with schedule.pipeline=\"dualpipe\" its table would be on four: "
     "parallelism.vision-stages=\"0\"; allowed: all of these in the first or the last virtual stage, or another "
     "schedule.pipeline"},
    {SS_REFUSAL_rs_ag_modules,
     {"model.mtp-modules=1", "model.vocabulary=50257", "parallelism.pp=2", "parallelism.layout=Et*96m|L",
      "schedule.pipeline-rs-ag=yes"},
     "--set: schedule.pipeline-rs-ag=\"yes\": is yes, but messages behind modules carry their states, too: "
     "parallelism.layout=\"Et*96m|L\"; allowed: no, or modules in the last virtual stage"},
    {SS_REFUSAL_all_reduce_tables,
     {"model.mtp-modules=1", "model.vocabulary=50257", "model.tied-embeddings=yes", "parallelism.pp=3",
      "parallelism.layout=Et*96|m|L", "schedule.all-reduce=halving"},
     "--set: schedule.all-reduce=\"halving\": needs groups of 2, 4, 8, ... ranks, but three stages sum the gradient of "
     "the embedding's table: model.mtp-modules=\"1\", model.tied-embeddings=\"yes\", "
     "parallelism.layout=\"Et*96|m|L\"; allowed: auto, ring, tree, double-tree, hierarchical, in-network, bucket"},
    {SS_REFUSAL_account_stages,
     {"parallelism.account-for-embedding=yes", "parallelism.first-stage-layers=6"},
     "--set: parallelism.account-for-embedding=\"yes\": is yes beside stages with a number of their own: "
     "parallelism.first-stage-layers=\"6\", parallelism.last-stage-layers=\"0\"; allowed: no, or neither of these"},
    {SS_REFUSAL_account_stages_loss,
     {"parallelism.account-for-loss=yes", "parallelism.last-stage-layers=6"},
     "--set: parallelism.account-for-loss=\"yes\": is yes beside stages with a number of their own: "
     "parallelism.first-stage-layers=\"0\", parallelism.last-stage-layers=\"6\"; allowed: no, or neither of these"},
    {SS_REFUSAL_account_layers,
     {"parallelism.account-for-loss=yes"},
     "PATH:9: parallelism.pp=\"16\": does not divide model.layers=\"96\" and the ends that count as layers: "
     "parallelism.account-for-embedding=\"no\", parallelism.account-for-loss=\"yes\"; allowed: 1, 97"}, /* 97 is a prime
                                                                                                           number */
    {SS_REFUSAL_interleave_stages, /* 6 layers on each stage, too */
     {"parallelism.interleave=4", "schedule.pipeline=interleaved", "parallelism.first-stage-layers=6"},
     "--set: parallelism.interleave=\"4\": does not divide the layers of every stage: "
     "parallelism.first-stage-layers=\"6\", parallelism.last-stage-layers=\"0\" and even shares of "
     "model.layers=\"96\"; allowed: 1, 2, 3, 6, or a parallelism.layout"},
    {SS_REFUSAL_interleave_account, /* 6 layers per stage */
     {"parallelism.interleave=4", "schedule.pipeline=interleaved", "model.layers=94",
      "parallelism.account-for-loss=yes", "parallelism.account-for-embedding=yes"},
     "--set: parallelism.interleave=\"4\": times parallelism.pp=\"16\" does not divide model.layers=\"94\" and the "
     "ends that count as layers: parallelism.account-for-embedding=\"yes\", parallelism.account-for-loss=\"yes\"; "
     "allowed: 1, 2, 3, 6, or a parallelism.layout"},
    {SS_REFUSAL_layout_parts,
     {"parallelism.layout=Et*48|t*48L"},
     "--set: parallelism.layout=\"Et*48|t*48L\": has 2 virtual stages, but parallelism.pp=\"16\", "
     "parallelism.interleave=\"1\" and schedule.pipeline=\"1f1b\" make 16; allowed: as many virtual stages, "
     "such as \"Et*7|(t*6|)*14t*5L\""},
    {SS_REFUSAL_group_chunks,
     {"schedule.interleave-group=16"},
     "--set: schedule.interleave-group=\"16\": is given without several chunks of a stage: "
     "parallelism.interleave=\"1\"; allowed: leave it out, or parallelism.interleave above 1"},
    {SS_REFUSAL_group_stages,
     {"parallelism.interleave=2", "schedule.pipeline=interleaved", "schedule.interleave-group=15"},
     "--set: schedule.interleave-group=\"15\": is below parallelism.pp=\"16\": the next chunk would wait for its first "
     "micro-batch to come around; allowed: 16, 17, 18, 19, 20, 21, 22, ..."},
    {SS_REFUSAL_group_batch, /* 1536 / 4 micro-batches */
     {"parallelism.interleave=2", "schedule.pipeline=interleaved", "schedule.interleave-group=385"},
     "--set: schedule.interleave-group=\"385\": is more than the micro-batches of a replica, "
     "training.global-batch=\"1536\" / (parallelism.dp=\"4\" * training.micro-batch=\"1\"); allowed: 16, 17, 18, 19, "
     "20, 21, 22, ..."},
    {SS_REFUSAL_group_rest, /* 384 = 3 * 125 + 9 */
     {"parallelism.interleave=2", "schedule.pipeline=interleaved", "schedule.interleave-group=125"},
     "--set: schedule.interleave-group=\"125\": leaves a last group of fewer micro-batches than parallelism.pp=\"16\": "
     "training.global-batch=\"1536\" / (parallelism.dp=\"4\" * training.micro-batch=\"1\") of a replica; allowed: 16, "
     "23, 24, 26, 28, 30, 32, ..."},
};

} /* namespace stepsim */

#endif
