#include "model/search/knob.h"

#include <string.h>

#include "model/base/spelling.h"
#include "model/block/holders.h"
#include "model/input/layer_kinds.h"
#include "model/input/machine.h"
#include "model/input/stack.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/layers/layer_modules.h"
#include "model/schedule/schedule.h"
#include "model/search/balance.h"
#include "model/search/module_sets.h"
#include "model/search/varied.h"

_Static_assert(SS_KNOB_TOTAL <= 53, "a set of knobs is a whole number of a double");
_Static_assert(SS_BALANCE_NONE == SS_KNOB_NONE, "no layout is no value of a knob");
_Static_assert(SS_MODULE_SETS_END == SS_KNOB_NONE, "no set of modules is no value of a knob");

/* The functions that the rows use. */

/* A number by itself. */
static int64_t next_of_one(int64_t value, int64_t only)
{
  return value < only ? only : SS_KNOB_NONE;
}

/* Two numbers, or one if they are the same. */
static int64_t next_of_two(int64_t value, int64_t first, int64_t second)
{
  if (value == SS_KNOB_NONE) return first;
  return value == first && first != second ? second : SS_KNOB_NONE;
}

/* Divisors that two numbers have in common. */
static int64_t next_divisor(int64_t value, int64_t a, int64_t b)
{
  for (int64_t next = value > 0 ? value + 1 : 1; next <= a && next <= b; ++next)
    if (a % next == 0 && b % next == 0) return next;
  return SS_KNOB_NONE;
}

/* 1 and the divisors between it and all of a group. */
static int64_t next_inner(int64_t value, int64_t size)
{
  const int64_t next = next_divisor(value, size, size);
  return next < size ? next : SS_KNOB_NONE;
}

/* All words of a choice. */
static int64_t next_word(int64_t value, ss_attribute_index attribute)
{
  return ss_workload_attributes()[attribute].words[value + 1] != NULL ? value + 1 : SS_KNOB_NONE;
}

static bool varies(ss_knob_set set, ss_knob_index knob)
{
  return (set & SS_KNOB_BIT(knob)) != 0;
}

/* Fused attention keeps nothing that could be computed again by itself: selective is none, unless it has modules. By
 * operation only torchtitan computes again, or who does so already; that products are kept is offered to those only
 * who do so already. */
static bool offers_recompute(int64_t recompute, const ss_workload *w, const ss_workload *own, ss_knob_set set)
{
  const bool has_modules = own->training.recompute_modules != 0 || varies(set, SS_KNOB_recompute_modules);
  const bool plain = w->training.attention == SS_ATTENTION_FLASH && !has_modules;
  const bool per_op = own->training.recompute == SS_RECOMPUTE_PER_OP || w->training.framework == SS_RUNNER_TORCHTITAN;
  if (recompute == SS_RECOMPUTE_KEEP_PRODUCTS) return own->training.recompute == SS_RECOMPUTE_KEEP_PRODUCTS;
  return recompute == SS_RECOMPUTE_SELECTIVE ? !plain : recompute != SS_RECOMPUTE_PER_OP || per_op;
}

static int64_t next_recompute(int64_t value, const ss_workload *w, const ss_workload *own, ss_knob_set set)
{
  int64_t next = next_word(value, SS_AT_training_recompute);
  while (next != SS_KNOB_NONE && !offers_recompute(next, w, own, set)) next = next_word(next, SS_AT_training_recompute);
  return next;
}

/* Sets of modules of selective recomputation. Of fused attention the empty one is none, which recompute has. */
static int64_t next_recompute_modules(int64_t value, const ss_workload *w, const ss_workload *own, ss_knob_set set)
{
  if (w->training.recompute != SS_RECOMPUTE_SELECTIVE) return next_of_one(value, 0);
  const bool is_none = w->training.attention == SS_ATTENTION_FLASH && varies(set, SS_KNOB_recompute);
  return ss_recompute_sets_next(value == SS_KNOB_NONE && is_none ? 0 : value, own);
}

/* Sets of modules whose inputs are offloaded, the first of which is all that layers keep. Layers that are computed
 * again, whole or but for some operations, keep none of them. */
static int64_t next_offload_modules(int64_t value, const ss_workload *w, const ss_workload *own)
{
  if (w->training.offload_activations == SS_NO || ss_layers_run_again(w)) return next_of_one(value, 0);
  return ss_offload_sets_next(value, own);
}

/* All layers of a chunk, then fewer: in steps of one, of chunks with more than eight in steps of an eighth, and as many
 * as were given. */
static int64_t next_layers(int64_t value, const ss_workload *w, int64_t given)
{
  if (value == SS_KNOB_NONE) return SS_DERIVED;
  const int64_t layers = ss_pipeline_even_layers(w), step = (layers + 7) / 8;
  int64_t next = (value / step + 1) * step;
  if (given > value && given < next) next = given;
  return next < layers ? next : SS_KNOB_NONE;
}

/* Divisors of the layers of a chunk, and as many as were given. */
static int64_t next_layers_of_group(int64_t value, const ss_workload *w, int64_t given)
{
  const int64_t layers = ss_pipeline_even_layers(w), next = next_divisor(value, layers, layers);
  return given > value && given < next ? given : next;
}

static int64_t next_recompute_layers(int64_t value, const ss_workload *w, const ss_workload *own)
{
  const bool uniform = w->training.recompute_method == SS_RECOMPUTE_UNIFORM;
  const int64_t given = own->training.recompute_layers;
  if (w->training.recompute == SS_RECOMPUTE_NONE) return next_of_one(value, SS_DERIVED);
  return uniform ? next_layers_of_group(value, w, given) : next_layers(value, w, given);
}

/* Transformer Engine offloads layers where nothing is computed again, and none of their modules by themselves. */
static int64_t next_offload_layers(int64_t value, const ss_workload *w, const ss_workload *own)
{
  const bool whole = w->training.recompute == SS_RECOMPUTE_NONE && w->training.offload_modules == 0;
  if (w->training.offload_activations == SS_NO || !whole) return next_of_one(value, SS_DERIVED);
  return next_layers(value, w, own->training.offload_layers);
}

/* All words that share images out over more than one rank. */
static int64_t next_vision_share(int64_t value, const ss_workload *w, ss_attribute_index attribute)
{
  const bool tensor = w->parallelism.tp > 1, context = w->parallelism.cp > 1;
  const bool counts[] = {[SS_IMAGES_WHOLE] = true,
                         [SS_IMAGES_TENSOR] = tensor,
                         [SS_IMAGES_CONTEXT] = context,
                         [SS_IMAGES_ALL] = tensor && context};
  int64_t next = next_word(value, attribute);
  while (next != SS_KNOB_NONE && !counts[next]) next = next_word(next, attribute);
  return next;
}

/* Divisors of tp that divide the heads of the tower; fewer than tp where the ranks share images out. */
static int64_t next_vision_tp(int64_t value, const ss_workload *w)
{
  const int64_t tp = w->parallelism.tp;
  if (!ss_has_tower(w)) return next_of_one(value, SS_DERIVED);
  const int64_t next = next_divisor(value, tp, w->model.vision_heads);
  return next == tp && tp > 1 && ss_tower_shares_over_tensor(w) ? SS_KNOB_NONE : next;
}

/* Modules are of selective recomputation only. */
static int64_t kept_modules(const ss_workload *w, const ss_workload *own)
{
  return w->training.recompute == SS_RECOMPUTE_SELECTIVE ? own->training.recompute_modules : 0;
}

static int64_t ranks_of_stage(const ss_workload *w)
{
  return w->parallelism.tp * w->parallelism.tp2 * w->parallelism.cp * w->parallelism.dp;
}

/* All words; where no rank is beside another along the sequence, replicas is inside. */
static int64_t next_expert_groups(int64_t value, const ss_workload *w, ss_attribute_index attribute)
{
  const int64_t next = next_word(value, attribute);
  const bool repeats = next == SS_EXPERTS_REPLICAS && w->parallelism.cp * w->parallelism.tp2 == 1;
  return repeats ? next_word(next, attribute) : next;
}

/* Divisors of the layers of a stage; where stages cannot be equal, also of one more. One chunk is 1f1b, so it only
 * counts where the workload asks for it. */
static int64_t next_interleave(int64_t value, const ss_workload *w, const ss_workload *own)
{
  const bool with_one = own->schedule.pipeline == SS_PIPELINE_INTERLEAVED;
  if (value == SS_KNOB_NONE && with_one) return 1;
  const int64_t layers = w->model.layers / w->parallelism.pp, before = value > 0 ? value : 1;
  const int64_t next = next_divisor(before, layers, layers);
  if (w->model.layers % w->parallelism.pp == 0) return next;
  const int64_t of_more = next_divisor(before, layers + 1, layers + 1);
  return next == SS_KNOB_NONE || (of_more != SS_KNOB_NONE && of_more < next) ? of_more : next;
}

/* Groups of one micro-batch per stage, of two, four, ...: as many as a replica has at most. */
static int64_t next_group(int64_t value, const ss_workload *w)
{
  if (value == SS_KNOB_NONE) return SS_DERIVED;
  const int64_t next = value == SS_DERIVED ? 2 * w->parallelism.pp : 2 * value;
  return w->parallelism.interleave > 1 && next <= w->training.global_batch / w->parallelism.dp ? next : SS_KNOB_NONE;
}

/* With one stage, all schedules that are not refused do the same. */
static int64_t kept_schedule(const ss_workload *w, const ss_workload *own)
{
  const ss_pipeline pipeline = own->schedule.pipeline;
  return w->parallelism.pp > 1 || pipeline == SS_PIPELINE_GPIPE ? (int64_t)pipeline : SS_PIPELINE_1F1B;
}

static int64_t kept_interleave(const ss_workload *w, const ss_workload *own)
{
  return w->schedule.pipeline == SS_PIPELINE_INTERLEAVED ? own->parallelism.interleave : 1;
}

/* Ranks that hold the same weights. */
static int64_t holders(const ss_workload *w)
{
  return ss_weights_holders(w, SS_WEIGHTS_DENSE);
}

/* TorchTitan's FSDP2: no default is both allowed and likely to fit, so that degrees of shards and replicas are chosen
 * (data_parallel_shard_degree and data_parallel_replicate_degree of torchtitan/config/job_config.py at v0.2.0). */
static bool is_fsdp(const ss_workload *w)
{
  return w->training.framework == SS_RUNNER_TORCHTITAN;
}

/* Megatron-LM sends beside compute with several chunks on a stage only (--no-overlap-p2p-communication turns it off).
 */
static bool is_megatron(const ss_workload *w)
{
  return ss_runner_is_core(w->training.framework);
}

/* All words; where nobody else has the weights, FSDP has one that its settings say. */
static int64_t next_sharding(int64_t value, const ss_workload *w, ss_attribute_index attribute)
{
  return holders(w) == 1 ? next_of_one(value, SS_SHARDING_PARAMETERS) : next_word(value, attribute);
}

/* All that hold the same weights, and if something is sharded fewer of them. */
static int64_t next_shard_size(int64_t value, const ss_workload *w)
{
  if (value == SS_KNOB_NONE) return SS_DERIVED;
  if (w->parallelism.sharding == SS_SHARDING_NONE) return SS_KNOB_NONE;
  const int64_t next = next_divisor(value > 0 ? value : 1, holders(w), holders(w));
  return next < holders(w) ? next : SS_KNOB_NONE;
}

/* Whether the tensor-parallel ranks can shard what they exchange. */
static bool gathers_tensors(const ss_workload *w)
{
  return w->parallelism.tp > 1 && w->parallelism.tensor != SS_TENSOR_SUMMA;
}

static bool is_power_of_two(int64_t number)
{
  return (number & (number - 1)) == 0;
}

/* From about so many tokens on, splitting sequences over ranks beats wider tensor parallelism: on 256 H100 with 4
 * million tokens in a batch, by 10 % for Llama 3 70B and 3 % for 8B at 16,384 tokens, by 46 and 8 % at 131,072. */
enum { LONG_SEQUENCE = 16384 };

static bool is_long(const ss_workload *own)
{
  return own->model.sequence >= LONG_SEQUENCE;
}

/* Whether GPUs in domains of a power of two have an odd factor which neither the batch nor equal stages divide. */
static bool leaves_odd(const ss_workload *own, const ss_machine *m, int64_t gpus)
{
  int64_t odd = gpus;
  while (odd > 0 && odd % 2 == 0) odd /= 2;
  return odd > 1 && is_power_of_two(m->domain_size) && own->model.layers % odd != 0 &&
         own->training.global_batch % odd != 0;
}

#define SS_KNOB(id, name, attribute, next, idle, alone)                                                                \
  static int64_t after_##id(int64_t value, const ss_workload *w, const ss_workload *own, ss_attribute_index row,       \
                            ss_knob_set set)                                                                           \
  {                                                                                                                    \
    (void)w, (void)own, (void)row, (void)set;                                                                          \
    return next;                                                                                                       \
  }                                                                                                                    \
  static bool idle_##id(const ss_workload *w)                                                                          \
  {                                                                                                                    \
    (void)w;                                                                                                           \
    return idle;                                                                                                       \
  }                                                                                                                    \
  static bool alone_##id(const ss_workload *own, const ss_machine *m, int64_t gpus)                                    \
  {                                                                                                                    \
    (void)own, (void)m, (void)gpus;                                                                                    \
    return alone;                                                                                                      \
  }
#include "model/search/knobs.def"

static const ss_knob knobs[SS_KNOB_TOTAL] = {
#define SS_KNOB(id, name, attribute, next, idle, alone)                                                                \
  {name, after_##id, idle_##id, alone_##id, SS_AT_##attribute, true},
#define SS_KNOB_NOT_OF_BLOCKS(id, name, attribute, next, idle, alone)                                                  \
  {name, after_##id, idle_##id, alone_##id, SS_AT_##attribute, false},
#include "model/search/knobs.def"
};

const ss_knob *ss_knobs(void)
{
  return knobs;
}

ss_knob_set ss_knob_find(const char *name, size_t length)
{
  ss_knob_set set = 0;
  for (int i = 0; i < SS_KNOB_TOTAL && length > 0; ++i)
    if (ss_spells(name, length, knobs[i].name)) set |= SS_KNOB_BIT(i);
  return set;
}

const char *ss_knob_listed(ss_knob_set set, int index, bool varied)
{
  const char *name = knobs[index].name;
  const ss_knob_set rows = ss_knob_find(name, strlen(name));
  const bool is_first = (rows & (SS_KNOB_BIT(index) - 1)) == 0;
  return rows != 0 && is_first && ((rows & set) != 0) == varied ? name : NULL;
}

ss_knob_set ss_knobs_left(ss_knob_set set, const ss_workload *own)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    if (own->line[knobs[i].attribute] == SS_LINE_OVERRIDE) set &= ~ss_knob_find(knobs[i].name, strlen(knobs[i].name));
  return set;
}

ss_knob_set ss_knobs_by_themselves(const ss_workload *own, const ss_machine *machine, int64_t gpus)
{
  ss_knob_set set = 0;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    if (knobs[i].alone(own, machine, gpus)) set |= SS_KNOB_BIT(i);
  return ss_knobs_left(set, own);
}

ss_knob_set ss_knob_unique(ss_knob_set set)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    for (int j = 0; j < i; ++j)
      if ((set & SS_KNOB_BIT(j)) != 0 && knobs[i].attribute == knobs[j].attribute) set &= ~SS_KNOB_BIT(i);
  return set;
}

static bool is_of_type(int index, ss_attribute_type type)
{
  return ss_workload_attributes()[knobs[index].attribute].type == type;
}

static bool is_word(int index)
{
  return is_of_type(index, SS_ATTRIBUTE_CHOICE);
}

static int64_t value_of(int index, const ss_workload *workload)
{
  const char *field = (const char *)workload + ss_workload_attributes()[knobs[index].attribute].offset;
  int64_t count;
  int choice;
  if (is_word(index)) {
    memcpy(&choice, field, sizeof choice);
    return choice;
  }
  memcpy(&count, field, sizeof count);
  return count;
}

static void write_layout(int64_t value, const ss_workload *workload, char *field)
{
  const ss_balanced model = ss_balanced_of(workload);
  ss_balance_text(value, &model, field, SS_TEXT_SIZE);
}

static void set_value(int index, int64_t value, ss_workload *workload)
{
  char *field = (char *)workload + ss_workload_attributes()[knobs[index].attribute].offset;
  const int choice = (int)value;
  const ss_word_set set = (ss_word_set)value;
  if (is_of_type(index, SS_ATTRIBUTE_TEXT))
    write_layout(value, workload, field);
  else if (is_word(index))
    memcpy(field, &choice, sizeof choice);
  else if (is_of_type(index, SS_ATTRIBUTE_SET))
    memcpy(field, &set, sizeof set);
  else
    memcpy(field, &value, sizeof value);
}

static int64_t next_value(int index, ss_knob_set set, int64_t value, const ss_workload *workload,
                          const ss_workload *own)
{
  const ss_knob *knob = &knobs[index];
  if (!knob->idle(workload)) return knob->next(value, workload, own, knob->attribute, set);
  if (value != SS_KNOB_NONE) return SS_KNOB_NONE;
  return is_word(index) ? value_of(index, own) : 1;
}

/* An odometer: the last wheel turns fastest; a wheel after its last value goes back to none, and the wheel before it
 * turns. */
bool ss_knob_next(ss_knob_set set, const ss_workload *own, ss_workload *workload, ss_knob_values *values, bool first)
{
  int i = first ? 0 : SS_KNOB_TOTAL - 1;
  for (int j = 0; first && j < SS_KNOB_TOTAL; ++j) values->of[j] = SS_KNOB_NONE;
  bool turned = first; /* the wheels before i have a value, and i starts with none */
  while (i >= 0 && i < SS_KNOB_TOTAL) {
    if ((set & SS_KNOB_BIT(i)) != 0) {
      const int64_t value = next_value(i, set, values->of[i], workload, own);
      values->of[i] = (int32_t)value;
      turned = value != SS_KNOB_NONE;
      if (turned) set_value(i, value, workload);
    }
    i += turned ? 1 : -1;
  }
  return turned;
}

void ss_knob_apply(ss_knob_set set, const ss_knob_values *values, ss_workload *workload)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    if ((set & SS_KNOB_BIT(i)) != 0) set_value(i, values->of[i], workload);
}
