/* What the script of a page needs to show what is under the pointer of a timeline. */
#include "sim/figure/run/data.h"

#include <inttypes.h>
#include <math.h>

#include "model/block/block.h"
#include "model/plan/task_time.h"
#include "sim/figure/data.h"
#include "sim/figure/run/timeline.h"

/* Times are whole nanoseconds. */
static long long nanoseconds(double time_s)
{
  return llround(1e9 * time_s);
}

/* Separates the items of a list. */
static void separate(FILE *stream, bool *first)
{
  if (!*first) (void)fputc(',', stream);
  *first = false;
}

/* Numbers of each pass of a stage: time since the one before ended, duration, activity, chunk, micro-batch. */
static void write_passes(FILE *stream, const ss_history *history, int64_t stage)
{
  long long before_ns = 0;
  bool first = true;
  (void)fputc('[', stream);
  for (int64_t i = 0; i < history->pass_count; ++i) {
    const ss_history_pass *pass = &history->pass[i];
    if (pass->stage != stage) continue;
    const long long start_ns = nanoseconds(pass->start_s), end_ns = nanoseconds(pass->end_s);
    separate(stream, &first);
    (void)fprintf(stream, "%lld,%lld,%d,%d,%d", start_ns - before_ns, end_ns - start_ns, (int)pass->activity,
                  (int)pass->chunk, (int)pass->micro_batch);
    before_ns = end_ns;
  }
  (void)fputc(']', stream);
}

/* Of each wait of a stage: start, duration, activity, number of the transfer that ended it. */
static void write_waits(FILE *stream, const ss_history *history, int64_t stage)
{
  bool first = true;
  (void)fputc('[', stream);
  for (int64_t i = 0; i < history->wait_count; ++i) {
    const ss_history_wait *wait = &history->wait[i];
    if (wait->stage != stage) continue;
    const long long start_ns = nanoseconds(wait->start_s);
    separate(stream, &first);
    (void)fprintf(stream, "%lld,%lld,%d,%lld", start_ns, nanoseconds(wait->end_s) - start_ns, (int)wait->activity,
                  (long long)wait->transfer);
  }
  (void)fputc(']', stream);
}

/* Of each transfer to a stage that is shown: number, from, to, micro-batch, activity, start, duration, bytes. */
static void write_transfers(FILE *stream, const ss_history *history, const ss_shown_stages *shown)
{
  bool first = true;
  (void)fputs("\"transfers\":[", stream);
  for (int64_t i = 0; i < history->transfer_count; ++i) {
    const ss_history_transfer *transfer = &history->transfer[i];
    if (ss_stages_row(shown, transfer->to_stage) < 0) continue;
    const long long start_ns = nanoseconds(transfer->start_s);
    separate(stream, &first);
    (void)fprintf(stream, "%lld,%d,%d,%d,%d,%lld,%lld,%.0f", (long long)transfer->number, (int)transfer->from_stage,
                  (int)transfer->to_stage, (int)transfer->micro_batch, (int)transfer->activity, start_ns,
                  nanoseconds(transfer->end_s) - start_ns, transfer->bytes);
  }
  (void)fputs("],\n", stream);
}

static void write_path(FILE *stream, const ss_history *history)
{
  bool first = true;
  (void)fputs("\"path\":[", stream);
  for (int64_t i = 0; i < history->step_count; ++i) {
    const ss_history_step *step = &history->step[i];
    separate(stream, &first);
    (void)fprintf(stream, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%lld,%lld", step->from_stage, step->to_stage,
                  step->replica, nanoseconds(step->start_s), nanoseconds(step->end_s));
  }
  (void)fputs("],\n", stream);
}

static void write_activities(FILE *stream)
{
  (void)fputs("\"activities\":[", stream);
  for (int i = 0; i < SS_ACTIVITY_COUNT; ++i) {
    if (i > 0) (void)fputc(',', stream);
    ss_data_write_text(stream, ss_activity_name((ss_activity)i));
  }
  (void)fputs("],\n", stream);
}

/* Name, seconds, flop, bytes of HBM, category, collectives (group, name, bytes). */
static void write_task(FILE *stream, const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  char name[96];
  (void)snprintf(name, sizeof name, "%s%s", ss_activity_name(task->activity), ss_role_text(task->role));
  (void)fputc('[', stream);
  ss_data_write_text(stream, name);
  (void)fprintf(stream, ",%.6g,%.6g,%.6g,%d,[", ss_duration_sum(ss_job_task_duration(job, kind, pass, task)),
                task->computes ? task->kernel.flop : 0.0, task->computes ? task->kernel.hbm_bytes : 0.0,
                (int)ss_activity_category(task->activity));
  for (int64_t i = 0; i < task->calls; ++i)
    (void)fprintf(stream, "%s[\"%s\",\"%s\",%.6g]", i > 0 ? "," : "", ss_group_name(task->call[i].group),
                  ss_activity_name(ss_collective_activity(task->call[i].kind)), task->call[i].volume_bytes);
  (void)fputs("]]", stream);
}

/* The tasks of a kind of block, pass by pass. */
static void write_block(FILE *stream, const ss_job *job, ss_block_kind kind)
{
  (void)fprintf(stream, "\"%d\":{\"name\":\"%s\",\"tasks\":[", (int)kind,
                ss_activity_name(ss_block_traits_of(kind)->activity));
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    const ss_task_list *list = ss_job_tasks(job, kind, (ss_pass)pass);
    (void)fputs(pass > 0 ? ",[" : "[", stream);
    for (int64_t i = 0; i < list->count; ++i) {
      if (i > 0) (void)fputc(',', stream);
      write_task(stream, job, kind, (ss_pass)pass, &list->task[i]);
    }
    (void)fputc(']', stream);
  }
  (void)fputs("]}", stream);
}

static void write_blocks(FILE *stream, const ss_job *job)
{
  bool first = true;
  (void)fputs("\"blocks\":{", stream);
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    separate(stream, &first);
    write_block(stream, job, kind);
  }
  (void)fputs("},\n", stream);
}

/* The blocks of a chunk: kind and layer of each. */
static void write_chunk(FILE *stream, const ss_job *job, ss_chunk chunk)
{
  (void)fputc('[', stream);
  for (int64_t i = 0; i < ss_job_block_count(job, chunk); ++i)
    (void)fprintf(stream, "%s%d,%" PRId64, i > 0 ? "," : "", (int)ss_job_block_kind(job, chunk, i),
                  ss_job_block_layer(job, chunk, i));
  (void)fputc(']', stream);
}

static void write_row(FILE *stream, const ss_run_report *run, int64_t stage)
{
  (void)fprintf(stream, "{\"stage\":%" PRId64 ",\"passes\":", stage);
  write_passes(stream, run->history, stage);
  (void)fputs(",\"waits\":", stream);
  write_waits(stream, run->history, stage);
  (void)fputs(",\"chunks\":[", stream);
  for (int64_t chunk = 0; chunk < run->job->chunks; ++chunk) {
    if (chunk > 0) (void)fputc(',', stream);
    write_chunk(stream, run->job, (ss_chunk){stage, chunk});
  }
  (void)fputs("]}", stream);
}

/* `time_s` [SS_UPGRADES] */
static void write_upgrades(FILE *stream, const char *name, const double *time_s)
{
  (void)fprintf(stream, "\"%s\":{", name);
  for (int i = 0; i < SS_UPGRADES; ++i) {
    (void)fprintf(stream, "%s\"%s\":", i > 0 ? "," : "", ss_upgrade_word((ss_upgrade)i));
    ss_data_write_number(stream, time_s[i]);
  }
  (void)fputs("}", stream);
}

void ss_run_write_data(FILE *stream, const void *report)
{
  const ss_run_report *run = report;
  const ss_shown_stages shown = ss_timeline_stages(run);
  (void)fputs("{\"timeline\":{\"end_s\":", stream);
  ss_data_write_number(stream, run->history->end_s);
  (void)fprintf(stream, ",\"unit_s\":1e-9,\"replica\":%" PRId64 ",\"rows\":[\n", run->history->replica);
  for (int64_t row = 0; row < shown.count; ++row) {
    if (row > 0) (void)fputs(",\n", stream);
    write_row(stream, run, shown.stage[row]);
  }
  (void)fputs("],\n", stream);
  write_transfers(stream, run->history, &shown);
  write_path(stream, run->history);
  write_activities(stream);
  write_blocks(stream, run->job);
  (void)fprintf(stream, "\"forward\":%d,\"backward\":%d,\"weight\":%d},\n", (int)SS_FORWARD, (int)SS_BACKWARD,
                (int)SS_WEIGHT);
  write_upgrades(stream, "what_if_s", run->upgraded_s);
  if (run->replayed_s != NULL) (void)fputc(',', stream);
  if (run->replayed_s != NULL) write_upgrades(stream, "what_if_replay_s", run->replayed_s);
  (void)fputs("}\n", stream);
}
