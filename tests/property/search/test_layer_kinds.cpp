/* Layers of several kinds: how they are said, what each consists of, and that a model of equal kinds is one of one
 * kind. */
#include "tests/support/blocks.hpp"
#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/block/mixer/attended.h"
#include "model/estimate/model_size.h"
#include "model/input/exchange.h"
#include "model/input/layer_kinds.h"
}

using namespace stepsim;

namespace
{

std::string problem_of(const std::string &text)
{
  ss_layer_kinds kinds;
  char problem[SS_MESSAGE_SIZE / 2] = "";
  return ss_layer_kinds_read(text.c_str(), &kinds, problem, sizeof problem) ? "" : problem;
}

/* The kinds of all layers as letters, or what is wrong with the pattern. */
std::string spread(const std::string &letters, const std::string &pattern, int64_t layers)
{
  std::string text;
  for (const char letter : letters) text += std::string(1, letter) + ";";
  ss_layer_kinds kinds;
  EXPECT_TRUE(ss_layer_kinds_read(text.c_str(), &kinds, nullptr, 0));
  std::vector<int8_t> kind_of((size_t)layers);
  const char *problem = ss_layer_pattern_fill(&kinds, pattern.c_str(), layers, kind_of.data());
  if (problem != nullptr) return problem;
  std::string all;
  for (const int8_t kind : kind_of) all += letters[(size_t)kind];
  return all;
}

void say(ss_workload &workload, const char *kinds, const char *pattern)
{
  (void)snprintf(workload.model.kinds, sizeof workload.model.kinds, "%s", kinds);
  (void)snprintf(workload.model.pattern, sizeof workload.model.pattern, "%s", pattern);
}

constexpr double e = 1024, l = 512;

} /* namespace */

TEST(LayerKinds, AreReadWithWhatTheyHave)
{
  ss_layer_kinds kinds;
  ASSERT_TRUE(ss_layer_kinds_read(" w window=4096 kv-heads=2; M mixer=mamba feed-forward=none ;f", &kinds, nullptr, 0));
  ASSERT_EQ(kinds.count, 3);
  EXPECT_EQ(kinds.kind[0].name, 'w');
  EXPECT_EQ(kinds.kind[0].value[SS_LAYER_FIELD_window], 4096);
  EXPECT_EQ(kinds.kind[0].value[SS_LAYER_FIELD_kv_heads], 2);
  EXPECT_FALSE(kinds.kind[0].has[SS_LAYER_FIELD_mixer]);
  ss_workload workload = make_workload();
  const ss_workload mamba = ss_layer_kind_workload(&workload, &kinds.kind[1]);
  EXPECT_EQ(mamba.model.mixer, SS_MIXER_MAMBA);
  EXPECT_EQ(mamba.model.feed_forward, SS_FEED_FORWARD_NONE);
  EXPECT_EQ(mamba.model.heads, workload.model.heads);
}

TEST(LayerKinds, SayWhatIsWrong)
{
  const std::string known =
      " (a kind has name=value of mixer, feed-forward, window, chunk, heads, kv-heads, "
      "head-size, index-heads, index-top-k, compress, ffn, mlp, parallel, qk-norm, keys-as-values, shared-keys, "
      "attention-output-gate, post-norms, "
      "experts, top-k, expert-ffn, shared-experts)";
  EXPECT_EQ(problem_of("w; w"), "has twice the kind \"w\"" + known);
  EXPECT_EQ(problem_of("window=3"), "has no letter but \"window=3\"" + known);
  EXPECT_EQ(problem_of("w width=3"), "has an unknown \"width=3\"" + known);
  EXPECT_EQ(problem_of("w window"), "has an unknown \"window\"" + known);
  EXPECT_EQ(problem_of("w window=-3"), "has a value that is not allowed \"window=-3\"" + known);
  EXPECT_EQ(problem_of("w window=3x"), "has a value that is not allowed \"window=3x\"" + known);
  EXPECT_EQ(problem_of("w parallel=1"), "has a value that is not allowed \"parallel=1\"" + known);
  EXPECT_EQ(problem_of("w mixer=rnn"), "has a value that is not allowed \"mixer=rnn\"" + known);
  EXPECT_EQ(problem_of("w window=1 window=2"), "has twice \"window\"" + known);
  EXPECT_EQ(problem_of("a;b;c;d;e;f;g"), "has more than 6 kinds with \"g\"" + known);
}

TEST(LayerKinds, PatternsRepeatUntilAllLayersHaveAKind)
{
  EXPECT_EQ(spread("wf", "wf", 6), "wfwfwf");
  EXPECT_EQ(spread("de", "d*2e*4", 6), "ddeeee");
  EXPECT_EQ(spread("M*-", "M-M*(M-)*2", 8), "M-M*M-M-"); /* a * without a number is a letter */
  EXPECT_EQ(spread("wf", "wwf", 7), "its length does not divide the layers of the model");
  EXPECT_EQ(spread("wf", "w*9", 8), "it has more letters than the model has layers");
  EXPECT_EQ(spread("wf", "wx", 8), "it has a letter that is none of model.kinds");
  EXPECT_EQ(spread("wf", "(wf", 8), "a parenthesis is not closed");
  EXPECT_EQ(spread("wf", ",", 8), "it has no letter");
}

/* A token sees the w tokens up to its own, or those that there are: over l tokens l w - w^2 / 2 logits, to half an one
 * per token; without a window l^2 / 2. */
TEST(LayerKinds, AWindowLeavesFewerLogits)
{
  ss_workload workload = make_workload();
  const auto flash = [&] { return find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop; };
  const double all = flash();
  workload.model.window = 128;
  expect_close(flash() / all, (l * 128 - 128 * 128 / 2.0) / (l * l / 2), 1e-12);
  workload.model.window = 512;
  EXPECT_DOUBLE_EQ(flash(), all);
  workload.model.window = 5000;
  EXPECT_DOUBLE_EQ(flash(), all);
}

/* A token sees those of its chunk of c up to itself: (c + 1) / 2 of them, to half an one c / 2. Of 512 tokens in chunks
 * of 128 it is a quarter of 256; chunks of 200 are two and one of 112: (2 x 200^2 + 112^2) / 2 logits. Where attention
 * looks both ways it is twice that, of twice as many. A model is asked for c keys a token, of which half are computed.
 */
TEST(LayerKinds, ChunksLeaveFewerLogits)
{
  ss_workload workload = make_workload();
  const auto flash = [&] { return find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop; };
  for (ss_switch causal : {SS_YES, SS_NO}) {
    workload.model.causal = causal;
    workload.model.chunk = 0;
    const double all = flash();
    workload.model.chunk = 128;
    expect_close(flash() / all, 128.0 / l, 1e-12);
    EXPECT_DOUBLE_EQ(ss_attention_asked(&workload), 128);
    workload.model.chunk = 200;
    expect_close(flash() / all, (2 * 200 * 200 + 112 * 112) / (l * l), 1e-12);
    EXPECT_DOUBLE_EQ(ss_attention_asked(&workload), (2 * 200 * 200 + 112 * 112) / l);
    for (int64_t chunk : {512, 5000}) {
      workload.model.chunk = chunk;
      EXPECT_DOUBLE_EQ(flash(), all);
    }
  }
}

/* 512 tokens on two ranks, each with two pieces of 128: chunks of 64 and 128 lie in one rank, which exchanges nothing
 * and computes half of what one rank would; chunks of 256 do not, and keys are gathered. Without balance a rank has 256
 * neighbours; of chunks of 384 the first has 256^2 / 2 logits, the second (384^2 - 256^2 + 128^2) / 2, which is more.
 */
TEST(LayerKinds, ChunksWithinARankExchangeNothing)
{
  ss_workload workload = make_workload();
  const auto flash = [&] { return find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION); };
  const auto exchanges = [&] {
    return names(*build(workload), SS_PASS_FORWARD).find("all-gather") != std::string::npos;
  };
  for (int64_t chunk : {64, 128, 256, 512}) {
    workload.parallelism.cp = 1;
    workload.model.chunk = chunk;
    const double one = flash().kernel.flop;
    workload.parallelism.cp = 2;
    workload.parallelism.cp_exchange = SS_CP_GATHER;
    EXPECT_EQ(ss_chunks_are_local(&workload), chunk <= 128);
    EXPECT_EQ(exchanges(), chunk > 128) << names(*build(workload), SS_PASS_FORWARD);
    expect_close(flash().kernel.flop, one / 2, chunk <= 128 ? 1e-3 : 1e-12); /* a sum of n has n - 1 additions */
  }
  workload.parallelism.cp_balance = SS_NO;
  workload.model.chunk = 256;
  EXPECT_TRUE(ss_chunks_are_local(&workload));
  ss_workload vast = workload;
  vast.parallelism.cp = vast.parallelism.tp2 = INT64_C(1) << 19;
  vast.model.chunk = INT64_C(1) << 26; /* times cp tp2 it is 2^64 */
  EXPECT_FALSE(ss_chunks_are_local(&vast));
  workload.model.chunk = 512;
  const double whole = flash().kernel.flop; /* 512^2 / 2 - 256^2 / 2 of the second rank */
  workload.model.chunk = 384;
  expect_close(flash().kernel.flop / whole, (384 * 384 - 256 * 256 + 128 * 128) / (512 * 512 - 256 * 256.0), 1e-12);
}

/* One norm, one gather and one reduction for both parts, and the input of both is kept once. */
TEST(LayerKinds, ParallelParts)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.parallelism.tp = 2;
  const BlockPointer apart = build(workload);
  workload.model.parallel = SS_YES;
  const BlockPointer parallel = build(workload);
  EXPECT_EQ(names(*parallel, SS_PASS_FORWARD),
            "norm 1, all-gather, qkv, rotary embedding, flash attention, projection, fc1, activation, fc2, "
            "reduce-scatter, bias + dropout + add");
  EXPECT_DOUBLE_EQ(apart->parameters[SS_WEIGHTS_DENSE] - parallel->parameters[SS_WEIGHTS_DENSE], e);
}

/* Four norms; and two over the heads of queries and keys, which share their parameters. */
TEST(LayerKinds, MoreNorms)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  const double plain = build(workload)->parameters[SS_WEIGHTS_DENSE];
  workload.model.post_norms = SS_YES;
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE], plain + 2 * e);
  workload.model.qk_norm = SS_YES;
  const double head_size = (double)workload.model.head_size;
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE], plain + 2 * e + 2 * head_size);
}

/* Queries, keys and projection of 8 heads, and of values nothing: 3 e^2 in place of 4, and one product less where each
 * has its own. */
TEST(LayerKinds, KeysAsValues)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  const BlockPointer three = build(workload);
  workload.model.keys_as_values = SS_YES;
  const BlockPointer two = build(workload);
  EXPECT_DOUBLE_EQ(three->parameters[SS_WEIGHTS_DENSE] - two->parameters[SS_WEIGHTS_DENSE], e * e);
  EXPECT_EQ(names(*three, SS_PASS_FORWARD).find("qkv, qkv, qkv, rotary"),
            names(*two, SS_PASS_FORWARD).find("qkv, qkv, rotary"));
  EXPECT_DOUBLE_EQ(find(*two, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop,
                   find(*three, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop);
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration,
                   (double)workload.model.layers * l * (6 * (3 + 12) * e * e + 12 * e * l));
}

/* The product for keys gets two gradients of l e elements, which a kernel adds up. Values have a norm without weights
 * that reads what that of keys has kept: of norms of queries, keys and values the last keeps nothing. */
TEST(LayerKinds, ValuesOfKeysHaveTheirNormAndGradient)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.qk_norm = SS_YES;
  const BlockPointer three = build(workload);
  workload.model.keys_as_values = SS_YES;
  const BlockPointer two = build(workload);
  EXPECT_DOUBLE_EQ(find(*two, SS_PASS_BACKWARD, SS_OP_INPUT_SUM).kernel.flop, l * e);
  EXPECT_DOUBLE_EQ(bytes(*two, SS_PASS_BACKWARD, SS_OP_INPUT_SUM), 3 * 2 * l * e);
  EXPECT_DOUBLE_EQ(find(*two, SS_PASS_FORWARD, SS_OP_QK_NORM, 1).kernel.flop,
                   find(*two, SS_PASS_FORWARD, SS_OP_QK_NORM).kernel.flop / 2);
  EXPECT_DOUBLE_EQ(three->parameters[SS_WEIGHTS_DENSE] - two->parameters[SS_WEIGHTS_DENSE], e * e);
  EXPECT_DOUBLE_EQ(three->stored_bytes, two->stored_bytes);
}

/* Layers of e = 1024 with 8 heads of 128 and a feed-forward size of 4 e: matrices of 12 e^2 with vectors of 10 e as GPT
 * has them; three matrices in the place of two, which makes 16 e^2, with four norms, or with one norm for both parts
 * and those of queries and keys. Three layers of each; 6 flop a token for each parameter of a matrix. */
TEST(LayerKinds, LayersDifferInTheirMlpAndNorms)
{
  ss_workload workload = make_workload();
  workload.model.layers = 9;
  say(workload, "g; s mlp=swiglu post-norms=yes; p mlp=swiglu parallel=yes qk-norm=yes", "gsp");
  const ss_machine machine = make_machine({});
  ss_model_size size = {};
  ASSERT_EQ(ss_model_size_of(&workload, &machine, &size, nullptr), SS_OK);
  EXPECT_DOUBLE_EQ(size.parameters, 3 * (12 * e * e + 10 * e) + 3 * (16 * e * e + 4 * e) + 3 * (16 * e * e + e + 256));
  const double logits = 9 * 12 * e * l; /* of 8 heads, both products forward and twice backward */
  const Job job(workload, machine, SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration,
                   l * (6 * 3 * (12 + 16 + 16) * e * e + logits));
  say(workload, "g; p mlp=swiglu parallel=yes post-norms=yes", "gpp");
  ss_error error = {};
  EXPECT_EQ(ss_workload_check(&workload, &error), SS_ERROR_INPUT);
  EXPECT_NE(std::string(error.message).find("each part has a norm behind it"), std::string::npos) << error.message;
}

/* Modules have a layer of a kind that no layer of the model is of: what a model of this kind alone has as its last one.
 * A GPT layer asks for 12 e^2 parameters of matrices, one of twice the feed-forward size for 20 e^2. */
TEST(LayerKinds, ModulesAreOfAKindOfTheirOwn)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.model.mtp_modules = 2;
  say(workload, "f; d ffn=8192", "f");
  const auto flop_of = [&] {
    const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
    return ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration;
  };
  const auto module_of = [&] {
    const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
    return ss_duration_sum(job->pass[SS_BLOCK_MODULE][SS_PASS_BACKWARD]);
  };
  const double as_last_flop = flop_of(), as_last_s = module_of();
  (void)snprintf(workload.model.mtp_kind, sizeof workload.model.mtp_kind, "d");
  EXPECT_DOUBLE_EQ(flop_of(), as_last_flop + 2 * l * 6 * 8 * e * e);
  const double own_s = module_of();
  EXPECT_GT(own_s, as_last_s);
  say(workload, "d ffn=8192", "d");
  workload.model.mtp_kind[0] = '\0';
  EXPECT_DOUBLE_EQ(module_of(), own_s);
}

/* A model whose only kind has something of its own is the model that has it; without a vocabulary, as its last norm is
 * the model's. */
TEST(LayerKinds, WhatAKindHasIsWhatTheModelWouldHave)
{
  std::mt19937 random(73 + seed);
  int checked = 0;
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    workload.model.vocabulary = workload.model.mtp_modules = workload.model.dense_layers = workload.model.positions = 0;
    workload.model.embedding_norm = SS_NO;
    ss_workload own = workload;
    own.model.mlp = pick(random, all_of<ss_mlp>);
    own.model.parallel = pick_switch(random);
    own.model.qk_norm = pick_switch(random);
    own.model.post_norms = pick_switch(random);
    own.model.attention_output_gate = pick_switch(random);
    const std::string text =
        std::string("a mlp=") + ss_word(SS_AT_model_mlp, own.model.mlp) +
        " parallel=" + ss_word(SS_AT_model_parallel, own.model.parallel) +
        " qk-norm=" + ss_word(SS_AT_model_qk_norm, own.model.qk_norm) +
        " post-norms=" + ss_word(SS_AT_model_post_norms, own.model.post_norms) +
        " attention-output-gate=" + ss_word(SS_AT_model_attention_output_gate, own.model.attention_output_gate);
    say(workload, text.c_str(), "a");
    ASSERT_EQ(ss_workload_check(&workload, nullptr) == SS_OK, ss_workload_check(&own, nullptr) == SS_OK);
    if (ss_workload_check(&own, nullptr) != SS_OK) continue;
    ++checked;
    const Job one(own, machine, SS_COST_CALIBRATED), two(workload, machine, SS_COST_CALIBRATED);
    ss_replay_options options = {};
    options.private_links = true;
    expect_close(two.replay(options).breakdown.iteration_s, one.replay(options).breakdown.iteration_s, 1e-9);
    const ss_metrics counted = ss_estimate_metrics(two.get(), 1.0), expected = ss_estimate_metrics(one.get(), 1.0);
    EXPECT_DOUBLE_EQ(counted.parameters, expected.parameters);
    EXPECT_DOUBLE_EQ(counted.model_flop_per_iteration, expected.model_flop_per_iteration);
    expect_close(ss_estimate_stage_memory(two.get(), 0).total_bytes, ss_estimate_stage_memory(one.get(), 0).total_bytes,
                 1e-12);
  }
  EXPECT_GT(checked, 30);
}

/* Kinds that have nothing of their own make the same job as none. */
TEST(LayerKinds, EqualKindsAreNone)
{
  std::mt19937 random(71 + seed);
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    if (workload.model.dense_layers > 0) continue;
    const Job one(workload, machine, SS_COST_CALIBRATED);
    say(workload, "a; b", workload.model.layers % 2 == 0 ? "ab" : "b");
    const Job two(workload, machine, SS_COST_CALIBRATED);
    if (two->uneven == one->uneven) /* else the closed form walks, which some formulas only come close to */
      expect_close(ss_estimate_time(two.get()).iteration_s, ss_estimate_time(one.get()).iteration_s, 1e-9);
    expect_close(two.replay().breakdown.iteration_s, one.replay().breakdown.iteration_s, 1e-9);
    const ss_metrics counted = ss_estimate_metrics(two.get(), 1.0), expected = ss_estimate_metrics(one.get(), 1.0);
    EXPECT_DOUBLE_EQ(counted.model_flop_per_iteration, expected.model_flop_per_iteration);
    expect_close(ss_estimate_stage_memory(two.get(), 0).total_bytes, ss_estimate_stage_memory(one.get(), 0).total_bytes,
                 1e-12);
  }
}

/* Layers that differ: where nobody shares links the replay is the closed form, if that walks; folded or not it is the
 * same. */
TEST(LayerKinds, ClosedFormIsTheReplay)
{
  std::mt19937 random(72 + seed);
  const char *const mixed[] = {"w window=64; s mixer=linear; n mixer=none; f attention-output-gate=yes",
                               "s mixer=mamba feed-forward=none; c chunk=96; d feed-forward=mlp",
                               "g mlp=gelu; s mlp=swiglu post-norms=yes qk-norm=yes; p feed-forward=mlp parallel=yes",
                               "a; b experts=16 top-k=1 expert-ffn=1024 shared-experts=2; d feed-forward=mlp",
                               "m mixer=mamba-1; h mixer=hybrid; d mixer=mamba-1 feed-forward=mlp; a"};
  const char *const patterns[] = {"wsnf", "scsd", "gsp", "abd", "mhd"};
  for (int i = 0, found = 0; found < 75; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    workload.placement.segment = SS_DERIVED; /* groups of a kind lie alike */
    workload.model.state_heads = workload.model.state_groups = 64;
    workload.model.dense_layers = 0;
    if (workload.parallelism.cp_exchange == SS_CP_RING) workload.parallelism.cp_exchange = SS_CP_GATHER;
    if (i % 5 == 3 && workload.model.experts == 0) workload.model.experts = 8;
    const int64_t layers = workload.model.layers;
    std::string pattern = patterns[i % 5];
    while (layers % (int64_t)pattern.size() != 0) pattern.pop_back();
    say(workload, mixed[i % 5], pattern.c_str());
    if (i % 2 == 0 && workload.model.mtp_modules > 0) workload.model.mtp_kind[0] = mixed[i % 5][0];
    ss_error error = {};
    if (ss_workload_check(&workload, &error) != SS_OK) continue;
    ++found;
    const Job job(workload, machine, SS_COST_CALIBRATED, own_links());
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get());
    if (job->uneven) expect_close(job.replay(options).breakdown.iteration_s, closed.iteration_s, 1e-9);
    options = {};
    options.fold = SS_FOLD_NONE;
    expect_close(job.replay(options).breakdown.iteration_s, job.replay().breakdown.iteration_s, 1e-9);
  }
}
