#include "sim/cli/describe/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/estimate/estimate.h"
#include "model/input/workload.h"
#include "model/plan/host_step.h"
#include "model/plan/muon.h"
#include "model/plan/optimizer.h"
#include "sim/report/table.h"

#define LINE_SIZE 512

/* The stage that is described. */
enum { STAGE = 0 };

/* Appends "BEFORE1.2 msAFTER"; nothing where there is no time. */
static void append_time(char line[LINE_SIZE], const char *before, double time_s, const char *after)
{
  const size_t used = strlen(line);
  const ss_table_unit unit = ss_table_unit_for(time_s);
  if (time_s > 0.0)
    (void)snprintf(line + used, LINE_SIZE - used, "%s%.4g %s%s", before, time_s * unit.per_s, unit.name, after);
}

static void append_amount(char line[LINE_SIZE], const char *before, double amount, const char *unit, const char *after)
{
  char scaled[SS_TABLE_SCALED_SIZE];
  const size_t used = strlen(line);
  ss_table_scale(amount, unit, scaled);
  (void)snprintf(line + used, LINE_SIZE - used, "%s%s%s", before, scaled, after);
}

static void append_muon(char line[LINE_SIZE], const ss_job *job, bool seconds)
{
  if (job->workload->training.optimizer != SS_OPTIMIZER_MUON) return;
  const ss_muon muon = ss_muon_of(job, STAGE);
  const double matrices = muon.parameters[SS_WEIGHTS_DENSE] + muon.parameters[SS_WEIGHTS_EXPERT];
  append_amount(line, "; of ", matrices, "", " parameters in matrices");
  append_amount(line, ", of which the rank with most steps ", muon.stepped, "", "");
  if (seconds) append_time(line, ", orthogonalised in ", muon.orthogonalise_s, "");
}

static void print_optimizer(const ss_job *job, bool seconds)
{
  const ss_optimizer_time time = ss_job_optimizer(job, STAGE);
  char line[LINE_SIZE];
  (void)snprintf(line, sizeof line, "optimizer step%s: %s", job->stages > 1 ? " of stage 0" : "",
                 ss_word(SS_AT_training_optimizer, (int)job->workload->training.optimizer));
  append_amount(line, ", states of ", ss_job_state_bytes(job, STAGE), "B", "");
  append_muon(line, job, seconds);
  if (seconds) {
    append_time(line, "; kernels ", time.optimizer_s, "");
    append_time(line, ", exchanges between tensor-parallel ranks ", time.exchange_s, "");
    const bool waits_for_host = ss_host_stepped_share(job->workload) > 0.0;
    append_time(line, waits_for_host ? ", waiting for the host " : ", waiting for the second memory tier ",
                time.offload_s, "");
  }
  ss_table_print_wrapped(stdout, line, 2);
}

/* Launches of the blocks of the first stage. */
static ss_launches launches_of(const ss_job *job, ss_pass pass)
{
  ss_launches sum = ss_launches_none();
  for (int64_t chunk = 0; chunk < job->chunks; ++chunk) {
    const ss_chunk at = {STAGE, chunk};
    for (int64_t i = 0; i < ss_job_block_count(job, at); ++i)
      sum = ss_launches_then(sum, job->launches[ss_job_block_kind(job, at, i)][pass]);
  }
  return sum;
}

static void print_host(const ss_job *job, bool seconds)
{
  static const char *const names[SS_PASSES] = {
      [SS_PASS_FORWARD] = " forward ", [SS_PASS_BACKWARD] = ", backward ", [SS_PASS_WEIGHT] = ", weight gradients "};
  const int passes = job->shape.schedule->splits_backward ? SS_PASSES : SS_PASS_WEIGHT;
  char line[LINE_SIZE];
  if (!job->host.active) return;
  (void)snprintf(line, sizeof line, "eager host%s: launches of a micro-batch", job->stages > 1 ? " of stage 0" : "");
  for (int pass = 0; pass < passes; ++pass) {
    const ss_launches launches = launches_of(job, (ss_pass)pass);
    const size_t used = strlen(line);
    (void)snprintf(line + used, sizeof line - used, "%s%.0f", names[pass], launches.count);
    if (seconds) append_time(line, " in ", launches.host_s, "");
  }
  ss_table_print_wrapped(stdout, line, 2);
}

static void print_tier(const ss_job *job)
{
  const ss_offload offload = ss_estimate_offload(job, STAGE);
  char line[LINE_SIZE];
  if (offload.read_bytes + offload.written_bytes == 0.0) return;
  (void)snprintf(line, sizeof line, "second memory tier%s: in an iteration", job->stages > 1 ? " of stage 0" : "");
  append_amount(line, " ", offload.read_bytes, "B", " read");
  append_amount(line, ", ", offload.written_bytes, "B", " written");
  ss_table_print_wrapped(stdout, line, 2);
}

void ss_describe_step(const ss_job *job, bool seconds)
{
  if (!ss_cost_traits_of(job->options.cost).ends_of_model) return;
  print_optimizer(job, seconds);
  print_host(job, seconds);
  print_tier(job);
}
