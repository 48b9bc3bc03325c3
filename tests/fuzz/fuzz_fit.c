/* libFuzzer harness: any bytes as a fit file. */
#include <stdint.h>
#include <stdio.h>

#include "model/base/error.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  ss_fit_plan plan;
  write_input("fit", data, size, path);
  const ss_status status = ss_fit_load(path, &plan, &error);
  (void)remove(path);
  SS_ASSERT(status == error.code);
  SS_ASSERT(status != SS_OK || (plan.constants > 0 && plan.measured_count > 0));
  for (int64_t i = 0; status == SS_OK && i < plan.constants; ++i)
    SS_ASSERT(plan.constant[i].from < plan.constant[i].to);
  return 0;
}
