/* Runs the commands of the table and prints wall time, processor time and peak memory of each: bench STEPSIM SOURCE
 * [--all]. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, ARGUMENTS = 10 };

static const struct {
  const char *what;
  bool takes_long; /* only with --all, and once */
  const char *arguments[ARGUMENTS];
} cases[] = {
    {"estimate gpt3-175b, 512 GPUs",
     false,
     {"estimate", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet"}},
    {"run gpt3-175b, 512 GPUs", false, {"run", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet"}},
    {"run gpt3-175b, timeline of 16 ranks",
     false,
     {"run", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet", "--trace=/tmp/stepsim-bench.json",
      "--trace-ranks=0-511:32"}},
    {"run gpt3-175b, all flows, batch 192",
     false,
     {"run", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet", "--flows=all",
      "--set=training.global-batch=192"}},
    {"run gpt3-175b, all flows",
     true,
     {"run", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet", "--flows=all"}},
    {"run mixtral-8x7b, 64 GPUs", false, {"run", "workloads/mixtral-8x7b.xml", "platforms/dgx-h100.xml", "--quiet"}},
    {"estimate gpt3-1t, 16384 GPUs", false, {"estimate", "workloads/gpt3-1t.xml", "platforms/dgx-h100.xml", "--quiet"}},
    {"run gpt3-1t, 16384 GPUs", true, {"run", "workloads/gpt3-1t.xml", "platforms/dgx-h100.xml", "--quiet"}},
    {"search gpt3-1t, 16384 GPUs", false, {"search", "workloads/gpt3-1t.xml", "platforms/dgx-h100.xml", "--quiet"}},
    {"search gpt3-175b, 4096 GPUs, 9 knobs",
     false,
     {"search", "workloads/gpt3-175b.xml", "platforms/dgx-h100.xml", "--quiet", "--gpus=4096", "--global-batch=2340",
      "--knobs=recompute,schedule,interleave,sharding,sequence-parallel,tp-redo,overlap-tp,overlap-dp,overlap-pp"}},
    {"run deepseek-v3, 2048 GPUs", true, {"run", "workloads/deepseek-v3.xml", "platforms/dgx-h100.xml", "--quiet"}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct usage {
  double wall_s, processor_s, peak_bytes;
} usage;

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

static void start(const char *program, const char *const *arguments)
{
  char *argv[ARGUMENTS + 2] = {strdup(program)};
  for (int i = 0; i < ARGUMENTS && arguments[i] != NULL; ++i) argv[i + 1] = strdup(arguments[i]);
  if (freopen("/dev/null", "w", stdout) != NULL) execv(program, argv);
  _exit(127);
}

/* Of the program and its children: processor time together, peak memory of the largest. */
static usage measure(const char *program, const char *const *arguments)
{
  (void)fflush(NULL);
  const double start_s = now_s();
  const pid_t child = fork();
  if (child == 0) start(program, arguments);
  int status = 0;
  struct rusage of_child;
  if (child < 0 || wait4(child, &status, 0, &of_child) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    (void)fprintf(stderr, "bench: %s %s failed\n", program, arguments[0]);
    exit(1);
  }
  return (usage){now_s() - start_s, seconds(of_child.ru_utime) + seconds(of_child.ru_stime),
                 1024.0 * (double)of_child.ru_maxrss};
}

int main(int argc, char **argv)
{
  if (argc < 3 || chdir(argv[2]) != 0) {
    (void)fprintf(stderr, "usage: bench STEPSIM SOURCE [--all]\n");
    return 2;
  }
  const bool all = argc > 3 && strcmp(argv[3], "--all") == 0;
  printf("%-40s%12s%16s%12s\n", "best of 3 runs (1 of the long ones)", "wall s", "processor s", "peak MiB");
  for (int i = 0; i < CASES; ++i) {
    if (cases[i].takes_long && !all) continue;
    usage best = measure(argv[1], cases[i].arguments);
    for (int run = 1; run < RUNS && !cases[i].takes_long; ++run) {
      const usage next = measure(argv[1], cases[i].arguments);
      if (next.wall_s < best.wall_s) best = next;
    }
    printf("%-40s%12.3f%16.3f%12.1f\n", cases[i].what, best.wall_s, best.processor_s, best.peak_bytes / 1048576.0);
  }
  (void)unlink("/tmp/stepsim-bench.json");
  return 0;
}
