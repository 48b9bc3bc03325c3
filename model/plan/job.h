/* A job: a workload on a machine under a cost model, with everything that closed form and replay have in common worked
 * out once - tasks and their durations, groups, message sizes. */
#ifndef STEPSIM_MODEL_PLAN_JOB_H
#define STEPSIM_MODEL_PLAN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "model/block/block.h"
#include "model/collective/collective.h"
#include "model/input/machine.h"
#include "model/input/workload.h"
#include "model/kernel/cost.h"
#include "model/plan/placement.h"
#include "model/schedule/schedule.h"

/* Bytes per parameter: 16-bit weights; Adam's fp32 master copy and two moments. */
#define SS_WEIGHT_BYTES          2.0
#define SS_OPTIMIZER_STATE_BYTES 12.0

/* Changes to a job that answer "what if": used to split the difference between closed form and replay by cause. */
typedef struct ss_what_if {
  bool equal_gpus;    /* all GPUs have the same speed and there is no noise */
  bool no_latency;    /* messages have no start-up time */
  bool equal_stages;  /* embedding and output layer are spread evenly over all layers */
  bool free_messages; /* data-parallel and pipeline messages take no time */
} ss_what_if;

/* How a workload is turned into a job. */
typedef struct ss_job_options {
  ss_cost cost;
  ss_what_if what_if;
  const int32_t *ranks; /* [ranks] GPU of each rank as the rank file has it; NULL without one; borrowed */
  bool
      estimate_only; /* the closed form is all that is wanted: GPUs (ss_placement_init_even) and tasks are not listed */
  const ss_coordinates
      *inside; /* with estimate_only: the split of a domain, and not the workload's; or NULL; borrowed */
  struct ss_block_cache *blocks; /* with estimate_only: blocks of jobs before; or NULL; borrowed */
} ss_job_options;

/* A set of kinds of blocks. */
#define SS_BLOCK_BIT(kind) (1u << (kind))

/* How many blocks of each kind there are. */
typedef struct ss_block_counts {
  int64_t of[SS_BLOCK_COUNT];
} ss_block_counts;

/* What the layout of a job depends on, beside its model: jobs that have it in common are laid out alike. */
typedef struct ss_layout_key {
  int64_t stages, chunks, first_stage_layers, last_stage_layers, recompute_layers;
  bool has_ends, recomputes, gathers_messages;
} ss_layout_key;

/* What data parallelism does under a sharding. */
typedef struct ss_data_plan {
  bool active;            /* some weights are held by more than one rank */
  bool gathers_at_start;  /* weights once per iteration, before the first forward (ZeRO-1, ZeRO-2) */
  bool gathers_each_pass; /* weights before every pass of every micro-batch that uses them (ZeRO-3, FSDP) */
  bool reduces_each_pass; /* gradients after every backward pass (ZeRO-2, ZeRO-3), else only after the last */
  double bucket_bytes;    /* gradients that go together, at least; 0 each block by itself */
  ss_pass reducing_pass;  /* the pass that completes the gradients of the weights */
  ss_collective reduction;
} ss_data_plan;

/* What moves between HBM and the second memory tier, in bytes of one GPU. */
typedef struct ss_offload_plan {
  bool active;
  double bytes_per_s;                            /* each way */
  double read_bytes[SS_BLOCK_COUNT][SS_PASSES];  /* before the block can start */
  double write_bytes[SS_BLOCK_COUNT][SS_PASSES]; /* after it has run */
} ss_offload_plan;

typedef struct ss_job {
  const ss_workload *workload;
  const ss_machine *machine;
  ss_job_options options;
  ss_network network;
  ss_pipeline_shape shape;
  ss_placement placement;
  ss_span span[SS_GROUPS];        /* of the slowest group of each kind */
  ss_span *data_span[SS_WEIGHTS]; /* [stages] of each stage's slowest group that holds the same weights; owned */
  double slow_hops;               /* share of stage-to-stage messages that cross domains */
  int64_t micro_batches, stages, chunks, replicas, tensor, context; /* context: cp, or tp2 of 2d and summa */
  ss_layout_key layout;
  int8_t *block_kind;             /* kinds of the blocks of all chunks, stage by stage; owned */
  int64_t *block_first;           /* [stages * chunks + 1] where each chunk's blocks start; owned */
  int64_t *layer_first;           /* [stages * chunks] layer of the model that each chunk starts with; owned */
  bool *repeats;                  /* [stages] all chunks of a stage and of the one before have the same blocks; owned */
  ss_block_counts *counts;        /* [stages] of the blocks of a stage; owned */
  unsigned kinds;                 /* kinds that occur: a set of SS_BLOCK_BIT */
  bool has_ends;                  /* embedding on the first stage, output layer on the last */
  ss_block block[SS_BLOCK_COUNT]; /* empty where a kind does not occur */
  ss_task_list (*list)[SS_PASSES]; /* [SS_BLOCK_COUNT] their tasks; owned */
  double scale[SS_PASSES];         /* of every duration of a layer: 1, but for equal_stages */
  ss_duration pass[SS_BLOCK_COUNT][SS_PASSES];
  double slowed_s[SS_BLOCK_COUNT][SS_PASSES];      /* kernels, by the collectives of their block beside them */
  double gather_bytes[SS_BLOCK_COUNT][SS_WEIGHTS]; /* weights of a block on one GPU */
  double reduce_bytes[SS_BLOCK_COUNT][SS_WEIGHTS]; /* gradients of a block on one GPU */
  double message_bytes;                            /* one micro-batch's activations between two stages, per rank */
  double tied_bytes; /* gradient of the embedding's table that first and last stage add up, per rank; 0: nothing */
  ss_data_plan data;
  ss_offload_plan offload;
} ss_job;

/* Works a job out. Workload, machine and rank file are borrowed. SS_ERROR_INPUT when they do not fit together,
 * SS_ERROR_MEMORY. Release with ss_job_free. */
ss_status ss_job_init(ss_job *job, const ss_workload *workload, const ss_machine *machine, ss_job_options options,
                      ss_error *error);
void ss_job_free(ss_job *job);

/* Works a job that is estimate_only out again, for what its workload says now - of the same model, not refused - and
 * another split of a domain (NULL: the workload's): as ss_job_init does, but faster. Errors as from there; the job can
 * then only be freed. */
ss_status ss_job_update(ss_job *job, const ss_coordinates *inside, ss_error *error);

/* The same where nothing but the split has changed. */
ss_status ss_job_move(ss_job *job, const ss_coordinates *inside, ss_error *error);

/* One chunk of the model on one stage. Stage s, chunk c is part c P + s of the model. */
typedef struct ss_chunk {
  int64_t stage, index;
} ss_chunk;

/* The blocks of a chunk, in the order of forward: how many, of which kind, and which layer of the model (or -1). */
int64_t ss_job_block_count(const ss_job *job, ss_chunk chunk);
ss_block_kind ss_job_block_kind(const ss_job *job, ss_chunk chunk, int64_t index);
int64_t ss_job_block_layer(const ss_job *job, ss_chunk chunk, int64_t index);

/* The block that a pass comes to at `place`: backward and weight passes meet them from the last to the first. */
int64_t ss_job_block_at(const ss_job *job, ss_chunk chunk, ss_pass pass, int64_t place);

/* Where the message of a pass goes and comes from: forward to the next part of the model, backward to the one before.
 * False when there is none (ends of the model, weight passes). */
bool ss_job_receiver(const ss_job *job, ss_chunk chunk, ss_pass pass, ss_chunk *receiver);
bool ss_job_sender(const ss_job *job, ss_chunk chunk, ss_pass pass, ss_chunk *sender);

/* The tasks of a pass through a block; not of jobs that are estimate_only. */
const ss_task_list *ss_job_tasks(const ss_job *job, ss_block_kind kind, ss_pass pass);

/* What every duration of a block is multiplied by: 1, but for equal_stages. */
double ss_job_scale(const ss_job *job, ss_block_kind kind, ss_pass pass);

/* The duration of a task, with collectives over the slowest group of their kind, on links of their own. */
ss_duration ss_job_task_duration(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);

/* The same for one piece of its kernel (all of it without overlap), and for one piece of one of its collectives over
 * `span`: scaled. */
ss_duration ss_job_kernel_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);
ss_comm_time ss_job_call_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, int64_t call,
                               ss_span span);

/* Bytes of the volume of one piece of a collective, and the part of the start-up that it pays. */
double ss_task_call_bytes(const ss_task *task, int64_t call);
double ss_task_call_starts(const ss_task *task);

/* How a collective of a task is done over `span`. What runs as the steps of a ring beside its kernel is one, whatever
 * else would be faster. */
ss_method ss_job_call_method(const ss_job *job, const ss_task *task, int64_t call, ss_span span);

/* Fills in job->pass and job->slowed_s from the tasks of the blocks and the spans of the groups. */
void ss_job_time_blocks(ss_job *job);

/* Start-up and transfer of a data-parallel collective and of a pipeline message on links of their own. */
ss_comm_time ss_job_data_time(const ss_job *job, ss_collective kind, ss_span span, double volume_bytes);
ss_comm_time ss_job_message_time(const ss_job *job, bool across_domains);

/* How the two ranks of an all-reduce of tied_bytes lie over domains, those of the slowest, and how long it takes over
 * `span` on links of its own. */
ss_span ss_job_tied_span(const ss_job *job);
ss_comm_time ss_job_tied_time(const ss_job *job, ss_span span);

/* The optimizer step of a stage: Adam with an fp32 master copy, bound by HBM, on this rank's shard; with its states
 * offloaded, also by the second memory tier: seconds, of which `offload_s` only for that. */
typedef struct ss_optimizer_time {
  double optimizer_s, offload_s;
} ss_optimizer_time;

ss_optimizer_time ss_job_optimizer(const ss_job *job, int64_t stage);

/* What the optimizer step moves between HBM and the second memory tier: states there and back, new weights there. */
typedef struct ss_tier_traffic {
  double read_bytes, written_bytes;
} ss_tier_traffic;

ss_tier_traffic ss_job_optimizer_traffic(const ss_job *job, int64_t stage);

/* Data parallelism or offloading moves something in every pass of every micro-batch. */
bool ss_job_moves_each_pass(const ss_job *job);

/* Ranks that hold the same weights of a stage: what sharding divides by. */
int64_t ss_job_holders(const ss_job *job, ss_weights weights);

/* Seconds of a message between stages, inside a domain or across; or of a mean one (sc24). */
double ss_job_hop_s(const ss_job *job, bool across_domains);

/* Parameters of a stage on one GPU, before sharding over replicas. */
double ss_job_stage_parameters(const ss_job *job, int64_t stage, ss_weights weights);

/* Bytes per parameter of a gradient as it is kept and reduced. */
double ss_job_gradient_bytes(const ss_job *job);

/* Whether the optimizer's step copies 16-bit gradients of what it steps to fp32. */
bool ss_job_step_copies_gradients(const ss_job *job);

#endif
