#include "sim/session/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* From when on the time of the rest is told, and up to when in which unit. */
#define LEAST_S      1.0
#define MOST_SECONDS 100.0
#define MOST_MINUTES 100.0

/* When the work began: what is called with its share has no context, and a process shows one work at a time. 0: it has
 * not. */
static double began_s;

static double now_s(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ss_progress_text(double share, double elapsed_s, char text[SS_PROGRESS_SIZE])
{
  if (elapsed_s < LEAST_S || share <= 0.0) {
    (void)snprintf(text, SS_PROGRESS_SIZE, "%3.0f %%", 100.0 * share);
    return;
  }
  const double left_s = elapsed_s * (1.0 - share) / share;
  const char *unit = left_s < MOST_SECONDS ? "s" : left_s < 60.0 * MOST_MINUTES ? "min" : "h";
  const double seconds = left_s < MOST_SECONDS ? 1.0 : left_s < 60.0 * MOST_MINUTES ? 60.0 : 3600.0;
  (void)snprintf(text, SS_PROGRESS_SIZE, "%3.0f %%, %.2g %% a second, %.0f %s left", 100.0 * share,
                 100.0 * share / elapsed_s, left_s / seconds, unit);
}

static void show(double share)
{
  char text[SS_PROGRESS_SIZE];
  ss_progress_text(share, now_s() - began_s, text);
  (void)fprintf(stderr, "\rstepsim: %s\033[K", text);
}

ss_progress ss_progress_of(const ss_common_options *options)
{
  if (options->quiet || !isatty(STDERR_FILENO)) return NULL;
  if (began_s == 0.0) began_s = now_s();
  return show;
}

void ss_progress_clear(const ss_common_options *options)
{
  if (ss_progress_of(options) == NULL) return;
  (void)fprintf(stderr, "\r\033[K");
  began_s = 0.0;
}
