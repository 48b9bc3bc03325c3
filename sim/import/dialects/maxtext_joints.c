/* What follows from several settings of MaxText: src/maxtext/configs/pyconfig.py and src/maxtext/layers of
 * AI-Hypercomputer/maxtext. */
#include <math.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/latent.h"
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
  const int64_t window = ss_sheet_given(s, SS_VALUE_WINDOW, 0), layers = s->workload->model.layers;
  char letters[SS_KINDS_LAYERS + 1];
  ss_kinds kinds = {.count = 0};
  if (window < 1 || layers < 1 || windows == NULL) return SS_OK;
  SS_ASSERT(layers <= SS_KINDS_LAYERS);
  for (int64_t i = 0; i < layers; ++i) letters[i] = windows[(size_t)i % strlen(windows)];
  letters[layers] = '\0';
  ss_kinds_add(&kinds, 'w', "window", window, "");
  ss_kinds_add(&kinds, 'f', "", 0, "");
  return ss_kinds_set(s->import, s->path, &kinds, letters, s->value_line[SS_VALUE_WINDOW], error);
}

/* The feed-forward part has a gate where one of its activations is linear, as those of base.yml are. */
static void read_activations(ss_sheet *s)
{
  const char *activations = s->text[SS_KEPT_ACTIVATIONS];
  const int *line = s->workload->line;
  if (activations[0] != '\0')
    ss_import_set(s->import, SS_AT_model_mlp, strstr(activations, "linear") != NULL ? SS_MLP_SWIGLU : SS_MLP_GELU,
                  s->text_line[SS_KEPT_ACTIVATIONS]);
  else if (s->is_set[SS_AT_model_ffn] && line[SS_AT_model_mlp] == SS_LINE_DEFAULT)
    ss_import_set(s->import, SS_AT_model_mlp, SS_MLP_SWIGLU, line[SS_AT_model_ffn]);
}

static ss_status read_block(ss_sheet *s, ss_error *error)
{
  const char *name = s->text[SS_KEPT_MODEL];
  int i = 0;
  read_activations(s);
  if (name[0] == '\0') return SS_OK;
  while (i < BLOCKS && strcmp(blocks[i].name, name) != 0) ++i;
  if (i == BLOCKS)
    return ss_sheet_refuse(
        s, SS_KEPT_MODEL, "is no decoder_block whose layers are known; allowed: a config.json, and the file without it",
        error);
  if (s->is_set[SS_AT_model_layers]) s->workload->model.layers *= blocks[i].layers;
  if (s->workload->model.layers > SS_KINDS_LAYERS)
    return ss_sheet_refuse(s, SS_KEPT_MODEL, "has more layers than model.layers may be: blocks of it have two", error);
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
    const int64_t scaled = own << (power / 3 + (power % 3 >= sizes[i].rest));
    const ss_status status = ss_sheet_set_within(s, sizes[i].at, (double)scaled, SS_VALUE_SCALE, error);
    if (status != SS_OK) return status;
    s->is_set[sizes[i].at] = true;
  }
  if (!s->is_set[SS_AT_model_vocabulary]) ss_sheet_set(s, SS_AT_model_vocabulary, 32000, SS_VALUE_SCALE);
  if (!s->is_set[SS_AT_model_head_size]) ss_sheet_set(s, SS_AT_model_head_size, 128, SS_VALUE_SCALE);
  return SS_OK;
}

static ss_status read_latent(ss_sheet *s, ss_error *error)
{
  static const ss_sheet_value sizes[] = {SS_VALUE_KV_RANK, SS_VALUE_LATENT_HEAD, SS_VALUE_VALUE_HEAD};
  if (s->value[SS_VALUE_LATENT] <= 0.0) return SS_OK;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (s->value[sizes[i]] == 0.0)
      return ss_sheet_refuse_number(s, sizes[i], "is a size of latent attention; allowed: a number above 0", error);
  ss_latent_set(s);
  return SS_OK;
}

/* Yes where one of two settings says so, no where those that are given do not. */
static void set_either(ss_sheet *s, ss_attribute_index at, ss_sheet_value one, ss_sheet_value other)
{
  const bool first = s->value[one] >= s->value[other];
  if (s->value[one] == SS_NOT_GIVEN && s->value[other] == SS_NOT_GIVEN) return;
  ss_sheet_set(s, at, s->value[first ? one : other] > 0.0 ? SS_YES : SS_NO, first ? one : other);
}

static ss_status read_pairs(ss_sheet *s, ss_error *error)
{
  (void)error;
  set_either(s, SS_AT_model_post_norms, SS_VALUE_ATTENTION_POST_NORM, SS_VALUE_FFN_POST_NORM);
  set_either(s, SS_AT_model_soft_cap, SS_VALUE_ATTENTION_CAP, SS_VALUE_LOGITS_CAP);
  return SS_OK;
}

/* Weights in 16 bits have gradients and moments of their type, and are stepped themselves; what mu_dtype says goes over
 * the first moment (get_optimizer of src/maxtext/optimizers/optimizers.py, set_mu_dtype of pyconfig_deprecated.py).
 * Gradients in fp32 are cast behind their sums (grad_dtype in src/maxtext/trainers/pre_train/train.py). */
static ss_status read_states(ss_sheet *s, ss_error *error)
{
  const bool weights = s->value[SS_VALUE_WEIGHTS_16] > 0.0;
  const bool moment = s->value[SS_VALUE_MOMENT_16] != SS_NOT_GIVEN ? s->value[SS_VALUE_MOMENT_16] > 0.0 : weights;
  ss_status status = SS_OK;
  if (weights) {
    ss_sheet_set(s, SS_AT_training_master_weights, SS_MASTER_NONE, SS_VALUE_WEIGHTS_16);
    ss_sheet_set(s, SS_AT_parallelism_shards, SS_SHARDS_16BIT, SS_VALUE_WEIGHTS_16);
    ss_sheet_set(s, SS_AT_training_gradients, SS_GRADIENTS_16BIT, SS_VALUE_WEIGHTS_16);
  } else if (s->value[SS_VALUE_WEIGHTS_16] == 0.0 && s->workload->training.master_weights == SS_MASTER_NONE) {
    ss_import_unset(s->import, SS_AT_training_master_weights);
    ss_import_unset(s->import, SS_AT_parallelism_shards);
    ss_import_unset(s->import, SS_AT_training_gradients);
    ss_import_unset(s->import, SS_AT_training_moments);
  }
  if (weights && moment) ss_sheet_set(s, SS_AT_training_moments, SS_MOMENTS_16BIT, SS_VALUE_MOMENT_16);
  if (weights != moment)
    status = ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                            "that the moments have two types (mu_dtype): training.moments is of both", error);
  if (status != SS_OK || weights || s->value[SS_VALUE_GRADIENTS_16] <= 0.0) return status;
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                        "that gradients are cast behind their sums (grad_dtype): training.gradients is of these",
                        error);
}

/* Dropout behind attention and feed-forward parts (src/maxtext/layers/decoders.py), and an embedding that is a product
 * of the words' places with the table (src/maxtext/layers/embeddings.py). */
static ss_status read_ends(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_DROPOUT] > 0.0 && s->value[SS_VALUE_DROPS] != 0.0)
    ss_sheet_set(s, SS_AT_training_dropout, SS_YES, SS_VALUE_DROPOUT);
  if (s->value[SS_VALUE_IOTA] <= 0.0) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that the embedding is a product with its table, as the output layer is (use_iota_embed)",
                        error);
}

/* What products are quantized to, and else what all is in. */
static ss_status read_types(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_BASE] > 0.0 && !s->is_set[SS_AT_training_precision])
    ss_sheet_set(s, SS_AT_training_precision, SS_PRECISION_BF16, SS_VALUE_BASE);
  return read_states(s, error);
}

/* Groups that a token takes only some of: n_routing_groups of src/maxtext/configs/types.py, -1 without. */
static ss_status read_groups(ss_sheet *s, ss_error *error)
{
  const int64_t groups = ss_sheet_given(s, SS_VALUE_ROUTER_GROUPS, 0),
                top_k = ss_sheet_given(s, SS_VALUE_GROUP_TOP_K, 0);
  if (groups == 0) return SS_OK;
  const ss_status status =
      ss_sheet_set_within(s, SS_AT_model_router_groups, (double)groups, SS_VALUE_ROUTER_GROUPS, error);
  if (status != SS_OK || top_k == 0) return status;
  return ss_sheet_set_within(s, SS_AT_model_router_group_top_k, (double)top_k, SS_VALUE_GROUP_TOP_K, error);
}

/* A dispatch by masks, one product each way (dense_matmul of src/maxtext/layers/moe.py), drops what is beyond the
 * capacity; without one, it computes all tokens in all experts. Sparse products take all tokens, whatever the capacity.
 */
static ss_status read_dense_experts(ss_sheet *s, ss_error *error)
{
  const double capacity = s->value[SS_VALUE_CAPACITY];
  const bool is_dense = s->value[SS_VALUE_SPARSE_MOE] == 0.0;
  if (is_dense && capacity <= 0.0 && s->workload->model.experts > s->workload->model.top_k)
    return ss_sheet_refuse_number(s, SS_VALUE_SPARSE_MOE,
                                  "without a capacity_factor computes all tokens in all experts, which no setting here "
                                  "has; allowed: true, or a capacity_factor above 0",
                                  error);
  if (capacity > 0.0 && !is_dense)
    return ss_import_note(s->import, SS_NOTE_IDLE, "capacity_factor, with sparse_matmul", error);
  if (!is_dense || capacity <= 0.0) return SS_OK;
  s->workload->training.capacity_factor = capacity;
  s->workload->line[SS_AT_training_capacity_factor] = s->value_line[SS_VALUE_CAPACITY];
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "products with masks that bring tokens to experts and back (sparse_matmul): copies do", error);
}

/* One expert is an MLP, as base.yml has it; none is no other. */
static ss_status read_experts(ss_sheet *s, ss_error *error)
{
  const int64_t experts = ss_sheet_given(s, SS_VALUE_EXPERTS, 1), own = ss_sheet_given(s, SS_VALUE_EXPERT_FFN, 0);
  if (experts <= 1) return SS_OK;
  if (s->value[SS_VALUE_TOP_K] == 0.0)
    return ss_sheet_refuse_number(
        s, SS_VALUE_TOP_K, "is no number of experts of a token; allowed: 1 and more where there are several", error);
  ss_sheet_set(s, SS_AT_model_experts, experts, SS_VALUE_EXPERTS);
  ss_sheet_set(s, SS_AT_model_top_k, ss_sheet_given(s, SS_VALUE_TOP_K, 1), SS_VALUE_TOP_K);
  if (own > 0) ss_sheet_set(s, SS_AT_model_expert_ffn, own, SS_VALUE_EXPERT_FFN);
  const ss_status status = read_dense_experts(s, error);
  return status == SS_OK ? read_groups(s, error) : status;
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

enum { AXES_OF_SIZE = 8 };

/* A size of parallelism, and the axes whose product it is; those behind them are SS_VALUE_NOTHING. */
typedef struct axes_row {
  ss_attribute_index to;
  ss_sheet_value axes[AXES_OF_SIZE];
  bool may_be_open;
} axes_row;

/* What the axes of a size say together. */
typedef struct axes_product {
  double size;            /* of those that have a number */
  ss_sheet_value largest; /* of them */
  bool is_given, is_open; /* any is; any is whatever devices are left */
} axes_product;

static axes_product multiply(const ss_sheet *s, const axes_row *row)
{
  axes_product product = {.size = 1.0, .largest = row->axes[0]};
  for (int i = 0; i < AXES_OF_SIZE && row->axes[i] != SS_VALUE_NOTHING; ++i) {
    const ss_sheet_value axis = row->axes[i];
    product.is_given = product.is_given || s->value[axis] != SS_NOT_GIVEN;
    product.is_open = product.is_open || s->value[axis] == 0.0;
    product.size *= (double)ss_sheet_given(s, axis, 1);
    if (s->value[axis] > s->value[product.largest]) product.largest = axis;
  }
  return product;
}

static ss_status refuse_open(const ss_sheet *s, const axes_row *row, ss_error *error)
{
  int i = 0;
  while (s->value[row->axes[i]] != 0.0) ++i;
  return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[row->axes[i]],
                      "an axis of tensor, context or expert is -1, which is known where the job runs only; "
                      "allowed: a number, and -1 for data and fsdp");
}

/* Sets a size above 1. Where one of its axes is open, a size that may be is left for the user to say. */
static ss_status set_size(ss_sheet *s, const axes_row *row, ss_error *error)
{
  const axes_product product = multiply(s, row);
  if (product.is_open && !row->may_be_open) return refuse_open(s, row, error);
  if (product.size <= 1.0 || product.is_open) return SS_OK;
  return ss_sheet_set_within(s, row->to, product.size, product.largest, error);
}

/* Micro-batches go around stages in rounds of one layer each, all forward passes first: src/maxtext/layers/pipeline.py.
 */
static ss_status check_stages(const ss_sheet *s, ss_error *error)
{
  static const ss_sheet_value axes[] = {SS_VALUE_ICI_STAGES, SS_VALUE_DCN_STAGES};
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i)
    if (s->value[axes[i]] == 0.0 || s->value[axes[i]] > 1.0)
      return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[axes[i]],
                          "an axis of pipeline is not 1: stages go around in rounds of layers, forward passes of all "
                          "rounds first, as no schedule does here; allowed: 1");
  return SS_OK;
}

/* Copies of what is sharded, which is over all axes but that of data: `embed` of logical_axis_rules in
 * src/maxtext/configs/base.yml. Where the file leaves them or the ranks that share one open, or does not say the copies
 * (dcn_data_parallelism is -1 there), the replicas decide. */
static ss_status read_shards(ss_sheet *s, const axes_product *copies, const axes_product *shards, ss_error *error)
{
  const double ranks = shards->size * (double)s->workload->parallelism.cp;
  const bool whole = !shards->is_open && ranks == 1.0;
  ss_import *import = s->import;
  if (ranks > SS_SETTING_MOST || copies->size > SS_SETTING_MOST)
    return ss_error_set(error, SS_ERROR_INPUT, s->path,
                        s->value_line[ranks > SS_SETTING_MOST ? shards->largest : copies->largest],
                        "axes make %.15g ranks that share a copy of the weights, of which there are %.15g; allowed: up "
                        "to %d each",
                        ranks, copies->size, SS_SETTING_MOST);
  import->shard_copies = shards->is_open && !copies->is_open && copies->size > 1.0 ? (int64_t)copies->size : 0;
  import->shard_ranks = !shards->is_open && (copies->is_open || !copies->is_given) ? (int64_t)ranks : 0;
  ss_sheet_set(s, SS_AT_parallelism_sharding, whole ? SS_SHARDING_NONE : SS_SHARDING_PARAMETERS, shards->largest);
  ss_import_unset(import, SS_AT_parallelism_shard_size);
  if (copies->is_open && shards->is_open)
    return ss_import_note(import, SS_NOTE_MATTERS,
                          "that each slice has a copy of the weights (dcn_data_parallelism=-1), which all ranks share "
                          "here: --set parallelism.shard-size=N",
                          error);
  if (whole || copies->is_open || shards->is_open || copies->size == 1.0) return SS_OK;
  return ss_sheet_set_within(s, SS_AT_parallelism_shard_size, ranks, shards->largest, error);
}

static unsigned given_axes(const ss_sheet *s, const axes_row *row)
{
  unsigned given = 0;
  for (int i = 0; i < AXES_OF_SIZE; ++i)
    if (s->value[row->axes[i]] != SS_NOT_GIVEN) given |= 1U << i;
  return given;
}

/* Batches are split over the axes of data, FSDP and experts; an axis of -1 is what is left, for the user to say, as
 * ici_fsdp_parallelism is in base.yml. */
static ss_status read_replicas(ss_sheet *s, ss_error *error)
{
  static const axes_row all = {SS_AT_parallelism_dp,
                               {SS_VALUE_ICI_FSDP, SS_VALUE_DCN_FSDP, SS_VALUE_ICI_FSDP_TRANSPOSE,
                                SS_VALUE_DCN_FSDP_TRANSPOSE, SS_VALUE_ICI_EXPERT, SS_VALUE_DCN_EXPERT,
                                SS_VALUE_ICI_DATA, SS_VALUE_DCN_DATA},
                               true};
  static const axes_row data = {SS_AT_parallelism_dp, {SS_VALUE_ICI_DATA, SS_VALUE_DCN_DATA}, true};
  if (!multiply(s, &all).is_given) return SS_OK;
  const unsigned given = given_axes(s, &all);
  if ((s->import->axes & ~given) != 0)
    return ss_error_set(
        error, SS_ERROR_INPUT, s->path, s->value_line[multiply(s, &all).largest],
        "has axes of data, fsdp or expert, but not all of those in a file before it; allowed: these, too");
  s->import->axes |= given;
  if (s->value[SS_VALUE_ICI_FSDP] == SS_NOT_GIVEN) s->value[SS_VALUE_ICI_FSDP] = 0.0;
  axes_row sharing = all;
  sharing.axes[AXES_OF_SIZE - 2] = sharing.axes[AXES_OF_SIZE - 1] = SS_VALUE_NOTHING;
  const axes_product copies = multiply(s, &data), shards = multiply(s, &sharing);
  const ss_status status = set_size(s, &all, error);
  return status == SS_OK ? read_shards(s, &copies, &shards, error) : status;
}

static ss_status read_axes(ss_sheet *s, ss_error *error)
{
  static const axes_row rows[] = {
      {SS_AT_parallelism_tp, {SS_VALUE_ICI_TENSOR, SS_VALUE_ICI_SEQUENCE, SS_VALUE_DCN_TENSOR}, false},
      {SS_AT_parallelism_cp, {SS_VALUE_ICI_CONTEXT, SS_VALUE_DCN_CONTEXT}, false},
      {SS_AT_parallelism_ep, {SS_VALUE_ICI_EXPERT, SS_VALUE_DCN_EXPERT}, false}};
  ss_status status = check_stages(s, error);
  if (status != SS_OK) return status;
  if (s->value[SS_VALUE_OTHER_AXIS] > 1.0)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_OTHER_AXIS],
                        "an axis that is none of data, fsdp, fsdp_transpose, tensor, tensor_sequence, expert and "
                        "context is above 1; allowed: 1");
  if (s->value[SS_VALUE_DISTRIBUTED] != SS_NOT_GIVEN) s->import->spreads_states = s->value[SS_VALUE_DISTRIBUTED] > 0.0;
  for (size_t i = 0; status == SS_OK && i < sizeof rows / sizeof rows[0]; ++i) status = set_size(s, &rows[i], error);
  return status == SS_OK ? read_replicas(s, error) : status;
}

/* Sequences of a device, times those of a replica. */
static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const double devices = (double)w->parallelism.tp * (double)w->parallelism.cp * (double)w->parallelism.pp;
  const double sequences = s->value[SS_VALUE_LOCAL_BATCH] * devices;
  const double in_turn = (double)ss_sheet_given(s, SS_VALUE_ACCUMULATION, 1);
  if (s->value[SS_VALUE_LOCAL_BATCH] <= 0.0) return SS_OK;
  if (sequences < 1.0 || nearbyint(sequences) != sequences)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_LOCAL_BATCH],
                        "per_device_batch_size: makes no whole number of sequences of a replica, %.15g; allowed: one",
                        sequences);
  ss_status status = ss_sheet_set_within(s, SS_AT_training_micro_batch, sequences, SS_VALUE_LOCAL_BATCH, error);
  if (status == SS_OK)
    status = ss_sheet_set_within(s, SS_AT_training_global_batch, sequences * in_turn * (double)w->parallelism.dp,
                                 SS_VALUE_LOCAL_BATCH, error);
  if (status == SS_OK) s->import->replica_batch = (int64_t)(sequences * in_turn);
  return status;
}

const ss_joint ss_maxtext_joints[] = {{read_scale, NULL}, {read_block, NULL},   {read_latent, NULL}, {read_pairs, NULL},
                                      {read_ends, NULL},  {read_experts, NULL}, {read_types, NULL},  {read_remat, NULL},
                                      {read_axes, NULL},  {read_batch, NULL}};
const int ss_maxtext_joint_count = sizeof ss_maxtext_joints / sizeof ss_maxtext_joints[0];
