/* Cost models: what they are called and what they differ in. */
#ifndef STEPSIM_MODEL_KERNEL_COST_H
#define STEPSIM_MODEL_KERNEL_COST_H

#include <stdbool.h>

/* X(enumerator, "word", "what it is"). */
#define SS_COST_LIST(X)                                                                                                \
  X(SS_COST_CALIBRATED, "calibrated",                                                                                  \
    "efficiency by size of operation, launch overhead, fused kernels, embedding, output layer, optimizer step")        \
  X(SS_COST_SC24, "sc24", "arXiv 2410.00273: flat efficiency 0.8, 20 us per operation, transformer layers only")       \
  X(SS_COST_SC24_CODE, "sc24-code",                                                                                    \
    "sc24 as its authors' code has it: stages that share a domain send messages for free; of summa, norms have "       \
    "sequence / tp columns")

typedef enum ss_cost {
#define SS_COST_ID(id, word, help) id,
  SS_COST_LIST(SS_COST_ID)
#undef SS_COST_ID
      SS_COST_COUNT
} ss_cost;

/* The name of a cost model, as --cost has it. */
const char *ss_cost_word(ss_cost cost);

/* What the cost models differ in beyond the time of a kernel. */
typedef struct ss_cost_traits {
  bool as_published;  /* the operations of arXiv 2410.00273: nothing fused, no residual, gathered inputs kept, attention
                         in full, one kernel for both gradients of a product, pieces of a kernel cost nothing more */
  bool ends_of_model; /* embedding, output layer and optimizer step are there */
  bool fp32_gradients; /* bf16 and fp8 training keep and reduce gradients in fp32 */
  bool mean_messages;  /* every stage is charged two messages a micro-batch, of the mean of all hops */
  bool free_slow_hops; /* where some hops stay in their domain, the others are charged nothing */
  bool spare_panel;    /* a SUMMA product is charged one more round of broadcasts than it has panels */
  bool slipped_norm; /* a SUMMA norm has l / m1 columns on a GPU where it should have e / m1, and reduces the gradients
                        of its weights over the GPUs that share a row, too (LayerNorm2D in the authors' layers.py) */
  bool half_all_reduce; /* all-reduces in layers that go over links of one kind take half their time (get_time_comm in
                           the authors' estimates.py doubles only those over both) */
  bool buffers;         /* pipeline messages and fp8 copies take memory */
} ss_cost_traits;

/* The traits of a cost model. */
ss_cost_traits ss_cost_traits_of(ss_cost cost);

#endif
