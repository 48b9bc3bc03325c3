#include "model/estimate/upgrade.h"

#include "model/estimate/estimate.h"
#include "model/plan/job_setup.h"

static void change_matrix(ss_machine *machine)
{
  machine->matrix_flop_per_s *= 2.0;
  machine->fp8_flop_per_s *= 2.0;
  machine->mxfp8_flop_per_s *= 2.0;
  machine->nvfp4_flop_per_s *= 2.0;
}

static void change_hbm(ss_machine *machine)
{
  machine->hbm_bytes_per_s *= 2.0;
}

static void change_nvlink(ss_machine *machine)
{
  machine->nvlink_bytes_per_s *= 2.0;
}

/* A GPU sends through twice as many at a time, which the closed form sees as one that is twice as fast. The links of
 * the fabric follow: its bandwidth scales them all. */
static void change_nics(ss_machine *machine)
{
  machine->fabric_bytes_per_s *= 2.0;
  machine->ll_fabric_bytes_per_s *= 2.0;
}

static void change_launches(ss_machine *machine)
{
  machine->launch_overhead_s = 0.0;
  machine->host_forward_s = machine->host_backward_s = machine->host_collective_s = 0.0;
}

static const struct {
  const char *word, *text;
  void (*change)(ss_machine *machine);
} rows[SS_UPGRADES] = {
#define SS_UPGRADE_ROW(id, word, text) [id] = {#word, text, change_##word},
    SS_UPGRADE_LIST(SS_UPGRADE_ROW)
#undef SS_UPGRADE_ROW
};

const char *ss_upgrade_word(ss_upgrade upgrade)
{
  return rows[upgrade].word;
}

const char *ss_upgrade_text(ss_upgrade upgrade)
{
  return rows[upgrade].text;
}

void ss_upgrade_change(ss_upgrade upgrade, ss_machine *machine)
{
  rows[upgrade].change(machine);
}

ss_status ss_upgrade_estimate(const ss_job *job, ss_upgrade upgrade, double *iteration_s, ss_error *error)
{
  ss_machine machine = *job->machine; /* borrows what that owns */
  ss_job changed;
  const ss_job_options options = {
      .cost = job->options.cost, .ranks = job->options.ranks, .free_gpus = job->options.free_gpus};
  ss_upgrade_change(upgrade, &machine);
  const ss_status status = ss_job_init(&changed, job->workload, &machine, options, error);
  if (status != SS_OK) return status;
  *iteration_s = ss_estimate_time(&changed).iteration_s;
  ss_job_free(&changed);
  return SS_OK;
}
