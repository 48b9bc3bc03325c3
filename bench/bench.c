/* Runs the commands of the table and prints wall time, processor time and peak memory of each: bench STEPSIM SOURCE
 * [--all]. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"

enum { RUNS = 3 };

static const struct {
  const char *what;
  bool takes_long; /* only with --all, and once */
  const char *arguments[MEASURE_ARGUMENTS];
} cases[] = {
    {"estimate gpt3-175b, 512 GPUs",
     false,
     {"estimate", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet"}},
    {"run gpt3-175b, 512 GPUs", false, {"run", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet"}},
    {"run gpt3-175b, timeline of 16 ranks",
     false,
     {"run", "workloads/gpt3-175b.xml", "platforms/perlmutter.xml", "--quiet", "--trace=/tmp/stepsim-bench.json",
      "--trace-ranks=0..511+32"}},
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
    const usage best = measure_best(argv[1], cases[i].arguments, cases[i].takes_long ? 1 : RUNS, false);
    printf("%-40s%12.3f%16.3f%12.1f\n", cases[i].what, best.wall_s, best.processor_s, best.peak_bytes / 1048576.0);
  }
  (void)unlink("/tmp/stepsim-bench.json");
  return 0;
}
