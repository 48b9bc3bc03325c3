/* A timeline that hears a replay and does nothing, to be given what a test wants to hear. */
#ifndef STEPSIM_TESTS_SUPPORT_TIMELINES_HPP
#define STEPSIM_TESTS_SUPPORT_TIMELINES_HPP

#include "tests/support/fixtures.hpp"

namespace stepsim
{

inline ss_timeline silent_timeline(void *self = nullptr)
{
  ss_timeline timeline = {};
  timeline.self = self;
  timeline.open = [](void *, const ss_timeline_job *) {};
  timeline.begin = [](void *, const ss_slice *) {};
  timeline.end = [](void *, int64_t, ss_stream, double) {};
  timeline.arrow = [](void *, const ss_arrow *) {};
  timeline.traffic = [](void *, const ss_traffic *) {};
  timeline.advance = [](void *, double) {};
  timeline.close = [](void *, double, ss_error *) { return SS_OK; };
  return timeline;
}

/* A replay without a network, in this process, that a timeline hears. */
inline ss_replay_result replay_heard(const Job &job, ss_timeline timeline)
{
  ss_replay_options options = {};
  options.private_links = true;
  options.timelines = &timeline;
  options.timeline_count = 1;
  return job.replay(options);
}

} /* namespace stepsim */

#endif
