#include "sim/cli/progress.h"

#include <stdio.h>
#include <unistd.h>

static void show(double share)
{
  (void)fprintf(stderr, "\rstepsim: %3.0f %%", 100.0 * share);
}

ss_progress ss_progress_of(const ss_common_options *options)
{
  return !options->quiet && isatty(STDERR_FILENO) ? show : NULL;
}

void ss_progress_clear(const ss_common_options *options)
{
  if (ss_progress_of(options) != NULL) (void)fprintf(stderr, "\r\033[K");
}
