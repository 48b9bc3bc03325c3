/* Logs of training runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"
#include "sim/import/files/printed.h"
#include "sim/import/measured/steps.h"

enum { MOST_GPUS = 1 << 20 };

#define MOST_SECONDS 1e9

/* What stands before the time of a step, and its unit in seconds: megatron/training/training.py of Megatron-LM (and of
 * Megatron Bridge, Primus), nemo/utils/callbacks of NeMo 1 and 2. */
static const struct {
  const char *before;
  double unit_s;
} times[] = {{"elapsed time per iteration (ms):", 1e-3},
             {"elapsed time per iteration (s):", 1.0},
             {"train_step_timing in s:", 1.0},
             {"train_step_timing in s=", 1.0},
             {"train_step_timing=", 1.0}};

/* What a line of a step says beside: the batch, which the arguments say, too. */
static const char *const batches[] = {"global batch size:", "global_batch_size:"};

static const struct {
  const char *attribute, *logged;
} arguments[SS_STEP_COLUMNS] = {
#define ARGUMENT_ROW(id, column, attribute, logged, help) [id] = {attribute, logged},
    SS_STEP_COLUMN_LIST(ARGUMENT_ROW)
#undef ARGUMENT_ROW
};

/* A log being read. */
typedef struct reading {
  ss_printed printed;
  ss_timed_steps *steps;
  ss_timed_step *step;
  double *seconds; /* [count] owned */
  int64_t count, room;
  int64_t batch; /* of the steps; 0: they do not say */
  ss_error *error;
} reading;

bool ss_step_log_is(const char *text)
{
  for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
    if (strstr(text, times[i].before) != NULL) return true;
  return false;
}

static ss_status keep(reading *r, double seconds)
{
  double *grown = ss_grown(r->seconds, r->count, &r->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for steps");
  r->seconds = grown;
  r->seconds[r->count++] = seconds;
  return SS_OK;
}

/* Reads the numbers at `text`: one, one and a mean after a slash, or a list in brackets. */
static ss_status read_times(reading *r, const char *text, double unit_s)
{
  const bool listed = text[strspn(text, " ")] == '[';
  if (listed) text = strchr(text, '[') + 1;
  for (;;) {
    char *end;
    text += strspn(text, " ");
    const double seconds = unit_s * strtod(text, &end);
    if (end == text || !(seconds > 0.0 && seconds < MOST_SECONDS))
      return ss_printed_refuse(&r->printed, r->error, "the time of a step is not a number above 0; allowed: one");
    const ss_status status = keep(r, seconds);
    text = end + strspn(end, " ");
    if (status != SS_OK || !listed || *text != ',') return status;
    ++text;
  }
}

/* The batch of a step is that of all. */
static ss_status read_batch(reading *r, const char *line)
{
  for (size_t i = 0; i < sizeof batches / sizeof batches[0]; ++i) {
    const char *at = strstr(line, batches[i]);
    if (at == NULL) continue;
    const int64_t batch = strtoll(at + strlen(batches[i]), NULL, 10);
    if (batch <= 0 || (r->batch > 0 && batch != r->batch))
      return ss_printed_refuse(&r->printed, r->error,
                               "the global batch changes in the log, or is none; allowed: steps of one size");
    r->batch = batch;
  }
  return SS_OK;
}

/* "  micro_batch_size ................................ 1" of Megatron-LM. */
static ss_status read_argument(reading *r, char *line)
{
  char *word[4];
  int64_t count;
  if (ss_printed_words(line, word, 3) != 3 || strncmp(word[1], "...", 3) != 0) {
    r->steps->foreign++;
    return SS_OK;
  }
  int kind = 0;
  while (kind < SS_STEP_COLUMNS && strcmp(arguments[kind].logged, word[0]) != 0) ++kind;
  if (kind == SS_STEP_COLUMNS) return SS_OK;
  if (!ss_printed_count(word[2], MOST_GPUS, &count) || count < 1)
    return ss_printed_refuse(&r->printed, r->error, "%s is not a number from 1 on; allowed: one",
                             arguments[kind].logged);
  if (kind == SS_STEP_GPUS) {
    r->step->gpus = count;
  } else if (kind == SS_STEP_GLOBAL_BATCH) {
    if (r->batch > 0 && r->batch != count)
      return ss_printed_refuse(&r->printed, r->error, "global_batch_size is said twice; allowed: steps of one size");
    r->batch = count;
  } else if (!ss_step_set(r->step, arguments[kind].attribute, word[2])) {
    return ss_printed_refuse(&r->printed, r->error, "%s is said again and again; allowed: one run", word[0]);
  }
  return SS_OK;
}

static ss_status read_line(reading *r, char *line)
{
  for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
    const char *at = strstr(line, times[i].before);
    if (at == NULL) continue;
    const ss_status status = read_batch(r, line);
    if (r->count == 0) r->step->line = r->printed.line;
    return status == SS_OK ? read_times(r, at + strlen(times[i].before), times[i].unit_s) : status;
  }
  return *line != '\0' ? read_argument(r, line) : SS_OK;
}

static int compare(const void *a, const void *b)
{
  const double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

/* The median of what follows the warm-up. */
static ss_status sum_up(reading *r, int64_t warmup)
{
  const int64_t fifth = r->count / 5 > 0 ? r->count / 5 : 1;
  if (warmup < 0) warmup = r->count > 1 ? fifth : 0;
  if (warmup >= r->count)
    return ss_error_set(r->error, SS_ERROR_INPUT, r->printed.source->path, 0,
                        "has %lld steps, all of which are warm-up; allowed: more steps, or a smaller --warmup",
                        (long long)r->count);
  const int64_t count = r->count - warmup;
  double *first = r->seconds + warmup;
  qsort(first, (size_t)count, sizeof *first, compare);
  r->step->seconds = 0.5 * (first[(count - 1) / 2] + first[count / 2]);
  r->step->of = count;
  r->step->left_out = warmup;
  char batch[SS_STEP_VALUE_SIZE];
  (void)snprintf(batch, sizeof batch, "%lld", (long long)r->batch);
  if (r->batch == 0 || ss_step_set(r->step, arguments[SS_STEP_GLOBAL_BATCH].attribute, batch)) return SS_OK;
  return ss_error_set(r->error, SS_ERROR_INPUT, r->printed.source->path, 0, "says too much of its sizes");
}

ss_status ss_step_log_read(const ss_source *source, int64_t warmup, ss_timed_steps *steps, ss_error *error)
{
  *steps = (ss_timed_steps){.count = 0};
  reading r = {.printed = ss_printed_of(source), .steps = steps, .step = ss_timed_steps_add(steps), .error = error};
  if (r.step == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for steps");
  ss_status status = SS_OK;
  for (char *line = ss_printed_next(&r.printed); status == SS_OK && line != NULL; line = ss_printed_next(&r.printed))
    status = read_line(&r, line);
  if (status == SS_OK && r.count == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "has no times of steps; allowed: one or more");
  if (status == SS_OK) status = sum_up(&r, warmup);
  free(r.seconds);
  return status;
}
