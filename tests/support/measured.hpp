/* What is measured in traces that tests make up. */
#ifndef STEPSIM_TESTS_SUPPORT_MEASURED_HPP
#define STEPSIM_TESTS_SUPPORT_MEASURED_HPP

#include "tests/support/fixtures.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/io/io.h"
#include "sim/traces/traces.h"
}

namespace stepsim
{

inline const ss_rules *shipped_rules()
{
  static ss_rules rules = {};
  ss_error error = {};
  if (rules.count > 0) return &rules;
  EXPECT_EQ(ss_rules_load(source_path("rules/kernels.xml").c_str(), &rules, &error), SS_OK) << error.message;
  return &rules;
}

struct Measured {
  std::unique_ptr<ss_measurement> of = std::make_unique<ss_measurement>();
  std::string error; /* empty: none */
  const ss_class_time &operator[](ss_kernel_class kind) const
  {
    return of->profile.of[kind];
  }
};

inline Measured measure(const std::string &path, int64_t step = -1, int64_t device = -1)
{
  Measured measured;
  ss_measurement_request request = {};
  request.rules = shipped_rules();
  request.groups = {2, {SS_CLASS_TENSOR, SS_CLASS_DATA}, {{2, 1}, {4, 2}}};
  request.step = step;
  request.device = device;
  ss_error error = {};
  const ss_status status = ss_trace_measure(path.c_str(), &request, measured.of.get(), &error);
  char text[SS_ERROR_TEXT_SIZE];
  ss_error_text(&error, text);
  if (status != SS_OK) measured.error = text;
  EXPECT_EQ(status, error.code);
  return measured;
}

inline std::string written(const std::string &name, const std::string &text)
{
  const std::string path = common_scratch().path(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline std::string kernel(const std::string &name, double ts, double dur, const std::string &args = "", int pid = 0)
{
  char text[1024];
  std::snprintf(
      text, sizeof text,
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":%d,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
      name.c_str(), pid, ts, dur, args.c_str());
  return text;
}

inline Measured measure_events(const std::vector<std::string> &events, int64_t step = -1, int64_t device = -1)
{
  std::string text = "{\"distributedInfo\":{\"rank\":3,\"world_size\":8},\"traceEvents\":[\n";
  for (size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n" : "") + events[i];
  return measure(written("events.json", text + "\n]}\n"), step, device);
}

} // namespace stepsim

#endif
