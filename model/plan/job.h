/* A job: a workload on a machine under a cost model, with everything that closed form and replay have in common worked
 * out once (model/plan/job_setup.h) - blocks and their durations, groups, message sizes. */
#ifndef STEPSIM_MODEL_PLAN_JOB_H
#define STEPSIM_MODEL_PLAN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/scratch.h"
#include "model/base/statistics.h"
#include "model/block/block.h"
#include "model/collective/collective.h"
#include "model/input/machine.h"
#include "model/input/words.h"
#include "model/kernel/cost.h"
#include "model/plan/data_plan.h"
#include "model/plan/host_plan.h"
#include "model/plan/layers/layer_plan.h"
#include "model/plan/layers/split.h"
#include "model/plan/layers/tables.h"
#include "model/plan/offload_plan.h"
#include "model/plan/placement/placement.h"
#include "model/schedule/schedule.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Bytes per parameter of weights in 16 bits. */
#define SS_WEIGHT_BYTES 2.0

/* Changes to a job that answer "what if": used to split the difference between closed form and replay by cause. */
typedef struct ss_what_if {
  bool equal_gpus;    /* all GPUs have the same speed, there is no noise, and micro-batches have alike documents */
  bool no_latency;    /* messages have no start-up time */
  bool equal_stages;  /* embedding and output layer are spread evenly over all layers */
  bool free_messages; /* data-parallel and pipeline messages take no time */
  bool own_links;     /* in the closed form, no collective or message shares a link with others */
} ss_what_if;

/* How a workload is turned into a job. */
typedef struct ss_job_options {
  ss_cost cost;
  ss_what_if what_if;
  const int32_t *ranks;          /* [ranks] GPU of each rank as the rank file has it; NULL without one; borrowed */
  const ss_free_gpus *free_gpus; /* GPUs that may be used; NULL: all; borrowed */
  bool
      estimate_only; /* the closed form is all that is wanted: GPUs (ss_placement_init_even) and tasks are not listed */
  const ss_coordinates
      *inside; /* with estimate_only: the split of a domain, and not the workload's; or NULL; borrowed */
  struct ss_block_cache *blocks; /* with estimate_only: blocks of jobs before; or NULL; borrowed */
  bool trial; /* one of several replays that differ as iterations of the machine do: iteration-noise, stalls */
  struct ss_walk_cache *walks;            /* with estimate_only: pipelines of jobs before; or NULL; borrowed */
  struct ss_peak_cache *peaks;            /* with estimate_only: moments of pipelines before; or NULL; borrowed */
  const struct ss_model_size *model_size; /* where it is known already; or NULL; borrowed */
} ss_job_options;

/* How many blocks of each kind there are. */
typedef struct ss_block_counts {
  ss_block_set kinds; /* of which there are some: a set of SS_BLOCK_BIT */
  int64_t of[SS_BLOCK_COUNT];
} ss_block_counts;

/* What the layout of a job depends on, beside its model and the text of its layout: jobs that have it in common are
 * laid out alike. X(type, field). */
#define SS_LAYOUT_KEY_LIST(X)                                                                                          \
  X(const ss_part_layout *, parts)                                                                                     \
  X(int64_t, stages)                                                                                                   \
  X(int64_t, chunks)                                                                                                   \
  X(int64_t, first_stage_layers)                                                                                       \
  X(int64_t, last_stage_layers)                                                                                        \
  X(int64_t, vision_stages)                                                                                            \
  X(int64_t, counted)                                                                                                  \
  X(int64_t, counted_of)                                                                                               \
  X(bool, counts_embedding)                                                                                            \
  X(bool, counts_output)                                                                                               \
  X(bool, has_ends)                                                                                                    \
  X(bool, frozen)                                                                                                      \
  X(bool, adapts)                                                                                                      \
  X(bool, gathers_messages)                                                                                            \
  X(bool, agrees_on_scales)

typedef struct ss_layout_key {
#define SS_LAYOUT_KEY_FIELD(type, field) type field;
  SS_LAYOUT_KEY_LIST(SS_LAYOUT_KEY_FIELD)
#undef SS_LAYOUT_KEY_FIELD
} ss_layout_key;

/* What a pass does without an exchange: kernels, and collectives that nothing hides. */
typedef struct ss_turn_time {
  double time_s, kernels_s; /* kernels_s: of time_s */
  ss_launches launches;     /* where the host launches kernels */
} ss_turn_time;

/* A pass of a block, cut where it exchanges tokens with other expert-parallel ranks: an exchange, what the block
 * computes before it since the exchange before, and behind it without needing it. */
#define SS_EXCHANGES_MAX 4

typedef struct ss_exchange_cut {
  ss_turn_time before, late;
  double exchange_s;
  ss_launches launches; /* of the exchange */
} ss_exchange_cut;

typedef struct ss_pass_cuts {
  int64_t count;
  ss_exchange_cut cut[SS_EXCHANGES_MAX];
  ss_turn_time rest; /* behind the last one */
} ss_pass_cuts;

/* Flows for which ss_link_time says how much longer a pass takes. */
enum { SS_LINK_FLOWS = 3 };

/* What the collectives of a pass through a block do on links (ss_comm_time). */
typedef struct ss_link_time {
  double nic_s;                   /* moving bytes on NICs */
  double longer_s[SS_LINK_FLOWS]; /* that the pass takes with one, two, four flows more on these NICs all along */
  ss_lattice_axes axes;           /* of a torus, for that */
  double nvlink_s;                /* on NVLink alone, while nothing computes beside them */
} ss_link_time;

/* The same with any number of flows. As kernels hide some of it, it grows faster and faster: a straight line between
 * two of these is a little more. */
static inline double ss_link_time_longer_s(const ss_link_time *links, double flows)
{
  const double *longer_s = links->longer_s;
  if (flows <= 1.0) return flows * longer_s[0];
  if (flows <= 2.0) return longer_s[0] + (flows - 1.0) * (longer_s[1] - longer_s[0]);
  return longer_s[1] + 0.5 * (flows - 2.0) * (longer_s[2] - longer_s[1]);
}

typedef struct ss_job {
  const ss_workload *workload;
  const ss_machine *machine;
  ss_job_options options;
  ss_scratch *scratch; /* of the closed form: one thread at a time works on a job; owned */
  ss_network network;
  ss_pipeline_shape shape;
  ss_placement placement;
  ss_span span[SS_GROUPS];            /* of the slowest group of each kind */
  int64_t senders;                    /* of messages between stages at the same moment, behind the fullest NIC */
  ss_span *data_span[SS_DATA_GROUPS]; /* [stages] of each stage's slowest data-parallel group; owned */
  int64_t data_alike[SS_DATA_GROUPS]; /* so many of these, the first ones, are the same: only the first one is set */
  double slow_hops; /* share of stage-to-stage messages that cross domains, where costs have mean ones */
  int64_t micro_batches, stages, chunks, replicas, tensor, context; /* context: cp, or tp2 of 2d and summa */
  int64_t copy_batches;   /* micro-batches of each copy of the model: what goes through each chunk */
  int64_t prefetch;       /* blocks ahead of compute that weights are gathered, and the second memory tier is read */
  bool overlaps_data;     /* data-parallel collectives may run beside compute */
  bool overlaps_first;    /* so may those before the first pass */
  bool overlaps_messages; /* messages between stages run beside compute */
  ss_layer_plan layers;
  ss_layout_key layout;
  char layout_text[SS_TEXT_SIZE]; /* parallelism.layout */
  ss_virtual_stage *part;         /* [parts of a copy of the model] owned */
  ss_tables tables;               /* of the embedding */
  bool uneven;                    /* chunks of a stage, or stages that are no ends, differ in their layers */
  int8_t *block_kind;             /* kinds of the blocks of all chunks, stage by stage; owned */
  int64_t *block_first;           /* [stages * chunks + 1] where each chunk's blocks start; owned */
  int64_t *layer_first;           /* [stages * chunks] layer of the model that each chunk starts with; owned */
  ss_chunk (*receiver)[2];        /* [stages * chunks] of its messages, forward and backward; owned */
  ss_chunk (*sender)[2];          /* [stages * chunks] of the messages that it waits for; owned */
  bool *repeats;                  /* [stages] all chunks of a stage and of the one before have the same blocks; owned */
  ss_block_counts *counts;        /* [stages] of the blocks of a stage; owned */
  ss_block_set kinds;             /* kinds that occur: a set of SS_BLOCK_BIT */
  ss_block_set frozen;            /* kinds that go forward only, if they occur */
  bool has_ends;                  /* embedding on the first stage, output layer on the last */
  ss_block block[SS_BLOCK_COUNT]; /* empty where a kind never occurred, as all below */
  ss_task_list (*list)[SS_PASSES]; /* [SS_BLOCK_COUNT] their tasks; owned */
  double scale[SS_PASSES];         /* of every duration of a layer: 1, but for equal_stages */
  double stretch;                  /* of every kernel: 1, but in an iteration that differs from others (uneven) */
  ss_duration pass[SS_BLOCK_COUNT][SS_PASSES];
  double slowed_s[SS_BLOCK_COUNT][SS_PASSES]; /* kernels, by the collectives of their block beside them */
  ss_link_time links[SS_BLOCK_COUNT][SS_PASSES];
  double attention_s[SS_BLOCK_COUNT][SS_PASSES]; /* that kernels of attention compute; of several documents */
  ss_factors spread[SS_BLOCK_COUNT];             /* of these times over micro-batches */
  ss_host_plan host;
  ss_launches launches[SS_BLOCK_COUNT][SS_PASSES]; /* where the host launches kernels */
  ss_pass_cuts cuts[SS_BLOCK_COUNT][SS_PASSES];    /* where passes run in pairs (ss_pipeline_shape.pairs) */
  double gather_bytes[SS_BLOCK_COUNT][SS_WEIGHTS]; /* weights of a block on one GPU */
  double reduce_bytes[SS_BLOCK_COUNT][SS_WEIGHTS]; /* gradients of a block on one GPU */
  double message_bytes[SS_CARGOS];                 /* of one micro-batch between two stages, per rank */
  double tied_bytes; /* gradient of the embedding's table that stages add up, per rank; 0: nothing */
  ss_data_plan data;
  ss_offload_plan offload;
  int64_t revision;                   /* how often it has been updated: what the next one keeps is of one of them */
  struct ss_kept_ops *kept_ops;       /* [stages] with estimate_only: ss_job_stage_ops; else NULL; owned */
  struct ss_kept_step *kept_steps;    /* [stages] with estimate_only: ss_job_optimizer; else NULL; owned */
  struct ss_kept_places *kept_places; /* with estimate_only: ss_kept_places_recall; else NULL; owned */
} ss_job;

/* How the slowest data-parallel group of a kind that a stage has lies over domains. */
static inline ss_span ss_job_data_span(const ss_job *job, ss_data_group group, int64_t stage)
{
  return job->data_span[group][stage < job->data_alike[group] ? 0 : stage];
}

/* Whether nothing shares a link with anything else, in the closed form: published costs know nothing of that. */
static inline bool ss_job_has_own_links(const ss_job *job)
{
  return job->options.what_if.own_links || ss_cost_traits_of(job->options.cost).as_published;
}

/* Where a chunk is in the arrays of a job, which go stage by stage. */
static inline int64_t ss_job_slot(const ss_job *job, ss_chunk chunk)
{
  return chunk.stage * job->chunks + chunk.index;
}

/* Blocks of a chunk. */
int64_t ss_job_block_count(const ss_job *job, ss_chunk chunk);

/* The kind of a block of a chunk, counted in the order of forward. */
ss_block_kind ss_job_block_kind(const ss_job *job, ss_chunk chunk, int64_t index);

/* The layer of the model that such a block is, counted from 0, modules behind all layers; -1 when it is none. */
int64_t ss_job_block_layer(const ss_job *job, ss_chunk chunk, int64_t index);

/* The block that a pass comes to at `place`: backward and weight passes meet them from the last to the first. */
int64_t ss_job_block_at(const ss_job *job, ss_chunk chunk, ss_pass pass, int64_t place);

/* Where the message of a pass goes, as ss_schedule_receiver says; false when there is none, as none is where backward
 * would come to a part of the model with nothing to train up to its end. */
static inline bool ss_job_receiver(const ss_job *job, ss_chunk chunk, ss_pass pass, ss_chunk *receiver)
{
  if (pass == SS_PASS_WEIGHT) return false;
  *receiver = job->receiver[ss_job_slot(job, chunk)][pass];
  return receiver->stage != SS_NO_STAGE;
}

/* Where the message that a pass starts with comes from. */
static inline bool ss_job_sender(const ss_job *job, ss_chunk chunk, ss_pass pass, ss_chunk *sender)
{
  if (pass == SS_PASS_WEIGHT) return false;
  *sender = job->sender[ss_job_slot(job, chunk)][pass];
  return sender->stage != SS_NO_STAGE;
}

/* Messages may carry something else than states. */
bool ss_job_has_cargoes(const ss_job *job);

/* What the message of a pass carries, or backward the gradient of. SS_CARGO_STATES where no message goes. */
ss_cargo ss_job_cargo(const ss_job *job, ss_chunk chunk, ss_pass pass);

/* A stage adds up the gradient of the embedding's table with others. */
bool ss_job_ties(const ss_job *job, int64_t stage);

/* The tasks of a pass through a block; not of jobs that are estimate_only. Belongs to the job. */
const ss_task_list *ss_job_tasks(const ss_job *job, ss_block_kind kind, ss_pass pass);

/* What every duration of a block is multiplied by: 1, but for equal_stages. */
double ss_job_scale(const ss_job *job, ss_block_kind kind, ss_pass pass);

/* Micro-batches differ by the documents that they have. */
bool ss_job_has_unlike_batches(const ss_job *job);

/* It is a trial on a machine whose iterations differ. */
bool ss_job_has_uneven_iterations(const ss_job *job);

/* Data parallelism or offloading moves something in every pass of every micro-batch. */
bool ss_job_moves_each_pass(const ss_job *job);

/* Ranks that hold the same weights of a stage, and those of them that share a copy: what sharding divides by. */
int64_t ss_job_holders(const ss_job *job, ss_weights weights);
int64_t ss_job_shards(const ss_job *job, ss_weights weights);

/* Parameters of a stage on one GPU, before sharding over replicas. */
double ss_job_stage_parameters(const ss_job *job, int64_t stage, ss_weights weights);

/* Those of them that are trained. */
double ss_job_trained_parameters(const ss_job *job, int64_t stage, ss_weights weights);

/* Bytes per parameter of a gradient as it is kept and reduced. */
double ss_job_gradient_bytes(const ss_job *job);

#endif
