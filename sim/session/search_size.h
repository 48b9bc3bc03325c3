/* The search on one number of GPUs: taken from where results are kept, done here, or shared out. */
#ifndef STEPSIM_SIM_SESSION_SEARCH_SIZE_H
#define STEPSIM_SIM_SESSION_SEARCH_SIZE_H

#include "sim/options/options.h"
#include "sim/session/result_cache.h"
#include "sim/session/session.h"

/* Searches as the options say, on `gpus` GPUs; keeps what it finds. Alone on all threads of this process; else every
 * process of the job goes through slices of the space, and all of them get what the best of all are. Errors of
 * ss_search_run, ss_crew_run and the cache. Release with ss_search_free in any case. */
ss_status ss_search_size(ss_result_cache *cache, const ss_session *session, const ss_options *options, int64_t gpus,
                         ss_search *search, ss_error *error);

#endif
