/* The feed-forward part of a layer as a mixture of experts. */
#ifndef STEPSIM_MODEL_BLOCK_FEED_FORWARD_EXPERT_H
#define STEPSIM_MODEL_BLOCK_FEED_FORWARD_EXPERT_H

#include "model/block/builder.h"

/* arXiv 2401.04088 and 2412.19437: every token goes to its top-k experts, and to the shared ones. Experts and shared
 * experts have no biases. */
void ss_builder_add_experts(ss_builder *b);

/* How tokens get to their experts and back. */
ss_collective ss_expert_exchange(const ss_workload *workload);

#endif
