#include "model/block/mixer/state_space.h"

#include <math.h>

#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/block/residual.h"
#include "model/input/workload.h"

/* Bytes of an element of a state, which is kept in fp32. */
#define STATE_BYTES 4.0

/* What a mixer has over all ranks: widths in elements of a token, and flop of its scan for a token. */
typedef struct state_shape {
  double inner;            /* heads x head size: what the scan writes */
  double convolved, other; /* what the input product writes: for the convolution, and beside it */
  double repeated;         /* of the former, copies for ranks that share a group */
  double rank, raised;     /* what products of low rank write: down, and up again */
  double inside;           /* parameters of products between the input and the output */
  double read;             /* what the scan reads */
  double own;              /* parameters of the scan itself */
  double kept;             /* of what the scan reads, for its gradients */
  double products_flop;    /* within a chunk, which backward has two gradients of each */
  double states_flop;      /* of the states between chunks, likewise */
  double again_flop;       /* of these, what backward computes again */
  double state_elements;   /* of all states, written and read once for each chunk; 0: the scan has no products */
} state_shape;

typedef struct state_sizes {
  double heads, size, state, groups, chunk;
} state_sizes;

static state_sizes sizes_of(const ss_workload *w)
{
  return (state_sizes){.heads = (double)w->model.state_heads,
                       .size = (double)w->model.state_head_size,
                       .state = (double)w->model.state_size,
                       .groups = (double)w->model.state_groups,
                       .chunk = (double)w->model.state_chunk};
}

/* Gate, input, and for each group the two projections of the state; a step size for each head. Within a chunk of Q
 * tokens products of Q x Q for each group and head; then the states, and what they add (arXiv 2405.21060 section 6).
 * Each rank has its group whole: tensor-parallel ranks make copies, context-parallel ones repeat what was made before
 * they exchange it (pre_conv_ssm of megatron/core/ssm/mamba_context_parallel.py). */
static state_shape mamba_shape(const ss_workload *w, double tp, double cp)
{
  const state_sizes s = sizes_of(w);
  const double inner = s.heads * s.size, states = 2.0 * s.state * inner;
  const double made = fmax(s.groups, tp), groups = fmax(s.groups, tp * cp);
  const double scores = 2.0 * s.chunk * s.state * groups;
  return (state_shape){.inner = inner,
                       .convolved = inner + 2.0 * made * s.state,
                       .other = inner + s.heads,
                       .repeated = 2.0 * (groups - made) * s.state,
                       .read = inner + 2.0 * groups * s.state + s.heads,
                       .own = 3.0 * s.heads, /* decay, step size, skip connection */
                       .kept = s.heads,      /* what was convolved is so again: MambaSplitConv1dScanCombinedFn of
                                                mamba_ssm/ops/triton/ssd_combined.py, state-spaces/mamba */
                       .products_flop = scores + 2.0 * s.chunk * inner,
                       .states_flop = 2.0 * states,
                       .again_flop = scores + states,
                       .state_elements = s.state * inner};
}

static double rank_of_steps(const ss_workload *w)
{
  return w->model.state_rank > 0 ? (double)w->model.state_rank : ceil((double)w->model.hidden / 16.0);
}

/* Channels and a gate; of the channels a step size, through a low rank, and two projections of the state, which all
 * channels share. The scan goes element by element of a state (selective_scan_fwd_kernel of state-spaces/mamba,
 * csrc/selective_scan; arXiv 2312.00752 section 3.3): exp(dt A) is 2 flop, B dt u 2, a h + b as pieces are put together
 * 3, C h 2. Backward makes all but the last again, 7; gradients run back likewise, 4, and are taken of a, 3, of B and
 * C, 2 each, of u and dt, 3: 21. It keeps channels (as the product of steps has them), steps, gate, and what it would
 * have written without a gate. */
static state_shape mamba_1_shape(const ss_workload *w)
{
  const state_sizes s = sizes_of(w);
  const double inner = s.heads, rank = rank_of_steps(w), element = s.state * inner;
  return (state_shape){.inner = inner,
                       .convolved = inner,
                       .other = inner,
                       .inside = inner * (rank + 2.0 * s.state) + rank * inner,
                       .read = 4.0 * inner + 2.0 * s.state,
                       .own = element + 2.0 * inner, /* decays; skip connection, bias of steps */
                       .kept = 3.0 * inner + 2.0 * s.state,
                       .products_flop = 9.0 * element,
                       .again_flop = 3.0 * element};
}

/* Queries and keys of the key heads, values and a gate, two numbers for each value head. Within a chunk of Q tokens
 * keys with keys, the inverse of that triangle, two products with it, queries with keys and with values; three of
 * states (arXiv 2412.06464 section 3.3). */
static state_shape linear_shape(const ss_workload *w)
{
  const state_sizes s = sizes_of(w);
  const double inner = s.heads * s.size, keys = s.groups * s.state, states = 2.0 * s.state * inner;
  const double inverse = s.heads * s.chunk * s.chunk / 3.0;
  const double scores = 2.0 * 2.0 * s.chunk * s.state * s.heads;
  return (state_shape){.inner = inner,
                       .convolved = inner + 2.0 * keys,
                       .other = inner + 2.0 * s.heads,
                       .read = inner + 2.0 * keys + 2.0 * s.heads,
                       .own = 2.0 * s.heads,
                       .kept = inner + 2.0 * keys + 2.0 * s.heads,
                       .products_flop = scores + inverse + 2.0 * s.chunk * (s.state * s.heads + 2.0 * inner),
                       .states_flop = 3.0 * states,
                       .again_flop = scores + inverse + states,
                       .state_elements = s.state * inner};
}

/* Decays are in fp32, as two elements each; one number for each head is of the scan, one for each channel of the decays
 * (dt_bias). The products are those of a gated delta rule: decays of channels multiply what they read. */
static state_shape delta_shape(const ss_workload *w)
{
  state_shape shape = linear_shape(w);
  const state_sizes s = sizes_of(w);
  const double decays = s.heads * s.state;
  shape.other = s.heads;
  shape.rank = 2.0 * s.size;
  shape.raised = decays + shape.inner;
  shape.inside = (double)w->model.hidden * shape.rank + shape.rank / 2.0 * shape.raised;
  shape.read = shape.convolved + 2.0 * decays + s.heads;
  shape.kept = shape.read;
  shape.own = s.heads + decays;
  return shape;
}

/* Queries, keys, values, and a gate as wide as these. Within a chunk queries with keys and values; then the states, and
 * what they add (arXiv 2401.04658 section 3). */
static state_shape lightning_shape(const ss_workload *w)
{
  const state_sizes s = sizes_of(w);
  const double inner = s.heads * s.size, keys = s.groups * s.state, states = 2.0 * s.state * inner;
  const double scores = 2.0 * s.chunk * s.state * s.heads;
  return (state_shape){.inner = inner,
                       .convolved = inner + 2.0 * keys, /* activated, without a convolution */
                       .other = inner,
                       .read = inner + 2.0 * keys,
                       .kept = inner + 2.0 * keys,
                       .products_flop = scores + 2.0 * s.chunk * inner,
                       .states_flop = 2.0 * states,
                       .again_flop = scores + states,
                       .state_elements = s.state * inner};
}

static state_shape convolution_shape(const ss_workload *w)
{
  const double hidden = (double)w->model.hidden;
  return (state_shape){.inner = hidden, .convolved = hidden, .other = 2.0 * hidden};
}

/* Mamba's has a bias (use_conv_bias and mamba_conv_bias of transformers), that of others has none
 * (Qwen3NextGatedDeltaNet and Lfm2ShortConv there, ShortConvolution of flash-linear-attention). */
static bool has_bias(const ss_workload *w)
{
  return w->model.mixer == SS_MIXER_MAMBA || w->model.mixer == SS_MIXER_MAMBA_1 || w->model.mixer == SS_MIXER_HYBRID;
}

/* A convolution of each channel along the sequence, and the SiLU of it. Copies have no parameters of their own. */
static ss_operation convolution(const ss_builder *b, double channels, double copies)
{
  const double length = (double)b->workload->model.convolution, elements = b->tokens * (channels + copies),
               flop = 2.0 * length * elements;
  return (ss_operation){.forward = ss_kernel_task(SS_OP_CONVOLUTION, SS_ENGINE_VECTOR, flop + 9.0 * elements,
                                                  2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = ss_kernel_task(SS_OP_CONVOLUTION, SS_ENGINE_VECTOR, 2.0 * flop + 15.0 * elements,
                                                   3.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = SS_ELEMENT_BYTES * elements,
                        .parameters = channels * (length + (double)has_bias(b->workload))};
}

/* That of a SwiGLU keeps the other half, too; here there is none. */
static ss_operation silu(double elements)
{
  ss_operation silu = ss_operation_silu(SS_OP_ACTIVATION, elements, false);
  silu.stored_bytes = SS_ELEMENT_BYTES * elements;
  return silu;
}

/* All kernels of a scan in one direction; of chunks of 0 tokens, what goes element by element. */
static ss_task scan_task(double flop, double hbm_bytes, double chunk)
{
  if (chunk == 0.0) return ss_kernel_task(SS_OP_SCAN, SS_ENGINE_VECTOR, flop, hbm_bytes);
  ss_task task = ss_kernel_task(SS_OP_SCAN, SS_ENGINE_SCAN, flop, hbm_bytes);
  task.kernel.shape = (ss_product_shape){.columns = chunk};
  return task;
}

/* The share of one of `ranks` ranks that split the heads, on `tokens` tokens. */
static ss_operation scan(const state_shape *s, double tokens, double chunk, double ranks)
{
  const double share = tokens / ranks, flop = (s->products_flop + s->states_flop) * share;
  const double states = chunk > 0.0 ? STATE_BYTES * s->state_elements / chunk * share : 0.0;
  const double touched = SS_ELEMENT_BYTES * (s->read + s->inner) * share + 2.0 * states;
  return (ss_operation){.forward = scan_task(flop, touched, chunk),
                        .backward = scan_task(2.0 * flop + s->again_flop * share, 2.0 * touched, chunk),
                        .stored_bytes = SS_ELEMENT_BYTES * s->kept * share,
                        .parameters = s->own / ranks};
}

/* A norm of what the scan wrote, times the SiLU of the gate. */
static ss_operation gated_norm(double rows, double width, double parameters)
{
  const double gate = rows * width;
  ss_operation norm = ss_operation_norm(SS_OP_MIXER_NORM, rows, width, parameters);
  norm.forward.kernel.flop += 10.0 * gate;
  norm.forward.kernel.hbm_bytes += SS_ELEMENT_BYTES * gate;
  norm.backward.kernel.flop += 17.0 * gate;
  norm.backward.kernel.hbm_bytes += 2.0 * SS_ELEMENT_BYTES * gate;
  norm.stored_bytes += SS_ELEMENT_BYTES * gate;
  return norm;
}

/* From some tokens of all heads to all tokens of some heads, and back. */
static void exchange_heads(ss_builder *b, double width)
{
  const ss_call call = {b->sequence, SS_ALL_TO_ALL, SS_ELEMENT_BYTES * b->tokens * width / b->tp};
  ss_builder_add_exchange(b, call, call);
}

/* The layer of attention recomputes and offloads modules; that of Mamba (megatron/core/ssm/mamba_layer.py) has none. */
static void add_mixer_norm(ss_builder *b, bool as_attention)
{
  if (as_attention)
    ss_builder_add_input_norm(b, SS_OP_NORM_1, SS_OFFLOAD_ATTN_NORM);
  else
    ss_builder_add_norm(b, SS_OP_NORM_1, b->hidden);
}

/* Attention is beside it, and has the norm that both read. */
static bool is_beside(const ss_workload *w)
{
  return w->model.mixer == SS_MIXER_HYBRID;
}

/* The scan of Mamba-2 reads sequences first, where Megatron-LM has tokens first: contiguous() of what goes in and comes
 * out (_ssm_training of megatron/core/ssm/mamba_mixer.py), which does nothing for one sequence. */
static void add_transposition(ss_builder *b, double width)
{
  const ss_workload *w = b->workload;
  const double elements = b->tokens * width / b->tp;
  const bool is_mamba = w->model.mixer == SS_MIXER_MAMBA || is_beside(w);
  if (w->training.layout_copies == SS_YES && is_mamba && w->training.micro_batch > 1)
    ss_builder_add(b, ss_operation_copy(SS_OP_COPY, elements, elements));
}

/* In Megatron-LM linear attention is a kind of attention. */
static bool is_attention(const ss_workload *w)
{
  return ss_workload_has_states(w) && w->model.mixer != SS_MIXER_MAMBA && w->model.mixer != SS_MIXER_MAMBA_1;
}

/* One product for all that the mixer reads but what comes through a low rank. */
static void add_input(ss_builder *b, const state_shape *s)
{
  const bool attention = is_attention(b->workload), beside = is_beside(b->workload);
  if (!beside) add_mixer_norm(b, attention);
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_MIXER_IN,
                                        .tokens = b->tokens,
                                        .in = b->hidden,
                                        .out = s->convolved + s->other,
                                        .shares_input = beside,
                                        .gathered = beside,
                                        .again = beside ? SS_AGAIN_HERE : SS_AGAIN_AS_GATHERED,
                                        .gradient_from = SS_SOURCE_OTHER,
                                        .reads_norm = attention});
}

static void add_output(ss_builder *b, const state_shape *s)
{
  ss_builder_add_row(b, (ss_product){.activity = SS_OP_MIXER_OUT,
                                     .tokens = b->tokens,
                                     .in = s->inner,
                                     .out = b->hidden,
                                     .sums = is_beside(b->workload),
                                     .gradient_from = SS_SOURCE_OTHER});
  if (is_attention(b->workload)) ss_builder_end_input_norm(b);
  ss_builder_add_post_norm(b, SS_OP_POST_NORM_1);
  ss_builder_add_residual(b, SS_OP_PROJECTION_BIAS, SS_OP_DROPOUT_2, false);
}

/* The softplus of each decay, times a number of its head: from 16 bits to fp32, and backward from that. */
static ss_operation decay_gate(double elements)
{
  return (ss_operation){.forward = ss_kernel_task(SS_OP_SCAN, SS_ENGINE_VECTOR, 12.0 * elements,
                                                  (SS_ELEMENT_BYTES + STATE_BYTES) * elements),
                        .backward = ss_kernel_task(SS_OP_SCAN, SS_ENGINE_VECTOR, 16.0 * elements,
                                                   (2.0 * SS_ELEMENT_BYTES + STATE_BYTES) * elements),
                        .stored_bytes = SS_ELEMENT_BYTES * elements};
}

/* Down to the ranks of decays and output gate by one product, and up again by one for each. */
static void add_low_ranks(ss_builder *b, const state_shape *s)
{
  const double decays = s->raised - s->inner;
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_MIXER_IN,
                                     .tokens = b->tokens,
                                     .in = b->hidden,
                                     .out = s->rank,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER,
                                     .shares_input = true,
                                     .reads_norm = true});
  const double up[] = {decays, s->inner};
  for (int i = 0; i < 2; ++i)
    ss_builder_add_column(b, (ss_product){.activity = SS_OP_MIXER_IN,
                                          .tokens = b->tokens,
                                          .in = s->rank / 2.0,
                                          .out = up[i],
                                          .input_from = SS_SOURCE_OTHER,
                                          .gradient_from = SS_SOURCE_OTHER});
  exchange_heads(b, s->raised);
  ss_builder_add(b, decay_gate(b->tokens * decays / b->tp));
}

/* `norm_width`: elements that the gated norm has parameters for. The work of a rank is the same with and without an
 * exchange of heads: all tokens of fewer heads. */
static void add_mixer(ss_builder *b, const state_shape *s, double norm_width)
{
  const ss_workload *w = b->workload;
  const double exchanged = s->convolved + s->repeated + s->other;
  add_input(b, s);
  exchange_heads(b, exchanged);
  add_transposition(b, exchanged);
  if (s->rank > 0.0) add_low_ranks(b, s);
  ss_builder_add(b, convolution(b, s->convolved / b->tp, s->repeated / b->tp));
  ss_builder_add(b, scan(s, b->tokens, (double)w->model.state_chunk, b->tp));
  ss_builder_add(b, gated_norm(b->tokens, s->inner / b->tp, norm_width));
  add_transposition(b, s->inner);
  exchange_heads(b, s->inner);
  add_output(b, s);
}

void ss_builder_add_mamba(ss_builder *b)
{
  const state_shape shape = mamba_shape(b->workload, b->tp, b->context);
  add_mixer(b, &shape, shape.inner / b->tp);
}

/* Each rank has some of the channels, and sums up what they say of steps and of the state: all need it, forward, and
 * each has a part of its gradient. */
static void add_steps(ss_builder *b, const state_shape *s)
{
  const double rank = rank_of_steps(b->workload), width = rank + 2.0 * (double)b->workload->model.state_size;
  const ss_call sum = {b->tensor, SS_ALL_REDUCE, SS_ELEMENT_BYTES * b->tokens * width};
  ss_builder_add_row(b, (ss_product){.activity = SS_OP_STEPS_DOWN,
                                     .tokens = b->tokens,
                                     .in = s->inner,
                                     .out = width,
                                     .partial = true,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER});
  ss_builder_add_exchange(b, sum, sum);
  ss_builder_add(b, ss_builder_norm(b, SS_OP_STEPS_NORM, b->tokens, width, width));
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_STEPS_UP,
                                        .tokens = b->tokens,
                                        .in = rank,
                                        .out = s->inner,
                                        .gathered = true,
                                        .gradient_from = SS_SOURCE_OTHER});
}

void ss_builder_add_mamba_1(ss_builder *b)
{
  const state_shape shape = mamba_1_shape(b->workload);
  add_input(b, &shape);
  ss_builder_add(b, convolution(b, shape.convolved / b->tp, 0.0));
  add_steps(b, &shape);
  ss_builder_add(b, scan(&shape, b->tokens, 0.0, b->tp));
  add_output(b, &shape);
}

void ss_builder_add_linear_attention(ss_builder *b)
{
  const state_shape shape = linear_shape(b->workload);
  add_mixer(b, &shape, (double)b->workload->model.state_head_size);
}

void ss_builder_add_delta_attention(ss_builder *b)
{
  const state_shape shape = delta_shape(b->workload);
  add_mixer(b, &shape, (double)b->workload->model.state_head_size);
}

/* Its norm goes over all heads of a rank. */
void ss_builder_add_lightning_attention(ss_builder *b)
{
  const state_shape shape = lightning_shape(b->workload);
  const double chunk = (double)b->workload->model.state_chunk, width = shape.inner / b->tp;
  add_input(b, &shape);
  exchange_heads(b, shape.convolved + shape.other);
  ss_builder_add(b, silu(b->tokens * shape.convolved / b->tp));
  ss_builder_add(b, scan(&shape, b->tokens, chunk, b->tp));
  ss_builder_add(b, gated_norm(b->tokens, width, width));
  exchange_heads(b, shape.inner);
  add_output(b, &shape);
}

void ss_builder_add_short_convolution(ss_builder *b)
{
  const state_shape shape = convolution_shape(b->workload);
  const double channels = shape.convolved / b->tp;
  add_input(b, &shape);
  exchange_heads(b, shape.convolved + shape.other);
  ss_builder_add(b, ss_operation_gate(SS_OP_CONVOLUTION, b->tokens * channels));
  ss_builder_add(b, convolution(b, channels, 0.0));
  ss_builder_add(b, ss_operation_gate(SS_OP_CONVOLUTION, b->tokens * channels));
  exchange_heads(b, shape.inner);
  add_output(b, &shape);
}

static state_shape shape_of(const ss_workload *workload, double tp, double cp)
{
  switch (workload->model.mixer) {
  case SS_MIXER_MAMBA:
  case SS_MIXER_HYBRID: return mamba_shape(workload, tp, cp);
  case SS_MIXER_MAMBA_1: return mamba_1_shape(workload);
  case SS_MIXER_LINEAR: return linear_shape(workload);
  case SS_MIXER_KDA: return delta_shape(workload);
  case SS_MIXER_LIGHTNING: return lightning_shape(workload);
  case SS_MIXER_CONVOLUTION: return convolution_shape(workload);
  case SS_MIXER_ATTENTION:
  case SS_MIXER_COMPRESSED:
  case SS_MIXER_NONE: break;
  }
  return (state_shape){0};
}

double ss_state_product_parameters(const ss_workload *workload, double tp)
{
  const state_shape s = shape_of(workload, tp, 1.0);
  return (double)workload->model.hidden * (s.convolved + s.other + s.inner) + s.inside;
}

double ss_state_shared_parameters(const ss_workload *workload)
{
  return (double)workload->model.hidden * shape_of(workload, 1.0, 1.0).rank;
}

double ss_state_scan_flop(const ss_workload *workload, double ranks)
{
  const state_shape s = shape_of(workload, 1.0, ranks);
  return s.products_flop + s.states_flop;
}
