/* Settings of Megatron-LM and of what is built on it: arguments (megatron/training/arguments.py of NVIDIA/Megatron-LM),
 * fields of TransformerConfig, ModelParallelConfig, DistributedDataParallelConfig and OptimizerConfig (megatron/core),
 * which Megatron-Bridge (src/megatron/bridge/training/config.py of NVIDIA-NeMo/Megatron-Bridge) and NeMo 2 have in
 * YAML, and the YAML of NeMo 1 (examples/nlp/language_modeling/conf/megatron_gpt_config.yaml of NVIDIA/NeMo). Names of
 * arguments stand for those of fields, which have _ in place of -. */
#include <stddef.h>

#include "sim/import/dialects/bridge_formats.h"
#include "sim/import/dialects/megatron_adapters.h"
#include "sim/import/dialects/megatron_positions.h"
#include "sim/import/dialects/setting_row.h"

/* How user buffers reduce beside products: classes of src/megatron/bridge/training/comm_overlap.py. */
#define RINGS     "megatron.bridge.training.comm_overlap.RingExchangeOverlapCfg"
#define PIPELINES "megatron.bridge.training.comm_overlap.PipelineOverlapCfg"

static bool has_experts(const ss_workload *w)
{
  return w->model.experts > 0;
}

static bool is_not_latent(const ss_workload *w)
{
  return w->model.kv_rank == 0;
}

static bool groups_queries(const ss_workload *w)
{
  return w->model.kv_rank == 0 && !ss_workload_is_compressed(w) && w->model.kv_heads < w->model.heads;
}

static bool is_plain(const ss_workload *w)
{
  return w->model.mlp == SS_MLP_GELU;
}

static bool is_llama(const ss_workload *w)
{
  return w->model.mlp != SS_MLP_GELU;
}

static bool is_unbiased(const ss_workload *w)
{
  return is_llama(w) || w->model.biases == SS_MODEL_BIASES_NO;
}

static bool has_no_positions(const ss_workload *w)
{
  return w->model.positions == 0;
}

static bool recomputes_all(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_FULL;
}

static bool recomputes_some(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_SELECTIVE;
}

static bool is_any(const ss_workload *w)
{
  (void)w;
  return true;
}

static bool is_split_tensor(const ss_workload *w)
{
  return w->parallelism.cp > 1;
}

static bool is_split_once(const ss_workload *w)
{
  return w->parallelism.cp > 1 && w->parallelism.cp_inner == 1;
}

static bool is_split_twice(const ss_workload *w)
{
  return w->parallelism.cp_inner > 1;
}

/* Chunks are as many as a layout has for a stage, and are not said again (validate_args). */
static bool has_plain_chunks(const ss_workload *w)
{
  return w->parallelism.interleave > 1 && w->parallelism.layout[0] == '\0';
}

static bool is_fsdp(const ss_workload *w)
{
  return w->parallelism.sharding >= SS_SHARDING_GRADIENTS;
}

static bool has_graphs(const ss_workload *w)
{
  return w->training.host == SS_HOST_EAGER && w->training.graphs != 0;
}

/* Sends of chunks beside compute are not put together (megatron/core/pipeline_parallel/schedules.py). */
static bool hides_sends(const ss_workload *w)
{
  return w->parallelism.interleave > 1 && w->schedule.overlap_pp == SS_YES;
}

static bool offloads_modules(const ss_workload *w)
{
  return w->training.offload_activations == SS_YES && w->training.offload_modules != 0;
}

#define NOBODY 0u
#define ARGS   SS_BY(megatron)
#define YAML   SS_BY(nemo)
#define BOTH   (ARGS | YAML)

#define COUNT(whose, table, name, at, if_)                                                                             \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at, .when = if_},
#define ALWAYS(whose, table, name, at)                                                                                 \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at, .number = 1},
#define ECHO(whose, table, name, at, if_)                                                                              \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_IDLE,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = 1,                                                                                                        \
   .when = if_},
#define FLAG(whose, table, name, at, yes, no)                                                                          \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_FLAG,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = yes,                                                                                                      \
   .otherwise = no},
/* In YAML, which goes over a recipe that may say another thing. */
#define SAID(table, name, at, yes, no)                                                                                 \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = YAML,                                                                                                         \
   .use = SS_SETTING_FLAG,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = yes,                                                                                                      \
   .otherwise = no,                                                                                                    \
   .when = is_any},
#define WORD(whose, table, name, word, at, value, if_)                                                                 \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_WORD,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = value,                                                                                                    \
   .text = word,                                                                                                       \
   .when = if_},
#define SET(whose, table, name, at, if_)                                                                               \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_SET, .attribute = SS_AT_##at, .when = if_},
#define GRAPHED(whose, table, name, if_)                                                                               \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_SET,                                                                                              \
   .attribute = SS_AT_training_graphs,                                                                                 \
   .text = "moe_preprocess", /* goes with moe_router, which has to be there */                                         \
   .when = if_},
#define OFFLOADED(whose, table, name, if_)                                                                             \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_SET,                                                                                              \
   .attribute = SS_AT_training_offload_modules,                                                                        \
   .text = "fused_group_mlp", /* of what fused experts keep, the largest: what the activation reads */                 \
   .number = SS_WORD_BIT(SS_OFFLOAD_MOE_ACT),                                                                          \
   .when = if_},
#define TEXT(whose, table, name, at)                                                                                   \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_TEXT, .attribute = SS_AT_##at},
#define NUMBER(whose, table, name, what, kind, least, most)                                                            \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_##kind,                                                                                           \
   .which = SS_VALUE_##what,                                                                                           \
   .number = least,                                                                                                    \
   .otherwise = most},
#define WHOLE(whose, table, name, what, least)      NUMBER(whose, table, name, what, WHOLE, least, SS_SETTING_MOST)
#define LARGE(whose, table, name, what, least)      NUMBER(whose, table, name, what, WHOLE, least, SS_SETTING_LARGEST)
#define REAL(whose, table, name, what, least, most) NUMBER(whose, table, name, what, REAL, least, most)
#define RANKS(whose, table, name, what)             NUMBER(whose, table, name, what, RANKS, 1, SS_SETTING_MOST)
#define PICK(whose, table, name, word, what, value)                                                                    \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_PICK,                                                                                             \
   .which = SS_VALUE_##what,                                                                                           \
   .text = word,                                                                                                       \
   .number = value},
#define KEEP(whose, table, name, what)                                                                                 \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define ALSO(whose, table, name, word, if_)                                                                            \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_IDLE, .text = word, .when = if_},
#define MIXED(kind, name, if_, ...)                                                                                    \
  {.key = name, .section = "mixed-precision", .by = YAML, .use = SS_SETTING_##kind, .when = if_, __VA_ARGS__},
#define PARTS(name, at)      {.key = name, .use = SS_SETTING_PARTS, .attribute = SS_AT_##at},
#define IDLE(name)           {.key = name, .use = SS_SETTING_IDLE},
#define LEFT_OUT(name, what) {.key = name, .use = SS_SETTING_LEFT_OUT, .text = what},
#define MATTERS(name, what)  {.key = name, .use = SS_SETTING_MATTERS, .text = what},
#define RECIPE(name)         {.key = name, .use = SS_SETTING_RECIPE},
#define REFUSED(name, why)   {.key = name, .use = SS_SETTING_REFUSED, .text = why},
#define NO                   SS_SWITCHES_NOTHING
enum { SS_SWITCHES_NOTHING = -1 };

const ss_setting_row ss_megatron_rows[] = {
#include "sim/import/dialects/megatron_rows.def"
    {.key = NULL},
};
