/* The members of a trace event of Chrome that matter here. */
#ifndef STEPSIM_SIM_TRACES_CHROME_FIELDS_H
#define STEPSIM_SIM_TRACES_CHROME_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/traces/item.h"

/* A time in microseconds, with all digits that the text has: doubles have a quarter of one in those since 1970. What
 * is no number, or too large for a time, is not known. */
typedef struct ss_micros {
  bool is_known;
  int64_t whole;
  double part;
} ss_micros;

/* Members of an event, and of its "args": X(in args, "key", how it is read, field). */
/* clang-format off */
#define SS_CHROME_FIELD_LIST(X) \
  X(false, "ph", text, phase) \
  X(false, "cat", text, category) \
  X(false, "name", text, name) \
  X(false, "pid", count, process) \
  X(false, "tid", count, thread) \
  X(false, "ts", micros, start) \
  X(false, "dur", micros, duration) \
  X(false, "id", count, link) \
  X(true, "correlation", count, link) \
  X(true, "name", text, label) \
  X(true, "layer", count, layer) \
  X(true, "group", text, group) \
  X(true, "Group size", count, group_size) \
  X(true, "Process Group Description", text, group) \
  X(true, "Process Group Ranks", ranks, stride)
/* clang-format on */

/* An event; what it does not have is empty, 0, or -1 of `layer`. */
typedef struct ss_chrome_fields {
  char phase[4], category[32], name[SS_ITEM_NAME_SIZE], label[64], group[SS_ITEM_TEXT_SIZE];
  int64_t process, thread, link, layer, group_size, stride;
  ss_micros start, duration;
} ss_chrome_fields;

void ss_chrome_fields_clear(ss_chrome_fields *fields);

/* A value of a member: the text of a string, or of a number. */
typedef struct ss_chrome_value {
  const char *text;
  size_t length;
  bool is_string;
} ss_chrome_value;

/* Takes a member with its value; others are ignored, and so is a number where a text belongs. */
void ss_chrome_fields_set(ss_chrome_fields *fields, bool in_args, const char *key, ss_chrome_value value);

/* The whole number that a text begins with; -1 where there is none. */
int64_t ss_chrome_count(const char *value, size_t length);

#endif
