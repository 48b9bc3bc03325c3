/* Builds the state of a replay before the first event, and releases it. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_WORLD_SETUP_H
#define STEPSIM_SIM_ENGINE_SETUP_WORLD_SETUP_H

#include "sim/engine/core/world.h"
#include "sim/engine/headroom/presumption.h"

/* What jobs that run at the same time share: links (without a fabric: private ones), and which of them are spared where
 * there is one job. All are borrowed. */
typedef struct ss_shared_links {
  ss_links *links;
  ss_headroom *headroom;       /* NULL: none is spared */
  ss_presumption *presumption; /* as headroom */
} ss_shared_links;

/* The world of a job: its parts, the routes of their transfers, and the paths of their flows over the links. `common`
 * is shared by jobs that run at the same time; all are borrowed. SS_ERROR_MEMORY; SS_ERROR_INPUT where the fabric does
 * not connect two GPUs that send to each other. Free in any case. */
ss_status ss_world_lay_out(ss_world *world, ss_common *common, const ss_job *job, const ss_replay_options *options,
                           ss_shared_links shared, ss_error *error);

/* Then, once, and by what is known of the links: what is simulated of all that. SS_ERROR_MEMORY. */
ss_status ss_world_choose(ss_world *world, ss_shared_links shared, ss_error *error);

/* Both. */
ss_status ss_world_init(ss_world *world, ss_common *common, const ss_job *job, const ss_replay_options *options,
                        ss_shared_links shared, ss_error *error);
void ss_world_free(ss_world *world);

/* Lets a world on private links that has been replayed take another job, of the same workload on the same machine, in
 * place of the one that it was laid out for, which may have been freed: it leaves its numbers. Not `taken` where it
 * would be laid out otherwise, or is perturbed: then the world is only good for being freed, before the job is another
 * one. SS_ERROR_MEMORY: as well. */
ss_status ss_world_take(ss_world *world, const ss_links *links, const ss_job *job, bool *taken);

#endif
