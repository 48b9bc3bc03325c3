#include "sim/import/dialects/layer_marks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/models/kinds.h"

/* Appends `count` more of what is in `bits` from `from` on; false where they are more than layers can be. */
static bool repeat(char *bits, size_t from, long long count)
{
  const size_t length = strlen(bits + from);
  if (count < 0 || (length > 0 && (size_t)count > SS_KINDS_LAYERS / length)) return false;
  if (count == 0) bits[from] = '\0';
  for (long long i = 1; i < count; ++i) {
    const size_t used = strlen(bits);
    if (used + length > SS_KINDS_LAYERS) return false;
    memcpy(bits + used, bits + from, length);
    bits[used + length] = '\0';
  }
  return true;
}

/* Reads sums of [0]*3 and ([1]*3+[0])*2, as Python would; `at` ends behind them. False where it is not that. */
static bool read_sum(const char **at, const char *known, char *bits, int depth)
{
  do {
    const size_t from = strlen(bits);
    const char open = **at;
    if (open == '(' && depth < 8) {
      ++*at;
      if (!read_sum(at, known, bits, depth + 1) || **at != ')') return false;
      ++*at;
    } else {
      if (open != '[') return false;
      size_t used = from;
      for (++*at; **at != '\0' && strchr(known, **at) != NULL && used < SS_KINDS_LAYERS; *at += *at[0] == ',') {
        bits[used++] = **at;
        ++*at;
      }
      bits[used] = '\0';
      if (**at != ']') return false;
      ++*at;
    }
    if (**at == '*') {
      char *end;
      if (!isdigit((unsigned char)*++*at) || !repeat(bits, from, strtoll(*at, &end, 10))) return false;
      *at = end;
    }
  } while (**at == '+' && ++*at != NULL);
  return true;
}

bool ss_layer_marks_of(const char *text, int64_t layers, const char *known, char *marks)
{
  marks[0] = '\0';
  return read_sum(&text, known, marks, 0) && *text == '\0' && strlen(marks) == (size_t)layers;
}

bool ss_layer_marks_list(const char *text, int64_t layers, char *bits)
{
  bits[0] = '\0';
  if (strlen(text) > 1 && strspn(text, "01 ") == strlen(text) && strchr(text, ' ') != NULL) { /* a list */
    for (; *text != '\0'; ++text)
      if (*text != ' ') (void)strncat(bits, text, 1);
    return strlen(bits) == (size_t)layers;
  }
  return ss_layer_marks_of(text, layers, "01", bits);
}

bool ss_layer_marks_read(const char *text, int64_t layers, char *bits)
{
  char *end;
  const long long every = strtoll(text, &end, 10);
  if (!isdigit((unsigned char)text[0]) || *end != '\0') return ss_layer_marks_list(text, layers, bits);
  if (every < 1) return false;
  for (int64_t i = 0; i < layers; ++i) bits[i] = i % every == 0 ? '1' : '0';
  bits[layers] = '\0';
  return true;
}
