#include "sim/session/sweep/cached_point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point, and what is asked about it. */
typedef struct inquiry {
  ss_session session;
  ss_question question;
} inquiry;

/* The question about a point. The knobs, pins and tensor layouts of a choice are part of it only where something is
 * chosen. */
static void ask(const ss_point_plan *plan, int64_t gpus, inquiry *i)
{
  const ss_options *o = plan->options;
  const ss_choice_options *choice = &o->choice;
  const bool chooses = o->sweep.best == SS_BEST_STRATEGY, sized = gpus > 0 || choice->budget > 0.0;
  const bool replays = o->sweep.replay > 0;
  const double flows = replays ? (double)o->replay.flows : -1.0, fold = replays ? (double)o->replay.fold : -1.0;
  i->question =
      (ss_question){.kind = "point",
                    .workload = &i->session.workload,
                    .machine = &i->session.machine,
                    .number = {(double)gpus, o->sweep.best, (double)ss_point_contest(&o->sweep), flows, o->common.cost,
                               choice->objective, choice->budget, o->sweep.fewer, chooses || sized ? plan->pins : 0.0,
                               chooses ? (double)plan->knobs : 0.0, chooses ? choice->tensors : 0.0, fold}};
}

static void inquiry_destroy(inquiry *i)
{
  if (i != NULL) ss_session_close(&i->session);
  free(i);
}

/* Fails with SS_ERROR_INPUT where the point has no inputs. */
static ss_status inquiry_create(const ss_point_plan *plan, int64_t point, inquiry **created, ss_error *error)
{
  int64_t gpus = 0;
  inquiry *i = calloc(1, sizeof *i);
  *created = NULL;
  if (i == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a point");
  const ss_status status = ss_point_inputs(plan, point, &i->session, &gpus, error);
  ask(plan, gpus, i);
  if (status == SS_OK)
    *created = i;
  else
    inquiry_destroy(i);
  return status;
}

ss_status ss_cached_point_find(ss_result_cache *cache, const ss_point_plan *plan, int64_t point,
                               ss_point_outcome *outcome, bool *found, ss_error *error)
{
  inquiry *i;
  void *bytes = NULL;
  size_t size = 0;
  *found = false;
  if (!ss_result_cache_keeps(cache)) return SS_OK;
  const ss_status begun = inquiry_create(plan, point, &i, error);
  if (begun == SS_ERROR_INPUT) return ss_result_cache_miss(cache); /* the outcome will say why */
  if (begun != SS_OK) return begun;
  const ss_status status = ss_result_cache_find(cache, &i->question, &bytes, &size, error);
  *found = bytes != NULL && size == ss_point_outcome_size(&plan->options->sweep);
  if (*found) memcpy(outcome, bytes, size);
  free(bytes);
  inquiry_destroy(i);
  return status;
}

/* The values of the axes; NULL where there is no memory. */
static char *label_of(const ss_sweep *sweep, int64_t point)
{
  size_t size = 1, used = 0;
  for (int64_t i = 0; i < sweep->axes; ++i)
    size += strlen(sweep->axis[i].name) + strlen(ss_sweep_value(sweep, point, i)) + 2;
  char *label = malloc(size);
  for (int64_t i = 0; label != NULL && i < sweep->axes; ++i)
    used += (size_t)snprintf(label + used, size - used, "%s%s=%s", i > 0 ? " " : "", sweep->axis[i].name,
                             ss_sweep_value(sweep, point, i));
  return label;
}

static ss_status keep(ss_result_cache *cache, const ss_point_plan *plan, int64_t point, const ss_question *question,
                      const ss_point_outcome *outcome, ss_error *error)
{
  const bool chosen = plan->options->sweep.best != SS_BEST_NOTHING;
  char *label = label_of(plan->sweep, point);
  if (label == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a point");
  ss_record record = ss_record_empty();
  record.label = label;
  record.refusal = outcome->refusal;
  if (!outcome->refused) record.gpus = outcome->gpus;
  const ss_strategy *best = outcome->count > 0 ? &outcome->top[outcome->best] : NULL;
  const ss_kept_strategies kept = {.strategy = best,
                                   .count = best != NULL,
                                   .named = chosen,
                                   .knobs = plan->knobs & ~SS_KNOBS_FOLLOWING,
                                   .tariff = &outcome->tariff};
  ss_status status = ss_result_cache_describe(&record, &kept, error);
  const bool to_be_taken = !outcome->refused || outcome->searched;
  const size_t size = to_be_taken ? ss_point_outcome_size(&plan->options->sweep) : 0;
  if (status == SS_OK) status = ss_result_cache_keep(cache, question, record, outcome, size, error);
  free((char *)record.parts);
  free(label);
  return status;
}

ss_status ss_cached_point_store(ss_result_cache *cache, const ss_point_plan *plan, int64_t point,
                                const ss_point_outcome *outcome, ss_error *error)
{
  inquiry *i;
  if (!ss_result_cache_keeps(cache)) return SS_OK;
  const ss_status begun = inquiry_create(plan, point, &i, error);
  if (begun != SS_OK) return begun == SS_ERROR_INPUT ? SS_OK : begun; /* the point has no key */
  const ss_status status = keep(cache, plan, point, &i->question, outcome, error);
  inquiry_destroy(i);
  return status;
}
