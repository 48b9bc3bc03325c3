/* Seconds of one kernel: two cost models on the same task list. */
#ifndef STEPSIM_MODEL_KERNEL_COST_H
#define STEPSIM_MODEL_KERNEL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel/product_shape.h"

/* X(enumerator, "word", "what it is"). */
#define SS_COST_LIST(X)                                                                                                \
  X(SS_COST_CALIBRATED, "calibrated",                                                                                  \
    "efficiency by size of operation, launch overhead, fused kernels, embedding, output layer, optimizer step")        \
  X(SS_COST_SC24, "sc24", "arXiv 2410.00273: flat efficiency 0.8, 20 us per operation, transformer layers only")       \
  X(SS_COST_SC24_CODE, "sc24-code",                                                                                    \
    "sc24 as its authors' code has it, where stages that share a domain send to others for nothing")

typedef enum ss_cost {
#define SS_COST_ID(id, word, help) id,
  SS_COST_LIST(SS_COST_ID)
#undef SS_COST_ID
      SS_COST_COUNT
} ss_cost;

const char *ss_cost_word(ss_cost cost);

/* The cost model with this name. False when there is none. */
bool ss_cost_find(const char *word, ss_cost *cost);

/* What the cost models differ in beyond the time of a kernel. */
typedef struct ss_cost_traits {
  bool as_published;  /* the operations of arXiv 2410.00273: nothing fused, no residual, gathered inputs kept, attention
                         in full, one kernel for both gradients of a product, pieces of a kernel cost nothing more */
  bool ends_of_model; /* embedding, output layer and optimizer step are there */
  bool fp32_gradients; /* bf16 and fp8 training keep and reduce gradients in fp32 */
  bool mean_messages;  /* every stage is charged two messages a micro-batch, of the mean of all hops */
  bool free_slow_hops; /* where some hops stay in their domain, the others are charged nothing */
  bool spare_panel;    /* a SUMMA product is charged one more round of broadcasts than it has panels */
  bool buffers;        /* pipeline messages and fp8 copies take memory */
} ss_cost_traits;

ss_cost_traits ss_cost_traits_of(ss_cost cost);

/* Units that a kernel runs on: X(enumerator, field of the machine with its peak, field with its efficiency). */
#define SS_ENGINE_LIST(X)                                                                                              \
  X(SS_ENGINE_VECTOR, vector_flop_per_s, vector_efficiency)                                                            \
  X(SS_ENGINE_MATRIX, matrix_flop_per_s, matrix_efficiency)                                                            \
  X(SS_ENGINE_FP8, fp8_flop_per_s, fp8_efficiency)                                                                     \
  X(SS_ENGINE_ATTENTION_FORWARD, matrix_flop_per_s, attention_forward)                                                 \
  X(SS_ENGINE_ATTENTION_BACKWARD, matrix_flop_per_s, attention_backward)

typedef enum ss_engine {
#define SS_ENGINE_ID(id, peak, efficiency) id,
  SS_ENGINE_LIST(SS_ENGINE_ID)
#undef SS_ENGINE_ID
} ss_engine;

/* A kernel: flop on its units, bytes of HBM. A grouped product is one kernel of `products` equal ones. */
typedef struct ss_kernel {
  ss_engine engine;
  double flop, hbm_bytes;
  double products; /* 0 is 1 */
  bool streams;    /* reads and writes long runs and does little else: as fast as HBM benchmarks */
  ss_product_shape shape;
} ss_kernel;

/* The group of ranks that a collective of a layer runs over: X(enumerator, "name", part of a breakdown). */
#define SS_GROUP_LIST(X)                                                                                               \
  X(SS_GROUP_TENSOR, "tp", tp_comm_s)                                                                                  \
  X(SS_GROUP_TENSOR_2, "tp2", tp_comm_s)                                                                               \
  X(SS_GROUP_CONTEXT, "cp", cp_comm_s)                                                                                 \
  X(SS_GROUP_EXPERT, "ep", ep_comm_s)

typedef enum ss_group {
#define SS_GROUP_ID(id, name, part) id,
  SS_GROUP_LIST(SS_GROUP_ID)
#undef SS_GROUP_ID
      SS_GROUPS
} ss_group;

const char *ss_group_name(ss_group group);

/* Parts of the time of a kernel or a collective; they follow one another. */
typedef struct ss_duration {
  double compute_s, memory_s, launch_s;
  double comm_s[SS_GROUPS]; /* exposed */
} ss_duration;

double ss_duration_sum(ss_duration duration);
double ss_duration_kernel_s(ss_duration duration); /* without communication */
ss_duration ss_duration_add(ss_duration a, ss_duration b);
ss_duration ss_duration_scale(double factor, ss_duration duration);

/* Roofline time of one kernel: the units' time, and what HBM needs beyond it.
 * sc24: max(20e-6 + flop / (0.8 peak), bytes / hbm), arXiv 2410.00273 section III-A.
 * calibrated: launch + max(flop / (efficiency peak), bytes / (efficiency(bytes) hbm)); the first efficiency is
 * efficiency(flop / products) of the engine, what the shape leaves of it, and for fused attention efficiency(keys). Of
 * it a matrix kernel has matrix-sustained, of the second an element-wise one has vector-hbm-share. */
ss_duration ss_kernel_duration(const ss_machine *machine, ss_cost cost, const ss_kernel *kernel);

/* A kernel and the collectives it works with, cut into pieces that run side by side: the `first` of the two (kernel or
 * collectives) goes ahead, and piece j of the other starts when piece j - lag of the first is done; pieces of one kind
 * run in order. */
typedef struct ss_overlap {
  bool kernel_first;
  int64_t kernel_pieces, call_pieces; /* kernel_pieces 0: no overlap, the task is a kernel or collectives alone */
  int64_t lag;
  bool one_ring; /* call pieces are the steps of one ring: its start-up is spread over them, not paid by each */
} ss_overlap;

/* Seconds until both are done, with the seconds of one piece each. */
double ss_overlap_time(const ss_overlap *overlap, double kernel_piece_s, double call_piece_s);

#endif
