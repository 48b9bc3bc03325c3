/* Drives a timeline: a small job, a wrapper that owns the timeline, and random replays that remember what they
 * reported. */
#ifndef STEPSIM_TESTS_SUPPORT_TIMELINE_DRIVER_HPP
#define STEPSIM_TESTS_SUPPORT_TIMELINE_DRIVER_HPP

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "model/result/timeline.h"
#include "sim/report/report.h"
}
#include "tests/support/trace_reader.hpp"

struct Job {
  std::vector<int32_t> gpu, stage;
  ss_timeline_job job{};

  /* Rank r is stage r on GPU r. */
  explicit Job(int64_t ranks, int64_t domain_size, const char *name = "tiny, on \"two\" n\303\266des # 1")
  {
    for (int32_t rank = 0; rank < ranks; rank++) {
      gpu.push_back(rank);
      stage.push_back(rank);
    }
    job.name = name;
    job.ranks = ranks;
    job.domain_size = domain_size;
    job.gpu = gpu.data();
    job.stage = stage.data();
    for (int port = 0; port < SS_PORT_COUNT; port++) job.port_bytes_per_s[port] = 1e9 * (1 + port);
  }
};

/* A timeline that is created for a path and destroyed with the test. */
struct Timeline {
  ss_timeline timeline{};
  ss_error error{};

  Timeline() = default;
  explicit Timeline(const std::string &path)
  {
    EXPECT_EQ(create(path), SS_OK) << error.message;
  }
  ~Timeline()
  {
    ss_timeline_destroy(&timeline);
  }
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;

  ss_status create(const std::string &path)
  {
    return ss_timeline_create(path.c_str(), &timeline, &error);
  }
  void open(const Job &job)
  {
    timeline.open(timeline.self, &job.job);
  }
  void advance(double time_s)
  {
    timeline.advance(timeline.self, time_s);
  }
  ss_status close(double end_s)
  {
    return timeline.close(timeline.self, end_s, &error);
  }
  void begin(int64_t rank, ss_stream stream, ss_activity activity, double time_s, int64_t micro_batch = 0,
             int64_t layer = SS_NO_INDEX, bool backward = false)
  {
    const ss_slice slice{rank,  stream, activity, backward, micro_batch, SS_NO_INDEX,
                         layer, time_s, 0.0,      0.0,      nullptr,     0};
    timeline.begin(timeline.self, &slice);
  }
  void end(int64_t rank, ss_stream stream, double time_s)
  {
    timeline.end(timeline.self, rank, stream, time_s);
  }
  void arrow(int64_t from, int64_t to, bool gradients, int64_t micro_batch, double start_s, double end_s,
             int64_t chunk = SS_NO_INDEX)
  {
    const ss_arrow arrow{from, to, gradients, false, micro_batch, chunk, start_s, end_s, 1e6};
    timeline.arrow(timeline.self, &arrow);
  }
  void traffic(int64_t rank, ss_port port, double start_s, double end_s, double bytes)
  {
    const ss_traffic traffic{rank, port, start_s, end_s, bytes};
    timeline.traffic(timeline.self, &traffic);
  }
};

struct Truth {
  trace::Trace trace; /* slices by micro_batch, which is unique here; links in order of theirs */
  std::vector<ss_traffic> traffic;
  double end_s = 0.0;
};

class RandomReplay
{
public:
  RandomReplay(unsigned seed, int64_t rank_count, int window_count)
      : random(seed), ranks(rank_count), windows(window_count)
  {
  }

  /* In each window every track reports by itself what happens in it. A message is reported when it arrives, in the
   * window after it left; the time that advances is that of the oldest message on its way. */
  Truth drive(Timeline &t)
  {
    open.resize(static_cast<size_t>(ranks * SS_STREAM_COUNT));
    for (int window = 0; window < windows; window++) {
      const double from_s = 0.1 * window, to_s = 0.1 * (window + 1);
      for (int64_t track = 0; track < ranks * SS_STREAM_COUNT; track++) drive_track(t, track, from_s, to_s);
      report_arrivals(t);
      start_messages(from_s, to_s);
      t.advance(oldest(to_s));
    }
    report_arrivals(t);
    truth.end_s = 0.1 * windows + 0.2;
    for (int64_t track = 0; track < ranks * SS_STREAM_COUNT; track++) {
      while (!open[static_cast<size_t>(track)].empty()) end(t, track, truth.end_s);
    }
    return truth;
  }

private:
  std::mt19937 random;
  int64_t ranks;
  int windows;
  Truth truth;
  std::vector<std::vector<trace::Slice>> open;
  std::vector<ss_arrow> arrows;
  std::vector<ss_traffic> flows;
  long slices = 0, messages = 0;

  double uniform(double from, double to)
  {
    return std::uniform_real_distribution<double>(from, to)(random);
  }
  int64_t below(int64_t count)
  {
    return std::uniform_int_distribution<int64_t>(0, count - 1)(random);
  }

  void end(Timeline &t, int64_t track, double time_s)
  {
    std::vector<trace::Slice> &stack = open[static_cast<size_t>(track)];
    t.end(track / SS_STREAM_COUNT, static_cast<ss_stream>(track % SS_STREAM_COUNT), time_s);
    stack.back().end_s = time_s;
    truth.trace.slices.push_back(stack.back());
    stack.pop_back();
  }

  void begin(Timeline &t, int64_t track, double time_s)
  {
    const int64_t rank = track / SS_STREAM_COUNT, layer = below(4) - 1, chunk = below(3) - 1;
    const ss_stream stream = static_cast<ss_stream>(track % SS_STREAM_COUNT);
    const ss_activity activity = static_cast<ss_activity>(below(SS_ACTIVITY_COUNT));
    const bool backward = below(2) == 1;
    std::vector<trace::Slice> &stack = open[static_cast<size_t>(track)];
    const ss_slice slice{rank, stream, activity, backward, slices, chunk, layer, time_s, 0.0, 0.0, nullptr, 0};
    t.timeline.begin(t.timeline.self, &slice);
    stack.push_back({{rank, ss_stream_name(stream)},
                     ss_activity_name(activity),
                     backward ? "backward" : "forward",
                     slices++,
                     chunk,
                     layer,
                     static_cast<long>(stack.size()),
                     time_s,
                     -1.0});
  }

  /* Beginnings and ends at random times, a quarter of them at the time of the one before. */
  void drive_track(Timeline &t, int64_t track, double from_s, double to_s)
  {
    double time_s = from_s;
    for (int64_t i = below(6); i > 0; i--) {
      if (below(4) > 0) time_s = uniform(time_s, to_s);
      const size_t depth = open[static_cast<size_t>(track)].size();
      if (depth > 0 && (depth == 4 || below(2) == 0))
        end(t, track, time_s);
      else
        begin(t, track, time_s);
    }
  }

  void start_messages(double from_s, double to_s)
  {
    for (int64_t i = below(2 * ranks); i > 0; i--) {
      const double start_s = uniform(from_s, to_s), end_s = start_s + uniform(0.0, 0.1);
      const ss_port port = static_cast<ss_port>(below(SS_PORT_COUNT));
      flows.push_back({below(ranks), port, start_s, end_s, uniform(0.0, 1e8)});
      arrows.push_back(
          {below(ranks), below(ranks), below(2) == 1, below(2) == 1, messages++, below(3) - 1, start_s, end_s, 1e6});
    }
  }

  double oldest(double time_s) const
  {
    for (const ss_arrow &arrow : arrows) time_s = std::min(time_s, arrow.start_s);
    return time_s;
  }

  void report_arrivals(Timeline &t)
  {
    for (const ss_arrow &arrow : arrows) {
      t.timeline.arrow(t.timeline.self, &arrow);
      const char *name = arrow.gradients ? "gradients" : "activations";
      truth.trace.links.push_back(
          {{arrow.from_rank, std::string("send ") + name},
           {arrow.to_rank, std::string("receive ") + name + (arrow.other_side ? " from the other side" : "")},
           name,
           arrow.micro_batch,
           arrow.chunk,
           arrow.start_s,
           arrow.end_s,
           "",
           ""});
    }
    for (const ss_traffic &flow : flows) t.timeline.traffic(t.timeline.self, &flow);
    truth.traffic.insert(truth.traffic.end(), flows.begin(), flows.end());
    arrows.clear();
    flows.clear();
  }
};

#endif
