#include "model/fabric/forwarding.h"

#include <stdlib.h>

#include "model/base/grow.h"

ss_forwarding *ss_forwarding_create(void)
{
  return calloc(1, sizeof(ss_forwarding));
}

void ss_forwarding_destroy(ss_forwarding *forwarding)
{
  if (forwarding == NULL) return;
  free(forwarding->entry);
  free(forwarding);
}

ss_status ss_forwarding_add(ss_forwarding *forwarding, ss_forwarding_entry entry)
{
  ss_forwarding_entry *grown = ss_grown(forwarding->entry, forwarding->count, &forwarding->room, sizeof entry);
  if (grown == NULL) return SS_ERROR_MEMORY;
  forwarding->entry = grown;
  grown[forwarding->count++] = entry;
  return SS_OK;
}

/* By switch and host. */
static int compare(int64_t from, int64_t host, const ss_forwarding_entry *other)
{
  if (from != other->from) return from < other->from ? -1 : 1;
  return (host > other->host) - (host < other->host);
}

static int compare_entries(const void *left, const void *right)
{
  const ss_forwarding_entry *a = left, *b = right;
  const int order = compare(a->from, a->host, b);
  return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

const ss_forwarding_entry *ss_forwarding_sort(ss_forwarding *forwarding)
{
  const ss_forwarding_entry *again = NULL;
  if (forwarding->count == 0) return NULL;
  qsort(forwarding->entry, (size_t)forwarding->count, sizeof *forwarding->entry, compare_entries);
  for (int64_t i = 1; i < forwarding->count; ++i) {
    const ss_forwarding_entry *at = &forwarding->entry[i];
    if (compare(at->from, at->host, at - 1) == 0 && (again == NULL || at->line < again->line)) again = at;
  }
  return again;
}

int64_t ss_forwarding_link(const ss_forwarding *forwarding, int64_t from, int64_t host)
{
  int64_t low = 0, high = forwarding != NULL ? forwarding->count : 0;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const int order = compare(from, host, &forwarding->entry[middle]);
    if (order == 0) return forwarding->entry[middle].link;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return -1;
}
