#include "sim/engine/replay.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/base/random.h"
#include "sim/engine/play.h"

/* How often links that were crowded are added before all take part. */
#define ROUNDS_MOST 4

/* A timeline goes where nothing can be taken back, such as to a pipe. */
static bool writes_once(const ss_replay_options *options)
{
  bool once = false;
  for (int64_t i = 0; i < options->timeline_count; ++i) once = once || options->timelines[i].once;
  return once;
}

/* Starts again until no link is crowded that was spared. */
static void replay_on_network(const ss_job *job, const ss_replay_options *options, ss_outcome *out)
{
  ss_crowded_links crowded = {0};
  bool settled = false;
  for (int round = 0; !settled; ++round) {
    crowded.all = round == ROUNDS_MOST || writes_once(options);
    ss_play_in_child(job, options, &crowded, out);
    settled = out->status != SS_OK || out->crowded.count == crowded.count;
    if (options->verbose && !settled)
      (void)fprintf(stderr, "stepsim: %" PRId64 " links are crowded: the replay starts again with them\n",
                    out->crowded.count);
    ss_crowded_links_free(&crowded);
    crowded = out->crowded;
    out->crowded = (ss_crowded_links){0};
  }
  ss_crowded_links_free(&crowded);
}

ss_status ss_replay(const ss_job *job, const ss_replay_options *options, ss_replay_result *result, ss_error *error)
{
  const ss_what_if *what_if = &job->options.what_if;
  SS_ASSERT(options->private_links ||
            !(what_if->equal_stages || what_if->free_messages)); /* flows carry what is there */
  ss_outcome out = {.status = SS_OK};
  if (options->private_links)
    ss_play(job, options, &(ss_crowded_links){0}, &out);
  else
    replay_on_network(job, options, &out);
  *result = out.result;
  if (out.status != SS_OK && error != NULL) *error = out.error;
  return out.status;
}

uint64_t ss_replay_seed(uint64_t seed, int64_t trial)
{
  return trial == 0 ? seed : ss_random_key(seed, (uint64_t)trial);
}
