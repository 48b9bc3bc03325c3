/* Where no source stands beside a function, megatron/core/transformer/transformer_config.py of NVIDIA/Megatron-LM has
 * it. */
#include "sim/import/dialects/megatron_sparse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/layer_kinds.h"
#include "sim/import/dialects/layer_marks.h"
#include "sim/import/models/compressed_layers.h"

/* What recipes of Megatron-Bridge multiply the loss by (src/megatron/bridge/models/glm_moe_dsa/glm5_bridge.py). */
#define LOSS_COEFFICIENT 0.001

/* Values of SS_VALUE_SPARSE. */
enum { OF_TOKENS = 1, OF_COMPRESSED = 2 };

static ss_status refuse(const ss_sheet *s, ss_sheet_value which, const char *problem, ss_error *error)
{
  const int line = s->value_line[which] > 0 ? s->value_line[which] : s->value_line[SS_VALUE_SPARSE];
  return ss_error_set(error, SS_ERROR_INPUT, s->path, line, "%s", problem);
}

/* Arguments that say nothing have kernels of cuDNN for compressed tokens (argument_utils.py). */
static ss_status check(const ss_sheet *s, bool learns, ss_error *error)
{
  const double kernels = s->value[SS_VALUE_SPARSE_KERNELS];
  const bool usual = s->value[SS_VALUE_SPARSE] == OF_COMPRESSED && kernels == SS_NOT_GIVEN;
  if (kernels != 1.0 && !usual)
    return refuse(s, SS_VALUE_SPARSE_KERNELS,
                  "experimental-attention-variant: is computed by PyTorch without kernels of its own; allowed: with "
                  "dsa-kernel-backend=cudnn or tilelang, or, of dsv4_hybrid, apply-dsa-kernel-fusion",
                  error);
  if (learns && ss_sheet_given(s, SS_VALUE_INDEX_LOSS_CHOSEN, 0) == 0)
    return refuse(
        s, SS_VALUE_INDEX_LOSS,
        "dsa-indexer-loss-coeff: the loss looks at all tokens; allowed: with dsa-indexer-use-sparse-loss, or 0", error);
  return SS_OK;
}

static ss_status read_indexer(ss_sheet *s, ss_error *error)
{
  static const struct {
    ss_sheet_value from;
    ss_attribute_index to;
  } sizes[] = {{SS_VALUE_INDEX_HEADS, SS_AT_model_index_heads},
               {SS_VALUE_INDEX_HEAD_SIZE, SS_AT_model_index_head_size},
               {SS_VALUE_INDEX_TOP_K, SS_AT_model_index_top_k}};
  const bool learns = s->value[SS_VALUE_INDEX_LOSS] > 0.0;
  ss_status status = check(s, learns, error);
  for (size_t i = 0; status == SS_OK && i < sizeof sizes / sizeof sizes[0]; ++i) {
    if (s->value[sizes[i].from] == SS_NOT_GIVEN)
      return refuse(s, SS_VALUE_SPARSE,
                    "experimental-attention-variant: needs dsa-indexer-n-heads, dsa-indexer-head-dim and "
                    "dsa-indexer-topk",
                    error);
    status = ss_sheet_set_within(s, sizes[i].to, s->value[sizes[i].from], sizes[i].from, error);
  }
  if (status == SS_OK)
    ss_sheet_set(s, SS_AT_training_index_loss, learns ? SS_YES : SS_NO, learns ? SS_VALUE_INDEX_LOSS : SS_VALUE_SPARSE);
  return status;
}

/* Numbers inside of brackets as letters: "([0,4]+[128]*2)" as "([wc]+[h]*2)"; a list with blanks between, as if in
 * brackets. False where a number has no letter. */
static bool to_letters(const char *text, char letters[SS_TEXT_SIZE + 2])
{
  const bool bare = strchr(text, '[') == NULL;
  bool inside = bare;
  size_t used = 0;
  if (bare) letters[used++] = '[';
  for (; *text != '\0'; ++text) {
    if (*text == '[' || *text == ']') inside = *text == '[';
    if (*text == ' ' || (inside && *text == ',')) continue;
    letters[used] = *text;
    if (inside && isdigit((unsigned char)*text)) {
      char *end;
      letters[used] = ss_compressed_letter(strtoll(text, &end, 10));
      if (letters[used] == '\0') return false;
      text = end - 1;
    }
    ++used;
  }
  if (bare) letters[used++] = ']';
  letters[used] = '\0';
  return true;
}

/* Layers, and modules behind them, by a list of as many numbers. */
static ss_status read_ratios(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const int64_t layers = w->model.layers, modules = w->model.mtp_modules;
  char text[SS_TEXT_SIZE + 2], letters[SS_KINDS_LAYERS + 1];
  ss_kinds kinds = {.count = 0};
  if (layers < 1) return SS_OK;
  if (!to_letters(s->text[SS_KEPT_COMPRESS_RATIOS], text) ||
      !ss_layer_marks_of(text, layers + modules, SS_COMPRESSED_LETTERS, letters))
    return ss_sheet_refuse(s, SS_KEPT_COMPRESS_RATIOS,
                           "is no list of 0, 4 and 128 for all layers, and modules behind them; allowed: such as "
                           "([0,0]+[4,128]*20)",
                           error);
  if (modules > 0) kinds.of_modules = letters[layers];
  letters[layers] = '\0';
  ss_compressed_add_kinds(&kinds);
  const int line = s->text_line[SS_KEPT_COMPRESS_RATIOS];
  return ss_kinds_set(s->import, s->path, &kinds, letters, line > 0 ? line : 1, error);
}

/* Sizes that the reader of latent attention has set mean something else here: v-head-dim is the size of the one head of
 * keys, of which a part is turned. Norms of queries and keys are part of it (DSv4HybridSelfAttention). */
static ss_status read_compressed(ss_sheet *s, ss_error *error)
{
  enum { WINDOW = 128 };
  const struct {
    int64_t number;
    ss_attribute_index index;
    ss_sheet_value from;
  } sizes[] = {{SS_MIXER_COMPRESSED, SS_AT_model_mixer, SS_VALUE_SPARSE},
               {SS_COMPRESSED_CHOSEN, SS_AT_model_compress, SS_VALUE_SPARSE},
               {0, SS_AT_model_kv_rank, SS_VALUE_SPARSE},
               {1, SS_AT_model_kv_heads, SS_VALUE_SPARSE},
               {ss_sheet_given(s, SS_VALUE_VALUE_HEAD, 128), SS_AT_model_head_size, SS_VALUE_VALUE_HEAD},
               {0, SS_AT_model_value_head_size, SS_VALUE_VALUE_HEAD},
               {SS_NO, SS_AT_model_qk_norm, SS_VALUE_SPARSE}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    ss_sheet_set(s, sizes[i].index, sizes[i].number, sizes[i].from);
  if (s->workload->model.window == 0) ss_sheet_set(s, SS_AT_model_window, WINDOW, SS_VALUE_SPARSE);
  const ss_status status = read_indexer(s, error);
  return status == SS_OK ? read_ratios(s, error) : status;
}

ss_status ss_megatron_read_sparse(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_SPARSE] == OF_COMPRESSED) return read_compressed(s, error);
  return s->value[SS_VALUE_SPARSE] == OF_TOKENS ? read_indexer(s, error) : SS_OK;
}

static void write_indexer(ss_sheet *s, double variant, int64_t heads, int64_t top_k)
{
  const ss_workload *w = s->workload;
  s->value[SS_VALUE_SPARSE] = variant;
  s->value[SS_VALUE_SPARSE_KERNELS] = 1.0;
  s->value[SS_VALUE_INDEX_HEADS] = (double)heads;
  s->value[SS_VALUE_INDEX_HEAD_SIZE] = (double)w->model.index_head_size;
  s->value[SS_VALUE_INDEX_TOP_K] = (double)top_k;
  if (w->training.index_loss == SS_NO) return;
  s->value[SS_VALUE_INDEX_LOSS] = LOSS_COEFFICIENT;
  s->value[SS_VALUE_INDEX_LOSS_CHOSEN] = 1.0;
}

/* A number for each layer, and for modules. False where they are too many to write. */
static bool write_ratios(ss_sheet *s, const ss_layer_kinds *kinds, const int8_t *kind_of, ss_workload *chooses)
{
  const ss_workload *w = s->workload;
  char *text = s->text[SS_KEPT_COMPRESS_RATIOS];
  size_t used = 0;
  for (int64_t i = 0; i < w->model.layers + w->model.mtp_modules && used < SS_TEXT_SIZE; ++i) {
    const bool module = i >= w->model.layers, own = module && w->model.mtp_kind[0] != '\0';
    const int64_t kind =
        own ? ss_layer_kind_called(kinds, w->model.mtp_kind[0]) : kind_of[module ? w->model.layers - 1 : i];
    const ss_workload layer = ss_layer_kind_workload(w, &kinds->kind[kind]);
    if (layer.model.index_heads > 0) *chooses = layer;
    used += (size_t)snprintf(text + used, SS_TEXT_SIZE - used, "%s%" PRId64, i > 0 ? "," : "[", layer.model.compress);
  }
  if (used + 1 < SS_TEXT_SIZE) memcpy(text + used, "]", 2);
  return used + 1 < SS_TEXT_SIZE;
}

static void write_compressed(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  ss_layer_kinds kinds = {.count = 1};
  int8_t kind_of[SS_KINDS_LAYERS] = {0};
  ss_workload chooses = *w;
  s->value[SS_VALUE_LATENT] = 1.0;
  s->value[SS_VALUE_Q_RANK] = (double)w->model.q_rank;
  s->value[SS_VALUE_ROPE_SIZE] = (double)w->model.rope_size;
  s->value[SS_VALUE_VALUE_HEAD] = (double)w->model.head_size;
  const bool one = w->model.pattern[0] == '\0';
  if (w->model.layers > SS_KINDS_LAYERS || (!one && !ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0))) return;
  if (!one && ss_layer_pattern_fill(&kinds, w->model.pattern, w->model.layers, kind_of) != NULL) return;
  if (!write_ratios(s, &kinds, kind_of, &chooses)) s->text[SS_KEPT_COMPRESS_RATIOS][0] = '\0';
  write_indexer(s, OF_COMPRESSED, chooses.model.index_heads, chooses.model.index_top_k);
}

void ss_megatron_write_sparse(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (ss_workload_is_compressed(w))
    write_compressed(s);
  else if (w->model.index_top_k > 0)
    write_indexer(s, OF_TOKENS, w->model.index_heads, w->model.index_top_k);
}

ss_status ss_megatron_read_streams(ss_sheet *s, ss_error *error)
{
  enum { STREAMS = 4 };
  const bool fused = s->value[SS_VALUE_STREAMS_FUSED] > 0.0;
  if (s->value[SS_VALUE_STREAMED] <= 0.0) return SS_OK;
  ss_sheet_set(s, SS_AT_training_stream_kernels, fused ? SS_STREAMS_FUSED : SS_STREAMS_COMPILED,
               fused ? SS_VALUE_STREAMS_FUSED : SS_VALUE_STREAMED);
  return ss_sheet_set_within(s, SS_AT_model_residual_streams, (double)ss_sheet_given(s, SS_VALUE_STREAMS, STREAMS),
                             SS_VALUE_STREAMS, error);
}

void ss_megatron_write_streams(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->model.residual_streams == 1) return;
  s->value[SS_VALUE_STREAMED] = 1.0;
  s->value[SS_VALUE_STREAMS] = (double)w->model.residual_streams;
  if (w->training.stream_kernels == SS_STREAMS_FUSED) s->value[SS_VALUE_STREAMS_FUSED] = 1.0;
}
