#include "sim/import/dialects/dialect.h"

#include <string.h>

#include "model/base/dotted.h"
#include "sim/import/dialects/bridge_sections.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/setting_row.h"

/* What stands before names of Megatron-LM: Primus, the model zoo of Megatron-LM and its own recipes of mixtures
 * (examples/moe_recipes), Megatron-Bridge, NeMo 2 and 1. */
static const char *const megatron_sections[] = {"modules.pre-trainer.overrides.",
                                                "modules.pre-trainer.",
                                                "modules.post-trainer.overrides.",
                                                "modules.post-trainer.",
                                                "MODEL-ARGS.--",
                                                "ARGS.",
                                                "model.config.",
                                                "model.",
                                                "trainer.strategy.ddp.",
                                                "trainer.strategy.",
                                                "trainer.plugins.",
                                                "trainer.",
                                                "train.",
                                                "ddp.",
                                                "comm-overlap.",
                                                "mixed-precision.",
                                                "optimizer.config.",
                                                "optim.config.",
                                                "optimizer.",
                                                "data.",
                                                "dataset.",
                                                NULL};

#define ALWAYS(at, number)                                                                                             \
  {                                                                                                                    \
    .attribute = SS_AT_##at, .value = number                                                                           \
  }
#define OF_MODEL(at, number)                                                                                           \
  {                                                                                                                    \
    .attribute = SS_AT_##at, .value = number, .of_model = true                                                         \
  }
#define OF_RELEASE(at, number)                                                                                         \
  {                                                                                                                    \
    .attribute = SS_AT_##at, .value = number, .of_release = true                                                       \
  }

/* Releases of Megatron-LM have no CUDA graphs unless they are asked for, if they have any at all: cuda_graph_impl,
 * enable_cuda_graph and external_cuda_graph of TransformerConfig, from core_v0.9.0 on. So it is in those built on it,
 * and no release of TorchTitan, DeepSpeed or llm-foundry in model/input/stacks.def has them, with sources. */
static const ss_setting_default megatron_defaults[] = {
    ALWAYS(parallelism_sequence_parallel, SS_NO), ALWAYS(parallelism_sharding, SS_SHARDING_NONE),
    ALWAYS(schedule_overlap_dp, SS_NO), OF_RELEASE(training_host, SS_HOST_EAGER),
    OF_MODEL(model_tied_embeddings, SS_YES)};

/* TorchTitan has FSDP, with transfers beside compute, and tensor parallelism of sequences; what it does otherwise is in
 * model/input/stacks.def, with sources. */
static const char *const titan_sections[] = {"modules.pre-trainer.overrides.", "modules.pre-trainer.", NULL};
static const ss_setting_default titan_defaults[] = {ALWAYS(parallelism_sequence_parallel, SS_YES),
                                                    ALWAYS(parallelism_sharding, SS_SHARDING_PARAMETERS),
                                                    ALWAYS(parallelism_cp_exchange, SS_CP_GATHER),
                                                    ALWAYS(parallelism_cp_sums, SS_CP_SUMS_FP32),
                                                    ALWAYS(parallelism_fsdp, SS_FSDP_PER_PARAMETER),
                                                    ALWAYS(parallelism_tp_redo, SS_NO),
                                                    ALWAYS(training_projections, SS_PROJECTIONS_SEPARATE),
                                                    ALWAYS(training_recompute_early_stop, SS_YES),
                                                    ALWAYS(training_rotary, SS_ROTARY_COMPLEX),
                                                    OF_RELEASE(training_host, SS_HOST_EAGER),
                                                    ALWAYS(schedule_overlap_dp, SS_YES)};

static const char *const plain_sections[] = {NULL};
static const ss_setting_default deepspeed_defaults[] = {ALWAYS(parallelism_sharding, SS_SHARDING_NONE),
                                                        ALWAYS(parallelism_shards, SS_SHARDS_16BIT),
                                                        OF_RELEASE(training_host, SS_HOST_EAGER)};
static const ss_setting_default foundry_defaults[] = {
    ALWAYS(parallelism_sharding, SS_SHARDING_NONE), ALWAYS(parallelism_fsdp, SS_FSDP_FLAT),
    ALWAYS(training_loss_metrics, 2), OF_RELEASE(training_host, SS_HOST_EAGER),
    OF_MODEL(model_tied_embeddings, SS_YES)};

/* MaxText shards parameters over FSDP (src/maxtext/configs/base.yml of AI-Hypercomputer/maxtext). */
static const ss_setting_default maxtext_defaults[] = {
    ALWAYS(parallelism_sharding, SS_SHARDING_PARAMETERS), ALWAYS(parallelism_sequence_parallel, SS_YES),
    ALWAYS(schedule_overlap_dp, SS_YES), ALWAYS(training_gradients, SS_GRADIENTS_FP32)};

/* Trainers of Transformers run its classes as they are, and shard where they are told to (Trainer of
 * huggingface/transformers, src/transformers/trainer.py). */
static const ss_setting_default trainer_defaults[] = {ALWAYS(parallelism_sharding, SS_SHARDING_NONE),
                                                      ALWAYS(parallelism_fsdp, SS_FSDP_PER_PARAMETER),
                                                      ALWAYS(schedule_overlap_dp, SS_YES),
                                                      ALWAYS(training_projections, SS_PROJECTIONS_SEPARATE),
                                                      ALWAYS(training_fused, SS_NO),
                                                      ALWAYS(training_gradients, SS_GRADIENTS_FP32),
                                                      ALWAYS(training_gradient_accumulation, SS_ACCUMULATION_SEPARATE),
                                                      OF_RELEASE(training_host, SS_HOST_EAGER)};

/* src/nanotron/config/parallelism_config.py and parallel/data_parallel of huggingface/nanotron. */
static const ss_setting_default nanotron_defaults[] = {ALWAYS(parallelism_sharding, SS_SHARDING_NONE),
                                                       ALWAYS(parallelism_sequence_parallel, SS_NO),
                                                       ALWAYS(schedule_overlap_dp, SS_YES),
                                                       ALWAYS(training_gradient_accumulation, SS_ACCUMULATION_SEPARATE),
                                                       OF_MODEL(model_tied_embeddings, SS_NO),
                                                       OF_RELEASE(training_host, SS_HOST_EAGER)};

/* As those of DeepSpeed. */
static const ss_setting_default neox_defaults[] = {
    ALWAYS(parallelism_sharding, SS_SHARDING_NONE), ALWAYS(parallelism_sequence_parallel, SS_NO),
    OF_MODEL(model_tied_embeddings, SS_YES), OF_RELEASE(training_host, SS_HOST_EAGER)};

/* FSDP of PyTorch, with gradients in fp32: nemo_automodel/components/distributed/fsdp2.py of NVIDIA-NeMo/Automodel. */
static const ss_setting_default automodel_defaults[] = {
    ALWAYS(parallelism_sharding, SS_SHARDING_PARAMETERS),  ALWAYS(parallelism_fsdp, SS_FSDP_PER_PARAMETER),
    ALWAYS(parallelism_sequence_parallel, SS_NO),          ALWAYS(schedule_overlap_dp, SS_YES),
    ALWAYS(training_projections, SS_PROJECTIONS_SEPARATE), ALWAYS(training_fused, SS_NO),
    ALWAYS(training_gradients, SS_GRADIENTS_FP32),         OF_RELEASE(training_host, SS_HOST_EAGER)};

/* Of releases in model/input/stacks.def that are built on one another, the one that all are built on. */
static const ss_stack megatron_stacks[] = {
    SS_STACK_MEGATRON_2021, SS_STACK_MEGATRON_2023,        SS_STACK_MEGATRON_CORE_2025,
    SS_STACK_NEMO_2024,     SS_STACK_MEGATRON_BRIDGE_2026, SS_STACK_PRIMUS_2026,
    SS_STACK_NONE};
static const ss_stack titan_stacks[] = {SS_STACK_TORCHTITAN_2025, SS_STACK_NONE};
static const ss_stack deepspeed_stacks[] = {SS_STACK_DEEPSPEED_ZERO3_2025, SS_STACK_NONE};
static const ss_stack foundry_stacks[] = {SS_STACK_LLM_FOUNDRY_2023, SS_STACK_NONE};
static const ss_stack maxtext_stacks[] = {SS_STACK_NONE};
static const ss_stack swift_stacks[] = {SS_STACK_MEGATRON_CORE_2025, SS_STACK_NONE};
static const ss_stack neox_stacks[] = {SS_STACK_NONE};
static const ss_stack automodel_stacks[] = {SS_STACK_NONE};
static const ss_stack trainer_stacks[] = {SS_STACK_NONE};
static const ss_stack nanotron_stacks[] = {SS_STACK_NONE};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define FRAMEWORK(name, its_title, its_sections, json, voids, ...)                                                     \
  {                                                                                                                    \
    .title = its_title, .in_json = json, .rows = ss_##name##_rows, .sections = its_sections,                           \
    __VA_ARGS__.defaults = name##_defaults, .defaults_count = COUNT(name##_defaults), .stacks = name##_stacks,         \
    .joints = ss_##name##_joints, .joint_count = &ss_##name##_joint_count, .is_void = voids                            \
  }

const ss_dialect ss_dialects[] = {FRAMEWORK(megatron, "Megatron-LM", megatron_sections, false, ss_bridge_is_void,
                                            .read_rows = ss_megatron_fork_rows, .builds_up = true, ),
                                  FRAMEWORK(titan, "TorchTitan", titan_sections, false, NULL, ),
                                  FRAMEWORK(deepspeed, "DeepSpeed", plain_sections, true, NULL, ),
                                  FRAMEWORK(foundry, "llm-foundry", plain_sections, false, NULL, ),
                                  FRAMEWORK(maxtext, "MaxText", titan_sections, false, NULL, ),
                                  FRAMEWORK(trainer, "trainers of Transformers", plain_sections, false, NULL, ),
                                  FRAMEWORK(nanotron, "nanotron", plain_sections, false, NULL, ),
                                  {.title = "Megatron-SWIFT",
                                   .rows = ss_megatron_rows,
                                   .read_rows = ss_swift_rows,
                                   .builds_up = true,
                                   .sections = plain_sections,
                                   .defaults = megatron_defaults,
                                   .defaults_count = COUNT(megatron_defaults),
                                   .stacks = swift_stacks,
                                   .joints = ss_swift_joints,
                                   .joint_count = &ss_swift_joint_count},
                                  FRAMEWORK(neox, "GPT-NeoX", plain_sections, false, NULL,
                                            .read_rows = ss_deepspeed_rows, .json_mark = "pipe-parallel-size", ),
                                  FRAMEWORK(automodel, "NeMo Automodel", plain_sections, false, NULL, ),
                                  {.title = NULL}};

const ss_dialect *ss_megatron_dialect(void)
{
  return &ss_dialects[0];
}

/* Whether a pattern is a name; one with a star at its end is its beginning. */
static bool fits(const char *pattern, const char *name)
{
  const size_t length = strlen(pattern);
  if (pattern[length - 1] == '*') return strncmp(pattern, name, length - 1) == 0;
  return strcmp(pattern, name) == 0;
}

/* Writes a key with dashes; what of it is behind sections that say nothing. */
static const char *bare_name(const ss_dialect *dialect, const char *key, char name[SS_SETTING_KEY_SIZE])
{
  size_t length = 0;
  for (; key[length] != '\0' && length + 1 < SS_SETTING_KEY_SIZE; ++length)
    name[length] = (char)(key[length] == '_' ? '-' : key[length]);
  name[length] = '\0';
  for (const char *const *section = dialect->sections; *section != NULL; ++section)
    if (strncmp(name, *section, strlen(*section)) == 0) return name + strlen(*section);
  return name;
}

/* A table of rows of a framework: its own, and that of what is built on it; NULL: there is none. */
static const ss_setting_row *table_of(const ss_dialect *dialect, int table)
{
  return table == 0 ? dialect->rows : dialect->read_rows;
}

enum { TABLES = 2 };

const ss_setting_row *ss_dialect_row(const ss_dialect *dialect, const char *key)
{
  char name[SS_SETTING_KEY_SIZE];
  const char *bare = bare_name(dialect, key, name);
  for (int table = 0; table < TABLES; ++table)
    for (const ss_setting_row *row = table_of(dialect, table); row != NULL && row->key != NULL; ++row)
      if (fits(row->key, bare) || fits(row->key, name) || strcmp(row->key, key) == 0) return row;
  return NULL;
}

ss_hint ss_dialect_hint(const ss_dialect *dialect, const char *key)
{
  char name[SS_SETTING_KEY_SIZE];
  const char *bare = bare_name(dialect, key, name);
  ss_near near = ss_near_to(bare);
  for (int table = 0; table < TABLES; ++table)
    for (const ss_setting_row *row = table_of(dialect, table); row != NULL && row->key != NULL; ++row) {
      const bool is_again = row != table_of(dialect, table) && strcmp(row->key, row[-1].key) == 0;
      if (strchr(row->key, '*') == NULL && !is_again) ss_near_offer(&near, row->key);
    }
  return ss_near_hint(&near);
}

/* Whether JSON is of a framework whose files are YAML else. */
static bool has_mark(const ss_dialect *dialect, const ss_settings *settings)
{
  char name[SS_SETTING_KEY_SIZE];
  int64_t i = 0;
  if (dialect->json_mark == NULL) return false;
  while (i < settings->count && strcmp(bare_name(dialect, settings->setting[i].key, name), dialect->json_mark) != 0)
    ++i;
  return i < settings->count;
}

const ss_dialect *ss_dialect_of(const ss_settings *settings, bool in_json)
{
  const ss_dialect *best = NULL;
  int64_t most = 0;
  for (const ss_dialect *dialect = ss_dialects; dialect->title != NULL; ++dialect) {
    int64_t known = 0;
    const bool may_be = dialect->in_json == in_json || has_mark(dialect, settings);
    for (int64_t i = 0; i < settings->count && may_be; ++i) {
      const ss_setting_row *row = ss_dialect_row(dialect, settings->setting[i].key);
      known += row != NULL && row->use != SS_SETTING_IDLE;
    }
    if (known > most) best = dialect;
    if (known > most) most = known;
  }
  return best;
}

bool ss_dialect_is_void(const ss_dialect *dialect, const ss_settings *settings, const ss_setting *setting)
{
  return dialect->is_void != NULL && dialect->is_void(settings, setting);
}

bool ss_dialect_repeats(const ss_dialect *dialect, const ss_settings *settings, const ss_setting *setting)
{
  for (int64_t i = 0; i < settings->count; ++i) {
    const ss_setting *other = &settings->setting[i];
    if (other == setting || strcmp(ss_last_name(other->key), ss_last_name(setting->key)) != 0) continue;
    if (json_equal(other->value, setting->value) && !ss_dialect_is_void(dialect, settings, other)) return true;
  }
  return false;
}

int64_t ss_dialect_default(const ss_dialect *dialect, ss_attribute_index attribute)
{
  for (int i = 0; i < dialect->defaults_count; ++i)
    if (dialect->defaults[i].attribute == attribute) return dialect->defaults[i].value;
  return (int64_t)ss_workload_attributes()[attribute].fallback;
}

bool ss_dialect_has_strategy(const ss_dialect *dialect, const ss_settings *settings)
{
  for (int64_t i = 0; i < settings->count; ++i) {
    const ss_setting_row *row = ss_dialect_row(dialect, settings->setting[i].key);
    if (row != NULL && row->use != SS_SETTING_IDLE && row->use != SS_SETTING_RANKS) return true;
  }
  return false;
}
