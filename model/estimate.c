#include "model/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/schedule.h"
#include "model/streams.h"

/* One micro-batch on a stage, through all its chunks, forth and back. */
typedef struct stage_time {
  ss_duration passes;       /* of its blocks */
  double pass_s[SS_PASSES]; /* the same by pass */
  double sends_s[2];        /* messages that it sends, by pass: activations on, gradients back */
  double slowed_s;          /* kernels beside the collectives of their layer and beside messages */
  ss_exposure exposed;      /* by what data parallelism and offloading do in every pass */
} stage_time;

static bool overlaps_messages(const ss_job *job)
{
  return job->workload->schedule.overlap_pp == SS_YES;
}

static bool slows_compute(const ss_machine *machine)
{
  return machine->nvlink_compute_cost > 0.0 || machine->fabric_compute_cost > 0.0;
}

/* Pieces of a kernel that have no collective beside them: whichever goes ahead is alone in the beginning, the other in
 * the end. */
static int64_t pieces_alone(const ss_overlap *overlap)
{
  const int64_t ahead = overlap->kernel_first ? overlap->kernel_pieces : overlap->call_pieces;
  const int64_t behind = overlap->kernel_first ? overlap->call_pieces : overlap->kernel_pieces;
  const int64_t beside = ahead - 1 + overlap->lag;
  return overlap->kernel_pieces - (behind < beside ? behind : beside);
}

/* What a kernel loses to the collectives beside it. Pieces of it run at (1 - cost) as long as a collective lasts; what
 * that hides of the collectives is not lost. */
static double task_slowed_s(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  if (!task->computes || task->calls == 0) return 0.0;
  double calls_s = 0.0, cost_s = 0.0;
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_span span = job->span[task->call[i].group];
    const double call_s = ss_comm_time_sum(ss_job_call_piece(job, kind, pass, task, i, span));
    calls_s += call_s;
    cost_s += ss_compute_cost(job->machine, span.domains > 1) * call_s;
  }
  if (cost_s <= 0.0) return 0.0;
  const double kernel_s = ss_duration_sum(ss_job_kernel_piece(job, kind, pass, task));
  const double slow_s = fmin(kernel_s / (1.0 - cost_s / calls_s), kernel_s + cost_s);
  const double longer_s =
      ss_overlap_time(&task->overlap, slow_s, calls_s) - ss_overlap_time(&task->overlap, kernel_s, calls_s);
  return fmax(longer_s - (double)pieces_alone(&task->overlap) * (slow_s - kernel_s), 0.0);
}

static double block_slowed_s(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_task_list *list = ss_job_tasks(job, kind, pass);
  double sum_s = 0.0;
  for (int64_t i = 0; i < list->count && slows_compute(job->machine); ++i)
    sum_s += task_slowed_s(job, kind, pass, &list->task[i]);
  return sum_s;
}

static void add_chunk(const ss_job *job, ss_chunk chunk, stage_time *t)
{
  const int64_t count = ss_job_block_count(job, chunk);
  for (int64_t i = 0; i < count; ++i)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_block_kind kind = ss_job_block_kind(job, chunk, i);
      const ss_duration duration = job->pass[kind][pass];
      t->passes = ss_duration_add(t->passes, duration);
      t->pass_s[pass] += ss_duration_sum(duration);
      t->slowed_s += block_slowed_s(job, kind, (ss_pass)pass);
    }
}

/* A hop is named after the stage whose activations it takes. With mean messages every stage is charged a mean hop both
 * ways. Beside compute, a message slows the kernels of its sender down as long as it lasts. */
static void add_messages(const ss_job *job, ss_chunk chunk, stage_time *t)
{
  const bool mean = ss_cost_traits_of(job->options.cost).mean_messages && job->stages > 1;
  for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass) {
    ss_chunk to = chunk;
    if (!ss_job_receiver(job, chunk, (ss_pass)pass, &to) && !mean) continue;
    const int64_t hop = pass == SS_PASS_FORWARD ? chunk.stage : to.stage;
    const double send_s = ss_job_hop_s(job, hop);
    t->sends_s[pass] += send_s;
    if (!overlaps_messages(job)) continue;
    t->slowed_s += ss_compute_cost(job->machine, ss_placement_hop_crosses(&job->placement, hop)) * send_s;
  }
}

/* A stage is like the one before: the same blocks, whose weights are shared in groups that lie over domains alike. Most
 * are, and need not be looked at again. */
static bool is_like_before(const ss_job *job, int64_t stage)
{
  if (stage == 0 || ss_streams_follow_order(job)) return false;
  const int64_t *first = &job->block_first[stage - 1], blocks = first[1] - first[0];
  if (first[2] - first[1] != blocks) return false;
  if (memcmp(&job->block_kind[first[0]], &job->block_kind[first[1]], (size_t)blocks) != 0) return false;
  bool alike = true;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const ss_span *span = &job->data_span[weights][stage - 1];
    alike = alike && span[0].size == span[1].size && span[0].domains == span[1].domains &&
            span[0].per_domain == span[1].per_domain;
  }
  return alike;
}

/* Without messages, which differ where stages are alike. */
static stage_time work_of(const ss_job *job, int64_t stage)
{
  stage_time t = {.exposed = ss_streams_of_micro_batch(job, stage)};
  for (int64_t c = 0; c < job->chunks; ++c) add_chunk(job, (ss_chunk){stage, c}, &t);
  return t;
}

/* [stages] */
static void time_stages(const ss_job *job, stage_time *stages)
{
  stage_time work = {0};
  for (int64_t i = 0; i < job->stages; ++i) {
    if (!is_like_before(job, i)) work = work_of(job, i);
    stages[i] = work;
    for (int64_t c = 0; c < job->chunks; ++c) add_messages(job, (ss_chunk){i, c}, &stages[i]);
  }
}

static double messages_s(const stage_time *t)
{
  return t->sends_s[SS_PASS_FORWARD] + t->sends_s[SS_PASS_BACKWARD];
}

/* Without messages. */
static double alone_s(const stage_time *t)
{
  return ss_duration_sum(t->passes) + t->exposed.data_s + t->exposed.offload_s + t->exposed.slowed_s + t->slowed_s;
}

/* With the messages that take their turn on the stage. */
static double busy_s(const ss_job *job, const stage_time *t)
{
  return alone_s(t) + (overlaps_messages(job) ? 0.0 : messages_s(t));
}

/* From one micro-batch to the next. Messages beside compute limit the pace only where those of one direction take
 * longer than the stage. */
static double turn_of(const ss_job *job, const stage_time *t)
{
  return fmax(busy_s(job, t), fmax(t->sends_s[SS_PASS_FORWARD], t->sends_s[SS_PASS_BACKWARD]));
}

/* What a stage takes to pass a micro-batch on, forward, backward and its weight passes, with messages and what shows.
 */
typedef struct passes {
  double pass_s[SS_PASSES];
} passes;

static passes passes_of(const stage_time *t)
{
  const double forward_s = t->pass_s[SS_PASS_FORWARD] + t->sends_s[SS_PASS_FORWARD];
  const double weight_s = t->pass_s[SS_PASS_WEIGHT] + t->exposed.weight_s;
  return (passes){{[SS_PASS_FORWARD] = forward_s,
                   [SS_PASS_BACKWARD] = alone_s(t) + messages_s(t) - forward_s - weight_s,
                   [SS_PASS_WEIGHT] = weight_s}};
}

static double fill_s(const ss_job *job, const stage_time *t)
{
  const passes p = passes_of(t);
  return ss_schedule_fill_s(&job->shape, p.pass_s);
}

/* Beside compute, messages are hidden only as far as a stage has other micro-batches meanwhile: it goes on forward when
 * the first of those it holds is back from the last stage. So many round trips follow one another on a stage; what is
 * left of the last group makes shorter ones, from the next stage on. */
static double round_trips_s(const ss_job *job, const stage_time *stages, double fills_s)
{
  const bool splits_backward = ss_schedule_traits_of(job->shape.schedule).splits_backward;
  if (!overlaps_messages(job) || job->chunks > 1 || splits_backward) return 0.0;
  double sum_s = 0.0, trip_s = fills_s;
  int64_t left = job->micro_batches;
  for (int64_t i = 0; i < job->stages; ++i) {
    const int64_t held = ss_schedule_in_flight(&job->shape, i).whole, trips = (left - 1) / held;
    sum_s += (double)trips * (trip_s - stages[i].sends_s[SS_PASS_BACKWARD]);
    trip_s -= fill_s(job, &stages[i]);
    left -= trips * held;
  }
  return sum_s;
}

/* The pipeline as a whole: one stage sets the pace with its turns, the others have to be filled and drained. */
typedef struct pace {
  double turn_s, fill_s;
} pace;

/* Seconds that a stage waits for the others: those before it have to be filled and drained, those after it as far as
 * its schedule leaves it nothing to do meanwhile. What it sends beside its compute has to be waited for once. */
static double waits_s(const ss_job *job, int64_t stage, const stage_time *t, double before_s, double after_s)
{
  const passes p = passes_of(t);
  const double beside_s = fmax(alone_s(t) + messages_s(t) - turn_of(job, t), 0.0) / (double)job->chunks;
  return before_s + ss_schedule_wait_s(&job->shape, stage, p.pass_s, after_s) + beside_s;
}

/* The stage that sets the pace is the one with which all turns and waits take longest. */
static pace pace_of(const ss_job *job, const stage_time *stages)
{
  const double m = (double)job->micro_batches;
  double after_s = 0.0, before_s = 0.0, turn_s = 0.0, longest_s = 0.0;
  for (int64_t i = 0; i < job->stages; ++i) after_s += fill_s(job, &stages[i]);
  for (int64_t i = 0; i < job->stages; ++i) {
    const stage_time *t = &stages[i];
    after_s -= fill_s(job, t);
    turn_s = fmax(turn_s, turn_of(job, t));
    longest_s = fmax(longest_s, m * turn_of(job, t) + waits_s(job, i, t, before_s, fmax(after_s, 0.0)));
    before_s += fill_s(job, t);
  }
  longest_s = fmax(longest_s, before_s + round_trips_s(job, stages, before_s));
  return (pace){turn_s, job->stages > 1 ? longest_s - m * turn_s : 0.0};
}

/* A stage, how much later than the first it starts, and how much earlier it has done its last pass. */
typedef struct position {
  int64_t stage;
  double lead_s, drain_s;
} position;

static position next_stage(const ss_job *job, position at, const stage_time *t)
{
  const passes p = passes_of(t);
  const double lead_s = p.pass_s[SS_PASS_FORWARD] / (double)job->chunks;
  return (position){at.stage + 1, at.lead_s + lead_s, at.drain_s + fmax(fill_s(job, t) - lead_s, 0.0)};
}

/* The parts of an iteration that ends with a stage. */
static ss_breakdown stage_parts(const ss_job *job, const pace *p, position at, const stage_time *t)
{
  const double m = (double)job->micro_batches;
  const ss_exposure exposed = ss_streams_of_iteration(job, at.stage, at.lead_s);
  const ss_optimizer_time optimizer = ss_job_optimizer(job, at.stage);
  const double waits_s = p->turn_s - busy_s(job, t); /* collectives that fall behind catch up meanwhile */
  ss_breakdown parts = {
      .compute_s = m * t->passes.compute_s,
      .memory_s = m * t->passes.memory_s,
      .dp_comm_s = exposed.data_s + fmax(exposed.tail_s - m * fmin(t->exposed.tail_s, waits_s), 0.0),
      .pp_comm_s = overlaps_messages(job) ? 0.0 : m * messages_s(t),
      .bubble_s = fmax(m * waits_s + p->fill_s - at.drain_s, 0.0),
      .optimizer_s = optimizer.optimizer_s,
      .offload_s = exposed.offload_s + optimizer.offload_s,
      .other_s = m * (t->passes.launch_s + t->slowed_s) + exposed.slowed_s,
  };
#define SS_GROUP_PART(id, name, part) parts.part += m * t->passes.comm_s[id];
  SS_GROUP_LIST(SS_GROUP_PART)
#undef SS_GROUP_PART
  parts.iteration_s = ss_breakdown_sum(&parts);
  return parts;
}

ss_breakdown ss_estimate_time(const ss_job *job)
{
  stage_time *stages = malloc((size_t)job->stages * sizeof *stages);
  SS_ASSERT(stages != NULL);
  time_stages(job, stages);
  const pace p = pace_of(job, stages);
  ss_breakdown last = {0};
  for (position at = {0}; at.stage < job->stages; at = next_stage(job, at, &stages[at.stage])) {
    if (is_like_before(job, at.stage)) continue; /* starts later, hides more and drains longer: is done earlier */
    const ss_breakdown parts = stage_parts(job, &p, at, &stages[at.stage]);
    if (parts.iteration_s > last.iteration_s) last = parts;
  }
  free(stages);
  return last;
}
