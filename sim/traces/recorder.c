/* What a replay does on some ranks, as a timeline hears it. A replay with a network runs in a process of its own, so
 * that the intervals go through a file without a name that both processes have. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/traces/traces.h"

/* Passes, blocks, and what is in them. */
enum { DEPTH_MAX = 8 };

/* A track with what has begun and not ended on it. */
typedef struct open_track {
  int depth;
  ss_slice slice[DEPTH_MAX];
} open_track;

typedef struct recorded {
  int64_t rank;
  ss_work_interval work;
} recorded;

struct ss_recorder {
  FILE *file;
  const ss_timeline *timeline; /* whose selection counts */
  open_track *track;           /* [ranks of the job * SS_STREAM_COUNT] of the ranks that are selected; owned */
  bool failed;
};

static open_track *track_of(const ss_recorder *recorder, int64_t rank, ss_stream stream)
{
  int64_t place = 0;
  while (recorder->timeline->ranks.range[place].first != rank) ++place;
  return &recorder->track[place * SS_STREAM_COUNT + (int64_t)stream];
}

/* A replay that starts again is told from its beginning. */
static void record_open(void *self, const ss_timeline_job *job)
{
  ss_recorder *recorder = self;
  (void)job;
  for (int64_t i = 0; i < recorder->timeline->ranks.count * SS_STREAM_COUNT; ++i) recorder->track[i].depth = 0;
  rewind(recorder->file);
  recorder->failed = ftruncate(fileno(recorder->file), 0) != 0;
}

static void record_begin(void *self, const ss_slice *slice)
{
  open_track *track = track_of(self, slice->rank, slice->stream);
  SS_ASSERT(track->depth < DEPTH_MAX);
  track->slice[track->depth++] = *slice;
}

static void record_end(void *self, int64_t rank, ss_stream stream, double time_s)
{
  ss_recorder *recorder = self;
  open_track *track = track_of(recorder, rank, stream);
  SS_ASSERT(track->depth > 0);
  const ss_slice *slice = &track->slice[--track->depth];
  const ss_kernel_class kind = ss_class_of_activity(slice->activity, stream);
  if (kind == SS_CLASS_COUNT) return;
  const recorded record = {.rank = rank,
                           .work = {.start_s = slice->time_s,
                                    .end_s = time_s,
                                    .kind = kind,
                                    .layer = slice->layer,
                                    .is_kernel = ss_activity_is_kernel(slice->activity)}};
  recorder->failed = recorder->failed || fwrite(&record, sizeof record, 1, recorder->file) != 1;
}

static void record_arrow(void *self, const ss_arrow *arrow)
{
  (void)self;
  (void)arrow;
}

static void record_traffic(void *self, const ss_traffic *traffic)
{
  (void)self;
  (void)traffic;
}

static void record_advance(void *self, double time_s)
{
  (void)self;
  (void)time_s;
}

static ss_status refuse(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0, "cannot keep what the replay does in a temporary file");
}

static ss_status record_close(void *self, double end_s, ss_error *error)
{
  ss_recorder *recorder = self;
  (void)end_s;
  return !recorder->failed && fflush(recorder->file) == 0 ? SS_OK : refuse(error);
}

static const char *temporary_folder(void)
{
  const char *folder = getenv("TMPDIR");
  return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

/* A file without a name; NULL, with errno, where there is none. */
static FILE *open_nameless(void)
{
  char path[SS_PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/stepsim-XXXXXX", temporary_folder());
  errno = ENAMETOOLONG;
  const int descriptor = length < (int)sizeof path ? mkstemp(path) : -1;
  if (descriptor < 0) return NULL;
  (void)unlink(path);
  FILE *file = fdopen(descriptor, "w+b");
  if (file == NULL) (void)close(descriptor);
  return file;
}

ss_status ss_recorder_create(const int64_t *rank, int64_t count, ss_timeline *timeline, ss_recorder **recorder,
                             ss_error *error)
{
  SS_ASSERT(count > 0 && count <= SS_RECORDED_RANKS);
  *timeline = (ss_timeline){.open = record_open,
                            .begin = record_begin,
                            .end = record_end,
                            .arrow = record_arrow,
                            .traffic = record_traffic,
                            .advance = record_advance,
                            .close = record_close};
  timeline->ranks.count = count;
  for (int64_t i = 0; i < count; ++i) {
    timeline->ranks.range[i].first = timeline->ranks.range[i].last = rank[i];
    timeline->ranks.range[i].step = 1;
  }
  ss_recorder *made = calloc(1, sizeof *made);
  *recorder = timeline->self = made;
  if (made == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a comparison");
  made->timeline = timeline;
  made->track = calloc((size_t)count * SS_STREAM_COUNT, sizeof *made->track);
  made->file = open_nameless();
  if (made->track == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a comparison");
  if (made->file != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0,
                      "cannot open a temporary file in %s: %s; allowed: a folder in TMPDIR that can be written to",
                      temporary_folder(), strerror(errno));
}

ss_status ss_recorder_log(ss_recorder *recorder, int64_t rank, ss_work_log *log, ss_error *error)
{
  recorded record;
  ss_status status = SS_OK;
  rewind(recorder->file);
  while (status == SS_OK && fread(&record, sizeof record, 1, recorder->file) == 1)
    if (record.rank == rank) status = ss_work_log_add(log, &record.work, error);
  if (status == SS_OK && ferror(recorder->file)) status = refuse(error);
  ss_work_log_sort(log);
  return status;
}

void ss_recorder_destroy(ss_recorder *recorder)
{
  if (recorder == NULL) return;
  if (recorder->file != NULL) (void)fclose(recorder->file);
  free(recorder->track);
  free(recorder);
}
