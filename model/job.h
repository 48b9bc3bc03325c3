/* A job: a workload on a machine under a cost model, with everything that closed form and replay have in common worked
 * out once - tasks and their durations, groups, message sizes. */
#ifndef STEPSIM_MODEL_JOB_H
#define STEPSIM_MODEL_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "model/block.h"
#include "model/collective.h"
#include "model/cost.h"
#include "model/machine.h"
#include "model/placement.h"
#include "model/workload.h"

/* Changes to a job that answer "what if": used to split the difference between closed form and replay by cause. */
typedef struct ss_what_if {
  bool no_latency;    /* messages have no start-up time */
  bool equal_stages;  /* embedding and output layer are spread evenly over all layers */
  bool free_messages; /* data-parallel and pipeline messages take no time */
} ss_what_if;

/* How a workload is turned into a job. */
typedef struct ss_job_options {
  ss_cost cost;
  ss_what_if what_if;
  const int32_t *ranks; /* [ranks] GPU of each rank as the rank file has it; NULL without one; borrowed */
} ss_job_options;

typedef enum ss_pass { SS_PASS_FORWARD, SS_PASS_BACKWARD, SS_PASSES } ss_pass;

typedef struct ss_job {
  const ss_workload *workload;
  const ss_machine *machine;
  ss_job_options options;
  ss_network network;
  ss_placement placement;
  ss_span tensor_span; /* of the slowest tensor-parallel group */
  ss_span *data_span;  /* [stages] of each stage's slowest data-parallel group; owned */
  double slow_hops;    /* share of stage-to-stage messages that cross domains */
  int64_t micro_batches, stages, replicas, tensor, layers_per_stage;
  bool has_ends; /* embedding on the first stage, output layer on the last */
  ss_block block[SS_BLOCK_COUNT];
  double scale[SS_PASSES]; /* of every duration of a layer: 1, but for equal_stages */
  ss_duration pass[SS_BLOCK_COUNT][SS_PASSES];
  double gather_bytes[SS_BLOCK_COUNT]; /* weights of a block on one GPU */
  double reduce_bytes[SS_BLOCK_COUNT]; /* gradients of a block on one GPU */
  double message_bytes;                /* one micro-batch's activations between two stages, per tensor rank */
} ss_job;

/* Works a job out. Workload, machine and rank file are borrowed. SS_ERROR_INPUT when they do not fit together,
 * SS_ERROR_MEMORY. Release with ss_job_free. */
ss_status ss_job_init(ss_job *job, const ss_workload *workload, const ss_machine *machine, ss_job_options options,
                      ss_error *error);
void ss_job_free(ss_job *job);

/* The blocks of a stage, in the order of forward: how many, of which kind, and which layer of the model (or -1). */
int64_t ss_job_block_count(const ss_job *job, int64_t stage);
ss_block_kind ss_job_block_kind(const ss_job *job, int64_t stage, int64_t index);
int64_t ss_job_block_layer(const ss_job *job, int64_t stage, int64_t index);

/* The block that a pass comes to at `place`: backward meets them from the last to the first. */
int64_t ss_job_block_at(const ss_job *job, int64_t stage, bool backward, int64_t place);

/* The tasks of a pass through a block, and the duration of one of them; collectives over the slowest tensor-parallel
 * group, on links of their own. */
const ss_task_list *ss_job_tasks(const ss_job *job, ss_block_kind kind, ss_pass pass);
ss_duration ss_job_task_duration(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);

/* What every duration of a block is multiplied by: 1, but for equal_stages. */
double ss_job_scale(const ss_job *job, ss_block_kind kind, ss_pass pass);

/* Start-up and transfer of a data-parallel collective and of a pipeline message on links of their own. */
ss_comm_time ss_job_data_time(const ss_job *job, ss_collective kind, ss_span span, double volume_bytes);
ss_comm_time ss_job_message_time(const ss_job *job, bool across_domains);

/* The optimizer step of a stage in seconds: Adam with an fp32 master copy, bound by HBM, on this replica's shard. */
double ss_job_optimizer_s(const ss_job *job, int64_t stage);

/* Seconds of a message from `stage` to the next one: with the slowest of the ranks, or the mean of all stages (sc24).
 */
double ss_job_hop_s(const ss_job *job, int64_t stage);

/* Parameters of a stage on one GPU, before sharding over replicas. */
double ss_job_stage_parameters(const ss_job *job, int64_t stage);

/* Bytes per parameter of a gradient as it is kept and reduced. */
double ss_job_gradient_bytes(const ss_job *job);

/* What data parallelism does under a sharding. */
typedef struct ss_data_plan {
  bool active;            /* there is more than one replica */
  bool gathers_at_start;  /* weights once per iteration, before the first forward (ZeRO-1, ZeRO-2) */
  bool gathers_each_pass; /* weights before every pass of every micro-batch (ZeRO-3, FSDP) */
  bool reduces_each_pass; /* gradients after every backward pass (ZeRO-2, ZeRO-3), else only after the last */
  ss_collective reduction;
} ss_data_plan;

ss_data_plan ss_job_data_plan(const ss_job *job);

#endif
