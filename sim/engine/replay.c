#include "sim/engine/replay.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/base/random.h"
#include "sim/engine/play.h"

/* How often links that were crowded are added before all take part; and how often in all where flows have got marks,
 * too: an attempt with these takes less than a whole replay. */
#define ROUNDS_MOST            4
#define ROUNDS_WITH_MARKS_MOST 12

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
  return after->crowded.count > before->crowded.count || after->marks.given > before->marks.given;
}

/* Replays with what is known, to which comes what it finds out. Whether that was nothing, or the replay has failed. */
static bool attempt(const ss_job *job, const ss_replay_options *options, ss_known *known, ss_outcome *out)
{
  ss_play_in_child(job, options, known, out);
  const bool settled = out->status != SS_OK || !has_learnt(known, &out->known);
  if (options->verbose && !settled)
    (void)fprintf(stderr,
                  "stepsim: %" PRId64 " links are crowded, %" PRId64
                  " flows are told apart: the replay starts again with them\n",
                  out->known.crowded.count, out->known.marks.count);
  ss_known_free(known);
  *known = out->known;
  out->known = (ss_known){0};
  return settled;
}

static int rounds_most(const ss_known *known)
{
  return known->marks.count > 0 ? ROUNDS_WITH_MARKS_MOST : ROUNDS_MOST;
}

/* Micro-batches of a rehearsal: so few that it is short beside the replay, and so many that every stage has had as many
 * in flight as ever, and that many again. 0: there is none. */
static int64_t rehearsed_batches(const ss_job *job)
{
  ss_pipeline_shape shape = job->shape;
  shape.micro_batches = 2 * shape.stages;
  while (shape.micro_batches <= job->micro_batches / 2 && !shape.schedule->takes(&shape)) ++shape.micro_batches;
  return shape.micro_batches <= job->micro_batches / 2 ? shape.micro_batches : 0;
}

/* Most of what a replay has to know shows in an iteration of fewer micro-batches, too: what is crowded, and which flows
 * differ. Whatever that finds, the replay is exact. False when it has failed. */
static bool rehearse(const ss_job *job, const ss_replay_options *options, ss_known *known, ss_outcome *out)
{
  ss_job shorter = *job; /* borrows everything, and is not freed */
  shorter.shape.micro_batches = shorter.micro_batches = rehearsed_batches(job);
  shorter.copy_batches = ss_shape_copy_batches(&shorter.shape);
  const ss_replay_options unseen = {.flows = options->flows,
                                    .fold = options->fold,
                                    .co_scheduled = options->co_scheduled,
                                    .seed = options->seed,
                                    .budget = options->budget,
                                    .verbose = options->verbose};
  known->may_look = false;
  bool settled = false;
  for (int round = 0; !settled && round < rounds_most(known); ++round) settled = attempt(&shorter, &unseen, known, out);
  return out->status == SS_OK;
}

/* Starts again until no link is crowded that was spared, and all flows are alike that were presumed to be. A long
 * replay is rehearsed as soon as that is not so. */
static void replay_on_network(const ss_job *job, const ss_replay_options *options, ss_outcome *out)
{
  const bool once = writes_once(options);
  ss_known known = {.may_look = !once && options->fold == SS_FOLD_AUTO && rehearsed_batches(job) > 0};
  bool settled = false;
  for (int round = 0; !settled; ++round) {
    known.crowded.all = known.marks.all = round >= rounds_most(&known) || once;
    settled = attempt(job, options, &known, out);
    if (!settled && known.only_looked) settled = !rehearse(job, options, &known, out);
  }
  ss_known_free(&known);
}

ss_status ss_replay(const ss_job *job, const ss_replay_options *options, ss_replay_result *result, ss_error *error)
{
  const ss_what_if *what_if = &job->options.what_if;
  SS_ASSERT(options->private_links ||
            !(what_if->equal_stages || what_if->free_messages)); /* flows carry what is there */
  ss_outcome out = {.status = SS_OK};
  if (options->private_links)
    ss_play(job, options, &(ss_known){0}, &out);
  else
    replay_on_network(job, options, &out);
  ss_known_free(&out.known);
  *result = out.result;
  if (out.status != SS_OK && error != NULL) *error = out.error;
  return out.status;
}

uint64_t ss_replay_seed(uint64_t seed, int64_t trial)
{
  return trial == 0 ? seed : ss_random_key(seed, (uint64_t)trial);
}
