/* When what the passes of a chunk write to the second memory tier is there: from forward, micro-batch by micro-batch,
 * to backward, which reads it in the same order. Micro-batches that follow one another at a constant pace are kept as
 * one stretch, however many they are. */
#ifndef STEPSIM_MODEL_ESTIMATE_WRITE_LOG_H
#define STEPSIM_MODEL_ESTIMATE_WRITE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* Two times that differ by less than this share of the clock are the same, but for rounding. */
#define SS_SAME_TIME 1e-13

/* Micro-batches at a constant pace, of which so many have been read. */
typedef struct ss_stretch {
  int64_t count, taken;
  double pace_s; /* from one to the next; 0 where there is one only */
} ss_stretch;

typedef struct ss_write_log {
  int64_t blocks, front, end, capacity;
  ss_stretch *stretch; /* [capacity], from `front` up to `end`; all but the last have micro-batches left; owned */
  double *first_s;     /* [capacity * blocks] of the first micro-batch of each; owned */
  double *open_s;      /* [blocks] of the micro-batch in forward now; owned */
  int64_t open;        /* blocks of it that have been written */
  bool owed;           /* it has been read already, to its end */
  double *seen;        /* [seen_count] as ss_write_log_repeats found it; owned */
  int64_t seen_count;
} ss_write_log;

/* For chunks of so many blocks. */
void ss_write_log_init(ss_write_log *written, int64_t blocks);
void ss_write_log_free(ss_write_log *written);

/* The next block of the micro-batch in forward has been written at `time_s`. */
void ss_write_log_put(ss_write_log *written, double time_s);

/* When a block of the next micro-batch to be read has been written. False when it has not. */
bool ss_write_log_get(const ss_write_log *written, int64_t block, double *time_s);

/* The next micro-batch has been read. */
void ss_write_log_take(ss_write_log *written);

/* Between micro-batches: for how many more reading goes on as for the one before, when all else moves by `turn_s` for
 * each and reading starts at least `slack_s` after writing. `put`: as many are written meanwhile. */
double ss_write_log_steady(const ss_write_log *written, bool put, double turn_s, double slack_s, double tolerance_s);

/* Whether writing goes on at `pace_s` as it did last. */
bool ss_write_log_paces(const ss_write_log *written, double pace_s, double tolerance_s);

/* Lets `count` micro-batches be written, at `pace_s`, and be taken, where it says so; what was there before is then
 * `ago_s` longer ago. */
void ss_write_log_skip(ss_write_log *written, int64_t put, int64_t taken, double pace_s, double ago_s);

/* Whether all that is written and not read is as it was the last time, seen from `now_s`. */
bool ss_write_log_repeats(ss_write_log *written, double now_s, double tolerance_s);

#endif
