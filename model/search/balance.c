#include "model/search/balance.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* A layout as a number: parts * CODES + embedding * OUTPUTS + output, in layers. */
enum { OUTPUTS = 16, CODES = 2 * OUTPUTS };

/* What the ends of the model count, in layers. */
typedef struct ends {
  int64_t embedding, output;
} ends;

static ends ends_of(int64_t value)
{
  return (ends){value % CODES / OUTPUTS, value % OUTPUTS};
}

/* Parameters of the products that a token goes through in a layer with experts, if there are, without those of latent
 * attention. */
static double layer_parameters(const ss_workload *w)
{
  const double hidden = (double)w->model.hidden, head = (double)w->model.head_size;
  const double attention = 2.0 * hidden * head * (double)(w->model.heads + w->model.kv_heads);
  const double matrices = w->model.mlp == SS_MLP_SWIGLU ? 3.0 : 2.0;
  const double experts = (double)((w->model.top_k + w->model.shared_experts) * w->model.expert_ffn);
  return attention + matrices * hidden * (w->model.experts > 0 ? experts : (double)w->model.ffn);
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

/* Layers of the first part, of those between the first and the last one, of which some have one more, and of the last.
 */
typedef struct shares {
  int64_t first, between, longer, last;
} shares;

static shares shares_of(int64_t layers, int64_t parts, ends e)
{
  const int64_t all = layers + e.embedding + e.output, share = all / parts, rest = all % parts;
  const bool all_longer = rest >= parts - 2; /* the first one, too, where one more is left */
  return (shares){.first = share + (rest > parts - 2) - e.embedding,
                  .between = parts > 2 ? share + all_longer : 0,
                  .longer = all_longer ? 0 : rest,
                  .last = share - e.output};
}

/* Every part has at least as much as the ends count, so that none has less than no layers. */
static bool is_sound(const ss_workload *w, int64_t parts, ends e)
{
  const int64_t most = e.output > e.embedding ? e.output : e.embedding, about = output_layers(w);
  const bool of_size = e.output <= 1 || e.output == about || e.output == about + 1;
  if (!of_size || e.embedding > e.output || (w->model.vocabulary == 0 && most > 0)) return false;
  if (most == 0 && w->model.layers % parts == 0) return false; /* equal parts */
  return (w->model.layers + e.embedding + e.output) / parts >= (most > 1 ? most : 1);
}

/* The layout is sound, and no earlier one is the same. */
static bool is_proposed(const ss_workload *w, int64_t parts, int64_t code)
{
  if (!is_sound(w, parts, ends_of(code))) return false;
  const shares s = shares_of(w->model.layers, parts, ends_of(code));
  for (int64_t i = 0; i < code; ++i) {
    if (!is_sound(w, parts, ends_of(i))) continue;
    const shares t = shares_of(w->model.layers, parts, ends_of(i));
    if (s.first == t.first && s.between == t.between && s.longer == t.longer && s.last == t.last) return false;
  }
  return true;
}

static bool says_layers(const ss_workload *own)
{
  return own->parallelism.first_stage_layers != SS_DERIVED || own->parallelism.last_stage_layers != SS_DERIVED ||
         own->parallelism.account_for_embedding == SS_YES || own->parallelism.account_for_loss == SS_YES;
}

int64_t ss_balance_next(int64_t value, const ss_workload *workload, const ss_workload *own)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(workload);
  const int64_t parts = ss_shape_parts(&shape);
  const bool only = parts == 1 || says_layers(own);
  if (value == SS_BALANCE_NONE && (only || workload->model.layers % parts == 0)) return SS_BALANCE_EQUAL;
  for (int64_t code = value > SS_BALANCE_EQUAL ? value % CODES + 1 : 0; code < CODES && !only; ++code)
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

void ss_balance_text(int64_t value, int64_t layers, int64_t modules, char *text, size_t size)
{
  *text = '\0';
  if (value == SS_BALANCE_EQUAL) return;
  const int64_t parts = value / CODES;
  const shares s = shares_of(layers, parts, ends_of(value));
  writer w = {text, size};
  write(&w, "E", s.first, 't', "|");
  write_parts(&w, parts - 2 - s.longer, s.between);
  write_parts(&w, s.longer, s.between + 1);
  write(&w, "", s.last, 't', "");
  write(&w, "", modules, 'm', "L");
}
