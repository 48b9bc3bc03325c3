/* The cost of running a program: wall time, processor time and peak memory. */
#ifndef STEPSIM_BENCH_MEASURE_H
#define STEPSIM_BENCH_MEASURE_H

#include <stdbool.h>

enum { MEASURE_ARGUMENTS = 24 };

/* Of the program and its children: processor time together, peak memory of the largest. */
typedef struct usage {
  double wall_s, processor_s, peak_bytes;
} usage;

/* Runs `program` with `arguments` [MEASURE_ARGUMENTS], up to the first NULL, and without its output; the fastest of
 * `runs` times. On one core where `alone`. Ends this program where that one fails; that a workload does not fit in
 * memory is no failure. */
usage measure_best(const char *program, const char *const *arguments, int runs, bool alone);

#endif
