#include "model/estimate/estimate.h"

#include "model/base/number.h"
#include "model/estimate/document_waits.h"
#include "model/estimate/hops.h"
#include "model/estimate/least_time.h"
#include "model/estimate/pipeline_walk.h"
#include "model/estimate/plain_pipeline.h"
#include "model/estimate/stage_exposure.h"
#include "model/estimate/stage_times.h"
#include "model/plan/optimizer.h"
#include "model/plan/transfer_time.h"
#include "model/schedule/schedule.h"

/* Beside compute, messages are hidden only as far as a stage has other micro-batches meanwhile: it goes on forward when
 * the first of those it holds is back from the last stage. So many round trips follow one another on a stage; what is
 * left of the last group makes shorter ones, from the next stage on. */
static double round_trips_s(const ss_job *job, const ss_stage_runs *runs, double fills_s)
{
  if (!job->overlaps_messages) return 0.0;
  double sum_s = 0.0, trip_s = fills_s;
  int64_t left = job->micro_batches;
  for (const ss_stage_run *run = runs->run; run < runs->run + runs->count; ++run)
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
static double waits_s(const ss_job *job, int64_t stage, const ss_stage_time *t, double before_s, double after_s)
{
  return before_s + ss_schedule_wait_s(&job->shape, stage, t->on_s, after_s) + t->beside_s;
}

/* The longest that a stage of a run takes for all turns and waits, when those before and after the run have `before_s`
 * and `after_s` to fill. Within a run this is linear in the stage, but for 1f1b (eager or not), where it bends: while a
 * stage has as many warm-up passes as its place asks for, the last one takes longest; from the stage on whose place
 * asks for more than there are micro-batches, it falls and then rises again towards the first. */
static double longest_of(const ss_job *job, const ss_stage_run *run, double before_s, double after_s)
{
  const ss_stage_time *t = run->time;
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

/* The stage that sets the pace is the one with which all turns and waits take longest. */
static pace pace_of(const ss_job *job, const ss_stage_runs *runs)
{
  const ss_stage_run *end = runs->run + runs->count;
  double after_s = runs->fills_s, before_s = 0.0, turn_s = 0.0, longest_s = 0.0;
  for (const ss_stage_run *run = runs->run; run < end; ++run) {
    after_s = run + 1 < end ? after_s - run->fills_s : 0.0;
    turn_s = ss_max(turn_s, run->time->turn_s);
    longest_s = ss_max(longest_s, longest_of(job, run, before_s, after_s));
    before_s += run->fills_s;
  }
  longest_s = ss_max(longest_s, before_s + round_trips_s(job, runs, before_s));
  return (pace){turn_s, job->stages > 1 ? longest_s - (double)job->micro_batches * turn_s : 0.0};
}

/* A stage, how much later than the first it starts, and how much earlier it has done its last pass. */
typedef struct position {
  int64_t stage;
  double lead_s, drain_s;
} position;

/* The course of a stage at a pace. */
static ss_course paced_course(const ss_job *job, const pace *p, position at, const ss_stage_time *t)
{
  const double m = (double)job->micro_batches, waits_s = p->turn_s - t->busy_s;
  const double sends_s = t->sends_s[SS_PASS_FORWARD] + t->sends_s[SS_PASS_BACKWARD];
  return (ss_course){.start_s = at.lead_s,
                     .bubble_s = ss_max(m * waits_s + p->fill_s - at.drain_s, 0.0),
                     .messages_s = job->overlaps_messages ? 0.0 : m * sends_s,
                     .exposed = ss_stage_exposure_of_iteration(job, at.stage, at.lead_s)};
}

/* The parts of an iteration that ends with a stage. */
static ss_breakdown stage_parts(const ss_job *job, int64_t stage, const ss_course *course, const ss_stage_time *t)
{
  const double m = (double)job->copy_batches;
  const ss_exposure *exposed = &course->exposed;
  const ss_optimizer_time optimizer = ss_job_optimizer(job, stage);
  ss_breakdown parts = {
      .compute_s = m * t->work->passes.compute_s,
      .memory_s = m * t->work->passes.memory_s,
      .tp_comm_s = optimizer.exchange_s,
      .dp_comm_s = exposed->data_s + exposed->tail_s,
      .pp_comm_s = course->messages_s + m * t->shared_s,
      .bubble_s = course->bubble_s,
      .optimizer_s = optimizer.optimizer_s,
      .offload_s = exposed->offload_s + optimizer.offload_s,
      .host_s = exposed->host_s,
      .other_s = m * (t->work->passes.launch_s + t->slowed_s) + exposed->slowed_s,
  };
#define SS_GROUP_PART(id, name, part) parts.part += m * t->work->passes.comm_s[id];
  SS_GROUP_LIST(SS_GROUP_PART)
#undef SS_GROUP_PART
  parts.ep_comm_s -= course->hidden_s;
  parts.iteration_s = ss_breakdown_sum(&parts);
  return parts;
}

/* The stages that meet before the optimizer step where they share a table: each as it ends by itself. */
typedef struct tied_stages {
  ss_breakdown parts[SS_TABLES_MAX];
  double lag_s[SS_TABLES_MAX];  /* that its iteration begins after that of the first stage */
  double step_s[SS_TABLES_MAX]; /* that it waits for the launches of its step, if it comes to that without meeting */
} tied_stages;

/* Keeps what is of such a stage, when stages from `first` to `end` have the same course. */
static void keep_tied(const ss_job *job, int64_t first, int64_t end, const ss_course *course, const ss_breakdown *parts,
                      tied_stages *tied)
{
  const ss_tables *tables = &job->tables;
  for (int64_t i = 0; i < tables->count; ++i) {
    if (tables->stage[i] < first || end <= tables->stage[i]) continue;
    tied->parts[i] = *parts;
    tied->step_s[i] = course->exposed.step_s;
    tied->lag_s[i] = tables->stage[i] > 0 && job->shape.schedule->runs_into_next ? course->start_s : 0.0;
  }
}

/* Until its own gradients are reduced. */
static double until_step_s(const ss_job *job, int64_t stage, const ss_breakdown *parts)
{
  const ss_optimizer_time optimizer = ss_job_optimizer(job, stage);
  return parts->iteration_s - ss_optimizer_time_sum(optimizer);
}

/* Meanwhile the host launches the step, all but what waits for the norm of the gradient. */
static void launch_meanwhile(const ss_job *job, int64_t stage, double step_s, double met_s, ss_breakdown *parts)
{
  if (step_s <= 0.0) return;
  const double gpu_s = ss_optimizer_time_kernels_s(ss_job_optimizer(job, stage));
  const ss_launches launches = ss_job_step_launches(job, stage, gpu_s);
  parts->host_s -= step_s - ss_max(step_s - met_s, launches.lag_s);
}

/* The stages that are there first wait for the last; then all exchange the gradient of their table, beside nothing. */
static void tie_stages(const ss_job *job, tied_stages *tied)
{
  const double exchange_s = ss_comm_time_sum(ss_job_tied_time(job, ss_job_tied_span(job)));
  const ss_tables *tables = &job->tables;
  double there_s[SS_TABLES_MAX], all_there_s = 0.0;
  for (int64_t i = 0; i < tables->count; ++i) {
    there_s[i] = tied->lag_s[i] + until_step_s(job, tables->stage[i], &tied->parts[i]) - tied->step_s[i];
    all_there_s = ss_max(all_there_s, there_s[i]);
  }
  for (int64_t i = 0; i < tables->count; ++i) {
    ss_breakdown *parts = &tied->parts[i];
    parts->bubble_s += all_there_s - there_s[i];
    parts->pp_comm_s += exchange_s;
    launch_meanwhile(job, tables->stage[i], tied->step_s[i], all_there_s - there_s[i] + exchange_s, parts);
    parts->iteration_s = ss_breakdown_sum(parts);
  }
}

static void keep_longer(ss_breakdown *longest, const ss_breakdown *parts)
{
  if (parts->iteration_s > longest->iteration_s) *longest = *parts;
}

/* The parts of the stage that is done last, when all stages go at the pace of one. */
static ss_breakdown paced_time(const ss_job *job, const ss_stage_runs *runs, tied_stages *tied)
{
  const pace p = pace_of(job, runs);
  ss_breakdown last = {0};
  double lead_s = 0.0, drain_s = 0.0;
  for (const ss_stage_run *run = runs->run; run < runs->run + runs->count; ++run) {
    const double stages = (double)(run->end - run->first);
    /* Like the run before but for its messages: starts later, hides more and drains longer, so that it is done earlier.
     */
    if (!run->like_before) {
      const ss_course course = paced_course(job, &p, (position){run->first, lead_s, drain_s}, run->time);
      const ss_breakdown parts = stage_parts(job, run->first, &course, run->time);
      keep_tied(job, run->first, run->end, &course, &parts, tied);
      keep_longer(&last, &parts);
    }
    lead_s += stages * run->time->lead_s;
    drain_s += stages * run->time->drain_s;
  }
  return last;
}

/* The same, when they are walked through together. */
static ss_breakdown walked_time(const ss_job *job, const ss_stage_runs *runs, tied_stages *tied)
{
  ss_course *course = ss_scratch_take(job->scratch, (size_t)job->stages * sizeof *course);
  ss_pipeline_walk(job, course);
  ss_breakdown last = {0};
  for (const ss_stage_run *run = runs->run; run < runs->run + runs->count; ++run)
    for (int64_t stage = run->first; stage < run->end; ++stage) {
      const ss_breakdown parts = stage_parts(job, stage, &course[stage], run->time);
      keep_tied(job, stage, stage + 1, &course[stage], &parts, tied);
      keep_longer(&last, &parts);
    }
  return last;
}

/* The same, when their waits have a formula that is exact. Returns false where they have none. A stage like the one
 * before is done earlier (paced_time). */
static bool plain_time(const ss_job *job, const ss_stage_runs *runs, tied_stages *tied, ss_breakdown *last)
{
  ss_course *course = ss_scratch_take(job->scratch, (size_t)runs->count * sizeof *course);
  if (!ss_plain_pipeline_courses(job, runs, course)) return false;
  for (int64_t i = 0; i < runs->count; ++i) {
    const ss_stage_run *run = &runs->run[i];
    if (run->like_before) continue;
    const ss_breakdown parts = stage_parts(job, run->first, &course[i], run->time);
    keep_tied(job, run->first, run->end, &course[i], &parts, tied);
    keep_longer(last, &parts);
  }
  return true;
}

/* Stages wait for one another in ways that have no formula: where something is moved in each pass, where passes run in
 * pairs, where the host launches kernels, where the schedule says so, where chunks differ by more than the ends of the
 * model, where they take turns of another length, and where chunks send their messages beside compute. */
static bool has_no_formula(const ss_job *job)
{
  if (job->shape.pairs || job->host.active) return true;
  if (job->stages == 1) return false;
  const bool regroups = ss_shape_group(&job->shape) != job->stages;
  const bool sends_beside = job->overlaps_messages && job->chunks > 1;
  return ss_job_moves_each_pass(job) || job->shape.schedule->walks || job->uneven || regroups || sends_beside;
}

/* All stages go at the pace of one in the published model, which is that formula, and where there is one stage, which
 * waits for none. */
static bool is_paced(const ss_job *job)
{
  const bool formula = job->stages == 1 || ss_cost_traits_of(job->options.cost).as_published;
  return formula && !has_no_formula(job);
}

/* The slowest replica computes longer by as much. */
static ss_breakdown with_waits(ss_breakdown parts, double waits_s)
{
  if (waits_s <= 0.0) return parts;
  parts.other_s += waits_s;
  parts.iteration_s = ss_breakdown_sum(&parts);
  return parts;
}

/* The parts of the stage that is done last, before stages that share a table meet. */
static ss_breakdown last_time(const ss_job *job, tied_stages *tied)
{
  const bool paced = is_paced(job);
  bool plain = !paced && ss_plain_pipeline_is(job);
  ss_breakdown last = {0};
  ss_stage_runs runs = ss_stage_runs_list(job, false, plain);
  if (plain && !plain_time(job, &runs, tied, &last)) {
    plain = false;
    ss_stage_runs_free(job, &runs);
    runs = ss_stage_runs_list(job, false, false);
  }
  if (!plain) last = paced ? paced_time(job, &runs, tied) : walked_time(job, &runs, tied);
  ss_stage_runs_free(job, &runs);
  return last;
}

ss_breakdown ss_estimate_time(const ss_job *job)
{
  tied_stages tied = {.lag_s = {0.0}};
  ss_breakdown last = last_time(job, &tied);
  if (job->tied_bytes > 0.0) tie_stages(job, &tied);
  for (int64_t i = 0; i < job->tables.count && job->tied_bytes > 0.0; ++i) keep_longer(&last, &tied.parts[i]);
  return with_waits(last, ss_document_waits_s(job));
}

/* What rounding may make of a bound. */
#define LESS (1.0 - 1e-9)

static double busiest_s(const ss_job *job, const ss_stage_runs *runs)
{
  double busiest_s = 0.0;
  for (int64_t i = 0; i < runs->times; ++i) busiest_s = ss_max(busiest_s, runs->time[i].alone_s);
  return (double)job->micro_batches * busiest_s;
}

double ss_estimate_least_s(const ss_job *job, bool anywhere)
{
  anywhere = anywhere || job->shape.pairs; /* collectives may be hidden */
  const bool paced = is_paced(job) && !ss_job_moves_each_pass(job), plain = !paced && ss_plain_pipeline_is(job);
  ss_stage_runs runs = ss_stage_runs_list(job, anywhere, plain);
  double least_s = paced || plain ? busiest_s(job, &runs) : ss_least_time_s(job, &runs, anywhere);
  if (plain) least_s = ss_max(least_s, ss_plain_pipeline_least_s(job, &runs));
  /* With less to do it is done no later, but where messages run beside compute, as these fill waits. */
  if (paced && (!anywhere || !job->overlaps_messages)) {
    const pace p = pace_of(job, &runs);
    least_s = ss_max(least_s, (double)job->micro_batches * p.turn_s + p.fill_s);
  }
  ss_stage_runs_free(job, &runs);
  return LESS * least_s;
}
