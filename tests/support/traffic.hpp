/* Flows over links of given capacities, and when each has arrived. */
#ifndef STEPSIM_TESTS_SUPPORT_TRAFFIC_HPP
#define STEPSIM_TESTS_SUPPORT_TRAFFIC_HPP

#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/engine/apart.h"
#include "sim/engine/core/options.h"
#include "sim/engine/network/ample.h"
#include "sim/engine/network/fluid.h"
#include "sim/engine/simgrid/simgrid.h"
#include "sim/process/process.h"
}

namespace stepsim
{

using Path = std::vector<ss_hop>;

/* Links of given bytes per second, and paths over them. */
class Links
{
public:
  explicit Links(const std::vector<double> &bytes_per_s)
  {
    ss_link_paths &paths = links.paths;
    paths.links = (int64_t)bytes_per_s.size();
    paths.hops.item_bytes = sizeof(ss_hop);
    paths.bytes_per_s = (double *)std::malloc(bytes_per_s.size() * sizeof(double));
    std::copy(bytes_per_s.begin(), bytes_per_s.end(), paths.bytes_per_s);
  }
  ~Links()
  {
    ss_link_paths_free(&links.paths);
  }
  Links(const Links &) = delete;
  Links &operator=(const Links &) = delete;

  int32_t path(const Path &hops)
  {
    return ss_link_paths_find(&links.paths, hops.data(), (int64_t)hops.size());
  }

  ss_machine machine = {}; /* for the texts of errors */
  ss_links links = {&machine, nullptr, {}, {}, nullptr};
};

/* A flow of some share of a collective. */
inline ss_flow flow_over(int32_t path, double share = 1)
{
  ss_flow flow = {};
  flow.path = path;
  flow.share = share;
  flow.alike = 1;
  flow.kind = -1;
  return flow;
}

/* Flows that begin together: shares of so many bytes. */
struct Sent {
  double begin_s, bytes;
  std::vector<ss_flow> flow;

  [[nodiscard]] ss_phase_flows phase() const
  {
    return {flow.data(), (int64_t)flow.size()};
  }
};

inline Sent sent_at(double begin_s, double bytes, int32_t path)
{
  return {begin_s, bytes, {flow_over(path)}};
}

/* What begins at given times, and when the last flow of each has arrived. */
struct Traffic {
  ss_networked networked;
  const std::vector<Sent> &sent;
  std::vector<ss_flow_set> set;
  std::vector<double> end_s;
  std::multimap<double, ss_flow_batch *> alarms = {};

  void arrived(const ss_flow_set *which, double now_s)
  {
    end_s[(size_t)(which - set.data())] = now_s;
  }

  void ring(const ss_flow_alarm &alarm)
  {
    if (alarm.batch != nullptr) alarms.emplace(alarm.time_s, alarm.batch);
  }

  void begin(const ss_flow_network &network, size_t index, double now_s)
  {
    const Sent &next = sent[index];
    const ss_flow_alarm alarm = network.start_together(network.self, &set[index], next.flow.data(), next.bytes, now_s);
    ring(alarm);
    for (const ss_flow &flow : next.flow)
      if (alarm.batch == nullptr) ring(network.start(network.self, &set[index], &flow, flow.share * next.bytes, now_s));
  }

  void play(const ss_flow_network &network)
  {
    double now_s = 0;
    size_t begun = 0;
    while (begun < sent.size() || !alarms.empty() || !network.is_idle(network.self)) {
      double until_s = begun < sent.size() ? sent[begun].begin_s : INFINITY;
      if (!alarms.empty()) until_s = std::fmin(until_s, alarms.begin()->first);
      now_s = network.wait(network.self, now_s, until_s);
      for (const ss_flow_set *over; (over = network.arrived(network.self)) != nullptr;) arrived(over, now_s);
      for (; !alarms.empty() && alarms.begin()->first <= now_s; alarms.erase(alarms.begin()))
        if (const ss_flow_set *over = network.end(network.self, alarms.begin()->second, now_s)) arrived(over, now_s);
      for (; begun < sent.size() && sent[begun].begin_s <= now_s; ++begun) begin(network, begun, now_s);
    }
  }
};

inline ss_status play_traffic(void *self, const ss_flow_network *network, ss_error *)
{
  ((Traffic *)self)->play(*network);
  return SS_OK;
}

inline bool run_traffic(void *self, int line)
{
  auto *traffic = (Traffic *)self;
  ss_error error = {};
  const auto *simgrid = (const ss_simgrid_methods *)ss_module_load("simgrid", &error);
  return simgrid != nullptr && simgrid->run(&traffic->networked, false, &error) == SS_OK &&
         ss_process_send(line, traffic->end_s.data(), traffic->end_s.size() * sizeof(double));
}

inline bool receive_ends(void *self, int line)
{
  auto *traffic = (Traffic *)self;
  return ss_process_receive(line, traffic->end_s.data(), traffic->end_s.size() * sizeof(double));
}

/* Links that are never short. */
inline std::unique_ptr<bool[]> ample_of(const ss_link_paths &paths)
{
  auto ample = std::make_unique<bool[]>((size_t)paths.links);
  EXPECT_EQ(ss_ample_links_find(&paths, ample.get()), SS_OK);
  return ample;
}

/* Carries it on SimGrid, which has a process to itself, or as a fluid. */
inline void carry(Traffic &traffic, ss_flow_mode flows)
{
  const ss_apart apart = {"simgrid", &traffic, run_traffic, receive_ends};
  ss_error error = {};
  EXPECT_EQ(flows == SS_FLOWS_SIMULATED ? ss_apart_run(&apart, &error) : ss_fluid_run(&traffic.networked, &error),
            SS_OK)
      << error.message;
}

/* When each has arrived; without links that are never short or with. */
inline std::vector<double> ends(const Links &links, const std::vector<Sent> &sent, ss_flow_mode flows,
                                bool without_ample = false)
{
  ss_observers observers = {};
  Traffic traffic = {{}, sent, std::vector<ss_flow_set>(sent.size()), std::vector<double>(sent.size())};
  std::vector<ss_phase_flows> phases;
  for (size_t i = 0; i < sent.size(); ++i) {
    traffic.set[i].left = (int64_t)sent[i].flow.size();
    if (sent[i].flow.size() > 1) phases.push_back(sent[i].phase());
  }
  ss_links narrowed = links.links;
  const auto ample = ample_of(links.links.paths);
  EXPECT_EQ(ss_link_paths_narrow(&links.links.paths, without_ample ? ample.get() : nullptr, &narrowed.narrow), SS_OK);
  traffic.networked = {&traffic,      play_traffic,           &narrowed, &observers,
                       phases.data(), (int64_t)phases.size(), 1e9,       1e-12};
  carry(traffic, flows);
  ss_link_paths_free(&narrowed.narrow);
  return traffic.end_s;
}

inline double between(std::mt19937 &random, double least, double most)
{
  return std::uniform_real_distribution<double>(least, most)(random);
}

inline int up_to(std::mt19937 &random, int most)
{
  return std::uniform_int_distribution<int>(1, most)(random);
}

} // namespace stepsim

#endif
