#include "bench/measure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Exit status of stepsim if a workload does not fit in memory; the prediction is still made. */
enum { TOO_LARGE = 3 };

static double seconds(struct timeval time)
{
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static double now_s(void)
{
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void stay_on_one_core(void)
{
  cpu_set_t one;
  const int core = sched_getcpu();
  if (core < 0) return;
  CPU_ZERO(&one);
  CPU_SET((size_t)core, &one);
  (void)sched_setaffinity(0, sizeof one, &one);
}

static void start(const char *program, const char *const *arguments, bool alone)
{
  char *argv[MEASURE_ARGUMENTS + 2] = {strdup(program)};
  for (int i = 0; i < MEASURE_ARGUMENTS && arguments[i] != NULL; ++i) argv[i + 1] = strdup(arguments[i]);
  if (alone) stay_on_one_core();
  if (freopen("/dev/null", "w", stdout) != NULL) execv(program, argv);
  _exit(127);
}

static usage measure(const char *program, const char *const *arguments, bool alone)
{
  (void)fflush(NULL);
  const double start_s = now_s();
  const pid_t child = fork();
  if (child == 0) start(program, arguments, alone);
  int status = 0;
  struct rusage of_child;
  const bool ended = child > 0 && wait4(child, &status, 0, &of_child) > 0 && WIFEXITED(status);
  if (!ended || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != TOO_LARGE)) {
    (void)fprintf(stderr, "bench: %s %s failed\n", program, arguments[0]);
    exit(1);
  }
  return (usage){now_s() - start_s, seconds(of_child.ru_utime) + seconds(of_child.ru_stime),
                 1024.0 * (double)of_child.ru_maxrss};
}

usage measure_best(const char *program, const char *const *arguments, int runs, bool alone)
{
  usage best = measure(program, arguments, alone);
  for (int run = 1; run < runs; ++run) {
    const usage next = measure(program, arguments, alone);
    if (next.wall_s < best.wall_s) best = next;
  }
  return best;
}
