#include "sim/session/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* From when on the time of the rest is told, and up to when in which unit. */
#define LEAST_S      1.0
#define MOST_SECONDS 100.0
#define MOST_MINUTES 100.0

/* Between two lines. */
#define BETWEEN_S 0.1

/* When the work began: what is called with its share has no context, and a process shows one work at a time. 0: it has
 * not. */
static double began_s;

/* When the line was last written; 0: not yet. */
static double shown_s;

static double now_s(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "30 s left", or nothing as long as that cannot be told. */
static void write_rest(double share, double elapsed_s, char rest[SS_PROGRESS_SIZE])
{
  rest[0] = '\0';
  if (elapsed_s < LEAST_S || share <= 0.0) return;
  const double left_s = elapsed_s * (1.0 - share) / share;
  const char *unit = left_s < MOST_SECONDS ? "s" : left_s < 60.0 * MOST_MINUTES ? "min" : "h";
  const double seconds = left_s < MOST_SECONDS ? 1.0 : left_s < 60.0 * MOST_MINUTES ? 60.0 : 3600.0;
  (void)snprintf(rest, SS_PROGRESS_SIZE, ", %.0f %s left", left_s / seconds, unit);
}

void ss_progress_text(double share, double elapsed_s, char text[SS_PROGRESS_SIZE])
{
  char rest[SS_PROGRESS_SIZE];
  write_rest(share, elapsed_s, rest);
  if (rest[0] == '\0')
    (void)snprintf(text, SS_PROGRESS_SIZE, "%3.0f %%", 100.0 * share);
  else
    (void)snprintf(text, SS_PROGRESS_SIZE, "%3.0f %%, %.2g %% a second%s", 100.0 * share, 100.0 * share / elapsed_s,
                   rest);
}

void ss_progress_search_text(const ss_search_progress *progress, double elapsed_s, char text[SS_PROGRESS_SIZE])
{
  char rest[SS_PROGRESS_SIZE];
  const double share = (double)progress->done / (double)progress->count;
  write_rest(share, elapsed_s, rest);
  (void)snprintf(text, SS_PROGRESS_SIZE, "%3.0f %% of %" PRId64 " sizes, %" PRId64 " candidates%s", 100.0 * share,
                 progress->count, progress->candidates, rest);
}

/* Whether it is time for another line, which then begins. */
static bool begins_line(void)
{
  const double now = now_s();
  if (shown_s != 0.0 && now - shown_s < BETWEEN_S) return false;
  shown_s = now;
  return true;
}

static void show(double share)
{
  char text[SS_PROGRESS_SIZE];
  if (!begins_line()) return;
  ss_progress_text(share, now_s() - began_s, text);
  (void)fprintf(stderr, "\rstepsim: %s\033[K", text);
}

static void show_search(const ss_search_progress *progress)
{
  char text[SS_PROGRESS_SIZE];
  if (!begins_line()) return;
  ss_progress_search_text(progress, now_s() - began_s, text);
  (void)fprintf(stderr, "\rstepsim: %s\033[K", text);
}

/* Whether anybody looks; the clock starts when it is asked for the first time. */
static bool is_looked_at(const ss_common_options *options)
{
  if (options->quiet || !isatty(STDERR_FILENO)) return false;
  if (began_s == 0.0) began_s = now_s();
  return true;
}

ss_progress ss_progress_of(const ss_common_options *options)
{
  return is_looked_at(options) ? show : NULL;
}

ss_progress_of_candidates ss_progress_of_search(const ss_common_options *options)
{
  return is_looked_at(options) ? show_search : NULL;
}

void ss_progress_clear(const ss_common_options *options)
{
  if (!is_looked_at(options)) return;
  (void)fprintf(stderr, "\r\033[K");
  began_s = shown_s = 0.0;
}
