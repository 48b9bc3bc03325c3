/* The trace event format of Chrome and Perfetto: a process per GPU, a thread per stream. Times are microseconds, and
 * nothing says displayTimeUnit: "ns" made Perfetto take them for nanoseconds until 2022 (github.com/google/perfetto,
 * issues 106 and 274).
 *
 * A slice is one complete event, "X", with its start and its duration in microseconds, the outer one before those in
 * it. Viewers add the two up in floating point; Perfetto cuts each to whole nanoseconds, and drops a slice that then
 * crosses the end of another one. So times are whole nanoseconds, and what is written is a little off: a start a
 * quarter of a nanosecond later, a duration half a nanosecond shorter, and shorter still inside other slices. Whichever
 * way a viewer rounds, slices nest, and one that follows another begins behind its end. What takes no nanosecond is not
 * written. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "sim/report/timelines/format.h"
#include "sim/report/timelines/line.h"
#include "sim/report/timelines/nest.h"

/* Hundredths of a nanosecond: what is added to a start and taken from a duration, and for each slice around it. */
enum { HUNDREDTHS = 100, LATER = 25, SHORTER = 50, SHORTER_INSIDE = 4, DEPTH_MAX = 12, DECIMALS = 5 };
_Static_assert(SHORTER + DEPTH_MAX * SHORTER_INSIDE < HUNDREDTHS, "a duration is one nanosecond shorter at most");

/* A message leaves and arrives inside its slices, the ends of which a viewer may count as outside. */
enum { INSIDE_NS = 2 };

static int64_t nanoseconds(double time_s)
{
  return llround(1e9 * time_s);
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
static ss_text_line begin_record(ss_trace *trace, const char *phase, int64_t rank)
{
  ss_text_line line = {.length = 0};
  ss_line_text(&line, trace->records++ == 0 ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
  ss_line_text(&line, phase);
  ss_line_text(&line, "\",\"pid\":");
  ss_line_integer(&line, process_of(rank));
  return line;
}

static void end_record(ss_trace *trace, ss_text_line *line, const char *end)
{
  ss_line_text(line, end);
  ss_line_write(line, &trace->output);
}

static void add_text(ss_text_line *line, const char *key, const char *text)
{
  ss_line_text(line, key);
  ss_line_text(line, "\"");
  ss_line_text(line, text);
  ss_line_text(line, "\"");
}

static void add_integer(ss_text_line *line, const char *key, int64_t number)
{
  ss_line_text(line, key);
  ss_line_integer(line, number);
}

static void add_quantity(ss_text_line *line, const char *key, double quantity)
{
  if (quantity == 0.0) return;
  ss_line_text(line, key);
  ss_line_quantity(line, quantity);
}

static void add_time(ss_text_line *line, const char *key, int64_t hundredths)
{
  ss_line_text(line, key);
  ss_line_decimal(line, hundredths, DECIMALS);
}

static ss_text_line begin_track_record(ss_trace *trace, const char *phase, ss_track track, int64_t time_ns)
{
  ss_text_line line = begin_record(trace, phase, track.rank);
  add_integer(&line, ",\"tid\":", thread_of(track));
  add_time(&line, ",\"ts\":", HUNDREDTHS * time_ns + LATER);
  return line;
}

static void name_process(ss_trace *trace, int64_t rank)
{
  char name[SS_GPU_NAME_SIZE];
  ss_trace_gpu_name(trace, rank, name);
  ss_text_line line = begin_record(trace, "M", rank);
  add_text(&line, ",\"name\":\"process_name\",\"args\":{\"name\":", name);
  end_record(trace, &line, "}}");
  line = begin_record(trace, "M", rank);
  add_integer(&line, ",\"name\":\"process_labels\",\"args\":{\"labels\":\"node ", ss_trace_node(trace, rank));
  end_record(trace, &line, "\"}}");
  line = begin_record(trace, "M", rank);
  add_integer(&line, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":", rank);
  end_record(trace, &line, "}}");
}

static void name_thread(ss_trace *trace, ss_track track)
{
  ss_text_line line = begin_record(trace, "M", track.rank);
  add_integer(&line, ",\"tid\":", thread_of(track));
  add_text(&line, ",\"name\":\"thread_name\",\"args\":{\"name\":", ss_stream_name(track.stream));
  end_record(trace, &line, "}}");
  line = begin_record(trace, "M", track.rank);
  add_integer(&line, ",\"tid\":", thread_of(track));
  add_integer(&line, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":", (int64_t)track.stream);
  end_record(trace, &line, "}}");
}

static void chrome_utilisation(ss_trace *trace, int64_t rank, ss_port port, double time_s, double fraction)
{
  ss_text_line line = begin_record(trace, "C", rank);
  add_time(&line, ",\"ts\":", HUNDREDTHS * nanoseconds(time_s));
  add_text(&line, ",\"name\":", ss_port_name(port));
  ss_line_text(&line, ",\"args\":{\"percent\":");
  ss_line_quantity(&line, 100.0 * fraction);
  end_record(trace, &line, "}}");
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
  ss_output_print(&trace->output, "{\"otherData\":{\"name\":%s", name != NULL ? name : "\"\"");
  if (trace->shown_micro_batches < trace->job.micro_batches)
    ss_output_print(&trace->output, ",\"micro_batches\":%lld,\"shown_micro_batches\":%lld",
                    (long long)trace->job.micro_batches, (long long)trace->shown_micro_batches);
  ss_output_print(&trace->output, "},\"traceEvents\":[");
  free(name);
  json_decref(string);
  for (int64_t rank = 0; rank < trace->job.ranks; rank++) {
    if (ss_trace_has(trace, rank)) start_gpu(trace, rank);
  }
}

static void add_index(ss_text_line *line, const char *key, int64_t index)
{
  if (index != SS_NO_INDEX) add_integer(line, key, index);
}

static void add_group(ss_text_line *line, const ss_slice *slice)
{
  if (slice->group == NULL) return;
  add_text(line, ",\"group\":", slice->group);
  add_integer(line, ",\"group_ranks\":", slice->group_ranks);
}

static void write_slice(ss_trace *trace, const ss_nested *nested)
{
  const ss_slice *slice = &nested->slice;
  const int64_t start_ns = nanoseconds(slice->time_s), duration_ns = nanoseconds(nested->end_s) - start_ns;
  SS_ASSERT(nested->depth <= DEPTH_MAX);
  if (duration_ns == 0) return;
  ss_text_line line = begin_track_record(trace, "X", (ss_track){slice->rank, slice->stream}, start_ns);
  add_time(&line, ",\"dur\":", HUNDREDTHS * duration_ns - SHORTER - (int64_t)SHORTER_INSIDE * nested->depth);
  add_text(&line, ",\"name\":", ss_activity_name(slice->activity));
  add_text(&line, ",\"cat\":", ss_category_name(ss_activity_category(slice->activity)));
  add_text(&line, ",\"args\":{\"direction\":", slice->backward ? "backward" : "forward");
  add_index(&line, ",\"micro_batch\":", slice->micro_batch);
  add_index(&line, ",\"chunk\":", slice->chunk);
  add_index(&line, ",\"layer\":", slice->layer);
  add_quantity(&line, ",\"flop\":", slice->flop);
  add_quantity(&line, ",\"bytes\":", slice->bytes);
  add_group(&line, slice);
  end_record(trace, &line, "}}");
}

static void chrome_slices(ss_trace *trace, const ss_nested *nested, int64_t count)
{
  for (int64_t i = 0; i < count; i++) write_slice(trace, &nested[i]);
}

static void add_message(ss_text_line *line, const ss_trace_message *message)
{
  add_integer(line, ",\"id\":", message->key);
  add_text(line, ",\"name\":", ss_message_name(&message->arrow));
  add_text(line, ",\"cat\":", ss_category_name(SS_CATEGORY_MESSAGE));
}

/* How far inside its slices a message leaves and arrives. */
static int64_t margin_ns(const ss_arrow *arrow)
{
  return nanoseconds(arrow->end_s) - nanoseconds(arrow->start_s) > 2 * (int64_t)INSIDE_NS ? INSIDE_NS : 0;
}

static void chrome_depart(ss_trace *trace, const ss_trace_message *message)
{
  const ss_arrow *arrow = &message->arrow;
  ss_text_line line =
      begin_track_record(trace, "s", ss_message_source(arrow), nanoseconds(arrow->start_s) + margin_ns(arrow));
  add_message(&line, message);
  ss_line_text(&line, ",\"args\":{\"bytes\":");
  ss_line_quantity(&line, arrow->bytes);
  add_index(&line, ",\"micro_batch\":", arrow->micro_batch);
  add_index(&line, ",\"chunk\":", arrow->chunk);
  end_record(trace, &line, "}}");
}

/* Without arguments, which are those of the departure: catapult warns of two of a name. */
static void chrome_arrive(ss_trace *trace, const ss_trace_message *message)
{
  const ss_arrow *arrow = &message->arrow;
  ss_text_line line =
      begin_track_record(trace, "f", ss_message_target(arrow), nanoseconds(arrow->end_s) - margin_ns(arrow));
  ss_line_text(&line, ",\"bp\":\"e\"");
  add_message(&line, message);
  end_record(trace, &line, "}");
}

static void chrome_close(ss_trace *trace, double end_s)
{
  (void)end_s;
  ss_output_print(&trace->output, "\n]}\n");
}

const ss_trace_format ss_trace_format_chrome = {.open = chrome_open,
                                                .slices = chrome_slices,
                                                .depart = chrome_depart,
                                                .arrive = chrome_arrive,
                                                .utilisation = chrome_utilisation,
                                                .close = chrome_close,
                                                .slice_bytes = 205.0,
                                                .load_bytes = 80.0};
