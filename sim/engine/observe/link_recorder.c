#include "sim/engine/observe/link_recorder.h"

#include <stdlib.h>
#include <string.h>

static void record_open(void *self, const double *boundary_s, int64_t slices)
{
  ss_history *history = ((ss_link_recorder *)self)->history;
  SS_ASSERT(slices <= SS_HISTORY_SLICES);
  history->slices = slices;
  memcpy(history->boundary_s, boundary_s, (size_t)(slices + 1) * sizeof *boundary_s);
}

/* The place of a link among the busiest, or -1. One that stands for others has the name of the first of them. */
static int64_t find(const ss_busy_links *busiest, const ss_busy_link *link)
{
  for (int64_t i = 0; i < busiest->count; ++i)
    if (strcmp(busiest->link[i].name, link->name) == 0) return i;
  return -1;
}

static void record_link(void *self, const ss_busy_link *link, const double *utilisation, int64_t slices)
{
  ss_link_recorder *recorder = self;
  const ss_history_carrier carrier = {link->number, link->alike, link->bytes};
  const int64_t place = find(recorder->busiest, link);
  recorder->incomplete = !ss_history_add_carrier(recorder->history, &carrier) || recorder->incomplete;
  if (place < 0) return;
  ss_history_link kept = {.link = recorder->busiest->link[place]};
  memcpy(kept.utilisation, utilisation, (size_t)slices * sizeof *utilisation);
  recorder->incomplete = !ss_history_add_link(recorder->history, &kept) || recorder->incomplete;
}

static int compare_links(const void *left, const void *right)
{
  const ss_busy_link *a = &((const ss_history_link *)left)->link, *b = &((const ss_history_link *)right)->link;
  if (a->utilisation != b->utilisation) return a->utilisation > b->utilisation ? -1 : 1;
  return strcmp(a->name, b->name);
}

static ss_status record_close(void *self, ss_error *error)
{
  const ss_link_recorder *recorder = self;
  ss_history *history = recorder->history;
  if (recorder->incomplete) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the links");
  if (history->link_count > 0) qsort(history->link, (size_t)history->link_count, sizeof *history->link, compare_links);
  return SS_OK;
}

ss_link_writer ss_link_recorder_writer(ss_link_recorder *recorder)
{
  return (ss_link_writer){.self = recorder, .open = record_open, .link = record_link, .close = record_close};
}
