/* Execution traces of Chakra: messages of Protocol Buffers one after the other, each behind its length; the first one
 * is about all of the trace. Nodes with a duration that ran on the GPU are its kernels. Where no node says when it
 * started, all of them start as early as their dependencies allow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/graph/chakra.h"
#include "sim/traces/bytes.h"
#include "sim/traces/chakra_order.h"
#include "sim/traces/item.h"

/* A node has lists of what it depends on, but none is as long. */
#define MESSAGE_MAX (16u << 20)

typedef struct reading {
  const char *path;
  ss_bytes bytes;
  unsigned char *message; /* [room] owned */
  size_t room;
  int64_t index; /* of the message */
  ss_trace_sink *sink;
  ss_error *error;
  int64_t kernels;       /* of the GPU */
  bool has_times;        /* they do not all start at once */
  uint64_t origin;       /* microseconds at which times begin */
  ss_chakra_order order; /* of a trace without times */
} reading;

static ss_status refuse(const reading *r, const char *what)
{
  return ss_error_set(r->error, SS_ERROR_INPUT, r->path, 0, "message %lld %s; allowed: an execution trace of Chakra",
                      (long long)r->index, what);
}

/* The length of the next message; `ended` where there is none. */
static ss_status read_length(reading *r, uint64_t *length, bool *ended)
{
  *length = 0;
  *ended = false;
  for (int i = 0; i < 5; ++i) {
    unsigned char byte;
    size_t count;
    const ss_status status = ss_bytes_read(&r->bytes, &byte, 1, &count, r->error);
    if (status != SS_OK) return status;
    *ended = count == 0 && i == 0;
    if (*ended) return SS_OK;
    if (count == 0) return refuse(r, "ends early");
    *length |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return *length <= MESSAGE_MAX ? SS_OK : refuse(r, "is longer than 16 MiB");
  }
  return refuse(r, "has no length");
}

static ss_status read_message(reading *r, ss_wire *wire, bool *ended)
{
  uint64_t length;
  size_t count = 0;
  ss_status status = read_length(r, &length, ended);
  if (status != SS_OK || *ended) return status;
  if (length > r->room) {
    unsigned char *grown = realloc(r->message, length);
    if (grown == NULL) return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
    r->message = grown;
    r->room = length;
  }
  if (length > 0) status = ss_bytes_read(&r->bytes, r->message, length, &count, r->error);
  const unsigned char *begin = length > 0 ? r->message : (const unsigned char *)"";
  *wire = (ss_wire){.at = begin, .end = begin + length};
  return status == SS_OK && count < length ? refuse(r, "ends early") : status;
}

/* A node as far as it matters. */
typedef struct node {
  char name[SS_ITEM_NAME_SIZE], group[SS_ITEM_TEXT_SIZE];
  char kernel_class[SS_ITEM_TEXT_SIZE]; /* in a trace of this program, as is `layer` */
  int64_t layer;
  uint64_t id, type, start, duration, stream, thread;
  bool on_host, has_stream, has_thread;
  ss_wire whole; /* its message */
} node;

static void copy(char *to, size_t size, const ss_wire_field *field)
{
  const size_t length = field->length < size ? field->length : size - 1;
  if (length > 0) memcpy(to, field->bytes, length);
  to[length] = '\0';
}

/* Name and value of an attribute; false where it is none. */
static bool split_attribute(const ss_wire_field *attribute, ss_wire_field *name, ss_wire_field *value)
{
  ss_wire wire = ss_wire_inside(attribute);
  ss_wire_field field;
  *name = *value = (ss_wire_field){.number = 0};
  while (ss_wire_next(&wire, &field)) {
    if (field.number == SS_CHAKRA_ATTRIBUTE_NAME) *name = field;
    if (field.number > 2) *value = field;
  }
  return !wire.failed;
}

static bool read_attribute(node *n, const ss_wire_field *attribute)
{
  ss_wire_field name, value;
  const bool is_sound = split_attribute(attribute, &name, &value);
  if (ss_wire_is(&name, "is_cpu_op")) n->on_host = value.value != 0;
  if (ss_wire_is(&name, "stream")) {
    n->has_stream = true;
    n->stream = value.value;
  }
  if (ss_wire_is(&name, "tid")) {
    n->has_thread = true;
    n->thread = value.value;
  }
  if (ss_wire_is(&name, "pg_desc")) copy(n->group, sizeof n->group, &value);
  if (ss_wire_is(&name, SS_CHAKRA_KERNEL_CLASS)) copy(n->kernel_class, sizeof n->kernel_class, &value);
  if (ss_wire_is(&name, SS_CHAKRA_LAYER) && value.value <= INT32_MAX) n->layer = (int64_t)value.value;
  return is_sound;
}

/* The message about the whole trace: the rank, where this program wrote it. */
static void read_metadata(reading *r, ss_wire wire)
{
  ss_wire_field field, name, value;
  while (ss_wire_next(&wire, &field)) {
    if (field.number != SS_CHAKRA_METADATA_ATTRIBUTE || !split_attribute(&field, &name, &value)) continue;
    if (value.value > INT32_MAX) continue;
    if (ss_wire_is(&name, SS_CHAKRA_RANK)) r->sink->rank = (int64_t)value.value;
    if (ss_wire_is(&name, SS_CHAKRA_RANKS)) r->sink->world_size = (int64_t)value.value;
  }
}

static bool read_node(node *n, ss_wire wire)
{
  ss_wire_field field;
  bool is_sound = true;
  *n = (node){.layer = SS_NO_INDEX, .whole = wire};
  while (is_sound && ss_wire_next(&wire, &field)) {
    switch (field.number) {
    case SS_CHAKRA_ID: n->id = field.value; break;
    case SS_CHAKRA_NAME: copy(n->name, sizeof n->name, &field); break;
    case SS_CHAKRA_TYPE: n->type = field.value; break;
    case SS_CHAKRA_START: n->start = field.value; break;
    case SS_CHAKRA_DURATION: n->duration = field.value; break;
    case SS_CHAKRA_ATTRIBUTE: is_sound = read_attribute(n, &field); break;
    default: break;
    }
  }
  return is_sound && !wire.failed;
}

/* The class of a node whose type tells it, as messages go between stages, or that says so itself. */
static ss_kernel_class class_of(const node *n)
{
  if (n->type == SS_CHAKRA_SEND || n->type == SS_CHAKRA_RECEIVE) return SS_CLASS_PIPELINE;
  return n->type == SS_CHAKRA_COLLECTIVE ? SS_CLASS_COLLECTIVE : ss_class_of_word(n->kernel_class);
}

static bool is_kernel(const node *n)
{
  return n->type >= SS_CHAKRA_COMPUTE && !n->on_host && n->duration > 0;
}

/* The first reading: whether nodes say when they started. */
static ss_status look(reading *r, const node *n)
{
  if (!is_kernel(n)) return SS_OK;
  if (r->kernels++ == 0) r->origin = n->start;
  r->has_times = r->has_times || n->start != r->origin;
  return SS_OK;
}

/* What nodes one after the other are on: older converters have the stream of a kernel as its thread. */
static uint64_t lane_of(const node *n)
{
  if (n->on_host) return n->has_thread ? 2 * n->thread : SS_NO_LANE;
  if (n->has_stream) return 2 * n->stream + 1;
  return n->has_thread ? 2 * n->thread + 1 : SS_NO_LANE;
}

/* Without times: what a node waits for, ids in a list or by themselves. On threads and streams these are its data
 * dependencies: the control dependency that Chakra's converter writes is the caller, and its own feeder
 * (src/feeder/et_feeder.cpp of mlcommons/chakra@21585d8) leaves those alone, too. */
static ss_status keep(reading *r, const node *n)
{
  ss_wire wire = n->whole;
  ss_wire_field field;
  const uint64_t lane = lane_of(n);
  ss_status status = ss_chakra_order_add(&r->order, n->id, lane, n->duration, r->error);
  while (status == SS_OK && ss_wire_next(&wire, &field)) {
    const bool counts = field.number == SS_CHAKRA_DATA || (field.number == SS_CHAKRA_CONTROL && lane == SS_NO_LANE);
    if (!counts) continue;
    if (field.type != SS_WIRE_BYTES) {
      status = ss_chakra_order_wait(&r->order, field.value, r->error);
      continue;
    }
    ss_wire list = ss_wire_inside(&field);
    for (uint64_t id; status == SS_OK && list.at < list.end;)
      status = ss_wire_varint(&list, &id) ? ss_chakra_order_wait(&r->order, id, r->error) : refuse(r, "is no node");
  }
  return status;
}

static ss_status take(reading *r, const node *n)
{
  if (!is_kernel(n)) return SS_OK;
  const double start_us =
      r->order.start_us != NULL ? r->order.start_us[r->index - 1] : (double)n->start - (double)r->origin;
  const ss_trace_item item = {.kind = SS_ITEM_KERNEL,
                              .name = n->name,
                              .group = n->group,
                              .class_of = class_of(n),
                              .stream = (int64_t)n->stream,
                              .layer = n->layer,
                              .start_s = 1e-6 * start_us,
                              .end_s = 1e-6 * (start_us + (double)n->duration)};
  return r->sink->take(r->sink->self, &item, r->error);
}

/* Reads all nodes, or until one has said that there are times. */
static ss_status read_nodes(reading *r, node *n, ss_status (*hear)(reading *r, const node *n))
{
  ss_wire wire;
  bool ended = false;
  ss_status status = ss_bytes_open(&r->bytes, r->path, r->error);
  for (r->index = 0; status == SS_OK && !ended && !(hear == look && r->has_times); ++r->index) {
    status = read_message(r, &wire, &ended);
    if (status != SS_OK || ended) continue;
    if (r->index == 0)
      read_metadata(r, wire);
    else
      status = read_node(n, wire) ? hear(r, n) : refuse(r, "is no node");
  }
  ss_bytes_close(&r->bytes);
  return status;
}

static ss_status read_all(reading *r, node *n)
{
  ss_status status = read_nodes(r, n, look);
  if (status == SS_OK && !r->has_times && r->kernels > 1) {
    r->sink->by_dependencies = true;
    status = read_nodes(r, n, keep);
    if (status == SS_OK) status = ss_chakra_order_solve(&r->order, r->error);
  }
  return status == SS_OK ? read_nodes(r, n, take) : status;
}

static ss_status read_chakra(const char *path, ss_trace_sink *sink, ss_error *error)
{
  reading r = {.path = path, .sink = sink, .error = error};
  node *n = malloc(sizeof *n);
  if (n == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
  const ss_status status = read_all(&r, n);
  ss_chakra_order_free(&r.order);
  free(r.message);
  free(n);
  return status;
}

/* The length of the first message, and in it its first field, the version; or a message without any. */
static bool begins_chakra(const unsigned char *bytes, size_t count)
{
  enum { VERSION_TAG = SS_CHAKRA_METADATA_VERSION << 3 | SS_WIRE_BYTES, ATTRIBUTE_TAG = 2 << 3 | SS_WIRE_BYTES };
  size_t i = 0;
  while (i < count && bytes[i] >= 0x80) ++i;
  if (i + 1 >= count) return false;
  if (i == 0 && bytes[0] == 0) return true;
  return bytes[i + 1] == VERSION_TAG || bytes[i + 1] == ATTRIBUTE_TAG;
}

const ss_trace_reader ss_chakra_reader = {.name = "Chakra", .begins = begins_chakra, .read = read_chakra};
