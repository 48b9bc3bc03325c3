/* Earlier models: learned positions, parallel parts, one head of keys, and Mamba by itself. */
#include "tests/support/earlier_configs.hpp"
#include "tests/support/import_text.hpp"

extern "C" {
#include "model/estimate/model_size.h"
}

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

double parameters_of(ss_workload workload)
{
  const ss_machine machine = machine_of(1, 1);
  ss_model_size size = {};
  ss_error error = {};
  ss_workload_derive(&workload);
  EXPECT_EQ(ss_workload_check(&workload, &error), SS_OK) << error.message;
  EXPECT_EQ(ss_model_size_of(&workload, &machine, &size, nullptr), SS_OK);
  return size.parameters;
}

const RecentConfig &config_of(const std::string &source)
{
  for (const RecentConfig &config : earlier_configs)
    if (source == config.source) return config;
  throw std::runtime_error(source);
}

ss_workload read(const std::string &source)
{
  ss_workload workload;
  EXPECT_EQ(import_text(config_of(source).text, &workload), "accepted") << source;
  return workload;
}

/* A small model of a type, with further keys. */
std::string small(const std::string &type, const std::string &keys)
{
  return "{\"model_type\": \"" + type +
         "\", \"hidden_size\": 256, \"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"vocab_size\": 100,\n " +
         keys + "}";
}

} // namespace

TEST(EarlierModels, HaveTheirParameters)
{
  for (const RecentConfig &config : earlier_configs)
    EXPECT_NEAR(parameters_of(read(config.source)) / config.parameters, 1.0, 5.1e-3) << config.source;
}

/* GPT-2: tables of 50257 and 1024 vectors of 768; 12 layers of 12 x 768^2 of products, and of biases and norms 4 x 768
 * in fc1, 2 x 768 of results and 2 x 2 x 768; a last norm. Left out: 3 x 768 biases of queries, keys and values. */
TEST(EarlierModels, Gpt2ToTheLast)
{
  const double e = 768, layer = 12 * e * e + (4 + 2 + 4) * e;
  const ss_workload w = read("openai-community/gpt2");
  EXPECT_EQ(w.model.positions, 1024);
  EXPECT_EQ(w.model.sequence, 1024);
  EXPECT_EQ(w.training.dropout, SS_YES);
  EXPECT_DOUBLE_EQ(parameters_of(w), (50257 + 1024) * e + 12 * layer + 2 * e);
  EXPECT_DOUBLE_EQ(parameters_of(w), 124439808 - 12 * 3 * e);
}

/* BERT: a norm behind the embedding, and one here behind the last layer, which BERT has not since its others lie behind
 * the parts. Left out: a pooler of 1024^2 + 1024, two token types, and biases of queries, keys and values. */
TEST(EarlierModels, BertToTheLast)
{
  const double e = 1024;
  const ss_workload w = read("google-bert/bert-large-uncased");
  EXPECT_EQ(w.model.causal, SS_NO);
  EXPECT_EQ(w.model.embedding_norm, SS_YES);
  EXPECT_EQ(w.model.positions, 512);
  EXPECT_DOUBLE_EQ(parameters_of(w), 335141888 - (e * e + e) - 2 * e - 24 * 3 * e + 2 * e);
}

/* Falcon-7B: one head of keys and values of 64 beside 71 of queries, 8 x 4544^2 of the MLP, norms with biases, products
 * without. */
TEST(EarlierModels, FalconToTheLast)
{
  const double e = 4544, layer = e * (e + 2 * 64) + e * e + 8 * e * e + 2 * e;
  ss_workload w = read("tiiuae/falcon-7b");
  EXPECT_EQ(w.model.kv_heads, 1);
  EXPECT_EQ(w.model.parallel, SS_YES);
  EXPECT_EQ(w.model.biases, SS_MODEL_BIASES_NO);
  EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_YES);
  EXPECT_DOUBLE_EQ(parameters_of(w), 65024 * e + 32 * layer + 2 * e);
  EXPECT_DOUBLE_EQ(parameters_of(w), 6921720704.0);
  w = read("tiiuae/falcon-40b");
  EXPECT_EQ(w.model.kv_heads, 8);
  std::vector<std::string> notes;
  const std::string rw =
      small("falcon", R"("alibi": true, "bias": true, "multi_query": false, "parallel_attn": false)");
  ASSERT_EQ(import_text(rw, &w, &notes), "accepted");
  EXPECT_EQ(w.model.kv_heads, 4);
  EXPECT_EQ(w.model.parallel, SS_NO);
  EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_AUTO);
  EXPECT_EQ(w.model.biases, SS_MODEL_BIASES_AUTO);
  EXPECT_EQ(import_text(small("falcon", R"("num_kv_heads": 5)")),
            "PATH:2: num_kv_heads=5: is not a whole number from 1 to 4");
  EXPECT_EQ(import_text(small("falcon", R"("multi_query": "yes")")),
            "PATH:2: multi_query=\"yes\": is not true or false");
}

TEST(EarlierModels, PositionsOfOpt)
{
  EXPECT_EQ(read("facebook/opt-125m").model.positions, 2050); /* two more than tokens */
  EXPECT_EQ(read("FacebookAI/roberta-base").model.positions, 514);
  EXPECT_EQ(read("FacebookAI/roberta-base").model.sequence, 512);
  EXPECT_EQ(import_text(small("opt", R"("ffn_dim": 1024)")), "PATH: has no max_position_embeddings, which opt needs");
  const std::string room = R"("max_position_embeddings": 64, )";
  EXPECT_EQ(import_text(small("opt", room + R"("word_embed_proj_dim": 128)")),
            "PATH:2: word_embed_proj_dim=128: differs from hidden_size; allowed: the same");
  EXPECT_EQ(import_text(small("opt", room + R"("do_layer_norm_before": false)")),
            "PATH:2: do_layer_norm_before=false: norms lie behind what is added up; allowed: true");
  EXPECT_EQ(import_text(small("opt", R"("max_position_embeddings": 0)")),
            "PATH:2: max_position_embeddings=0: is not a whole number from 1 to 99999998");
  EXPECT_EQ(import_text(small("bert", R"("intermediate_size": 1024, "max_position_embeddings": 64,
 "position_embedding_type": "relative_key")")),
            "PATH:3: position_embedding_type=\"relative_key\": is not known of bert; allowed: absolute");
}

/* Keys of objects have rows, too. */
TEST(EarlierModels, ObjectsOfMpt)
{
  const std::string sizes = R"({"model_type": "mpt", "d_model": 256, "n_layers": 4, "n_heads": 4, "vocab_size": 100, )";
  ss_workload w;
  ASSERT_EQ(import_text(sizes + R"("expansion_ratio": 3, "max_seq_len": 64, "no_bias": false,
 "attn_config": {"alibi": false, "attn_type": "multiquery_attention", "qk_ln": true}})",
                        &w),
            "accepted");
  EXPECT_EQ(w.model.ffn, 768);
  EXPECT_EQ(w.model.kv_heads, 1);
  EXPECT_EQ(w.model.qk_norm, SS_YES);
  EXPECT_EQ(w.model.positions, 64);
  EXPECT_EQ(w.model.biases, SS_MODEL_BIASES_AUTO);
  EXPECT_EQ(read("mosaicml/mpt-7b").model.positions, 0);
  EXPECT_EQ(import_text(sizes + "\n\"attn_config\": {\"new_kernel\": 1,\n \"alibi\": true}, \"new_part\": 2}"),
            "PATH:2: not known of mpt, and may matter: attn_config.new_kernel, new_part; allowed: the file without "
            "those that have no influence on time");
  EXPECT_EQ(import_text(sizes + R"("attn_config": 5})"), "PATH:1: attn_config=5: is no object");
  EXPECT_EQ(import_text(sizes + "\n\"attn_config\": {\"attn_type\": \"linear\"}}"),
            "PATH:2: attn_config.attn_type=\"linear\": is unknown; allowed: multihead_attention, multiquery_attention, "
            "grouped_query_attention");
  EXPECT_EQ(import_text(sizes + R"("ffn_config": {"ffn_type": "mb_moe"}})"),
            "PATH:1: ffn_config.ffn_type=\"mb_moe\": is not known of mpt; allowed: mptmlp");
  EXPECT_EQ(import_text(sizes + R"("expansion_ratio": 2.5})"),
            "PATH:1: expansion_ratio=2.5: times d_model is not a whole number up to 100000000");
}

TEST(EarlierModels, LayersOfGptNeo)
{
  const std::string sizes = R"({"model_type": "gpt_neo", "hidden_size": 256, "num_layers": 4, "num_heads": 4,
 "vocab_size": 100, "max_position_embeddings": 64, )";
  ss_workload w;
  ASSERT_EQ(import_text(sizes + R"("attention_types": [[["global", "local", "local"], 1], [["global"], 1]]})", &w),
            "accepted");
  EXPECT_STREQ(w.model.kinds, "f; w window=256");
  EXPECT_STREQ(w.model.pattern, "fwwf");
  ASSERT_EQ(import_text(sizes + R"("window_size": 8})", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "f; w window=8");
  EXPECT_STREQ(w.model.pattern, "fw");
  EXPECT_EQ(import_text(sizes + R"("attention_types": [[["global"], 3]]})"),
            "PATH:2: attention_types=[[[\"global\"],3]]: is not [[WORDS, TIMES], ...] for 4 layers");
  EXPECT_EQ(import_text(sizes + R"("attention_layers": ["global", "far", "global", "far"]})"),
            "PATH:2: attention_layers=\"far\": is unknown; allowed: global, local");
}

/* Mamba-1: 8192 channels that the file says, not 16 times the hidden size, as it also says. */
TEST(EarlierModels, MambaByItself)
{
  ss_workload w = read("tiiuae/falcon-mamba-7b");
  EXPECT_EQ(w.model.state_heads, 8192);
  EXPECT_EQ(w.model.state_rank, 256);
  EXPECT_EQ(w.model.mixer, SS_MIXER_MAMBA_1);
  EXPECT_EQ(w.model.feed_forward, SS_FEED_FORWARD_NONE);
  w = read("mistralai/Mamba-Codestral-7B-v0.1");
  EXPECT_EQ(w.model.mixer, SS_MIXER_MAMBA);
  EXPECT_EQ(w.model.state_groups, 8);
  EXPECT_EQ(import_text(R"({"model_type": "mamba2", "hidden_size": 256, "num_hidden_layers": 2, "vocab_size": 100})"),
            "PATH: has no num_heads, which mamba2 needs");
}

TEST(EarlierModels, SizesUnderOtherNames)
{
  EXPECT_EQ(read("Qwen/Qwen-7B").model.ffn, 11008); /* half of what the file says */
  EXPECT_EQ(import_text(small("qwen", R"("intermediate_size": 333)")),
            "PATH:2: intermediate_size=333: is twice the width of its class; allowed: an even number");
  EXPECT_EQ(read("THUDM/glm-4-9b").model.kv_heads, 2);
  EXPECT_EQ(read("bigcode/starcoder").model.kv_heads, 1);
  const ss_workload dbrx = read("databricks/dbrx-base");
  EXPECT_EQ(dbrx.model.experts, 16);
  EXPECT_EQ(dbrx.model.top_k, 4);
  EXPECT_EQ(dbrx.model.kv_heads, 8);
  EXPECT_EQ(read("EleutherAI/gpt-j-6b").model.parallel, SS_YES);
  EXPECT_EQ(read("stabilityai/stablelm-2-12b").model.parallel, SS_YES);
  EXPECT_EQ(read("stabilityai/stablelm-3b-4e1t").model.parallel, SS_NO);
  EXPECT_EQ(import_text(R"({"model_type": "gpt2", "n_layer": 2})"), "PATH: has no n_embd, which gpt2 needs");
}
