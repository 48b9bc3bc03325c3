#include "sim/import/dialects/megatron_mixers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/dialects/layer_marks.h"
#include "sim/import/models/hybrid_letters.h"

/* A size, from a value or from TransformerConfig. */
typedef struct size_row {
  ss_sheet_value from;
  ss_attribute_index to;
  int64_t fallback;
} size_row;

static void set_sizes(ss_sheet *s, const size_row *rows, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    ss_sheet_set(s, rows[i].to, ss_sheet_given(s, rows[i].from, rows[i].fallback), rows[i].from);
}

/* Tokens of a chunk: chunk_size of megatron/core/ssm/mamba_mixer.py, and of chunk_gated_delta_rule and chunk_kda of
 * flash-linear-attention. */
enum { MAMBA_CHUNK = 128, LINEAR_CHUNK = 64 };

/* Heads times their size are twice the hidden size where neither number is given: `expand` of MambaMixer. */
static void set_mamba_sizes(ss_sheet *s)
{
  static const size_row sizes[] = {{SS_VALUE_STATE_HEAD_SIZE, SS_AT_model_state_head_size, 64},
                                   {SS_VALUE_STATE_SIZE, SS_AT_model_state_size, 128},
                                   {SS_VALUE_STATE_GROUPS, SS_AT_model_state_groups, 8}};
  set_sizes(s, sizes, sizeof sizes / sizeof sizes[0]);
  const int64_t wide = ss_sheet_given(s, SS_VALUE_STATE_EXPANSION, 2) * s->workload->model.hidden;
  ss_sheet_set(s, SS_AT_model_state_heads,
               ss_sheet_given(s, SS_VALUE_STATE_HEADS, wide / s->workload->model.state_head_size),
               SS_VALUE_STATE_HEADS);
  ss_sheet_set(s, SS_AT_model_state_chunk, MAMBA_CHUNK, SS_VALUE_STATE_SIZE);
}

/* Sizes of a gated delta rule. */
static void set_linear_sizes(ss_sheet *s)
{
  static const size_row sizes[] = {{SS_VALUE_LINEAR_HEADS, SS_AT_model_state_heads, 32},
                                   {SS_VALUE_LINEAR_HEAD_SIZE, SS_AT_model_state_head_size, 128},
                                   {SS_VALUE_LINEAR_KEY_HEADS, SS_AT_model_state_groups, 16},
                                   {SS_VALUE_LINEAR_KEY_SIZE, SS_AT_model_state_size, 128},
                                   {SS_VALUE_LINEAR_CONVOLUTION, SS_AT_model_convolution, 4}};
  set_sizes(s, sizes, sizeof sizes / sizeof sizes[0]);
  ss_sheet_set(s, SS_AT_model_state_chunk, LINEAR_CHUNK, SS_VALUE_LINEAR_KEY_SIZE);
}

/* A mixer that layers of `M` have in place of Mamba-2, by the name of a function of Primus
 * (primus/backends/megatron/core/models/hybrid/hybrid_mamba_mla_layer_specs.py). */
static const char *mixer_of(const char *spec)
{
  if (strstr(spec, "gdn_hybrid_stack_spec") != NULL) return "mixer=linear";
  return strstr(spec, "kda_hybrid_stack_spec") != NULL ? "mixer=kda" : "mixer=mamba";
}

/* The modules that have layers of these kinds. */
static bool is_hybrid(const char *spec)
{
  static const char *const modules[] = {"core.models.hybrid.", "megatron.core.models.mamba."};
  for (size_t i = 0; i < sizeof modules / sizeof modules[0]; ++i)
    if (strstr(spec, modules[i]) != NULL) return true;
  return false;
}

/* Modules that predict a token further: their letters behind a slash each, all the same, or by themselves beside the
 * number of modules (megatron/core/models/hybrid/hybrid_layer_allocation.py, validate_args of
 * megatron/training/arguments.py). */
static ss_status read_modules(const ss_sheet *s, char letters[SS_TEXT_SIZE], int64_t *count, ss_error *error)
{
  const char *slash = strchr(s->text[SS_KEPT_PATTERN], '/');
  const ss_sheet_text from = slash != NULL ? SS_KEPT_PATTERN : SS_KEPT_MODULE_PATTERN;
  const char *modules = slash != NULL ? slash + 1 : s->text[from];
  const size_t length = strcspn(modules, "/");
  char problem[SS_MESSAGE_SIZE / 4];
  *count = 0;
  (void)snprintf(letters, SS_TEXT_SIZE, "%.*s", (int)length, modules);
  if (strspn(letters, SS_HYBRID_LETTERS) != length)
    return ss_sheet_refuse(s, from, "has modules of other letters; allowed: M, *, -, E and G", error);
  for (const char *at = slash; at != NULL; at = strchr(at + 1, '/')) {
    if (strcspn(at + 1, "/") != length || strncmp(at + 1, letters, length) != 0)
      return ss_sheet_refuse(s, from, "has modules that differ; allowed: the same letters behind each /", error);
    ++*count;
  }
  const int64_t most = (int64_t)ss_workload_attributes()[SS_AT_model_mtp_modules].maximum;
  (void)snprintf(problem, sizeof problem, "has %" PRId64 " modules; allowed: up to %" PRId64, *count, most);
  return *count > most ? ss_sheet_refuse(s, from, problem, error) : SS_OK;
}

/* What says something else than the pattern, which goes before it (validate_args). */
static ss_status note_others(const ss_sheet *s, const char *letters, int64_t count, ss_error *error)
{
  const char *modules = s->text[SS_KEPT_MODULE_PATTERN];
  const int64_t own = s->workload->model.mtp_modules;
  const bool differs = s->is_set[SS_AT_model_mtp_modules] && own != count;
  char text[2 * SS_TEXT_SIZE];
  if (strchr(s->text[SS_KEPT_PATTERN], '/') == NULL) return SS_OK;
  if (modules[0] != '\0' && strcmp(modules, letters) != 0) {
    (void)snprintf(text, sizeof text, "mtp-hybrid-override-pattern=%.64s beside a pattern that has %.64s behind /",
                   modules, letters);
    const ss_status status = ss_import_note(s->import, SS_NOTE_UNREAD, text, error);
    if (status != SS_OK) return status;
  }
  if (!differs) return SS_OK;
  (void)snprintf(text, sizeof text, "mtp-num-layers=%" PRId64 " beside a pattern with %" PRId64 " modules", own, count);
  return ss_import_note(s->import, SS_NOTE_UNREAD, text, error);
}

static ss_status add_modules(ss_sheet *s, ss_kinds *kinds, const char *mixer, ss_error *error)
{
  char letters[SS_TEXT_SIZE];
  int64_t count;
  ss_status status = read_modules(s, letters, &count, error);
  if (status == SS_OK) status = note_others(s, letters, count, error);
  if (status != SS_OK || letters[0] == '\0') return status;
  if (count > 0) ss_import_set(s->import, SS_AT_model_mtp_modules, count, s->text_line[SS_KEPT_PATTERN]);
  if (s->workload->model.mtp_modules == 0) return SS_OK;
  if (ss_hybrid_add_module(kinds, letters, mixer, s->workload->model.experts > 0)) return SS_OK;
  s->workload->model.mtp_modules = 0;
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT, SS_HYBRID_MODULES_LEFT_OUT, error);
}

/* Lays one letter for each layer. */
static ss_status lay_letters(ss_sheet *s, const char *mixer, char *letters, int line, ss_error *error)
{
  ss_kinds kinds = {.count = 0};
  ss_hybrid_add_kinds(&kinds, mixer, s->workload->model.experts > 0);
  const ss_status status = add_modules(s, &kinds, mixer, error);
  return status == SS_OK ? ss_kinds_set(s->import, s->path, &kinds, letters, line, error) : status;
}

/* Layers between bars are those of a stage or chunk, as parallelism.layout has them; modules are in the last one. */
static ss_status lay_stages(ss_sheet *s, const char *pattern, int line, ss_error *error)
{
  static const char modules[] = "mmmmmmmm";
  const int count = (int)s->workload->model.mtp_modules;
  char text[SS_TEXT_SIZE] = "E";
  size_t used = 1;
  if (strchr(pattern, '|') == NULL) return SS_OK;
  for (const char *at = pattern; used < sizeof text; ++at) {
    const size_t layers = strcspn(at, "|");
    if (layers > 0) used += (size_t)snprintf(text + used, sizeof text - used, "t*%zu", layers);
    at += layers;
    if (used < sizeof text)
      used += *at == '|' ? (size_t)snprintf(text + used, sizeof text - used, "|")
                         : (size_t)snprintf(text + used, sizeof text - used, "%.*sL", count, modules);
    if (*at == '\0' && used < sizeof text) return ss_sheet_set_text(s, SS_AT_parallelism_layout, text, line, error);
    if (*at == '\0') break;
  }
  return ss_sheet_refuse(s, SS_KEPT_PATTERN, "has more stages than parallelism.layout has room for", error);
}

/* Copies letters without bars. */
static void copy_letters(const char *pattern, char *letters)
{
  for (; *pattern != '\0'; ++pattern)
    if (*pattern != '|') *letters++ = *pattern;
  *letters = '\0';
}

static ss_status read_pattern(ss_sheet *s, ss_error *error)
{
  char pattern[SS_TEXT_SIZE], letters[SS_TEXT_SIZE];
  const int line = s->text_line[SS_KEPT_PATTERN];
  memcpy(pattern, s->text[SS_KEPT_PATTERN], sizeof pattern);
  pattern[strcspn(pattern, "/")] = '\0';
  if (strspn(pattern, SS_HYBRID_LETTERS "|") != strlen(pattern))
    return ss_sheet_refuse(s, SS_KEPT_PATTERN, "has other letters; allowed: M, *, -, E and G, one for each layer",
                           error);
  if (strchr(pattern, 'M') != NULL && strchr(pattern, 'G') != NULL)
    return ss_sheet_refuse(s, SS_KEPT_PATTERN, "has both M and G, whose states have the same sizes here; allowed: one",
                           error);
  const char *mixer = mixer_of(s->text[SS_KEPT_SPEC]);
  if (strcmp(mixer, "mixer=mamba") != 0 || strchr(pattern, 'G') != NULL)
    set_linear_sizes(s);
  else
    set_mamba_sizes(s);
  copy_letters(pattern, letters);
  ss_import_set(s->import, SS_AT_model_layers, (int64_t)strlen(letters), line);
  s->is_set[SS_AT_model_layers] = true;
  const ss_status status = lay_letters(s, mixer, letters, line, error);
  return status == SS_OK ? lay_stages(s, pattern, line, error) : status;
}

/* Marks layers evenly: those of `M` become `letter`, one after `every` of them each; pattern_from_ratios of
 * megatron/core/models/hybrid/hybrid_layer_allocation.py. */
static void spread(char *letters, char letter, double every)
{
  double left = every;
  for (; *letters != '\0'; ++letters) {
    if (*letters != 'M') continue;
    if (left < 0.5) {
      *letters = letter;
      left += every;
    } else {
      left -= 1.0;
    }
  }
}

static void lay_evenly(char *letters, int64_t layers, double attention, double mlp)
{
  const double attending = nearbyint((double)layers * attention), mlps = nearbyint((double)layers * mlp);
  const double rest = (double)layers - attending;
  memset(letters, 'M', (size_t)layers);
  letters[layers] = '\0';
  spread(letters, '*', rest / (attending + 1.0));
  if (mlps > 0.0) spread(letters, '-', (rest - mlps) / mlps);
}

/* Each mixer is followed by an MLP, and attention by as many others as there are for it: allocate_layers of
 * primus/backends/megatron/core/models/hybrid/hybrid_block.py. */
static void lay_pairs(char *letters, int64_t layers, double attention)
{
  const int64_t pairs = layers / 2, attending = (int64_t)((double)pairs * attention), others = pairs - attending;
  const int64_t each = attending > 0 ? others / attending : 0, first = attending - others;
  for (int64_t i = 0; i < pairs; ++i) {
    const bool begins = attention <= 0.5 ? each > 0 && i % (each + 1) == 0 && i < attending * (each + 1)
                                         : i < first || (i - first) % 2 == 0;
    letters[2 * i] = begins && attending > 0 ? '*' : 'M';
    letters[2 * i + 1] = '-';
  }
  letters[2 * pairs] = '\0';
}

/* Layers of a stack of Mamba that no pattern and no share lays out all mix by it, unless an earlier file has laid them:
 * the shares of megatron/core/ssm/mamba_hybrid_layer_allocation.py are 0 where nobody says them. */
static bool is_pure(const ss_sheet *s)
{
  const ss_workload *w = s->workload;
  return strstr(s->text[SS_KEPT_SPEC], "mamba_stack_spec") != NULL && s->value[SS_VALUE_HYBRID_STACK] <= 0.0 &&
         w->model.kinds[0] == '\0' && w->line[SS_AT_model_mixer] == SS_LINE_DEFAULT;
}

/* Shares of layers, where no pattern says which: of Primus, whose stack ignores that of MLPs, or of Megatron-LM. The
 * sizes of a delta rule are given where `M` has one. */
static ss_status read_shares(ss_sheet *s, ss_error *error)
{
  const double attention = s->value[SS_VALUE_ATTENTION_SHARE], mlp = s->value[SS_VALUE_MLP_SHARE];
  const bool pairs = s->value[SS_VALUE_HYBRID_STACK] > 0.0 && mlp <= 0.0;
  const int64_t layers = s->workload->model.layers;
  const int line = pairs ? s->value_line[SS_VALUE_HYBRID_STACK] : s->value_line[SS_VALUE_ATTENTION_SHARE];
  const bool linear = s->value[SS_VALUE_LINEAR_HEADS] > 0.0;
  char letters[SS_KINDS_LAYERS + 1];
  const bool laid = s->workload->model.kinds[0] != '\0' && attention <= 0.0 && mlp <= 0.0; /* by an earlier file */
  if (layers < 1 || laid || (!pairs && attention <= 0.0 && mlp <= 0.0 && !is_pure(s))) return SS_OK;
  if (attention + fmax(mlp, 0.0) > 1.0 || (pairs && layers % 2 != 0))
    return ss_error_set(error, SS_ERROR_INPUT, s->path, line,
                        "hybrid_attention_ratio, with hybrid_mlp_ratio: are more than all layers, or %" PRId64
                        " layers are no pairs; allowed: shares of layers, and an even number of these",
                        layers);
  if (pairs)
    lay_pairs(letters, layers, fmax(attention, 0.0));
  else
    lay_evenly(letters, layers, fmax(attention, 0.0), fmax(mlp, 0.0));
  (linear ? set_linear_sizes : set_mamba_sizes)(s);
  return lay_letters(s, linear ? "mixer=linear" : "mixer=mamba", letters, line, error);
}

/* Writes `from` with `mixer` in place of each `earlier`; false where that has no room. */
static bool replace_mixers(const char *from, const char *earlier, const char *mixer, char text[SS_TEXT_SIZE])
{
  size_t used = 0;
  for (const char *at = strstr(from, earlier); at != NULL; at = strstr(from, earlier)) {
    used += (size_t)snprintf(text + used, SS_TEXT_SIZE - used, "%.*s%s", (int)(at - from), from, mixer);
    if (used >= SS_TEXT_SIZE) return false;
    from = at + strlen(earlier);
  }
  return (size_t)snprintf(text + used, SS_TEXT_SIZE - used, "%s", from) < SS_TEXT_SIZE - used;
}

/* Layers that an earlier file has laid out get the mixer that a later one names. */
static ss_status rename_mixer(ss_sheet *s, const char *mixer, ss_error *error)
{
  ss_workload *w = s->workload;
  static const char *const earlier[] = {"mixer=mamba", "mixer=linear"};
  for (size_t i = 0; i < sizeof earlier / sizeof earlier[0]; ++i) {
    char text[SS_TEXT_SIZE];
    if (strstr(w->model.kinds, earlier[i]) == NULL || strcmp(earlier[i], mixer) == 0) continue;
    if (i == 0) set_linear_sizes(s);
    if (!replace_mixers(w->model.kinds, earlier[i], mixer, text))
      return ss_sheet_refuse(s, SS_KEPT_SPEC, "makes the text of kinds of layers too long", error);
    return ss_sheet_set_text(s, SS_AT_model_kinds, text, s->text_line[SS_KEPT_SPEC], error);
  }
  return SS_OK;
}

/* M, *, - and E as a pattern, or as shares; and which mixer M has. */
static ss_status read_hybrid(ss_sheet *s, ss_error *error)
{
  const char *spec = s->text[SS_KEPT_SPEC];
  if (spec[0] != '\0' && !is_hybrid(spec))
    return ss_sheet_refuse(s, SS_KEPT_SPEC, "has layers of its own; allowed: the file without it", error);
  if (s->text[SS_KEPT_PATTERN][0] != '\0') return read_pattern(s, error);
  ss_status status = read_shares(s, error);
  const char *mixer = mixer_of(spec);
  if (status == SS_OK && strcmp(mixer, "mixer=mamba") != 0) status = rename_mixer(s, mixer, error);
  return status;
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
  if (text[0] == '\0')
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_LINEAR],
                        "%s: needs linear-attention-freq, which layers have it", s->value_row[SS_VALUE_LINEAR]->key);
  const long long every = strtoll(text, &end, 10);
  if (end != text && *end == '\0' && every > 0) {
    for (int64_t i = 0; i < layers; ++i) bits[i] = (i + 1) % every == 0 ? '0' : '1';
    bits[layers] = '\0';
  } else if (!ss_layer_marks_list(text, layers, bits)) {
    return ss_sheet_refuse(s, SS_KEPT_LINEAR_FREQUENCY,
                           "is no number, and no list of 0 and 1 for all layers; allowed: such as 4 or ([1,1,1,0]*12)",
                           error);
  }
  set_linear_sizes(s);
  for (char *bit = bits; *bit != '\0'; ++bit) *bit = *bit == '1' ? 'l' : 'f';
  ss_kinds_add(&kinds, 'l', "", 0, "mixer=linear");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  return ss_kinds_set(s->import, s->path, &kinds, bits, s->text_line[SS_KEPT_LINEAR_FREQUENCY], error);
}

/* `conv` or `full_attention` for each layer, of which some have experts (lfm_layer_types of Primus, moe_layer_freq). */
static ss_status read_types(ss_sheet *s, ss_error *error)
{
  static const char names[2][2] = {{'d', 'f'}, {'m', 'l'}}; /* whether of a convolution, and with experts */
  char *types = s->text[SS_KEPT_LAYER_TYPES], *rest = NULL, bits[SS_KINDS_LAYERS + 1], letters[SS_TEXT_SIZE];
  const char *experts = s->text[SS_KEPT_LAYER_FREQUENCY];
  const int64_t layers = s->workload->model.layers;
  int64_t count = 0;
  ss_kinds kinds = {.count = 0};
  if (types[0] == '\0' || layers < 1) return SS_OK;
  if (!ss_layer_marks_read(experts[0] != '\0' ? experts : "1", layers, bits))
    return ss_sheet_refuse(s, SS_KEPT_LAYER_FREQUENCY, "is no number, and no list of 0 and 1 for all layers", error);
  for (const char *word = strtok_r(types, " ,[]'\"", &rest); word != NULL; word = strtok_r(NULL, " ,[]'\"", &rest)) {
    const bool mixes = strcmp(word, "conv") == 0;
    if (count == layers || (!mixes && strcmp(word, "full_attention") != 0)) break;
    letters[count] = names[mixes][bits[count] == '1' && s->workload->model.experts > 0];
    letters[++count] = '\0';
  }
  if (count != layers)
    return ss_sheet_refuse(s, SS_KEPT_LAYER_TYPES, "is not conv or full_attention for each layer", error);
  ss_sheet_set(s, SS_AT_model_convolution, ss_sheet_given(s, SS_VALUE_SHORT_CONVOLUTION, 3),
               SS_VALUE_SHORT_CONVOLUTION);
  ss_kinds_add(&kinds, 'l', "", 0, "mixer=convolution");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  ss_kinds_add(&kinds, 'm', "", 0, "mixer=convolution feed-forward=mlp");
  ss_kinds_add(&kinds, 'd', "", 0, "feed-forward=mlp");
  return ss_kinds_set(s->import, s->path, &kinds, letters, s->text_line[SS_KEPT_LAYER_TYPES], error);
}

ss_status ss_megatron_read_mixers(ss_sheet *sheet, ss_error *error)
{
  ss_status status = read_hybrid(sheet, error);
  if (status == SS_OK) status = read_linear(sheet, error);
  return status == SS_OK ? read_types(sheet, error) : status;
}
