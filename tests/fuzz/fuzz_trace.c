/* libFuzzer harness: any bytes as a trace. What begins as JSON, as SQLite or as a message of Protocol Buffers goes to
 * the reader of that: start it with a seed of each. Parts of an iteration add up to it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/error.h"
#include "sim/traces/traces.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ss_profile *profile)
{
  double sum_s = profile->idle_s;
  for (int kind = 0; kind < SS_CLASS_COUNT; ++kind) sum_s += profile->of[kind].alone_s;
  SS_ASSERT(profile->iteration_s >= 0.0);
  SS_ASSERT(fabs(sum_s - profile->iteration_s) <= 1e-6 * profile->iteration_s + 1e-9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static ss_rules rules = {.count = 4,
                           .rule = {{SS_RULE_KERNEL, SS_CLASS_COLLECTIVE, "nccl"},
                                    {SS_RULE_KERNEL, SS_CLASS_OPTIMIZER, "adam"},
                                    {SS_RULE_STEP, SS_CLASS_COUNT, "Step#"},
                                    {SS_RULE_LAYER, SS_CLASS_COUNT, "layer"}}};
  static ss_measurement measurement;
  const ss_measurement_request request = {.rules = &rules, .step = -1, .device = -1};
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  write_input("trace", data, size, path);
  const ss_status status = ss_trace_measure(path, &request, &measurement, &error);
  (void)remove(path);
  SS_ASSERT(status == error.code);
  if (status == SS_OK) check(&measurement.profile);
  return 0;
}
