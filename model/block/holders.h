/* Which ranks hold the same weights of a stage, as numbers: what data parallelism gathers, reduces and shards over. */
#ifndef STEPSIM_MODEL_BLOCK_HOLDERS_H
#define STEPSIM_MODEL_BLOCK_HOLDERS_H

#include <stdint.h>

#include "model/block/block.h"

/* Ranks that hold the same weights: all replicas, with the ranks along the sequence unless those split the weights
 * (summa); of experts edp ranks. As many for each copy of the model that the schedule keeps. */
int64_t ss_weights_holders(const ss_workload *workload, ss_weights weights);

/* Copies of what is sharded, each on as many holders as parallelism.shard-size says (HSDP); 1: all of them share one.
 */
int64_t ss_weights_copies(const ss_workload *workload);

/* Holders that share a copy: what sharding divides by. */
int64_t ss_weights_shards(const ss_workload *workload, ss_weights weights);

/* Weights are gathered by each pass, and not kept from one to the next. */
bool ss_weights_gathered(const ss_workload *workload, ss_weights weights);

/* Whether the gradients of such weights are sharded and leave in every pass, so that only shards of them are added up.
 */
bool ss_gradients_leave(const ss_workload *workload, ss_weights weights);

#endif
