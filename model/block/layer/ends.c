#include "model/block/layer/ends.h"

#include "model/block/amax.h"
#include "model/block/layer/layer_embedding.h"
#include "model/block/products.h"
#include "model/block/streams.h"
#include "model/block/tensor_overlap.h"
#include "model/input/workload.h"

/* Each tensor-parallel rank looks up the tokens of its part of the vocabulary. With summa the table is split on the
 * other axis, too, and gathered along it. */
static void add_lookup(ss_builder *b, bool elsewhere)
{
  const double parameters = (double)b->workload->model.vocabulary / b->tp * b->hidden;
  const double own_parameters = parameters / (b->summa ? b->context : 1.0);
  if (b->summa)
    ss_builder_add_exchange(b, (ss_call){SS_GROUP_TENSOR_2, SS_ALL_GATHER, SS_ELEMENT_BYTES * parameters},
                            (ss_call){SS_GROUP_TENSOR_2, SS_REDUCE_SCATTER, SS_ELEMENT_BYTES * parameters});
  ss_operation lookup = ss_operation_lookup(b->tokens, b->hidden, own_parameters);
  lookup.elsewhere = elsewhere;
  ss_builder_add(b, lookup);
}

static void add_dropout(ss_builder *b)
{
  if (b->dropout) ss_builder_add(b, ss_operation_dropout(SS_OP_DROPOUT_1, b->own_tokens * b->own_hidden));
}

/* Sums of all tokens, to which positions are added; of these each rank takes its share of the sequence, and gathers
 * their gradients (scatter_to_sequence_parallel_region of Megatron-LM). */
static void add_positions(ss_builder *b)
{
  const double elements = b->tokens * b->own_hidden, bytes = SS_ELEMENT_BYTES * b->tokens * b->hidden;
  const double vectors = (double)b->workload->model.positions;
  const bool scatters = b->split.gathers;
  ss_builder_add_exchange(
      b, scatters ? (ss_call){b->split.group, SS_ALL_REDUCE, bytes} : ss_builder_tensor_call(b, false, bytes),
      ss_builder_tensor_call(b, true, bytes));
  ss_builder_add(b, ss_operation_positions(elements, elements / (double)b->workload->training.micro_batch,
                                           vectors * b->own_hidden));
}

void ss_builder_add_embedding(ss_builder *b)
{
  add_lookup(b, b->shares_table);
  if (b->workload->model.positions > 0)
    add_positions(b);
  else
    ss_builder_add_reduction(b, SS_ELEMENT_BYTES * b->tokens * b->hidden);
  if (b->workload->model.embedding_norm == SS_YES) ss_builder_add_norm(b, SS_OP_EMBEDDING_NORM, b->hidden);
  add_dropout(b);
  ss_builder_add_stream_copies(b);
  ss_builder_add_layer_embeddings(b);
}

void ss_builder_add_next(ss_builder *b)
{
  const int64_t modules = b->workload->model.mtp_modules;
  for (int64_t i = 0; i < modules; ++i) {
    add_lookup(b, b->shares_table || i > 0);
    ss_builder_add_reduction(b, SS_ELEMENT_BYTES * b->tokens * b->hidden);
    add_dropout(b);
  }
}

/* Logits of all tokens and their loss. Neither the final norm, a module of its own, nor the loss quantises. */
static void add_prediction(ss_builder *b, bool elsewhere)
{
  const double vocabulary = (double)b->workload->model.vocabulary;
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_OUTPUT,
                                        .tokens = b->tokens,
                                        .in = b->hidden,
                                        .out = vocabulary,
                                        .elsewhere = elsewhere,
                                        .input_from = SS_SOURCE_OTHER,
                                        .gradient_from = SS_SOURCE_OTHER});
  if (b->workload->model.soft_cap == SS_YES)
    ss_builder_add(b, ss_operation_gelu(SS_OP_SOFT_CAP, b->tokens * vocabulary / b->tp)); /* a tanh, its input kept */
  const double logits = b->tokens * vocabulary / b->tp;
  ss_builder_add(b, ss_operation_cross_entropy(logits, b->workload->training.cross_entropy));
  for (int64_t i = 0; i < b->workload->training.loss_metrics; ++i) ss_builder_add(b, ss_operation_loss_metric(logits));
  /* vocabulary-parallel cross entropy: maximum, sum and predicted logit of every token, in fp32 */
  ss_builder_add_exchange(b, (ss_call){SS_GROUP_TENSOR, SS_ALL_REDUCE, 3.0 * 4.0 * b->tokens},
                          (ss_call){.volume_bytes = 0.0});
}

/* One product and one loss for the next token, and for that of each module (process_mtp_loss of Megatron-LM). */
void ss_builder_add_head(ss_builder *b)
{
  const int64_t modules = b->workload->model.mtp_modules;
  ss_builder_add_stream_contraction(b);
  ss_builder_add_norm(b, SS_OP_FINAL_NORM, b->hidden);
  for (int64_t i = 0; i <= modules; ++i) add_prediction(b, b->shares_table || i > 0);
}

/* Of a message that each tensor-parallel rank sent a share of; the receivers gather it. */
static ss_call message_gather(const ss_builder *b)
{
  const bool shares = b->workload->schedule.pipeline_rs_ag == SS_YES && !b->sequence_parallel && !b->summa;
  return (ss_call){SS_GROUP_TENSOR, SS_ALL_GATHER, shares ? SS_ELEMENT_BYTES * b->tokens * b->hidden : 0.0};
}

void ss_builder_add_entry(ss_builder *b)
{
  ss_builder_add_exchange(b, message_gather(b), (ss_call){.volume_bytes = 0.0});
}

void ss_builder_add_exit(ss_builder *b)
{
  ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0}, message_gather(b));
}

static ss_call agreement(const ss_builder *b, bool gradients)
{
  const bool all = b->workload->training.amax_reduction == SS_AMAX_ALL;
  return (ss_call){all ? SS_GROUP_STAGE : SS_GROUP_REPLICA, SS_ALL_REDUCE, ss_amax_bytes(b->workload, gradients)};
}

void ss_builder_add_amax_values(ss_builder *b)
{
  ss_builder_add_exchange(b, agreement(b, false), (ss_call){.volume_bytes = 0.0});
}

void ss_builder_add_amax_gradients(ss_builder *b)
{
  ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0}, agreement(b, true));
}
