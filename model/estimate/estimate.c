#include "model/estimate/estimate.h"

#include <stdlib.h>

#include "model/base/number.h"
#include "model/estimate/stage_exposure.h"
#include "model/plan/optimizer.h"
#include "model/plan/stage_hops.h"
#include "model/plan/transfer_time.h"
#include "model/schedule/schedule.h"

/* How much of a stage's time is looked at. */
typedef enum time_scope {
  SCOPE_KERNELS, /* no communication */
  SCOPE_LAYERS,  /* nor that of data parallelism and offloading */
  SCOPE_ALL
} time_scope;

/* One micro-batch on a stage, through all its chunks, forth and back. */
typedef struct stage_time {
  ss_duration passes;       /* of its blocks */
  double pass_s[SS_PASSES]; /* the same by pass */
  ss_exposure exposed;      /* by what data parallelism and offloading do in every pass */
  double sends_s[2];        /* messages that it sends, by pass: activations on, gradients back */
  double slowed_s;          /* kernels beside the collectives of their layer and beside messages */
  double alone_s;           /* all of this without the messages */
  double busy_s;            /* with those that take their turn on the stage */
  double turn_s;            /* from one micro-batch to the next */
  double on_s[SS_PASSES];   /* to pass a micro-batch on, by pass, with messages and what shows */
  double fill_s;            /* that it adds to a pipeline with another, slower stage */
} stage_time;

/* Stages that follow one another and are the same. */
typedef struct stage_run {
  int64_t first, end;
  bool like_before; /* but for the messages, the stages are those of the run before */
  const stage_time *time;
} stage_run;

typedef struct stage_runs {
  int64_t count, times;
  stage_run *run;   /* [count] owned */
  stage_time *time; /* [times] that runs refer to: those that differ */
} stage_runs;

static bool overlaps_messages(const ss_job *job)
{
  return job->workload->schedule.overlap_pp == SS_YES;
}

static bool has_same_spans(const ss_job *job, int64_t stage)
{
  bool same = true;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const ss_span *span = &job->data_span[weights][stage - 1];
    same = same && span[0].size == span[1].size && span[0].domains == span[1].domains &&
           span[0].per_domain == span[1].per_domain;
  }
  return same;
}

/* A stage is like the one before: the same blocks, whose weights are shared in groups that lie over domains alike. Most
 * are, and need not be looked at again. */
static bool is_like_before(const ss_job *job, int64_t stage, time_scope scope)
{
  if (!job->repeats[stage] || (scope == SCOPE_ALL && ss_stage_exposure_follows_order(job))) return false;
  return job->placement.even || has_same_spans(job, stage);
}

static ss_duration without_communication(ss_duration duration)
{
  for (int group = 0; group < SS_GROUPS; ++group) duration.comm_s[group] = 0.0;
  return duration;
}

static void add_blocks(const ss_job *job, int64_t stage, ss_block_kind kind, time_scope scope, stage_time *t)
{
  const double count = (double)job->counts[stage].of[kind];
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    ss_duration duration = ss_duration_scale(count, job->pass[kind][pass]);
    if (scope == SCOPE_KERNELS) duration = without_communication(duration);
    t->passes = ss_duration_add(t->passes, duration);
    t->pass_s[pass] += ss_duration_sum(duration);
    if (scope != SCOPE_KERNELS) t->slowed_s += count * job->slowed_s[kind][pass];
  }
}

/* A stage without its messages. */
static stage_time work_of(const ss_job *job, int64_t stage, time_scope scope)
{
  stage_time t = {.slowed_s = 0.0};
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    if (job->counts[stage].of[kind] > 0) add_blocks(job, stage, (ss_block_kind)kind, scope, &t);
  if (scope == SCOPE_ALL) t.exposed = ss_stage_exposure_of_micro_batch(job, stage);
  return t;
}

/* Seconds of a message between two stages. */
typedef struct hop_times {
  double inside_s, across_s;
} hop_times;

static bool has_mean_messages(const ss_job *job)
{
  return ss_cost_traits_of(job->options.cost).mean_messages && job->stages > 1;
}

/* The share of its sender's compute that a message takes while it runs beside kernels. */
static double message_cost(const ss_job *job, bool across)
{
  const double across_cost = ss_machine_compute_cost(job->machine, true),
               inside_cost = ss_machine_compute_cost(job->machine, false);
  if (has_mean_messages(job)) return job->slow_hops * across_cost + (1.0 - job->slow_hops) * inside_cost;
  return across ? across_cost : inside_cost;
}

/* `count` messages from one stage to another, which take as long either way. */
static void add_messages_to(const ss_job *job, int64_t from, int64_t to, int64_t count, const hop_times *hops,
                            double *sends_s, stage_time *t)
{
  const bool across = ss_placement_crosses(&job->placement, from, to);
  const double messages_s = (double)count * (across ? hops->across_s : hops->inside_s);
  *sends_s += messages_s;
  if (overlaps_messages(job)) t->slowed_s += message_cost(job, across) * messages_s;
}

/* What the chunks of a stage send on, or back; to one that lies on the same stage it takes no time. */
static void add_messages_of(const ss_job *job, int64_t stage, ss_pass pass, const hop_times *hops, stage_time *t)
{
  int64_t to = stage, count = 0;
  for (int64_t c = 0; c < job->chunks; ++c) {
    ss_chunk receiver;
    if (!ss_job_receiver(job, (ss_chunk){stage, c}, pass, &receiver) || receiver.stage == stage) continue;
    if (receiver.stage != to && count > 0) {
      add_messages_to(job, stage, to, count, hops, &t->sends_s[pass], t);
      count = 0;
    }
    to = receiver.stage;
    ++count;
  }
  if (count > 0) add_messages_to(job, stage, to, count, hops, &t->sends_s[pass], t);
}

/* With mean messages every chunk is charged a mean hop both ways. Beside compute, a message slows the kernels of its
 * sender down as long as it lasts. */
static void add_messages(const ss_job *job, int64_t stage, const hop_times *hops, stage_time *t)
{
  for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass) {
    t->sends_s[pass] = 0.0;
    if (has_mean_messages(job))
      add_messages_to(job, stage, stage, job->chunks, hops, &t->sends_s[pass], t);
    else
      add_messages_of(job, stage, (ss_pass)pass, hops, t);
  }
}

/* A stage sends what the one before does: the first and the last send less, and of the others those in the middle of
 * their domain are alike. */
static bool has_same_messages(const ss_job *job, int64_t stage)
{
  const ss_placement *placement = &job->placement;
  if (has_mean_messages(job)) return true;
  if (stage == 1 || stage == job->stages - 1) return false;
  const int64_t inside = placement->inside.pp;
  if (placement->even)
    return inside == 1 || inside == job->stages || (stage % inside >= 2 && stage % inside <= inside - 2);
  const bool own = ss_placement_crosses(placement, stage, stage + 1);
  return own == ss_placement_crosses(placement, stage - 1, stage) &&
         own == ss_placement_crosses(placement, stage - 2, stage - 1);
}

/* Works out what follows from the times of a stage. Messages beside compute limit the pace only where those of one
 * direction take longer than the stage. */
static void complete(const ss_job *job, stage_time *t)
{
  const double forward_s = t->sends_s[SS_PASS_FORWARD], backward_s = t->sends_s[SS_PASS_BACKWARD];
  t->alone_s =
      ss_duration_sum(t->passes) + t->exposed.data_s + t->exposed.offload_s + t->exposed.slowed_s + t->slowed_s;
  t->busy_s = t->alone_s + (overlaps_messages(job) ? 0.0 : forward_s + backward_s);
  t->turn_s = ss_max(t->busy_s, ss_max(forward_s, backward_s));
  t->on_s[SS_PASS_FORWARD] = t->pass_s[SS_PASS_FORWARD] + forward_s;
  t->on_s[SS_PASS_WEIGHT] = t->pass_s[SS_PASS_WEIGHT] + t->exposed.weight_s;
  t->on_s[SS_PASS_BACKWARD] = t->alone_s + forward_s + backward_s - t->on_s[SS_PASS_FORWARD] - t->on_s[SS_PASS_WEIGHT];
  t->fill_s = ss_schedule_fill_s(&job->shape, t->on_s);
}

static int64_t run_end(const ss_job *job, int64_t first, time_scope scope)
{
  int64_t end = first + 1;
  while (end < job->stages && is_like_before(job, end, scope) && has_same_messages(job, end)) ++end;
  return end;
}

/* The stage time `t`, or what it is equal to of those from `alike` on, which differ in messages only. */
static const stage_time *keep_time(const ss_job *job, stage_runs *runs, const stage_time *alike, const stage_time *t)
{
  stage_time *end = &runs->time[runs->times];
  for (; alike < end; ++alike)
    if (alike->sends_s[0] == t->sends_s[0] && alike->sends_s[1] == t->sends_s[1] && alike->slowed_s == t->slowed_s)
      return alike;
  *end = *t;
  complete(job, end);
  ++runs->times;
  return end;
}

static stage_runs time_stages(const ss_job *job, time_scope scope)
{
  const size_t stages = (size_t)job->stages;
  stage_runs runs = {.run = malloc(stages * (sizeof *runs.run + sizeof *runs.time))};
  SS_ASSERT(runs.run != NULL);
  runs.time = (stage_time *)(runs.run + stages);
  const hop_times hops = {ss_job_hop_s(job, false), ss_job_hop_s(job, true)};
  const stage_time *alike = runs.time;
  stage_time work = {.slowed_s = 0.0};
  for (int64_t first = 0; first < job->stages; first = runs.run[runs.count++].end) {
    const bool like_before = is_like_before(job, first, scope);
    if (!like_before) {
      work = work_of(job, first, scope);
      alike = &runs.time[runs.times];
    }
    const double slowed_s = work.slowed_s;
    if (scope != SCOPE_KERNELS) add_messages(job, first, &hops, &work);
    runs.run[runs.count] =
        (stage_run){first, run_end(job, first, scope), like_before, keep_time(job, &runs, alike, &work)};
    work.slowed_s = slowed_s;
  }
  return runs;
}

/* Beside compute, messages are hidden only as far as a stage has other micro-batches meanwhile: it goes on forward when
 * the first of those it holds is back from the last stage. So many round trips follow one another on a stage; what is
 * left of the last group makes shorter ones, from the next stage on. */
static double round_trips_s(const ss_job *job, const stage_runs *runs, double fills_s)
{
  const bool splits_backward = job->shape.schedule->splits_backward;
  if (!overlaps_messages(job) || job->chunks > 1 || splits_backward) return 0.0;
  double sum_s = 0.0, trip_s = fills_s;
  int64_t left = job->micro_batches;
  for (const stage_run *run = runs->run; run < runs->run + runs->count; ++run)
    for (int64_t stage = run->first; stage < run->end; ++stage) {
      const int64_t held = ss_schedule_in_flight(&job->shape, stage).whole, trips = (left - 1) / held;
      sum_s += (double)trips * (trip_s - run->time->sends_s[SS_PASS_BACKWARD]);
      trip_s -= run->time->fill_s;
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
  const double sends_s = t->sends_s[SS_PASS_FORWARD] + t->sends_s[SS_PASS_BACKWARD];
  const double beside_s = ss_max(t->alone_s + sends_s - t->turn_s, 0.0) / (double)job->chunks;
  return before_s + ss_schedule_wait_s(&job->shape, stage, t->on_s, after_s) + beside_s;
}

/* The longest that a stage of a run takes for all turns and waits, when those before and after the run have `before_s`
 * and `after_s` to fill. Within a run this is linear in the stage, but for 1f1b, where it bends: while a stage has as
 * many warm-up passes as its place asks for, the last one takes longest; from the stage on whose place asks for more
 * than there are micro-batches, it falls and then rises again towards the first. */
static double longest_of(const ss_job *job, const stage_run *run, double before_s, double after_s)
{
  const stage_time *t = run->time;
  const int64_t last = run->end - 1, turn = job->stages - job->micro_batches;
  const double others_s = (double)(last - run->first) * t->fill_s;
  double longest_s = waits_s(job, run->first, t, before_s, after_s + others_s);
  if (last > run->first) longest_s = ss_max(longest_s, waits_s(job, last, t, before_s + others_s, after_s));
  if (turn > run->first && turn < last) {
    const double before_turn_s = (double)(turn - run->first) * t->fill_s;
    longest_s = ss_max(longest_s, waits_s(job, turn, t, before_s + before_turn_s, after_s + others_s - before_turn_s));
  }
  return (double)job->micro_batches * t->turn_s + longest_s;
}

static double fills_s(const stage_run *run)
{
  return (double)(run->end - run->first) * run->time->fill_s;
}

/* The stage that sets the pace is the one with which all turns and waits take longest. */
static pace pace_of(const ss_job *job, const stage_runs *runs)
{
  const stage_run *end = runs->run + runs->count;
  double after_s = 0.0, before_s = 0.0, turn_s = 0.0, longest_s = 0.0;
  for (const stage_run *run = runs->run; run < end; ++run) after_s += fills_s(run);
  for (const stage_run *run = runs->run; run < end; ++run) {
    after_s = run + 1 < end ? after_s - fills_s(run) : 0.0;
    turn_s = ss_max(turn_s, run->time->turn_s);
    longest_s = ss_max(longest_s, longest_of(job, run, before_s, after_s));
    before_s += fills_s(run);
  }
  longest_s = ss_max(longest_s, before_s + round_trips_s(job, runs, before_s));
  return (pace){turn_s, job->stages > 1 ? longest_s - (double)job->micro_batches * turn_s : 0.0};
}

/* A stage, how much later than the first it starts, and how much earlier it has done its last pass. */
typedef struct position {
  int64_t stage;
  double lead_s, drain_s;
} position;

static position next_run(const ss_job *job, position at, const stage_run *run)
{
  const double stages = (double)(run->end - run->first);
  const double lead_s = run->time->on_s[SS_PASS_FORWARD] / (double)job->chunks;
  return (position){.stage = run->end,
                    .lead_s = at.lead_s + stages * lead_s,
                    .drain_s = at.drain_s + stages * ss_max(run->time->fill_s - lead_s, 0.0)};
}

/* The parts of an iteration that ends with a stage. */
static ss_breakdown stage_parts(const ss_job *job, const pace *p, position at, const stage_time *t)
{
  const double m = (double)job->micro_batches;
  const ss_exposure exposed = ss_stage_exposure_of_iteration(job, at.stage, at.lead_s);
  const ss_optimizer_time optimizer = ss_job_optimizer(job, at.stage);
  const double sends_s = t->sends_s[SS_PASS_FORWARD] + t->sends_s[SS_PASS_BACKWARD];
  const double waits_s = p->turn_s - t->busy_s; /* collectives that fall behind catch up meanwhile */
  ss_breakdown parts = {
      .compute_s = m * t->passes.compute_s,
      .memory_s = m * t->passes.memory_s,
      .dp_comm_s = exposed.data_s + ss_max(exposed.tail_s - m * ss_min(t->exposed.tail_s, waits_s), 0.0),
      .pp_comm_s = overlaps_messages(job) ? 0.0 : m * sends_s,
      .bubble_s = ss_max(m * waits_s + p->fill_s - at.drain_s, 0.0),
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

/* The stages of the first and the last part of the model, which meet before the optimizer step where they share a
 * table. */
typedef struct ends {
  int64_t first_stage, last_stage;
  ss_breakdown first, last;
  double lag_s; /* that the last one begins its iteration after the first */
} ends;

static bool has_stage(const stage_run *run, int64_t stage)
{
  return run->first <= stage && stage < run->end;
}

static void keep_end(const ss_job *job, position at, const stage_run *run, const ss_breakdown *parts, ends *e)
{
  if (has_stage(run, e->first_stage)) e->first = *parts;
  if (!has_stage(run, e->last_stage)) return;
  e->last = *parts;
  e->lag_s = job->shape.schedule->runs_into_next ? at.lead_s : 0.0;
}

/* Until its own gradients are reduced. */
static double until_step_s(const ss_job *job, int64_t stage, const ss_breakdown *parts)
{
  const ss_optimizer_time optimizer = ss_job_optimizer(job, stage);
  return parts->iteration_s - optimizer.optimizer_s - optimizer.offload_s;
}

static void wait_and_exchange(double wait_s, double exchange_s, ss_breakdown *parts)
{
  parts->bubble_s += wait_s;
  parts->pp_comm_s += exchange_s;
  parts->iteration_s = ss_breakdown_sum(parts);
}

/* The end that is there first waits for the other; then both exchange the gradient of their table, beside nothing. */
static void tie_ends(const ss_job *job, ends *e)
{
  const double exchange_s = ss_comm_time_sum(ss_job_tied_time(job, ss_job_tied_span(job)));
  const double first_s = until_step_s(job, e->first_stage, &e->first);
  const double last_s = e->lag_s + until_step_s(job, e->last_stage, &e->last);
  wait_and_exchange(ss_max(last_s - first_s, 0.0), exchange_s, &e->first);
  wait_and_exchange(ss_max(first_s - last_s, 0.0), exchange_s, &e->last);
}

static ss_breakdown longer_of(ss_breakdown a, ss_breakdown b)
{
  return b.iteration_s > a.iteration_s ? b : a;
}

ss_breakdown ss_estimate_time(const ss_job *job)
{
  const stage_runs runs = time_stages(job, SCOPE_ALL);
  const pace p = pace_of(job, &runs);
  ss_breakdown last = {0};
  position at = {0};
  ends e = {.first_stage = ss_schedule_first_stage(&job->shape), .last_stage = ss_schedule_last_stage(&job->shape)};
  for (const stage_run *run = runs.run; run < runs.run + runs.count; at = next_run(job, at, run), ++run) {
    /* Like the run before but for its messages: starts later, hides more and drains longer, so that it is done earlier,
     * unless it has less time to catch up with collectives that fall behind. */
    if (run->like_before && run->time->exposed.tail_s <= 0.0) continue;
    const ss_breakdown parts = stage_parts(job, &p, at, run->time);
    keep_end(job, at, run, &parts, &e);
    last = longer_of(last, parts);
  }
  free(runs.run);
  if (job->tied_bytes <= 0.0) return last;
  tie_ends(job, &e);
  return longer_of(longer_of(last, e.first), e.last);
}

/* What rounding may make of a bound. */
#define LESS (1.0 - 1e-9)

/* The pipeline with less to do is done no later: with one that splits backward that is not sure, nor where messages run
 * beside compute, as weight passes and messages fill waits. */
static bool is_monotone(const ss_job *job)
{
  return !job->shape.schedule->splits_backward && !overlaps_messages(job);
}

double ss_estimate_least_s(const ss_job *job, bool anywhere)
{
  const stage_runs runs = time_stages(job, anywhere ? SCOPE_KERNELS : SCOPE_LAYERS);
  double longest_s = 0.0;
  for (int64_t i = 0; i < runs.times; ++i) longest_s = ss_max(longest_s, runs.time[i].alone_s);
  longest_s *= (double)job->micro_batches;
  if (!ss_job_moves_each_pass(job) && (!anywhere || is_monotone(job))) {
    const pace p = pace_of(job, &runs);
    longest_s = ss_max(longest_s, (double)job->micro_batches * p.turn_s + p.fill_s);
  }
  free(runs.run);
  return LESS * longest_s;
}
