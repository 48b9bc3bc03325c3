#include "sim/report/timelines/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/report.h"
#include "sim/report/timelines/format.h"
#include "sim/report/timelines/reorder.h"
#include "sim/report/timelines/utilisation.h"

/* What gzip leaves of a timeline, in which much is repeated: measured, 1 / 13 to 1 / 16 (docs/timelines.md). */
#define COMPRESSED 0.07

typedef struct trace_kind {
  const char *extension;
  const ss_trace_format *format;
  double size; /* of the file, as a share of what the format writes */
} trace_kind;

static const trace_kind formats[] = {
    {".paje", &ss_trace_format_paje, 1.0},
    {".trace", &ss_trace_format_paje, 1.0},
    {".json", &ss_trace_format_chrome, 1.0},
    {".json.gz", &ss_trace_format_chrome, COMPRESSED},
};
#define FORMATS (sizeof formats / sizeof formats[0])

/* The load of a port is written about as often in an iteration, at most twice. */
#define COUNTER_SAMPLES 300.0

typedef struct ss_writer {
  ss_trace trace;
  const trace_kind *kind;
  const ss_timeline *timeline; /* whose selection counts: callers set it after create */
  ss_reorder reorder;
  ss_utilisation utilisation;
  int32_t *depth; /* [ranks * SS_STREAM_COUNT] slices that are open on each track, as reported; owned */
  ss_nest *nest;  /* [ranks * SS_STREAM_COUNT] those of each track, as written; NULL: told one by one; owned */
  int64_t arrows;
  double advanced_s; /* nothing earlier may be reported */
  double last_s;     /* the latest time that was reported */
  bool opened, out_of_memory;
} ss_writer;

static int64_t track_index(ss_track track)
{
  return track.rank * SS_STREAM_COUNT + (int64_t)track.stream;
}

static void push(ss_writer *writer, ss_trace_event event)
{
  SS_ASSERT(event.time_s >= writer->advanced_s);
  writer->last_s = fmax(writer->last_s, event.time_s);
  if (!ss_reorder_push(&writer->reorder, &event)) writer->out_of_memory = true;
}

/* Order of events of one time, so that a message lies within the slices that it joins, which begin and end with it. */
enum { TURN_ARRIVE, TURN_SLICE, TURN_DEPART, TURN_ARRIVE_AT_ONCE, TURN_LOAD };

static void writer_begin(void *self, const ss_slice *slice)
{
  ss_writer *writer = self;
  if (writer->out_of_memory) return;
  SS_ASSERT(ss_trace_has(&writer->trace, slice->rank));
  writer->depth[track_index((ss_track){slice->rank, slice->stream})]++;
  push(writer,
       (ss_trace_event){.time_s = slice->time_s, .kind = SS_EVENT_BEGIN, .turn = TURN_SLICE, .of.slice = *slice});
}

static void writer_end(void *self, int64_t rank, ss_stream stream, double time_s)
{
  ss_writer *writer = self;
  if (writer->out_of_memory) return;
  SS_ASSERT(ss_trace_has(&writer->trace, rank));
  const ss_track track = {rank, stream};
  SS_ASSERT(writer->depth[track_index(track)] > 0);
  writer->depth[track_index(track)]--;
  push(writer, (ss_trace_event){.time_s = time_s, .kind = SS_EVENT_END, .turn = TURN_SLICE, .of.track = track});
}

static void writer_arrow(void *self, const ss_arrow *arrow)
{
  ss_writer *writer = self;
  if (writer->out_of_memory) return;
  /* A message to or from a rank that is not drawn has no second end. */
  if (!ss_trace_has(&writer->trace, arrow->from_rank) || !ss_trace_has(&writer->trace, arrow->to_rank)) return;
  SS_ASSERT(arrow->end_s >= arrow->start_s);
  const ss_trace_message message = {*arrow, writer->arrows++};
  const int32_t arrival = arrow->end_s > arrow->start_s ? TURN_ARRIVE : TURN_ARRIVE_AT_ONCE;
  push(writer,
       (ss_trace_event){.time_s = arrow->start_s, .kind = SS_EVENT_DEPART, .turn = TURN_DEPART, .of.message = message});
  push(writer,
       (ss_trace_event){.time_s = arrow->end_s, .kind = SS_EVENT_ARRIVE, .turn = arrival, .of.message = message});
}

static void writer_traffic(void *self, const ss_traffic *traffic)
{
  ss_writer *writer = self;
  if (writer->out_of_memory) return;
  SS_ASSERT(ss_trace_has(&writer->trace, traffic->rank) && traffic->end_s >= traffic->start_s);
  const double capacity_bytes_per_s = writer->trace.job.port_bytes_per_s[traffic->port];
  if (traffic->bytes <= 0.0 || traffic->end_s == traffic->start_s || capacity_bytes_per_s <= 0.0) return;
  ss_link_sample load = {.rank = traffic->rank, .port = traffic->port, .flows = 1};
  load.fraction = traffic->bytes / (traffic->end_s - traffic->start_s) / capacity_bytes_per_s;
  push(writer, (ss_trace_event){.time_s = traffic->start_s, .kind = SS_EVENT_LOAD, .turn = TURN_LOAD, .of.load = load});
  load.flows = -load.flows;
  load.fraction = -load.fraction;
  push(writer, (ss_trace_event){.time_s = traffic->end_s, .kind = SS_EVENT_LOAD, .turn = TURN_LOAD, .of.load = load});
}

static void begin_slice(ss_writer *writer, const ss_slice *slice)
{
  if (writer->nest == NULL)
    writer->kind->format->begin(&writer->trace, slice);
  else if (!ss_nest_begin(&writer->nest[track_index((ss_track){slice->rank, slice->stream})], slice))
    writer->out_of_memory = true;
}

static void end_slice(ss_writer *writer, ss_track track, double time_s)
{
  if (writer->nest == NULL) {
    writer->kind->format->end(&writer->trace, track, time_s);
    return;
  }
  ss_nest *nest = &writer->nest[track_index(track)];
  if (!ss_nest_end(nest, time_s)) return;
  writer->kind->format->slices(&writer->trace, nest->slice, nest->count);
  nest->count = 0;
}

static void write_event(ss_writer *writer, const ss_trace_event *event)
{
  switch (event->kind) {
  case SS_EVENT_BEGIN: begin_slice(writer, &event->of.slice); break;
  case SS_EVENT_END: end_slice(writer, event->of.track, event->time_s); break;
  case SS_EVENT_DEPART: writer->kind->format->depart(&writer->trace, &event->of.message); break;
  case SS_EVENT_ARRIVE: writer->kind->format->arrive(&writer->trace, &event->of.message); break;
  case SS_EVENT_LOAD: ss_utilisation_change(&writer->utilisation, &event->of.load, event->time_s); break;
  }
}

/* Writes what happens before `time_s`. */
static void flush(ss_writer *writer, double time_s)
{
  ss_trace_event event;
  while (!writer->out_of_memory && ss_reorder_pop(&writer->reorder, time_s, &event)) {
    ss_utilisation_settle(&writer->utilisation, event.time_s, writer->kind->format, &writer->trace);
    write_event(writer, &event);
  }
}

static void writer_advance(void *self, double time_s)
{
  ss_writer *writer = self;
  if (writer->out_of_memory) return;
  SS_ASSERT(time_s >= writer->advanced_s);
  writer->advanced_s = time_s;
  flush(writer, time_s);
}

static void writer_open(void *self, const ss_timeline_job *job)
{
  ss_writer *writer = self;
  SS_ASSERT(!writer->opened && job->ranks > 0 && job->domain_size > 0);
  writer->opened = true;
  ss_output_restart(&writer->trace.output);
  const size_t tracks = (size_t)(job->ranks * SS_STREAM_COUNT);
  writer->depth = calloc(tracks, sizeof *writer->depth);
  if (writer->kind->format->slices != NULL) writer->nest = calloc(tracks, sizeof *writer->nest);
  if (!ss_trace_init_job(&writer->trace, job, writer->timeline) || writer->depth == NULL ||
      (writer->kind->format->slices != NULL && writer->nest == NULL) ||
      !ss_utilisation_init(&writer->utilisation, job->ranks, job->expected_s / COUNTER_SAMPLES)) {
    writer->out_of_memory = true;
    return;
  }
  writer->kind->format->open(&writer->trace);
}

/* Ends the slices that a replay which stopped early left open, so that every format has closed ones. */
static void end_open_slices(ss_writer *writer, double end_s)
{
  for (int64_t rank = 0; rank < writer->trace.job.ranks; rank++) {
    for (int stream = 0; stream < SS_STREAM_COUNT; stream++) {
      const ss_track track = {rank, (ss_stream)stream};
      while (writer->depth[track_index(track)] > 0) writer_end(writer, rank, track.stream, end_s);
    }
  }
}

static ss_status writer_close(void *self, double end_s, ss_error *error)
{
  ss_writer *writer = self;
  SS_ASSERT(writer->opened);
  if (!writer->out_of_memory) {
    end_s = fmax(end_s, writer->last_s);
    end_open_slices(writer, end_s);
    flush(writer, INFINITY);
    ss_utilisation_finish(&writer->utilisation, end_s, writer->kind->format, &writer->trace);
  }
  if (writer->out_of_memory) {
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "cannot write \"%s\": out of memory",
                        writer->trace.output.path);
  }
  writer->kind->format->close(&writer->trace, end_s);
  return ss_output_close(&writer->trace.output, error);
}

static const trace_kind *kind_of(const char *path)
{
  const size_t length = strlen(path);
  for (size_t i = 0; i < FORMATS; i++) {
    const size_t size = strlen(formats[i].extension);
    if (length >= size && strcmp(path + length - size, formats[i].extension) == 0) return &formats[i];
  }
  return NULL;
}

static ss_status unknown_extension(const char *path, ss_error *error)
{
  char allowed[64] = "";
  size_t length = 0;
  for (size_t i = 0; i < FORMATS && length < sizeof allowed; i++) {
    const int added =
        snprintf(allowed + length, sizeof allowed - length, "%s%s", i > 0 ? ", " : "", formats[i].extension);
    length += (size_t)added;
  }
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "trace file \"%s\": unknown extension; allowed: %s", path,
                      allowed);
}

ss_status ss_timeline_create(const char *path, ss_timeline *timeline, ss_error *error)
{
  timeline->self = NULL;
  const trace_kind *kind = kind_of(path);
  if (kind == NULL) return unknown_extension(path, error);
  ss_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  ss_status status = ss_output_open(&writer->trace.output, path, error);
  if (status == SS_OK && kind->size < 1.0) status = ss_output_compress(&writer->trace.output, error);
  if (status != SS_OK) {
    ss_output_free(&writer->trace.output);
    free(writer);
    return status;
  }
  writer->kind = kind;
  writer->timeline = timeline;
  timeline->self = writer;
  timeline->once = writer->trace.output.temporary == NULL;
  timeline->open = writer_open;
  timeline->begin = writer_begin;
  timeline->end = writer_end;
  timeline->arrow = writer_arrow;
  timeline->traffic = writer_traffic;
  timeline->advance = writer_advance;
  timeline->close = writer_close;
  return SS_OK;
}

double ss_timeline_bytes(const ss_timeline *timeline, double slices, double loads)
{
  const ss_writer *writer = timeline->self;
  return (slices * writer->kind->format->slice_bytes + loads * writer->kind->format->load_bytes) * writer->kind->size;
}

static void free_nests(ss_writer *writer)
{
  for (int64_t i = 0; writer->nest != NULL && i < writer->trace.job.ranks * SS_STREAM_COUNT; i++)
    ss_nest_free(&writer->nest[i]);
  free(writer->nest);
}

void ss_timeline_destroy(ss_timeline *timeline)
{
  ss_writer *writer = timeline->self;
  if (writer != NULL) {
    free_nests(writer);
    ss_trace_free(&writer->trace);
    ss_reorder_free(&writer->reorder);
    ss_utilisation_free(&writer->utilisation);
    free(writer->depth);
    free(writer);
  }
  *timeline = (ss_timeline){0};
}

int64_t ss_timeline_peak_events(const ss_timeline *timeline)
{
  const ss_writer *writer = timeline->self;
  return writer->reorder.peak;
}
