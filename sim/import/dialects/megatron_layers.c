#include "sim/import/dialects/megatron_layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/layer_kinds.h"
#include "sim/import/dialects/layer_marks.h"
#include "sim/import/dialects/megatron_mixers.h"
#include "sim/import/models/kinds.h"

static ss_status lay(ss_sheet *s, const ss_kinds *kinds, char *letters, ss_sheet_text which, ss_error *error)
{
  const int line = s->text_line[which] > 0 ? s->text_line[which] : 1;
  return ss_kinds_set(s->import, s->path, kinds, letters, line, error);
}

/* The first layers without experts, where all others have some; -1: it is not so. */
static int64_t first_dense(const char *bits)
{
  const size_t zeros = strspn(bits, "0");
  return bits[zeros + strspn(bits + zeros, "1")] == '\0' ? (int64_t)zeros : -1;
}

static ss_status read_experts(ss_sheet *s, ss_error *error)
{
  const char *text = s->text[SS_KEPT_LAYER_FREQUENCY];
  char bits[SS_KINDS_LAYERS + 1];
  ss_kinds kinds = {.count = 0};
  if (s->text[SS_KEPT_LAYER_TYPES][0] != '\0') return SS_OK; /* kinds of layers say it */
  if (text[0] == '\0' || s->workload->model.experts == 0 || s->workload->model.layers < 1) return SS_OK;
  if (text[0] == '$')
    return ss_import_note(s->import, SS_NOTE_MATTERS,
                          "moe-layer-freq, a variable that only a run knows: all layers have experts, unless "
                          "model.dense-layers says how many of the first have none",
                          error);
  if (!ss_layer_marks_read(text, s->workload->model.layers, bits))
    return ss_sheet_refuse(s, SS_KEPT_LAYER_FREQUENCY,
                           "is no number, and no list of 0 and 1 for all layers; allowed: such as 2 or ([0]*3+[1]*58)",
                           error);
  const int64_t dense = first_dense(bits);
  if (dense >= 0) {
    ss_import_set(s->import, SS_AT_model_dense_layers, dense, s->text_line[SS_KEPT_LAYER_FREQUENCY]);
    return SS_OK;
  }
  for (char *bit = bits; *bit != '\0'; ++bit) *bit = *bit == '1' ? 'e' : 'd';
  ss_kinds_add(&kinds, 'e', "", 0, "");
  ss_kinds_add(&kinds, 'd', "", 0, "feed-forward=mlp");
  return lay(s, &kinds, bits, SS_KEPT_LAYER_FREQUENCY, error);
}

/* f for layers that attend to all tokens, w for those of a window: is_layer_window_attention of
 * megatron/core/transformer/utils.py. */
static ss_status read_skips(const ss_sheet *s, char *letters, ss_error *error)
{
  const char *text = s->text[SS_KEPT_WINDOW_SKIP];
  const int64_t layers = s->workload->model.layers;
  char *end;
  const long long every = strtoll(text, &end, 10);
  const bool counts = end != text && *end == '\0';
  letters[0] = '\0';
  if (layers < 1) return SS_OK;
  if (counts ? every < 1 : !ss_layer_marks_list(text, layers, letters))
    return ss_sheet_refuse(
        s, SS_KEPT_WINDOW_SKIP,
        "is no number above 0, and no list of 0 and 1 for all layers; allowed: such as 2 or [1,0]*12", error);
  for (int64_t i = 0; i < layers; ++i) letters[i] = "fw"[counts ? (i + 1) % every != 0 : letters[i] == '1'];
  letters[layers] = '\0';
  return SS_OK;
}

/* Tokens of a window on the left, without the token itself, and 0 on the right: window_size of TransformerConfig. */
static ss_status read_windows(ss_sheet *s, ss_error *error)
{
  const char *text = s->text[SS_KEPT_WINDOW] + (s->text[SS_KEPT_WINDOW][0] == '(');
  char letters[SS_KINDS_LAYERS + 1], *end;
  ss_kinds kinds = {.count = 0};
  if (text[0] == '\0') return SS_OK;
  const long long left = strtoll(text, &end, 10);
  if (end == text || left < 0 || left >= 1000000000 || strspn(end, ", 0)") != strlen(end))
    return ss_sheet_refuse(s, SS_KEPT_WINDOW, "is no window behind a token; allowed: such as 127,0", error);
  const ss_status status = s->text[SS_KEPT_WINDOW_SKIP][0] != '\0' ? read_skips(s, letters, error) : SS_OK;
  if (status != SS_OK) return status;
  if (s->text[SS_KEPT_WINDOW_SKIP][0] == '\0' || strchr(letters, 'f') == NULL) {
    ss_import_set(s->import, SS_AT_model_window, left + 1, s->text_line[SS_KEPT_WINDOW]);
    return SS_OK;
  }
  ss_kinds_add(&kinds, 'w', "window", left + 1, "");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  return lay(s, &kinds, letters, SS_KEPT_WINDOW, error);
}

/* Layers that take what an indexer before has chosen: is_dsa_skip_topk_layer of
 * megatron/core/transformer/experimental_attention_variant/dsa.py, which counts layers from 1. */
static ss_status read_choices(ss_sheet *s, ss_error *error)
{
  const int64_t every = ss_sheet_given(s, SS_VALUE_INDEX_EVERY, 1), first = ss_sheet_given(s, SS_VALUE_INDEX_FIRST, 1);
  const int64_t layers = s->workload->model.layers;
  const int line = s->value_line[SS_VALUE_INDEX_EVERY];
  char letters[SS_KINDS_LAYERS + 1];
  ss_kinds kinds = {.count = 0};
  if (every == 1 || layers < 1 || s->value[SS_VALUE_SPARSE] <= 0.0) return SS_OK;
  if (s->workload->model.pattern[0] != '\0')
    return ss_error_set(error, SS_ERROR_INPUT, s->path, line,
                        "dsa-indexer-topk-freq: layers share what an indexer has chosen, and differ otherwise, too; "
                        "allowed: 1, and --set model.kinds with index-heads=0");
  for (int64_t i = 0; i < layers; ++i) letters[i] = "fl"[i >= first && (i + 1 - first) % every != 0];
  letters[layers] = '\0';
  ss_kinds_add_own(&kinds, "index-heads=0", letters, &s->workload->model.dense_layers);
  return ss_kinds_set(s->import, s->path, &kinds, letters, line, error);
}

/* Stages are cut by the layers of a class: GPTModelPipe in megatron/model/gpt_model.py of
 * bigscience-workshop/Megatron-DeepSpeed. */
static void read_ends(ss_sheet *s)
{
  if (s->value[SS_VALUE_ENDS_COUNT] <= 0.0) return;
  ss_sheet_set(s, SS_AT_parallelism_account_for_embedding, SS_YES, SS_VALUE_ENDS_COUNT);
  ss_sheet_set(s, SS_AT_parallelism_account_for_loss, SS_YES, SS_VALUE_ENDS_COUNT);
}

ss_status ss_megatron_read_layers(ss_sheet *sheet, ss_error *error)
{
  read_ends(sheet);
  ss_status status = ss_megatron_read_mixers(sheet, error);
  if (status == SS_OK) status = read_windows(sheet, error);
  if (status == SS_OK) status = read_experts(sheet, error);
  if (status == SS_OK) status = read_choices(sheet, error);
  return status;
}

/* The kinds of all layers, each as a workload. */
typedef struct laid {
  ss_layer_kinds kinds;
  int8_t of[SS_KINDS_LAYERS];
  int64_t layers;
} laid;

static bool has_only(const laid *l, ss_layer_field field)
{
  for (int64_t i = 0; i < l->kinds.count; ++i)
    for (int other = 0; other < SS_LAYER_FIELDS; ++other)
      if (other != (int)field && l->kinds.kind[i].has[other]) return false;
  return true;
}

static bool is_dense(const ss_layer_kind *kind)
{
  return kind->has[SS_LAYER_FIELD_feed_forward] && kind->value[SS_LAYER_FIELD_feed_forward] == SS_FEED_FORWARD_MLP;
}

/* A list of 0 and 1, where layers differ in having experts; it is what has been read where that was short enough. */
static void write_frequency(ss_sheet *s, const laid *l)
{
  char *text = s->text[SS_KEPT_LAYER_FREQUENCY];
  size_t used = 0;
  if (!has_only(l, SS_LAYER_FIELD_feed_forward) || s->workload->model.experts == 0) return;
  for (int64_t i = 0, run = 1; i < l->layers && used < SS_TEXT_SIZE; i += run, run = 1) {
    const bool dense = is_dense(&l->kinds.kind[l->of[i]]);
    while (i + run < l->layers && is_dense(&l->kinds.kind[l->of[i + run]]) == dense) ++run;
    used += (size_t)snprintf(text + used, SS_TEXT_SIZE - used, "%s[%d]*%" PRId64, used > 0 ? "+" : "(", !dense, run);
  }
  if (used + 1 < SS_TEXT_SIZE)
    memcpy(text + used, ")", 2);
  else
    text[0] = '\0';
}

/* One window, which every n-th layer does not have. */
static void write_windows(ss_sheet *s, const laid *l)
{
  int64_t every = 1, window = 0;
  if (!has_only(l, SS_LAYER_FIELD_window) || s->workload->model.window > 0) return;
  while (every <= l->layers && l->kinds.kind[l->of[every - 1]].value[SS_LAYER_FIELD_window] > 0) ++every;
  for (int64_t i = 0; i < l->layers; ++i) {
    const int64_t own = l->kinds.kind[l->of[i]].value[SS_LAYER_FIELD_window];
    if ((own == 0) != ((i + 1) % every == 0) || (own > 0 && window > 0 && own != window)) return;
    if (own > 0) window = own;
  }
  if (window == 0) return;
  (void)snprintf(s->text[SS_KEPT_WINDOW], SS_TEXT_SIZE, "%" PRId64 ",0", window - 1);
  if (every <= l->layers) (void)snprintf(s->text[SS_KEPT_WINDOW_SKIP], SS_TEXT_SIZE, "%" PRId64, every);
}

void ss_megatron_write_layers(ss_sheet *sheet)
{
  const ss_workload *w = sheet->workload;
  laid l = {.layers = w->model.layers};
  if (w->model.dense_layers > 0)
    (void)snprintf(sheet->text[SS_KEPT_LAYER_FREQUENCY], SS_TEXT_SIZE, "([0]*%" PRId64 "+[1]*%" PRId64 ")",
                   w->model.dense_layers, w->model.layers - w->model.dense_layers);
  if (w->model.window > 0 && w->model.pattern[0] == '\0')
    (void)snprintf(sheet->text[SS_KEPT_WINDOW], SS_TEXT_SIZE, "%" PRId64 ",0", w->model.window - 1);
  if (w->model.pattern[0] == '\0' || !ss_layer_kinds_read(w->model.kinds, &l.kinds, NULL, 0)) return;
  if (ss_layer_pattern_fill(&l.kinds, w->model.pattern, l.layers, l.of) != NULL) return;
  write_frequency(sheet, &l);
  write_windows(sheet, &l);
}
