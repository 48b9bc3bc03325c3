/* The trace event format of Chrome and Perfetto: a process per GPU, a thread per stream. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "sim/report/format.h"

/* Microseconds down to picoseconds; a fixed number of decimals keeps times in order when they are rounded. */
#define TIME "%.6f"

static double microseconds(double time_s)
{
  return 1e6 * time_s;
}

/* Viewers keep process and thread 0 for the idle task, and draw a thread whose number is its process's first. */
static int64_t process_of(int64_t rank)
{
  return rank + 1;
}

static int64_t thread_of(ss_track track)
{
  return process_of(track.rank) * SS_STREAM_COUNT + (int64_t)track.stream;
}
_Static_assert(SS_STREAM_COUNT > 1, "threads differ from their process");

/* Begins an event with its phase and process; the caller adds members and ends it with a brace. */
static void begin_record(ss_trace *trace, const char *phase, int64_t rank)
{
  ss_output_print(&trace->output, "%s{\"ph\":\"%s\",\"pid\":%" PRId64, trace->records++ == 0 ? "\n" : ",\n", phase,
                  process_of(rank));
}

static void begin_track_record(ss_trace *trace, const char *phase, ss_track track, double time_s)
{
  begin_record(trace, phase, track.rank);
  ss_output_print(&trace->output, ",\"tid\":%" PRId64 ",\"ts\":" TIME, thread_of(track), microseconds(time_s));
}

static void name_process(ss_trace *trace, int64_t rank)
{
  ss_output *output = &trace->output;
  char name[SS_GPU_NAME_SIZE];
  ss_trace_gpu_name(trace, rank, name);
  begin_record(trace, "M", rank);
  ss_output_print(output, ",\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}", name);
  begin_record(trace, "M", rank);
  ss_output_print(output, ",\"name\":\"process_labels\",\"args\":{\"labels\":\"node %" PRId64 "\"}}",
                  ss_trace_node(trace, rank));
  begin_record(trace, "M", rank);
  ss_output_print(output, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRId64 "}}", rank);
}

static void name_thread(ss_trace *trace, ss_track track)
{
  const int64_t thread = thread_of(track);
  begin_record(trace, "M", track.rank);
  ss_output_print(&trace->output, ",\"tid\":%" PRId64 ",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", thread,
                  ss_stream_name(track.stream));
  begin_record(trace, "M", track.rank);
  ss_output_print(&trace->output, ",\"tid\":%" PRId64 ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
                  thread, track.stream);
}

static void chrome_utilisation(ss_trace *trace, int64_t rank, ss_port port, double time_s, double fraction)
{
  begin_record(trace, "C", rank);
  ss_output_print(&trace->output, ",\"ts\":" TIME ",\"name\":\"%s\",\"args\":{\"percent\":%.9g}}", microseconds(time_s),
                  ss_port_name(port), 100.0 * fraction);
}

static void start_gpu(ss_trace *trace, int64_t rank)
{
  name_process(trace, rank);
  for (int stream = 0; stream < SS_STREAM_COUNT; stream++) name_thread(trace, (ss_track){rank, (ss_stream)stream});
  for (int port = 0; port < SS_PORT_COUNT; port++) {
    if (trace->job.port_bytes_per_s[port] > 0.0) chrome_utilisation(trace, rank, (ss_port)port, 0.0, 0.0);
  }
}

static void chrome_open(ss_trace *trace)
{
  json_t *string = json_string(trace->job.name);
  char *name = json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  /* A name that is not UTF-8 has no place in JSON. */
  ss_output_print(&trace->output, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"name\":%s},\"traceEvents\":[",
                  name != NULL ? name : "\"\"");
  free(name);
  json_decref(string);
  for (int64_t rank = 0; rank < trace->job.ranks; rank++) {
    if (ss_trace_has(trace, rank)) start_gpu(trace, rank);
  }
}

static void print_index(ss_output *output, const char *key, int64_t index)
{
  if (index != SS_NO_INDEX) ss_output_print(output, ",\"%s\":%" PRId64, key, index);
}

/* Beginnings and ends rather than durations: rounded one by one they never overlap. */
static void chrome_begin(ss_trace *trace, const ss_slice *slice)
{
  ss_output *output = &trace->output;
  begin_track_record(trace, "B", (ss_track){slice->rank, slice->stream}, slice->time_s);
  ss_output_print(output, ",\"name\":\"%s\",\"cat\":\"%s\",\"args\":{\"direction\":\"%s\"",
                  ss_activity_name(slice->activity), ss_category_name(ss_activity_category(slice->activity)),
                  slice->backward ? "backward" : "forward");
  print_index(output, "micro_batch", slice->micro_batch);
  print_index(output, "chunk", slice->chunk);
  print_index(output, "layer", slice->layer);
  ss_output_print(output, "}}");
}

static void chrome_end(ss_trace *trace, ss_track track, double time_s)
{
  begin_track_record(trace, "E", track, time_s);
  ss_output_print(&trace->output, "}");
}

static void add_message(ss_trace *trace, const ss_trace_message *message)
{
  ss_output_print(&trace->output, ",\"id\":%" PRId64 ",\"name\":\"%s\",\"cat\":\"%s\",\"args\":{\"bytes\":%.17g",
                  message->key, ss_message_name(&message->arrow), ss_category_name(SS_CATEGORY_MESSAGE),
                  message->arrow.bytes);
  print_index(&trace->output, "micro_batch", message->arrow.micro_batch);
  print_index(&trace->output, "chunk", message->arrow.chunk);
  ss_output_print(&trace->output, "}}");
}

static void chrome_depart(ss_trace *trace, const ss_trace_message *message)
{
  begin_track_record(trace, "s", ss_message_source(&message->arrow), message->arrow.start_s);
  add_message(trace, message);
}

static void chrome_arrive(ss_trace *trace, const ss_trace_message *message)
{
  begin_track_record(trace, "f", ss_message_target(&message->arrow), message->arrow.end_s);
  ss_output_print(&trace->output, ",\"bp\":\"e\"");
  add_message(trace, message);
}

static void chrome_close(ss_trace *trace, double end_s)
{
  (void)end_s;
  ss_output_print(&trace->output, "\n]}\n");
}

const ss_trace_format ss_trace_format_chrome = {.open = chrome_open,
                                                .begin = chrome_begin,
                                                .end = chrome_end,
                                                .depart = chrome_depart,
                                                .arrive = chrome_arrive,
                                                .utilisation = chrome_utilisation,
                                                .close = chrome_close};
