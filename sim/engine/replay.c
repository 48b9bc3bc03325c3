#include "sim/engine/replay.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/base/random.h"
#include "model/plan/job_setup.h"
#include "sim/engine/child.h"
#include "sim/engine/perturbation/perturbation.h"
#include "sim/engine/setup/fold.h"

/* How often links that were crowded are added before all take part; how often in all where flows have got marks, too:
 * an attempt with these takes less than a whole replay; and how often where flows may be taken for others: what still
 * differs then goes on from neighbour to neighbour until nearly all do. */
#define ROUNDS_MOST            4
#define ROUNDS_WITH_MARKS_MOST 12
#define ROUNDS_NEAR_MOST       8

/* A timeline goes where nothing can be taken back, such as to a pipe. */
static bool writes_once(const ss_replay_options *options)
{
  bool once = false;
  for (int64_t i = 0; i < options->timeline_count; ++i) once = once || options->timelines[i].once;
  return once;
}

/* Whether a replay has found out more than was known. */
static bool has_learnt(const ss_known *before, const ss_known *after)
{
  return after->crowded.count > before->crowded.count || ss_flow_marks_tell_more(&before->marks, &after->marks);
}

/* One attempt after the other at a replay, or at a rehearsal of it. */
typedef struct attempts {
  const ss_job *job;
  const ss_replay_options *options;
  ss_prepared *prepared; /* each attempt begins with that; NULL: with nothing; owned */
  ss_purpose purpose;    /* of the next one */
  bool only_looked;      /* the last one has */
  int64_t worth;         /* as many as that at most spare links, as far as is known */
  ss_known known;        /* owned */
  ss_outcome *out;
} attempts;

static void say_more_is_known(const attempts *a)
{
  if (!a->options->verbose) return;
  if (a->known.marks.all)
    (void)fprintf(stderr, "stepsim: what flows that were taken for others may change is too much: the replay starts "
                          "again with none\n");
  else
    (void)fprintf(stderr,
                  "stepsim: %" PRId64 " links are crowded, %" PRId64
                  " flows are told apart: the replay%s starts again with them\n",
                  a->known.crowded.count, a->known.marks.count, a->only_looked ? " is rehearsed and" : "");
}

static void replay_prepared(void *self, ss_outcome *out)
{
  const attempts *a = self;
  ss_play_prepared(a->prepared, &a->known, a->purpose, out);
}

/* Replays with what is known, to which comes what it finds out. Whether that was nothing, or the replay has failed. */
static bool attempt(attempts *a)
{
  if (a->prepared != NULL)
    ss_child_run(a->options, replay_prepared, a, a->out);
  else
    ss_play_in_child(a->job, a->options, &a->known, a->purpose, a->out);
  const bool settled = a->out->status != SS_OK || !has_learnt(&a->known, &a->out->known);
  ss_known_free(&a->known);
  a->known = a->out->known;
  a->only_looked = a->out->only_looked;
  a->out->known = (ss_known){0};
  if (!settled) say_more_is_known(a);
  return settled;
}

static int64_t rounds_most(const attempts *a)
{
  const int64_t marked = ss_fold_is_near(a->job, a->options->fold) ? ROUNDS_NEAR_MOST : ROUNDS_WITH_MARKS_MOST;
  const int64_t most = a->known.marks.count > 0 ? marked : ROUNDS_MOST;
  return a->worth < most ? a->worth : most;
}

/* Micro-batches of a rehearsal: so few that it is short beside the replay, and so many that every stage has had as many
 * in flight as ever (but with gpipe, which has all), and that many again. 0: there is none. */
static int64_t rehearsed_batches(const ss_job *job)
{
  ss_pipeline_shape shape = job->shape;
  shape.micro_batches = 2 * shape.stages;
  while (shape.micro_batches <= job->micro_batches / 2 && !shape.schedule->takes(&shape)) ++shape.micro_batches;
  return shape.micro_batches <= job->micro_batches / 2 ? shape.micro_batches : 0;
}

/* Most of what a replay has to know shows in an iteration of so many micro-batches, too: what is crowded, and which
 * flows differ. Whatever that finds, the replay is exact. False when it has failed. */
static bool rehearse(attempts *of, int64_t micro_batches)
{
  ss_job shorter = *of->job; /* borrows everything, and is not freed */
  shorter.shape.micro_batches = shorter.micro_batches = micro_batches;
  shorter.copy_batches = ss_shape_copy_batches(&shorter.shape);
  const ss_replay_options unseen = {.flows = of->options->flows,
                                    .fold = of->options->fold,
                                    .co_scheduled = of->options->co_scheduled,
                                    .seed = of->options->seed,
                                    .budget = of->options->budget,
                                    .verbose = of->options->verbose};
  attempts a = {.job = &shorter,
                .options = &unseen,
                .purpose = SS_TO_REHEARSE,
                .worth = of->worth,
                .known = of->known,
                .out = of->out};
  a.prepared = ss_play_prepare(a.job, a.options, a.out);
  bool settled = a.prepared == NULL;
  for (int round = 0; !settled && round < rounds_most(&a); ++round) settled = attempt(&a);
  ss_play_free(a.prepared);
  of->known = a.known;
  return of->out->status == SS_OK;
}

/* Starts again until no link is crowded that was spared, and all flows are alike that were presumed to be. A long
 * replay is rehearsed as soon as that is not so, and mostly only once more behind that, which is put together by
 * itself: all other attempts share what does not hang on what is known. In a process of its own, since that takes
 * memory. */
static void start_again(void *self, ss_outcome *out)
{
  attempts *a = self;
  const bool once = writes_once(a->options);
  a->out = out;
  *out = (ss_outcome){.status = SS_OK};
  if (!a->only_looked) a->prepared = ss_play_prepare(a->job, a->options, out);
  bool settled = out->status != SS_OK;
  for (int round = 1; !settled; ++round) {
    if (a->only_looked) {
      ss_play_free(a->prepared);
      a->prepared = NULL;
      a->purpose = SS_TO_REPLAY;
      if (!rehearse(a, rehearsed_batches(a->job))) break;
    }
    a->known.marks.all = a->known.marks.all || round >= rounds_most(a) || once;
    a->known.crowded.all = a->known.marks.all;
    settled = attempt(a);
    a->worth = out->worth;
  }
  ss_known_free(&a->known);
  ss_play_free(a->prepared);
}

/* The first attempt, which is mostly the last, keeps nothing for others. */
static void replay_on_network(const ss_job *job, const ss_replay_options *options, ss_outcome *out)
{
  const bool once = writes_once(options);
  const bool exact =
      (options->fold == SS_FOLD_AUTO || options->fold == SS_FOLD_EXACT) && !ss_fold_is_near(job, options->fold);
  const bool rehearses = !once && exact && rehearsed_batches(job) > 0;
  attempts a = {.job = job,
                .options = options,
                .purpose = rehearses ? SS_TO_LOOK : SS_TO_REPLAY,
                .known = {.crowded.all = once, .marks.all = once},
                .out = out};
  const bool settled = attempt(&a);
  a.worth = out->worth;
  if (!settled) ss_child_run(options, start_again, &a, out);
  ss_known_free(&a.known);
}

/* A job in an iteration that differs from others, and whose links say who shares them: itself, or the copy, which
 * borrows everything and is not freed. */
static const ss_job *job_of_iteration(const ss_job *of, uint64_t seed, ss_job *copy)
{
  const double factor = ss_perturbation_iteration_factor(of, seed);
  const bool shares = of->placement.nic_gpus > 1;
  if (factor == 1.0 && !shares) return of;
  *copy = *of;
  if (shares) ss_job_leave_nics(copy);
  if (factor != 1.0) ss_job_stretch_kernels(copy, factor);
  return copy;
}

ss_status ss_replay(const ss_job *of, const ss_replay_options *options, ss_replay_result *result, ss_error *error)
{
  const ss_what_if *what_if = &of->options.what_if;
  ss_job stretched, stretched_other;
  const ss_job *job = job_of_iteration(of, options->seed, &stretched);
  ss_replay_options with = *options;
  if (with.co_scheduled != NULL)
    with.co_scheduled = job_of_iteration(with.co_scheduled, options->seed, &stretched_other);
  SS_ASSERT(options->private_links ||
            !(what_if->equal_stages || what_if->free_messages)); /* flows carry what is there */
  ss_outcome out = {.status = SS_OK};
  if (options->private_links)
    ss_play(job, &with, &(ss_known){0}, SS_TO_REPLAY, &out);
  else
    replay_on_network(job, &with, &out);
  ss_known_free(&out.known);
  *result = out.result;
  if (out.status != SS_OK && error != NULL) *error = out.error;
  return out.status;
}

uint64_t ss_replay_seed(uint64_t seed, int64_t trial)
{
  return trial == 0 ? seed : ss_random_key(seed, (uint64_t)trial);
}
