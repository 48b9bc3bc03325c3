/* Software stacks: the table, what comes before what, and that a stack is nothing but its rows. */

#include <map>
#include <set>
#include <tuple>

#include "tests/support/attributes.hpp"
#include "tests/support/inputs.hpp"
#include "tests/support/searches.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/input/stack.h"
}

using namespace stepsim;

namespace
{

/* Those of the stack that it goes over first. */
std::vector<ss_stack_setting> rows_of(ss_stack stack)
{
  int64_t count;
  const ss_stack_setting *rows = ss_stack_settings(&count);
  std::vector<ss_stack_setting> own;
  if (stack != SS_STACK_NONE) own = rows_of(ss_stack_title_of(stack).base);
  for (int64_t i = 0; i < count; ++i)
    if (rows[i].stack == stack) own.push_back(rows[i]);
  return own;
}

std::vector<ss_stack> all_stacks()
{
  return {all_of<ss_stack>.begin() + 1, all_of<ss_stack>.end()};
}

/* 16 layers with experts over 2 stages of 4 replicas, as it is read: nothing is derived. */
ss_workload as_read(ss_stack stack)
{
  ss_workload w = make_workload();
  w.model.vocabulary = 32000;
  w.model.layers = 16;
  w.model.experts = 8;
  w.training.global_batch = 64;
  w.training.stack = stack;
  w.parallelism.tp = w.parallelism.pp = 2;
  w.parallelism.dp = w.parallelism.ep = 4;
  return w;
}

ss_workload applied(ss_workload w)
{
  ss_stack_apply(&w);
  return w;
}

ss_machine machine()
{
  ss_machine m = machine_of(64, 8);
  m.fp8_flop_per_s = 2 * m.matrix_flop_per_s;
  return m;
}

/* How a workload file spells a row. */
std::string spelled(const ss_stack_setting &row)
{
  return std::string(row_of(row.attribute).element) + "." + row_of(row.attribute).name + "=" + row.value;
}

void expect_same_prediction(const ss_workload &a, const ss_workload &b, const std::string &where)
{
  const Job first(a, machine(), SS_COST_CALIBRATED), second(b, machine(), SS_COST_CALIBRATED);
  const ss_breakdown of_a = ss_estimate_time(first.get()), of_b = ss_estimate_time(second.get());
  for (int part = 0; part < SS_PART_COUNT; ++part)
    EXPECT_EQ(ss_breakdown_part(&of_a, (ss_part)part), ss_breakdown_part(&of_b, (ss_part)part)) << where;
  EXPECT_EQ(of_a.iteration_s, of_b.iteration_s) << where;
  EXPECT_EQ(ss_estimate_memory(first.get()).total_bytes, ss_estimate_memory(second.get()).total_bytes) << where;
}

} // namespace

TEST(Stack, RowsAreWordsOfTheirAttributesOnce)
{
  int64_t count;
  const ss_stack_setting *rows = ss_stack_settings(&count);
  std::set<std::tuple<ss_stack, ss_attribute_index, ss_stack_of, std::string>> seen;
  for (int64_t i = 0; i < count; ++i) {
    const std::string text = spelled(rows[i]);
    EXPECT_TRUE(i == 0 || rows[i].stack >= rows[i - 1].stack) << text;
    EXPECT_TRUE(seen.insert({rows[i].stack, rows[i].attribute, rows[i].of, rows[i].on}).second) << text << " twice";
    const ss_attribute_type type = row_of(rows[i].attribute).type;
    EXPECT_TRUE(is_choice(rows[i].attribute) || type == SS_ATTRIBUTE_COUNT || type == SS_ATTRIBUTE_SET) << text;
    EXPECT_NE(rows[i].attribute, SS_AT_training_stack);
    EXPECT_GT(std::strlen(rows[i].source), 8u) << text;
    ss_workload w = make_workload();
    ss_error error = {};
    EXPECT_EQ(ss_override(text.c_str(), &w, nullptr, &error), SS_OK) << error.message;
  }
  for (const ss_stack stack : all_stacks()) {
    EXPECT_GE(rows_of(stack).size(), 8u);
    EXPECT_NE(ss_stack_title_of(stack).name, nullptr);
    EXPECT_LT(ss_stack_title_of(stack).base, stack); /* further up, so that none goes over itself */
  }
  EXPECT_TRUE(rows_of(SS_STACK_NONE).empty());
}

/* Without a stack nothing is set, and nothing is marked. */
TEST(Stack, NoneSetsNothing)
{
  const ss_workload before = as_read(SS_STACK_NONE), after = applied(before);
  EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
}

/* A job with a stack is the job with its rows spelled out, to the last bit; each stack makes a job that runs. */
TEST(Stack, IsItsRowsSpelledOut)
{
  for (const ss_stack stack : all_stacks()) {
    ss_workload short_form = applied(as_read(stack)), long_form = as_read(SS_STACK_NONE);
    std::set<ss_attribute_index> set;
    for (const ss_stack_setting &row : rows_of(stack)) {
      const bool whole = long_form.training.recompute == SS_RECOMPUTE_FULL; /* by a row before */
      const bool fused = long_form.training.fused == SS_YES;
      const bool once = long_form.schedule.dispatch == SS_DISPATCH_ONCE;
      const bool is_of = row.of == SS_STACK_OF_ALWAYS || row.of == SS_STACK_OF_EXPERTS || row.of == SS_STACK_OF_BF16 ||
                         row.of == SS_STACK_OF_STAGES || row.of == SS_STACK_OF_RING || row.of == SS_STACK_OF_SEQUENCE ||
                         (row.of == SS_STACK_OF_WHOLE && whole) || (row.of == SS_STACK_OF_COMPILED && fused) ||
                         (row.of == SS_STACK_OF_PLAIN_ONCE && once);
      const bool holds = is_of && row.on[0] == '\0';
      EXPECT_TRUE(row.of != SS_STACK_OF_SEQUENCE || long_form.parallelism.sequence_parallel == SS_YES);
      ASSERT_TRUE(!holds || ss_override(spelled(row).c_str(), &long_form, nullptr, nullptr) == SS_OK);
      if (holds) set.insert(row.attribute);
    }
    for (const ss_stack_setting &row : rows_of(stack))
      EXPECT_EQ(short_form.line[row.attribute], set.count(row.attribute) ? SS_LINE_STACK : SS_LINE_DEFAULT)
          << spelled(row);
    ss_workload_derive(&short_form);
    ss_workload_derive(&long_form);
    expect_same_prediction(short_form, long_form, ss_word(SS_AT_training_stack, stack));
  }
}

/* What the file and what --set say stays, before or after the stack is named. */
TEST(Stack, TheWorkloadComesFirst)
{
  const std::string path = write("stack.xml", "<workload version=\"1\"><model layers=\"4\" hidden=\"512\" heads=\"8\" "
                                              "sequence=\"512\"/><training stack=\"llm-foundry-2023\" fused=\"yes\"/>"
                                              "<parallelism sharding=\"none\"/></workload>");
  ss_workload w;
  ss_error error = {};
  ASSERT_EQ(ss_workload_load(path.c_str(), &w, &error), SS_OK) << error.message;
  ASSERT_EQ(ss_override("training.recompute=none", &w, nullptr, &error), SS_OK);
  ss_stack_apply(&w);
  EXPECT_EQ(w.training.fused, SS_YES);                 /* of the file; the stack: no */
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_NONE); /* of the file; the stack: parameters */
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_NONE);  /* of --set; the stack: full */
  EXPECT_EQ(w.training.dropout, SS_NO);                /* of the stack; by default: yes */
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_FP32);  /* of the stack; by default: auto */
  EXPECT_EQ(w.line[SS_AT_training_recompute], SS_LINE_OVERRIDE);
  EXPECT_EQ(w.line[SS_AT_training_dropout], SS_LINE_STACK);
}

/* Another stack leaves nothing of the first, and twice the same is once. */
TEST(Stack, FollowsAnother)
{
  for (const ss_stack first : all_stacks())
    for (const ss_stack second : all_of<ss_stack>) {
      ss_workload w = applied(as_read(first));
      w.training.stack = second;
      const ss_workload once = applied(as_read(second)), after = applied(w), twice = applied(after);
      EXPECT_EQ(std::memcmp(&after, &once, sizeof once), 0);
      EXPECT_EQ(std::memcmp(&after, &twice, sizeof once), 0);
    }
}

/* What no settings of TorchTitan say, it does in any case: an import of them has the same. What the file says stays,
 * and what another framework runs. */
TEST(Stack, FollowsTheFramework)
{
  ss_workload w = as_read(SS_STACK_NONE);
  w.training.framework = SS_RUNNER_TORCHTITAN;
  w.training.recompute = SS_RECOMPUTE_FULL;
  const ss_workload titan = applied(w);
  EXPECT_EQ(ss_stack_followed(&titan), SS_STACK_TORCHTITAN_2025);
  EXPECT_EQ(titan.parallelism.tp_redo, SS_NO);
  EXPECT_EQ(titan.parallelism.fsdp, SS_FSDP_PER_PARAMETER);
  EXPECT_EQ(titan.parallelism.cp_exchange, SS_CP_GATHER);
  EXPECT_EQ(titan.parallelism.cp_sums, SS_CP_SUMS_FP32);
  EXPECT_EQ(titan.training.projections, SS_PROJECTIONS_SEPARATE);
  EXPECT_EQ(titan.training.rotary, SS_ROTARY_COMPLEX);
  EXPECT_EQ(titan.training.recompute_early_stop, SS_YES);
  EXPECT_EQ(titan.training.cross_entropy, w.training.cross_entropy); /* of the stack only */
  EXPECT_EQ(titan.training.fused, w.training.fused);
  w.line[SS_AT_parallelism_tp_redo] = 1;
  EXPECT_EQ(applied(w).parallelism.tp_redo, SS_YES);
  w.training.framework = SS_RUNNER_MEGATRON;
  EXPECT_EQ(ss_stack_followed(&w), SS_STACK_NONE);
  EXPECT_EQ(applied(w).parallelism.fsdp, SS_FSDP_IN_PLACE);
}

/* A window excludes the ring that is the default: all-to-all where tp * cp = 4 divides 8 heads of keys, gather where
 * 16 do not; what is said stays, and a model without windows has its ring. */
TEST(Stack, WindowsChooseTheExchange)
{
  ss_workload w = as_read(SS_STACK_NONE);
  w.model.heads = w.model.kv_heads = 8;
  w.parallelism.cp = 2;
  EXPECT_EQ(applied(w).parallelism.cp_exchange, SS_CP_RING);
  w.model.window = 128;
  EXPECT_EQ(applied(w).parallelism.cp_exchange, SS_CP_ALL_TO_ALL);
  const ss_workload chosen = applied(w);
  EXPECT_EQ(chosen.line[SS_AT_parallelism_cp_exchange], SS_LINE_DERIVED);
  ss_workload of_stack = w; /* its ring is p2p of Transformer Engine, which asserts that there is no window */
  of_stack.training.stack = SS_STACK_MEGATRON_CORE_2025;
  EXPECT_EQ(applied(of_stack).parallelism.cp_exchange, SS_CP_ALL_TO_ALL);
  of_stack.model.window = 0;
  EXPECT_EQ(applied(of_stack).line[SS_AT_parallelism_cp_exchange], SS_LINE_STACK);
  w.parallelism.cp = 8;
  EXPECT_EQ(applied(w).parallelism.cp_exchange, SS_CP_GATHER);
  w.line[SS_AT_parallelism_cp_exchange] = SS_LINE_OVERRIDE;
  EXPECT_EQ(applied(w).parallelism.cp_exchange, SS_CP_RING);
  ss_workload again = chosen; /* a search goes on to other sizes */
  again.parallelism.cp = 1;
  EXPECT_EQ(applied(again).parallelism.cp_exchange, SS_CP_RING);
  w = as_read(SS_STACK_NONE);
  w.parallelism.cp = 2;
  std::strcpy(w.model.kinds, "w window=128; f");
  std::strcpy(w.model.pattern, "wf");
  EXPECT_NE(applied(w).parallelism.cp_exchange, SS_CP_RING);
}

TEST(Stack, SomeRowsAreOfSomeWorkloads)
{
  ss_workload w = as_read(SS_STACK_NEMO_2024);
  EXPECT_EQ(applied(w).schedule.overlap_pp, SS_NO); /* one chunk */
  w.parallelism.interleave = 2;
  EXPECT_EQ(applied(w).schedule.overlap_pp, SS_YES);
  EXPECT_EQ(applied(w).schedule.overlap_tp, SS_TP_OVERLAP_USER_BUFFERS);
  w.parallelism.tp = 1;
  EXPECT_EQ(applied(w).schedule.overlap_tp, SS_TP_OVERLAP_BACKWARD); /* the default */
  w = as_read(SS_STACK_MEGATRON_BRIDGE_2026);
  EXPECT_EQ(applied(w).schedule.dispatch, SS_DISPATCH_ONCE);
  w.model.experts = 0;
  EXPECT_EQ(applied(w).schedule.dispatch, SS_DISPATCH_COPIES);
  w = as_read(SS_STACK_MEGATRON_2021);
  EXPECT_EQ(applied(w).schedule.pipeline_rs_ag, SS_YES);
  w.parallelism.pp = 1;
  EXPECT_EQ(applied(w).schedule.pipeline_rs_ag, SS_NO);
}

/* Types of gathers are of formats, user buffers of none in 4 bits. */
TEST(Stack, RowsAreOfPrecisions)
{
  ss_workload w = as_read(SS_STACK_MEGATRON_BRIDGE_2026);
  EXPECT_EQ(applied(w).training.gather_type, SS_AS_16BIT);
  EXPECT_EQ(applied(w).schedule.tp_reduction, SS_TP_REDUCTION_PIPE);
  w.training.precision = SS_PRECISION_FP8_CURRENT;
  EXPECT_EQ(applied(w).training.gather_type, SS_AS_OPERANDS);
  EXPECT_EQ(applied(w).training.weights_type, SS_AS_OPERANDS);
  EXPECT_EQ(applied(w).schedule.tp_reduction, SS_TP_REDUCTION_RING);
  w.training.precision = SS_PRECISION_NVFP4;
  EXPECT_EQ(applied(w).training.gather_type, SS_AS_OPERANDS);
  EXPECT_EQ(applied(w).training.weights_type, SS_AS_16BIT);
  EXPECT_EQ(applied(w).schedule.overlap_tp, SS_TP_OVERLAP_NONE);
  w.training.precision = SS_PRECISION_FP8_ROWS;
  EXPECT_EQ(applied(w).training.gather_type, SS_AS_16BIT);
}

/* Where a job has moments in 16 bits, one kernel updates all: no other takes them. */
TEST(Stack, StatesOfAJobChooseTheStep)
{
  for (ss_stack stack : {SS_STACK_MEGATRON_CORE_2025, SS_STACK_MEGATRON_BRIDGE_25_09, SS_STACK_MEGATRON_BRIDGE_26_08,
                         SS_STACK_PRIMUS_2026}) {
    ss_workload w = as_read(stack);
    w.training.precision = SS_PRECISION_FP8_CURRENT;
    EXPECT_EQ(applied(w).training.optimizer_step, SS_STEP_SEPARATE) << stack;
    ss_error error = {};
    ASSERT_EQ(ss_override("training.moments=16bit", &w, nullptr, &error), SS_OK);
    EXPECT_EQ(applied(w).training.optimizer_step, SS_STEP_FUSED) << stack;
  }
}

/* A release that goes over another one has its rows, unless it has its own. */
TEST(Stack, GoesOverAnother)
{
  EXPECT_TRUE(ss_stack_includes(SS_STACK_NEMO_2025, SS_STACK_NEMO_2024));
  EXPECT_FALSE(ss_stack_includes(SS_STACK_NEMO_2024, SS_STACK_NEMO_2025));
  EXPECT_FALSE(ss_stack_includes(SS_STACK_NONE, SS_STACK_NEMO_2024));
  ss_workload w = as_read(SS_STACK_NEMO_2025);
  EXPECT_EQ(applied(w).training.gradients, SS_GRADIENTS_16BIT); /* NeMo of 2024: fp32 */
  EXPECT_EQ(applied(w).training.expert_kernels, SS_EXPERT_KERNELS_SEQUENTIAL);
  w.training.precision = SS_PRECISION_FP8;
  EXPECT_EQ(applied(w).training.reduce_type, SS_AS_16BIT);
  w.training.stack = SS_STACK_NEMO_2024;
  EXPECT_EQ(applied(w).training.reduce_type, SS_AS_OPERANDS);
  const ss_stack_setting *row = ss_stack_setting_of(&w, SS_AT_training_gradients);
  ASSERT_NE(row, nullptr);
  EXPECT_STREQ(row->value, "fp32");
  w.training.stack = SS_STACK_NEMO_2025;
  EXPECT_STREQ(ss_stack_setting_of(&w, SS_AT_training_gradients)->value, "16bit");
  EXPECT_EQ(ss_stack_setting_of(&w, SS_AT_training_global_batch), nullptr);
}

/* Of a mixture in MXFP8 on Blackwell a release of 2026 has kernels and graphs of its own, of another one it has not. */
TEST(Stack, LaterReleasesFuseExperts)
{
  ss_workload w = as_read(SS_STACK_MEGATRON_BRIDGE_26_08);
  std::strcpy(w.gpu, "GB200");
  EXPECT_EQ(applied(w).training.host, SS_HOST_EAGER);
  w.training.precision = SS_PRECISION_MXFP8;
  EXPECT_EQ(applied(w).training.host, SS_HOST_GRAPHS);
  EXPECT_EQ(applied(w).training.graphs, 0); /* what the release before has in graphs by itself */
  EXPECT_EQ(applied(w).training.expert_kernels, SS_EXPERT_KERNELS_FUSED);
  w.training.host = SS_HOST_EAGER; /* said by the file */
  w.line[SS_AT_training_host] = 1;
  EXPECT_NE(applied(w).training.graphs, 0);
  w.line[SS_AT_training_host] = SS_LINE_DEFAULT;
  std::strcpy(w.gpu, "H100");
  EXPECT_EQ(applied(w).training.host, SS_HOST_EAGER);
  std::strcpy(w.gpu, "GB200");
  w.model.experts = 0;
  EXPECT_EQ(applied(w).training.host, SS_HOST_EAGER);
}

/* Rows of GPUs hold on these: graphs by modules on racks, none on Hopper, and none where the GPU is not known. */
TEST(Stack, SomeRowsAreOfSomeGpus)
{
  ss_workload w = as_read(SS_STACK_MEGATRON_BRIDGE_26_04);
  EXPECT_EQ(applied(w).training.graphs, 0);
  std::strcpy(w.gpu, "GB300");
  EXPECT_EQ(applied(w).training.graphs, SS_WORD_BIT(SS_GRAPH_ATTN) | SS_WORD_BIT(SS_GRAPH_MOE_ROUTER));
  w.parallelism.pp = 1;
  EXPECT_EQ(applied(w).training.graphs, SS_WORD_BIT(SS_GRAPH_MOE_ROUTER));
  std::strcpy(w.gpu, "B300"); /* no part of the name of another model */
  EXPECT_EQ(applied(w).training.graphs, SS_WORD_BIT(SS_GRAPH_MOE_ROUTER));
  w.parallelism.pp = 2;
  EXPECT_EQ(applied(w).training.graphs, 0);
  std::strcpy(w.gpu, "H100");
  w.model.kv_rank = 512;
  EXPECT_EQ(applied(w).training.recompute_modules, SS_WORD_BIT(SS_RECOMPUTE_MLA_UP_PROJ));
  w.model.dense_layers = 3;
  EXPECT_EQ(applied(w).training.recompute_modules,
            SS_WORD_BIT(SS_RECOMPUTE_MLA_UP_PROJ) | SS_WORD_BIT(SS_RECOMPUTE_MLP));
  w.training.recompute = SS_RECOMPUTE_NONE; /* said by the file */
  w.line[SS_AT_training_recompute] = 1;
  EXPECT_EQ(applied(w).training.recompute_modules, 0);
}

/* A mixture with layers that have no attention is neither latent nor plain, whatever kinds say it. */
TEST(Stack, HybridsAreTheirOwnKind)
{
  ss_workload w = as_read(SS_STACK_MEGATRON_BRIDGE_26_08);
  std::strcpy(w.gpu, "GB300");
  w.training.precision = SS_PRECISION_MXFP8;
  std::strcpy(w.model.kinds, "M mixer=mamba feed-forward=none; * feed-forward=none; E mixer=none");
  std::strcpy(w.model.pattern, "ME*E");
  EXPECT_EQ(applied(w).training.host, SS_HOST_EAGER);
  EXPECT_EQ(applied(w).training.graphs,
            SS_WORD_BIT(SS_GRAPH_ATTN) | SS_WORD_BIT(SS_GRAPH_MAMBA) | SS_WORD_BIT(SS_GRAPH_MOE_ROUTER));
  EXPECT_EQ(applied(w).training.router_type, SS_ROUTER_FP32);
  std::strcpy(w.gpu, "H100");
  w.training.precision = SS_PRECISION_BF16;
  EXPECT_EQ(applied(w).training.graphs, SS_WORD_BIT(SS_GRAPH_ATTN) | SS_WORD_BIT(SS_GRAPH_MAMBA));
  EXPECT_EQ(applied(w).training.moments, SS_MOMENTS_FP32);
  w.model.mtp_modules = 2;
  EXPECT_EQ(applied(w).training.moments, SS_MOMENTS_16BIT);
  EXPECT_EQ(applied(w).training.optimizer_step, SS_STEP_FUSED);
  EXPECT_EQ(applied(w).training.recompute_modules,
            SS_WORD_BIT(SS_RECOMPUTE_MOE_ACT) | SS_WORD_BIT(SS_RECOMPUTE_LAYERNORM));
}

/* Rows of a GPU go by its model, without its form and memory, and what they ask for is derived behind them; without an
 * accelerator the GPU stays. */
TEST(Stack, IsCompletedForAnAccelerator)
{
  ss_workload w = as_read(SS_STACK_MEGATRON_BRIDGE_26_08);
  w.training.precision = SS_PRECISION_MXFP8;
  ss_stack_complete(&w, "GB200-192GB");
  EXPECT_STREQ(w.gpu, "GB200");
  EXPECT_EQ(w.training.host, SS_HOST_GRAPHS);
  EXPECT_EQ(w.model.ffn, 4 * w.model.hidden);
  ss_stack_complete(&w, nullptr);
  EXPECT_STREQ(w.gpu, "GB200");
  ss_stack_complete(&w, "H100-SXM5-80GB");
  EXPECT_EQ(w.training.host, SS_HOST_EAGER);
}

/* A refusal of what a stack has set says so, with the line that names the stack. */
TEST(Stack, IsNamedByRefusals)
{
  const std::string path = write("stack.xml", "<workload version=\"1\"><model layers=\"4\" hidden=\"512\" heads=\"8\" "
                                              "sequence=\"512\"/>\n<training stack=\"deepseek-v3\"/></workload>");
  ss_workload w;
  ss_error error = {};
  ASSERT_EQ(ss_workload_load(path.c_str(), &w, &error), SS_OK) << error.message;
  ss_stack_apply(&w);
  ss_workload_derive(&w);
  const std::string problem = "schedule.pipeline=\"dualpipe\" of training.stack=deepseek-v3: ";
  EXPECT_EQ(printed(ss_workload_check(&w, &error), error, path).rfind("PATH:2: " + problem, 0), 0u) << error.message;
  ASSERT_EQ(ss_override("training.stack=deepseek-v3", &w, nullptr, &error), SS_OK);
  EXPECT_EQ(printed(ss_workload_check(&w, &error), error, path).rfind("--set: " + problem, 0), 0u) << error.message;
}

/* What was chosen for a window is the stack's as little as the framework's, and says that nobody wrote it. */
TEST(Stack, IsNotBlamedForTheExchangeThatWasChosen)
{
  const std::string path = write("window.xml", "<workload version=\"1\"><model layers=\"4\" hidden=\"512\" heads=\"8\" "
                                               "sequence=\"512\" window=\"64\"/>\n"
                                               "<training stack=\"megatron-core-2025\" framework=\"megatron\"/>\n"
                                               "<parallelism cp=\"2\"/></workload>");
  ss_workload w;
  ss_error error = {};
  ASSERT_EQ(ss_workload_load(path.c_str(), &w, &error), SS_OK) << error.message;
  ss_stack_apply(&w);
  const ss_status status = ss_workload_refuse(&w, SS_AT_parallelism_cp_exchange, &error, "is refused");
  EXPECT_EQ(printed(status, error, path),
            "PATH:3: parallelism.cp-exchange=\"all-to-all\" (chosen for the rest of the workload): is refused");
}

/* In a search the stack sets what the sizes of a candidate ask for; each is the job that --set would make of it. */
TEST(Stack, FollowsTheCandidatesOfASearch)
{
  const ss_machine m = machine_of(8, 8);
  ss_workload base = applied(as_read(SS_STACK_MEGATRON_2021));
  base.model.experts = 0;
  base.parallelism.pp = base.parallelism.tp = base.parallelism.dp = base.parallelism.ep = 1;
  base = applied(base);
  ASSERT_EQ(base.schedule.pipeline_rs_ag, SS_NO);
  ss_workload_derive(&base);
  ss_search_options options = options_of(8, one_d);
  options.cost = SS_COST_CALIBRATED;
  options.top = 100;
  options.knobs = SS_KNOB_BIT(SS_KNOB_recompute) | SS_KNOB_BIT(SS_KNOB_fused);
  const Search search(base, m, options);
  std::map<ss_recompute, int> recomputed;
  int staged = 0;
  for (int64_t i = 0; i < search->count; ++i) {
    ss_workload found = base;
    ss_candidate_apply(&search->top[i].candidate, &found);
    EXPECT_EQ(found.schedule.pipeline_rs_ag, found.parallelism.pp > 1 ? SS_YES : SS_NO);
    EXPECT_EQ(ss_estimate_time(Job(found, m, SS_COST_CALIBRATED).get()).iteration_s,
              search->top[i].estimate.iteration_s);
    recomputed[found.training.recompute] += 1;
    staged += found.parallelism.pp > 1;
  }
  EXPECT_EQ(recomputed.size(), 3); /* the knob varies what the stack sets: none, selective, full */
  EXPECT_GT(staged, 0);
  EXPECT_LT(staged, search->count);
}
