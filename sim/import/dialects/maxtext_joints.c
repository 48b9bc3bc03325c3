/* What follows from several settings of MaxText: src/maxtext/configs/pyconfig.py and src/maxtext/layers of
 * AI-Hypercomputer/maxtext. */
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/models/kinds.h"

/* Blocks of layers, and which of these have the window, where not all are alike. */
static const struct {
  const char *name, *windows;
  int64_t layers; /* of a block */
} blocks[] = {{"default", NULL, 1},    {"llama2", NULL, 1},    {"mistral", NULL, 1}, {"mixtral", NULL, 1},
              {"deepseek", NULL, 1},   {"gemma", NULL, 1},     {"gpt3", NULL, 1},    {"qwen2", NULL, 1},
              {"qwen3", NULL, 1},      {"qwen3_moe", NULL, 1}, {"gemma2", "wf", 2},  {"gpt_oss", "wf", 1},
              {"gemma3", "wwwwwf", 1}, {"olmo3", "wwwf", 1}};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static ss_status lay_windows(ss_sheet *s, const char *windows, ss_error *error)
{
  const int64_t window = strtoll(s->text[SS_KEPT_WINDOW], NULL, 10), layers = s->workload->model.layers;
  char letters[SS_KINDS_LAYERS + 1];
  ss_kinds kinds = {.count = 0};
  if (window < 1 || layers < 1 || windows == NULL) return SS_OK;
  for (int64_t i = 0; i < layers; ++i) letters[i] = windows[(size_t)i % strlen(windows)];
  letters[layers] = '\0';
  ss_kinds_add(&kinds, 'w', "window", window, "");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  return ss_kinds_set(s->import, s->path, &kinds, letters, s->text_line[SS_KEPT_WINDOW], error);
}

static ss_status read_block(ss_sheet *s, ss_error *error)
{
  const char *name = s->text[SS_KEPT_MODEL], *activations = s->text[SS_KEPT_ACTIVATIONS];
  int i = 0;
  if (activations[0] != '\0')
    ss_import_set(s->import, SS_AT_model_mlp, strstr(activations, "linear") != NULL ? SS_MLP_SWIGLU : SS_MLP_GELU,
                  s->text_line[SS_KEPT_ACTIVATIONS]);
  if (name[0] == '\0') return SS_OK;
  while (i < BLOCKS && strcmp(blocks[i].name, name) != 0) ++i;
  if (i == BLOCKS)
    return ss_sheet_refuse(
        s, SS_KEPT_MODEL, "is no decoder_block whose layers are known; allowed: a config.json, and the file without it",
        error);
  if (s->is_set[SS_AT_model_layers]) s->workload->model.layers *= blocks[i].layers;
  return lay_windows(s, blocks[i].windows, error);
}

/* Sizes of base.yml where nobody says, each times a power of two, of which heads and the feed-forward part get the
 * first one that three do not share, and the hidden size the second: get_individual_scales of pyconfig.py. */
static ss_status read_scale(ss_sheet *s, ss_error *error)
{
  static const struct {
    int64_t base;
    ss_attribute_index at;
    int rest; /* of three that gives it one more; 3: none does */
  } sizes[] = {{16, SS_AT_model_layers, 3},
               {2048, SS_AT_model_hidden, 2},
               {16, SS_AT_model_heads, 1},
               {16, SS_AT_model_kv_heads, 1},
               {7168, SS_AT_model_ffn, 1}};
  const int64_t scale = ss_sheet_given(s, SS_VALUE_SCALE, 0);
  int power = 0;
  if (scale == 0) return SS_OK;
  while (power < 30 && (INT64_C(1) << power) < scale) ++power;
  if ((INT64_C(1) << power) != scale)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_SCALE],
                        "global_parameter_scale: is no power of two up to 2^30; allowed: one");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    int64_t own = sizes[i].base;
    if (s->is_set[sizes[i].at])
      memcpy(&own, (char *)s->workload + ss_workload_attributes()[sizes[i].at].offset, sizeof own);
    ss_sheet_set(s, sizes[i].at, own << (power / 3 + (power % 3 >= sizes[i].rest)), SS_VALUE_SCALE);
    s->is_set[sizes[i].at] = true;
  }
  if (!s->is_set[SS_AT_model_vocabulary]) ss_sheet_set(s, SS_AT_model_vocabulary, 32000, SS_VALUE_SCALE);
  if (!s->is_set[SS_AT_model_head_size]) ss_sheet_set(s, SS_AT_model_head_size, 128, SS_VALUE_SCALE);
  if (s->text[SS_KEPT_ACTIVATIONS][0] == '\0') ss_sheet_set(s, SS_AT_model_mlp, SS_MLP_SWIGLU, SS_VALUE_SCALE);
  return SS_OK;
}

static ss_status read_latent(ss_sheet *s, ss_error *error)
{
  const int64_t head = ss_sheet_given(s, SS_VALUE_LATENT_HEAD, 128),
                values = ss_sheet_given(s, SS_VALUE_VALUE_HEAD, 128);
  (void)error;
  if (s->value[SS_VALUE_LATENT] <= 0.0) return SS_OK;
  ss_sheet_set(s, SS_AT_model_q_rank, ss_sheet_given(s, SS_VALUE_Q_RANK, 0), SS_VALUE_Q_RANK);
  ss_sheet_set(s, SS_AT_model_kv_rank, ss_sheet_given(s, SS_VALUE_KV_RANK, 512), SS_VALUE_KV_RANK);
  ss_sheet_set(s, SS_AT_model_rope_size, ss_sheet_given(s, SS_VALUE_ROPE_SIZE, 64), SS_VALUE_ROPE_SIZE);
  ss_sheet_set(s, SS_AT_model_head_size, head, SS_VALUE_LATENT_HEAD);
  if (values != head) ss_sheet_set(s, SS_AT_model_value_head_size, values, SS_VALUE_VALUE_HEAD);
  return SS_OK;
}

/* One expert is an MLP. */
static ss_status read_experts(ss_sheet *s, ss_error *error)
{
  const int64_t experts = ss_sheet_given(s, SS_VALUE_EXPERTS, 1), own = ss_sheet_given(s, SS_VALUE_EXPERT_FFN, 0);
  (void)error;
  if (experts == 1) return SS_OK;
  ss_sheet_set(s, SS_AT_model_experts, experts, SS_VALUE_EXPERTS);
  ss_sheet_set(s, SS_AT_model_top_k, ss_sheet_given(s, SS_VALUE_TOP_K, 1), SS_VALUE_TOP_K);
  if (own > 0) ss_sheet_set(s, SS_AT_model_expert_ffn, own, SS_VALUE_EXPERT_FFN);
  if (s->value[SS_VALUE_CAPACITY] > 0.0) {
    s->workload->training.capacity_factor = s->value[SS_VALUE_CAPACITY];
    s->workload->line[SS_AT_training_capacity_factor] = s->value_line[SS_VALUE_CAPACITY];
  }
  return SS_OK;
}

/* `full` of base.yml where no file says it. */
static ss_status default_remat(ss_sheet *s)
{
  if (s->workload->line[SS_AT_training_recompute] == SS_LINE_CHOSEN)
    ss_import_set(s->import, SS_AT_training_recompute, SS_RECOMPUTE_FULL, 1);
  return SS_OK;
}

/* RematPolicy of src/maxtext/configs/types.py, as get_remat_policy of src/maxtext/layers/decoders.py has it. */
static ss_status read_remat(ss_sheet *s, ss_error *error)
{
  const char *policy = s->text[SS_KEPT_REMAT];
  const int line = s->text_line[SS_KEPT_REMAT];
  const bool context = strcmp(policy, "minimal_with_context") == 0 || strcmp(policy, "minimal_flash") == 0;
  if (policy[0] == '\0') return default_remat(s);
  if (strcmp(policy, "full") == 0 || strcmp(policy, "none") == 0) {
    ss_import_set(s->import, SS_AT_training_recompute, policy[0] == 'f' ? SS_RECOMPUTE_FULL : SS_RECOMPUTE_NONE, line);
    return SS_OK;
  }
  if (!context && strcmp(policy, "minimal") != 0)
    return ss_sheet_refuse(
        s, SS_KEPT_REMAT,
        "keeps what no recomputation here does; allowed: full, minimal, minimal_with_context or none, "
        "and --set training.recompute",
        error);
  ss_import_set(s->import, SS_AT_training_recompute, SS_RECOMPUTE_KEEP_PRODUCTS, line);
  if (!context) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT, "that attention is kept: it runs again (remat_policy)", error);
}

/* The product of axes; 0 where one of them is whatever is left. */
static int64_t product_of(const ss_sheet *s, const ss_sheet_value *axes, size_t count)
{
  int64_t product = 1;
  for (size_t i = 0; i < count; ++i) product *= ss_sheet_given(s, axes[i], 1);
  return product;
}

#define AXES(...)                                                                                                      \
  product_of(s, (const ss_sheet_value[]){__VA_ARGS__}, sizeof((ss_sheet_value[]){__VA_ARGS__}) / sizeof(ss_sheet_value))

/* Batches are split over the axes of data, FSDP and experts; an axis of -1 is what is left, for the user to say. */
static ss_status read_axes(ss_sheet *s, ss_error *error)
{
  const int64_t tp = AXES(SS_VALUE_ICI_TENSOR, SS_VALUE_ICI_SEQUENCE, SS_VALUE_DCN_TENSOR);
  const int64_t cp = AXES(SS_VALUE_ICI_CONTEXT, SS_VALUE_DCN_CONTEXT),
                pp = AXES(SS_VALUE_ICI_STAGES, SS_VALUE_DCN_STAGES);
  const int64_t ep = AXES(SS_VALUE_ICI_EXPERT, SS_VALUE_DCN_EXPERT);
  const int64_t dp = ep * AXES(SS_VALUE_ICI_DATA, SS_VALUE_ICI_FSDP, SS_VALUE_DCN_DATA, SS_VALUE_DCN_FSDP);
  if (s->value[SS_VALUE_OTHER_AXIS] > 1.0)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_OTHER_AXIS],
                        "an axis that is none of data, fsdp, tensor, tensor_sequence, expert, context and pipeline is "
                        "above 1; allowed: 1");
  if (tp > 1) ss_sheet_set(s, SS_AT_parallelism_tp, tp, SS_VALUE_ICI_TENSOR);
  if (cp > 1) ss_sheet_set(s, SS_AT_parallelism_cp, cp, SS_VALUE_ICI_CONTEXT);
  if (pp > 1) ss_sheet_set(s, SS_AT_parallelism_pp, pp, SS_VALUE_ICI_STAGES);
  if (ep > 1) ss_sheet_set(s, SS_AT_parallelism_ep, ep, SS_VALUE_ICI_EXPERT);
  if (dp > 1) ss_sheet_set(s, SS_AT_parallelism_dp, dp, SS_VALUE_ICI_FSDP);
  return SS_OK;
}

/* Sequences of a device, times those of a replica. */
static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const double sequences =
      s->value[SS_VALUE_LOCAL_BATCH] * (double)(w->parallelism.tp * w->parallelism.cp * w->parallelism.pp);
  const int64_t micro = (int64_t)sequences, in_turn = ss_sheet_given(s, SS_VALUE_ACCUMULATION, 1);
  if (s->value[SS_VALUE_LOCAL_BATCH] <= 0.0) return SS_OK;
  if (micro < 1 || (double)micro != sequences)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_LOCAL_BATCH],
                        "per_device_batch_size: makes no whole number of sequences of a replica, %.15g; allowed: one",
                        sequences);
  ss_sheet_set(s, SS_AT_training_micro_batch, micro, SS_VALUE_LOCAL_BATCH);
  ss_sheet_set(s, SS_AT_training_global_batch, micro * in_turn * w->parallelism.dp, SS_VALUE_LOCAL_BATCH);
  s->import->replica_batch = micro * in_turn;
  return SS_OK;
}

const ss_joint ss_maxtext_joints[] = {{read_scale, NULL}, {read_block, NULL}, {read_latent, NULL}, {read_experts, NULL},
                                      {read_remat, NULL}, {read_axes, NULL},  {read_batch, NULL}};
const int ss_maxtext_joint_count = sizeof ss_maxtext_joints / sizeof ss_maxtext_joints[0];
