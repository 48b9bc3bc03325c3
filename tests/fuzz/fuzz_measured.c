/* libFuzzer harness: any bytes as a file of measurements. */
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
  ss_measured measured = {.points = 0};
  write_input("measured", data, size, path);
  const ss_status status = ss_measured_load(path, &measured, &error);
  (void)remove(path);
  SS_ASSERT(status == error.code);
  for (int64_t i = 0; status == SS_OK && i < measured.points; ++i) SS_ASSERT(measured.point[i].measured_s > 0.0);
  ss_measured_free(&measured);
  return 0;
}
