#include "model/search/module_sets.h"

#include <stdbool.h>

#include "model/base/error.h"
#include "model/input/workload.h"
#include "model/plan/layers/layer_modules.h"

#define RECOMPUTE(module) SS_WORD_BIT(SS_RECOMPUTE_##module)
#define OFFLOAD(module)   SS_WORD_BIT(SS_OFFLOAD_##module)

/* Of Megatron-Bridge and Megatron-MoE-ModelZoo (validation/measured-mbridge-*.xml, measured-moe-zoo.xml): modules that
 * cost little, then more of them. */
static const unsigned usual_recompute[] = {
    RECOMPUTE(LAYERNORM) | RECOMPUTE(MOE_ACT),
    RECOMPUTE(LAYERNORM) | RECOMPUTE(MOE_ACT) | RECOMPUTE(MLA_UP_PROJ),
    RECOMPUTE(MLA_UP_PROJ) | RECOMPUTE(MLP),
    RECOMPUTE(LAYERNORM) | RECOMPUTE(MOE_ACT) | RECOMPUTE(MLA_UP_PROJ) | RECOMPUTE(MLP),
    RECOMPUTE(LAYERNORM) | RECOMPUTE(MOE),
    RECOMPUTE(LAYERNORM) | RECOMPUTE(MOE) | RECOMPUTE(CORE_ATTN),
    RECOMPUTE(LAYERNORM) | RECOMPUTE(MLP) | RECOMPUTE(CORE_ATTN),
};

/* Of the guide of Megatron-LM (docs/user-guide/features/fine_grained_activation_offloading.md): parts of attention, of
 * experts, norms, and all of them. The guide leaves out qkv_linear, whose input is what attn_norm puts out. */
static const unsigned usual_offload[] = {
    OFFLOAD(CORE_ATTN) | OFFLOAD(ATTN_PROJ),
    OFFLOAD(EXPERT_FC1) | OFFLOAD(MOE_ACT),
    OFFLOAD(CORE_ATTN) | OFFLOAD(ATTN_PROJ) | OFFLOAD(EXPERT_FC1),
    OFFLOAD(CORE_ATTN) | OFFLOAD(ATTN_PROJ) | OFFLOAD(EXPERT_FC1) | OFFLOAD(MOE_ACT),
    OFFLOAD(ATTN_NORM) | OFFLOAD(MLP_NORM),
    OFFLOAD(ATTN_NORM) | OFFLOAD(MLP_NORM) | OFFLOAD(CORE_ATTN) | OFFLOAD(ATTN_PROJ) | OFFLOAD(EXPERT_FC1) |
        OFFLOAD(MOE_ACT),
};

enum { WORDS = 8, SETS_MOST = 1 + WORDS + 8 + 1 };

typedef struct sets {
  unsigned of[SETS_MOST];
  int count;
} sets;

static void add(sets *all, unsigned set)
{
  for (int i = 0; i < all->count; ++i)
    if (all->of[i] == set) return;
  SS_ASSERT(all->count < SETS_MOST);
  all->of[all->count++] = set;
}

static void add_each(sets *all, unsigned modules)
{
  for (int i = 0; i < WORDS; ++i) add(all, modules & SS_WORD_BIT(i));
}

static void add_usual(sets *all, const unsigned *usual, size_t count, unsigned modules)
{
  for (size_t i = 0; i < count; ++i) add(all, usual[i] & modules);
}

static int64_t after(const sets *all, int64_t value)
{
  if (value == SS_MODULE_SETS_END) return all->of[0];
  int i = 0;
  while (i < all->count && (int64_t)all->of[i] != value) ++i;
  return i + 1 < all->count ? (int64_t)all->of[i + 1] : SS_MODULE_SETS_END;
}

int64_t ss_recompute_sets_next(int64_t value, const ss_workload *own)
{
  const unsigned modules = ss_layer_recompute_modules(own);
  sets all = {.of = {0}, .count = 1};
  add_each(&all, modules);
  add_usual(&all, usual_recompute, sizeof usual_recompute / sizeof usual_recompute[0], modules);
  add(&all, own->training.recompute_modules);
  return after(&all, value);
}

/* The output of attention is offloaded only with what attention takes (the refusal offload_projection). */
int64_t ss_offload_sets_next(int64_t value, const ss_workload *own)
{
  const unsigned modules = ss_layer_offload_modules(own);
  sets all = {.of = {0}, .count = 1};
  add_each(&all, modules & ~OFFLOAD(ATTN_PROJ));
  add_usual(&all, usual_offload, sizeof usual_offload / sizeof usual_offload[0], modules);
  add(&all, own->training.offload_modules);
  return after(&all, value);
}
