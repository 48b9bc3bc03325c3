/* Messages of Protocol Buffers as bytes (protobuf.dev/programming-guides/encoding): varints, fixed sizes, and bytes
 * with their length. By hand, since no message of a library is read or written field by field without first being built
 * whole, and the encoding is shorter than the description of the messages. */
#ifndef STEPSIM_MODEL_GRAPH_WIRE_H
#define STEPSIM_MODEL_GRAPH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ss_wire_type {
  SS_WIRE_VARINT = 0,
  SS_WIRE_FIXED64 = 1,
  SS_WIRE_BYTES = 2,
  SS_WIRE_FIXED32 = 5
} ss_wire_type;

/* What is left of a message that is read. */
typedef struct ss_wire {
  const unsigned char *at, *end;
  bool failed; /* it is not encoded so */
} ss_wire;

/* A field: its value as a number, or its bytes. */
typedef struct ss_wire_field {
  uint32_t number;
  ss_wire_type type;
  uint64_t value;
  const unsigned char *bytes; /* [length] of SS_WIRE_BYTES */
  size_t length;
} ss_wire_field;

/* The next field; false at the end, or where the message is broken. */
bool ss_wire_next(ss_wire *wire, ss_wire_field *field);

/* The next varint; false as above. */
bool ss_wire_varint(ss_wire *wire, uint64_t *value);

/* A field of bytes as a message of its own, and whether it is this text. */
ss_wire ss_wire_inside(const ss_wire_field *field);
bool ss_wire_is(const ss_wire_field *field, const char *text);

enum { SS_WIRE_MESSAGE_SIZE = 2048 };

/* A message that is written; `full` where it had no room for all of it. */
typedef struct ss_wire_message {
  unsigned char byte[SS_WIRE_MESSAGE_SIZE]; /* [count] */
  size_t count;
  bool full;
} ss_wire_message;

void ss_wire_put_varint(ss_wire_message *message, uint64_t value);
void ss_wire_put_count(ss_wire_message *message, uint32_t number, uint64_t value);
void ss_wire_put_bytes(ss_wire_message *message, uint32_t number, const void *bytes, size_t length);
void ss_wire_put_text(ss_wire_message *message, uint32_t number, const char *text);
void ss_wire_put_message(ss_wire_message *message, uint32_t number, const ss_wire_message *inner);

#endif
