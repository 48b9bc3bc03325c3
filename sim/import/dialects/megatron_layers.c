#include "sim/import/dialects/megatron_layers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/layer_kinds.h"
#include "sim/import/models/kinds.h"

static ss_status lay(ss_sheet *s, const ss_kinds *kinds, char *letters, ss_sheet_text which, ss_error *error)
{
  const int line = s->text_line[which] > 0 ? s->text_line[which] : 1;
  return ss_kinds_set(s->import, s->path, kinds, letters, line, error);
}

/* Appends `count` more of what is in `bits` from `from` on; false where they are more than layers can be. */
static bool repeat(char *bits, size_t from, long long count)
{
  const size_t length = strlen(bits + from);
  if (count < 0 || (length > 0 && (size_t)count > SS_KINDS_LAYERS / length)) return false;
  if (count == 0) bits[from] = '\0';
  for (long long i = 1; i < count; ++i) {
    const size_t used = strlen(bits);
    if (used + length > SS_KINDS_LAYERS) return false;
    memcpy(bits + used, bits + from, length);
    bits[used + length] = '\0';
  }
  return true;
}

/* Reads sums of [0]*3 and ([1]*3+[0])*2, as Python would; `at` ends behind them. False where it is not that. */
static bool read_sum(const char **at, char *bits, int depth)
{
  do {
    const size_t from = strlen(bits);
    const char open = **at;
    if (open == '(' && depth < 8) {
      ++*at;
      if (!read_sum(at, bits, depth + 1) || **at != ')') return false;
      ++*at;
    } else {
      if (open != '[') return false;
      size_t used = from;
      for (++*at; (**at == '0' || **at == '1') && used < SS_KINDS_LAYERS; *at += *at[0] == ',') {
        bits[used++] = **at;
        ++*at;
      }
      bits[used] = '\0';
      if (**at != ']') return false;
      ++*at;
    }
    if (**at == '*') {
      char *end;
      if (!isdigit((unsigned char)*++*at) || !repeat(bits, from, strtoll(*at, &end, 10))) return false;
      *at = end;
    }
  } while (**at == '+' && ++*at != NULL);
  return true;
}

/* Fills `bits` [layers]: 1 for layers with experts. One in n, or a list: moe_layer_freq of TransformerConfig. */
static bool read_frequency(const char *text, int64_t layers, char *bits)
{
  char *end;
  const long long every = strtoll(text, &end, 10);
  bits[0] = '\0';
  if (strlen(text) > 1 && strspn(text, "01 ") == strlen(text) && strchr(text, ' ') != NULL) { /* a list */
    for (; *text != '\0'; ++text)
      if (*text != ' ') (void)strncat(bits, text, 1);
    return strlen(bits) == (size_t)layers;
  }
  if (isdigit((unsigned char)text[0])) {
    if (*end != '\0' || every < 1) return false;
    for (int64_t i = 0; i < layers; ++i) bits[i] = i % every == 0 ? '1' : '0';
    bits[layers] = '\0';
    return true;
  }
  return read_sum(&text, bits, 0) && *text == '\0' && strlen(bits) == (size_t)layers;
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
  if (text[0] == '\0' || s->workload->model.experts == 0 || s->workload->model.layers < 1) return SS_OK;
  if (!read_frequency(text, s->workload->model.layers, bits))
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

/* Tokens of a window on the left, without the token itself, and 0 on the right: window_size of TransformerConfig. */
static ss_status read_windows(ss_sheet *s, ss_error *error)
{
  const char *text = s->text[SS_KEPT_WINDOW] + (s->text[SS_KEPT_WINDOW][0] == '(');
  const int64_t every = ss_sheet_given(s, SS_VALUE_WINDOW_SKIP, 0), layers = s->workload->model.layers;
  char letters[SS_KINDS_LAYERS + 1], *end;
  ss_kinds kinds = {.count = 0};
  if (text[0] == '\0') return SS_OK;
  const long long left = strtoll(text, &end, 10);
  if (end == text || left < 0 || left >= 1000000000 || strspn(end, ", 0)") != strlen(end))
    return ss_sheet_refuse(s, SS_KEPT_WINDOW, "is no window behind a token; allowed: such as 127,0", error);
  if (every == 0 || every > layers) {
    ss_import_set(s->import, SS_AT_model_window, left + 1, s->text_line[SS_KEPT_WINDOW]);
    return SS_OK;
  }
  for (int64_t i = 0; i < layers; ++i) letters[i] = (i + 1) % every == 0 ? 'f' : 'w';
  letters[layers] = '\0';
  ss_kinds_add(&kinds, 'w', "window", left + 1, "");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  return lay(s, &kinds, letters, SS_KEPT_WINDOW, error);
}

/* M: Mamba-2, *: attention, -: MLP, E: experts; | where stages end:
 * megatron/core/models/hybrid/hybrid_layer_allocation.py. */
static ss_status read_hybrid(ss_sheet *s, ss_error *error)
{
  static const struct {
    ss_sheet_value from;
    ss_attribute_index to;
    int64_t fallback; /* of TransformerConfig */
  } sizes[] = {{SS_VALUE_STATE_HEAD_SIZE, SS_AT_model_state_head_size, 64},
               {SS_VALUE_STATE_SIZE, SS_AT_model_state_size, 128},
               {SS_VALUE_STATE_GROUPS, SS_AT_model_state_groups, 8}};
  const char *text = s->text[SS_KEPT_PATTERN];
  char letters[SS_TEXT_SIZE];
  ss_kinds kinds = {.count = 0};
  if (text[0] == '\0') return SS_OK;
  if (strspn(text, "M*-E") != strlen(text))
    return ss_sheet_refuse(s, SS_KEPT_PATTERN, "has other letters than M, *, - and E, one for each layer", error);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    ss_sheet_set(s, sizes[i].to, ss_sheet_given(s, sizes[i].from, sizes[i].fallback), sizes[i].from);
  /* twice the hidden size: `expand` of megatron/core/ssm/mamba_mixer.py */
  const int64_t heads = 2 * s->workload->model.hidden / s->workload->model.state_head_size;
  ss_sheet_set(s, SS_AT_model_state_heads, ss_sheet_given(s, SS_VALUE_STATE_HEADS, heads), SS_VALUE_STATE_HEADS);
  ss_import_set(s->import, SS_AT_model_layers, (int64_t)strlen(text), s->text_line[SS_KEPT_PATTERN]);
  s->is_set[SS_AT_model_layers] = true;
  const bool experts = s->workload->model.experts > 0;
  memcpy(letters, text, strlen(text) + 1);
  ss_kinds_add(&kinds, 'M', "", 0, "mixer=mamba feed-forward=none");
  ss_kinds_add(&kinds, '-', "", 0, experts ? "mixer=none feed-forward=mlp" : "mixer=none");
  ss_kinds_add(&kinds, '*', "", 0, "feed-forward=none");
  ss_kinds_add(&kinds, 'E', "", 0, "mixer=none");
  return lay(s, &kinds, letters, SS_KEPT_PATTERN, error);
}

/* Sizes of a gated delta rule. */
static void set_linear_sizes(ss_sheet *s)
{
  static const struct {
    ss_sheet_value from;
    ss_attribute_index to;
    int64_t fallback; /* of TransformerConfig */
  } sizes[] = {{SS_VALUE_LINEAR_HEADS, SS_AT_model_state_heads, 32},
               {SS_VALUE_LINEAR_HEAD_SIZE, SS_AT_model_state_head_size, 128},
               {SS_VALUE_LINEAR_KEY_HEADS, SS_AT_model_state_groups, 16},
               {SS_VALUE_LINEAR_KEY_SIZE, SS_AT_model_state_size, 128},
               {SS_VALUE_LINEAR_CONVOLUTION, SS_AT_model_convolution, 4}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    ss_sheet_set(s, sizes[i].to, ss_sheet_given(s, sizes[i].from, sizes[i].fallback), sizes[i].from);
}

/* Layers of a gated delta rule, but every n-th one, or those of 0 in a list: linear_attention_freq of
 * TransformerConfig. */
static ss_status read_linear(ss_sheet *s, ss_error *error)
{
  const char *text = s->text[SS_KEPT_LINEAR_FREQUENCY];
  const int64_t layers = s->workload->model.layers;
  char bits[SS_KINDS_LAYERS + 1], *end;
  ss_kinds kinds = {.count = 0};
  if (s->value[SS_VALUE_LINEAR] <= 0.0 || layers < 1) return SS_OK;
  const long long every = strtoll(text, &end, 10);
  if (end != text && *end == '\0' && every > 0) {
    for (int64_t i = 0; i < layers; ++i) bits[i] = (i + 1) % every == 0 ? '0' : '1';
    bits[layers] = '\0';
  } else if (!read_frequency(text, layers, bits)) {
    return ss_sheet_refuse(s, SS_KEPT_LINEAR_FREQUENCY,
                           "is no number, and no list of 0 and 1 for all layers; allowed: such as 4 or ([1,1,1,0]*12)",
                           error);
  }
  set_linear_sizes(s);
  for (char *bit = bits; *bit != '\0'; ++bit) *bit = *bit == '1' ? 'l' : 'f';
  ss_kinds_add(&kinds, 'l', "", 0, "mixer=linear");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  return lay(s, &kinds, bits, SS_KEPT_LINEAR_FREQUENCY, error);
}

ss_status ss_megatron_read_layers(ss_sheet *sheet, ss_error *error)
{
  ss_status status = read_hybrid(sheet, error);
  if (status == SS_OK) status = read_linear(sheet, error);
  if (status == SS_OK) status = read_windows(sheet, error);
  if (status == SS_OK) status = read_experts(sheet, error);
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
  if (every <= l->layers) s->value[SS_VALUE_WINDOW_SKIP] = (double)every;
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
