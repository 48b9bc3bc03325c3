/* Reads a timeline back from either of its formats, Paje by way of pj_dump, and checks what must hold for any of them.
 */
#ifndef STEPSIM_TESTS_SUPPORT_TRACE_READER_HPP
#define STEPSIM_TESTS_SUPPORT_TRACE_READER_HPP

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <jansson.h>

#include "tests/support/scratch.hpp"

namespace trace
{

using Track = std::pair<long, std::string>; /* rank, name of the stream */

struct Slice {
  Track track;
  std::string name, direction;
  long micro_batch, chunk, layer, depth;
  double begin_s, end_s;
};

struct Link {
  Track from, to;
  std::string name;
  long micro_batch, chunk;
  double start_s, end_s;
  std::string inside_from, inside_to; /* the innermost slices it is drawn between; only Chrome says */
};

using Steps = std::vector<std::pair<double, double>>; /* time, percent */

struct Trace {
  std::vector<Slice> slices;
  std::vector<Link> links;
  std::map<std::pair<long, std::string>, Steps> percent; /* by rank and port */
  std::vector<std::string> gpus;                         /* names in the order of the file */
};

inline long rank_of_gpu(const std::string &name)
{
  long gpu = -1, rank = -1, stage = -1;
  EXPECT_EQ(std::sscanf(name.c_str(), "GPU %ld (rank %ld of stage %ld)", &gpu, &rank, &stage), 3) << name;
  return rank;
}

/* "send gradients rank 3" */
inline Track track_of_container(const std::string &name)
{
  const size_t at = name.rfind(" rank ");
  EXPECT_NE(at, std::string::npos) << name;
  return {std::strtol(name.c_str() + at + 6, nullptr, 10), name.substr(0, at)};
}

inline std::vector<std::string> split(const std::string &line)
{
  std::vector<std::string> fields;
  size_t from = 0;
  for (size_t comma; (comma = line.find(", ", from)) != std::string::npos; from = comma + 2) {
    fields.push_back(line.substr(from, comma - from));
  }
  fields.push_back(line.substr(from));
  return fields;
}

/* pj_dump tells some complaints on standard output and still exits 0, so every line must be a record. */
inline std::vector<std::string> pj_dump(const std::string &path, const std::string &options = "-u -l 12")
{
  const std::string out = path + ".out", err = path + ".err";
  const std::string command = "pj_dump " + options + " '" + path + "' >'" + out + "' 2>'" + err + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(err);
  EXPECT_EQ(read_file(err), "");
  std::vector<std::string> lines = read_lines(out);
  for (const std::string &line : lines) {
    const std::string kind = split(line)[0];
    EXPECT_TRUE(kind == "Container" || kind == "State" || kind == "Link" || kind == "Variable") << line;
  }
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return lines;
}

inline void add_paje_record(Trace &trace, const std::vector<std::string> &f)
{
  const size_t n = f.size();
  const auto number = [&](size_t i) { return std::strtod(f[i].c_str(), nullptr); };
  const auto index = [&](size_t i) { return std::strtol(f[i].c_str(), nullptr, 10); };
  const std::map<std::string, size_t> columns = {{"Container", 7}, {"State", 12}, {"Link", 14}, {"Variable", 7}};
  ASSERT_EQ(n, columns.at(f[0])) << "a name holds a comma";
  if (f[0] == "State") {
    trace.slices.push_back({track_of_container(f[1]), f[7], f[11], index(8), index(9), index(10),
                            static_cast<long>(number(6)), number(3), number(4)});
  } else if (f[0] == "Link") {
    trace.links.push_back({track_of_container(f[n - 7]), track_of_container(f[n - 6]), f[n - 8], index(n - 2),
                           index(n - 1), number(n - 11), number(n - 10), "", ""});
  } else if (f[0] == "Variable") {
    const std::string port = f[2].substr(0, f[2].find(" (%)"));
    trace.percent[{rank_of_gpu(f[1]), port}].push_back({number(3), number(6)});
  } else if (f[2] == "GPU") {
    trace.gpus.push_back(f[n - 1]);
  }
}

inline Trace read_paje(const std::string &path)
{
  Trace trace;
  for (const std::string &line : pj_dump(path)) add_paje_record(trace, split(line));
  return trace;
}

class ChromeReader
{
public:
  Trace trace;

  void read(const std::string &path)
  {
    json_error_t error;
    json_t *root = json_load_file(path.c_str(), JSON_REJECT_DUPLICATES, &error);
    ASSERT_NE(root, nullptr) << error.text << " at " << error.line;
    json_t *events = json_object_get(root, "traceEvents");
    EXPECT_TRUE(json_is_array(events));
    EXPECT_EQ(json_object_get(root, "displayTimeUnit"), nullptr) << "scales times in old Perfetto";
    size_t i = 0;
    json_t *event = nullptr;
    json_array_foreach(events, i, event) add(event);
    for (Link &link : trace.links) {
      link.inside_from = slice_at(link.from, link.start_s);
      link.inside_to = slice_at(link.to, link.end_s);
    }
    EXPECT_TRUE(started.empty()) << "flows that never arrive";
    json_decref(root);
  }

private:
  struct Span {
    double start_us, end_us;
    long start_ns, end_ns; /* as Perfetto counts: each of start and duration is cut */
  };

  static long whole_ns(double us)
  {
    return static_cast<long>(us * 1000.0);
  }

  std::map<long, long> ranks;                    /* by process */
  std::map<std::pair<long, long>, Track> tracks; /* by process and thread */
  std::map<Track, std::vector<Span>> open;
  std::map<long, Link> started, ended;

  static std::string text(json_t *object, const char *key)
  {
    const char *value = json_string_value(json_object_get(object, key));
    return value != nullptr ? value : "";
  }

  static long index(json_t *object, const char *key, long otherwise = -1)
  {
    json_t *value = json_object_get(object, key);
    return value != nullptr ? static_cast<long>(json_integer_value(value)) : otherwise;
  }

  void add_name(json_t *event, long process)
  {
    const std::string name = text(event, "name");
    json_t *arguments = json_object_get(event, "args");
    if (name == "process_name") {
      trace.gpus.push_back(text(arguments, "name"));
      ranks[process] = rank_of_gpu(text(arguments, "name"));
    } else if (name == "process_sort_index") {
      EXPECT_EQ(index(arguments, "sort_index"), ranks.at(process));
    } else if (name == "thread_name") {
      EXPECT_NE(index(event, "tid"), process);
      tracks[{process, index(event, "tid")}] = {ranks.at(process), text(arguments, "name")};
    }
  }

  /* Complete events in their order: each begins inside one that is still open, or behind all of them, whichever way a
   * viewer adds up; that is the depth. */
  void add_slice(json_t *event, const Track &track)
  {
    const double start_us = json_number_value(json_object_get(event, "ts"));
    const double duration_us = json_number_value(json_object_get(event, "dur"));
    const Span now = {start_us, start_us + duration_us, whole_ns(start_us), whole_ns(start_us) + whole_ns(duration_us)};
    std::vector<Span> &stack = open[track];
    EXPECT_GT(duration_us, 0.0);
    while (!stack.empty() && stack.back().end_us < now.start_us) {
      EXPECT_LE(stack.back().end_ns, now.start_ns) << "slices overlap in whole nanoseconds";
      stack.pop_back();
    }
    if (!stack.empty()) {
      EXPECT_LE(stack.back().start_us, now.start_us) << "time goes back on a track";
      EXPECT_LT(now.end_us, stack.back().end_us) << "slices overlap";
      EXPECT_LE(now.end_ns, stack.back().end_ns) << "slices overlap in whole nanoseconds";
    }
    json_t *arguments = json_object_get(event, "args");
    EXPECT_NE(text(event, "cat"), "");
    trace.slices.push_back({track, text(event, "name"), text(arguments, "direction"), index(arguments, "micro_batch"),
                            index(arguments, "chunk"), index(arguments, "layer"), static_cast<long>(stack.size()),
                            static_cast<double>(now.start_ns) / 1e9, static_cast<double>(now.end_ns + 1) / 1e9});
    stack.push_back(now);
  }

  /* The innermost slice around a point in time. */
  std::string slice_at(const Track &track, double time_s) const
  {
    std::string name;
    for (const Slice &slice : trace.slices)
      if (slice.track == track && slice.begin_s <= time_s && time_s < slice.end_s - 1e-9) name = slice.name;
    return name;
  }

  void add_flow(json_t *event, const std::string &phase, const Track &track, double time_s)
  {
    const long key = index(event, "id");
    if (phase == "s") {
      ASSERT_EQ(started.count(key) + ended.count(key), 0u) << "two flows have one key";
      json_t *arguments = json_object_get(event, "args");
      started[key] = {
          track, {}, text(event, "name"), index(arguments, "micro_batch"), index(arguments, "chunk"), time_s, -1.0,
          "",    ""};
      return;
    }
    ASSERT_EQ(started.count(key), 1u) << "an arrival without a departure";
    EXPECT_EQ(text(event, "bp"), "e");
    EXPECT_EQ(json_object_get(event, "args"), nullptr) << "catapult merges them, and warns";
    Link link = started[key];
    EXPECT_EQ(text(event, "name"), link.name);
    link.to = track;
    link.end_s = time_s;
    ended[key] = link;
    started.erase(key);
    trace.links.push_back(link);
  }

  void add(json_t *event)
  {
    const std::string phase = text(event, "ph");
    const long process = index(event, "pid");
    EXPECT_GT(process, 0);
    if (phase == "M") return add_name(event, process);
    const double time_s = json_number_value(json_object_get(event, "ts")) / 1e6;
    if (phase == "C") {
      const double percent = json_number_value(json_object_get(json_object_get(event, "args"), "percent"));
      trace.percent[{ranks.at(process), text(event, "name")}].push_back({time_s, percent});
      return;
    }
    ASSERT_EQ(tracks.count({process, index(event, "tid")}), 1u) << "a track without a name";
    const Track track = tracks[{process, index(event, "tid")}];
    if (phase == "X") return add_slice(event, track);
    ASSERT_TRUE(phase == "s" || phase == "f") << phase;
    add_flow(event, phase, track, time_s);
  }
};

inline Trace read_chrome(const std::string &path)
{
  ChromeReader reader;
  reader.read(path);
  return reader.trace;
}

inline bool ends_with(const std::string &path, const std::string &end)
{
  return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

inline bool is_chrome(const std::string &path)
{
  return ends_with(path, ".json") || ends_with(path, ".json.gz");
}

/* Any of the formats; what is compressed is unpacked by gzip. */
inline Trace read(const std::string &path)
{
  if (!ends_with(path, ".gz")) return is_chrome(path) ? read_chrome(path) : read_paje(path);
  Scratch unpacked;
  const std::string json = unpacked.path("trace.json");
  EXPECT_EQ(std::system(("gzip -dc '" + path + "' > '" + json + "'").c_str()), 0) << path;
  return read_chrome(json);
}

/* Value of a step function; 0 before its first step. Of several steps at one time the last counts. */
inline double value_at(const Steps &steps, double time_s)
{
  double value = 0.0;
  for (const auto &step : steps) {
    if (step.first <= time_s) value = step.second;
  }
  return value;
}

inline void expect_percentages_sane(const Trace &trace)
{
  for (const auto &port : trace.percent) {
    double last_s = 0.0;
    for (const auto &step : port.second) {
      EXPECT_GE(step.first, last_s);
      EXPECT_GE(step.second, 0.0);
      last_s = step.first;
    }
    EXPECT_EQ(port.second.back().second, 0.0) << port.first.second << " of rank " << port.first.first;
  }
}

} /* namespace trace */

#endif
