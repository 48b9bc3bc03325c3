#include "sim/report/iteration/title.h"

#include <inttypes.h>
#include <string.h>

#include "sim/report/calibration.h"
#include "sim/report/ignored.h"
#include "sim/report/interval.h"
#include "sim/report/iteration/routes.h"
#include "sim/report/iteration/trials.h"

static void print_draws(FILE *stream, const ss_prediction *prediction)
{
  const char *replays = prediction->simulated ? "which --trials 20 shows" : "which run --trials 20 shows";
  if (!prediction->draws_documents) return;
  ss_interval_print_draws(stream, prediction->simulated, prediction->trials != NULL ? "as those below do" : replays);
}

/* Said beside the iteration; what is kept where stands below. */
static void print_misfit(FILE *stream, const ss_prediction *prediction)
{
  const ss_memory *memory = &prediction->memory;
  if (ss_prediction_fits(prediction)) return;
  if (memory->total_bytes > memory->capacity_bytes)
    (void)fprintf(stream, "Does NOT fit: %.2f of %.2f GiB on the fullest GPU (below).\n", memory->total_bytes / SS_GIB,
                  memory->capacity_bytes / SS_GIB);
  else
    (void)fprintf(stream, "Does NOT fit into the second memory tier (below).\n");
}

/* Said where launches would matter, as the prediction has none. */
static void print_eager_host(FILE *stream, const ss_prediction *prediction)
{
  const ss_table_unit unit = ss_table_unit_for(prediction->eager_host_s);
  if (prediction->eager_host_s > 0.0)
    ss_table_print_sentence(stream, "An eager host would take %.3g %s by the closed form (training.host=eager).",
                            prediction->eager_host_s * unit.per_s, unit.name);
}

void ss_title_print(FILE *stream, const ss_prediction *prediction)
{
  char counts[96];
  (void)snprintf(counts, sizeof counts, "%" PRId64 " GPU%s, %" PRId64 " micro-batch%s per replica", prediction->gpus,
                 prediction->gpus == 1 ? "" : "s", prediction->micro_batches,
                 prediction->micro_batches == 1 ? "" : "es");
  const size_t width = strlen(prediction->workload) + strlen(prediction->platform) + strlen(counts) + 6;
  (void)fprintf(stream, "%s on %s%s%s\n", prediction->workload, prediction->platform,
                width <= SS_TABLE_COLUMNS ? ", " : "\n", counts);
  if (prediction->stack != NULL)
    (void)fprintf(stream, "Stack %s sets what is left open (describe lists it).\n", prediction->stack);
  if (prediction->recomputes_nothing)
    (void)fprintf(stream, "Selective recomputation has no modules, and flash attention keeps no logits:\n"
                          "nothing is computed again (torchtitan's \"selective\" is recompute=\"per-op\").\n");
  if (prediction->segment < prediction->domain_size)
    (void)fprintf(stream, "Segments of %" PRId64 " GPUs: the other %" PRId64 " of each domain are not used.\n",
                  prediction->segment, prediction->domain_size - prediction->segment);
  const ss_calibrated platform = {prediction->platform, prediction->calibration};
  ss_routes_print(stream, prediction);
  if (!prediction->simulated) ss_ignored_print(stream, prediction->only_replayed);
  if (prediction->as_published) return;
  ss_calibration_print(stream, &platform, 1);
  const ss_breakdown *time = ss_prediction_iteration(prediction);
  ss_interval_print(stream, &prediction->interval, "Iteration", time->iteration_s);
  print_misfit(stream, prediction);
  print_draws(stream, prediction);
  print_eager_host(stream, prediction);
  ss_report_blame(stream, prediction);
}

/* Stages of replicas that stand for others, which do the same at the same times, or nearly. */
static void print_simulated(FILE *stream, const ss_prediction *prediction)
{
  const ss_presumed *presumed = &prediction->shortcuts.presumed;
  if (prediction->simulated_stage_replicas == prediction->stage_replicas && presumed->flows == 0) return;
  ss_table_print_sentence(
      stream, "Folded: %" PRId64 " of the %" PRId64 " stage replicas were simulated; the others %s the same.",
      prediction->simulated_stage_replicas, prediction->stage_replicas,
      presumed->flows == 0 ? "provably behave" : "behave nearly");
  if (presumed->flows == 0) return;
  ss_table_print_sentence(
      stream,
      "Presumed: %" PRId64
      " flows were taken for others though they would have been ahead for a while, which adds up to %.2g %% of the "
      "iteration; what differs by less tells nothing (--fold exact tells them apart).",
      presumed->flows, 100.0 * presumed->ahead_s / prediction->simulation.iteration_s);
}

/* What an answer leaves out that was asked for without it. */
static void print_crowded(FILE *stream, const ss_prediction *prediction)
{
  if (prediction->shortcuts.crowded_links == 0) return;
  ss_table_print_sentence(stream,
                          "Left out: contention on %" PRId64
                          " links of the fabric, on which more flows met than they can carry (--fold exact has it).",
                          prediction->shortcuts.crowded_links);
}

/* Said where it matters. */
static void print_stability(FILE *stream, const ss_prediction *prediction)
{
  const ss_stability *stability = &prediction->stability;
  const double iteration_s = prediction->simulation.iteration_s;
  if (!stability->measured || ss_stability_is_stable(stability, iteration_s)) return;
  ss_table_print_sentence(stream,
                          "Unstable: with kernels that take %.0e of their time more or less by chance, the iteration "
                          "changes by %+.2g %%.",
                          SS_SHAKE, 100.0 * ss_stability_change(stability, iteration_s));
}

/* What looks like slow links to who waits. */
static void print_behind(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  if (ss_table_is_zero(unit, prediction->behind_s)) return;
  ss_table_print_sentence(stream,
                          "Of other, %.*f %s are waits in collectives for replicas whose kernels take longer; faster "
                          "links would not shorten them.",
                          unit.decimals, prediction->behind_s * unit.per_s, unit.name);
}

static void print_beside(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  if (prediction->beside[0] == '\0') return;
  (void)fprintf(stream, "Co-scheduled job %s: %" PRId64 " iteration%s", prediction->beside,
                prediction->co_scheduled_iterations, prediction->co_scheduled_iterations == 1 ? "" : "s");
  if (prediction->co_scheduled_iterations > 0)
    (void)fprintf(stream, " of %.*f %s", unit.decimals, prediction->co_scheduled_iteration_s * unit.per_s, unit.name);
  (void)fputs(" in that time.\n", stream);
}

void ss_replay_notes_print(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  ss_table_print_sentence(
      stream, "Replay: exposed times on the rank that finishes last, in stage %" PRId64 " of replica %" PRId64 ".",
      prediction->critical_stage, prediction->critical_replica);
  print_behind(stream, prediction, unit);
  print_simulated(stream, prediction);
  print_crowded(stream, prediction);
  print_stability(stream, prediction);
  print_beside(stream, prediction, unit);
}
