#include "sim/engine/core/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/result/prediction.h"

/* A round takes microseconds, or milliseconds where thousands of flows share links. */
enum { ROUNDS_BETWEEN_LOOKS = 64 };

static double now_s(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The resident set of this process: the second number of statm, in pages; 0 where the system does not tell. */
static double resident_bytes(void)
{
  char line[128] = "", *resident = NULL;
  FILE *stream = fopen("/proc/self/statm", "r");
  if (stream == NULL) return 0.0;
  if (fgets(line, sizeof line, stream) != NULL) resident = strchr(line, ' ');
  (void)fclose(stream);
  return resident != NULL ? (double)strtoll(resident, NULL, 10) * (double)sysconf(_SC_PAGESIZE) : 0.0;
}

ss_budget ss_budget_from_now(double max_s, double max_bytes)
{
  return (ss_budget){.max_s = max_s, .max_bytes = max_bytes, .start_s = now_s()};
}

bool ss_budget_is_due(int64_t round)
{
  return round % ROUNDS_BETWEEN_LOOKS == 0;
}

/* 0 where nobody asks. */
static double spent_s(const ss_budget *budget)
{
  return budget->max_s > 0.0 ? now_s() - budget->start_s : 0.0;
}

bool ss_budget_is_late(const ss_budget *budget)
{
  return spent_s(budget) > budget->max_s;
}

ss_status ss_budget_check(const ss_budget *budget, double share, ss_error *error)
{
  const double took_s = spent_s(budget);
  const double bytes = budget->max_bytes > 0.0 ? resident_bytes() : 0.0;
  if (took_s > budget->max_s)
    return ss_error_set(error, SS_ERROR_BUDGET, NULL, 0,
                        "stopped after %.1f s of %.12g s: %.0f %% of the iteration's work done; allowed: a larger "
                        "--max-seconds, --fold auto",
                        took_s, budget->max_s, 100.0 * share);
  if (bytes > budget->max_bytes)
    return ss_error_set(error, SS_ERROR_BUDGET, NULL, 0,
                        "stopped with %.3g GiB of %.3g GiB: %.0f %% of the iteration's work done; allowed: a larger "
                        "--max-memory, --fold auto",
                        bytes / SS_GIB, budget->max_bytes / SS_GIB, 100.0 * share);
  return SS_OK;
}
