#include "model/graph/wire.h"

#include <string.h>

enum { VARINT_BYTES = 10 };

bool ss_wire_varint(ss_wire *wire, uint64_t *value)
{
  *value = 0;
  for (int i = 0; i < VARINT_BYTES && wire->at < wire->end; ++i) {
    const unsigned char byte = *wire->at++;
    *value |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return true;
  }
  wire->failed = true;
  return false;
}

static bool take_fixed(ss_wire *wire, size_t size, uint64_t *value)
{
  *value = 0;
  if ((size_t)(wire->end - wire->at) < size) return false;
  for (size_t i = 0; i < size; ++i) *value |= (uint64_t)wire->at[i] << (8 * i);
  wire->at += size;
  return true;
}

static bool take_bytes(ss_wire *wire, ss_wire_field *field)
{
  uint64_t length;
  if (!ss_wire_varint(wire, &length) || length > (uint64_t)(wire->end - wire->at)) return false;
  field->bytes = wire->at;
  field->length = (size_t)length;
  wire->at += length;
  return true;
}

static bool take_value(ss_wire *wire, ss_wire_field *field)
{
  switch (field->type) {
  case SS_WIRE_VARINT: return ss_wire_varint(wire, &field->value);
  case SS_WIRE_FIXED64: return take_fixed(wire, 8, &field->value);
  case SS_WIRE_FIXED32: return take_fixed(wire, 4, &field->value);
  case SS_WIRE_BYTES: return take_bytes(wire, field);
  }
  return false;
}

bool ss_wire_next(ss_wire *wire, ss_wire_field *field)
{
  uint64_t tag;
  *field = (ss_wire_field){.number = 0};
  if (wire->failed || wire->at == wire->end || !ss_wire_varint(wire, &tag)) return false;
  field->number = (uint32_t)(tag >> 3);
  field->type = (ss_wire_type)(tag & 7);
  wire->failed = tag >> 3 == 0 || tag >> 32 != 0 || !take_value(wire, field);
  return !wire->failed;
}

ss_wire ss_wire_inside(const ss_wire_field *field)
{
  if (field->type != SS_WIRE_BYTES) return (ss_wire){.failed = true};
  return (ss_wire){.at = field->bytes, .end = field->bytes + field->length};
}

bool ss_wire_is(const ss_wire_field *field, const char *text)
{
  return field->type == SS_WIRE_BYTES && field->length == strlen(text) &&
         memcmp(field->bytes, text, field->length) == 0;
}

static void put(ss_wire_message *message, const void *bytes, size_t length)
{
  message->full = message->full || length > sizeof message->byte - message->count;
  if (message->full || length == 0) return;
  memcpy(message->byte + message->count, bytes, length);
  message->count += length;
}

void ss_wire_put_varint(ss_wire_message *message, uint64_t value)
{
  unsigned char bytes[VARINT_BYTES];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = (unsigned char)(value | 0x80);
  bytes[count++] = (unsigned char)value;
  put(message, bytes, count);
}

void ss_wire_put_count(ss_wire_message *message, uint32_t number, uint64_t value)
{
  ss_wire_put_varint(message, (uint64_t)number << 3 | SS_WIRE_VARINT);
  ss_wire_put_varint(message, value);
}

void ss_wire_put_bytes(ss_wire_message *message, uint32_t number, const void *bytes, size_t length)
{
  ss_wire_put_varint(message, (uint64_t)number << 3 | SS_WIRE_BYTES);
  ss_wire_put_varint(message, length);
  put(message, bytes, length);
}

void ss_wire_put_text(ss_wire_message *message, uint32_t number, const char *text)
{
  ss_wire_put_bytes(message, number, text, strlen(text));
}

void ss_wire_put_message(ss_wire_message *message, uint32_t number, const ss_wire_message *inner)
{
  message->full = message->full || inner->full;
  ss_wire_put_bytes(message, number, inner->byte, inner->count);
}
