#include "model/block/streams.h"

#include "model/block/recomputation.h"
#include "model/input/workload.h"

/* Iterations that make mixtures doubly stochastic (mhc_sinkhorn_iterations), each of which divides by sums of rows and
 * of columns. */
#define SINKHORN_ITERATIONS 20.0

static double streams_of(const ss_workload *w)
{
  return (double)w->model.residual_streams;
}

/* Weights of the sum, of the output, and of mixtures. */
static double weights_of(const ss_workload *w)
{
  const double n = streams_of(w);
  return n * n + 2.0 * n;
}

double ss_stream_parameters(const ss_workload *workload)
{
  const double n = streams_of(workload);
  return n > 1.0 ? n * (double)workload->model.hidden * weights_of(workload) : 0.0;
}

static bool is_fused(const ss_builder *b)
{
  return b->workload->training.stream_kernels == SS_STREAMS_FUSED;
}

/* One of the streams of the tokens of this rank, in elements. */
static double stream_of(const ss_builder *b)
{
  return b->own_tokens * b->hidden;
}

/* The product of all streams and their mean square, which reads them in 16 bits; otherwise of copies in fp32, 2 + 4
 * bytes an element and 4 of the product. Backward gradients of the streams, 2 + 2, and of the matrix by the way;
 * otherwise the product 4, the norm 4 + 4 and the cast 2, and the gradient of the matrix 4. Sums of gradients come from
 * all three that read the streams. Three factors and a bias of each weight are parameters, too. */
static void add_product(ss_builder *b)
{
  const double elements = b->streams * stream_of(b), weights = weights_of(b->workload);
  const double flop = 2.0 * elements * weights;
  const bool fused = is_fused(b);
  ss_operation product = {
      .forward = ss_kernel_task(SS_OP_STREAM_WEIGHTS, SS_ENGINE_MATRIX, flop, (fused ? 2.0 : 10.0) * elements),
      .backward = ss_kernel_task(SS_OP_STREAM_WEIGHTS, SS_ENGINE_MATRIX, flop, (fused ? 4.0 : 14.0) * elements),
      .weight = ss_kernel_task(SS_OP_STREAM_WEIGHTS, SS_ENGINE_MATRIX, flop, (fused ? 0.0 : 4.0) * elements),
      .stored_bytes = SS_ELEMENT_BYTES * elements,
      .parameters = ss_stream_parameters(b->workload) + weights + 3.0};
  product.remade_bytes = ss_builder_recomputes(b, SS_RECOMPUTE_MHC) ? product.stored_bytes : 0.0;
  ss_builder_add(b, product);
  ss_builder_add(b, ss_operation_input_sum(elements, 3, true));
}

/* Mixtures of each token, in registers and in fp32, from what the product has made; backward the iterations run again.
 */
static void add_mixtures(ss_builder *b)
{
  const double n = b->streams, elements = b->own_tokens * n * n;
  const double flop = 4.0 * SINKHORN_ITERATIONS * elements;
  ss_builder_add(
      b, (ss_operation){
             .forward = ss_kernel_task(SS_OP_STREAM_MIXTURES, SS_ENGINE_VECTOR, flop, 2.0 * SS_FP32_BYTES * elements),
             .backward =
                 ss_kernel_task(SS_OP_STREAM_MIXTURES, SS_ENGINE_VECTOR, 3.0 * flop, 3.0 * SS_FP32_BYTES * elements),
             .stored_bytes = SS_FP32_BYTES * (elements + 2.0 * n * b->own_tokens),
         });
}

/* Streams are read, one is written; backward its gradient and the streams are read, and gradients of these written. */
static ss_operation weighed_sum(const ss_builder *b)
{
  const double n = b->streams, stream = stream_of(b);
  return (ss_operation){.forward = ss_kernel_task(SS_OP_STREAM_SUM, SS_ENGINE_VECTOR, 2.0 * n * stream,
                                                  SS_ELEMENT_BYTES * (n + 1.0) * stream),
                        .backward = ss_kernel_task(SS_OP_STREAM_SUM, SS_ENGINE_VECTOR, 3.0 * n * stream,
                                                   SS_ELEMENT_BYTES * (2.0 * n + 1.0) * stream)};
}

void ss_builder_add_stream_input(ss_builder *b)
{
  if (b->streams <= 1.0) return;
  add_product(b);
  add_mixtures(b);
  b->sum_first = b->count;
  ss_builder_add(b, weighed_sum(b));
}

/* Forward streams and output are read, and streams written; otherwise mixtures are written and read by themselves. Of
 * streams backward, gradients are read and gradients of streams and output written by one kernel, and gradients,
 * streams and output read by another one for those of the weights; otherwise mixtures and their weights have products
 * of their own. The output is kept. */
static ss_operation mixtures_and_output(const ss_builder *b)
{
  const double n = b->streams, stream = stream_of(b), flop = (2.0 * n + 2.0) * n * stream;
  const double forward = is_fused(b) ? 2.0 * n + 1.0 : 4.0 * n + 1.0;
  const double backward = is_fused(b) ? 4.0 * n + 2.0 : 6.0 * n + 2.0;
  return (ss_operation){
      .forward = ss_kernel_task(SS_OP_STREAM_OUTPUT, SS_ENGINE_VECTOR, flop, SS_ELEMENT_BYTES * forward * stream),
      .backward =
          ss_kernel_task(SS_OP_STREAM_OUTPUT, SS_ENGINE_VECTOR, 2.0 * flop, SS_ELEMENT_BYTES * backward * stream),
      .stored_bytes = SS_ELEMENT_BYTES * stream};
}

void ss_builder_add_stream_output(ss_builder *b)
{
  const int64_t first = b->count;
  ss_builder_add(b, mixtures_and_output(b));
  if (ss_builder_recomputes(b, SS_RECOMPUTE_MHC)) ss_builder_run_again(b, first, b->count);
}

/* Copies; backward their sum. */
void ss_builder_add_stream_copies(ss_builder *b)
{
  const double n = b->streams, stream = stream_of(b), moved_bytes = SS_ELEMENT_BYTES * (n + 1.0) * stream;
  if (n <= 1.0) return;
  ss_builder_add(b, (ss_operation){.forward = ss_kernel_task(SS_OP_COPY, SS_ENGINE_VECTOR, 0.0, moved_bytes),
                                   .backward = ss_kernel_task(SS_OP_COPY, SS_ENGINE_VECTOR, n * stream, moved_bytes)});
}

/* learned_output_contract, in fp32. Forward, bytes an element: a copy 2 + 4, product 4, sum 4. Backward: gradients of
 * the product 4 and of its matrix 4, of the weights 4, of the norm 4, and their sum in 16 bits 2. */
void ss_builder_add_stream_contraction(ss_builder *b)
{
  const double n = b->streams, elements = n * stream_of(b);
  if (n <= 1.0) return;
  const double flop = 2.0 * elements * n;
  ss_builder_add(b, (ss_operation){
                        .forward = ss_kernel_task(SS_OP_STREAM_SUM, SS_ENGINE_VECTOR, flop, 14.0 * elements),
                        .backward = ss_kernel_task(SS_OP_STREAM_SUM, SS_ENGINE_VECTOR, 2.0 * flop, 18.0 * elements),
                        .stored_bytes = SS_ELEMENT_BYTES * elements,
                        .parameters = n * (n * b->hidden + 1.0) + 1.0,
                    });
}

void ss_builder_add_stream_broadcast(ss_builder *b)
{
  const double n = b->streams, stream = stream_of(b);
  ss_builder_add(b, (ss_operation){.forward = ss_kernel_task(SS_OP_ADD, SS_ENGINE_VECTOR, n * stream,
                                                             SS_ELEMENT_BYTES * (2.0 * n + 1.0) * stream),
                                   .backward = ss_kernel_task(SS_OP_ADD, SS_ENGINE_VECTOR, n * stream,
                                                              SS_ELEMENT_BYTES * (n + 1.0) * stream)});
}
