#include "sim/report/sweep/listing.h"
#include "sim/report/sweep/values.h"

static void write_header(ss_output *output, const ss_sweep_report *report, const ss_listing *listing)
{
  ss_sweep_names_write_csv(output, report);
  ss_listing_write_csv_header(output, SS_SWEEP_CSV, listing);
  ss_output_print(output, ",refused\n");
}

static void write_point(ss_output *output, const ss_sweep_report *report, const ss_listing *listing, int64_t index)
{
  const ss_sweep_point *point = &report->sweep->point[index];
  const ss_line line = ss_sweep_line(listing, point);
  ss_sweep_values_write_csv(output, report, index);
  ss_listing_write_csv(output, SS_SWEEP_CSV, &line);
  ss_output_print(output, ",");
  if (point->refusal != NULL) ss_output_print_field(output, point->refusal);
  ss_output_print(output, "\n");
}

ss_status ss_report_sweep_csv(const char *path, const ss_sweep_report *report, ss_error *error)
{
  const ss_listing listing = ss_sweep_listing(report);
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  write_header(&output, report, &listing);
  for (int64_t i = 0; i < report->sweep->count; ++i) write_point(&output, report, &listing, i);
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}
