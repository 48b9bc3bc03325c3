/* A search on every number of GPUs that the options name, with its replays. */
#ifndef STEPSIM_SIM_SESSION_SEARCH_ALL_H
#define STEPSIM_SIM_SESSION_SEARCH_ALL_H

#include "model/search/search.h"
#include "sim/options/options.h"
#include "sim/report/report.h"
#include "sim/session/result_cache.h"
#include "sim/session/session.h"

typedef struct ss_search_all {
  ss_search search[SS_MAX_SIZES];     /* [count] */
  ss_findings findings[SS_MAX_SIZES]; /* [count] */
  int64_t count;                      /* numbers of GPUs */
  bool any_fits;                      /* something was found on one of them */
} ss_search_all;

/* Checks a session that has begun, and what a search needs of it; reads the files that the workload names.
 * SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_search_all_prepare(ss_session *session, const ss_options *options, ss_error *error);

/* Searches, as ss_search_size and ss_search_replay do. Release in any case; it must stay where it is. */
ss_status ss_search_all_run(ss_search_all *all, ss_result_cache *cache, const ss_session *session,
                            const ss_options *options, ss_error *error);
void ss_search_all_free(ss_search_all *all);

/* The workload with a strategy that was found. */
ss_workload ss_search_all_workload(const ss_session *session, const ss_strategy *strategy);

/* What is said of it, in lines of any length. All is borrowed. */
ss_search_report ss_search_all_report(const ss_search_all *all, const ss_session *session, const ss_options *options);

#endif
