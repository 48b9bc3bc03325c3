#include "sim/import/dialects/titan_flavors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/import/models/sizes.h"

/* The models of torchtitan/models/NAME/__init__.py of pytorch/torchtitan at v0.2.0, Llama 2 of 2024. In "irope" every
 * fourth layer of Llama 4, the first one to begin with, attends to all tokens. */
static const struct {
  const char *model, *flavor;
  ss_sizes sizes;
} flavors[] = {
#define ALIKE(model, flavor, sizes)                                                                                    \
  {                                                                                                                    \
    model, flavor,                                                                                                     \
    {                                                                                                                  \
      sizes, NULL, NULL                                                                                                \
    }                                                                                                                  \
  } /* in all layers */
#define LLAMA   "kv-heads=8 vocabulary=128256 mlp=swiglu "
#define LLAMA_2 "vocabulary=32000 mlp=swiglu "
#define QWEN    "kv-heads=8 head-size=128 vocabulary=151936 mlp=swiglu qk-norm=yes "
#define EXPERTS "kv-heads=4 head-size=128 vocabulary=151936 mlp=swiglu qk-norm=yes experts=128 top-k=8 "
#define LATENT  "mlp=swiglu kv-rank=512 rope-size=64 head-size=128 "
#define LLAMA_4                                                                                                        \
  "layers=48 hidden=5120 heads=40 kv-heads=8 ffn=16384 vocabulary=202048 mlp=swiglu top-k=1 expert-ffn=8192 "          \
  "shared-experts=1 "
#define OSS                                                                                                            \
  "hidden=2880 heads=64 kv-heads=8 head-size=64 ffn=2880 vocabulary=201088 mlp=swiglu top-k=4 expert-ffn=2880 "
#define DENSE "feed-forward=mlp"
    ALIKE("llama2", "7B", LLAMA_2 "layers=32 hidden=4096 heads=32 ffn=11008"),
    ALIKE("llama2", "13B", LLAMA_2 "layers=40 hidden=5120 heads=40 ffn=13824"),
    ALIKE("llama2", "70B", LLAMA_2 "layers=80 hidden=8192 heads=64 kv-heads=8 ffn=28672"),
    ALIKE("llama3", "1B", LLAMA "layers=16 hidden=2048 heads=32 ffn=8192 tied-embeddings=yes"),
    ALIKE("llama3", "3B", LLAMA "layers=28 hidden=3072 heads=24 ffn=8192 tied-embeddings=yes"),
    ALIKE("llama3", "8B", LLAMA "layers=32 hidden=4096 heads=32 ffn=14336"),
    ALIKE("llama3", "70B", LLAMA "layers=80 hidden=8192 heads=64 ffn=28672"),
    ALIKE("llama3", "405B", LLAMA "layers=126 hidden=16384 heads=128 ffn=53248"),
    ALIKE("qwen3", "0.6B", QWEN "layers=28 hidden=1024 heads=16 ffn=3072 tied-embeddings=yes"),
    ALIKE("qwen3", "1.7B", QWEN "layers=28 hidden=2048 heads=16 ffn=6144 tied-embeddings=yes"),
    ALIKE("qwen3", "4B", QWEN "layers=36 hidden=2560 heads=32 ffn=9728 tied-embeddings=yes"),
    ALIKE("qwen3", "8B", QWEN "layers=36 hidden=4096 heads=32 ffn=12288"),
    ALIKE("qwen3", "14B", QWEN "layers=40 hidden=5120 heads=40 ffn=17408"),
    ALIKE("qwen3", "32B", QWEN "layers=64 hidden=5120 heads=64 ffn=25600"),
    ALIKE("qwen3", "30B-A3B", EXPERTS "layers=48 hidden=2048 heads=32 ffn=6144 expert-ffn=768"),
    ALIKE("qwen3", "235B-A22B", EXPERTS "layers=94 hidden=4096 heads=64 ffn=12288 expert-ffn=1536"),
    ALIKE("deepseek_v3", "16B",
          LATENT "layers=27 hidden=2048 heads=16 ffn=10944 vocabulary=102400 experts=64 "
                 "top-k=6 expert-ffn=1408 "
                 "shared-experts=2 dense-layers=1"),
    ALIKE("deepseek_v3", "236B",
          LATENT "layers=60 hidden=5120 heads=128 ffn=12288 vocabulary=102400 "
                 "q-rank=1536 experts=160 top-k=6 "
                 "expert-ffn=1536 shared-experts=2 dense-layers=1"),
    ALIKE("deepseek_v3", "671B",
          LATENT "layers=61 hidden=7168 heads=128 ffn=18432 vocabulary=129280 "
                 "q-rank=1536 experts=256 top-k=8 "
                 "expert-ffn=2048 shared-experts=1 dense-layers=3"),
    {"gpt_oss", "20b", {OSS "layers=24 experts=32", "w window=128; f", "wf"}},
    {"gpt_oss", "120b", {OSS "layers=36 experts=128", "w window=128; f", "wf"}},
    ALIKE("llama4", "17bx16e", LLAMA_4 "experts=16"),
    {"llama4", "17bx128e", {LLAMA_4 "experts=128", "d " DENSE "; e", "de"}},
    {"llama4", "17bx16e_irope", {LLAMA_4 "experts=16", "f; e chunk=8192", "feee"}},
    {"llama4", "17bx128e_irope", {LLAMA_4 "experts=128", "g " DENSE "; e chunk=8192; d " DENSE " chunk=8192", "gede"}},
};

enum { FLAVORS = sizeof flavors / sizeof flavors[0] };

/* How much of a name a flavor is, in small letters and with '_' for what a name of Python has not; 0: it begins with
 * another one. */
static size_t begins_with(const char *name, const char *flavor)
{
  size_t i = 0;
  while (flavor[i] != '\0' && name[i] == (isalnum((unsigned char)flavor[i]) ? tolower((unsigned char)flavor[i]) : '_'))
    ++i;
  return flavor[i] == '\0' && (name[i] == '\0' || name[i] == '_') ? i : 0;
}

/* The longest flavor that the name of a program has behind its model, as in qwen3_30b_a3b; FLAVORS without one. */
static int flavor_of_program(const char *model, const char *program)
{
  const size_t length = strlen(model);
  size_t most = 0;
  int best = FLAVORS;
  if (strncmp(program, model, length) != 0 || program[length] != '_') return FLAVORS;
  for (int i = 0; i < FLAVORS; ++i) {
    const size_t size = strcmp(flavors[i].model, model) == 0 ? begins_with(program + length + 1, flavors[i].flavor) : 0;
    if (size > most) best = i;
    if (size > most) most = size;
  }
  return best;
}

/* The flavor is in the name of a program, and what else it sets in its text, which is not here. */
static ss_status read_program(ss_sheet *sheet, ss_error *error)
{
  char *program = sheet->text[SS_KEPT_PROGRAM];
  char text[SS_TEXT_SIZE + 128];
  program[strcspn(program, " ")] = '\0'; /* before what a script hands on, "$@" */
  const int i = flavor_of_program(sheet->text[SS_KEPT_MODEL], program);
  if (i == FLAVORS && sheet->workload->model.layers == 0)
    return ss_sheet_refuse(sheet, SS_KEPT_PROGRAM,
                           "is a program of TorchTitan whose model is not known; allowed: one such as llama3_8b, or a "
                           "config.json ahead of this file",
                           error);
  if (i < FLAVORS) memcpy(sheet->text[SS_KEPT_FLAVOR], flavors[i].flavor, strlen(flavors[i].flavor) + 1);
  sheet->text_line[SS_KEPT_FLAVOR] = sheet->text_line[SS_KEPT_PROGRAM] > 0 ? sheet->text_line[SS_KEPT_PROGRAM] : 1;
  (void)snprintf(text, sizeof text,
                 "what the program %.100s sets beside its model: options behind it say it, such as "
                 "--training.max_context_length, or --set",
                 program);
  return ss_import_note(sheet->import, SS_NOTE_MATTERS, text, error);
}

/* A debugmodel is nobody's size. */
ss_status ss_titan_read_flavor(ss_sheet *sheet, ss_error *error)
{
  const char *model = sheet->text[SS_KEPT_MODEL], *flavor = sheet->text[SS_KEPT_FLAVOR];
  const bool by_program = flavor[0] == '\0' && model[0] != '\0' && sheet->text[SS_KEPT_PROGRAM][0] != '\0';
  const ss_status status = by_program ? read_program(sheet, error) : SS_OK;
  const int line = sheet->text_line[SS_KEPT_FLAVOR];
  int i = 0;
  if (status != SS_OK || flavor[0] == '\0') return status;
  while (i < FLAVORS && (strcmp(flavors[i].model, model) != 0 || strcmp(flavors[i].flavor, flavor) != 0)) ++i;
  if (i < FLAVORS) {
    ss_sizes_set(sheet->import, &flavors[i].sizes, line);
    if (sheet->workload->line[SS_AT_model_name] != SS_LINE_DEFAULT) return SS_OK;
    (void)snprintf(sheet->workload->model.name, SS_TEXT_SIZE, "%.100s-%.100s", model, flavor);
    sheet->workload->line[SS_AT_model_name] = line;
    return SS_OK;
  }
  if (sheet->workload->model.layers > 0) return SS_OK; /* another file has said it */
  return ss_sheet_refuse(sheet, SS_KEPT_FLAVOR,
                         "is no flavor whose sizes are known; allowed: a config.json ahead of this file", error);
}

/* Whether a model has the sizes, and what they imply. */
static bool has_sizes(const ss_workload *w, const ss_sizes *sizes)
{
  ss_workload own;
  ss_import import = {.workload = &own};
  ss_workload_init(&own);
  ss_sizes_set(&import, sizes, 1);
  ss_workload_derive(&own);
  own.model.sequence = w->model.sequence;
  memcpy(own.model.name, w->model.name, sizeof own.model.name);
  own.model.routed_domains = w->model.routed_domains;
  own.model.router_groups = w->model.router_groups;
  own.model.router_group_top_k = w->model.router_group_top_k;
  for (int at = 0; at < SS_ATTRIBUTE_TOTAL; ++at)
    if (strcmp(ss_workload_attributes()[at].element, "model") == 0 &&
        !ss_workload_agree(w, &own, (ss_attribute_index)at))
      return false;
  return true;
}

/* The flavor of a workload; FLAVORS without one. */
static int flavor_of(const ss_workload *w)
{
  int i = 0;
  while (i < FLAVORS && !has_sizes(w, &flavors[i].sizes)) ++i;
  return i;
}

void ss_titan_write_flavor(ss_sheet *sheet)
{
  const int i = flavor_of(sheet->workload);
  if (i == FLAVORS) return;
  memcpy(sheet->text[SS_KEPT_MODEL], flavors[i].model, strlen(flavors[i].model) + 1);
  memcpy(sheet->text[SS_KEPT_FLAVOR], flavors[i].flavor, strlen(flavors[i].flavor) + 1);
}

bool ss_titan_has_flavor(const ss_workload *workload)
{
  return flavor_of(workload) < FLAVORS;
}
