/* Seconds of one kernel: two cost models on the same task list. */
#ifndef STEPSIM_MODEL_COST_H
#define STEPSIM_MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"

/* X(enumerator, "word", "what it is"). */
#define SS_COST_LIST(X)                                                                                                \
  X(SS_COST_CALIBRATED, "calibrated",                                                                                  \
    "efficiency by size of operation, launch overhead, fused kernels, embedding, output layer, optimizer step")        \
  X(SS_COST_SC24, "sc24", "arXiv 2410.00273: flat efficiency 0.8, 20 us per operation, transformer layers only")

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
  bool fused;          /* element-wise chains are one kernel */
  bool ends_of_model;  /* embedding, output layer and optimizer step are there */
  bool fp32_gradients; /* bf16 training keeps and reduces gradients in fp32 */
  bool mean_messages;  /* every stage is charged two messages a micro-batch, of the mean of all hops */
} ss_cost_traits;

ss_cost_traits ss_cost_traits_of(ss_cost cost);

/* Parts of the time of a kernel or a collective; they follow one another. */
typedef struct ss_duration {
  double compute_s, memory_s, launch_s, comm_s;
} ss_duration;

double ss_duration_sum(ss_duration duration);
ss_duration ss_duration_add(ss_duration a, ss_duration b);

/* Roofline time of one kernel: the units' time, and what HBM needs beyond it.
 * sc24: max(20e-6 + flop / (0.8 peak), bytes / hbm), arXiv 2410.00273 section III-A.
 * calibrated: launch + max(flop / (efficiency(flop) peak), bytes / (efficiency(bytes) hbm)). */
ss_duration ss_kernel_duration(const ss_machine *machine, ss_cost cost, bool matrix, double flop, double hbm_bytes);

#endif
