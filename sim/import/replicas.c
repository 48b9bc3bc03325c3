#include "sim/import/replicas.h"

#include <inttypes.h>

#include "model/input/origin.h"

/* A recipe says the GPUs that it is for, unless replicas were set. */
static ss_status spread_recipe(ss_import *import, ss_error *error)
{
  const ss_workload *w = import->workload;
  const int64_t gpus = import->recipe_gpus, ranks = ss_workload_gpus(w) / w->parallelism.dp;
  if (gpus == 0 || w->line[SS_AT_parallelism_dp] == SS_LINE_OVERRIDE) return SS_OK;
  if (gpus % ranks != 0)
    return ss_error_set(error, SS_ERROR_INPUT, w->file, 0,
                        "the recipe is for %" PRId64 " GPUs, and a replica has %" PRId64
                        "; allowed: --gpus with a multiple of these",
                        gpus, ranks);
  ss_import_set(import, SS_AT_parallelism_dp, gpus / ranks, 1);
  return SS_OK;
}

ss_status ss_replicas_spread(ss_import *import, ss_error *error)
{
  const ss_workload *w = import->workload;
  const int64_t gpus = import->gpus, ranks = ss_workload_gpus(w) / w->parallelism.dp;
  if (gpus == 0) return spread_recipe(import, error);
  if (gpus % ranks != 0)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "--gpus \"%" PRId64
                        "\": not a multiple of parallelism.tp * tp2 * cp * pp; allowed: multiples of %" PRId64,
                        gpus, ranks);
  if (w->line[SS_AT_parallelism_dp] == SS_LINE_OVERRIDE && w->parallelism.dp != gpus / ranks)
    return ss_workload_refuse(w, SS_AT_parallelism_dp, error,
                              "makes %" PRId64 " GPUs, not the %" PRId64 " of --gpus; allowed: one of both",
                              ss_workload_gpus(w), gpus);
  ss_import_set(import, SS_AT_parallelism_dp, gpus / ranks, SS_LINE_OVERRIDE);
  return SS_OK;
}

/* Ranks that share a copy of what is sharded, where files say these or the copies, and the replicas are known now. */
static ss_status share_out(ss_import *import, ss_error *error)
{
  const ss_workload *w = import->workload;
  const int64_t holders = w->parallelism.dp * w->parallelism.cp, copies = import->shard_copies;
  const bool is_said = copies > 0 || import->shard_ranks > 0,
             is_known = w->line[SS_AT_parallelism_dp] != SS_LINE_CHOSEN;
  const bool overridden = w->line[SS_AT_parallelism_shard_size] == SS_LINE_OVERRIDE ||
                          w->line[SS_AT_parallelism_sharding] == SS_LINE_OVERRIDE;
  if (!is_said || !is_known || overridden || w->parallelism.sharding == SS_SHARDING_NONE) return SS_OK;
  if (copies > 0 && holders % copies != 0)
    return ss_error_set(error, SS_ERROR_INPUT, w->file, 0,
                        "parallelism.dp=%" PRId64 ": makes no whole number of ranks for each of the %" PRId64
                        " copies of what is sharded that the files say; allowed: one",
                        w->parallelism.dp, copies);
  const int64_t size = copies > 0 ? holders / copies : import->shard_ranks;
  if (size == 1) ss_import_set(import, SS_AT_parallelism_sharding, SS_SHARDING_NONE, 1);
  if (size > 1 && size != holders) ss_import_set(import, SS_AT_parallelism_shard_size, size, 1);
  return SS_OK;
}

/* States of the optimizer that copies of all else share out: whole copies do so with sharding optimizer. */
static ss_status spread_states(ss_import *import, ss_error *error)
{
  const ss_workload *w = import->workload;
  const bool is_whole = w->parallelism.sharding == SS_SHARDING_NONE;
  if (!import->spreads_states || w->line[SS_AT_parallelism_sharding] == SS_LINE_OVERRIDE) return SS_OK;
  if (is_whole) ss_import_set(import, SS_AT_parallelism_sharding, SS_SHARDING_OPTIMIZER, 1);
  if (is_whole || w->parallelism.shard_size == SS_DERIVED) return SS_OK;
  return ss_import_note(import, SS_NOTE_MATTERS,
                        "that copies of sharded weights share the optimizer's states: each copy has them all", error);
}

ss_status ss_replicas_share(ss_import *import, ss_error *error)
{
  const ss_status status = share_out(import, error);
  return status == SS_OK ? spread_states(import, error) : status;
}
