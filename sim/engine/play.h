/* A replay: put together, run to its end, and taken apart. */
#ifndef STEPSIM_SIM_ENGINE_PLAY_H
#define STEPSIM_SIM_ENGINE_PLAY_H

#include "sim/engine/core/options.h"
#include "sim/engine/headroom/presumption.h"

/* What earlier replays of the job have found out: links that are crowded, so that they take part though they are no
 * ends of paths; those that might become so, which do where flows are presumed to be alike; and flows that are not like
 * others of their kind. Zeroed: nothing. */
typedef struct ss_known {
  ss_link_set crowded, tight;
  ss_flow_marks marks;
  int64_t plainly; /* stage replicas to simulate where no link is spared; 0: not known yet */
} ss_known;

void ss_known_free(ss_known *known);

/* What came of it. */
typedef struct ss_outcome {
  ss_status status;
  ss_replay_result result;
  ss_error error;
  ss_known known;   /* what was known, and more: with that it has to start again, and has written nothing; owned */
  bool only_looked; /* would have been long, and stopped as soon as there was more to know */
  int64_t worth;    /* attempts that cost less than it may save to spare links */
} ss_outcome;

/* What a replay is for: its result; that, but where it would be long it stops as soon as it has to start again; or only
 * to find out more, so that it does not begin where it spares no link and presumes nothing. */
typedef enum ss_purpose { SS_TO_REPLAY, SS_TO_LOOK, SS_TO_REHEARSE } ss_purpose;

/* A replay of a job, put together as far as that does not hang on what is known. */
typedef struct ss_prepared ss_prepared;

/* Puts a replay together; what it is made for is borrowed. NULL, and why in the outcome: statuses are those of
 * ss_replay. Free in any case. */
ss_prepared *ss_play_prepare(const ss_job *job, const ss_replay_options *options, ss_outcome *out);
void ss_play_free(ss_prepared *prepared);

/* Runs it, once, in this process, and on a network once in the life of that; goes by what is known of links. */
void ss_play_prepared(ss_prepared *prepared, const ss_known *known, ss_purpose purpose, ss_outcome *out);

/* Behind a replay on private links: lets another job of the same workload on the same machine take the place of its
 * job, which may have been freed, and replays that as ss_play does. False where it is put together otherwise: then
 * nothing has come out, and the replay is only good for being freed. */
bool ss_play_next(ss_prepared *prepared, const ss_job *job, ss_outcome *out);

/* Puts one together and runs it. */
void ss_play(const ss_job *job, const ss_replay_options *options, const ss_known *known, ss_purpose purpose,
             ss_outcome *out);

#endif
