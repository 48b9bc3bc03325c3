/* Shapes of the models of shipped workloads, part by part, from the sources that the files name and not from these. */
#ifndef STEPSIM_TESTS_SUPPORT_SHIPPED_MODELS_HPP
#define STEPSIM_TESTS_SUPPORT_SHIPPED_MODELS_HPP

#include <cmath>
#include <vector>

namespace stepsim
{

/* A part of a layer. */
struct Part {
  double products;               /* parameters of the matrices that a token goes through */
  double split, copied, experts; /* parameters that tensor-parallel ranks share out, that each has, and of experts */
  double core;                   /* flop of a token forward that are no products with parameters */
  double kept;                   /* bytes of a token from forward to backward, over all ranks that share them out */
};

const double kUnknown = std::nan(""); /* no closed formula is known */

inline Part operator+(Part a, const Part &b)
{
  return {a.products + b.products, a.split + b.split, a.copied + b.copied,
          a.experts + b.experts,   a.core + b.core,   a.kept + b.kept};
}

inline Part operator*(double n, const Part &p)
{
  return {n * p.products, n * p.split, n * p.copied, n * p.experts, n * p.core, n * p.kept};
}

/* Split over tensor-parallel ranks, and on each. */
inline Part split(double parameters, double kept)
{
  return {parameters, parameters, 0, 0, 0, kept};
}
inline Part copied(double parameters, double kept)
{
  return {0, 0, parameters, 0, 0, kept};
}

/* RMSNorm, and norms of queries and keys: inputs in 16 bits. */
inline Part norm(double width)
{
  return copied(width, 2 * width);
}

/* Bytes that attention keeps beside queries, keys, values and its output: flash attention one number in fp32 for each
 * head (arXiv 2205.14135), without it 5 a s, and nothing where that is computed again (arXiv 2205.05198 equation 2). */
struct Core {
  double keys, per_head;
};
inline Core flash(double keys)
{
  return {keys, 4};
}
inline Core unfused(double keys)
{
  return {keys, 5 * keys};
}
inline Core again(double keys)
{
  return {keys, 0};
}

/* Input in 16 bits; queries, keys and values; the output. A token asks for two products of 2 q flop with each key. */
inline Part attention(double h, double heads, double kv_heads, double q, Core core)
{
  Part part = split(h * q * 2 * (heads + kv_heads), 2 * h + 2 * q * (2 * heads + 2 * kv_heads));
  part.core = 4 * heads * q * core.keys;
  part.kept += core.per_head * heads;
  return part;
}

/* An MLP of two matrices keeps its input and both sides of the activation; with a gate, both halves of one side. */
inline Part two_matrices(double h, double f)
{
  return split(2 * h * f, 2 * h + 4 * f);
}
inline Part gated(double h, double f)
{
  return split(3 * h * f, 2 * h + 6 * f);
}

/* `chosen` of `all` experts of width f, some shared ones, and a router that each rank has. */
inline Part mixture(double h, double all, double chosen, double f, double shared, double matrices = 3)
{
  const double one = matrices * h * f;
  return {(chosen + shared) * one + h * all, shared * one, h * all, all * one, 0, kUnknown};
}

/* arXiv 2405.04434 section 2.1: two ways down on each rank with a norm, two ways up by heads, 192 and 128 per head. */
inline Part latent(double h, double heads, double s)
{
  const double q = 128, rope = 64, q_rank = 1536, kv_rank = 512;
  const double down = h * (q_rank + kv_rank + rope), up = heads * (q_rank * (q + rope) + kv_rank * 2 * q + q * h);
  return {down + up, up, down + q_rank + kv_rank, 0, 2 * heads * s * (2 * q + rope), kUnknown};
}

/* arXiv 2512.02556 section 2.1: queries of 64 heads of 128 from the rank of those of attention, a key with a norm, and
 * a weight for each head; whole on each rank. Forward they score all tokens of the sequence, and their weights get
 * gradients for those that are chosen, 2 flop each of a pair; flop are thirds, as those of a core count three times. */
inline Part indexer(double h, double s, double chosen)
{
  const double heads = 64, size = 128, products = 1536 * heads * size + h * (size + heads), pair = 2 * heads * size;
  return {0, 0, products + 2 * size, 0, (4 * products + pair * (s + 2 * chosen)) / 3, kUnknown};
}

/* deepseek_v4_hybrid_attention.py and csa.py of Megatron-LM: queries of 64 heads of 512 by a rank, with a norm, a head
 * of keys with one, and products of 8 groups of heads ahead of the projection. A token asks for `keys` of the window
 * and of compressed tokens, values and keys of which are one. */
inline Part compressed(double h, double keys)
{
  const double heads = 64, size = 512, rank = 1024, groups = 8, columns = heads * size;
  const double products = h * rank + rank * columns + h * size + columns * rank + groups * rank * h;
  return {products, products, rank + size, 0, 4 * columns * keys, kUnknown};
}
/* Of each r tokens, and of as many ahead where these are four, values and gates of so many columns, positions of the
 * gates, and a norm. */
inline Part compressor(double h, double r, double size)
{
  const double columns = (r == 4 ? 2 : 1) * size;
  return {2 * h * columns, 2 * h * columns, r * columns + size, 0, 0, kUnknown};
}
/* An indexer of these, of which its queries see `seen` and choose `chosen`, as above. */
inline Part compressed_indexer(double h, double seen, double chosen)
{
  const double heads = 64, size = 128, pair = 2 * heads * size;
  const Part keys = compressor(h, 4, size);
  const double products = 1024 * heads * size + h * heads + keys.products;
  return {0, products, keys.copied, 0, (4 * products + pair * (seen + 2 * chosen)) / 3, kUnknown};
}

/* Hyper-connections of n streams around a part of a layer (arXiv 2512.24880): weights of n sums, n outputs and n x n
 * mixtures, each with a bias, and three factors. And one state of n again, of which each has a weight, with a factor.
 */
inline Part connection(double h, double n)
{
  const double weights = n * n + 2 * n;
  return {n * h * weights, n * h * weights, weights + 3, 0, 0, kUnknown};
}
inline Part contraction(double h, double n)
{
  return copied(n * n * h + n + 1, kUnknown);
}

/* arXiv 2405.21060 section 6, chunks of Q: C B within a chunk, its product with x, states, what they add. Gate and x of
 * heads q, B and C of groups n, a step for each head; a convolution over 4 tokens, a norm, and three numbers a head. */
inline Part mamba(double h, double heads, double q, double n, double groups, double chunk)
{
  const double inner = heads * q, convolved = inner + 2 * groups * n, products = h * (2 * inner + convolved + heads);
  const double core = 2 * chunk * (n * groups + inner) + 2 * 2 * n * inner;
  return {products, products + 5 * convolved + 3 * heads + inner, 0, 0, core, kUnknown};
}

/* Layers of GPT: norms with biases, biases of the projection and of the MLP; dropout keeps two masks of a byte. */
inline Part gpt(double h, double heads, double f, Core core, double dropout)
{
  const Part vectors = {0, f, 2 * 2 * h + 2 * h, 0, 0, 2 * 2 * h + dropout * 2 * h};
  return vectors + attention(h, heads, heads, h / heads, core) + two_matrices(h, f);
}

/* Layers of Llama: two norms; others have two norms more, or those of queries and keys. */
inline Part llama(double h, const Part &mixer, const Part &feed_forward)
{
  return 2 * norm(h) + mixer + feed_forward;
}
inline Part qk_norm(double heads, double q)
{
  return {0, 0, 2 * q, 0, 0, 2 * q * heads};
}

/* Adapters of rank r beside queries, keys and values together, and beside the projection (arXiv 2106.09685). */
inline Part adapters(double r, double h, double heads, double kv_heads, double q)
{
  return split(r * (h + (heads + 2 * kv_heads) * q) + r * (heads * q + h), kUnknown);
}

/* Layers of a kind: all, and those of the first stage. */
struct Layers {
  double all, first;
  Part of;
};

/* Tables of embedding and output layer: none; one each; one each, though they are published with one for both, as of
 * GPT, Megatron's models and BERT; one for both. */
enum class Tables { none, apart, once, shared };

/* Parameters as they are published, within so much of those by hand: what is rounded, or left out here. */
struct Published {
  double parameters, within;
};

struct Sizes {
  double hidden, vocabulary, sequence;
  Tables tables;
};

struct Model {
  const char *name;
  Published published;
  Sizes sizes;
  std::vector<Layers> layers;
  bool has_module = false; /* of multi-token prediction, with a layer like the last */
  Part adapters = {};      /* of a layer, all that is trained */
  Part module = {};        /* the module, if it is another one */
  double streams = 1;      /* residual streams */
};

const double kExact = 1e-12, kRounded = 0.001;
const Tables kNone = Tables::none, kApart = Tables::apart, kOnce = Tables::once, kShared = Tables::shared;
const double kEra5 = 64800, kEra5Fine = 259200;

/* BERT's 335,141,888 are with 512 positions, 2 types and a pooler of 1024 x 1025, which no layer here has. */
const double kBert = 335141888.0 - 514.0 * 1024 - 1024.0 * 1025;

/* Matrices of 12 L h h and vectors of 13 L h, as arXiv 2104.04473 counts them. */
inline double counted(double layers, double h, double vocabulary)
{
  return 12 * layers * h * h + 13 * layers * h + vocabulary * h;
}

/* The layers of models that have several kinds, or several rows. */
inline Part latent_layer(double heads, const Part &feed_forward)
{
  return llama(7168, latent(7168, heads, 4096), feed_forward);
}
inline std::vector<Layers> deepseek_layers()
{
  return {{3, 3, latent_layer(128, gated(7168, 18432))}, {58, 1, latent_layer(128, mixture(7168, 256, 8, 2048, 1))}};
}
inline Part sparse_layer(const Part &feed_forward)
{
  return llama(7168, latent(7168, 128, 2048) + indexer(7168, 131072, 2048), feed_forward);
}
inline Part gpt_oss(double keys)
{
  return llama(2880, attention(2880, 64, 8, 64, flash(keys)), mixture(2880, 128, 4, 2880, 0));
}
inline Part gemma2(double keys)
{
  return 2 * norm(4608) + llama(4608, attention(4608, 32, 16, 128, flash(keys)), gated(4608, 36864));
}
inline Part gemma3(double keys)
{
  return 2 * norm(5376) + qk_norm(32 + 16, 128) +
         llama(5376, attention(5376, 32, 16, 128, flash(keys)), gated(5376, 21504));
}
inline Part maverick(const Part &feed_forward)
{
  return llama(5120, attention(5120, 40, 8, 128, flash(8192)), feed_forward);
}

/* A layer of DeepSeek-V4-Flash, four streams around both of its parts; its module has a product of the embedding and
 * one of each stream, and norms of the embedding, of streams and of its own. Of 4,096 tokens a query sees min(128, i)
 * of the window, 126.015625 in the mean, floor(i / 4) of 1,024 compressed tokens, 511.75, of which it chooses up to
 * 512, 383.875 or floor(i / 128) of 32, 15.5078125. */
inline Part flash_layer(double keys, const Part &more)
{
  return 2 * connection(4096, 4) + llama(4096, compressed(4096, keys) + more, mixture(4096, 256, 6, 2048, 1));
}
const double kWindow = 126.015625;
inline std::vector<Layers> flash_layers()
{
  const Part chosen = compressor(4096, 4, 512) + compressed_indexer(4096, 511.75, 512);
  return {{2, 2, flash_layer(kWindow, {})},
          {21, 21, flash_layer(kWindow + 383.875, chosen)},
          {20, 20, flash_layer(kWindow + 15.5078125, compressor(4096, 128, 512))}};
}
inline Part flash_module()
{
  const double one = 4096.0 * 4096;
  const Part products = {5 * one, 2 * one, 0, 0, 0, kUnknown};
  return flash_layer(kWindow, {}) + products + 3 * norm(4096) + contraction(4096, 4);
}

/* As scripts/train/benchmarking of mosaicml/llm-foundry counts them: with 2048 positions, biases of queries, keys and
 * values, and a vocabulary of 50368. */
inline Model mpt(const char *name, double parameters, double layers, double h, double heads, double vocabulary)
{
  const double here = parameters - (2048 + 3 * layers) * h + (vocabulary - 50368) * h;
  return {
      name, {here, kExact}, {h, vocabulary, 2048, kShared}, {{layers, layers, gpt(h, heads, 4 * h, flash(2048), 0)}}};
}

inline std::vector<Model> models()
{
  return {
      /* arXiv 2005.14165 table D.1 */
      {"gpt3-175b",
       {174600e6, kRounded},
       {12288, 51200, 2048, kOnce},
       {{96, 6, gpt(12288, 96, 49152, flash(2048), 1)}}},
      {"gpt3-1t",
       {counted(128, 25600, 0), kRounded},
       {25600, 0, 2048, kNone},
       {{128, 2, gpt(25600, 160, 102400, flash(2048), 1)}}},
      {"megatron-22b",
       {counted(48, 6144, 51200), kRounded},
       {6144, 51200, 2048, kOnce},
       {{48, 48, gpt(6144, 64, 24576, again(2048), 1)}}},
      /* arXiv 2104.04473 table 1 */
      {"megatron-530b",
       {529.6e9, kRounded},
       {20480, 51200, 2048, kOnce},
       {{105, 3, gpt(20480, 128, 81920, again(2048), 1)}}},
      {"bert-large", {kBert, kRounded}, {1024, 30522, 512, kOnce}, {{24, 24, gpt(1024, 16, 4096, unfused(512), 1)}}},
      /* safetensors of bigscience/bloom */
      {"bloom-176b",
       {176247271424.0, kRounded},
       {14336, 250880, 2048, kShared},
       {{70, 5, gpt(14336, 112, 57344, unfused(2048), 0)}}},
      {"vit-era5",
       {counted(48, 12288, 0), kRounded},
       {12288, 0, kEra5, kNone},
       {{48, 6, gpt(12288, 64, 49152, flash(kEra5), 1)}}},
      {"vit-80b-250k",
       {counted(48, 12288, 0), kRounded},
       {12288, 0, kEra5Fine, kNone},
       {{48, 6, gpt(12288, 64, 49152, flash(kEra5Fine), 1)}}},
      mpt("mpt-1b", 1315950592, 24, 2048, 16, 50368),
      mpt("mpt-3b", 2651837440, 32, 2560, 20, 50368),
      mpt("mpt-7b", 6658859008, 32, 4096, 32, 50432),
      mpt("mpt-13b", 12853954560, 40, 5120, 40, 50368),
      mpt("mpt-30b", 29975214080, 48, 7168, 64, 50432),
      mpt("mpt-70b", 64862437376, 80, 8192, 64, 50368),
      /* safetensors of meta-llama */
      {"llama3-8b",
       {8030261248.0, kExact},
       {4096, 128256, 8192, kApart},
       {{32, 32, llama(4096, attention(4096, 32, 8, 128, flash(8192)), gated(4096, 14336))}}},
      {"llama3-70b",
       {70553706496.0, kExact},
       {8192, 128256, 8192, kApart},
       {{80, 20, llama(8192, attention(8192, 64, 8, 128, flash(8192)), gated(8192, 28672))}}},
      {"llama3-405b",
       {405853388800.0, kExact},
       {16384, 128256, 8192, kApart},
       {{126, 9, llama(16384, attention(16384, 128, 8, 128, flash(8192)), gated(16384, 53248))}}},
      /* safetensors of meta-llama; README of llama2_70b_lora of mlcommons/training has rank 16 */
      {"llama2-70b-lora",
       {68976648192.0 + 80 * adapters(16, 8192, 64, 8, 128).split, kExact},
       {8192, 32000, 8192, kApart},
       {{80, 80, llama(8192, attention(8192, 64, 8, 128, flash(8192)), gated(8192, 28672))}},
       false,
       adapters(16, 8192, 64, 8, 128)},
      /* arXiv 2402.16819 section 2 and 2406.11704 table 1 */
      {"nemotron4-15b",
       {15.63e9, kRounded},
       {6144, 256000, 4096, kApart},
       {{32, 32, llama(6144, attention(6144, 48, 8, 128, flash(4096)), two_matrices(6144, 24576))}}},
      {"nemotron4-340b",
       {341.0e9, kRounded},
       {18432, 256000, 4096, kApart},
       {{96, 8, llama(18432, attention(18432, 96, 8, 192, flash(4096)), two_matrices(18432, 73728))}}},
      /* safetensors of google/gemma-2-27b; arXiv 2503.19786 table 1 with 417 million of the encoder */
      {"gemma2-27b",
       {27227128320.0, kExact},
       {4608, 256000, 8192, kShared},
       {{23, 23, gemma2(4096)}, {23, 23, gemma2(8192)}}},
      {"gemma3-27b",
       {27.4324e9, kRounded},
       {5376, 262208, 8192, kShared},
       {{52, 52, gemma3(1024)}, {10, 10, gemma3(8192)}}},
      /* safetensors */
      {"mixtral-8x7b",
       {46702792704.0, kExact},
       {4096, 32000, 4096, kApart},
       {{32, 8, llama(4096, attention(4096, 32, 8, 128, flash(4096)), mixture(4096, 8, 2, 14336, 0))}}},
      {"qwen3-30b",
       {30532122624.0, kExact},
       {2048, 151936, 4096, kApart},
       {{48, 48,
         qk_norm(36, 128) + llama(2048, attention(2048, 32, 4, 128, flash(4096)), mixture(2048, 128, 8, 768, 0))}}},
      {"qwen3-235b",
       {235093634560.0, kExact},
       {4096, 151936, 4096, kApart},
       {{94, 11,
         qk_norm(68, 128) + llama(4096, attention(4096, 64, 4, 128, flash(4096)), mixture(4096, 128, 8, 1536, 0))}}},
      /* its safetensors, without the router's bias for each of 256 experts in 58 layers, which no gradient steps */
      {"deepseek-v3", {671026419200.0 - 58.0 * 256, kExact}, {7168, 129280, 4096, kApart}, deepseek_layers()},
      /* and 11.5 billion of its module beside shared tables (README_WEIGHTS.md) */
      {"deepseek-v3-mtp", {671026419200.0 + 11.5e9, kRounded}, {7168, 129280, 4096, kApart}, deepseek_layers(), true},
      /* and 61 indexers */
      {"deepseek-v3.2",
       {671026419200.0 + 0.85e9, kRounded},
       {7168, 129280, 131072, kApart},
       {{3, 3, sparse_layer(gated(7168, 18432))}, {58, 1, sparse_layer(mixture(7168, 256, 8, 2048, 1))}}},
      /* https://huggingface.co/deepseek-ai/DeepSeek-V4-Flash: 284 billion, and a module, which is one of its layers */
      {"deepseek-v4-flash",
       {284e9 + 6.6e9, 0.002},
       {4096, 129280, 4096, kApart},
       flash_layers(),
       true,
       {},
       flash_module(),
       4},
      {"kimi-k2",
       {1026.4e9, kRounded},
       {7168, 163840, 4096, kApart},
       {{1, 1, latent_layer(64, gated(7168, 18432))}, {60, 3, latent_layer(64, mixture(7168, 384, 8, 2048, 1))}}},
      /* arXiv 2508.10925 table 1 */
      {"gpt-oss-120b",
       {116.83e9, kRounded},
       {2880, 201088, 4096, kApart},
       {{18, 5, gpt_oss(128)}, {18, 4, gpt_oss(4096)}}},
      {"llama4-maverick",
       {400.71e9, kRounded},
       {5120, 202048, 8192, kApart},
       {{24, 6, maverick(gated(5120, 16384))}, {24, 6, maverick(mixture(5120, 128, 1, 8192, 1))}}},
      /* xai-org/grok-1: attention and experts of model.py are 314.87 billion, the table 0.81, router and norms 0.005 */
      {"grok-1",
       {314e9, 0.0055},
       {6144, 131072, 8192, kShared},
       {{64, 8,
         2 * norm(6144) + llama(6144, attention(6144, 48, 8, 128, flash(8192)), mixture(6144, 8, 2, 32768, 0))}}},
      {"nemotron-h-8b",
       {8.1009e9, kRounded},
       {4096, 131072, 8192, kApart},
       {{24, 24, norm(4096) + mamba(4096, 128, 64, 128, 8, 128)},
        {24, 24, norm(4096) + two_matrices(4096, 21504)},
        {4, 4, norm(4096) + attention(4096, 32, 8, 128, flash(8192))}}},
      {"nemotron-3-nano",
       {31.6e9, kRounded},
       {2688, 131072, 8192, kApart},
       {{23, 23, norm(2688) + mamba(2688, 64, 64, 128, 8, 128)},
        {23, 23, norm(2688) + mixture(2688, 128, 6, 1856, 2, 2)},
        {6, 6, norm(2688) + attention(2688, 32, 2, 128, flash(8192))}}},
  };
}

} /* namespace stepsim */

#endif
