/* Replays of large jobs beside what they should cost: bench_goals STEPSIM SOURCE. Measures whole processes on one core,
 * prints times, the ratio to the goal, and the cost in units of a reference loop that runs here, too, so that another
 * machine can be compared. Exit status 1 where a cost is more than it was when it was recorded (bench/goals.def). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/measure.h"

/* What a cost may grow by. */
#define SLACK 1.2

enum { RUNS = 2, STARTS = 20, VALUE_SIZE = 160, SETTINGS_SIZE = 512, LOOP_STEPS = 1 << 28 };

typedef struct goal {
  const char *what;
  double goal_s, goal_mib, recorded;
  const char *workload, *gpus, *platform, *settings;
} goal;

static const goal goals[] = {
#define SS_GOAL(what, goal_s, goal_mib, recorded, workload, gpus, platform, settings)                                  \
  {what, goal_s, goal_mib, recorded, workload, gpus, platform, settings},
#include "bench/goals.def"
#undef SS_GOAL
};
enum { GOALS = sizeof goals / sizeof goals[0] };

/* Processor time of a fixed amount of work with integers. */
static double reference_s(void)
{
  const clock_t start = clock();
  uint64_t word = 88172645463325252u;
  for (int i = 0; i < LOOP_STEPS; ++i) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
  }
  volatile uint64_t result = word; /* so that the loop is not left out */
  (void)result;
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Where a row has its files. */
typedef struct files {
  char platform[VALUE_SIZE], written[VALUE_SIZE];
} files;

/* The next word of `text`, which is cut up; NULL behind the last one. */
static char *next_word(char **text)
{
  return strtok_r(*text, " ", text);
}

static void write_platform(const char *stepsim, const goal *g, const files *f)
{
  char words[SETTINGS_SIZE];
  const char *arguments[MEASURE_ARGUMENTS] = {"platform", "--gpus", g->gpus, "--output", f->platform};
  int count = 5;
  (void)snprintf(words, sizeof words, "%s", g->platform);
  for (char *rest = words, *word; (word = next_word(&rest)) != NULL;) arguments[count++] = word;
  (void)measure_best(stepsim, arguments, 1, true);
}

static usage replay(const char *stepsim, const goal *g, const files *f)
{
  char settings[SETTINGS_SIZE], writes[VALUE_SIZE + 16];
  const char *arguments[MEASURE_ARGUMENTS] = {"run", g->workload, f->platform, "--quiet"};
  int count = 4;
  (void)snprintf(settings, sizeof settings, "%s", g->settings);
  for (char *rest = settings, *word; (word = next_word(&rest)) != NULL;) {
    const char *to = strchr(word, '@');
    if (strncmp(word, "--", 2) != 0) arguments[count++] = "--set";
    if (to != NULL) (void)snprintf(writes, sizeof writes, "%.*s%s", (int)(to - word), word, f->written);
    arguments[count++] = to != NULL ? writes : word;
  }
  return measure_best(stepsim, arguments, RUNS, true);
}

static void print_row(const goal *g, double time_s, double mib, double cost, const char *verdict)
{
  printf("%-42s%8s%9.3f%8.2f%9.0f%8.2f%9.2f%10.2f%s\n", g->what, g->gpus, time_s, time_s / g->goal_s, mib,
         mib / g->goal_mib, cost, g->recorded, verdict);
  (void)fflush(stdout);
}

/* Whether a replay costs no more than it did. */
static int measure_goal(const char *stepsim, const goal *g, const char *folder, double loop_s)
{
  files f;
  (void)snprintf(f.platform, sizeof f.platform, "%s/platform.xml", folder);
  (void)snprintf(f.written, sizeof f.written, "%s/written.paje", folder);
  write_platform(stepsim, g, &f);
  const usage u = replay(stepsim, g, &f);
  (void)unlink(f.platform);
  (void)unlink(f.written);
  const double cost = u.processor_s / loop_s;
  const int slower = g->recorded > 0.0 && cost > SLACK * g->recorded;
  print_row(g, u.processor_s, u.peak_bytes / 1048576.0, cost, slower ? "  slower" : "");
  return !slower;
}

/* What any command takes before it does something. */
static void measure_start(const char *stepsim, double loop_s)
{
  static const goal start = {.what = "start of a command", .goal_s = 0.005, .goal_mib = 200, .gpus = "-"};
  const char *const arguments[MEASURE_ARGUMENTS] = {"--version"};
  const usage u = measure_best(stepsim, arguments, STARTS, true);
  print_row(&start, u.processor_s, u.peak_bytes / 1048576.0, u.processor_s / loop_s, "");
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/stepsim-goals-XXXXXX";
  if (argc != 3 || chdir(argv[2]) != 0) {
    (void)fprintf(stderr, "usage: bench_goals STEPSIM SOURCE\n");
    return 2;
  }
  if (mkdtemp(folder) == NULL) {
    perror("bench_goals: cannot create a folder");
    return 1;
  }
  const double loop_s = reference_s();
  int kept = 0;
  printf("reference loop: %.3f s of one core\n", loop_s);
  printf("%-42s%8s%9s%8s%9s%8s%9s%10s\n", "run, one core", "GPUs", "s", "/ goal", "MiB", "/ goal", "cost", "recorded");
  measure_start(argv[1], loop_s);
  for (int i = 0; i < GOALS; ++i) kept += measure_goal(argv[1], &goals[i], folder, loop_s);
  (void)rmdir(folder);
  return kept == GOALS ? 0 : 1;
}
