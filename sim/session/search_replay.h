/* The replays of the best strategies of a search: enough to know which is the best by replay. */
#ifndef STEPSIM_SIM_SESSION_SEARCH_REPLAY_H
#define STEPSIM_SIM_SESSION_SEARCH_REPLAY_H

#include "model/search/search.h"
#include "sim/options/options.h"
#include "sim/report/report.h"
#include "sim/session/result_cache.h"
#include "sim/session/session.h"

/* A search on one number of GPUs whose best are replayed. */
typedef struct ss_contest {
  ss_result_cache *cache;
  const ss_session *session;
  const ss_options *options;
  ss_search *search;
  int64_t replayed; /* the first of its list */
} ss_contest;

/* Replays the K best of the search, as --replay says, then K more as long as some that have not been replayed are
 * faster by the closed form than the best replay, up to ss_search_replays. Orders those by their replay - not a front -
 * and cuts the list to what is shown. Without --replay that is all. Errors of replays and of the cache. */
ss_status ss_search_replay(ss_contest *contest, ss_findings *findings, ss_error *error);

#endif
