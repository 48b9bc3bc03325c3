#include "sim/cli/measured/calibration_files.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/measured/calibration_rows.h"
#include "sim/import/import.h"
#include "sim/io/io.h"

/* Measurements as others write them down. All are predicted on the platform that is calibrated. */
static ss_status read_measured(ss_calibration_inputs *inputs, const char *path, ss_error *error)
{
  ss_measured *measured = &inputs->measured;
  const int64_t first = measured->points;
  ss_status status = ss_measured_load(path, measured, error);
  if (status == SS_OK && !ss_calibration_grow(inputs))
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
  for (int64_t i = first; status == SS_OK && i < measured->points; ++i) {
    inputs->weight[i] = 1.0;
    (void)snprintf(measured->point[i].platform, SS_PATH_SIZE, "%s", inputs->platform);
  }
  return status;
}

static bool is_measured(const char *text)
{
  return strncmp(text, "<?xml", 5) == 0 || strstr(text, "<measured") != NULL;
}

ss_status ss_calibration_read(ss_calibration_inputs *inputs, const char *path, ss_error *error)
{
  ss_source source;
  ss_status status = ss_source_read(path, &source, error);
  if (status == SS_OK && is_measured(source.text))
    status = read_measured(inputs, path, error);
  else if (status == SS_OK && ss_nccl_log_is(source.text))
    status = ss_calibration_read_nccl(inputs, &source, error);
  else if (status == SS_OK && ss_step_log_is(source.text))
    status = ss_calibration_read_log(inputs, &source, error);
  else if (status == SS_OK && ss_step_table_is(source.text))
    status = ss_calibration_read_table(inputs, &source, error);
  else if (status == SS_OK)
    status = ss_error_set(error, SS_ERROR_INPUT, path, 0,
                          "is none of the files that tell times; allowed: output of nccl-tests, a log of Megatron-LM "
                          "or NeMo, a table whose first line names its columns, seconds among them, or measurements as "
                          "validate reads them");
  ss_source_free(&source);
  return status;
}
