/* The result of a prediction: where the time goes, what is in memory, and the figures people quote. */
#ifndef STEPSIM_MODEL_RESULT_PREDICTION_H
#define STEPSIM_MODEL_RESULT_PREDICTION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fabric/route_summary.h"
#include "model/input/calibration.h"
#include "model/input/replayed.h"
#include "model/input/words.h"
#include "model/kernel/kernel.h"
#include "model/result/contention.h"
#include "model/result/interval.h"

/* Bytes of a GiB, in which people are told about memory. */
#define SS_GIB (1024.0 * 1024.0 * 1024.0)

/* Exposed times on the critical rank; they add up to the iteration: X(field, "label", "what it is"). */
/* clang-format off */
#define SS_PART_LIST(X) \
  X(compute_s, "compute", "matrix and vector units busy") \
  X(memory_s, "memory", "waiting for HBM beyond that") \
  X(tp_comm_s, "tensor parallel", "collectives of the tensor-parallel group") \
  X(cp_comm_s, "context parallel", "collectives of the context-parallel group") \
  X(ep_comm_s, "expert parallel", "all-to-all of the expert-parallel group") \
  X(dp_comm_s, "data parallel", "exposed gathers of weights and reductions of gradients") \
  X(pp_comm_s, "pipeline", "exposed messages between stages") \
  X(bubble_s, "bubble", "waiting for another stage") \
  X(optimizer_s, "optimizer", "the optimizer step") \
  X(offload_s, "offload", "waiting for the second memory tier") \
  X(host_s, "host", "waiting for the host to launch kernels") \
  X(other_s, "other",                                                                                                  \
    "kernel launches, and what kernels take beyond their nominal time, here or on a replica that is waited for: "      \
    "concurrent communication, slow GPUs, noise, longer documents")
/* clang-format on */

typedef struct ss_breakdown {
#define SS_PART_FIELD(field, label, help) double field;
  SS_PART_LIST(SS_PART_FIELD)
#undef SS_PART_FIELD
  double iteration_s;
} ss_breakdown;

/* The parts by number: SS_PART_compute_s, ... */
typedef enum ss_part {
#define SS_PART_ID(field, label, help) SS_PART_##field,
  SS_PART_LIST(SS_PART_ID)
#undef SS_PART_ID
      SS_PART_COUNT
} ss_part;

/* A part of a breakdown, in seconds. */
double ss_breakdown_part(const ss_breakdown *breakdown, ss_part part);

/* The field of a part in JSON; static text. */
const char *ss_part_field(ss_part part);

/* The label of a part in tables; static text. */
const char *ss_part_label(ss_part part);

/* Bytes on the GPUs of a stage; they add up to the total: X(field, "label"). */
/* clang-format off */
#define SS_MEMORY_LIST(X) \
  X(weights_bytes, "weights") \
  X(gradients_bytes, "gradients") \
  X(optimizer_bytes, "optimizer states") \
  X(activations_bytes, "activations")

/* Parts of those that are worth a look: X(field, "label"). */
#define SS_MEMORY_DETAIL_LIST(X) \
  X(gathered_bytes, "weights gathered by FSDP") \
  X(unreduced_bytes, "gradients not yet reduced") \
  X(placeholders_bytes, "placeholders of gradients") \
  X(recompute_bytes, "activations of recomputation") \
  X(logits_bytes, "logits") \
  X(messages_bytes, "pipeline messages")
/* clang-format on */

typedef struct ss_memory {
#define SS_MEMORY_FIELD(field, label) double field;
  SS_MEMORY_LIST(SS_MEMORY_FIELD)
  SS_MEMORY_DETAIL_LIST(SS_MEMORY_FIELD)
#undef SS_MEMORY_FIELD
  double total_bytes, capacity_bytes;
  double reserved_bytes;                          /* of the GPU, beside that capacity, for what is no tensor */
  double offloaded_bytes, offload_capacity_bytes; /* in the second memory tier */
  int64_t stage;                                  /* the stage it is, counted from 0 */
  bool fits;                                      /* in both tiers */
} ss_memory;

/* Traffic of one GPU of a stage with the second memory tier in an iteration. */
typedef struct ss_offload {
  double read_bytes, written_bytes;
  double needed_bytes_per_s;    /* the larger of the two ways, to hide it behind the passes it runs beside */
  double optimizer_bytes_per_s; /* each way, to hide the states behind the optimizer step */
  double available_bytes_per_s;
} ss_offload;

typedef struct ss_metrics {
  double parameters, active_parameters; /* of the model, and those that a token goes through */
  double model_flop_per_iteration;      /* forward and backward of the model, nothing twice, over all GPUs */
  double mfu, hfu; /* of the 16-bit matrix peak; hfu counts what runs: recomputation, also that of flash attention,
                      but not what causal attention skips */
  double tokens_per_s_per_gpu;
  double useful; /* the share of these that are not padding of whole documents, which model_flop and days leave out */
  double useful_tokens_per_s_per_gpu;
  double days;            /* of the whole training run; 0 when its tokens are unknown */
  double peak_flop_per_s; /* the 16-bit matrix peak of a GPU */
  ss_engine products;     /* units of the products of layers forward, and their peak */
  double products_peak_flop_per_s;
  double dropped; /* share of the choices of tokens that experts leave out for their capacity: mfu has it, hfu not */
} ss_metrics;

/* An eager host is worth a line where it makes an iteration that many times as long. */
#define SS_SLOW_HOST 1.1

/* What the GPUs cost by the prices of the machine, in dollars; 0 where it has none. */
typedef struct ss_outlay {
  double iteration_dollars;
  double run_dollars; /* of the whole training run; 0, too, when its tokens are unknown */
} ss_outlay;

/* Why closed form and replay differ: X(field, "label", "what it is"). They add up to simulation - estimate. */
/* clang-format off */
#define SS_CAUSE_LIST(X) \
  X(contention_s, "contention", "shared or slow links: replay on the fabric minus replay on private links") \
  X(slowed_s, "slow kernels", "slow GPUs and noise, which the closed form ignores, and drawn documents") \
  X(latency_s, "latency", "start-up times that the closed form counts differently") \
  X(stages_s, "unequal stages", "embedding and output layer on the first and last stage") \
  X(overlap_s, "overlap", "messages hidden more (-) or less (+) than the closed form assumes") \
  X(schedule_s, "schedule", "order of work; groups faster than the slowest of their kind")
/* clang-format on */

typedef struct ss_explanation {
#define SS_CAUSE_FIELD(field, label, help) double field;
  SS_CAUSE_LIST(SS_CAUSE_FIELD)
#undef SS_CAUSE_FIELD
} ss_explanation;

/* Whether an iteration hangs on the last digits of its input: it again, with kernels that take this share of their time
 * longer or shorter by chance, far less than those of any GPU do. Where groups of ranks that share links are in step
 * only as long as all are alike, that brings them out of step. */
#define SS_SHAKE 1e-9

/* More than this share of an iteration, a thousand times the shake, is a change to speak of. */
#define SS_SHAKE_MATTERS 1e-6

typedef struct ss_stability {
  bool measured;
  double shaken_s; /* the iteration with such kernels */
} ss_stability;

/* By which share of its time the replayed iteration changes, and whether that is worth speaking of. */
double ss_stability_change(const ss_stability *stability, double iteration_s);
bool ss_stability_is_stable(const ss_stability *stability, double iteration_s);

/* The sum of the parts of a breakdown, in seconds; it equals iteration_s up to rounding. */
double ss_breakdown_sum(const ss_breakdown *breakdown);

/* Everything that `run` and `estimate` report. */
typedef struct ss_prediction {
  const char *workload, *platform;
  const char *stack;             /* the software that sets what the workload does not say; NULL: none is named */
  ss_calibration calibration;    /* of the platform */
  ss_replayed_set only_replayed; /* properties of the platform that the closed form ignores */
  bool as_published;             /* the costs are those of a paper, which no platform is fitted for */
  int64_t gpus, micro_batches;
  int64_t segment, domain_size; /* GPUs that are used of each domain, and that it has */
  ss_interval interval;         /* how sure the iteration is; of no use where `as_published` */
  bool draws_documents;         /* an iteration has documents that are drawn, others than the next one has */
  bool recomputes_nothing;      /* recompute is selective, which has nothing to select */
  double eager_host_s;          /* the estimate with an eager host, if that is SS_SLOW_HOST times as long; else 0 */
  ss_breakdown estimate;
  char beside[SS_TEXT_SIZE];       /* another job at the same time; empty: none */
  int64_t co_scheduled_iterations; /* that it finished in that time, and their mean */
  double co_scheduled_iteration_s;
  bool simulated; /* what follows up to `memory` is filled */
  ss_breakdown simulation;
  ss_explanation explanation;
  int64_t critical_stage, critical_replica; /* of the simulation: the one that finished last */
  ss_exposed exposed;                       /* of that one */
  double behind_s;                          /* of its other_s: waits in collectives for replicas with longer kernels */
  ss_busy_links links;
  ss_critical_path path;
  ss_stability stability;
  int64_t flows;                                    /* that crossed the network */
  int64_t stage_replicas, simulated_stage_replicas; /* stages of replicas; those that did not stand for others */
  ss_shortcuts shortcuts;                           /* what keeps the replay from being exact */
  ss_memory memory;                                 /* of the fullest stage */
  ss_memory *stage_memory;                          /* [stages]; borrowed */
  int64_t stages;
  ss_offload offload;                     /* of the fullest stage; all 0 without offloading */
  const struct ss_trials *trials;         /* of the simulation; NULL: a single one; borrowed */
  const ss_route_summary *routes;         /* of the platform's own; NULL: it has none; borrowed */
  const struct ss_slow_parts *slow_parts; /* of the machine, and what they cost; NULL: not asked; borrowed */
  ss_metrics metrics;                     /* from the simulation if there is one, else from the estimate */
  ss_outlay outlay;                       /* likewise */
} ss_prediction;

/* The iteration by the replay where there is one, else by the closed form. */
const ss_breakdown *ss_prediction_iteration(const ss_prediction *prediction);

/* Whether each stage fits in memory. */
bool ss_prediction_fits(const ss_prediction *prediction);

#endif
