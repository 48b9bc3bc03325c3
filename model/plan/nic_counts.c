#include "model/plan/nic_counts.h"

#include <stdlib.h>
#include <string.h>

ss_status ss_nic_counts_init(ss_nic_counts *counts, const ss_machine *machine, int64_t kinds)
{
  const int64_t nics = machine->gpus / machine->domain_size * machine->nics_per_domain;
  *counts = (ss_nic_counts){.machine = machine, .kinds = kinds, .nics = nics};
  counts->count = calloc((size_t)(kinds * nics), sizeof *counts->count);
  return counts->count != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_nic_counts_free(ss_nic_counts *counts)
{
  free(counts->count);
  *counts = (ss_nic_counts){0};
}

void ss_nic_counts_clear(ss_nic_counts *counts)
{
  memset(counts->count, 0, (size_t)(counts->kinds * counts->nics) * sizeof *counts->count);
}

/* A group from GPU to GPU, NIC by NIC and domain by domain. */
typedef struct walk {
  int64_t domain, nic, nics; /* nics: of this domain, so far */
} walk;

/* Comes to the next GPU. Whether a ring of the group goes through its NIC: in each domain, through the first ones. */
static bool enter(walk *w, const ss_machine *machine, int32_t gpu, int64_t rings)
{
  const int64_t domain = gpu / machine->domain_size, nic = ss_machine_nic(machine, gpu);
  if (domain != w->domain) w->nics = 0;
  const bool first = domain != w->domain || nic != w->nic;
  *w = (walk){domain, nic, w->nics + first};
  return first && w->nics <= rings;
}

void ss_nic_counts_add(ss_nic_counts *counts, int64_t kind, const int32_t *gpu, ss_span span)
{
  const int64_t rings = ss_span_rings(span, ss_machine_nics_per_gpu(counts->machine));
  walk w = {.domain = -1};
  for (int64_t i = 0; span.domains > 1 && i < span.size; ++i) {
    const bool ring = enter(&w, counts->machine, gpu[i], rings);
    ss_nic_share *count = &counts->count[kind * counts->nics + w.nic];
    count->rings += ring;
    count->gpus++;
  }
}

ss_nic_share ss_nic_counts_most(const ss_nic_counts *counts, int64_t kind, const int32_t *gpu, ss_span span)
{
  ss_nic_share most = {0, 0};
  for (int64_t i = 0; span.domains > 1 && i < span.size; ++i) {
    const ss_nic_share *count = &counts->count[kind * counts->nics + ss_machine_nic(counts->machine, gpu[i])];
    if (count->rings > most.rings) most.rings = count->rings;
    if (count->gpus > most.gpus) most.gpus = count->gpus;
  }
  return most;
}
