#include "model/estimate/write_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"
#include "model/base/number.h"

#define STRETCHES_AT_FIRST 8

void ss_write_log_init(ss_write_log *written, int64_t blocks)
{
  const size_t times = blocks > 0 ? (size_t)blocks : 1; /* a chunk may have none */
  *written = (ss_write_log){.blocks = blocks, .capacity = STRETCHES_AT_FIRST};
  written->stretch = malloc(STRETCHES_AT_FIRST * sizeof *written->stretch);
  written->first_s = malloc(STRETCHES_AT_FIRST * times * sizeof *written->first_s);
  written->open_s = malloc(times * sizeof *written->open_s);
  SS_ASSERT(written->stretch != NULL && written->first_s != NULL && written->open_s != NULL);
}

void ss_write_log_free(ss_write_log *written)
{
  free(written->stretch);
  free(written->first_s);
  free(written->open_s);
  free(written->seen);
  *written = (ss_write_log){0};
}

static double *first_of(const ss_write_log *written, int64_t stretch)
{
  return &written->first_s[stretch * written->blocks];
}

/* Makes room for one more stretch: where the first ones have been read, else more of it. */
static void make_room(ss_write_log *written)
{
  const int64_t live = written->end - written->front;
  if (written->end < written->capacity) return;
  if (2 * live > written->capacity) {
    written->capacity *= 2;
    const size_t capacity = (size_t)written->capacity;
    written->stretch = realloc(written->stretch, capacity * sizeof *written->stretch);
    written->first_s = realloc(written->first_s, capacity * (size_t)written->blocks * sizeof *written->first_s);
    SS_ASSERT(written->stretch != NULL && written->first_s != NULL);
  }
  memmove(written->stretch, &written->stretch[written->front], (size_t)live * sizeof *written->stretch);
  memmove(written->first_s, first_of(written, written->front),
          (size_t)(live * written->blocks) * sizeof *written->first_s);
  written->front = 0;
  written->end = live;
}

/* The micro-batch that has been written keeps the pace of the last stretch, or sets it. */
static bool continues(ss_write_log *written)
{
  if (written->front == written->end) return false;
  ss_stretch *last = &written->stretch[written->end - 1];
  const double *first_s = first_of(written, written->end - 1), *open_s = written->open_s;
  const double pace_s = last->count > 1 ? last->pace_s : open_s[0] - first_s[0];
  for (int64_t i = 0; i < written->blocks; ++i) {
    const double away_s = open_s[i] - first_s[i] - (double)last->count * pace_s;
    if (fabs(away_s) > SS_SAME_TIME * (fabs(open_s[i]) + fabs(first_s[i]))) return false;
  }
  last->pace_s = pace_s;
  return true;
}

static void drop_read(ss_write_log *written)
{
  while (written->front < written->end - 1 &&
         written->stretch[written->front].taken == written->stretch[written->front].count)
    written->front++;
}

static void close_micro_batch(ss_write_log *written)
{
  if (continues(written)) {
    written->stretch[written->end - 1].count++;
  } else {
    make_room(written);
    memcpy(first_of(written, written->end), written->open_s, (size_t)written->blocks * sizeof *written->open_s);
    written->stretch[written->end++] = (ss_stretch){.count = 1};
  }
  written->open = 0;
  drop_read(written);
  if (written->owed) ss_write_log_take(written);
}

void ss_write_log_put(ss_write_log *written, double time_s)
{
  written->open_s[written->open++] = time_s;
  if (written->open == written->blocks) close_micro_batch(written);
}

static bool has_whole(const ss_write_log *written)
{
  return written->front < written->end &&
         written->stretch[written->front].taken < written->stretch[written->front].count;
}

bool ss_write_log_get(const ss_write_log *written, int64_t block, double *time_s)
{
  if (has_whole(written)) {
    const ss_stretch *front = &written->stretch[written->front];
    *time_s = first_of(written, written->front)[block] + (double)front->taken * front->pace_s;
    return true;
  }
  if (written->owed || block >= written->open) return false;
  *time_s = written->open_s[block];
  return true;
}

void ss_write_log_take(ss_write_log *written)
{
  written->owed = !has_whole(written);
  if (written->owed) return;
  written->stretch[written->front].taken++;
  drop_read(written);
}

double ss_write_log_steady(const ss_write_log *written, bool put, double turn_s, double slack_s, double tolerance_s)
{
  if (written->front == written->end) return 0.0;
  const ss_stretch *front = &written->stretch[written->front];
  if (front->taken == 0) return 0.0;
  const bool is_last = written->front == written->end - 1;
  const double most = put && is_last ? INFINITY : (double)(front->count - front->taken - 1);
  const double closing_s = front->pace_s - turn_s;
  if (fabs(closing_s) <= tolerance_s) return most;
  if (slack_s <= 0.0) return 0.0;
  return closing_s > 0.0 ? ss_min(most, slack_s / closing_s) : most;
}

bool ss_write_log_paces(const ss_write_log *written, double pace_s, double tolerance_s)
{
  if (written->front == written->end) return false;
  const ss_stretch *last = &written->stretch[written->end - 1];
  return last->count == 1 || fabs(last->pace_s - pace_s) <= tolerance_s;
}

void ss_write_log_skip(ss_write_log *written, int64_t put, int64_t taken, double pace_s, double ago_s)
{
  if (written->front == written->end) return;
  for (int64_t i = written->front * written->blocks; i < written->end * written->blocks; ++i)
    written->first_s[i] -= ago_s;
  ss_stretch *last = &written->stretch[written->end - 1];
  if (put > 0 && last->count == 1) last->pace_s = pace_s;
  last->count += put;
  written->stretch[written->front].taken += taken;
}

bool ss_write_log_repeats(ss_write_log *written, double now_s, double tolerance_s)
{
  const int64_t each = 2 + written->blocks, count = (written->end - written->front) * each;
  bool repeats = count == written->seen_count;
  if (count > written->seen_count) written->seen = realloc(written->seen, (size_t)count * sizeof *written->seen);
  SS_ASSERT(count == 0 || written->seen != NULL);
  for (int64_t i = 0; i < count; ++i) {
    const ss_stretch *stretch = &written->stretch[written->front + i / each];
    const int64_t block = i % each - 2;
    double value = (double)(stretch->count - stretch->taken);
    if (block == -1) value = stretch->pace_s;
    if (block >= 0)
      value = first_of(written, written->front + i / each)[block] + (double)stretch->taken * stretch->pace_s - now_s;
    repeats = repeats && fabs(value - written->seen[i]) <= tolerance_s;
    written->seen[i] = value;
  }
  written->seen_count = count;
  return repeats;
}
