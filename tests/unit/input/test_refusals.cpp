/* Every row of the table of refusals: the exact message, and what is allowed next to it. */

#include <set>

extern "C" {
#include "model/input/stack.h"
#include "model/plan/check/refusal_row.h"
#include "model/plan/check/refusals.h"
}

#include "tests/support/adapter_refusals.hpp"
#include "tests/support/compressed_refusals.hpp"
#include "tests/support/document_refusals.hpp"
#include "tests/support/expert_refusals.hpp"
#include "tests/support/framework_refusals.hpp"
#include "tests/support/inputs.hpp"
#include "tests/support/kind_refusals.hpp"
#include "tests/support/layout_refusals.hpp"
#include "tests/support/pair_refusals.hpp"
#include "tests/support/recompute_refusals.hpp"
#include "tests/support/sparse_refusals.hpp"
#include "tests/support/tower_refusals.hpp"

using namespace stepsim;

namespace
{

/* The GPT-3 workload (96 layers and heads, hidden 12288, ffn 49152, 2048 tokens; tp 8, pp 16, dp 4, batch 1536) with
 * overrides, derived and checked; on the Perlmutter platform, which has neither fp8 nor a second memory tier. */
std::string check(const Overrides &overrides, const Overrides &of_platform = {})
{
  ss_workload workload;
  ss_machine machine;
  ss_error error = {};
  EXPECT_EQ(load_workload(gpt3, &workload), "accepted");
  EXPECT_EQ(load_machine(perlmutter, &machine), "accepted");
  for (const std::string &text : overrides)
    EXPECT_EQ(ss_override(text.c_str(), &workload, nullptr, &error), SS_OK) << text << ": " << error.message;
  for (const std::string &text : of_platform)
    EXPECT_EQ(ss_override(text.c_str(), nullptr, &machine, &error), SS_OK) << text << ": " << error.message;
  ss_stack_apply(&workload);
  ss_workload_derive(&workload);
  ss_status status = ss_workload_check(&workload, &error);
  if (status == SS_OK) status = ss_workload_check_machine(&workload, &machine, &error);
  EXPECT_EQ(status == SS_OK, ss_workload_check(&workload, nullptr) == SS_OK &&
                                 ss_workload_check_machine(&workload, &machine, nullptr) == SS_OK);
  return printed(status, error, workload.file);
}

const std::vector<Refusal> model_refusals = {
    {SS_REFUSAL_kv_heads,
     {"model.kv-heads=7"},
     "--set: model.kv-heads=\"7\": does not divide model.heads=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
    {SS_REFUSAL_tied_vocabulary,
     {"model.tied-embeddings=yes", "model.vocabulary=0"},
     "--set: model.tied-embeddings=\"yes\": is yes without embedding and output layer: model.vocabulary=\"0\"; "
     "allowed: "
     "no, or model.vocabulary above 0"},
    {SS_REFUSAL_tied_offload,
     {"model.tied-embeddings=yes", "parallelism.pp=1", "training.offload-weights=yes"},
     "--set: model.tied-embeddings=\"yes\": is yes with both ends of the model on one stage, parallelism.pp=\"1\" and "
     "schedule.pipeline=\"1f1b\", but each block reads its own weights: training.offload-weights=\"yes\"; allowed: no, "
     "ends on two stages, or training.offload-weights=\"no\""},
    {SS_REFUSAL_rope_size,
     {"model.rope-size=64"},
     "--set: model.rope-size=\"64\": is above 0 without latent attention: model.kv-rank=\"0\"; allowed: 0, a "
     "model.kv-rank above 0, or model.mixer=\"compressed\""},
    {SS_REFUSAL_latent_heads,
     {"model.kv-rank=512", "model.kv-heads=8"},
     "--set: model.kv-heads=\"8\": differs from model.heads=\"96\", which latent attention does not allow: "
     "model.kv-rank=\"512\"; "
     "allowed: model.heads"},
    {SS_REFUSAL_dense_top_k,
     {"model.top-k=2"},
     "--set: model.top-k=\"2\": is given without experts: model.experts=\"0\"; allowed: leave it out, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_expert_ffn,
     {"model.expert-ffn=2048"},
     "--set: model.expert-ffn=\"2048\": is given without experts: model.experts=\"0\"; allowed: leave it out, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_shared_experts,
     {"model.shared-experts=1"},
     "--set: model.shared-experts=\"1\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_dense_layers,
     {"model.dense-layers=3"},
     "--set: model.dense-layers=\"3\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or model.experts "
     "above 0"},
    {SS_REFUSAL_top_k,
     {"model.experts=8", "model.top-k=9"},
     "--set: model.top-k=\"9\": is more than model.experts=\"8\"; allowed: 1 to model.experts"},
    {SS_REFUSAL_dense_layers,
     {"model.experts=8", "model.dense-layers=96"},
     "--set: model.dense-layers=\"96\": leaves no layer to the experts: model.layers=\"96\"; allowed: below "
     "model.layers, or model.experts=\"0\""},
};

const std::vector<Refusal> training_refusals = {
    {SS_REFUSAL_recompute_layers,
     {"training.recompute-layers=2"},
     "--set: training.recompute-layers=\"2\": is given without recomputation: training.recompute=\"none\"; allowed: "
     "leave it out, or training.recompute=\"selective\" or \"full\""},
    {SS_REFUSAL_dense_capacity,
     {"training.capacity-factor=1.25"},
     "--set: training.capacity-factor=\"1.25\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_imbalance,
     {"training.imbalance=1.5"},
     "--set: training.imbalance=\"1.5\": is above 1 without experts: model.experts=\"0\"; allowed: 1, or "
     "model.experts above 0"},
    {SS_REFUSAL_capacity_imbalance,
     {"model.experts=8", "parallelism.ep=4", "training.capacity-factor=1", "training.imbalance=1.5"},
     "--set: training.imbalance=\"1.5\": is above 1, but all experts take the same number of tokens: "
     "training.capacity-factor=\"1\"; allowed: 1, or training.capacity-factor=\"0\""},
    {SS_REFUSAL_imbalance_ep,
     {"model.experts=8", "parallelism.ep=4", "training.imbalance=4.5"},
     "--set: training.imbalance=\"4.5\": is more than parallelism.ep=\"4\", where one rank has all tokens; allowed: 1 "
     "to parallelism.ep"},
    {SS_REFUSAL_batch,
     {"training.micro-batch=5"}, /* 4 * 5 = 20 */
     "PATH:7: training.global-batch=\"1536\": is not a multiple of parallelism.dp=\"4\" * "
     "training.micro-batch=\"5\"; allowed: 20, 40, 60, 80, 100, 120, 140, ..."},
    {SS_REFUSAL_interleaved_batch,
     {"schedule.pipeline=interleaved", "parallelism.interleave=2", "training.global-batch=96"}, /* 4 * 1 * 16 = 64 */
     "--set: training.global-batch=\"96\": is not a multiple of parallelism.dp=\"4\" * training.micro-batch=\"1\" * "
     "parallelism.pp=\"16\": schedule.pipeline=\"interleaved\"; allowed: 64, 128, 192, 256, 320, 384, 448, ..., or "
     "another schedule.pipeline"},
    {SS_REFUSAL_offload_sharding,
     {"training.offload-weights=yes", "parallelism.sharding=parameters"},
     "--set: training.offload-weights=\"yes\": is yes, but weights come from the replicas: "
     "parallelism.sharding=\"parameters\"; allowed: no, or another parallelism.sharding"},
};

const std::vector<Refusal> tensor_refusals = {
    {SS_REFUSAL_tp2_tensor,
     {"parallelism.tp2=2"},
     "--set: parallelism.tp2=\"2\": is above 1 without a second tensor axis: parallelism.tensor=\"1d\"; allowed: 1, or "
     "parallelism.tensor=\"2d\" or \"summa\""},
    {SS_REFUSAL_cp_tensor,
     {"parallelism.cp=2", "parallelism.tensor=2d"},
     "--set: parallelism.cp=\"2\": is above 1 with a tensor layout that splits the sequence itself: "
     "parallelism.tensor=\"2d\"; allowed: 1, or parallelism.tensor=\"1d\""},
    {SS_REFUSAL_tp_heads,
     {"parallelism.tp=5"},
     "--set: parallelism.tp=\"5\": does not divide model.heads=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
    {SS_REFUSAL_tp_kv_heads,
     {"model.kv-heads=12"}, /* of the divisors of 96, not 8, 16 and 32 */
     "PATH:9: parallelism.tp=\"8\": neither divides model.kv-heads=\"12\" nor is a multiple of it; allowed: 1, 2, 3, "
     "4, 6, 12, 24, ..."},
    {SS_REFUSAL_tp_ffn,
     {"model.ffn=49150"}, /* 2 * 5^2 * 983, and 96 heads */
     "PATH:9: parallelism.tp=\"8\": does not divide model.ffn=\"49150\"; allowed: 1, 2"},
    {SS_REFUSAL_tp_expert_ffn,
     {"model.experts=8", "model.expert-ffn=1028"}, /* 4 * 257 */
     "PATH:9: parallelism.tp=\"8\": does not divide model.expert-ffn=\"1028\"; allowed: 1, 2, 4, or a parallelism.etp "
     "that "
     "divides it"},
    {SS_REFUSAL_cp_sequence,
     {"parallelism.cp=3"},
     "--set: parallelism.cp=\"3\": does not divide model.sequence=\"2048\"; allowed: 1, 2, 4, 8, 16, 32, 64, ..."},
    {SS_REFUSAL_tp2_sequence,
     {"parallelism.tensor=2d", "parallelism.tp2=3"},
     "--set: parallelism.tp2=\"3\": does not divide model.sequence=\"2048\"; allowed: 1, 2, 4, 8, 16, 32, 64, ..."},
    {SS_REFUSAL_tp_sequence,
     {"model.sequence=1048", "parallelism.cp=4"}, /* 1048 = 4 * 2 * 131 */
     "PATH:9: parallelism.tp=\"8\": does not divide model.sequence=\"1048\" over parallelism.cp=\"4\" and "
     "parallelism.tp2=\"1\"; allowed: 1, 2, or parallelism.sequence-parallel=\"no\""},
    {SS_REFUSAL_ring_unfused,
     {"parallelism.cp=2", "training.attention=unfused"},
     "PATH:9: parallelism.cp-exchange=\"ring\": is ring with parallelism.cp=\"2\" and training.attention=\"unfused\", "
     "whose softmax needs all keys at once; allowed: gather, or training.attention=\"flash\""},
    {SS_REFUSAL_exchanged_heads,
     {"parallelism.cp=2", "parallelism.cp-exchange=all-to-all", "model.kv-heads=8"},
     "--set: parallelism.cp-exchange=\"all-to-all\": is all-to-all over heads, but parallelism.tp=\"8\" * "
     "parallelism.cp=\"2\" does not divide model.kv-heads=\"8\"; allowed: gather, ring, or sizes that divide "
     "model.kv-heads"},
    {SS_REFUSAL_cp_inner_cp,
     {"parallelism.cp=8", "parallelism.cp-inner=3"},
     "--set: parallelism.cp-inner=\"3\": leaves no groups for parallelism.cp-exchange=\"ring\" across: "
     "parallelism.cp=\"8\"; allowed: 1, 2, 4, or parallelism.cp-exchange=\"all-to-all\" for all ranks"},
    {SS_REFUSAL_cp_inner_exchange,
     {"parallelism.cp=4", "parallelism.cp-inner=2", "parallelism.cp-exchange=all-to-all"},
     "--set: parallelism.cp-inner=\"2\": is above 1, but all ranks exchange heads: "
     "parallelism.cp-exchange=\"all-to-all\"; allowed: 1, or parallelism.cp-exchange=\"ring\" or \"gather\""},
    {SS_REFUSAL_cp_inner_heads,
     {"parallelism.cp=16", "parallelism.cp-inner=8"},
     "--set: parallelism.cp-inner=\"8\": times parallelism.tp=\"8\" does not divide model.kv-heads=\"96\"; allowed: 1, "
     "or sizes that divide model.kv-heads"},
    {SS_REFUSAL_tp_ring,
     {"schedule.overlap-tp=ring", "parallelism.sequence-parallel=no"},
     "--set: schedule.overlap-tp=\"ring\": needs all-gather and reduce-scatter: "
     "parallelism.sequence-parallel=\"no\"; allowed: none, backward, pipe, or parallelism.sequence-parallel=\"yes\""},
};

const std::vector<Refusal> summa_refusals = {
    {SS_REFUSAL_summa_experts,
     {"parallelism.tensor=summa", "model.experts=8"},
     "--set: parallelism.tensor=\"summa\": is summa, which cannot split experts: model.experts=\"8\"; allowed: 1d, 2d, "
     "or "
     "model.experts=\"0\""},
    {SS_REFUSAL_summa_latent,
     {"parallelism.tensor=summa", "model.kv-rank=512"},
     "--set: parallelism.tensor=\"summa\": is summa, which cannot split low ranks of attention: "
     "model.kv-rank=\"512\", model.q-rank=\"0\"; allowed: 1d, 2d, or both 0"},
    {SS_REFUSAL_summa_overlap,
     {"parallelism.tensor=summa", "schedule.overlap-tp=pipe"},
     "--set: schedule.overlap-tp=\"pipe\": does not apply to products that overlap panel by panel: "
     "parallelism.tensor=\"summa\"; allowed: none, backward, or parallelism.tensor=\"1d\" or \"2d\""},
    {SS_REFUSAL_summa_tp_hidden,
     {"parallelism.tensor=summa", "model.hidden=12284"}, /* 4 * 37 * 83 */
     "PATH:9: parallelism.tp=\"8\": does not divide model.hidden=\"12284\", as parallelism.tensor=\"summa\" needs; "
     "allowed: 1, 2, 4"},
    {SS_REFUSAL_summa_tp2_hidden,
     {"parallelism.tensor=summa", "parallelism.tp2=32", "model.hidden=12304"}, /* 16 * 769 */
     "--set: parallelism.tp2=\"32\": does not divide model.hidden=\"12304\", as parallelism.tensor=\"summa\" needs; "
     "allowed: 1, 2, 4, 8, 16"},
    {SS_REFUSAL_summa_tp2_ffn,
     {"parallelism.tensor=summa", "parallelism.tp2=16", "model.ffn=49144"}, /* 8 * 6143 */
     "--set: parallelism.tp2=\"16\": does not divide model.ffn=\"49144\", as parallelism.tensor=\"summa\" needs; "
     "allowed: 1, 2, 4, 8"},
    {SS_REFUSAL_panels_tensor,
     {"parallelism.panels=8"},
     "--set: parallelism.panels=\"8\": is given without summa: parallelism.tensor=\"1d\"; allowed: leave it out, or "
     "parallelism.tensor=\"summa\""},
    {SS_REFUSAL_panels_hidden,
     {"parallelism.tensor=summa", "parallelism.panels=40"},
     "--set: parallelism.panels=\"40\": does not divide model.hidden=\"12288\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
    {SS_REFUSAL_panels_axes,
     {"parallelism.tensor=summa", "parallelism.panels=12"},
     "--set: parallelism.panels=\"12\": is not a multiple of the larger of parallelism.tp=\"8\" and "
     "parallelism.tp2=\"1\"; allowed: 8, 16, 24, 32, 48, 64, 96, ..."},
};

const std::vector<Refusal> pipeline_refusals = {
    {SS_REFUSAL_pp_layers,
     {"parallelism.pp=5"},
     "--set: parallelism.pp=\"5\": does not divide model.layers=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..., or a "
     "parallelism.layout, such as \"Et*20|t*20|(t*19|)*2t*18L\", or parallelism.account-for-embedding, "
     "account-for-loss, "
     "first-stage-layers or last-stage-layers that make up for it"},
    {SS_REFUSAL_first_stage_layers,
     {"parallelism.first-stage-layers=5"}, /* 15 k for the other 15 stages: 81, 66, ... */
     "--set: parallelism.first-stage-layers=\"5\": leaves no even share of model.layers=\"96\" to the other stages of "
     "parallelism.pp=\"16\"; allowed: 6, 21, 36, 51, 66, 81"},
    {SS_REFUSAL_last_stage_layers,
     {"parallelism.first-stage-layers=7", "parallelism.last-stage-layers=6"}, /* 89 - 14 k */
     "--set: parallelism.last-stage-layers=\"6\": leaves no even share of model.layers=\"96\" to the other stages of "
     "parallelism.pp=\"16\"; allowed: 5, 19, 33, 47, 61, 75"},
    {SS_REFUSAL_pipeline_pp,
     {"parallelism.pp=1", "schedule.pipeline=zero-bubble-1"},
     "--set: schedule.pipeline=\"zero-bubble-1\": needs several stages: parallelism.pp=\"1\"; allowed: gpipe, 1f1b, or "
     "parallelism.pp above 1"},
    {SS_REFUSAL_copies_pp,
     {"parallelism.pp=3", "schedule.pipeline=dualpipe"},
     "--set: parallelism.pp=\"3\": is odd, but stages hold two copies of the model: schedule.pipeline=\"dualpipe\"; "
     "allowed: 2, 4, 6, 8, 12, 16, 24, ..., or another schedule.pipeline"},
    {SS_REFUSAL_copies_batch, /* 7 micro-batches of 4 replicas; 32 micro-batches for 16 stages, and then 34 */
     {"schedule.pipeline=dualpipe", "training.global-batch=28"},
     "--set: training.global-batch=\"28\": does not give each of two copies of the model the same number of "
     "micro-batches, at least parallelism.pp=\"16\": schedule.pipeline=\"dualpipe\", parallelism.dp=\"4\" * "
     "training.micro-batch=\"1\"; allowed: 128, 136, 144, 152, 160, 168, 176, ..., or another schedule.pipeline"},
    {SS_REFUSAL_interleave_pipeline,
     {"parallelism.interleave=2"},
     "--set: parallelism.interleave=\"2\": is above 1 without an interleaved schedule: schedule.pipeline=\"1f1b\"; "
     "allowed: 1, or schedule.pipeline=\"interleaved\"; schedules in the shape of a V and DualPipe have two chunks "
     "without it"},
    {SS_REFUSAL_interleave_layers,
     {"parallelism.interleave=4", "schedule.pipeline=interleaved"}, /* 6 layers per stage */
     "--set: parallelism.interleave=\"4\": times parallelism.pp=\"16\" does not divide model.layers=\"96\"; allowed: "
     "1, 2, 3, 6, or a parallelism.layout, such as \"Ett|(tt|)*32(t|)*30L\""},
    {SS_REFUSAL_rs_ag_pp,
     {"parallelism.pp=1", "schedule.pipeline-rs-ag=yes"},
     "--set: schedule.pipeline-rs-ag=\"yes\": is yes without a pipeline: parallelism.pp=\"1\"; allowed: no, or "
     "parallelism.pp above 1"},
    {SS_REFUSAL_bucket_sharding,
     {"schedule.bucket=1e8", "parallelism.sharding=parameters"},
     "--set: schedule.bucket=\"1e+08\": is above 0, but layers are gathered one by one: "
     "parallelism.sharding=\"parameters\"; allowed: 0, or another parallelism.sharding"},
};

const std::vector<Refusal> other_refusals = {
    {SS_REFUSAL_order,
     {"placement.order=tp,pp"},
     "--set: placement.order=\"tp,pp\": is not an order of the four coordinates; allowed: tp,cp,dp,pp in any order, "
     "each once"},
    {SS_REFUSAL_ranks,
     {"placement.domain=tp=4", "placement.ranks=r"},
     "--set: placement.ranks=\"r\": conflicts with placement.domain=\"tp=4\"; allowed: one of the two"},
    {SS_REFUSAL_segment_ranks,
     {"placement.segment=2", "placement.ranks=r"},
     "--set: placement.segment=\"2\": is given beside placement.ranks=\"r\", which places every rank; allowed: one of "
     "the two"},
    {SS_REFUSAL_free_ranks,
     {"placement.free=f", "placement.ranks=r"},
     "--set: placement.free=\"f\": is given beside placement.ranks=\"r\", which places every rank; allowed: one of the "
     "two"},
    {SS_REFUSAL_segment_domain,
     {"placement.segment=5"},
     "--set: placement.segment=\"5\": is more than the domain-size of the platform; allowed: up to that"},
    {SS_REFUSAL_fp8,
     {"training.precision=fp8"},
     "--set: training.precision=\"fp8\": needs fp8-flops, which the platform does not have; allowed: bf16, fp16, or a "
     "platform with fp8-flops"},
    {SS_REFUSAL_mxfp8,
     {"training.precision=mxfp8"},
     "--set: training.precision=\"mxfp8\": needs mxfp8-flops, which the platform does not have; allowed: a "
     "precision whose rate it has, or a platform with mxfp8-flops"},
    {SS_REFUSAL_nvfp4,
     {"training.precision=nvfp4"},
     "--set: training.precision=\"nvfp4\": needs nvfp4-flops, which the platform does not have; allowed: a "
     "precision whose rate it has, or a platform with nvfp4-flops"},
    {SS_REFUSAL_weights_tier,
     {"training.offload-weights=yes"},
     "--set: training.offload-weights=\"yes\": needs a second memory tier, which the platform does not have; "
     "allowed: no, or a platform with offload-capacity and offload-bandwidth"},
    {SS_REFUSAL_activations_tier,
     {"training.offload-activations=yes"},
     "--set: training.offload-activations=\"yes\": needs a second memory tier, which the platform does not have; "
     "allowed: no, or a platform with offload-capacity and offload-bandwidth"},
    {SS_REFUSAL_optimizer_tier,
     {"training.offload-optimizer=yes"},
     "--set: training.offload-optimizer=\"yes\": needs a second memory tier, which the platform does not have; "
     "allowed: no, or a platform with offload-capacity and offload-bandwidth"},
    {SS_REFUSAL_spares_whole,
     {"run.spares=1.5"},
     "--set: run.spares=\"1.5\": is not a whole number; allowed: a number of nodes, or -1"},
};

/* Groups of tp 8, pp 16 and dp 4 ranks. */
const std::vector<Refusal> method_refusals = {
    {SS_REFUSAL_shard_size_sharding,
     {"parallelism.sharding=none", "parallelism.shard-size=2"},
     "--set: parallelism.shard-size=\"2\": is given, but nothing is sharded: parallelism.sharding=\"none\"; allowed: "
     "leave it out, or another parallelism.sharding"},
    {SS_REFUSAL_shard_size_holders,
     {"parallelism.shard-size=3"},
     "--set: parallelism.shard-size=\"3\": does not divide the ranks that hold the same weights: parallelism.dp=\"4\" "
     "* parallelism.cp=\"1\", and tp2 with 2d, twice as many with dualpipe; allowed: 2, 4"},
    {SS_REFUSAL_shard_size_experts,
     {"model.experts=4", "parallelism.ep=4", "parallelism.shard-size=2"},
     "--set: parallelism.shard-size=\"2\": makes more copies than the ranks that hold the same experts can have: "
     "parallelism.dp=\"4\", parallelism.ep=\"4\"; allowed: 4"},
    {SS_REFUSAL_all_reduce_word,
     {"schedule.all-reduce=direct"},
     "--set: schedule.all-reduce=\"direct\": cannot do an all-reduce; allowed: auto, ring, tree, double-tree, halving, "
     "hierarchical, in-network, bucket"},
    {SS_REFUSAL_all_gather_word,
     {"schedule.all-gather=double-tree"},
     "--set: schedule.all-gather=\"double-tree\": cannot do an all-gather; allowed: auto, ring, halving, hierarchical, "
     "in-network, bucket"},
    {SS_REFUSAL_reduce_scatter_word,
     {"schedule.reduce-scatter=tree"},
     "--set: schedule.reduce-scatter=\"tree\": cannot do a reduce-scatter; allowed: auto, ring, halving, hierarchical, "
     "in-network, bucket"},
    {SS_REFUSAL_all_to_all_word,
     {"schedule.all-to-all=ring"},
     "--set: schedule.all-to-all=\"ring\": cannot do an all-to-all; allowed: auto, hierarchical, direct, pairwise"},
    {SS_REFUSAL_all_reduce_ranks,
     {"schedule.all-reduce=halving", "parallelism.sharding=none", "parallelism.dp=6"},
     "--set: schedule.all-reduce=\"halving\": needs groups of 2, 4, 8, ... ranks: parallelism.tp=\"8\", "
     "parallelism.tp2=\"1\", parallelism.cp=\"1\", parallelism.dp=\"6\", parallelism.ep=\"1\", "
     "parallelism.shard-size=\"0\"; allowed: auto, ring, "
     "tree, double-tree, hierarchical, in-network, bucket"},
    {SS_REFUSAL_all_gather_ranks,
     {"schedule.all-gather=halving", "parallelism.tp=12", "parallelism.sequence-parallel=no"},
     "--set: schedule.all-gather=\"halving\": needs groups of 2, 4, 8, ... ranks: parallelism.tp=\"12\", "
     "parallelism.tp2=\"1\", parallelism.cp=\"1\", parallelism.dp=\"4\", parallelism.ep=\"1\", "
     "parallelism.shard-size=\"0\"; allowed: auto, ring, "
     "hierarchical, in-network, bucket"},
    {SS_REFUSAL_reduce_scatter_ranks,
     {"schedule.reduce-scatter=halving", "parallelism.dp=6", "parallelism.ep=2", "model.experts=4"},
     "--set: schedule.reduce-scatter=\"halving\": needs groups of 2, 4, 8, ... ranks: parallelism.tp=\"8\", "
     "parallelism.tp2=\"1\", parallelism.cp=\"1\", parallelism.dp=\"6\", parallelism.ep=\"2\", "
     "parallelism.shard-size=\"0\"; allowed: auto, ring, "
     "hierarchical, in-network, bucket"},
    {SS_REFUSAL_all_reduce_switch,
     {"schedule.all-reduce=in-network"},
     "--set: schedule.all-reduce=\"in-network\": needs switches that reduce, which the platform does not have; "
     "allowed: "
     "auto, ring, tree, double-tree, halving, hierarchical, bucket, or a platform with nvlink-reduces or "
     "fabric-reduces"},
    {SS_REFUSAL_all_gather_switch,
     {"schedule.all-gather=in-network"},
     "--set: schedule.all-gather=\"in-network\": needs switches in the domain that multicast, which the platform does "
     "not have; allowed: auto, ring, halving, hierarchical, bucket, or a platform with nvlink-reduces"},
    {SS_REFUSAL_reduce_scatter_switch,
     {"schedule.reduce-scatter=in-network"},
     "--set: schedule.reduce-scatter=\"in-network\": needs switches in the domain that reduce, which the platform does "
     "not have; allowed: auto, ring, halving, hierarchical, bucket, or a platform with nvlink-reduces"},
};

const std::vector<const std::vector<Refusal> *> all_refusals = {
    &model_refusals,    &kind_refusals,      &sparse_refusals,    &tower_refusals,  &document_refusals,
    &training_refusals, &tensor_refusals,    &summa_refusals,     &layout_refusals, &pipeline_refusals,
    &pair_refusals,     &recompute_refusals, &framework_refusals, &expert_refusals, &other_refusals,
    &method_refusals,   &adapter_refusals,   &compressed_refusals};

} /* namespace */

TEST(Refusals, NameTheAttributeAndWhatIsAllowed)
{
  EXPECT_EQ(check({}), "accepted");
  std::set<int> seen = {SS_REFUSAL_head_size}; /* below: GPT-3 gives its head size */
  for (const auto *refusals : all_refusals)
    for (const Refusal &refusal : *refusals) {
      EXPECT_EQ(check(refusal.overrides), refusal.expected);
      seen.insert(refusal.rule);
    }
  for (int i = 0; i < SS_REFUSAL_TOTAL; i++) EXPECT_EQ(seen.count(i), 1u) << ss_refusals()[i].problem;
}

TEST(Refusals, AHeadSizeThatIsNotGivenDividesEvenly)
{
  ss_workload w;
  ASSERT_EQ(load_workload(in_workload("<model layers='2'\n heads='3' hidden='64' sequence='8'/>"), &w), "accepted");
  ss_workload_derive(&w);
  ss_error error = {};
  const ss_status status = ss_workload_check(&w, &error);
  EXPECT_EQ(printed(status, error, w.file),
            "PATH:3: model.heads=\"3\": does not divide model.hidden=\"64\"; allowed: 1, 2, 4, 8, 16, 32, 64, or any "
            "with a model.head-size");
}

/* What is without effect, and what looks like a refusal but is none. */
TEST(Refusals, AllowTheRest)
{
  const std::vector<Overrides> allowed = {
      {"parallelism.tp=1", "parallelism.sequence-parallel=yes"},
      {"schedule.all-reduce=halving", "parallelism.dp=6", "training.global-batch=1536"}, /* sharded: no all-reduce */
      {"schedule.all-gather=halving", "parallelism.dp=6", "parallelism.sharding=none"},
      {"schedule.all-reduce=tree", "schedule.all-gather=hierarchical", "schedule.all-to-all=hierarchical"},
      {"parallelism.tp=1", "schedule.overlap-tp=ring"},
      {"model.kv-heads=4"},   /* each of 4 key/value heads on 2 of 8 ranks */
      {"model.head-size=64"}, /* need not fill the hidden size */
      {"model.vocabulary=50257"},
      {"model.tied-embeddings=yes"},
      {"model.tied-embeddings=yes", "parallelism.pp=1"},
      {"model.tied-embeddings=yes", "parallelism.sharding=parameters"},
      {"model.tied-embeddings=yes", "parallelism.sharding=parameters", "parallelism.pp=1"},
      {"model.sequence=2047", "parallelism.sequence-parallel=no"},
      {"parallelism.cp-balance=no"},
      {"parallelism.cp-exchange=gather"},
      {"parallelism.cp-exchange=gather", "parallelism.cp=2", "training.attention=unfused"},
      {"parallelism.expert-groups=across"},
      {"model.experts=8", "parallelism.etp=1", "parallelism.ep=8"}, /* of 8 * 4 ranks */
      {"model.experts=8", "parallelism.tp=1", "parallelism.etp=4", "parallelism.sequence-parallel=no"},
      {"parallelism.tensor=2d", "parallelism.tp2=4"},
      {"parallelism.tensor=summa", "parallelism.tp2=4", "parallelism.panels=32", "training.recompute=selective"},
      {"parallelism.tensor=summa", "parallelism.tp2=4", "model.kv-heads=8", "model.sequence=2052"},
      {"schedule.pipeline=interleaved"}, /* one chunk: 1f1b */
      {"schedule.pipeline=interleaved", "parallelism.interleave=3"},
      {"parallelism.pp=1", "schedule.pipeline=gpipe"},
      {"parallelism.pp=5", "parallelism.first-stage-layers=16"},                                     /* 4 * 20 */
      {"parallelism.pp=5", "parallelism.first-stage-layers=15", "parallelism.last-stage-layers=18"}, /* 3 * 21 */
      {"parallelism.pp=2", "parallelism.first-stage-layers=40", "parallelism.last-stage-layers=56"},
      {"parallelism.pp=1", "parallelism.first-stage-layers=96"},
      {"schedule.pipeline=interleaved", "parallelism.interleave=2", "parallelism.first-stage-layers=6"},
      {"model.layers=95", "parallelism.account-for-loss=yes"},
      {"parallelism.pp=1", "parallelism.account-for-embedding=yes", "parallelism.account-for-loss=yes"},
      {"parallelism.pp=4", "parallelism.layout=E|t*90||t*6L"},
      {"parallelism.pp=2", "parallelism.interleave=2", "schedule.pipeline=interleaved",
       "parallelism.layout=E|t*90||t*6L"},
      {"model.experts=8", "model.dense-layers=95", "parallelism.ep=4", "training.imbalance=4"},
      {"model.experts=8", "model.ffn=49150", "model.expert-ffn=2048"}, /* no layer has the dense ffn */
      {"model.kv-rank=512", "model.rope-size=64", "model.q-rank=1536"},
      {"training.recompute=selective"}, /* nothing to do with flash attention */
      {"training.recompute=full", "training.recompute-layers=2"},
      {"schedule.bucket=1e8", "schedule.overlap-dp=no"},
      {"schedule.pipeline-rs-ag=yes"},
      {"placement.order=pp,dp,cp,tp"},
      {"placement.order=tp,tp2,dp,pp"},
  };
  for (const Overrides &overrides : allowed) EXPECT_EQ(check(overrides), "accepted") << overrides.front();
  EXPECT_EQ(check({"training.precision=fp8"}, {"platform.fp8-flops=624Tf"}), "accepted");
  EXPECT_EQ(check({"training.precision=fp8-block"}, {"platform.fp8-flops=624Tf"}), "accepted");
  EXPECT_EQ(check({"training.precision=nvfp4"}, {"platform.nvfp4-flops=1Pf"}), "accepted");
  EXPECT_EQ(
      check({"training.offload-weights=yes", "training.offload-activations=yes", "training.offload-optimizer=yes"},
            {"platform.offload-capacity=64GB", "platform.offload-bandwidth=32GBps"}),
      "accepted");
}

TEST(Refusals, StagesHaveALayerEach)
{
  for (const Overrides &overrides :
       {Overrides{"parallelism.pp=2", "parallelism.first-stage-layers=96"},
        Overrides{"parallelism.pp=2", "parallelism.first-stage-layers=40", "parallelism.last-stage-layers=55"},
        Overrides{"parallelism.pp=1", "parallelism.last-stage-layers=95"},
        Overrides{"parallelism.first-stage-layers=97"}})
    EXPECT_NE(check(overrides).find("leaves no even share"), std::string::npos) << overrides.back();
}

TEST(Refusals, OrdersNameEveryCoordinateOnce)
{
  for (const char *order :
       {"", "tp,cp,dp,pp,", "tp,cp,dp,dp", "tp,cp,dp,pp,tp", "tp cp dp pp", "t,cp,dp,pp", "tp2,cp,dp,pp"})
    EXPECT_NE(check({std::string("placement.order=") + order}), "accepted") << order;
}
