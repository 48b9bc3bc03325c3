/* libFuzzer harness: any bytes as a log of nccl-tests, a log of training or a table of iterations, by the first one.
 * What is accepted has times above 0. */
#include <math.h>
#include <stdint.h>

#include "sim/import/measured/nccl_log.h"
#include "sim/import/measured/steps.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ss_status read_nccl(const ss_source *source, ss_error *error)
{
  ss_nccl_log log;
  const ss_status status = ss_nccl_log_read(source, &log, error);
  for (int64_t i = 0; status == SS_OK && i < log.runs; ++i) {
    SS_ASSERT(log.run[i].rows > 0 && log.run[i].hosts > 0 && log.run[i].ranks % log.run[i].hosts == 0);
    for (int64_t k = 0; k < log.run[i].rows; ++k) SS_ASSERT(!(log.run[i].row[k].out_s < 0.0));
  }
  ss_nccl_log_free(&log);
  return status;
}

static ss_status read_steps(const ss_source *source, bool is_log, ss_error *error)
{
  ss_timed_steps list;
  const ss_status status =
      is_log ? ss_step_log_read(source, SS_STEP_WARMUP_FIFTH, &list, error) : ss_step_table_read(source, &list, error);
  for (int64_t i = 0; status == SS_OK && i < list.count; ++i)
    SS_ASSERT(list.step[i].seconds > 0.0 && isfinite(list.step[i].seconds) && list.step[i].weight >= 0.0);
  ss_timed_steps_free(&list);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  ss_source source;
  if (size < 2) return 0;
  write_input("times", data + 1, size - 1, path);
  ss_status status = ss_source_read(path, &source, &error);
  (void)remove(path);
  if (status == SS_OK && data[0] % 3 == 0) status = read_nccl(&source, &error);
  if (status == SS_OK && data[0] % 3 != 0) status = read_steps(&source, data[0] % 3 == 1, &error);
  ss_source_free(&source);
  SS_ASSERT(status == error.code);
  return 0;
}
