#include "model/run/failures.h"

#include "model/fabric/parts.h"

#define SECONDS_PER_YEAR (365.25 * 86400.0)

static const struct {
  const char *label, *key;
  bool lasting;
} kinds[SS_FAILURES] = {
#define FAILURE_ROW(id, label, key, lasting) {label, key, lasting},
    SS_FAILURE_LIST(FAILURE_ROW)
#undef FAILURE_ROW
};

const char *ss_failure_label(ss_failure failure)
{
  return kinds[failure].label;
}

const char *ss_failure_key(ss_failure failure)
{
  return kinds[failure].key;
}

ss_failures ss_failures_of(const ss_workload *workload, const ss_machine *machine)
{
  const double gpus = (double)ss_workload_gpus(workload);
  const ss_fabric_parts fabric = ss_fabric_parts_of(machine);
  const double per_year[SS_FAILURES] = {[SS_FAILURE_GPU] = machine->gpu_failures,
                                        [SS_FAILURE_NIC] = machine->nic_failures,
                                        [SS_FAILURE_NODE] = machine->node_failures,
                                        [SS_FAILURE_SWITCH] = machine->switch_failures,
                                        [SS_FAILURE_SOFTWARE] = workload->run.software_failures};
  ss_failures failures = {.parts = {[SS_FAILURE_GPU] = gpus,
                                    [SS_FAILURE_NIC] = gpus * ss_machine_nics_per_gpu(machine),
                                    [SS_FAILURE_NODE] = gpus / (double)ss_machine_node_gpus(machine),
                                    [SS_FAILURE_SWITCH] = (double)fabric.switches * gpus / (double)machine->gpus,
                                    [SS_FAILURE_SOFTWARE] = gpus}};
  for (int i = 0; i < SS_FAILURES; ++i) failures.rate_per_s[i] = failures.parts[i] * per_year[i] / SECONDS_PER_YEAR;
  return failures;
}

double ss_failures_rate_per_s(const ss_failures *failures)
{
  double sum = 0.0;
  for (int i = 0; i < SS_FAILURES; ++i) sum += failures->rate_per_s[i];
  return sum;
}

double ss_failures_lasting(const ss_failures *failures)
{
  const double all = ss_failures_rate_per_s(failures);
  double lasting = 0.0;
  for (int i = 0; i < SS_FAILURES; ++i)
    if (kinds[i].lasting) lasting += failures->rate_per_s[i];
  return all > 0.0 ? lasting / all : 0.0;
}
