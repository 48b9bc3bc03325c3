/* A timeline of a folded replay shows what one of the whole shows, drawn from what stands for each rank. */
#include <cinttypes>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/random_jobs.hpp"
#include "tests/support/scratch.hpp"

extern "C" {
#include "sim/engine/trace_size.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kJobs = 10;
#else
constexpr int kJobs = 45;
#endif

/* What a replay shows, told in another process: slices and arrows by what they are, with their times; and the bytes of
 * each port, as flows count at mean rates, of more or fewer pieces. */
struct Shown {
  std::multimap<std::string, std::pair<double, double>> spans;
  std::map<std::string, double> ports;
};

/* Hears a replay, and writes what it has heard when that ends, as it may be in another process. */
class Recorder
{
public:
  explicit Recorder(std::string path) : path_(std::move(path)) {}

  ss_timeline timeline()
  {
    ss_timeline out = {};
    out.self = this;
    out.open = [](void *self, const ss_timeline_job *) { static_cast<Recorder *>(self)->forget(); };
    out.begin = [](void *self, const ss_slice *slice) { static_cast<Recorder *>(self)->begin(*slice); };
    out.end = [](void *self, int64_t rank, ss_stream stream, double time_s) {
      static_cast<Recorder *>(self)->end(rank, stream, time_s);
    };
    out.arrow = [](void *self, const ss_arrow *arrow) { static_cast<Recorder *>(self)->arrow(*arrow); };
    out.traffic = [](void *self, const ss_traffic *traffic) { static_cast<Recorder *>(self)->traffic(*traffic); };
    out.advance = [](void *, double) {};
    out.close = [](void *self, double, ss_error *) { return static_cast<Recorder *>(self)->write(); };
    return out;
  }

  Shown read() const
  {
    Shown shown;
    std::ifstream file(path_);
    std::string line, name, kind;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      double first = 0.0, second = 0.0;
      fields >> kind >> first >> second;
      std::getline(fields, name);
      if (kind == "span")
        shown.spans.insert({name, {first, second}});
      else
        shown.ports[name] = first;
    }
    return shown;
  }

private:
  std::string path_;
  std::map<std::pair<int64_t, int>, std::vector<std::pair<std::string, double>>> open_;
  std::vector<std::string> lines_;
  std::map<std::string, double> ports_;

  void forget()
  {
    open_.clear();
    lines_.clear();
    ports_.clear();
  }

  void add(const char *kind, double first, double second, const std::string &name)
  {
    char text[512];
    std::snprintf(text, sizeof text, "%s %.17g %.17g %s", kind, first, second, name.c_str());
    lines_.push_back(text);
  }

  void begin(const ss_slice &s)
  {
    char name[256];
    std::snprintf(name, sizeof name,
                  "rank %" PRId64 " %s: %s %d micro-batch %" PRId64 " chunk %" PRId64 " layer %" PRId64
                  " flop %g bytes %g %s %" PRId64,
                  s.rank, ss_stream_name(s.stream), ss_activity_name(s.activity), s.backward, s.micro_batch, s.chunk,
                  s.layer, s.flop, s.bytes, s.group != nullptr ? s.group : "", s.group_ranks);
    open_[{s.rank, s.stream}].push_back({name, s.time_s});
  }

  void end(int64_t rank, ss_stream stream, double time_s)
  {
    auto &stack = open_[{rank, stream}];
    ASSERT_FALSE(stack.empty());
    add("span", stack.back().second, time_s, stack.back().first);
    stack.pop_back();
  }

  void arrow(const ss_arrow &a)
  {
    char name[256];
    std::snprintf(name, sizeof name, "from %" PRId64 " to %" PRId64 " %d %d micro-batch %" PRId64 " chunk %" PRId64,
                  a.from_rank, a.to_rank, a.gradients, a.other_side, a.micro_batch, a.chunk);
    add("span", a.start_s, a.end_s, name);
  }

  void traffic(const ss_traffic &t)
  {
    ports_["rank " + std::to_string(t.rank) + " " + ss_port_name(t.port)] += t.bytes;
  }

  ss_status write()
  {
    std::ofstream file(path_);
    for (const auto &port : ports_) add("port", port.second, 0.0, port.first);
    for (const std::string &line : lines_) file << line << '\n';
    return file.good() ? SS_OK : SS_ERROR_OUTPUT;
  }
};

/* Every third rank, from one on. */
Shown shown_by(const Job &job, ss_fold fold, ss_flow_mode flows, int64_t first, ss_replay_result *result)
{
  Scratch scratch;
  Recorder recorder(scratch.path("heard"));
  ss_timeline timeline = recorder.timeline();
  timeline.ranks = {1, {{first, SS_SELECTION_END, 3}}};
  ss_replay_options options = {};
  options.fold = fold;
  options.flows = flows;
  options.timelines = &timeline;
  options.timeline_count = 1;
  *result = job.replay(options);
  return recorder.read();
}

/* A wait for what comes at the same time is none, or one of a rounding error. */
void forget_short(Shown *shown, double within_s)
{
  for (auto i = shown->spans.begin(); i != shown->spans.end();)
    i = i->second.second - i->second.first > within_s ? std::next(i) : shown->spans.erase(i);
}

void expect_same(Shown some, Shown all, double within_s)
{
  forget_short(&some, within_s);
  forget_short(&all, within_s);
  ASSERT_EQ(some.spans.size(), all.spans.size());
  for (auto a = some.spans.begin(), b = all.spans.begin(); a != some.spans.end(); ++a, ++b) {
    ASSERT_EQ(a->first, b->first);
    ASSERT_NEAR(a->second.first, b->second.first, within_s) << a->first;
    ASSERT_NEAR(a->second.second, b->second.second, within_s) << a->first;
  }
  ASSERT_EQ(some.ports.size(), all.ports.size());
  for (auto a = some.ports.begin(), b = all.ports.begin(); a != some.ports.end(); ++a, ++b) {
    ASSERT_EQ(a->first, b->first);
    expect_close(a->second, b->second, 1e-9);
  }
}

/* A fat tree without a way of its own for every pair, so that some links are crowded, or no topology. */
ss_machine machine_of(std::mt19937 &random, int index)
{
  PlatformSpec spec = random_platform(random);
  char text[128];
  std::snprintf(text, sizeof text, "topology=\"FAT_TREE\" topo_parameters=\"2;8,%d;1,%d;1,1\"",
                spec.gpus / spec.domain * spec.nics / 8, index % 3 == 1 ? 8 : 2);
  if (index % 3 != 0) spec.topology = text;
  return able_machine(spec);
}

} // namespace

TEST(Timelines, AreThoseOfTheWhole)
{
  std::mt19937 random(20260601 + seed);
  int folded = 0;
  for (int i = 0; i < kJobs; ++i) {
    const ss_machine machine = machine_of(random, i);
    const Job job(random_workload(random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_flow_mode flows = i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL;
    ss_replay_result some, all;
    const Shown of_some = shown_by(job, SS_FOLD_AUTO, flows, i % 3, &some);
    const Shown of_all = shown_by(job, SS_FOLD_NONE, flows, i % 3, &all);
    folded += some.simulated_stage_replicas < some.stage_replicas;
    expect_same(of_some, of_all, 1e-9 * all.breakdown.iteration_s);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(folded, kJobs / 3);
}

/* The size that is announced is about what is shown. */
TEST(Timelines, AreAsLargeAsTheySay)
{
  std::mt19937 random(7 + seed);
  for (int i = 0; i < kJobs / 5; ++i) {
    const ss_machine machine = machine_of(random, i);
    const Job job(random_workload(random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_selection ranks = {1, {{0, SS_SELECTION_END, 3}}}, micro_batches = {};
    ss_trace_size size;
    ss_replay_result result;
    ASSERT_EQ(ss_trace_size_of(job.get(), &ranks, &micro_batches, &size), SS_OK);
    const auto shown = static_cast<double>(shown_by(job, SS_FOLD_AUTO, SS_FLOWS_SHARED, 0, &result).spans.size());
    EXPECT_GT(size.slices, shown / 2.0);
    EXPECT_LT(size.slices, shown * 1.5 + 50);
  }
}
