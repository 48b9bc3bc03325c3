/* The speed of searches: bench_search SOURCE. Runs each search on one thread, once as users do and once without the
 * lower bound; then the study of arXiv 2410.00273 on all threads. All in processor time, so that other work on the
 * machine does not count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "model/input/workload.h"
#include "model/search/search.h"
#include "sim/io/io.h"

#define LAYOUT(tensor) SS_TENSOR_BIT(SS_TENSOR_##tensor)
#define ALL_LAYOUTS    (LAYOUT(1D) | LAYOUT(2D) | LAYOUT(SUMMA))
#define KNOBS                                                                                                          \
  "recompute,fused,sequence-parallel,tp-redo,overlap-tp,overlap-dp,overlap-pp,pipeline-rs-ag,schedule,interleave,"     \
  "sharding"

/* One search. If it takes too long without the lower bound, that is measured on one of `slices` slices. */
static const struct {
  const char *what, *workload, *platform;
  int64_t gpus, global_batch;
  ss_cost cost;
  unsigned tensors;
  const char *knobs;
  int64_t slices;
} cases[] = {
    {"gpt3-1t, 16384 GPUs, 1d", "workloads/gpt3-1t.xml", "platforms/b200-nvl8.xml", 16384, 4096, SS_COST_CALIBRATED,
     LAYOUT(1D), "", 1},
    {"gpt3-1t, 16384 GPUs, 2d", "workloads/gpt3-1t.xml", "platforms/b200-nvl8.xml", 16384, 4096, SS_COST_CALIBRATED,
     LAYOUT(2D), "", 1},
    {"gpt3-1t, 16384 GPUs, summa", "workloads/gpt3-1t.xml", "platforms/b200-nvl8.xml", 16384, 4096, SS_COST_CALIBRATED,
     LAYOUT(SUMMA), "", 1},
    {"gpt3-175b, 4096 GPUs, 11 knobs", "workloads/gpt3-175b.xml", "platforms/selene.xml", 4096, 2340,
     SS_COST_CALIBRATED, ALL_LAYOUTS, KNOBS, 50},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const char *const systems[] = {"a100-nvl4",  "a100-nvl8", "a100-nvl64", "h200-nvl4", "h200-nvl8",
                                      "h200-nvl64", "b200-nvl4", "b200-nvl8",  "b200-nvl64"};
enum { SYSTEMS = sizeof systems / sizeof systems[0], SMALLEST = 4, LARGEST = 16384 };

static double now_s(void)
{
  struct timespec time;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(ss_status status, const ss_error *error)
{
  if (status == SS_OK) return;
  (void)fprintf(stderr, "bench_search: %s\n", error->message);
  exit(1);
}

static ss_knob_set knobs_of(const char *list)
{
  ss_knob_set knobs = 0;
  for (size_t length = strcspn(list, ","); length > 0; length = strcspn(list, ",")) {
    knobs |= ss_knob_find(list, length);
    list += length + (list[length] == ',');
  }
  return knobs;
}

static void load(const char *workload_file, const char *platform_file, ss_workload *workload, ss_machine *machine)
{
  ss_error error = {0};
  check(ss_workload_load(workload_file, workload, &error), &error);
  check(ss_machine_load(platform_file, machine, &error), &error);
  workload->placement.ranks[0] = '\0';
}

/* Runs a search; returns seconds of processors. */
static double search(const ss_workload *workload, const ss_machine *machine, const ss_search_options *options,
                     ss_search *found)
{
  ss_error error = {0};
  const double start_s = now_s();
  check(ss_search_run(found, workload, machine, options, &error), &error);
  const double time_s = now_s() - start_s;
  ss_search_free(found);
  return time_s;
}

static void measure(int index)
{
  static ss_workload workload;
  ss_machine machine;
  ss_search cut, all;
  load(cases[index].workload, cases[index].platform, &workload, &machine);
  workload.training.global_batch = cases[index].global_batch;
  ss_workload_derive(&workload);
  ss_search_options options = {.gpus = cases[index].gpus,
                               .tensors = cases[index].tensors,
                               .knobs = knobs_of(cases[index].knobs),
                               .cost = cases[index].cost,
                               .top = 10};
  const double cut_s = search(&workload, &machine, &options, &cut);
  options.exhaustive = true;
  options.slices = cases[index].slices;
  const double all_s = search(&workload, &machine, &options, &all);
  printf("%-32s%12lld%12lld%10.3f%14.0f%14.0f%14.0f\n", cases[index].what, (long long)cut.candidates,
         (long long)cut.feasible, cut_s, (double)cut.candidates / cut_s, (double)all.candidates / all_s,
         (double)all.feasible / all_s);
}

/* All systems, sizes and layouts. */
static void measure_study(void)
{
  static ss_workload workload;
  ss_machine machine;
  ss_search found;
  double time_s = 0.0;
  int64_t candidates = 0, searches = 0;
  for (int i = 0; i < SYSTEMS; ++i) {
    char platform[64];
    (void)snprintf(platform, sizeof platform, "platforms/%s.xml", systems[i]);
    load("workloads/gpt3-1t.xml", platform, &workload, &machine);
    for (int64_t gpus = SMALLEST; gpus <= LARGEST; gpus *= 2)
      for (int tensor = SS_TENSOR_1D; tensor <= SS_TENSOR_SUMMA; ++tensor, ++searches) {
        const ss_search_options options = {
            .gpus = gpus, .tensors = SS_TENSOR_BIT(tensor), .cost = SS_COST_SC24, .top = 10};
        time_s += search(&workload, &machine, &options, &found);
        candidates += found.candidates;
      }
  }
  printf(
      "%lld searches of gpt3-1t (9 systems, 4 to 16384 GPUs, 1d, 2d, summa): %lld candidates in %.2f s of processors\n",
      (long long)searches, (long long)candidates, time_s);
}

static void use_threads(int count)
{
#ifdef _OPENMP
  omp_set_num_threads(count);
#else
  (void)count;
#endif
}

int main(int argc, char **argv)
{
  if (argc != 2 || chdir(argv[1]) != 0) {
    (void)fprintf(stderr, "usage: bench_search SOURCE\n");
    return 2;
  }
  use_threads(1);
  printf("%-32s%12s%12s%10s%14s%14s%14s\n", "on one thread", "candidates", "that fit", "s", "candidates/s",
         "nothing cut/s", "that fit/s");
  for (int i = 0; i < CASES; ++i) measure(i);
#ifdef _OPENMP
  use_threads(omp_get_num_procs());
#endif
  measure_study();
  return 0;
}
