/* Residuals of measured iterations: the table that the program is built with, and what intervals from it cover. */
#include <inttypes.h>

#include "model/measured/confidence.h"
#include "sim/report/output.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

static const char head[] =
    "/* How much longer than replayed measured iterations took (model/measured/residuals.h): `stepsim validate "
    "--residuals\n"
    " * model/measured/residuals.def` writes this file, and `stepsim validate --check` compares it.\n"
    " *\n"
    " * SS_RESIDUALS(publisher, GPU, bits of operands, family, framework, scale, launcher, length, rows, residuals in "
    "1/1000 "
    "of "
    "the\n"
    " *              natural logarithm: all of them, or as many evenly spread quantiles as SS_RESIDUALS_KEPT) */\n"
    "/* clang-format off */\n";

ss_status ss_report_residuals(const char *path, const ss_residuals *list, int64_t count, ss_error *error)
{
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  ss_output_print(&output, "%s", head);
  for (int64_t i = 0; i < count; ++i) {
    const ss_likeness *l = &list[i].likeness;
    ss_output_print(&output, "SS_RESIDUALS(\"%s\", \"%s\", %d, %s, %s, %s, %s, %s, %" PRId64, list[i].publisher, l->gpu,
                    l->bits, ss_family_id(l->family), ss_framework_id(l->framework), ss_scale_id(l->scale),
                    ss_launcher_id(l->launcher), ss_length_id(l->length), list[i].rows);
    for (int j = 0; j < list[i].kept; ++j) ss_output_print(&output, ", %d", list[i].permille[j]);
    ss_output_print(&output, ")\n");
  }
  ss_output_print(&output, "\n#undef SS_RESIDUALS\n");
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}

static void print_row(FILE *stream, const char *name, const ss_coverage *named, const ss_coverage *unnamed)
{
  (void)fprintf(stream, "  %-*s%6" PRId64, SS_PUBLISHER_SIZE, name, named->rows);
  ss_table_print_size(stream, named->share);
  (void)fprintf(stream, "%10.2f", named->width);
  ss_table_print_size(stream, unnamed->share);
  (void)fprintf(stream, "%10.2f\n", unnamed->width);
}

static void add(ss_coverage *all, const ss_coverage *part)
{
  const double rows = (double)(all->rows + part->rows);
  all->share += (part->share - all->share) * (double)part->rows / rows;
  all->width += (part->width - all->width) * (double)part->rows / rows;
  all->rows += part->rows;
}

void ss_report_coverage_text(FILE *stream)
{
  ss_coverage coverage[2][SS_PUBLISHERS_MAX], all[2] = {{.rows = 0}, {.rows = 0}};
  int64_t rows;
  const ss_residuals *known = ss_residuals_known(&rows);
  const int64_t count = ss_interval_coverage(known, rows, true, coverage[0]);
  (void)ss_interval_coverage(known, rows, false, coverage[1]);
  (void)fprintf(
      stream,
      "Measured iterations inside of the %.0f %% interval that all other publishers' rows give, and the mean ratio "
      "of its ends\n  %-*s%6s%20s%20s\n",
      100.0 * SS_INTERVAL_SHARE, SS_PUBLISHER_SIZE, "", "rows", "software is named", "is not named");
  for (int64_t i = 0; i < count; ++i) {
    print_row(stream, coverage[0][i].publisher, &coverage[0][i], &coverage[1][i]);
    add(&all[0], &coverage[0][i]);
    add(&all[1], &coverage[1][i]);
  }
  print_row(stream, "all", &all[0], &all[1]);
}
