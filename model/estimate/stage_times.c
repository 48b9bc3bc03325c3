#include "model/estimate/stage_times.h"

#include <stdlib.h>

#include "model/base/number.h"
#include "model/estimate/hops.h"
#include "model/plan/stage_hops.h"
#include "model/schedule/schedule.h"

static bool has_same_spans(const ss_job *job, int64_t stage)
{
  bool same = true;
  for (int group = 0; group < SS_DATA_GROUPS; ++group) {
    const ss_span *span = &job->data_span[group][stage - 1];
    same = same && span[0].size == span[1].size && ss_span_is_like(span[0], span[1]);
  }
  return same;
}

/* A stage is like the one before: the same blocks, whose weights are shared in groups that lie over domains alike. Most
 * are, and need not be looked at again. */
static bool is_like_before(const ss_job *job, int64_t stage)
{
  const bool alike = job->placement.even && job->placement.model_copies == 1;
  return job->repeats[stage] && (alike || has_same_spans(job, stage));
}

static ss_duration without_communication(ss_duration duration)
{
  for (int group = 0; group < SS_GROUPS; ++group) duration.comm_s[group] = 0.0;
  return duration;
}

static void add_blocks(const ss_job *job, int64_t stage, ss_block_kind kind, bool kernels, ss_stage_time *t)
{
  const double count = (double)job->counts[stage].of[kind];
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    ss_duration duration = ss_duration_scale(count, job->pass[kind][pass]);
    if (kernels) duration = without_communication(duration);
    t->passes = ss_duration_add(t->passes, duration);
    t->pass_s[pass] += ss_duration_sum(duration);
    if (!kernels) t->slowed_s += count * job->slowed_s[kind][pass];
  }
}

/* A stage without its messages. */
static ss_stage_time work_of(const ss_job *job, int64_t stage, bool kernels)
{
  ss_stage_time t = {.slowed_s = 0.0};
  for (unsigned left = job->counts[stage].kinds; left != 0;) add_blocks(job, stage, ss_block_take(&left), kernels, &t);
  return t;
}

/* Messages of a pass in a row that take as long. */
typedef struct row {
  int64_t count, to;
  ss_cargo cargo;
} row;

/* Adds the messages of a row, which take as long either way, and what they cost kernels. */
static void add_row(const ss_job *job, int64_t stage, ss_pass pass, const row *r, const ss_stage_hops *hops,
                    ss_stage_time *t)
{
  if (r->count == 0) return;
  const ss_stage_hop *hop = ss_stage_hop_between(hops, job, r->cargo, stage, r->to);
  t->slowed_s += (double)r->count * hop->slowed_s;
  t->sends_s[pass] += (double)r->count * hop->time_s;
}

/* What the chunks of a stage send on, or back; to one that lies on the same stage it takes no time. With mean messages
 * every chunk is charged a mean hop. */
static void add_messages_of(const ss_job *job, int64_t stage, ss_pass pass, const ss_stage_hops *hops, ss_stage_time *t)
{
  row r = {.to = stage};
  for (int64_t c = 0; c < job->chunks; ++c) {
    const ss_chunk chunk = {stage, c};
    ss_chunk receiver;
    if (!ss_job_receiver(job, chunk, pass, &receiver) || hops->mean) receiver.stage = stage;
    if (receiver.stage == stage && !hops->mean) continue;
    const ss_cargo cargo = ss_job_cargo(job, chunk, pass);
    if (receiver.stage != r.to || cargo != r.cargo) {
      add_row(job, stage, pass, &r, hops, t);
      r = (row){.to = receiver.stage, .cargo = cargo};
    }
    ++r.count;
  }
  add_row(job, stage, pass, &r, hops, t);
}

/* Beside compute, a message slows the kernels of its sender down as long as it lasts. */
static void add_messages(const ss_job *job, int64_t stage, const ss_stage_hops *hops, ss_stage_time *t)
{
  for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass) {
    t->sends_s[pass] = 0.0;
    add_messages_of(job, stage, (ss_pass)pass, hops, t);
  }
}

/* A stage sends what the one before does: the first and the last send less, and of the others those in the middle of
 * their domain are alike. */
static bool has_same_messages(const ss_job *job, int64_t stage, const ss_stage_hops *hops)
{
  const ss_placement *placement = &job->placement;
  if (hops->mean) return true;
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
static void complete(const ss_job *job, ss_stage_time *t)
{
  const double forward_s = t->sends_s[SS_PASS_FORWARD], backward_s = t->sends_s[SS_PASS_BACKWARD];
  t->alone_s = ss_duration_sum(t->passes) + t->slowed_s;
  t->busy_s = t->alone_s + (job->overlaps_messages ? 0.0 : forward_s + backward_s);
  t->turn_s = ss_max(t->busy_s, ss_max(forward_s, backward_s));
  t->on_s[SS_PASS_FORWARD] = t->pass_s[SS_PASS_FORWARD] + forward_s;
  t->on_s[SS_PASS_WEIGHT] = t->pass_s[SS_PASS_WEIGHT];
  t->on_s[SS_PASS_BACKWARD] = t->alone_s + forward_s + backward_s - t->on_s[SS_PASS_FORWARD] - t->on_s[SS_PASS_WEIGHT];
  t->fill_s = ss_schedule_fill_s(&job->shape, t->on_s);
}

static int64_t run_end(const ss_job *job, int64_t first, const ss_stage_hops *hops)
{
  int64_t end = first + 1;
  while (end < job->stages && is_like_before(job, end) && has_same_messages(job, end, hops)) ++end;
  return end;
}

/* The stage time `t`, or what it is equal to of those from `alike` on, which differ in messages only. */
static const ss_stage_time *keep_time(const ss_job *job, ss_stage_runs *runs, const ss_stage_time *alike,
                                      const ss_stage_time *t)
{
  ss_stage_time *end = &runs->time[runs->times];
  for (; alike < end; ++alike)
    if (alike->sends_s[0] == t->sends_s[0] && alike->sends_s[1] == t->sends_s[1] && alike->slowed_s == t->slowed_s)
      return alike;
  *end = *t;
  complete(job, end);
  ++runs->times;
  return end;
}

ss_stage_runs ss_stage_runs_list(const ss_job *job, bool kernels)
{
  const size_t stages = (size_t)job->stages;
  ss_stage_runs runs = {.run = malloc(stages * (sizeof *runs.run + sizeof *runs.time))};
  SS_ASSERT(runs.run != NULL);
  runs.time = (ss_stage_time *)(runs.run + stages);
  const ss_stage_hops hops = ss_stage_hops_of(job);
  const ss_stage_time *alike = runs.time;
  ss_stage_time work = {.slowed_s = 0.0};
  for (int64_t first = 0; first < job->stages; first = runs.run[runs.count++].end) {
    const bool like_before = is_like_before(job, first);
    if (!like_before) {
      work = work_of(job, first, kernels);
      alike = &runs.time[runs.times];
    }
    const double slowed_s = work.slowed_s;
    if (!kernels) add_messages(job, first, &hops, &work);
    runs.run[runs.count] =
        (ss_stage_run){first, run_end(job, first, &hops), like_before, keep_time(job, &runs, alike, &work)};
    work.slowed_s = slowed_s;
  }
  return runs;
}

void ss_stage_runs_free(ss_stage_runs *runs)
{
  free(runs->run);
  *runs = (ss_stage_runs){.count = 0};
}
