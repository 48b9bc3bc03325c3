#include "sim/campaign/clock.h"

#include <math.h>

static void enter(ss_whole_run_clock *clock, ss_whole_run_stage stage, double left_s)
{
  clock->stage = stage;
  clock->left_s = left_s;
}

void ss_whole_run_clock_restart(ss_whole_run_clock *clock)
{
  clock->done_s = clock->kept_s;
  clock->writing_s = 0.0;
  enter(clock, SS_WHOLE_RUN_WORKS, clock->rhythm.interval_s);
}

static void begin_write(ss_whole_run_clock *clock)
{
  clock->written_s = clock->done_s;
  clock->writing_s = clock->rhythm.write_s;
  if (clock->writing_s == 0.0) clock->kept_s = clock->done_s;
}

static void write_for(ss_whole_run_clock *clock, double time_s)
{
  if (clock->writing_s == 0.0) return;
  if (time_s >= clock->writing_s) clock->kept_s = clock->written_s;
  clock->writing_s = fmax(0.0, clock->writing_s - time_s);
}

/* Whole cycles that fit into the time, but for the last: all at once. A write ends within the next cycle. */
static double skip(ss_whole_run_clock *clock, double most_s, double speed)
{
  const ss_rhythm *rhythm = &clock->rhythm;
  const double cycle_s = rhythm->interval_s + rhythm->pause_s, piece_s = rhythm->interval_s * speed;
  const double cycles = fmin(floor(most_s / cycle_s), ceil((clock->work_s - clock->done_s) / piece_s) - 1.0);
  if (clock->stage != SS_WHOLE_RUN_WORKS || clock->left_s < rhythm->interval_s || cycles < 1.0) return 0.0;
  write_for(clock, cycle_s);
  clock->done_s += cycles * piece_s;
  clock->paused_s += cycles * rhythm->pause_s;
  if (cycles > 1.0) clock->kept_s = clock->done_s - piece_s;
  begin_write(clock);
  return cycles * cycle_s;
}

/* What follows a stage. */
static void go_on(ss_whole_run_clock *clock)
{
  const bool last = clock->done_s >= clock->work_s;
  switch (clock->stage) {
  case SS_WHOLE_RUN_WORKS: enter(clock, SS_WHOLE_RUN_PAUSES, clock->rhythm.pause_s); break;
  case SS_WHOLE_RUN_PAUSES:
    begin_write(clock);
    enter(clock, last ? SS_WHOLE_RUN_WRITES : SS_WHOLE_RUN_WORKS,
          last ? clock->rhythm.write_s : clock->rhythm.interval_s);
    break;
  case SS_WHOLE_RUN_WRITES: enter(clock, SS_WHOLE_RUN_IS_DONE, 0.0); break;
  case SS_WHOLE_RUN_IS_DONE: break;
  }
}

/* To the end of a stage, or as far as the time goes. */
static double step(ss_whole_run_clock *clock, double most_s, double speed)
{
  const bool works = clock->stage == SS_WHOLE_RUN_WORKS;
  const double rest_s = works ? (clock->work_s - clock->done_s) / speed : INFINITY;
  const double whole_s = fmin(clock->left_s, rest_s), time_s = fmin(whole_s, most_s);
  write_for(clock, time_s);
  clock->left_s -= time_s;
  if (!works) clock->paused_s += time_s;
  if (works) clock->done_s = time_s == rest_s ? clock->work_s : clock->done_s + time_s * speed;
  if (time_s == whole_s) go_on(clock);
  return time_s;
}

double ss_whole_run_clock_advance(ss_whole_run_clock *clock, double most_s, double speed)
{
  double time_s = skip(clock, most_s, speed);
  while (time_s < most_s && clock->stage != SS_WHOLE_RUN_IS_DONE) {
    time_s += step(clock, most_s - time_s, speed);
    time_s += skip(clock, most_s - time_s, speed);
  }
  return time_s;
}
