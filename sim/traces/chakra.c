/* Execution traces of Chakra: messages of Protocol Buffers one after the other, each behind its length; the first one
 * is about all of the trace. Nodes with a duration that ran on the GPU are its kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/graph/chakra.h"
#include "sim/traces/bytes.h"
#include "sim/traces/item.h"

/* A node has lists of what it depends on, but none is as long. */
#define MESSAGE_MAX (16u << 20)

typedef struct reading {
  ss_bytes bytes;
  unsigned char *message; /* [room] owned */
  size_t room;
  int64_t index; /* of the message */
  ss_trace_sink *sink;
  ss_error *error;
  int64_t nodes;   /* that count */
  bool has_times;  /* they do not all start at once */
  uint64_t origin; /* microseconds at which times begin */
} reading;

static ss_status refuse(const reading *r, const char *what)
{
  return ss_error_set(r->error, SS_ERROR_INPUT, r->bytes.path, 0,
                      "message %lld %s; allowed: an execution trace of Chakra", (long long)r->index, what);
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
  uint64_t type, start, duration, stream;
  bool on_host;
} node;

static void copy(char *to, size_t size, const ss_wire_field *field)
{
  const size_t length = field->length < size ? field->length : size - 1;
  if (length > 0) memcpy(to, field->bytes, length);
  to[length] = '\0';
}

static bool read_attribute(node *n, const ss_wire_field *attribute)
{
  ss_wire wire = ss_wire_inside(attribute);
  ss_wire_field field, name = {.number = 0}, value = {.number = 0};
  while (ss_wire_next(&wire, &field)) {
    if (field.number == SS_CHAKRA_ATTRIBUTE_NAME) name = field;
    if (field.number > 2) value = field;
  }
  if (ss_wire_is(&name, "is_cpu_op")) n->on_host = value.value != 0;
  if (ss_wire_is(&name, "stream")) n->stream = value.value;
  if (ss_wire_is(&name, "pg_desc")) copy(n->group, sizeof n->group, &value);
  return !wire.failed;
}

static bool read_node(node *n, ss_wire wire)
{
  ss_wire_field field;
  bool is_sound = true;
  n->name[0] = n->group[0] = '\0';
  n->type = n->start = n->duration = n->stream = 0;
  n->on_host = false;
  while (is_sound && ss_wire_next(&wire, &field)) {
    switch (field.number) {
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

/* The class of a node whose type tells it: messages go between stages. */
static ss_kernel_class class_of(const node *n)
{
  if (n->type == SS_CHAKRA_SEND || n->type == SS_CHAKRA_RECEIVE) return SS_CLASS_PIPELINE;
  return n->type == SS_CHAKRA_COLLECTIVE ? SS_CLASS_COLLECTIVE : SS_CLASS_COUNT;
}

static ss_status take_node(reading *r, const node *n)
{
  if (n->type < SS_CHAKRA_COMPUTE || n->on_host || n->duration == 0) return SS_OK;
  if (r->nodes++ == 0) r->origin = n->start;
  r->has_times = r->has_times || n->start != r->origin;
  const double start_s = 1e-6 * ((double)n->start - (double)r->origin);
  const ss_trace_item item = {.kind = SS_ITEM_KERNEL,
                              .name = n->name,
                              .group = n->group,
                              .class_of = class_of(n),
                              .stream = (int64_t)n->stream,
                              .layer = SS_NO_INDEX,
                              .start_s = start_s,
                              .end_s = start_s + 1e-6 * (double)n->duration};
  return r->sink->take(r->sink->self, &item, r->error);
}

static ss_status read_all(reading *r, node *n)
{
  ss_wire wire;
  bool ended = false;
  ss_status status = SS_OK;
  for (; status == SS_OK && !ended; ++r->index) {
    status = read_message(r, &wire, &ended);
    if (status != SS_OK || ended || r->index == 0) continue; /* the first one is about all of them */
    status = read_node(n, wire) ? take_node(r, n) : refuse(r, "is no node");
  }
  if (status == SS_OK && r->nodes > 1 && !r->has_times)
    status = ss_error_set(r->error, SS_ERROR_INPUT, r->bytes.path, 0,
                          "does not say when its nodes started; allowed: a trace of what was measured");
  return status;
}

static ss_status read_chakra(const char *path, ss_trace_sink *sink, ss_error *error)
{
  reading r = {.sink = sink, .error = error};
  node *n = malloc(sizeof *n);
  if (n == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
  ss_status status = ss_bytes_open(&r.bytes, path, error);
  if (status == SS_OK) status = read_all(&r, n);
  ss_bytes_close(&r.bytes);
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
