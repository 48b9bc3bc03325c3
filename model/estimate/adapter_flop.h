/* Flop of adapters of low rank (LoRA) in a layer. */
#ifndef STEPSIM_MODEL_ESTIMATE_ADAPTER_FLOP_H
#define STEPSIM_MODEL_ESTIMATE_ADAPTER_FLOP_H

#include "model/plan/job.h"

/* Of their products forward, for a sequence: in all, and of that beside the products of an MLP or of shared experts, of
 * routed experts, and of queries, keys and values of latent attention. */
typedef struct ss_adapter_flop {
  double all, mlp, routed, up;
} ss_adapter_flop;

/* In a layer of a kind, which is as `layer` says and has experts or not; zeros without adapters. */
ss_adapter_flop ss_adapter_flop_of(const ss_job *job, ss_block_kind kind, const ss_workload *layer, bool experts);

#endif
