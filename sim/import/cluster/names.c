#include "sim/import/cluster/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

enum { MOST_DIGITS = 9 };

ss_status ss_names_add(ss_names *names, const char *name, const ss_printed *printed, ss_error *error)
{
  if (name[0] == '\0' || strlen(name) >= SS_HOST_SIZE || names->count == SS_MOST_HOSTS)
    return ss_printed_refuse(printed, error, "has a name that is empty, or too long, or more than %d; allowed: fewer",
                             SS_MOST_HOSTS);
  char(*grown)[SS_HOST_SIZE] = ss_grown(names->name, names->count, &names->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for names");
  names->name = grown;
  (void)ss_printed_copy(names->name[names->count++], SS_HOST_SIZE, name);
  return SS_OK;
}

int64_t ss_names_find(const ss_names *names, const char *name)
{
  for (int64_t i = 0; i < names->count; ++i)
    if (strcmp(names->name[i], name) == 0) return i;
  return -1;
}

void ss_names_keep_first(ss_names *names, int64_t from)
{
  const int64_t count = names->count;
  names->count = from;
  for (int64_t i = from; i < count; ++i) {
    if (ss_names_find(names, names->name[i]) >= 0) continue;
    if (i > names->count) memcpy(names->name[names->count], names->name[i], SS_HOST_SIZE);
    names->count++;
  }
}

void ss_names_free(ss_names *names)
{
  free(names->name);
  *names = (ss_names){.count = 0};
}

static ss_status refuse(const ss_printed *printed, const char *list, ss_error *error)
{
  char shown[SS_HOST_SIZE / 2];
  return ss_printed_refuse(printed, error, "\"%s\" is not a list of names; allowed: such as node[001-064,070],login1",
                           ss_printed_copy(shown, sizeof shown, list));
}

/* Reads digits; returns how many there are, 0 where there are none or too many. */
static size_t read_number(const char *text, int64_t *number)
{
  const size_t length = strspn(text, "0123456789");
  *number = 0;
  if (length > MOST_DIGITS) return 0;
  for (size_t i = 0; i < length; ++i) *number = 10 * *number + (text[i] - '0');
  return length;
}

static ss_status expand(ss_names *names, const char *before, const char *rest, const ss_printed *printed,
                        ss_error *error);

/* "001-064": its numbers, and how many digits they have. */
typedef struct range {
  int64_t first, last;
  size_t width;
} range;

/* The numbers of one range, each with what precedes and follows the bracket. */
static ss_status expand_range(ss_names *names, const char *before, range span, const char *after,
                              const ss_printed *printed, ss_error *error)
{
  char name[SS_HOST_SIZE];
  ss_status status = span.first <= span.last ? SS_OK : refuse(printed, before, error);
  if (span.last - span.first >= SS_MOST_HOSTS)
    return ss_printed_refuse(printed, error, "\"%.40s[%lld-%lld]\" is of more names than a file may have; allowed: %d",
                             before, (long long)span.first, (long long)span.last, SS_MOST_HOSTS);
  for (int64_t i = span.first; status == SS_OK && i <= span.last; ++i) {
    const int length = snprintf(name, sizeof name, "%s%0*lld", before, (int)span.width, (long long)i);
    status = length < SS_HOST_SIZE ? expand(names, name, after, printed, error) : refuse(printed, before, error);
  }
  return status;
}

/* Appends what `rest` stands for, a name whose brackets are not yet expanded, behind `before`. */
static ss_status expand(ss_names *names, const char *before, const char *rest, const ss_printed *printed,
                        ss_error *error)
{
  char name[SS_HOST_SIZE];
  const size_t plain = strcspn(rest, "[");
  if (snprintf(name, sizeof name, "%s%.*s", before, (int)plain, rest) >= SS_HOST_SIZE)
    return refuse(printed, rest, error);
  if (rest[plain] == '\0') return ss_names_add(names, name, printed, error);
  const char *close = strchr(rest + plain, ']'), *at = rest + plain + 1;
  ss_status status = close != NULL && at < close ? SS_OK : refuse(printed, rest, error);
  while (status == SS_OK && at < close) {
    range span;
    span.width = read_number(at, &span.first);
    size_t second = 0;
    at += span.width;
    span.last = span.first;
    if (*at == '-') {
      second = read_number(at + 1, &span.last);
      at += 1 + second;
      if (second == 0) return refuse(printed, rest, error);
    }
    if (span.width == 0 || (*at != ',' && at != close)) return refuse(printed, rest, error);
    status = expand_range(names, name, span, close + 1, printed, error);
    if (*at == ',') ++at;
  }
  return status;
}

ss_status ss_names_expand(ss_names *names, const char *list, const ss_printed *printed, ss_error *error)
{
  char item[4096];
  ss_status status = SS_OK;
  while (status == SS_OK && *list != '\0') {
    size_t length = 0;
    for (bool inside = false; list[length] != '\0' && (inside || list[length] != ','); ++length)
      inside = (inside || list[length] == '[') && list[length] != ']';
    if (length == 0 || length >= sizeof item) return refuse(printed, list, error);
    (void)snprintf(item, sizeof item, "%.*s", (int)length, list);
    status = expand(names, "", item, printed, error);
    list += length;
    list += *list == ',';
  }
  return status;
}
