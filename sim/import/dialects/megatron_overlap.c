/* Where no source stands beside a function, src/megatron/bridge/training/comm_overlap.py of NVIDIA-NeMo/Megatron-Bridge
 * has it. */
#include "sim/import/dialects/megatron_overlap.h"

#include "model/input/origin.h"
#include "sim/import/dialects/bridge_sections.h"

/* What stands against passes in pairs: _get_model_comm_overlap_cfgs, and __post_init__ of TransformerConfig. */
static const char *against_pairs(const ss_workload *w, bool has_chunks)
{
  const bool whole = w->training.recompute == SS_RECOMPUTE_FULL;
  const bool again = w->training.recompute == SS_RECOMPUTE_SELECTIVE &&
                     (w->training.recompute_modules & SS_WORD_BIT(SS_RECOMPUTE_MOE)) != 0;
  if (w->parallelism.ep == 1 || w->model.experts < 2)
    return "is on without experts over several ranks; allowed: false, or an expert_model_parallel_size above 1";
  if (w->parallelism.pp > 1 && !has_chunks)
    return "is on with stages that have one chunk; allowed: false, or a virtual_pipeline_model_parallel_size";
  if (whole || again) return "is on with experts computed again; allowed: false, or recompute_modules without moe";
  if (w->model.mtp_modules > 1) return "is on with several modules; allowed: false, or an mtp_num_layers of 1";
  return NULL;
}

/* Whether chunks are said. A layout makes chunks of its parts only when the section has set up what it does
 * (__post_init__ of TransformerConfig), and where they are not said it sets up stages that have one. */
static bool says_chunks(const ss_sheet *s)
{
  const ss_workload *w = s->workload;
  return w->parallelism.interleave > 1 && (s->is_set[SS_AT_parallelism_interleave] || w->parallelism.layout[0] == '\0');
}

/* schedules.py of megatron/core/pipeline_parallel. */
static ss_status check_sends(const ss_sheet *s, ss_error *error)
{
  const bool has_chunks = says_chunks(s), hidden = s->value[SS_VALUE_HIDDEN_SENDS] > 0.0;
  if (s->workload->parallelism.pp == 1) return SS_OK;
  if (hidden && !has_chunks)
    return ss_sheet_refuse_number(s, SS_VALUE_HIDDEN_SENDS,
                                  "is on with stages that have one chunk; allowed: false, or a "
                                  "virtual_pipeline_model_parallel_size",
                                  error);
  if (has_chunks && s->value[SS_VALUE_HIDDEN_SENDS] != 0.0 && s->value[SS_VALUE_BATCHED_SENDS] > 0.0)
    return ss_sheet_refuse_number(s, SS_VALUE_BATCHED_SENDS,
                                  "is on beside overlap_p2p_comm, which is on with chunks; allowed: one of both",
                                  error);
  return SS_OK;
}

static ss_status check(const ss_sheet *s, ss_error *error)
{
  const bool paired = s->value[SS_VALUE_PAIRED] > 0.0;
  const char *problem = paired ? against_pairs(s->workload, says_chunks(s)) : NULL;
  if (problem != NULL) return ss_sheet_refuse_number(s, SS_VALUE_PAIRED, problem, error);
  if (!paired && s->value[SS_VALUE_DELAYED] > 0.0)
    return ss_sheet_refuse_number(s, SS_VALUE_DELAYED,
                                  "is on without overlap_moe_expert_parallel_comm; allowed: false, or both", error);
  return check_sends(s, error);
}

/* _get_optimizer_overlap_cfgs: with several replicas gradients go beside compute. Whoever starts the job gives it these
 * where no file has the GPUs. */
static void read_sums(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (s->value[SS_VALUE_DISTRIBUTED] <= 0.0 || s->is_set[SS_AT_schedule_overlap_dp]) return;
  const bool alone = w->parallelism.dp == 1 && w->line[SS_AT_parallelism_dp] != SS_LINE_CHOSEN;
  ss_sheet_set(s, SS_AT_schedule_overlap_dp, alone ? SS_NO : SS_YES, SS_VALUE_DISTRIBUTED);
}

/* Whether weights are gathered once, and might be so beside compute; Megatron-FSDP gathers those that it shards beside
 * it in any case. */
static bool may_hide_gathers(const ss_workload *w)
{
  const ss_sharding sharding = w->parallelism.sharding;
  return (sharding == SS_SHARDING_OPTIMIZER || sharding == SS_SHARDING_GRADIENTS) && w->schedule.overlap_dp == SS_YES;
}

/* overlap_param_gather is off where nobody says (DistributedDataParallelConfig of megatron/core/distributed), but in a
 * section of comm_overlap (_get_optimizer_overlap_cfgs). */
static void read_gathers(ss_sheet *s, bool has_section)
{
  const ss_workload *w = s->workload;
  const double beside = s->value[SS_VALUE_GATHERS];
  const bool is_open = w->line[SS_AT_schedule_overlap_gather] == SS_LINE_DEFAULT;
  if (beside == SS_NOT_GIVEN && (has_section || !is_open)) return;
  if (beside <= 0.0 && !may_hide_gathers(w)) return;
  ss_sheet_set(s, SS_AT_schedule_overlap_gather, beside > 0.0 ? SS_YES : SS_NO, SS_VALUE_GATHERS);
}

/* How user buffers reduce what products write forward, where classes of tp_comm_overlap_cfg say it. */
static void read_reductions(ss_sheet *s)
{
  static const ss_tp_reduction of[2][2] = {{SS_TP_REDUCTION_PIPE, SS_TP_REDUCTION_MLP_RING},
                                           {SS_TP_REDUCTION_MLP_PIPE, SS_TP_REDUCTION_RING}};
  const double attention = s->value[SS_VALUE_RING_BEHIND_ATTENTION], mlp = s->value[SS_VALUE_RING_BEHIND_MLP];
  if (s->workload->schedule.overlap_tp != SS_TP_OVERLAP_USER_BUFFERS || (attention < 0.0 && mlp < 0.0)) return;
  ss_sheet_set(s, SS_AT_schedule_tp_reduction, of[attention > 0.0][mlp > 0.0],
               attention >= 0.0 ? SS_VALUE_RING_BEHIND_ATTENTION : SS_VALUE_RING_BEHIND_MLP);
}

ss_status ss_megatron_read_overlap(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const bool has_section = ss_bridge_has_section(s->settings, ss_bridge_comm_overlap);
  const ss_status status = has_section ? check(s, error) : SS_OK;
  if (status != SS_OK) return status;
  if (has_section && w->parallelism.interleave > 1 && !says_chunks(s))
    ss_import_set(s->import, SS_AT_schedule_overlap_pp, SS_NO, w->line[SS_AT_parallelism_interleave]);
  if (has_section) read_sums(s);
  read_gathers(s, has_section);
  read_reductions(s);
  return SS_OK;
}

void ss_megatron_write_overlap(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  const bool shards = w->parallelism.sharding >= SS_SHARDING_OPTIMIZER;
  s->value[SS_VALUE_GATHERS] = shards && w->schedule.overlap_dp == SS_YES && w->schedule.overlap_gather == SS_YES;
}
