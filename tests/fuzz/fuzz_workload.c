/* libFuzzer harness: any bytes as a workload file, and as an override. Whatever is accepted must also survive the
 * check. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"
#include "model/input/workload.h"
#include "model/plan/check/workload_check.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(ss_workload *workload)
{
  ss_error error;
  ss_workload_derive(workload);
  if (ss_workload_check(workload, &error) != SS_OK) return;
  SS_ASSERT(ss_workload_gpus(workload) > 0);
  SS_ASSERT(ss_workload_micro_batches(workload) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  ss_workload workload;
  write_input("workload", data, size, path);
  const ss_status status = ss_workload_load(path, &workload, &error);
  (void)remove(path);
  SS_ASSERT(status == error.code);
  if (status == SS_OK) check(&workload);

  char *text = malloc(size + 1);
  SS_ASSERT(text != NULL);
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  ss_workload_init(&workload);
  if (ss_override(text, &workload, NULL, &error) == SS_OK) check(&workload);
  free(text);
  return 0;
}
