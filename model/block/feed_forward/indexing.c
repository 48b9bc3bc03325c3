#include "model/block/feed_forward/indexing.h"

#define INDEX_BYTES 8.0

/* An atomic addition reads the sum and writes it. */
#define SUM_BYTES (2.0 * SS_ELEMENT_BYTES)

/* masked_select of indices and of weights (permute and unpermute of megatron/core/transformer/moe/moe_utils.py). Each:
 * the mask as booleans and transposed, 2 + 2 bytes a score; its sum 1, for which the host waits; what is not zero, 1
 * and an index of a choice; row and column of that, 1 + 2 indices; both read and what is selected written, 2 + 2:
 * eight kernels, four operations. Backward of the weights: zeros 2, a running sum of the mask 1 + 8, what comes back
 * put there 8 + 1 + 2: four, two operations. Kept are the indices and the mask. */
ss_operation ss_indexing_find(double scores, double chosen)
{
  const double each_bytes = 6.0 * scores + 8.0 * INDEX_BYTES * chosen;
  ss_operation find = {.forward = ss_chain_task(SS_OP_PERMUTE, 16.0, 8, 0.0, 2.0 * each_bytes),
                       .backward = ss_chain_task(SS_OP_PERMUTE, 4.0, 2, scores, 22.0 * scores),
                       .stored_bytes = scores + INDEX_BYTES * chosen};
  find.forward.synced = true;
  return find;
}

/* index_select; backward zeros, and index_add_. */
ss_operation ss_indexing_gather(double elements, double copies)
{
  return (ss_operation){
      .forward = ss_chain_task(SS_OP_PERMUTE, 1.0, 1, 0.0, 2.0 * SS_ELEMENT_BYTES * copies),
      .backward =
          ss_chain_task(SS_OP_PERMUTE, 2.0, 1, copies, SS_ELEMENT_BYTES * (elements + copies) + SUM_BYTES * copies),
  };
}

/* Zeros, and scatter_add_, ahead of which a product weighs; backward a gather. Of that product the gradients are one of
 * copies, and one that is written whole before its rows are summed up. */
ss_operation ss_indexing_scatter(double elements, double copies, bool weighs)
{
  const double weighed = weighs ? copies : 0.0;
  const double added_bytes = SS_ELEMENT_BYTES * (elements + copies) + SUM_BYTES * copies;
  ss_operation scatter = {
      .forward = ss_chain_task(SS_OP_UNPERMUTE, weighs ? 3.0 : 2.0, weighs ? 3 : 2, copies + weighed,
                               2.0 * SS_ELEMENT_BYTES * weighed + added_bytes),
      .backward = ss_chain_task(SS_OP_UNPERMUTE, weighs ? 4.0 : 1.0, weighs ? 3 : 1, 3.0 * weighed,
                                SS_ELEMENT_BYTES * (2.0 * copies + 6.0 * weighed)),
      .stored_bytes = SS_ELEMENT_BYTES * weighed,
  };
  scatter.forward.synced = weighs; /* the weights are selected here */
  return scatter;
}
