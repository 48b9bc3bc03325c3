#include "model/estimate/stage_times.h"

#include <string.h>

#include "model/base/number.h"
#include "model/estimate/hops.h"
#include "model/plan/groups.h"
#include "model/plan/stage_hops.h"
#include "model/schedule/schedule.h"

/* Adds so many blocks, and their seconds as ss_duration_sum has them; most groups of a block do not communicate. */
static double add_pass(const ss_duration *one, double count, bool kernels, ss_duration *sum)
{
  const double compute_s = count * one->compute_s, memory_s = count * one->memory_s, launch_s = count * one->launch_s;
  double sum_s = compute_s + memory_s + launch_s;
  sum->compute_s += compute_s;
  sum->memory_s += memory_s;
  sum->launch_s += launch_s;
  for (int group = 0; group < SS_GROUPS && !kernels; ++group) {
    if (one->comm_s[group] == 0.0) continue;
    const double comm_s = count * one->comm_s[group];
    sum->comm_s[group] += comm_s;
    sum_s += comm_s;
  }
  return sum_s;
}

static void add_blocks(const ss_job *job, int64_t stage, ss_block_kind kind, bool kernels, ss_stage_work *work)
{
  const double count = (double)job->counts[stage].of[kind];
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    work->pass_s[pass] += add_pass(&job->pass[kind][pass], count, kernels, &work->passes);
    if (kernels) continue;
    work->slowed_s += count * job->slowed_s[kind][pass];
    if (pass == SS_PASS_FORWARD) work->slowed_forward_s += count * job->slowed_s[kind][pass];
  }
}

/* Works out a stage without its messages. */
static const ss_stage_work *find_work(const ss_job *job, int64_t stage, bool kernels)
{
  ss_stage_work *work = ss_scratch_take(job->scratch, sizeof *work);
  *work = (ss_stage_work){.slowed_s = 0.0};
  for (ss_block_set left = job->counts[stage].kinds; left != 0;)
    add_blocks(job, stage, ss_block_take(&left), kernels, work);
  work->passes_s = ss_duration_sum(work->passes);
  return work;
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
  t->shared_s += (double)r->count * hop->shared_s;
  t->sends_s[pass] += (double)r->count * hop->time_s;
  if (pass == SS_PASS_BACKWARD) t->back_nic_s += (double)r->count * hop->nic_s;
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
  for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass)
    add_messages_of(job, stage, (ss_pass)pass, hops, t);
}

/* Whether the messages of a stage to the one before it, and to the one behind it, cross domains. The first and the last
 * stage send less: they are of no reach. */
typedef enum reach { REACHES_NONE, REACHES_BEHIND, REACHES_BEFORE, REACHES_BOTH, REACHES } reach;

/* Works out what follows from the times of a stage. Messages beside compute limit the pace only where those of one
 * direction take longer than the stage. */
static void complete(const ss_job *job, ss_stage_time *t)
{
  const double forward_s = t->sends_s[SS_PASS_FORWARD], backward_s = t->sends_s[SS_PASS_BACKWARD];
  t->alone_s = t->work->passes_s + t->slowed_s + t->shared_s;
  t->busy_s = t->alone_s + (job->overlaps_messages ? 0.0 : forward_s + backward_s);
  t->turn_s = ss_max(t->busy_s, ss_max(forward_s, backward_s));
  t->beside_s = ss_max(t->alone_s + (forward_s + backward_s) - t->turn_s, 0.0) / (double)job->chunks;
  t->on_s[SS_PASS_FORWARD] = t->work->pass_s[SS_PASS_FORWARD] + t->work->slowed_forward_s + forward_s;
  t->on_s[SS_PASS_BACKWARD] = t->alone_s + forward_s + backward_s - t->on_s[SS_PASS_FORWARD];
  t->fill_s = ss_schedule_fill_s(&job->shape, t->on_s);
  t->lead_s = t->on_s[SS_PASS_FORWARD] / (double)job->chunks;
  t->drain_s = ss_max(t->fill_s - t->lead_s, 0.0);
}

/* On the way through the stages: what is known of those with the blocks of the last one. */
typedef struct lister {
  const ss_job *job;
  bool kernels, folds;
  bool alike;          /* groups of all stages lie over domains alike */
  bool has_cargoes;    /* what stages of a reach send may differ */
  int64_t stretch_end; /* of the stages like the last one */
  ss_stage_hops hops;
  int64_t domain_last;                 /* last stage of the domain at hand, where stages fill domains evenly */
  bool crosses;                        /* messages from the last stage to the one behind it */
  reach next;                          /* of the stage behind the last one */
  const ss_stage_work *work;           /* without messages */
  const ss_stage_time *known[REACHES]; /* with those of a reach; NULL: not worked out yet */
} lister;

/* Behind the stages like the one before each: with the same blocks, whose weights are shared in groups that lie over
 * domains alike. Most are, and need not be looked at again. */
static int64_t end_of_stretch(const lister *l, int64_t first)
{
  const ss_job *job = l->job;
  int64_t end = first + 1;
  if (l->alike) {
    const bool *other = memchr(&job->repeats[end], 0, (size_t)(job->stages - end));
    return other != NULL ? other - job->repeats : job->stages;
  }
  while (end < job->stages && ss_groups_repeat(job, end)) ++end;
  return end;
}

/* Whether messages from a stage to the one behind it cross domains. Stages come in turn, so that nothing is divided. */
static bool crosses_behind(lister *l, int64_t stage)
{
  const ss_placement *placement = &l->job->placement;
  if (!placement->even) return ss_placement_crosses(placement, stage, stage + 1);
  if (stage < l->domain_last) return false;
  l->domain_last += placement->inside.pp;
  return true;
}

/* The reach of the next stage. Stages with the same blocks and of the same reach send what takes as long; with mean
 * messages, or none, all do. */
static reach next_reach(lister *l, int64_t stage)
{
  if (l->kernels || l->hops.mean) return REACHES_NONE;
  const bool last = stage == l->job->stages - 1, before = l->crosses;
  const bool behind = l->crosses = !last && crosses_behind(l, stage);
  if (stage == 0 || last) return REACHES;
  if (before) return behind ? REACHES_BOTH : REACHES_BEFORE;
  return behind ? REACHES_BEHIND : REACHES_NONE;
}

/* The time of a stage; those of a reach may carry something else each, if there is something else. */
static const ss_stage_time *time_of(lister *l, ss_stage_runs *runs, int64_t stage, reach of)
{
  const bool keeps = of < REACHES && !l->has_cargoes;
  if (keeps && l->known[of] != NULL) return l->known[of];
  ss_stage_time *t = &runs->time[runs->times++];
  *t = (ss_stage_time){.work = l->work, .slowed_s = l->work->slowed_s};
  if (!l->kernels) add_messages(l->job, stage, &l->hops, t);
  complete(l->job, t);
  if (keeps) l->known[of] = t;
  return t;
}

/* Behind a stage of some reach, up to where stages are sure to be of the same one: to the last of its domain, or where
 * each is a domain of its own, to the last of all. */
static int64_t end_of_reach(const lister *l, reach of)
{
  const ss_placement *placement = &l->job->placement;
  const int64_t last = l->job->stages - 1;
  if (l->kernels || l->hops.mean) return last + 1;
  if (!placement->even) return 0;
  if (of == REACHES_NONE) return l->domain_last < last ? l->domain_last : last;
  return of == REACHES_BOTH && placement->inside.pp == 1 ? last : 0;
}

/* Adds a run to the last stretch. */
static void append(ss_stage_runs *runs, int64_t first, int64_t end, bool like_before, const ss_stage_time *time)
{
  ss_stage_run *run = &runs->run[runs->count++];
  ss_stage_stretch *stretch = &runs->stretch[runs->stretches - 1];
  run->first = first;
  run->end = end;
  run->like_before = like_before;
  run->time = time;
  run->fills_s = (double)(end - first) * time->fill_s;
  runs->fills_s += (double)stretch->times * run->fills_s;
  stretch->fills_s += run->fills_s;
  stretch->stages += end - first;
  ++stretch->count;
}

/* Runs that are added are from now on part of a stretch of so many times: of the last one, if that has them once. */
static void begin_stretch(ss_stage_runs *runs, int64_t times)
{
  if (times == 1 && runs->stretches > 0 && runs->stretch[runs->stretches - 1].times == 1) return;
  runs->stretch[runs->stretches++] = (ss_stage_stretch){.run = &runs->run[runs->count], .times = times};
}

/* How many of the domains that start with a stage are in the next stretch: up to the one where stages begin to have
 * fewer micro-batches under way, or that one. */
static int64_t domains_to_fold(const lister *l, int64_t first, int64_t domains)
{
  const int64_t pp = l->job->placement.inside.pp, turn = l->job->stages - l->job->micro_batches;
  if (!l->folds) return 1;
  if (turn < first || turn >= first + domains * pp) return domains;
  return turn < first + pp ? 1 : (turn - first) / pp;
}

/* Adds whole domains of stages like those before, whose times are known: a stage that is reached from the domain
 * before, those in between, and one that reaches the domain behind. Returns where the next run starts. */
static int64_t add_domains(lister *l, ss_stage_runs *runs, int64_t first)
{
  const int64_t pp = l->job->placement.inside.pp, last = l->job->stages - 1;
  const int64_t end = last < l->stretch_end ? last : l->stretch_end;
  const ss_stage_time *const *known = l->known;
  if (!l->job->placement.even || l->next != REACHES_BEFORE || first >= end) return first;
  if (known[REACHES_BEFORE] == NULL || known[REACHES_BEHIND] == NULL || (pp > 2 && known[REACHES_NONE] == NULL))
    return first;
  for (int64_t times; first + pp <= end; first += times * pp, l->domain_last += times * pp) {
    times = domains_to_fold(l, first, (end - first) / pp);
    begin_stretch(runs, times);
    append(runs, first, first + 1, true, known[REACHES_BEFORE]);
    if (pp > 2) append(runs, first + 1, first + pp - 1, true, known[REACHES_NONE]);
    append(runs, first + pp - 1, first + pp, true, known[REACHES_BEHIND]);
  }
  if (first == last) l->next = REACHES;
  return first;
}

/* Adds the run that starts with a stage; returns where the next one does. */
static int64_t add_run(lister *l, ss_stage_runs *runs, int64_t first)
{
  const reach of = l->next;
  const bool like_before = first < l->stretch_end;
  const int64_t sure = end_of_reach(l, of);
  int64_t end = first;
  if (!like_before) {
    l->work = find_work(l->job, first, l->kernels);
    l->stretch_end = end_of_stretch(l, first);
    for (int i = 0; i < REACHES; ++i) l->known[i] = NULL;
  }
  const int64_t alike = sure < l->stretch_end ? sure : l->stretch_end;
  if (alike - 1 > end) end = alike - 1;
  do {
    if (++end < l->job->stages) l->next = next_reach(l, end);
  } while (end < l->stretch_end && of < REACHES && l->next == of);
  begin_stretch(runs, 1);
  append(runs, first, end, like_before, time_of(l, runs, first, of));
  return end;
}

ss_stage_runs ss_stage_runs_list(const ss_job *job, bool kernels, bool folds)
{
  const size_t stages = (size_t)job->stages;
  ss_stage_runs runs = {.before = ss_scratch_now(job->scratch)};
  runs.run = ss_scratch_take(job->scratch, stages * sizeof *runs.run);
  runs.time = ss_scratch_take(job->scratch, stages * sizeof *runs.time);
  runs.stretch = ss_scratch_take(job->scratch, stages * sizeof *runs.stretch);
  const ss_placement *placement = &job->placement;
  lister l = {.job = job,
              .kernels = kernels,
              .folds = folds,
              .alike = placement->even && placement->model_copies == 1,
              .has_cargoes = ss_job_has_cargoes(job),
              .domain_last = placement->inside.pp - 1};
  if (!kernels) l.hops = ss_stage_hops_of(job);
  l.next = next_reach(&l, 0);
  for (int64_t first = 0; first < job->stages;) first = add_run(&l, &runs, add_domains(&l, &runs, first));
  return runs;
}

void ss_stage_runs_free(const ss_job *job, ss_stage_runs *runs)
{
  if (runs->run == NULL) return;
  ss_scratch_return(job->scratch, runs->before);
  *runs = (ss_stage_runs){.count = 0};
}
