#include "model/plan/check/refusals.h"

#include <string.h>

#include "model/base/number.h"
#include "model/block/amax.h"
#include "model/block/holders.h"
#include "model/block/mixer/attended.h"
#include "model/block/mixer/sequences.h"
#include "model/block/recipe.h"
#include "model/collective/collective.h"
#include "model/collective/given.h"
#include "model/input/documents.h"
#include "model/input/exchange.h"
#include "model/input/layer_kinds.h"
#include "model/input/stack.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/check/refusal_row.h"
#include "model/plan/layers/layer_modules.h"
#include "model/plan/layers/layer_plan.h"
#include "model/plan/layers/layout_text.h"
#include "model/plan/layers/shared_layers.h"
#include "model/plan/layers/split.h"
#include "model/plan/layers/tables.h"
#include "model/plan/placement/placement.h"
#include "model/schedule/schedule.h"

/* The words that the rules are written in. */
#define GIVEN(attribute) (w->line[SS_AT_##attribute] != SS_LINE_DEFAULT)

/* Searches set it without a line. */
#define GIVEN_SHARD_SIZE (w->parallelism.shard_size != SS_DERIVED)

/* Key/value heads are split over the tensor ranks, or each is copied to equally many of them. */
static bool heads_fit(int64_t tp, int64_t kv_heads)
{
  return kv_heads % tp == 0 || tp % kv_heads == 0;
}

static bool has_kinds_problem(const ss_workload *w)
{
  char problem[SS_TEXT_SIZE];
  return w->model.kinds[0] != '\0' && ss_layer_kinds_problem(w, problem, sizeof problem) != NULL;
}

static bool has_pattern_problem(const ss_workload *w)
{
  return w->model.pattern[0] != '\0' && ss_layer_pattern_problem(w) != NULL;
}

/* Modules have a layer of a kind that there is not. */
static bool has_unknown_module(const ss_workload *w)
{
  ss_layer_kinds kinds;
  const char *letter = w->model.mtp_kind;
  if (letter[0] == '\0' || !ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0)) return false;
  return letter[1] != '\0' || ss_layer_kind_called(&kinds, letter[0]) == kinds.count;
}

/* A kind has some of these of its own, such as experts; or says that it has none. */
static bool kinds_have(const ss_workload *w, ss_layer_field field, bool some)
{
  ss_layer_kinds kinds;
  if (w->model.pattern[0] == '\0' || !ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0)) return false;
  for (int64_t i = 0; i < kinds.count; ++i)
    if (kinds.kind[i].has[field] && (kinds.kind[i].value[field] > 0) == some) return true;
  return false;
}

/* Some layer has keys and values of another one. */
static bool shares_keys(const ss_workload *w)
{
  return w->model.shared_keys == SS_YES || kinds_have(w, SS_LAYER_FIELD_shared_keys, true);
}

/* Its layers mix tokens along the sequence, but not by attention. */
static bool mixes_along(const ss_workload *w)
{
  return ss_workload_has_states(w) || w->model.mixer == SS_MIXER_CONVOLUTION;
}

/* Its mixer has heads of queries and keys, which ranks have whole. */
static bool has_key_heads(const ss_workload *w)
{
  return w->model.mixer == SS_MIXER_LINEAR || w->model.mixer == SS_MIXER_KDA || w->model.mixer == SS_MIXER_LIGHTNING;
}

static bool lists_layers(const ss_workload *w)
{
  return w->training.recompute_layer_ids[0] != '\0';
}

static bool has_layers_problem(const ss_workload *w)
{
  return lists_layers(w) && ss_layer_ids_problem(w) != NULL;
}

/* Lengths of documents have a mean that is given. */
static bool draws_documents(const ss_workload *w)
{
  return w->training.documents != SS_DOCUMENTS_NONE && w->training.documents != SS_DOCUMENTS_LISTED;
}

static bool packs_whole(const ss_workload *w)
{
  return w->training.documents != SS_DOCUMENTS_NONE && w->training.packing != SS_PACKING_CUT;
}

/* Lengths are known: those of a file may be read later. */
static bool has_lengths(const ss_workload *w)
{
  return w->training.documents != SS_DOCUMENTS_LISTED || w->document_list != NULL;
}

/* More documents in a sequence than can be listed. */
static bool has_many_documents(const ss_workload *w)
{
  return ss_sequences_are_listed(w) && has_lengths(w) &&
         ss_documents_mean(w) * SS_SEQUENCE_DOCUMENTS < (double)w->model.sequence;
}

/* Whether context-parallel ranks share out each whole document, or whole sequences. */
static bool pads_for_context(const ss_workload *w)
{
  return packs_whole(w) && w->parallelism.cp_split == SS_CP_SPLIT_DOCUMENT &&
         w->parallelism.cp * w->parallelism.tp2 > 1;
}

static bool recomputes(const ss_workload *w, ss_recompute_module module)
{
  return (w->training.recompute_modules & SS_WORD_BIT(module)) != 0;
}

static bool fuses_experts(const ss_workload *w)
{
  return w->training.expert_kernels == SS_EXPERT_KERNELS_FUSED;
}

static bool offloads(const ss_workload *w, ss_offload_module module)
{
  return (w->training.offload_modules & SS_WORD_BIT(module)) != 0;
}

static bool graphs(const ss_workload *w, ss_graph_module module)
{
  return (w->training.graphs & SS_WORD_BIT(module)) != 0;
}

/* As if all layers were of a kind, which may lack what others have. */
static bool is_one_kind(const ss_workload *w)
{
  return GIVEN(model_kinds) && w->model.pattern[0] == '\0';
}

static bool lacks(const ss_workload *w, ss_word_set modules, ss_word_set has)
{
  return modules != 0 && !is_one_kind(w) && (modules & ~has) != 0;
}

static bool lacks_recompute_modules(const ss_workload *w)
{
  return lacks(w, w->training.recompute_modules, ss_layer_recompute_modules(w));
}

static bool lacks_lora_modules(const ss_workload *w)
{
  return lacks(w, w->training.lora_modules, ss_layer_lora_modules(w));
}

static bool lacks_offload_modules(const ss_workload *w)
{
  return lacks(w, w->training.offload_modules, ss_layer_offload_modules(w));
}

static bool lacks_graph_modules(const ss_workload *w)
{
  return lacks(w, w->training.graphs, ss_layer_graph_modules(w));
}

/* Scales of products follow from earlier iterations. */
static bool delays_scales(const ss_workload *w)
{
  return ss_recipe_quantises(w->training.precision) &&
         ss_recipe_of(w->training.precision)->scaling == SS_SCALING_DELAYED;
}

/* Megatron-LM refuses those of experts (transformer_config.py); of the others nothing is left to move. Where queries,
 * keys and values are computed again, the output of the core is: recipes of DeepSeek-V3 with Megatron-FSDP move it
 * (src/megatron/bridge/perf_recipes/deepseek/gb300/deepseek_v3.py of Megatron-Bridge). */
static bool offloads_recomputed(const ss_workload *w)
{
  const bool experts = offloads(w, SS_OFFLOAD_EXPERT_FC1) || offloads(w, SS_OFFLOAD_MOE_ACT);
  return (recomputes(w, SS_RECOMPUTE_MOE) && experts) ||
         (recomputes(w, SS_RECOMPUTE_CORE_ATTN) && offloads(w, SS_OFFLOAD_CORE_ATTN)) ||
         (recomputes(w, SS_RECOMPUTE_LAYERNORM) && offloads(w, SS_OFFLOAD_QKV_LINEAR));
}

static bool is_uniform(const ss_workload *w)
{
  return w->training.recompute_method == SS_RECOMPUTE_UNIFORM;
}

/* Groups of several layers are computed again. */
static bool has_groups(const ss_workload *w)
{
  return is_uniform(w) && w->training.recompute_layers > 1;
}

static const ss_schedule *schedule_of(const ss_workload *w)
{
  return ss_schedule_of(w->schedule.pipeline);
}

static bool has_layout(const ss_workload *w)
{
  return w->parallelism.layout[0] != '\0';
}

static ss_layout_sum layout_of(const ss_workload *w)
{
  return ss_layout_sum_of(w->parallelism.layout);
}

static int64_t parts_of(const ss_workload *w)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(w);
  return ss_shape_parts(&shape);
}

static ss_tables tables_of(const ss_workload *w)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(w);
  return ss_tables_of(w, &shape);
}

/* Modules lie ahead of the stage of the output layer. */
static bool sends_module_states(const ss_workload *w)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(w);
  return w->model.mtp_modules > 0 && ss_split_module_part(w, &shape) < ss_shape_parts(&shape) - 1;
}

static bool has_given_ends(const ss_workload *w)
{
  return w->parallelism.first_stage_layers != SS_DERIVED || w->parallelism.last_stage_layers != SS_DERIVED;
}

static bool accounts_for_ends(const ss_workload *w)
{
  return w->parallelism.account_for_embedding == SS_YES || w->parallelism.account_for_loss == SS_YES;
}

/* The layers can be shared out over the stages, in the parts that the schedule itself cuts them into;
 * parallelism.interleave can make more of them. */
static bool layers_divide(const ss_workload *w)
{
  ss_pipeline_shape shape = ss_pipeline_shape_of(w);
  if (shape.schedule->chunks == SS_CHUNKS_GIVEN && w->parallelism.vision_stages == 0) shape.chunks = 1;
  return ss_split_is_even(w, &shape);
}

static bool chunks_divide(const ss_workload *w)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(w);
  return ss_split_is_even(w, &shape);
}

static int64_t copies_of_model(const ss_workload *w)
{
  return schedule_of(w)->layout->copies;
}

/* The schedule can share out the micro-batches of a replica. */
static bool takes_batch(const ss_workload *w)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(w);
  return shape.schedule->takes(&shape);
}

static bool pairs_passes(const ss_workload *w)
{
  return w->schedule.overlap_ep != SS_EP_OVERLAP_NONE;
}

static int64_t longer_axis(const ss_workload *w)
{
  return w->parallelism.tp > w->parallelism.tp2 ? w->parallelism.tp : w->parallelism.tp2;
}

static bool has_second_tier(const ss_machine *m)
{
  return m->offload_bytes > 0 && m->offload_bytes_per_s > 0;
}

static ss_method given_method(const ss_workload *w, ss_collective kind)
{
  return (ss_method){kind, ss_collective_given(w, kind)};
}

static bool can_do(const ss_workload *w, ss_collective kind)
{
  const ss_method method = given_method(w, kind);
  return method.algorithm == SS_ALGORITHM_AUTO || ss_method_exists(method);
}

#define GROUP_SIZES                                                                                                    \
  "{parallelism.tp}, {parallelism.tp2}, {parallelism.cp}, {parallelism.dp}, {parallelism.ep}, "                        \
  "{parallelism.shard-size}"

/* The groups that a collective runs over: tensor-parallel ranks, and those that share an expert; those along the
 * sequence, which never reduce all; those that agree on scales; and those that hold the same weights, which reduce all
 * where nothing is sharded, as copies of what is sharded do. */
static bool takes_groups(const ss_workload *w, ss_collective kind)
{
  const ss_method method = given_method(w, kind);
  const bool reduces_all = kind == SS_ALL_REDUCE;
  const int64_t sequence = w->parallelism.cp / w->parallelism.cp_inner * w->parallelism.tp2;
  const int64_t copies = ss_weights_copies(w);
  if (!ss_method_takes(method, w->parallelism.tp) || !ss_method_takes(method, ss_workload_etp(w))) return false;
  if (!reduces_all && !ss_method_takes(method, sequence)) return false;
  if (reduces_all && !ss_method_takes(method, ss_amax_ranks(w))) return false;
  if (reduces_all && copies > 1) return ss_method_takes(method, copies);
  if (reduces_all != (w->parallelism.sharding == SS_SHARDING_NONE)) return true;
  return ss_method_takes(method, ss_weights_shards(w, SS_WEIGHTS_DENSE)) &&
         ss_method_takes(method, ss_weights_shards(w, SS_WEIGHTS_EXPERT));
}

/* Ranks of a stage. */
static int64_t stage_ranks(const ss_workload *w)
{
  return ss_workload_gpus(w) / w->parallelism.pp;
}

/* Ranks of an expert that are not the tensor-parallel ones. */
static bool splits_experts_apart(const ss_workload *w)
{
  return ss_workload_etp(w) != w->parallelism.tp;
}

static bool runs_on(const ss_workload *w, const ss_machine *m, ss_collective kind)
{
  return ss_method_runs_on(given_method(w, kind), m);
}

static bool is_order(const char *word)
{
  bool seen[SS_AXIS_COUNT] = {false};
  for (int found = 1;; found++) {
    const size_t length = strcspn(word, ",");
    const ss_axis axis = ss_axis_find(word, length);
    if (axis == SS_AXIS_COUNT || seen[axis]) return false;
    seen[axis] = true;
    if (word[length] == '\0') return found == SS_AXIS_COUNT;
    word += length + 1;
  }
}

/* What training.framework names is Megatron-LM, or built on it. */
static bool is_core(const ss_workload *w)
{
  return ss_runner_is_core(w->training.framework);
}

static bool is_titan(const ss_workload *w)
{
  return w->training.framework == SS_RUNNER_TORCHTITAN;
}

/* Weights and moments have one type, fp32 or, with training.dtype of TorchTitan, 16 bits. */
static bool has_one_type(const ss_workload *w)
{
  if (w->training.master_weights == SS_MASTER_FP32) return w->training.moments == SS_MOMENTS_FP32;
  return w->training.master_weights == SS_MASTER_NONE && w->training.moments == SS_MOMENTS_16BIT &&
         (w->parallelism.sharding < SS_SHARDING_GRADIENTS || w->parallelism.shards == SS_SHARDS_16BIT);
}

/* Ranks are side by side as they are with an order such as tp,cp,dp,pp: axes of one rank may be anywhere. */
static bool is_in_order(const ss_workload *w, const char *order)
{
  const int64_t sizes[SS_AXIS_COUNT] = {[SS_AXIS_TP] = w->parallelism.tp,
                                        [SS_AXIS_CP] = w->parallelism.cp * w->parallelism.tp2,
                                        [SS_AXIS_DP] = w->parallelism.dp,
                                        [SS_AXIS_PP] = w->parallelism.pp};
  const char *word = w->placement.order;
  int last = -1;
  for (int i = 0; i < SS_AXIS_COUNT; ++i) {
    const size_t length = strcspn(word, ",");
    const int axis = (int)ss_axis_find(word, length);
    if (axis == SS_AXIS_COUNT) return false;
    const int place = (int)(strstr(order, ss_axis_name((ss_axis)axis)) - order);
    if (sizes[axis] > 1 && last > place) return false;
    if (sizes[axis] > 1) last = place;
    word += length + (word[length] == ',');
  }
  return true;
}

#define SS_RULE(id, blamed, when, problem, values, otherwise)                                                          \
  static bool when_##id(const ss_workload *w, const ss_machine *m)                                                     \
  {                                                                                                                    \
    (void)m;                                                                                                           \
    return when;                                                                                                       \
  }
#include "model/plan/check/refusals.def"

static const ss_refusal refusals[SS_REFUSAL_TOTAL] = {
#define SS_RULE(id, blamed, when, problem, values, otherwise)                                                          \
  {#id, SS_AT_##blamed, false, when_##id, problem, values, otherwise},
#define SS_MACHINE_RULE(id, blamed, when, problem, values, otherwise)                                                  \
  {#id, SS_AT_##blamed, true, when_##id, problem, values, otherwise},
#include "model/plan/check/refusals.def"
};

const ss_refusal *ss_refusals(void)
{
  return refusals;
}

bool ss_refusals_pass(const ss_workload *workload, const ss_machine *machine, ss_refusal_index last)
{
  for (int i = (int)last; i >= 0; i--)
    if ((machine != NULL || !refusals[i].on_machine) && refusals[i].when(workload, machine)) return false;
  return true;
}

/* The first row that refuses, of those without the machine. A search asks for every candidate, so that these are
 * conditions in a row, and not calls of a table. */
// NOLINTNEXTLINE(readability-function-size) -- one condition a row
static ss_refusal_index first_without_machine(const ss_workload *workload, const ss_machine *machine)
{
#define SS_RULE(id, blamed, when, problem, values, otherwise)                                                          \
  if (when_##id(workload, machine)) return SS_REFUSAL_##id;
#define SS_MACHINE_RULE(id, blamed, when, problem, values, otherwise)
#include "model/plan/check/refusals.def"
  return SS_REFUSAL_TOTAL;
}

/* The same of those with it. */
static ss_refusal_index first_on_machine(const ss_workload *workload, const ss_machine *machine)
{
#define SS_RULE(id, blamed, when, problem, values, otherwise)
#define SS_MACHINE_RULE(id, blamed, when, problem, values, otherwise)                                                  \
  if (when_##id(workload, machine)) return SS_REFUSAL_##id;
#include "model/plan/check/refusals.def"
  return SS_REFUSAL_TOTAL;
}

static bool starts_with(const char *text, const char *start)
{
  return strncmp(text, start, strlen(start)) == 0;
}

/* What it blames and names is of the model, or what is wrong with a text: `kinds.problem`. */
static bool is_of_model(const ss_refusal *row)
{
  static const char model[] = "model.", problem[] = ".problem}";
  bool own = strcmp(ss_workload_attributes()[row->blamed].element, "model") == 0, any_problem = false;
  for (const char *at = strchr(row->problem, '{'); at != NULL; at = strchr(at + 1, '{')) {
    const bool is_problem = starts_with(at + strcspn(at, "."), problem);
    any_problem = any_problem || is_problem;
    if (!is_problem && !starts_with(at + 1, model)) return false;
  }
  return !row->on_machine && (own || any_problem);
}

static ss_refusal_index first_of_model(const ss_workload *workload, const ss_machine *machine)
{
  int i = 0;
  while (i < SS_REFUSAL_TOTAL && !(is_of_model(&refusals[i]) && refusals[i].when(workload, machine))) i++;
  return (ss_refusal_index)i;
}

/* Every kind of layers is looked at as if all layers were of it. */
static ss_refusal_index refused_with_kinds(const ss_workload *workload, const ss_machine *machine,
                                           ss_refusal_index (*first)(const ss_workload *, const ss_machine *),
                                           ss_workload *blamed)
{
  ss_refusal_index index = first(workload, machine);
  ss_layer_kinds kinds = {.count = 0};
  if (blamed != NULL) *blamed = *workload;
  if (index < SS_REFUSAL_TOTAL || workload->model.pattern[0] == '\0') return index;
  SS_ASSERT(ss_layer_kinds_read(workload->model.kinds, &kinds, NULL, 0));
  for (int64_t i = 0; i < kinds.count && index == SS_REFUSAL_TOTAL; ++i) {
    const ss_workload of_kind = ss_layer_kind_workload(workload, &kinds.kind[i]);
    index = first(&of_kind, machine);
    if (blamed != NULL) *blamed = of_kind;
  }
  return index;
}

ss_refusal_index ss_workload_refused_by(const ss_workload *workload, const ss_machine *machine, ss_workload *blamed)
{
  return refused_with_kinds(workload, machine, machine != NULL ? first_on_machine : first_without_machine, blamed);
}

ss_refusal_index ss_model_refused_by(const ss_workload *workload, ss_workload *blamed)
{
  return refused_with_kinds(workload, NULL, first_of_model, blamed);
}
