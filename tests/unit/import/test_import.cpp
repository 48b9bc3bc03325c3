/* Imported configurations: published models have their parameters and are the shipped ones, and bad files are refused.
 */
#include "tests/support/fixtures.hpp"
#include "tests/support/import_text.hpp"
#include "tests/support/inputs.hpp"
#include "tests/support/published_configs.hpp"
#include "tests/support/recent_configs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/estimate/model_size.h"
#include "model/input/origin.h"
#include "model/plan/job_setup.h"
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

double parameters_of(const ss_workload &workload)
{
  const ss_machine machine = machine_of(1, 1);
  ss_job job;
  ss_error error = {};
  ss_job_options options = {};
  options.cost = SS_COST_CALIBRATED;
  EXPECT_EQ(ss_job_init(&job, &workload, &machine, options, &error), SS_OK) << error.message;
  const double parameters =
      ss_job_stage_parameters(&job, 0, SS_WEIGHTS_DENSE) + ss_job_stage_parameters(&job, 0, SS_WEIGHTS_EXPERT);
  ss_job_free(&job);
  return parameters;
}

/* A small model, with one more key. */
std::string with(const std::string &key)
{
  return "{\"model_type\": \"llama\",\n \"num_hidden_layers\": 2, \"hidden_size\": 256, \"vocab_size\": 100,\n"
         " \"num_attention_heads\": 4" +
         (key.empty() ? key : ",\n " + key) + "}\n";
}

} // namespace

TEST(Import, PublishedModelsHaveTheirParameters)
{
  for (const PublishedConfig &config : published_configs) {
    ss_workload workload;
    ASSERT_EQ(import_text(config.text, &workload), "accepted") << config.source;
    ss_workload_derive(&workload);
    ss_error error = {};
    ASSERT_EQ(ss_workload_check(&workload, &error), SS_OK) << config.source << ": " << error.message;
    if (config.parameters > 0.0) {
      EXPECT_NEAR(parameters_of(workload) / config.parameters, 1.0, 1e-3) << config.source;
    }
  }
}

TEST(Import, RecentModelsHaveTheirParameters)
{
  for (const RecentConfig &config : recent_configs) {
    ss_workload workload;
    ASSERT_EQ(import_text(config.text, &workload), "accepted") << config.source;
    ss_workload_derive(&workload);
    ss_error error = {};
    ASSERT_EQ(ss_workload_check(&workload, &error), SS_OK) << config.source << ": " << error.message;
    EXPECT_NEAR(parameters_of(workload) / config.parameters, 1.0, 3e-3) << config.source;
  }
}

/* What a token goes through, as publishers count it: LongCat-Flash 27 billion in the mean of 18.6 to 31.3, with 8 of 12
 * choices that compute (arXiv 2509.01322 section 2.1); Step-3 38 billion (arXiv 2507.19427). Of layers of LongCat two
 * are one of its own: 90.6 million of either attention, an MLP of 3 x 6144 x 12288, a router of 768 x 6144, and 8 of
 * 512 experts of 3 x 6144 x 2048; ends are 2 x 131072 x 6144. */
TEST(Import, ActiveParametersAreAsPublished)
{
  const std::vector<std::pair<std::string, double>> active = {{"LongCat-Flash", 27e9}, {"stepfun-ai/step3", 38e9}};
  const ss_machine machine = machine_of(1, 1);
  for (const auto &[source, parameters] : active)
    for (const RecentConfig &config : recent_configs) {
      if (std::string(config.source).find(source) == std::string::npos) continue;
      ss_workload workload;
      ss_model_size size;
      ASSERT_EQ(import_text(config.text, &workload), "accepted") << source;
      ss_workload_derive(&workload);
      ASSERT_EQ(ss_model_size_of(&workload, &machine, &size, nullptr), SS_OK);
      EXPECT_NEAR(size.active / parameters, 1.0, 0.04) << source;
      if (source != "LongCat-Flash") continue;
      const double e = 6144, attention = e * 1536 + 1536 * 64 * 192.0 + e * 576 + 512 * 64 * 256.0 + 64 * 128 * e;
      const double layer = 2 * attention + 2 * 3 * e * 12288 + 768 * e + 8 * 3 * e * 2048;
      EXPECT_NEAR(size.active / (28 * layer + 2 * 131072 * e), 1.0, 1e-4);
    }
}

/* Gemma 4 E2B: 5.1 billion with towers of pictures and sound of about 150 and 300 million, 2.3 without the table of
 * 262144 x 35 x 256 that layers have; E4B 8.0 billion. */
TEST(Import, EmbeddingsOfGemma)
{
  const double towers = 0.45e9, table = 262144.0 * 35 * 256;
  for (const RecentConfig &config : recent_configs) {
    const std::string source = config.source;
    const bool two = source.find("E2B") != std::string::npos, four = source.find("E4B") != std::string::npos;
    if (!two && !four) continue;
    ss_workload workload;
    ASSERT_EQ(import_text(config.text, &workload), "accepted") << source;
    ss_workload_derive(&workload);
    const double parameters = parameters_of(workload);
    EXPECT_NEAR((parameters + towers) / (two ? 5.1e9 : 8.0e9), 1.0, 0.015) << source;
    if (!two) continue;
    EXPECT_NEAR((parameters - table) / 2.3e9, 1.0, 0.01);
  }
}

/* The published files of Qwen3-Next have a module that their configuration does not name: a layer of the kind of the
 * last, with a gate behind attention, 512 experts of 3 x 2048 x 512 and a shared one, and a product of 2 x 2048^2. What
 * is left out here is a gate of shared experts, 2048 a layer. */
TEST(Import, ModuleOfQwen3Next)
{
  ss_workload workload;
  for (const PublishedConfig &config : published_configs) {
    if (std::string(config.source).find("Qwen3-Next") == std::string::npos) continue;
    ASSERT_EQ(import_text(config.text, &workload), "accepted");
    EXPECT_EQ(workload.model.attention_output_gate, SS_YES);
    ss_workload_derive(&workload);
    EXPECT_DOUBLE_EQ(parameters_of(workload), 79674391296 - 48 * 2048);
    workload.model.mtp_modules = 1;
    EXPECT_DOUBLE_EQ(parameters_of(workload), 81324862720 - 49 * 2048);
  }
}

/* Nemotron 3 Super has a module of a layer with attention, 4096 x (2 x 32 + 2 x 2) x 128, and one with experts: a
 * router of 4096 x 512, 512 of 2 x 1024 x 2688, a shared one of 2 x 4096 x 5376, 2 x 4096 x 1024 to and from their
 * latents; each with a norm of 4096. Its ends have three more, and a product of 2 x 4096^2. */
TEST(Import, ModuleOfNemotronSuper)
{
  ss_workload workload;
  for (const PublishedConfig &config : published_configs) {
    if (std::string(config.source).find("Nemotron-3-Super") == std::string::npos) continue;
    ASSERT_EQ(import_text(config.text, &workload), "accepted");
    ss_workload_derive(&workload);
    EXPECT_EQ(workload.model.mtp_modules, 1);
    EXPECT_STREQ(workload.model.mtp_kind, "n");
    const double all = parameters_of(workload), e = 4096;
    workload.model.mtp_modules = 0;
    workload.model.mtp_kind[0] = '\0';
    EXPECT_DOUBLE_EQ(all - parameters_of(workload), e * 68 * 128 + e * 512 + 512 * 2 * 1024 * 2688.0 + 2 * e * 5376 +
                                                        2 * e * 1024 + 5 * e + 2 * e * e);
  }
}

/* The shipped workloads are from papers, and these from configurations. */
TEST(Import, PublishedModelsAreTheShippedOnes)
{
  for (const PublishedConfig &config : published_configs) {
    if (config.workload[0] == '\0') continue;
    ss_workload workload, shipped;
    ss_error error = {};
    const std::string path = source_path(std::string("workloads/") + config.workload + ".xml");
    ASSERT_EQ(import_text(config.text, &workload), "accepted") << config.source;
    ASSERT_EQ(ss_workload_load(path.c_str(), &shipped, &error), SS_OK) << error.message;
    ss_workload_derive(&workload);
    ss_workload_derive(&shipped);
    for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
      const ss_attribute &row = ss_workload_attributes()[i];
      char value[SS_TEXT_SIZE], expected[SS_TEXT_SIZE];
      const auto index = static_cast<ss_attribute_index>(i);
      const bool limits =
          i == SS_AT_model_routed_domains || i == SS_AT_model_router_groups || i == SS_AT_model_router_group_top_k;
      const bool differs = i == SS_AT_model_name || i == SS_AT_model_sequence || limits;
      if (std::string(row.element) != "model" || differs) continue;
      ss_workload_value_text(&workload, index, value, sizeof value);
      ss_workload_value_text(&shipped, index, expected, sizeof expected);
      EXPECT_STREQ(value, expected) << config.workload << ", " << row.name;
    }
  }
}

TEST(Import, LayersOfSeveralKinds)
{
  const auto kinds = [](const std::string &model, const std::string &keys) {
    ss_workload w;
    const std::string text = "{\"model_type\": \"" + model +
                             "\", \"num_hidden_layers\": 6, \"hidden_size\": 256, \"vocab_size\": 100, "
                             "\"num_attention_heads\": 4, " +
                             keys + "}";
    const std::string said = import_text(whole(text), &w);
    return said != "accepted" ? said : std::string(w.model.kinds) + " | " + w.model.pattern;
  };
  EXPECT_EQ(kinds("mistral", R"("sliding_window": 8)"), "w window=8 | w");
  EXPECT_EQ(kinds("mistral", R"("sliding_window": null)"), " | ");
  EXPECT_EQ(kinds("qwen2", R"("sliding_window": 8)"), " | ");
  EXPECT_EQ(kinds("qwen2", R"("sliding_window": 8, "use_sliding_window": true, "max_window_layers": 4)"),
            "w window=8; f | ffffww");
  EXPECT_EQ(kinds("gemma2", R"("sliding_window": 8)"), "w window=8; f | wf");
  EXPECT_EQ(kinds("gemma3_text", R"("sliding_window": 8, "sliding_window_pattern": 3)"), "w window=8; f | wwf");
  EXPECT_EQ(kinds("gemma3_text", R"("sliding_window": 8, "sliding_window_pattern": 4)"), "w window=8; f | wwwfww");
  EXPECT_EQ(kinds("gpt_oss", R"("sliding_window": 8, "layer_types": ["full_attention", "full_attention",
    "sliding_attention", "full_attention", "full_attention", "sliding_attention"])"),
            "w window=8; f | ffw");
  EXPECT_EQ(kinds("gpt_oss", R"("sliding_window": 8, "layer_types": ["full_attention"])"),
            "PATH:1: layer_types=[\"full_attention\"]: is not a list of 6 words");
  EXPECT_EQ(kinds("llama4_text", R"("attention_chunk_size": 9, "num_local_experts": 2, "moe_layers": [1, 3, 5],
    "no_rope_layers": [1, 1, 0, 1, 1, 0])"),
            "d feed-forward=mlp chunk=9; e chunk=9; f; g feed-forward=mlp | degedf");
  EXPECT_EQ(kinds("qwen3_next", R"("full_attention_interval": 3)"), "l mixer=linear; f | llf");
  EXPECT_EQ(kinds("qwen3_next", R"("layer_types": ["linear_attention", "linear_attention", "linear_attention",
    "linear_attention", "full_attention", "linear_attention"])"),
            "l mixer=linear; f | llllfl");
  EXPECT_EQ(kinds("qwen3_next", R"("layer_types": ["sliding_attention", "", "", "", "", ""])"),
            "PATH:1: layer_types=\"sliding_attention\": is unknown; allowed: full_attention, linear_attention");
  EXPECT_EQ(kinds("qwen3_next", R"("use_sliding_window": true)"),
            "PATH:1: use_sliding_window=true: its class has no windows; allowed: 0");
  const std::string experts = R"("moe_intermediate_size": 64, "n_routed_experts": 4, "num_experts_per_tok": 2, )";
  EXPECT_EQ(
      kinds("nemotron_h", experts + R"("hybrid_override_pattern": "ME*M-E")"),
      "M mixer=mamba feed-forward=none; - mixer=none feed-forward=mlp; * feed-forward=none; E mixer=none | ME*M-E");
  EXPECT_EQ(
      kinds("nemotron_h", experts + R"("layers_block_type": ["mamba", "moe", "attention", "mamba", "mlp", "moe"])"),
      kinds("nemotron_h", experts + R"("hybrid_override_pattern": "ME*M-E")"));
  EXPECT_EQ(kinds("nemotron_h", R"("layers_block_type": ["mamba", "moe", "attention", "mamba", "gru", "moe"])"),
            "PATH:1: layers_block_type=\"gru\": is unknown; allowed: mamba, mlp, attention and moe");
  EXPECT_EQ(
      kinds("nemotron_h", experts + R"("moe_shared_expert_intermediate_size": 96)"),
      "PATH:1: moe_shared_expert_intermediate_size=96: is no multiple of moe_intermediate_size; allowed: 1, 2, 3, "
      "... of it");
  EXPECT_EQ(kinds("nemotron_h", R"("hybrid_override_pattern": "M-*")"),
            "PATH:1: hybrid_override_pattern=\"M-*\": is not one of M, -, * and E for each of 6 layers");
  EXPECT_EQ(kinds("nemotron_h", experts + R"("hybrid_override_pattern": "ME*M-E", "num_nextn_predict_layers": 1,
    "mtp_layers_block_type": ["mamba", "gru"])"),
            "PATH:2: mtp_layers_block_type=\"gru\": is unknown; allowed: mamba, mlp, attention and moe");
  EXPECT_EQ(kinds("granite", R"("layer_types": ["attention", "full_attention"])"), " | ");
  EXPECT_EQ(kinds("bamba", R"("attn_layer_indices": [1, 4])"), "l mixer=mamba; f | lfl");
  EXPECT_EQ(kinds("jamba", R"("num_experts": 4, "attn_layer_period": 3, "attn_layer_offset": 1)"),
            "m mixer=mamba-1 feed-forward=mlp; e mixer=mamba-1; d feed-forward=mlp; f | mfmede");
  EXPECT_EQ(
      kinds("jamba", R"("num_experts": 1, "num_experts_per_tok": 4, "attn_layer_period": 3, "attn_layer_offset": 1)"),
      "m mixer=mamba-1 feed-forward=mlp; d feed-forward=mlp | mdm");
  EXPECT_EQ(kinds("jamba", R"("attn_layer_period": 8)"),
            "m mixer=mamba-1 feed-forward=mlp; e mixer=mamba-1; d feed-forward=mlp | memede");
  EXPECT_EQ(
      kinds("jamba", R"("attn_layer_offset": 8)"),
      "PATH:1: attn_layer_offset=8: attn_layer_offset is 8, and attn_layer_period 8; allowed: an offset below the "
      "period");
  EXPECT_EQ(
      kinds("jamba", R"("attn_layer_period": 3)"),
      "PATH:1: attn_layer_period=3: attn_layer_offset is 4, and attn_layer_period 3; allowed: an offset below the "
      "period");
  EXPECT_EQ(kinds("jamba", R"("expert_layer_offset": 2)"),
            "PATH:1: expert_layer_offset=2: expert_layer_offset is 2, and expert_layer_period 2; allowed: an offset "
            "below the period");
  EXPECT_EQ(kinds("jamba", R"("mamba_dt_rank": "foo")"),
            "PATH:1: mamba_dt_rank=\"foo\": is not a whole number from 1 to 100000");
  for (const std::string bad : {"[1,2.5]", "\"1\"", "[99]", "1", "[\"1\"]"})
    EXPECT_EQ(kinds("bamba", "\"attn_layer_indices\": " + bad),
              "PATH:1: attn_layer_indices=" + bad + ": is no list of layers; allowed: whole numbers from 0 to 5");
  EXPECT_EQ(kinds("bamba", "\"attn_layer_indices\": null"), "l mixer=mamba | l");
  EXPECT_EQ(kinds("lfm2", R"("full_attn_idxs": [6])"),
            "PATH:1: full_attn_idxs=[6]: is no list of layers; allowed: whole numbers from 0 to 5");
  EXPECT_EQ(kinds("lfm2", R"("full_attn_idxs": null)"), " | ");
  EXPECT_EQ(kinds("llama4_text", R"("num_local_experts": 2, "moe_layers": ["1"])"),
            "PATH:1: moe_layers=[\"1\"]: is no list of layers; allowed: whole numbers from 0 to 5");
  EXPECT_EQ(kinds("nemotron_h", experts + R"("hybrid_override_pattern": "ME*M-E", "num_nextn_predict_layers": 1,
    "mtp_hybrid_override_pattern": "QZ")"),
            "PATH:2: mtp_hybrid_override_pattern=\"QZ\": is no text of letters; allowed: M, -, * and E");
  EXPECT_EQ(kinds("nemotron_h", experts + R"("hybrid_override_pattern": "ME*M-E", "mtp_layers_block_type": "moe")"),
            "PATH:1: mtp_layers_block_type=\"moe\": is no list of words; allowed: mamba, mlp, attention and moe");
  EXPECT_EQ(kinds("jamba", R"("mamba_dt_rank": 0)"), "PATH:1: mamba_dt_rank=0: is not a whole number from 1 to 100000");
  EXPECT_EQ(kinds("afmoe", R"("num_experts": 4, "sliding_window": 8, "num_dense_layers": 1)"),
            "l window=8; f; m window=8 feed-forward=mlp | mllfll");
  EXPECT_EQ(kinds("granitemoe", R"("layer_types": ["mamba"])"),
            "PATH:1: layer_types=\"mamba\": is not known of granitemoe; allowed: full_attention, attention");
  EXPECT_EQ(kinds("deepseek_v32", R"("layer_types": ["deepseek_sparse_attention", "linear_attention"])"),
            "PATH:1: layer_types=\"linear_attention\": is not known of deepseek_v32; allowed: full_attention, "
            "deepseek_sparse_attention");
  EXPECT_EQ(kinds("lfm2", R"("block_ffn_dim_multiplier": null, "full_attn_idxs": [5])"),
            "l mixer=convolution; f | lllllf");
}

TEST(Import, RefusesBadFiles)
{
  const std::vector<Case> cases = {
      {"", "PATH: is empty"},
      {"{\"model_type\": \"llama\",\n \"hidden", "PATH:2: is not JSON: premature end of input "},
      {"[1]", "PATH: has no settings that are known; allowed: a config.json, arguments"},
      {"{\"hidden_size\": 8, \"architectures\": []}", "PATH: has no model_type; allowed: llama"},
      {"{\"hidden_size\": 8}", "PATH: has no model_type; allowed: llama"},
      {"{\"model_type\": 5}", "PATH:1: model_type=5: is no text; allowed: llama"},
      {"[model\nname = \"llama3\"\n", "PATH:1: has no ] behind the name of a table"},
      {"[model", "PATH:1: has no ] behind the name of a table"},
      {"{\"model_type\": \"lama\"}", "PATH:1: model_type=\"lama\": is unknown (did you mean llama?); allowed: llama"},
      {with("\"hidden_size\": 1"), "PATH:4: is not JSON: duplicate object key near '\"hidden_size\"'"},
      {with("\"intermediate_size\": \"8\""),
       "PATH:4: intermediate_size=\"8\": is not a whole number from 1 to 100000000"},
      {with("\"intermediate_size\": 8.5"), "PATH:4: intermediate_size=8.5: is not a whole number from 1 to 100000000"},
      {with("\"intermediate_size\": -8"), "PATH:4: intermediate_size=-8: is not a whole number from 1 to 100000000"},
      {with("\"intermediate_size\": 1000000000000"),
       "PATH:4: intermediate_size=1000000000000: is not a whole number from 1 to 100000000"},
      {with("\"intermediate_size\": 99999999999999999999"), "PATH:4: is not JSON: too big integer"},
      {with("\"intermediate_size\": NaN"),
       "PATH:4: intermediate_size=\"NaN\": is not a whole number from 1 to 100000000"},
      {with("\"tie_word_embeddings\": 1"), "PATH:4: tie_word_embeddings=1: is not true or false"},
      {with("\"hidden_act\": \"relu\""), "PATH:4: hidden_act=\"relu\": is not an activation of llama that is known"},
      {with("\"attention_dropout\": \"0\""), "PATH:4: attention_dropout=\"0\": is not a number or null"},
      {with("\"attention_dropout\": 7"), "PATH:4: attention_dropout=7: is no share; allowed: 0 to 1"},
      {with("\"new_mixer\": \"linear\", \"old\": false, \"new_size\": 3"),
       "PATH:4: not known of llama, and may matter: new_mixer, new_size; allowed: the file without those that have "
       "no "},
      {"{\"model_type\": \"llama\"}", "PATH: has no num_hidden_layers, which llama needs"},
      {std::string((64 << 20) + 1, ' '), "PATH: is too large; allowed: at most 64 MiB"},
      {std::string("{\0}", 3), "PATH: contains a zero byte; allowed: text"},
  };
  for (const Case &c : cases) {
    const std::string said = import_text(c.input);
    EXPECT_EQ(said.substr(0, c.expected.size()), c.expected);
  }
}

TEST(Import, SaysWhatIsLeftOut)
{
  ss_workload workload;
  std::vector<std::string> notes;
  EXPECT_EQ(import_text(with("\"rope_theta\": 1e4, \"attention_bias\": true, \"novelty\": null, \"_name_or_path\": "
                             "\"maker/small\", \"attention_dropout\": 0.1, \"max_position_embeddings\": 64, "
                             "\"intermediate_size\": 1024"),
                        &workload, &notes),
            "accepted");
  const auto note = [](int kind, const char *what) { return std::to_string(kind) + " " + what; };
  EXPECT_EQ(notes, (std::vector<std::string>{note(SS_NOTE_IDLE, "rope_theta"),
                                             note(SS_NOTE_LEFT_OUT, "biases of attention (attention_bias)"),
                                             note(SS_NOTE_OFF, "novelty")}));
  EXPECT_STREQ(workload.model.name, "small");
  EXPECT_EQ(workload.training.dropout, SS_YES);
  EXPECT_EQ(workload.model.sequence, 64);
}

/* What saved configurations have of files, tokenizers and generation says nothing of time. */
TEST(Import, OrdinaryKeysAreTaken)
{
  for (const std::string key :
       {R"("return_dict": true, "max_length": 20, "temperature": 1.0, "top_k": 50, "top_p": 1.0, "typical_p": 1.0)",
        R"("repetition_penalty": 1.0, "length_penalty": 1.0, "num_beams": 1, "num_beam_groups": 1)",
        R"("num_return_sequences": 1, "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0})",
        R"("is_llama_config": true, "rope_interleaved": false, "transformers.js_config": {"dtype": "q4"})",
        R"("unsloth_version": "2025.1", "unsloth_fixed": true, "quantization": {"bits": 4, "group_size": 64})"})
    EXPECT_EQ(import_text(whole(with(key))), "accepted") << key;
  EXPECT_NE(import_text(R"({"model_type": "phi3", "full_attn_mod": 2})")
                .find("full_attn_mod=2: some layers attend otherwise; allowed: 1"),
            std::string::npos);
}

TEST(Import, ChosenIsWhatNoFileSays)
{
  ss_workload workload;
  ss_import import;
  char text[SS_MESSAGE_SIZE];
  ss_import_init(&import, &workload);
  ss_import_chosen(&import, text, sizeof text);
  ss_import_free(&import);
  EXPECT_STREQ(text, "model.sequence=4096, training.global-batch=1, training.micro-batch=1, training.precision=bf16, "
                     "training.attention=flash, training.recompute=none, training.dropout=no, parallelism.tp=1, "
                     "parallelism.pp=1, parallelism.dp=1");
}

/* GPT of Megatron-LM shares its table unless it is told not to, also where the vocabulary is said over the file: 24
 * layers of 12 x 1024^2 and 13 x 1024, a norm behind them of 2 x 1024, and 50304 x 1024 once. Without a vocabulary
 * there is no table to share, which is among what matters. */
TEST(Import, TiedTablesWithoutAVocabulary)
{
  const std::string script = "pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
                             "--seq-length 1024 --micro-batch-size 4 --global-batch-size 64 --bf16\n";
  for (const int64_t vocabulary : {0, 50304}) {
    ss_import import;
    ss_workload w;
    ss_error error = {};
    ss_import_init(&import, &w);
    ASSERT_EQ(ss_import_read_text(&import, "FILE", script.c_str(), &error), SS_OK) << error.message;
    if (vocabulary > 0) ss_import_set(&import, SS_AT_model_vocabulary, vocabulary, SS_LINE_OVERRIDE);
    ASSERT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
    EXPECT_EQ(w.model.tied_embeddings, vocabulary > 0 ? SS_YES : SS_NO);
    char *line = nullptr;
    ASSERT_EQ(ss_import_notes(&import, SS_NOTE_MATTERS, &line, &error), SS_OK);
    EXPECT_EQ(line != nullptr, vocabulary == 0);
    if (line != nullptr) {
      EXPECT_EQ(std::string(line).substr(0, 58), "left out, though it matters: embedding and output layer: n");
    }
    std::free(line);
    ss_import_free(&import);
    ss_workload_derive(&w);
    const double layers = 24.0 * (12.0 * 1024.0 * 1024.0 + 13.0 * 1024.0);
    EXPECT_NEAR(parameters_of(w) / (layers + 1024.0 * static_cast<double>(vocabulary)), 1.0, 3e-4);
  }
}

/* What the class of a model has for its router, where the file says it. */
TEST(Import, RoutersInFp32)
{
  bool any = false;
  for (const RecentConfig &config : recent_configs) {
    const bool is_whole = std::string(config.text).find("\"router_dtype\": \"fp32\"") != std::string::npos;
    ss_workload w;
    ss_import import;
    ss_error error = {};
    ss_import_init(&import, &w);
    ASSERT_EQ(ss_import_read_text(&import, "config.json", config.text, &error), SS_OK) << error.message;
    EXPECT_EQ(w.training.router_type, is_whole ? SS_ROUTER_FP32 : SS_ROUTER_16BIT) << config.text;
    any = any || is_whole;
    ss_import_free(&import);
  }
  EXPECT_TRUE(any);
}
