#include "sim/cli/shared/drawings.h"

#include <string.h>

#include "sim/figure/page.h"
#include "sim/figure/plot.h"

bool ss_drawings_wanted(const ss_output_options *options)
{
  return options->report != NULL || options->plot.path != NULL;
}

ss_status ss_drawings_check(const ss_output_options *options, const ss_subject *subject, ss_error *error)
{
  const char *report = options->report, *dot = report != NULL ? strrchr(report, '.') : NULL;
  if (dot != NULL && strchr(dot, '/') == NULL && strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "report \"%s\": unknown extension; allowed: .html", report);
  return options->plot.path != NULL ? ss_plot_check(&options->plot, subject, error) : SS_OK;
}

ss_status ss_drawings_write(const ss_output_options *options, const ss_subject *subject, ss_error *error)
{
  const ss_status status = options->report != NULL ? ss_page_write(options->report, subject, error) : SS_OK;
  return status == SS_OK && options->plot.path != NULL ? ss_plot_write(&options->plot, subject, error) : status;
}
