#include "model/input/layer_ids.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>

/* Reads a number that has no sign; false where there is none. */
static bool read_layer(const char **at, long long *layer)
{
  char *end;
  if (!isdigit((unsigned char)**at)) return false;
  *layer = strtoll(*at, &end, 10); /* one that is too large is that of no layer either way */
  *at = end;
  return true;
}

const char *ss_layer_ids_fill(const char *text, int64_t layers, bool *is_in)
{
  for (int64_t i = 0; i < layers && is_in != NULL; ++i) is_in[i] = false;
  for (const char *at = text;; ++at) {
    long long first, last;
    if (!read_layer(&at, &first)) return "it has no number where one should be";
    last = first;
    if (*at == '-') {
      ++at;
      if (!read_layer(&at, &last)) return "it has no number where one should be";
    }
    if (last >= layers) return "it has a layer that the model has not";
    if (last < first) return "it has a range that ends before it begins";
    for (long long i = first; i <= last && is_in != NULL; ++i) is_in[i] = true;
    if (*at == '\0') return NULL;
    if (*at != ',') return "it has something else than numbers, with a comma or - between them";
  }
}
