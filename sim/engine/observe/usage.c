#include "sim/engine/observe/usage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Length of the slices at first, about a microsecond: a power of two, so that doubling and scaling are exact. */
#define FIRST_SLICE_S 0x1p-20

static int64_t blocks_of(int64_t places)
{
  return (places + SS_USAGE_BLOCK - 1) / SS_USAGE_BLOCK;
}

ss_status ss_usage_init(ss_usage *usage, int64_t links, int64_t others)
{
  const int64_t rows = links + others;
  *usage = (ss_usage){.links = links,
                      .rows = rows,
                      .place = malloc((size_t)(rows + 1) * sizeof *usage->place),
                      .block = calloc((size_t)blocks_of(rows) + 1, sizeof(ss_usage_block *)),
                      .slice_s = FIRST_SLICE_S,
                      .slices_per_s = 1.0 / FIRST_SLICE_S};
  if (usage->place == NULL || usage->block == NULL) return SS_ERROR_MEMORY;
  for (int64_t row = 0; row < rows; ++row) usage->place[row] = -1;
  return SS_OK;
}

void ss_usage_free(ss_usage *usage)
{
  for (int64_t i = 0; i < blocks_of(usage->places); ++i) free(usage->block[i]);
  free(usage->place);
  free(usage->block);
  *usage = (ss_usage){0};
}

static bool has_carried(const ss_usage *usage, int64_t row)
{
  return usage->place[row] >= 0;
}

static double *bytes_at(const ss_usage *usage, int32_t place, int slice)
{
  return &usage->block[place / SS_USAGE_BLOCK]->bytes[slice][place % SS_USAGE_BLOCK];
}

static void merge_pairs(ss_usage_block *block)
{
  const int64_t half = SS_USAGE_SLICES / 2;
  for (int64_t i = 0; i < half; ++i)
    for (int place = 0; place < SS_USAGE_BLOCK; ++place)
      block->bytes[i][place] = block->bytes[2 * i][place] + block->bytes[2 * i + 1][place];
  memset(block->bytes[half], 0, (size_t)half * sizeof block->bytes[0]);
}

/* Doubles the length of the slices until a time is inside one of them. */
static void stretch(ss_usage *usage, double time_s)
{
  SS_ASSERT(isfinite(time_s));
  while (time_s * usage->slices_per_s >= SS_USAGE_SLICES) {
    for (int64_t i = 0; i < blocks_of(usage->places); ++i) merge_pairs(usage->block[i]);
    usage->slice_s *= 2.0;
    usage->slices_per_s *= 0.5;
  }
}

/* The place of a row; -1 where there is no memory for one that carries something for the first time. */
static int32_t open_row(ss_usage *usage, int64_t row)
{
  if (has_carried(usage, row)) return usage->place[row];
  if (usage->places % SS_USAGE_BLOCK == 0) {
    ss_usage_block *block = calloc(1, sizeof *block);
    usage->incomplete = usage->incomplete || block == NULL;
    if (block == NULL) return -1;
    usage->block[usage->places / SS_USAGE_BLOCK] = block;
  }
  return usage->place[row] = (int32_t)usage->places++;
}

static int slice_at(const ss_usage *usage, double time_s)
{
  return (int)(time_s * usage->slices_per_s);
}

bool ss_usage_is_slice(ss_usage *usage, double start_s, double end_s)
{
  if (end_s * usage->slices_per_s >= SS_USAGE_SLICES) stretch(usage, end_s);
  return slice_at(usage, start_s) == slice_at(usage, end_s);
}

void ss_usage_spread_row(ss_usage *usage, int64_t row, const ss_usage_share *to, int64_t count)
{
  if (!has_carried(usage, row)) return;
  for (int64_t i = 0; i < count; ++i)
    if (open_row(usage, to[i].row) < 0) return;
  for (int slice = 0; slice < SS_USAGE_SLICES; ++slice) {
    const double bytes = *bytes_at(usage, usage->place[row], slice);
    for (int64_t i = 0; bytes > 0.0 && i < count; ++i)
      *bytes_at(usage, usage->place[to[i].row], slice) += to[i].times * bytes;
  }
}

void ss_usage_add_row(ss_usage *usage, int64_t row, int64_t to, double times)
{
  ss_usage_spread_row(usage, row, &(ss_usage_share){to, times}, 1);
}

void ss_usage_add(ss_usage *usage, int64_t row, double start_s, double end_s, double bytes)
{
  SS_ASSERT(row >= 0 && row < usage->rows && start_s >= 0.0 && end_s >= start_s);
  if (end_s * usage->slices_per_s >= SS_USAGE_SLICES) stretch(usage, end_s);
  const int32_t place = open_row(usage, row);
  if (place < 0) return;
  const int first = slice_at(usage, start_s), last = slice_at(usage, end_s);
  if (first == last) {
    *bytes_at(usage, place, first) += bytes;
    return;
  }
  const double rate = bytes / (end_s - start_s);
  *bytes_at(usage, place, first) += rate * (usage->slice_s * (first + 1) - start_s);
  for (int i = first + 1; i < last; ++i) *bytes_at(usage, place, i) += rate * usage->slice_s;
  *bytes_at(usage, place, last) += rate * (end_s - usage->slice_s * last);
}

/* How an iteration is cut for a look at it: `group` of the slices that were counted are one of these. The last one ends
 * with the iteration, so that it is up to half longer or shorter. */
typedef struct cut {
  double slice_s;
  int group, slices;
} cut;

static cut cut_of(const ss_usage_view *view)
{
  cut c = {.slice_s = view->usage->slice_s, .group = 1};
  while (view->end_s >= c.slice_s * (SS_USAGE_SLICES + 0.5)) { /* little was carried towards the end */
    c.slice_s *= 2.0;
    if (c.group < SS_USAGE_SLICES) c.group *= 2;
  }
  c.slices = (int)round(view->end_s / c.slice_s);
  if (c.slices < 1) c.slices = 1;
  return c;
}

static double slice_length(const ss_usage_view *view, const cut *c, int slice)
{
  return slice + 1 < c->slices ? c->slice_s : view->end_s - c->slice_s * slice;
}

static int64_t links_alike(const ss_usage_view *view, int64_t link)
{
  return view->alike != NULL ? view->alike[link] : 1;
}

static bool is_listed(const ss_usage_view *view, int64_t link)
{
  return has_carried(view->usage, link) && links_alike(view, link) > 0;
}

/* What a link did; `utilisation` has room for that in each slice. Flows are counted at their mean rates, and those of
 * flows that overlap in part can add up to more than a link carries. */
static ss_busy_link look_at(const ss_usage_view *view, const cut *c, int64_t link, double *utilisation)
{
  ss_busy_link out = {
      .alike = links_alike(view, link), .bytes_per_s = ss_fabric_bytes_per_s(view->fabric, link), .number = link};
  ss_fabric_name(view->fabric, link, out.name);
  for (int i = 0; i < c->slices; ++i) utilisation[i] = 0.0;
  for (int i = 0; i < SS_USAGE_SLICES; ++i) {
    const int slice = i / c->group;
    const double bytes = *bytes_at(view->usage, view->usage->place[link], i);
    utilisation[slice < c->slices ? slice : c->slices - 1] += bytes;
    out.bytes += bytes;
  }
  for (int i = 0; i < c->slices; ++i) {
    utilisation[i] = fmin(utilisation[i] / (out.bytes_per_s * slice_length(view, c, i)), 1.0);
    out.peak = fmax(out.peak, utilisation[i]);
  }
  out.utilisation = out.bytes / (out.bytes_per_s * view->end_s);
  return out;
}

/* A link in the order of utilisation. */
typedef struct ranked_link {
  float utilisation;
  int64_t link;
} ranked_link;

static int compare_ranked(const void *left, const void *right)
{
  const ranked_link *a = left, *b = right;
  if (a->utilisation != b->utilisation) return a->utilisation > b->utilisation ? -1 : 1;
  return a->link < b->link ? -1 : a->link > b->link;
}

/* Lists the links that carried something, the busiest first, and counts all that did. */
static int64_t rank_links(const ss_usage_view *view, const cut *c, ranked_link *ranked, int64_t *used)
{
  double utilisation[SS_USAGE_SLICES];
  int64_t count = 0;
  *used = 0;
  for (int64_t i = 0; i < view->usage->links; ++i) {
    if (!is_listed(view, i)) continue;
    *used += links_alike(view, i);
    ranked[count++] = (ranked_link){(float)look_at(view, c, i, utilisation).utilisation, i};
  }
  qsort(ranked, (size_t)count, sizeof *ranked, compare_ranked);
  return count;
}

/* Names that differ in numbers only, such as "leaf-2:up-5" and "leaf-10:up-0". */
static bool same_kind(const char *a, const char *b)
{
  for (;; ++a, ++b) {
    while (isdigit((unsigned char)*a)) ++a;
    while (isdigit((unsigned char)*b)) ++b;
    if (*a != *b) return false;
    if (*a == '\0') return true;
  }
}

/* The entry that a link belongs to, of those so far; NULL where it is the first of its own. */
static ss_busy_link *find_entry(ss_busy_links *out, const ss_busy_link *link)
{
  for (int64_t i = 0; i < out->count; ++i) {
    ss_busy_link *entry = &out->link[i];
    if ((float)entry->utilisation == (float)link->utilisation && entry->bytes_per_s == link->bytes_per_s &&
        same_kind(entry->name, link->name))
      return entry;
  }
  return NULL;
}

ss_status ss_usage_busiest(const ss_usage_view *view, ss_busy_links *out)
{
  const ss_usage *usage = view->usage;
  *out = (ss_busy_links){.total = usage->links};
  if (usage->incomplete) return SS_ERROR_MEMORY;
  if (view->end_s <= 0.0) return SS_OK;
  ranked_link *ranked = malloc(((size_t)usage->links + 1) * sizeof *ranked);
  if (ranked == NULL) return SS_ERROR_MEMORY;
  const cut c = cut_of(view);
  const int64_t count = rank_links(view, &c, ranked, &out->used);
  for (int64_t i = 0; i < count; ++i) {
    double utilisation[SS_USAGE_SLICES];
    const bool full = out->count == SS_BUSY_LINKS;
    if (full && ranked[i].utilisation < (float)out->link[SS_BUSY_LINKS - 1].utilisation) break;
    const ss_busy_link link = look_at(view, &c, ranked[i].link, utilisation);
    ss_busy_link *entry = find_entry(out, &link);
    if (entry != NULL) {
      entry->alike += link.alike;
      entry->peak = fmax(entry->peak, link.peak);
    } else if (!full) {
      out->link[out->count++] = link;
    }
  }
  free(ranked);
  return SS_OK;
}

ss_status ss_usage_write(const ss_usage_view *view, ss_link_writer *writer, ss_error *error)
{
  const ss_usage *usage = view->usage;
  double boundary_s[SS_USAGE_SLICES + 1] = {0.0}, utilisation[SS_USAGE_SLICES];
  const cut c = cut_of(view);
  if (usage->incomplete) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the usage of links");
  for (int i = 0; i < c.slices; ++i) boundary_s[i + 1] = i + 1 < c.slices ? c.slice_s * (i + 1) : view->end_s;
  writer->open(writer->self, boundary_s, c.slices);
  for (int64_t i = 0; i < usage->links && view->end_s > 0.0; ++i) {
    if (!is_listed(view, i)) continue;
    const ss_busy_link link = look_at(view, &c, i, utilisation);
    writer->link(writer->self, &link, utilisation, c.slices);
  }
  return writer->close(writer->self, error);
}
