/* Segments: a job may use only some of the GPUs of each domain, and their NICs. Ranks fill whole segments, one after
 * the other. */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_SEGMENT_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/machine.h"

/* The GPUs that a job may use, where those are not all. */
typedef struct ss_free_gpus {
  int32_t *gpu;   /* [first[domains]] in ascending order; owned */
  int64_t *first; /* [domains + 1] where those of a domain begin; owned */
} ss_free_gpus;

/* Makes a list of the GPUs for which `is_free` ([gpus] of the machine) is true. SS_ERROR_MEMORY. Release with
 * ss_free_gpus_free. */
ss_status ss_free_gpus_init(ss_free_gpus *free_gpus, const ss_machine *machine, const bool *is_free);
void ss_free_gpus_free(ss_free_gpus *free_gpus);

/* Where segments can be: on the GPUs of a machine that are free, or on all of them if `free_gpus` is NULL. Borrows
 * both.
 */
typedef struct ss_room {
  const ss_machine *machine;
  const ss_free_gpus *free_gpus;
} ss_room;

/* Ranks that whole segments of so many GPUs have room for. */
int64_t ss_room_ranks(ss_room room, int64_t segment);

/* The GPUs that a workload does not say: `group` [groups] are sizes of groups of ranks that lie side by side, the last
 * of them all ranks. A domain whose size is a power of two is used as a whole if that has room. Otherwise it is the
 * largest segment, more than half of what there can be, that all groups divide or are multiples of; where there is
 * none, the largest one that the groups inside it divide. 0: no segment has room. */
int64_t ss_segment_of_groups(ss_room room, const int64_t *group, int64_t groups);

/* Turns places into GPUs: `gpu` [count] has places, counted through all segments, for which there must be room.
 * SS_ERROR_MEMORY. */
ss_status ss_segment_lay(ss_room room, int64_t segment, int32_t *gpu, int64_t count);

#endif
