/* How context-parallel ranks exchange keys and values where a workload does not say. */
#ifndef STEPSIM_MODEL_INPUT_EXCHANGE_H
#define STEPSIM_MODEL_INPUT_EXCHANGE_H

#include "model/input/workload.h"

/* Whether ranks along the sequence have whole chunks, so that attention needs nothing of the others: with
 * parallelism.cp-balance, each of the two pieces of a rank. */
bool ss_chunks_are_local(const ss_workload *workload);

/* Whether all kinds of layers take a ring: no window, no chunks that several ranks share, all tokens. */
bool ss_exchange_takes_ring(const ss_workload *workload);

/* Sets parallelism.cp-exchange of a workload that has its default, a ring, where layers do not take that: chosen tokens
 * are gathered; windows and chunks go with all-to-all where ranks share the heads out evenly, or else are gathered, as
 * Transformer Engine has them (AttnFuncWithCPAndQKVOA2A and AttnFuncWithCPAndKVAllGather of
 * transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py). Marks it with SS_LINE_DERIVED. */
void ss_exchange_choose(ss_workload *workload);

#endif
