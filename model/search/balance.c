#include "model/search/balance.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/block/mixer/compressed_attention.h"
#include "model/block/mixer/sparse_attention.h"
#include "model/block/mixer/state_space.h"
#include "model/estimate/estimate.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* A layout as a number: parts * CODES + tower * END_CODES + embedding * OUTPUTS + output, in layers. */
enum { OUTPUTS = 16, END_CODES = 2 * OUTPUTS, TOWERS = 512, CODES = TOWERS * END_CODES };

/* What the ends of the model count, in layers. */
typedef struct ends {
  int64_t tower, embedding, output;
} ends;

static ends ends_of(int64_t value)
{
  return (ends){value % CODES / END_CODES, value % END_CODES / OUTPUTS, value % OUTPUTS};
}

/* Parameters of the products that a token goes through in a layer with experts, if there are. */
static double layer_parameters(const ss_workload *w)
{
  const double hidden = (double)w->model.hidden;
  const double matrices = w->model.mlp == SS_MLP_SWIGLU ? 3.0 : 2.0;
  const double routed = (double)ss_workload_expert_hidden(w) * ss_workload_choices(w);
  const double experts = (routed + hidden * (double)w->model.shared_experts) * (double)w->model.expert_ffn;
  const double latent = 2.0 * hidden * (double)w->model.expert_latent;
  return ss_estimate_mixer_parameters(w) +
         (w->model.experts > 0 ? matrices * experts + latent : matrices * hidden * (double)w->model.ffn);
}

/* Layers that take as long as the output layer and the modules ahead of it, each of which is a layer, a product of
 * twice the hidden size, and one more product of the output layer; rounded down. */
static int64_t output_layers(const ss_workload *w)
{
  const double hidden = (double)w->model.hidden, modules = (double)w->model.mtp_modules;
  const double products = (1.0 + modules) * (double)w->model.vocabulary * hidden + modules * 2.0 * hidden * hidden;
  const double layers = modules + products / layer_parameters(w);
  return layers < OUTPUTS - 2 ? (int64_t)layers : OUTPUTS - 2;
}

/* Of a token, where attention looks at some. */
static double chosen_flop(ss_sparse_shape s)
{
  const ss_sparse_flop of = ss_sparse_flop_of(&s);
  return (of.logits + of.attend + of.scores) / (s.batch * s.queries);
}

/* What the core of attention, or the scan of another mixer, computes forward for a token. Half of the keys are seen.
 * Backward is taken for twice as much: of an indexer, which scores tokens forward only, that stands for the target and
 * the gradients of its loss. */
static double core_flop(const ss_workload *w)
{
  if (!ss_workload_attends(w)) return ss_state_scan_flop(w, 1.0);
  if (ss_workload_is_compressed(w)) return chosen_flop(ss_compressed_shape_of(w));
  if (ss_workload_is_sparse(w)) return chosen_flop(ss_sparse_shape_of(w, 1.0, 1.0));
  const int64_t rope = w->model.kv_rank > 0 ? w->model.rope_size : 0;
  const int64_t columns = w->model.heads * (w->model.head_size + rope + ss_workload_value_size(w));
  return (double)w->model.sequence * (double)columns + ss_state_scan_flop(w, 1.0);
}

/* A layer of the decoder: what forward computes for a sequence. */
static double layer_flop(const ss_workload *w)
{
  return (double)w->model.sequence * (2.0 * layer_parameters(w) + core_flop(w));
}

/* The tower with its ends. */
static double tower_flop(const ss_workload *w)
{
  const double hidden = (double)w->model.vision_hidden, patches = ss_tower_patches(w);
  const double matrices = w->model.vision_mlp == SS_MLP_SWIGLU ? 3.0 : 2.0;
  const double layer = 4.0 * hidden * hidden + matrices * hidden * (double)w->model.vision_ffn;
  double flop = 2.0 * patches * (double)w->model.vision_patch * hidden;
  for (int64_t i = 0; i < w->model.vision_layers; ++i) {
    const int64_t seen = ss_tower_layer_has_windows(w, i) ? w->model.vision_window : w->model.vision_tokens;
    flop += patches * (2.0 * layer + 4.0 * (double)seen * hidden);
  }
  return flop + 2.0 * ss_tower_tokens(w) * ss_projector_parameters(w);
}

/* Layers of the decoder that take as long as the tower; rounded down. A frozen one goes forward once, a layer of the
 * decoder there and back, which is as long twice, and again where it is recomputed. */
static int64_t tower_layers(const ss_workload *w)
{
  if (!ss_has_tower(w)) return 0;
  const double passes = w->training.recompute == SS_RECOMPUTE_FULL ? 4.0 : 3.0;
  const double once = ss_tower_copies(w) * tower_flop(w) / layer_flop(w);
  const double layers = ss_has_frozen_tower(w) ? once / passes : once;
  return layers < TOWERS - 2 ? (int64_t)layers : TOWERS - 2;
}

/* Layers of the first part, of those between the first and the last one, of which some have one more, and of the last.
 */
typedef struct shares {
  int64_t first, between, longer, last;
} shares;

static shares shares_of(int64_t layers, int64_t parts, ends e)
{
  SS_ASSERT(parts > 0);
  const int64_t all = layers + e.embedding + e.output, share = all / parts, rest = all % parts;
  const bool all_longer = rest >= parts - 2; /* the first one, too, where one more is left */
  return (shares){.first = share + (rest > parts - 2) - e.embedding,
                  .between = parts > 2 ? share + all_longer : 0,
                  .longer = all_longer ? 0 : rest,
                  .last = share - e.output};
}

/* Every part has at least as much as the ends count, so that none has less than no layers. With a tower that counts,
 * parts may have nothing, and the embedding, which is small beside it, counts as nothing. */
static bool is_sound(const ss_workload *w, int64_t parts, ends e)
{
  const int64_t most = e.output > e.embedding ? e.output : e.embedding, about = output_layers(w);
  const int64_t tower = tower_layers(w);
  const bool of_size = e.output <= 1 || e.output == about || e.output == about + 1;
  if (e.tower > 0) return of_size && e.embedding == 0 && (e.tower == tower || e.tower == tower + 1);
  if (!of_size || e.embedding > e.output || (w->model.vocabulary == 0 && most > 0)) return false;
  if (most == 0 && w->model.layers % parts == 0) return false; /* equal parts */
  return (w->model.layers + e.embedding + e.output) / parts >= (most > 1 ? most : 1);
}

/* Both are the same layout. */
static bool are_same(const ss_workload *w, int64_t value, int64_t other)
{
  char text[SS_TEXT_SIZE], other_text[SS_TEXT_SIZE];
  if (ends_of(value).tower == 0 && ends_of(other).tower == 0) {
    const shares s = shares_of(w->model.layers, value / CODES, ends_of(value));
    const shares t = shares_of(w->model.layers, other / CODES, ends_of(other));
    return s.first == t.first && s.between == t.between && s.longer == t.longer && s.last == t.last;
  }
  const ss_balanced model = ss_balanced_of(w);
  ss_balance_text(value, &model, text, sizeof text);
  ss_balance_text(other, &model, other_text, sizeof other_text);
  return strcmp(text, other_text) == 0;
}

/* Parts with a tower can be too many different ones. */
static bool is_cut(const ss_workload *w, int64_t value)
{
  char text[SS_TEXT_SIZE];
  const ss_balanced model = ss_balanced_of(w);
  ss_balance_text(value, &model, text, sizeof text);
  return ends_of(value).tower > 0 && strlen(text) + 1 == sizeof text;
}

/* The layout is sound, can be written, and no earlier one is the same. */
static bool is_proposed(const ss_workload *w, int64_t parts, int64_t code)
{
  if (!is_sound(w, parts, ends_of(code)) || is_cut(w, parts * CODES + code)) return false;
  for (int64_t i = 0; i < code; ++i)
    if (is_sound(w, parts, ends_of(i)) && are_same(w, parts * CODES + code, parts * CODES + i)) return false;
  return true;
}

static bool says_layers(const ss_workload *own)
{
  return own->parallelism.vision_stages > 0 || own->parallelism.first_stage_layers != SS_DERIVED ||
         own->parallelism.last_stage_layers != SS_DERIVED || own->parallelism.account_for_embedding == SS_YES ||
         own->parallelism.account_for_loss == SS_YES;
}

int64_t ss_balance_next(int64_t value, const ss_workload *workload, const ss_workload *own)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(workload);
  const int64_t parts = ss_shape_parts(&shape);
  const bool only = parts == 1 || says_layers(own);
  if (value == SS_BALANCE_NONE && (only || workload->model.layers % parts == 0)) return SS_BALANCE_EQUAL;
  const int64_t codes = (ss_has_tower(workload) ? tower_layers(workload) + 2 : 1) * END_CODES;
  for (int64_t code = value > SS_BALANCE_EQUAL ? value % CODES + 1 : 0; code < codes && !only; ++code)
    if (is_proposed(workload, parts, code)) return parts * CODES + code;
  return SS_BALANCE_NONE;
}

/* Writes into what is left of a text. */
typedef struct writer {
  char *at;
  size_t left;
} writer;

/* So many elements of a letter, and what is before and after them. */
static void write(writer *w, const char *before, int64_t count, char letter, const char *after)
{
  const int length = count > 1    ? snprintf(w->at, w->left, "%s%c*%" PRId64 "%s", before, letter, count, after)
                     : count == 1 ? snprintf(w->at, w->left, "%s%c%s", before, letter, after)
                                  : snprintf(w->at, w->left, "%s%s", before, after);
  const size_t written = length >= 0 && (size_t)length < w->left ? (size_t)length : w->left - 1;
  w->at += written;
  w->left -= written;
}

/* So many parts with so many layers each. */
static void write_parts(writer *w, int64_t parts, int64_t layers)
{
  char times[32];
  (void)snprintf(times, sizeof times, "|)*%" PRId64, parts);
  if (parts == 1) write(w, "", layers, 't', "|");
  if (parts > 1) write(w, "(", layers, 't', times);
}

/* Of so many units of a length 1 each those with their middle ahead of the place distance / length; 0 and more. */
static int64_t units_ahead(int64_t distance, int64_t length, int64_t units)
{
  const int64_t twice = 2 * distance - length; /* unit i is ahead where 2 i length is less */
  if (twice <= 0) return 0;
  const int64_t ahead = (twice + 2 * length - 1) / (2 * length);
  return ahead < units ? ahead : units;
}

/* Layers of the tower and of the decoder that a part has, and whether the embedding is ahead of these. */
typedef struct content {
  int64_t vision, layers;
  bool embedding;
} content;

/* What is ahead of the end of so many parts, each of which has an even share of all that counts. Behind the tower,
 * layers begin with the embedding, which counts as nothing. */
static content ahead_of(const ss_balanced *model, int64_t parts, ends e, int64_t end)
{
  const int64_t all = e.tower + model->layers + e.output;
  if (end == parts) return (content){model->vision, model->layers, true};
  const int64_t layers = units_ahead(end * all - e.tower * parts, parts, model->layers);
  return (content){units_ahead(end * all * model->vision, e.tower * parts, model->vision), layers, layers > 0};
}

static content content_of(const ss_balanced *model, int64_t parts, ends e, int64_t part)
{
  const content from = ahead_of(model, parts, e, part), to = ahead_of(model, parts, e, part + 1);
  return (content){to.vision - from.vision, to.layers - from.layers, to.embedding && !from.embedding};
}

static bool is_alike(content a, content b)
{
  return a.vision == b.vision && a.layers == b.layers && !a.embedding && !b.embedding;
}

/* Parts that follow one another and are alike are written once. */
static void write_with_tower(writer *w, const ss_balanced *model, int64_t parts, ends e)
{
  for (int64_t part = 0, end; part < parts; part = end) {
    const content c = content_of(model, parts, e, part);
    for (end = part + 1; end < parts - 1 && is_alike(c, content_of(model, parts, e, end));) ++end;
    char times[32];
    (void)snprintf(times, sizeof times, "|)*%" PRId64, end - part);
    write(w, end - part > 1 ? "(" : "", c.vision, 'V', c.embedding ? "E" : "");
    write(w, "", c.layers, 't', end == parts ? "" : end - part > 1 ? times : "|");
  }
}

ss_balanced ss_balanced_of(const ss_workload *workload)
{
  return (ss_balanced){workload->model.layers, workload->model.mtp_modules, workload->model.vision_layers};
}

void ss_balance_text(int64_t value, const ss_balanced *model, char *text, size_t size)
{
  *text = '\0';
  if (value == SS_BALANCE_EQUAL) return;
  const int64_t parts = value / CODES;
  const ends e = ends_of(value);
  writer w = {text, size};
  if (e.tower > 0) {
    write_with_tower(&w, model, parts, e);
  } else {
    const shares s = shares_of(model->layers, parts, e);
    write(&w, "E", s.first, 't', "|");
    write_parts(&w, parts - 2 - s.longer, s.between);
    write_parts(&w, s.longer, s.between + 1);
    write(&w, "", s.last, 't', "");
  }
  write(&w, "", model->modules, 'm', "L");
}
