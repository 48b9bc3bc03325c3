/* The Paje trace format: job > node > GPU > stream, states on the streams, links between them, variables per GPU. */
#include <inttypes.h>

#include "sim/report/timelines/format.h"

/* Picoseconds; a fixed number of decimals keeps times in order when they are rounded. */
#define TIME "%.12f"

typedef enum event_id {
  DEFINE_CONTAINER_TYPE,
  DEFINE_STATE_TYPE,
  DEFINE_VARIABLE_TYPE,
  DEFINE_LINK_TYPE,
  DEFINE_VALUE,
  CREATE_CONTAINER,
  DESTROY_CONTAINER,
  PUSH_STATE,
  POP_STATE,
  START_LINK,
  END_LINK,
  SET_VARIABLE
} event_id;

#define MAX_FIELDS 8

static const struct {
  const char *name;
  const char *fields[MAX_FIELDS];
} events[] = {
    [DEFINE_CONTAINER_TYPE] = {"PajeDefineContainerType", {"Alias string", "Type string", "Name string"}},
    [DEFINE_STATE_TYPE] = {"PajeDefineStateType", {"Alias string", "Type string", "Name string"}},
    [DEFINE_VARIABLE_TYPE] = {"PajeDefineVariableType", {"Alias string", "Type string", "Name string", "Color color"}},
    [DEFINE_LINK_TYPE] = {"PajeDefineLinkType",
                          {"Alias string", "Type string", "StartContainerType string", "EndContainerType string",
                           "Name string"}},
    [DEFINE_VALUE] = {"PajeDefineEntityValue", {"Alias string", "Type string", "Name string", "Color color"}},
    [CREATE_CONTAINER] = {"PajeCreateContainer",
                          {"Time date", "Alias string", "Type string", "Container string", "Name string"}},
    [DESTROY_CONTAINER] = {"PajeDestroyContainer", {"Time date", "Type string", "Name string"}},
    [PUSH_STATE] = {"PajePushState",
                    {"Time date", "Container string", "Type string", "Value string", "MicroBatch int", "Chunk int",
                     "Layer int", "Direction string"}},
    [POP_STATE] = {"PajePopState", {"Time date", "Container string", "Type string"}},
    [START_LINK] = {"PajeStartLink",
                    {"Time date", "Container string", "Type string", "StartContainer string", "Value string",
                     "Key string", "MicroBatch int", "Chunk int"}},
    [END_LINK] = {"PajeEndLink",
                  {"Time date", "Container string", "Type string", "EndContainer string", "Value string", "Key string",
                   "MicroBatch int", "Chunk int"}},
    [SET_VARIABLE] = {"PajeSetVariable", {"Time date", "Container string", "Type string", "Value double"}},
};

static const double port_colours[][3] = {
    [SS_PORT_NVLINK_OUT] = {0.17, 0.63, 0.17},
    [SS_PORT_NVLINK_IN] = {0.60, 0.87, 0.54},
    [SS_PORT_NIC_OUT] = {0.12, 0.47, 0.71},
    [SS_PORT_NIC_IN] = {0.68, 0.78, 0.91},
};
_Static_assert(sizeof port_colours / sizeof port_colours[0] == SS_PORT_COUNT, "every port has a colour");

/* A quoted string at the end of a line. Paje knows no escapes, an empty string swallows what follows, one of its
 * readers never returns from bytes outside ASCII, and pj_dump prints commas between columns. */
static void print_string(ss_output *output, const char *text)
{
  char part[256];
  size_t length = 0;
  for (; *text != '\0' && length + 1 < sizeof part; text++) {
    if (*text == '"') {
      part[length++] = '\'';
    } else if (*text == ',') {
      part[length++] = ';';
    } else if (*text >= ' ' && *text <= '~') {
      part[length++] = *text;
    } else {
      part[length++] = '?';
    }
  }
  if (length == 0) part[length++] = '-';
  part[length] = '\0';
  ss_output_print(output, "\"%s\"\n", part);
}

static void print_colour(ss_output *output, const double *colour)
{
  ss_output_print(output, " \"%.2f %.2f %.2f\"\n", colour[0], colour[1], colour[2]);
}

static void define_events(ss_output *output)
{
  for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
    ss_output_print(output, "%%EventDef %s %zu\n", events[i].name, i);
    for (size_t j = 0; j < MAX_FIELDS && events[i].fields[j] != NULL; j++) {
      ss_output_print(output, "%% %s\n", events[i].fields[j]);
    }
    ss_output_print(output, "%%EndEventDef\n");
  }
}

/* Aliases of the types: J, N, G, S the containers, A the state, L the link, V0 ... the variables. */
static void define_types(ss_output *output)
{
  static const char *const containers[][3] = {
      {"J", "0", "Job"}, {"N", "J", "Node"}, {"G", "N", "GPU"}, {"S", "G", "Stream"}};
  for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++) {
    ss_output_print(output, "%d %s %s \"%s\"\n", DEFINE_CONTAINER_TYPE, containers[i][0], containers[i][1],
                    containers[i][2]);
  }
  ss_output_print(output, "%d A S \"Activity\"\n%d L J S S \"Message\"\n", DEFINE_STATE_TYPE, DEFINE_LINK_TYPE);
  for (int port = 0; port < SS_PORT_COUNT; port++) {
    ss_output_print(output, "%d V%d G \"%s (%%)\"", DEFINE_VARIABLE_TYPE, port, ss_port_name((ss_port)port));
    print_colour(output, port_colours[port]);
  }
}

/* Values a0 ... are the activities, m0 and m1 the messages. */
static void define_values(ss_output *output)
{
  for (int i = 0; i < SS_ACTIVITY_COUNT; i++) {
    const ss_activity activity = (ss_activity)i;
    ss_output_print(output, "%d a%d A \"%s\"", DEFINE_VALUE, i, ss_activity_name(activity));
    print_colour(output, ss_category_colour(ss_activity_category(activity)));
  }
#define DEFINE_MESSAGE(gradients, name, from, to, to_other, red, green, blue)                                          \
  ss_output_print(output, "%d m%d L \"%s\"", DEFINE_VALUE, (int)(gradients), name);                                    \
  print_colour(output, (const double[]){red, green, blue});
  SS_MESSAGE_LIST(DEFINE_MESSAGE)
#undef DEFINE_MESSAGE
}

/* Viewers that are short of room show how a name begins, so that of the stream comes first. */
static void create_gpu(ss_trace *trace, int64_t rank)
{
  ss_output *output = &trace->output;
  char name[SS_GPU_NAME_SIZE];
  ss_trace_gpu_name(trace, rank, name);
  ss_output_print(output, "%d 0 g%" PRId64 " G n%" PRId64 " \"%s\"\n", CREATE_CONTAINER, rank,
                  ss_trace_node(trace, rank), name);
  for (int stream = 0; stream < SS_STREAM_COUNT; stream++) {
    ss_output_print(output, "%d 0 s%" PRId64 ".%d S g%" PRId64 " \"%s rank %" PRId64 "\"\n", CREATE_CONTAINER, rank,
                    stream, rank, ss_stream_name((ss_stream)stream), rank);
  }
  for (int port = 0; port < SS_PORT_COUNT; port++) {
    if (trace->job.port_bytes_per_s[port] <= 0.0) continue;
    ss_output_print(output, "%d 0 g%" PRId64 " V%d 0\n", SET_VARIABLE, rank, port);
  }
}

static void destroy_gpu(ss_trace *trace, int64_t rank, double end_s)
{
  for (int stream = 0; stream < SS_STREAM_COUNT; stream++) {
    ss_output_print(&trace->output, "%d " TIME " S s%" PRId64 ".%d\n", DESTROY_CONTAINER, end_s, rank, stream);
  }
  ss_output_print(&trace->output, "%d " TIME " G g%" PRId64 "\n", DESTROY_CONTAINER, end_s, rank);
}

static void create_node(ss_trace *trace, int64_t node)
{
  ss_output_print(&trace->output, "%d 0 n%" PRId64 " N j \"node %" PRId64 "\"\n", CREATE_CONTAINER, node, node);
}

static void paje_open(ss_trace *trace)
{
  define_events(&trace->output);
  define_types(&trace->output);
  define_values(&trace->output);
  ss_output_print(&trace->output, "%d 0 j J 0 ", CREATE_CONTAINER);
  print_string(&trace->output, trace->job.name);
  for (int64_t node = 0; node < trace->nodes; node++) {
    if (trace->drawn_nodes[node]) create_node(trace, node);
  }
  for (int64_t rank = 0; rank < trace->job.ranks; rank++) {
    if (ss_trace_has(trace, rank)) create_gpu(trace, rank);
  }
}

static void paje_begin(ss_trace *trace, const ss_slice *slice)
{
  ss_output_print(&trace->output, "%d " TIME " s%" PRId64 ".%d A a%d %" PRId64 " %" PRId64 " %" PRId64 " %s\n",
                  PUSH_STATE, slice->time_s, slice->rank, slice->stream, slice->activity, slice->micro_batch,
                  slice->chunk, slice->layer, slice->backward ? "backward" : "forward");
}

static void paje_end(ss_trace *trace, ss_track track, double time_s)
{
  ss_output_print(&trace->output, "%d " TIME " s%" PRId64 ".%d A\n", POP_STATE, time_s, track.rank, track.stream);
}

static void write_link(ss_trace *trace, event_id event, ss_track track, double time_s, const ss_trace_message *message)
{
  ss_output_print(&trace->output, "%d " TIME " j L s%" PRId64 ".%d m%d k%" PRId64 " %" PRId64 " %" PRId64 "\n", event,
                  time_s, track.rank, track.stream, message->arrow.gradients, message->key, message->arrow.micro_batch,
                  message->arrow.chunk);
}

static void paje_depart(ss_trace *trace, const ss_trace_message *message)
{
  write_link(trace, START_LINK, ss_message_source(&message->arrow), message->arrow.start_s, message);
}

static void paje_arrive(ss_trace *trace, const ss_trace_message *message)
{
  write_link(trace, END_LINK, ss_message_target(&message->arrow), message->arrow.end_s, message);
}

static void paje_utilisation(ss_trace *trace, int64_t rank, ss_port port, double time_s, double fraction)
{
  ss_output_print(&trace->output, "%d " TIME " g%" PRId64 " V%d %.9g\n", SET_VARIABLE, time_s, rank, port,
                  100.0 * fraction);
}

/* Containers of a node end before it, so that readers see every end. */
static void paje_close(ss_trace *trace, double end_s)
{
  for (int64_t rank = 0; rank < trace->job.ranks; rank++) {
    if (ss_trace_has(trace, rank)) destroy_gpu(trace, rank, end_s);
  }
  for (int64_t node = 0; node < trace->nodes; node++) {
    if (!trace->drawn_nodes[node]) continue;
    ss_output_print(&trace->output, "%d " TIME " N n%" PRId64 "\n", DESTROY_CONTAINER, end_s, node);
  }
  ss_output_print(&trace->output, "%d " TIME " J j\n", DESTROY_CONTAINER, end_s);
}

const ss_trace_format ss_trace_format_paje = {.open = paje_open,
                                              .begin = paje_begin,
                                              .end = paje_end,
                                              .depart = paje_depart,
                                              .arrive = paje_arrive,
                                              .utilisation = paje_utilisation,
                                              .close = paje_close,
                                              .slice_bytes = 75.0,
                                              .load_bytes = 35.0};
