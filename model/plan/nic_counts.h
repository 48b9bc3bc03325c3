/* How many groups of a kind, and how many ranks of a stage, use a NIC at the same time, where GPUs share NICs and each
 * group may lie in another way. */
#ifndef STEPSIM_MODEL_PLAN_NIC_COUNTS_H
#define STEPSIM_MODEL_PLAN_NIC_COUNTS_H

#include <stdint.h>

#include "model/base/error.h"
#include "model/collective/span.h"
#include "model/input/machine.h"

/* Counts of several kinds, of what works at the same time. */
typedef struct ss_nic_counts {
  const ss_machine *machine; /* borrowed */
  int64_t kinds, nics;
  ss_nic_share *count; /* [kinds][nics] owned */
} ss_nic_counts;

/* Makes room for counts of so many kinds, all 0. SS_ERROR_MEMORY. Release with ss_nic_counts_free, also after an error.
 */
ss_status ss_nic_counts_init(ss_nic_counts *counts, const ss_machine *machine, int64_t kinds);
void ss_nic_counts_free(ss_nic_counts *counts);

/* Nothing is counted. */
void ss_nic_counts_clear(ss_nic_counts *counts);

/* Adds a group, `gpu` [span.size] in ascending order; nothing where it stays in a domain. */
void ss_nic_counts_add(ss_nic_counts *counts, int64_t kind, const int32_t *gpu, ss_span span);

/* What all groups of the kind have behind the fullest NIC that a group uses. */
ss_nic_share ss_nic_counts_most(const ss_nic_counts *counts, int64_t kind, const int32_t *gpu, ss_span span);

#endif
