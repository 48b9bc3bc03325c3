/* The speed of replays: bench_replay STEPSIM BARE SOURCE [--all]. Measures whole processes on one core: large jobs,
 * growing jobs with and without symmetry reduction, and a bare program of the simulator with the same messages. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"

/* The default of --flows. */
#define SHARED "shared"

enum { RUNS = 3, VALUE_SIZE = 96 };

static const char gpt3_175b[] = "workloads/gpt3-175b.xml", gpt3_1t[] = "workloads/gpt3-1t.xml";
static const char llama3_405b[] = "workloads/llama3-405b.xml", perlmutter[] = "platforms/perlmutter.xml";
static const char b200[] = "platforms/b200-nvl8.xml";

/* Platforms to write first, into a folder of their own. */
static const char perlmutter_1024[] = "perlmutter-1024.xml", h100_16384[] = "h100-16384.xml";

static const struct {
  const char *file, *gpus, *like;
} written[] = {
    {perlmutter_1024, "1024", perlmutter},
    {h100_16384, "16384", "platforms/dgx-h100.xml"},
};
enum { WRITTEN = sizeof written / sizeof written[0], MOST_SETTINGS = 5 };

/* One job; `set` are overrides. */
typedef struct job {
  const char *what;
  bool takes_long; /* only with --all, and once */
  const char *workload, *platform, *fold;
  const char *set[MOST_SETTINGS];
} job;

#define FSDP_ON_16384                                                                                                  \
  {                                                                                                                    \
    "parallelism.sharding=parameters", "parallelism.pp=16", "parallelism.first-stage-layers=7",                        \
        "parallelism.last-stage-layers=7"                                                                              \
  }

static const job jobs[] = {
    {"gpt3-1t, 16384 B200", false, gpt3_1t, b200, "auto", {NULL}},
    {"gpt3-1t, 16384 B200, nothing folded", true, gpt3_1t, b200, "none", {NULL}},
    {"gpt3-175b, 512 A100", false, gpt3_175b, perlmutter, "auto", {NULL}},
    {"gpt3-175b, 512 A100, nothing folded", false, gpt3_175b, perlmutter, "none", {NULL}},
    {"gpt3-175b, 1024 A100, nothing folded",
     false,
     gpt3_175b,
     perlmutter_1024,
     "none",
     {"parallelism.dp=16", "training.global-batch=3072"}},
    {"llama3-405b, FSDP, 16384 H100", false, llama3_405b, h100_16384, "auto", FSDP_ON_16384},
    {"llama3-405b, FSDP, 16384 H100, nothing folded", true, llama3_405b, h100_16384, "none", FSDP_ON_16384},
};
enum { JOBS = sizeof jobs / sizeof jobs[0] };

/* The programs, where files go, and whether the long ones run. */
typedef struct bench {
  const char *stepsim, *bare;
  char folder[32];
  bool all;
} bench;

static void path_in(const bench *b, const char *file, char path[VALUE_SIZE])
{
  const bool in_source = strchr(file, '/') != NULL;
  (void)snprintf(path, VALUE_SIZE, "%s%s%s", in_source ? "" : b->folder, in_source ? "" : "/", file);
}

static void write_platforms(const bench *b)
{
  for (int i = 0; i < WRITTEN; ++i) {
    char path[VALUE_SIZE];
    path_in(b, written[i].file, path);
    const char *const arguments[MEASURE_ARGUMENTS] = {"platform", "--gpus", written[i].gpus, "--like", written[i].like,
                                                      "--output", path};
    (void)measure_best(b->stepsim, arguments, 1, true);
  }
}

static void remove_folder(const bench *b)
{
  char path[VALUE_SIZE];
  for (int i = 0; i < WRITTEN; ++i) {
    path_in(b, written[i].file, path);
    (void)unlink(path);
  }
  path_in(b, "out.json", path);
  (void)unlink(path);
  (void)rmdir(b->folder);
}

static usage replay(const bench *b, const job *j, const char *flows, int runs)
{
  char platform[VALUE_SIZE], json[VALUE_SIZE];
  path_in(b, j->platform, platform);
  path_in(b, "out.json", json);
  const char *arguments[MEASURE_ARGUMENTS] = {"run",   j->workload, platform, "--quiet", "--fold",
                                              j->fold, "--flows",   flows,    "--json",  json};
  int count = 10;
  for (int i = 0; i < MOST_SETTINGS && j->set[i] != NULL; ++i) {
    arguments[count++] = "--set";
    arguments[count++] = j->set[i];
  }
  return measure_best(b->stepsim, arguments, runs, true);
}

static void print_usage(const char *what, usage u)
{
  printf("%-48s%12.3f%16.3f%12.1f\n", what, u.wall_s, u.processor_s, u.peak_bytes / 1048576.0);
  (void)fflush(stdout);
}

static void measure_jobs(const bench *b)
{
  printf("%-48s%12s%16s%12s\n", "best of 3 runs (1 of the long ones)", "wall s", "processor s", "peak MiB");
  for (int i = 0; i < JOBS; ++i)
    if (b->all || !jobs[i].takes_long)
      print_usage(jobs[i].what, replay(b, &jobs[i], SHARED, jobs[i].takes_long ? 1 : RUNS));
}

/* gpt3-175b in eight stages, 32 micro-batches in each replica: the work of a GPU depends on tp alone. */
static usage replay_grown(const bench *b, int64_t tp, int64_t dp, const char *fold, int runs)
{
  char set[3][VALUE_SIZE];
  (void)snprintf(set[0], VALUE_SIZE, "parallelism.tp=%" PRId64, tp);
  (void)snprintf(set[1], VALUE_SIZE, "parallelism.dp=%" PRId64, dp);
  (void)snprintf(set[2], VALUE_SIZE, "training.global-batch=%" PRId64, 32 * dp);
  const job grown = {
      .workload = gpt3_175b, .platform = h100_16384, .fold = fold, .set = {set[0], set[1], set[2], "parallelism.pp=8"}};
  return replay(b, &grown, SHARED, runs);
}

enum { STAGES = 8, LARGEST_TP = 8, SMALLEST_DP = 8, LARGEST_DP = 256, SHORT_DP = 64 };

static void print_grown(int64_t tp, int64_t dp, usage u)
{
  char what[VALUE_SIZE];
  (void)snprintf(what, sizeof what, "tp %" PRId64 ", pp %d, dp %" PRId64 ": %" PRId64 " GPUs", tp, STAGES, dp,
                 tp * STAGES * dp);
  print_usage(what, u);
}

static void measure_folded(const bench *b)
{
  printf("\n%-48s%12s%16s%12s\n", "gpt3-175b on 16384 H100, folded", "wall s", "processor s", "peak MiB");
  for (int64_t dp = SMALLEST_DP; dp <= LARGEST_DP; dp *= 2)
    print_grown(LARGEST_TP, dp, replay_grown(b, LARGEST_TP, dp, "auto", RUNS));
  for (int64_t tp = LARGEST_TP / 2; tp >= 1; tp /= 2)
    print_grown(tp, LARGEST_DP, replay_grown(b, tp, LARGEST_DP, "auto", RUNS));
}

/* Sums for the line of least squares through points (x, y). */
typedef struct fit {
  double n, x, y, xx, xy;
} fit;

static void add_point(fit *l, double x, double y)
{
  l->n += 1.0;
  l->x += x;
  l->y += y;
  l->xx += x * x;
  l->xy += x * y;
}

static double slope(const fit *l)
{
  return (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x);
}

static void measure_unfolded(const bench *b)
{
  fit growth = {.n = 0.0};
  printf("\n%-48s%12s%16s%12s\n", "gpt3-175b on 16384 H100, nothing folded", "wall s", "processor s", "peak MiB");
  for (int64_t dp = SMALLEST_DP; dp <= (b->all ? LARGEST_DP : SHORT_DP); dp *= 2) {
    const usage u = replay_grown(b, LARGEST_TP, dp, "none", dp <= SHORT_DP ? RUNS : 1);
    print_grown(LARGEST_TP, dp, u);
    add_point(&growth, log((double)dp), log(u.processor_s));
  }
  printf("at fixed work per GPU, processor time grows with GPUs to the power of %.2f\n", slope(&growth));
}

/* The number after the first "flows" in a JSON file; 0 where there is none. */
static double flows_in(const char *path)
{
  char line[512];
  double flows = 0.0;
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0.0;
  while (flows == 0.0 && fgets(line, sizeof line, file) != NULL) {
    const char *key = strstr(line, "\"flows\":");
    if (key != NULL) flows = strtod(key + strlen("\"flows\":"), NULL);
  }
  (void)fclose(file);
  return flows;
}

/* tp 4, pp 16, dp 8, 192 micro-batches: 32 lanes of 16 stages, a message to each neighbour and back for every
 * micro-batch. */
enum { BARE_STAGES = 16, BARE_LANES = 32, BARE_MESSAGES = 192 };

static void print_rate(const char *what, double flows, usage u)
{
  char count[VALUE_SIZE] = "-", rate[VALUE_SIZE] = "-";
  if (flows > 0.0) {
    (void)snprintf(count, sizeof count, "%.0f", flows);
    (void)snprintf(rate, sizeof rate, "%.0f", flows / u.processor_s);
  }
  printf("%-48s%12s%14.3f%14s%12.1f\n", what, count, u.processor_s, rate, u.peak_bytes / 1048576.0);
  (void)fflush(stdout);
}

/* A replay without symmetry reduction, and the number of its flows if the program reports it. */
static usage measure_whole(const bench *b, const char *what, const char *flows, int runs)
{
  const job whole = {.workload = gpt3_175b, .platform = perlmutter, .fold = "none"};
  const usage u = replay(b, &whole, flows, runs);
  char json[VALUE_SIZE];
  path_in(b, "out.json", json);
  print_rate(what, flows_in(json), u);
  return u;
}

static void measure_bare(const bench *b)
{
  char stages[VALUE_SIZE], lanes[VALUE_SIZE], count[VALUE_SIZE];
  (void)snprintf(stages, sizeof stages, "%d", BARE_STAGES);
  (void)snprintf(lanes, sizeof lanes, "%d", BARE_LANES);
  (void)snprintf(count, sizeof count, "%d", BARE_MESSAGES);
  const char *const arguments[MEASURE_ARGUMENTS] = {perlmutter, stages, lanes, count};
  printf("\n%-48s%12s%14s%14s%12s\n", "gpt3-175b, 512 A100, nothing folded", "flows", "processor s", "flows/s",
         "peak MiB");
  const usage bare = measure_best(b->bare, arguments, RUNS, true);
  print_rate("SimGrid alone, messages of the pipeline only", 2.0 * (BARE_STAGES - 1) * BARE_LANES * BARE_MESSAGES,
             bare);
  const usage shared = measure_whole(b, "stepsim", SHARED, RUNS);
  if (b->all) (void)measure_whole(b, "stepsim, SimGrid simulates every collective", "simulated", 1);
  printf("stepsim takes %.3f of the time that SimGrid alone takes for the messages\n",
         shared.processor_s / bare.processor_s);
}

int main(int argc, char **argv)
{
  bench b = {.folder = "/tmp/stepsim-bench-XXXXXX"};
  if (argc < 4 || chdir(argv[3]) != 0) {
    (void)fprintf(stderr, "usage: bench_replay STEPSIM BARE SOURCE [--all]\n");
    return 2;
  }
  b.stepsim = argv[1];
  b.bare = argv[2];
  b.all = argc > 4 && strcmp(argv[4], "--all") == 0;
  if (mkdtemp(b.folder) == NULL) {
    perror("bench_replay: cannot create a folder");
    return 1;
  }
  write_platforms(&b);
  measure_jobs(&b);
  measure_folded(&b);
  measure_unfolded(&b);
  measure_bare(&b);
  remove_folder(&b);
  return 0;
}
