/* Layers of configurations by lists, marks and flags, as their classes read them, and what these refuse.
 */
#include "tests/support/import_text.hpp"

using namespace stepsim;

/* Gemma 4: layers that attend to all have other heads, by a list or every sixth one, and the last. */
TEST(ConfigLayers, HeadsOfGemma)
{
  const std::string model = R"({"model_type": "gemma4_text", "num_hidden_layers": 8, "hidden_size": 256, "head_dim": 64,
 "vocab_size": 100, "num_attention_heads": 4, "num_key_value_heads": 2, "sliding_window": 8, "intermediate_size": 192,
 "hidden_size_per_layer_input": 0)";
  ss_workload w;
  const std::string heads = R"(, "global_head_dim": 128, "num_global_key_value_heads": 1)";
  const std::string experts = R"(, "enable_moe_block": true, "num_experts": 4, "top_k_experts": 2)";
  ASSERT_EQ(import_text(model + heads + experts + R"(, "moe_intermediate_size": 64})", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "w window=8; f head-size=128 kv-heads=2");
  EXPECT_STREQ(w.model.pattern, "wwwwwfwf");
  EXPECT_EQ(w.model.shared_experts, 3);
  ASSERT_EQ(import_text(model + heads + R"(, "attention_k_eq_v": true})", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "w window=8; f head-size=128 kv-heads=1 keys-as-values=yes");
  ASSERT_EQ(import_text(model + R"(, "layer_types": ["full_attention", "sliding_attention", "sliding_attention",
 "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention"]})",
                        &w),
            "accepted");
  EXPECT_STREQ(w.model.pattern, "fwwwwwwf"); /* the class makes the last one attend to all */
  EXPECT_EQ(import_text(model + experts + R"(, "moe_intermediate_size": 80})"),
            "PATH:2: intermediate_size=192: is no multiple of moe_intermediate_size; allowed: 1, 2, 3, ... of it");
  EXPECT_EQ(import_text(model + R"(, "attention_k_eq_v": "yes"})"),
            "PATH:3: attention_k_eq_v=\"yes\": is not true or false");
}

/* Gemma 4 has experts where a flag says so, embeddings of layers where nothing says that it has none, and norms that
 * are named. */
TEST(ConfigLayers, PartsOfGemma)
{
  const std::string model = R"({"model_type": "gemma4_text", "num_hidden_layers": 8, "hidden_size": 256, "head_dim": 64,
 "vocab_size": 100, "num_attention_heads": 8, "intermediate_size": 192)";
  const std::string none = R"(, "hidden_size_per_layer_input": 0)";
  ss_workload w;
  std::vector<std::string> notes;
  for (const std::string flag : {"", R"(, "enable_moe_block": false)"}) {
    ASSERT_EQ(import_text(model + none + flag + R"(, "num_experts": 4, "top_k_experts": 3,
 "moe_intermediate_size": 64})",
                          &w, &notes),
              "accepted");
    EXPECT_EQ(w.model.experts, 0);
    EXPECT_EQ(w.model.top_k, 2); /* as without the key */
    EXPECT_EQ(w.model.kv_heads, 4);
    EXPECT_EQ(notes.back(), std::to_string(SS_NOTE_LEFT_OUT) + " norms of values");
  }
  EXPECT_EQ(import_text(model + none + R"(, "enable_moe_block": true})"),
            "PATH:2: enable_moe_block=true: needs num_experts, top_k_experts and moe_intermediate_size, whole numbers "
            "above 0");
  EXPECT_EQ(import_text(model + none + R"(, "enable_moe_block": 1})"),
            "PATH:2: enable_moe_block=1: is not true or false");
  EXPECT_EQ(import_text(model + "}"),
            "PATH:2: vocab_size=100: is another number of words than vocab_size_per_layer_input "
            "has, which is not given and 262144 then; allowed: the same");
  EXPECT_EQ(import_text(model + R"(, "vocab_size_per_layer_input": 99})").substr(0, 62),
            "PATH:2: vocab_size_per_layer_input=99: is another number of wo");
  ASSERT_EQ(import_text(model + R"(, "vocab_size_per_layer_input": 100})", &w), "accepted");
  EXPECT_EQ(w.model.layer_embedding, 256); /* as its class has it */
  EXPECT_EQ(import_text(model + none + R"(, "use_bidirectional_attention": "all"})"),
            "PATH:2: use_bidirectional_attention=\"all\": is not known, or all tokens attend to both sides; allowed: "
            "vision, null");
}

/* The last layers of Gemma 4 E2B and E4B have keys and values of the last ones of either kind before them, and may have
 * an MLP twice as wide. */
TEST(ConfigLayers, SharedKeysOfGemma)
{
  const std::string model = R"({"model_type": "gemma4_text", "num_hidden_layers": 6, "hidden_size": 256, "head_dim": 64,
 "vocab_size": 100, "num_attention_heads": 4, "num_key_value_heads": 2, "sliding_window": 8, "intermediate_size": 192,
 "hidden_size_per_layer_input": 0, "global_head_dim": 128, "layer_types": ["sliding_attention", "sliding_attention",
 "full_attention", "sliding_attention", "sliding_attention", "full_attention"])";
  ss_workload w;
  ASSERT_EQ(import_text(model + R"(, "num_kv_shared_layers": 2, "use_double_wide_mlp": true})", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "w window=8; f head-size=128 kv-heads=2; v shared-keys=yes ffn=384 window=8; "
                              "g head-size=128 kv-heads=2 shared-keys=yes ffn=384");
  EXPECT_STREQ(w.model.pattern, "wwfwvg");
  ASSERT_EQ(import_text(model + R"(, "num_kv_shared_layers": 1})", &w), "accepted");
  EXPECT_STREQ(w.model.pattern, "wwfwwg");
  std::string narrow = model + "}";
  narrow.replace(narrow.find("\"intermediate_size\": 192,"), std::strlen("\"intermediate_size\": 192,"), "");
  EXPECT_EQ(import_text(narrow), "PATH: has no intermediate_size, which gemma4_text needs");
  EXPECT_EQ(import_text(model + R"(, "num_kv_shared_layers": 6})"),
            "PATH:4: num_kv_shared_layers=6: is not a whole number from 0 to 5");
}

/* LongCat-Flash: choices and experts that do nothing are those of its class where the file has none; sizes are never
 * derived from others. */
TEST(ConfigLayers, WhatLongCatDoesNotSay)
{
  const std::vector<std::string> sizes = {
      R"("num_layers": 2)",        R"("hidden_size": 256)",           R"("vocab_size": 100)",
      R"("q_lora_rank": 64)",      R"("num_attention_heads": 4)",     R"("kv_lora_rank": 32)",
      R"("qk_rope_head_dim": 16)", R"("qk_nope_head_dim": 32)",       R"("v_head_dim": 32)",
      R"("n_routed_experts": 64)", R"("expert_ffn_hidden_size": 64)", R"("ffn_hidden_size": 128)"};
  const auto without = [&](const std::string &key) {
    std::string text = R"({"model_type": "longcat_flash")";
    for (const std::string &size : sizes)
      if (size.find("\"" + key + "\"") == std::string::npos) text += ", " + size;
    return text + "}";
  };
  ss_workload w;
  ASSERT_EQ(import_text(without(""), &w), "accepted");
  EXPECT_EQ(w.model.top_k, 12);
  EXPECT_EQ(w.model.zero_experts, 256);
  for (const char *key : {"ffn_hidden_size", "q_lora_rank", "kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim",
                          "n_routed_experts", "expert_ffn_hidden_size"})
    EXPECT_EQ(import_text(without(key)), std::string("PATH: has no ") + key + ", which longcat_flash needs");
}

/* Step 3.5: three modules like the dense layers with a window that the list has behind those of the model. */
TEST(ConfigLayers, ModulesOfStep)
{
  const std::string model = R"({"model_type": "step3p5", "num_hidden_layers": 4, "hidden_size": 256, "vocab_size": 100,
 "num_attention_heads": 4, "num_attention_groups": 2, "moe_num_experts": 8, "moe_top_k": 2, "moe_intermediate_size": 64,
 "share_expert_dim": 64, "intermediate_size": 512, "sliding_window": 8, "moe_layers_enum": "2,3",
 "num_nextn_predict_layers": 3, )";
  const std::string types = R"("layer_types": ["full_attention", "sliding_attention", "sliding_attention",
 "full_attention", "sliding_attention", "sliding_attention", "sliding_attention"])";
  ss_workload w;
  ASSERT_EQ(import_text(model + types + R"(, "attention_other_setting": {"num_attention_heads": 6,
 "num_attention_groups": 2}})",
                        &w),
            "accepted");
  EXPECT_STREQ(w.model.kinds, "w heads=6 kv-heads=2 window=8; v heads=6 kv-heads=2 feed-forward=mlp window=8; f; "
                              "d feed-forward=mlp");
  EXPECT_STREQ(w.model.pattern, "dvwf");
  EXPECT_STREQ(w.model.mtp_kind, "v");
  EXPECT_EQ(w.model.mtp_modules, 3);
  EXPECT_EQ(import_text(model + types + R"(, "attention_other_setting": {"num_attention_heads": 0}})"),
            "PATH:5: attention_other_setting={\"num_attention_heads\":0}: has no num_attention_heads and "
            "num_attention_groups");
  EXPECT_EQ(import_text(model + types + R"(, "attention_other_setting": 5})"),
            "PATH:5: attention_other_setting=5: has no num_attention_heads and num_attention_groups");
  EXPECT_NE(import_text(model + R"("layer_types": ["full_attention"]})").find("is not a list of 4 words"),
            std::string::npos);
}

/* Step 3.5: layers with experts, by a text or a list; all but the first where it is null, and without it those from 3
 * on, as its class has them. */
TEST(ConfigLayers, ExpertsOfStep)
{
  const std::string model = R"({"model_type": "step3p5", "num_hidden_layers": 5, "hidden_size": 256, "vocab_size": 100,
 "num_attention_heads": 4, "num_attention_groups": 2, "moe_num_experts": 8, "moe_top_k": 2, "moe_intermediate_size": 64,
 "share_expert_dim": 64, "intermediate_size": 512, "layer_types": ["full_attention", "full_attention",
 "full_attention", "full_attention", "full_attention"])";
  const auto pattern = [&](const std::string &key) {
    ss_workload w;
    const std::string said = import_text(model + key + "}", &w);
    return said != "accepted" ? said : std::string(w.model.pattern);
  };
  EXPECT_EQ(pattern(R"(, "moe_layers_enum": "2, 3")"), "ddffd");
  EXPECT_EQ(pattern(R"(, "moe_layers_enum": [2, 3])"), "ddffd");
  EXPECT_EQ(pattern(R"(, "moe_layers_enum": null)"), "dffff");
  EXPECT_EQ(pattern(""), "dddff");
  for (const std::string bad : {R"("2;3")", R"("a")", "2", "[2.0,3]", R"(["2","3"])", "[-1]", "[5]"})
    EXPECT_EQ(pattern(R"(, "moe_layers_enum": )" + bad), "PATH:4: moe_layers_enum=" + bad +
                                                             ": is no list of layers; allowed: whole numbers from 0 to "
                                                             "4");
  EXPECT_EQ(pattern(R"(, "moe_layers_enum": "2,99")"),
            "PATH:4: moe_layers_enum=[2,99]: is no list of layers; allowed: whole numbers from 0 to 4");
}

/* Channels of Mamba-2 are heads times their size, which follows where it is no number; 2 x 256 without a key, and 1024
 * of Falcon-H1. */
TEST(ConfigLayers, HeadsOfMamba)
{
  ss_workload w;
  const auto read = [&w](const std::string &model, const std::string &keys) {
    return import_text(
        "{\"model_type\": \"" + model +
            "\", \"num_hidden_layers\": 2, \"hidden_size\": 256, \"vocab_size\": 100,\n "
            "\"intermediate_size\": null, \"shared_intermediate_size\": null, \"num_attention_heads\": 16" +
            keys + "}",
        &w);
  };
  for (const auto &[model, size] :
       std::vector<std::pair<std::string, int>>{{"bamba", 4}, {"granitemoehybrid", 4}, {"falcon_h1", 8}}) {
    for (const std::string head : {"", R"(, "mamba_d_head": "auto")"}) {
      ASSERT_EQ(read(model, head), "accepted");
      EXPECT_EQ(w.model.state_heads, 128);
      EXPECT_EQ(w.model.state_head_size, size) << model;
      EXPECT_EQ(w.model.state_size, 256);
    }
    EXPECT_EQ(
        read(model, R"(, "mamba_d_head": 3)").rfind("PATH:2: mamba_d_head=3: makes 384 channels of 128 heads; ", 0),
        0u);
    EXPECT_EQ(read(model, R"(, "mamba_n_heads": 24)").rfind("PATH:2: mamba_n_heads=24: makes ", 0), 0u);
    EXPECT_EQ(read(model, R"(, "mamba_n_heads": 0)").rfind("PATH:2: mamba_n_heads=0: makes 0 channels of 0", 0), 0u);
    EXPECT_EQ(read(model, R"(, "mamba_d_head": "some")"),
              "PATH:2: mamba_d_head=\"some\": is not a whole number from 1 to 100000");
  }
  ASSERT_EQ(read("falcon_h1", R"(, "mamba_d_ssm": null, "mamba_expand": 4)"), "accepted");
  EXPECT_EQ(w.model.state_head_size, 8); /* 4 x 256 / 128 */
  EXPECT_EQ(w.model.kv_heads, 8);
  ASSERT_EQ(read("falcon_h1", R"(, "num_key_value_heads": null)"), "accepted");
  EXPECT_EQ(w.model.kv_heads, 0); /* as many as of queries */
  EXPECT_EQ(read("falcon_h1", R"(, "mamba_d_ssm": 512, "mamba_d_head": 8)"),
            "PATH:2: mamba_d_head=8: makes 1024 channels of 128 heads; allowed: 512 channels, as mamba_d_ssm or "
            "mamba_expand says");
}

/* GLM-5: layers that take what the one before has chosen, in a list, as letters, or all but every third behind the
 * first two: (i - 1) modulo 3 is not 0 from the third layer on. Of seven layers the first has no experts. */
TEST(ConfigLayers, LayersThatShareAChoice)
{
  const std::string model =
      R"({"model_type": "glm_moe_dsa", "num_hidden_layers": 7, "hidden_size": 6144, "num_attention_heads": 64,
 "vocab_size": 1000, "q_lora_rank": 2048, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 192,
 "v_head_dim": 256, "n_routed_experts": 8, "num_experts_per_tok": 2, "first_k_dense_replace": 1, )";
  const char *kinds = "l index-heads=0; f; d feed-forward=mlp";
  for (const char *key : {R"("index_topk_freq": 3})", R"("index_topk_freq": 3, "index_skip_topk_offset": 2})",
                          R"("index_topk_pattern": "FFSSFSS"})",
                          R"("indexer_types": ["full", "full", "shared", "shared", "full", "shared", "shared"]})"}) {
    ss_workload workload;
    ASSERT_EQ(import_text(whole(model + key), &workload), "accepted");
    EXPECT_STREQ(workload.model.kinds, kinds) << key;
    EXPECT_STREQ(workload.model.pattern, "dfllfll") << key;
    EXPECT_EQ(workload.model.index_heads, 32);
    EXPECT_EQ(workload.model.index_top_k, 2048);
  }
  ss_workload all;
  ASSERT_EQ(import_text(whole(model + R"("index_topk": 1024})"), &all), "accepted");
  EXPECT_STREQ(all.model.pattern, "");
  EXPECT_EQ(all.model.dense_layers, 1);
  EXPECT_EQ(all.model.index_top_k, 1024);
}

/* What says nothing about a layer, and a first layer that has none to share with; the key that decides is named. */
TEST(ConfigLayers, RefusesChoicesThatNothingMakes)
{
  const std::string model =
      R"({"model_type": "glm_moe_dsa", "num_hidden_layers": 3, "hidden_size": 6144, "num_attention_heads": 64,
 "vocab_size": 1000, "q_lora_rank": 2048, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 192,
 "v_head_dim": 256, "n_routed_experts": 8, "num_experts_per_tok": 2, "first_k_dense_replace": 1,
 )";
  const std::string letters = "is not one of F and S for each of 3 layers";
  const std::string first = "has a first layer that takes what one before has chosen; allowed: one with an indexer";
  for (const auto &[text, key, problem] : std::vector<std::array<std::string, 3>>{
           {R"("indexer_types": ["full"])", "indexer_types", "is not a list of 3 words"},
           {R"("indexer_types": ["full", "shred", "full"])", "indexer_types=\"shred\"",
            "is unknown; allowed: full, shared"},
           {R"("indexer_types": ["full", 3, "full"])", "indexer_types=3", "is unknown; allowed: full, shared"},
           {R"("indexer_types": ["full", null, "full"])", "indexer_types=null", "is unknown; allowed: full, shared"},
           {R"("indexer_types": ["shared", "shared", "shared"])", "indexer_types", first},
           {R"("index_topk_pattern": "FS")", "index_topk_pattern=\"FS\"", letters},
           {R"("index_topk_pattern": "FSX")", "index_topk_pattern=\"FSX\"", letters},
           {R"("index_topk_pattern": "SFF")", "index_topk_pattern=\"SFF\"", first},
           {R"("index_topk_freq": 2, "index_skip_topk_offset": 0)", "index_topk_freq=2", first}}) {
    const std::string found = import_text(model + text + "}");
    EXPECT_EQ(found.rfind("PATH:4: " + key, 0), 0u) << text << "\n" << found;
    EXPECT_NE(found.find(problem), std::string::npos) << text << "\n" << found;
  }
}

/* Marks of layers are 0 or 1, and null is none: of MiniMax every other layer attends then, from the first on. */
TEST(ConfigLayers, MarksOfLayersAreZeroOrOne)
{
  const std::string model = R"({"model_type": "minimax_m1", "num_hidden_layers": 2, "hidden_size": 1024,
 "num_attention_heads": 8, "vocab_size": 1000, "intermediate_size": 4096, "num_local_experts": 8,
 "num_experts_per_tok": 2, "attn_type_list": )";
  ss_workload workload;
  ASSERT_EQ(import_text(whole(model + "null}"), &workload), "accepted");
  EXPECT_STREQ(workload.model.pattern, "fl");
  ASSERT_EQ(import_text(whole(model + "[0, 1]}"), &workload), "accepted");
  EXPECT_STREQ(workload.model.pattern, "lf");
  for (const char *marks : {R"(["x", 1])", "[0, 2]", "[0, null]", "[0]", "3"})
    EXPECT_NE(import_text(model + marks + "}").find("is not a list of 0 and 1 for each of 2 layers"), std::string::npos)
        << marks;
}

/* A text is no truth value, and marks are as many as layers, or none. */
TEST(ConfigLayers, TruthValuesAndMarksAreWhatTheyHaveToBe)
{
  const std::string sizes = R"("num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 99)";
  const auto said = [&sizes](const std::string &keys) { return import_text(whole("{" + sizes + ",\n" + keys + "}")); };
  EXPECT_EQ(said(R"("model_type": "qwen2", "sliding_window": 8, "use_sliding_window": "yes")"),
            "PATH:2: use_sliding_window=\"yes\": is not true or false");
  EXPECT_EQ(said(R"("model_type": "lfm2", "block_ff_dim": 256, "block_auto_adjust_ff_dim": 1)"),
            "PATH:2: block_auto_adjust_ff_dim=1: is not true or false");
  const std::string scout = R"("model_type": "llama4_text", "num_local_experts": 2, "intermediate_size_mlp": 8, )";
  EXPECT_EQ(said(scout + R"("no_rope_layers": [1, 0])"),
            "PATH:2: no_rope_layers=[1,0]: is not a list of 0 and 1 for each of 4 layers");
  EXPECT_EQ(said(scout + R"("no_rope_layers": [])"), "accepted");
  EXPECT_EQ(said(scout + R"("no_rope_layers": [1, 1, 1, 0])"), "accepted");
}

/* Kimi Linear: 4 of 8 groups of experts by keys of its own; layers that attend have to be said. */
TEST(ConfigLayers, KimiLinear)
{
  const auto read = [](const std::string &keys, ss_workload *w) {
    return import_text(whole("{\"model_type\": \"kimi_linear\", \"num_hidden_layers\": 4, \"hidden_size\": 256, "
                             "\"vocab_size\": 100, \"num_attention_heads\": 4, \"num_experts\": 16, " +
                             keys + "}"),
                       w);
  };
  const std::string sizes = R"("head_dim": 64, "num_heads": 4, "short_conv_kernel_size": 4)";
  ss_workload w;
  EXPECT_EQ(
      read(R"("num_expert_group": 8, "topk_group": 4, "linear_attn_config": {"full_attn_layers": [4], )" + sizes + "}",
           &w),
      "accepted");
  EXPECT_EQ(w.model.router_groups, 8);
  EXPECT_EQ(w.model.router_group_top_k, 4);
  EXPECT_STREQ(w.model.pattern, "lllf");
  EXPECT_NE(
      read("\"linear_attn_config\": {" + sizes + "}", &w).find("has no full_attn_layers, a list of layers from 1 on"),
      std::string::npos);
  EXPECT_NE(read(R"("linear_attn_config": {"full_attn_layers": [4], "num_heads": 1000000000000000000})", &w)
                .find("has no num_heads, a whole number from 1 to "),
            std::string::npos);
}

/* OLMo Hybrid: heads of delta rules are those of attention, with keys of 3/4 of the hidden size in all, and values of
 * twice that, where nothing says it; every fourth layer attends, or the last one. */
TEST(ConfigLayers, HeadsOfOlmo)
{
  const std::string model = R"({"model_type": "olmo_hybrid", "hidden_size": 256, "vocab_size": 100,
 "intermediate_size": 512, "num_attention_heads": 4, )";
  ss_workload w;
  ASSERT_EQ(import_text(model + R"("num_hidden_layers": 8, "linear_key_head_dim": null})", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "l mixer=linear; f");
  EXPECT_STREQ(w.model.pattern, "lllf");
  EXPECT_EQ(w.model.state_heads, 4);
  EXPECT_EQ(w.model.state_groups, 4);
  EXPECT_EQ(w.model.state_size, 48);
  EXPECT_EQ(w.model.state_head_size, 96);
  ASSERT_EQ(
      import_text(model + R"("num_hidden_layers": 2, "linear_num_key_heads": 2, "linear_value_head_dim": 64})", &w),
      "accepted");
  EXPECT_STREQ(w.model.pattern, "lf");
  EXPECT_EQ(w.model.state_size, 96);
  EXPECT_EQ(w.model.state_head_size, 64);
  EXPECT_EQ(import_text(model + R"("num_hidden_layers": 2, "layer_types": ["linear_attention", "mamba"]})"),
            "PATH:2: layer_types=\"mamba\": is unknown; allowed: full_attention, linear_attention");
}

/* What classes have where a file does not say it is not what a workload would have: 8 heads of keys of Mistral, 1536
 * values of experts of GLM-4.5, and a window of Gemma 2. null is what files say of nothing. */
TEST(ConfigLayers, SizesThatClassesHaveAreSaid)
{
  const auto said = [](const std::string &model, const std::string &keys) {
    return import_text("{\"model_type\": \"" + model +
                       "\", \"num_hidden_layers\": 4, \"hidden_size\": 256, \"vocab_size\": 100, "
                       "\"num_attention_heads\": 4, " +
                       keys + "}");
  };
  const std::string ffn = R"("intermediate_size": 512)", window = ffn + R"(, "sliding_window": null)";
  EXPECT_EQ(said("mistral", R"("sliding_window": null)"), "PATH: has no intermediate_size, which mistral needs");
  EXPECT_EQ(said("mistral", window), "PATH: has no num_key_value_heads, which mistral needs");
  EXPECT_EQ(said("mistral", window + R"(, "num_key_value_heads": null)"), "accepted");
  EXPECT_EQ(said("llama", ffn), "accepted");
  EXPECT_EQ(said("gemma2", ffn + R"(, "num_key_value_heads": 2)"), "PATH: has no sliding_window, which gemma2 needs");
  const std::string experts = ffn + R"(, "num_key_value_heads": 2, "head_dim": 64, "n_routed_experts": 8)";
  EXPECT_EQ(said("glm4_moe", experts), "PATH: has no num_experts_per_tok, which glm4_moe needs");
  EXPECT_EQ(said("glm4_moe", experts + R"(, "num_experts_per_tok": 2)"),
            "PATH: has no moe_intermediate_size, which glm4_moe needs");
  EXPECT_EQ(said("lfm2", R"("block_ff_dim": 512, "num_key_value_heads": 2)"), "accepted");
}

/* Models whose classes are public and have what a workload does not say: the refusal names it. */
TEST(ConfigLayers, ModelsThatNothingSays)
{
  const auto refusal = [](const std::string &model) {
    const std::string said = import_text("{\"model_type\": \"" + model + "\"}");
    return said.substr(0, said.find("; allowed: llama"));
  };
  EXPECT_EQ(refusal("gemma3n_text"),
            "PATH:1: model_type=\"gemma3n_text\": has four residual streams (AltUp) and a "
            "product of low rank beside each layer (LAuReL), which no part of a workload says");
  EXPECT_EQ(refusal("t5"), "PATH:1: model_type=\"t5\": has an encoder and a decoder, and a workload has one of them");
  EXPECT_EQ(refusal("kimi_k3").find("PATH:1: model_type=\"kimi_k3\": is unknown (did you mean kimi_k2"), 0u);
}

/* Numbers that Python writes and JSON does not have are no numbers, and nothing where they do not matter. */
TEST(ConfigLayers, NumbersThatAreNone)
{
  const std::string model = R"({"model_type": "llama", "hidden_size": 256, "vocab_size": 100,
 "num_hidden_layers": 2, "num_attention_heads": 4)";
  EXPECT_EQ(import_text(model + ",\n \"intermediate_size\": NaN}"),
            "PATH:3: intermediate_size=\"NaN\": is not a whole number from 1 to 100000000");
  EXPECT_EQ(import_text(model + ",\n \"attention_dropout\": NaN}"),
            "PATH:3: attention_dropout=\"NaN\": is not a number or null");
  EXPECT_EQ(import_text(model + ",\n \"new_share\": -Infinity}").rfind("PATH:3: not known of llama", 0), 0u);
  EXPECT_EQ(import_text(whole(model + R"(, "rope_theta": Infinity, "_name_or_path": "a\"NaN", "use_cache": true})")),
            "accepted");
}

/* DeepSeek-V4: tokens of a compressed token, layer by layer and of modules, or words for them. */
TEST(ConfigLayers, CompressedTokens)
{
  const std::string model =
      R"({"model_type": "deepseek_v4", "num_hidden_layers": 5, "hidden_size": 4096, "num_attention_heads": 64,
 "num_key_value_heads": 1, "head_dim": 512, "vocab_size": 1000, "q_lora_rank": 1024, "qk_rope_head_dim": 64,
 "o_groups": 8, "o_lora_rank": 1024, "index_n_heads": 64, "index_topk": 512, "hc_mult": 4, "n_routed_experts": 8,
 "num_experts_per_tok": 2, "moe_intermediate_size": 64, "n_shared_experts": 1, "num_nextn_predict_layers": 1, )";
  const std::string words = R"("layer_types": ["sliding_attention", "sliding_attention", "compressed_sparse_attention",
 "heavily_compressed_attention", "compressed_sparse_attention"])";
  for (const std::string &layers : {std::string(R"("compress_ratios": [0, 0, 4, 128, 4, 0]})"),
                                    std::string(R"("compress_ratios": [0, 0, 4, 128, 4]})"), words + "}",
                                    words + R"(, "compress_rates": {"compressed_sparse_attention": 4}})"}) {
    ss_workload workload;
    ASSERT_EQ(import_text(whole(model + layers), &workload), "accepted") << layers;
    EXPECT_STREQ(workload.model.kinds,
                 "w compress=0 index-heads=0 index-top-k=0; c; h compress=128 index-heads=0 index-top-k=0");
    EXPECT_STREQ(workload.model.pattern, "wwchc");
    EXPECT_STREQ(workload.model.mtp_kind, "w");
    EXPECT_EQ(workload.model.mixer, SS_MIXER_COMPRESSED);
    EXPECT_EQ(workload.model.compress, 4);
    EXPECT_EQ(workload.model.window, 128);
    EXPECT_EQ(workload.model.head_size, 512);
    EXPECT_EQ(workload.model.residual_streams, 4);
    EXPECT_EQ(workload.model.output_groups * workload.model.output_rank, 8192);
  }
  ss_workload workload;
  EXPECT_NE(import_text(whole(model + R"("compress_ratios": [0, 0, 8, 128, 4]})"), &workload)
                .find("compress_ratios=8: is none of 0, 4 and 128"),
            std::string::npos);
  EXPECT_NE(import_text(whole(model + R"("compress_ratios": [0, 0]})"), &workload)
                .find("is not a list of 5 numbers, or of 6"),
            std::string::npos);
  EXPECT_NE(import_text(whole(model + words + R"(, "compress_rates": {"compressed_sparse_attention": 8}})"), &workload)
                .find("has another compressed_sparse_attention than 4"),
            std::string::npos);
}
