/* What of a block runs forward again in backward, and which of its activations go to the second memory tier: the
 * modules of Megatron-LM, operation by operation. */
#ifndef STEPSIM_MODEL_BLOCK_RECOMPUTATION_H
#define STEPSIM_MODEL_BLOCK_RECOMPUTATION_H

#include "model/block/builder.h"

/* Whether the block recomputes the core of unfused attention, and nothing else: selective recomputation without
 * modules, as arXiv 2205.05198 has it. Its operations run at the start of backward. */
bool ss_builder_recomputes_logits(const ss_builder *b);

/* Whether all of the block runs forward again: of a group of layers, each in its own backward pass. */
bool ss_builder_recomputes_whole(const ss_builder *b);

/* Whether the block runs forward again but for operations whose results it keeps: flash attention, reduce-scatters,
 * all-to-alls and every first of two products (_custom_policy of torchtitan/distributed/activation_checkpoint.py), or
 * all products, or what reduce-scatters make of their results (minimal_policy of MaxText's layers/decoders.py). */
bool ss_builder_recomputes_by_operation(const ss_builder *b);

/* Where either is so, ends what its operations, all of which have been added, store. Returns the flop of products and
 * scans that run again. */
double ss_builder_recompute_operations(ss_builder *b);

/* Whether what norms ahead of attention and feed-forward parts put out is made again. */
bool ss_builder_recomputes_norms(const ss_builder *b);

/* Whether inputs of a module go to the second tier as training.offload-modules says. */
bool ss_builder_offloads(const ss_builder *b, ss_offload_module module);

/* Keeps the input of a module that is recomputed, of so many bytes, where no operation outside of it does. */
void ss_builder_keep_input(ss_builder *b, ss_recompute_module module, double bytes);

/* The same of an input that the input norm has written: it is kept where products keep something else, and where the
 * norm is recomputed, too, made again with that. Returns where the operations of the module begin. */
int64_t ss_builder_open(ss_builder *b, ss_recompute_module module);

/* Ends such a module at the last operation: all that its operations store is made again before their gradients. */
void ss_builder_close(ss_builder *b, ss_recompute_module module, int64_t first);

/* What operations [first, end) store is made again, by whatever runs again before their gradients; but not what the
 * input norm has written, which is an input. */
void ss_builder_remake(ss_builder *b, int64_t first, int64_t end);

/* Operations [first, end) run forward again before the gradients of what has been added so far, from `first` on: there
 * the outputs that their module has discarded are needed (CheckpointWithoutOutput of Megatron-LM). Regions may be
 * nested; the inner one is ended first. */
void ss_builder_run_again(ss_builder *b, int64_t first, int64_t end);

/* Does the same at the start of backward, for all tasks that come then: the core of unfused attention, whole layers. */
void ss_builder_run_again_first(ss_builder *b, int64_t first, int64_t end);

/* Marks what operations from `first` on keep as inputs of a module that may go to the second tier. */
void ss_builder_offload(ss_builder *b, ss_offload_module module, int64_t first);

/* Adds the norm before attention or a feed-forward part, of which training.recompute-modules and
 * training.offload-modules can say something, and, behind the part, ends what they say of it: its output is needed up
 * to there. */
void ss_builder_add_input_norm(ss_builder *b, ss_activity activity, ss_offload_module module);
void ss_builder_end_input_norm(ss_builder *b);

/* The operation before whose gradients a region runs again. */
int64_t ss_region_start(const ss_builder *b, const ss_region *region);

/* Bytes that recomputation adds to those that the block keeps, at most, while it runs backward. */
double ss_builder_working_bytes(const ss_builder *b);

#endif
