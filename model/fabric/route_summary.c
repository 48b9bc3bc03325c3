#include "model/fabric/route_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/fabric.h"
#include "model/fabric/link_class.h"

/* NICs from which all routes to others are alike but for the first link: those of a leaf whose numbers have the same
 * remainder by the parallel cables of all levels, which of a bundle without tables is chosen by
 * (model/fabric/fat_tree.c).
 */
typedef struct source {
  int64_t leaf, rest, nic;
} source;

/* Routes with tables and by the rule: how many destinations each link has. */
typedef struct counting {
  ss_fabric *fabric; /* owned */
  int64_t *count;    /* [links] owned */
  int32_t *last;     /* [links] 1 + the destination that was counted last; owned */
} counting;

typedef struct summing {
  const ss_machine *machine;
  ss_machine plain; /* without tables */
  counting own, by_rule;
  source *nics; /* [hosts] sorted; owned */
  int64_t count;
  ss_error *error;
} summing;

static int compare(const void *left, const void *right)
{
  const source *a = left, *b = right;
  if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
  if (a->rest != b->rest) return a->rest < b->rest ? -1 : 1;
  return a->nic < b->nic ? -1 : 1;
}

static ss_status out_of_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for routes");
}

static ss_status start(counting *c, const ss_machine *machine, ss_error *error)
{
  const ss_status status = ss_fabric_create(&c->fabric, machine, error);
  if (status != SS_OK) return status;
  const size_t links = (size_t)ss_fabric_links(c->fabric);
  c->count = calloc(links, sizeof *c->count);
  c->last = calloc(links, sizeof *c->last);
  return c->count != NULL && c->last != NULL ? SS_OK : out_of_memory(error);
}

static void finish(counting *c)
{
  ss_fabric_destroy(c->fabric);
  free(c->count);
  free(c->last);
}

/* Parallel cables of all levels: numbers of which the remainder by any of theirs is known by that of the product. */
static void list_sources(summing *s)
{
  const ss_fat_tree *tree = &s->machine->shape.as.fat_tree;
  int64_t cables = 1;
  for (int64_t level = 0; level < tree->levels; ++level)
    if (cables % tree->links[level] != 0) cables *= tree->links[level];
  for (int64_t nic = 0; nic < s->count; ++nic) {
    const int64_t host = ss_fabric_host(s->own.fabric, nic);
    s->nics[nic] = (source){.leaf = host / tree->down[0], .rest = host % cables, .nic = nic};
  }
  qsort(s->nics, (size_t)s->count, sizeof *s->nics, compare);
}

static int take_route(counting *c, int64_t from, int64_t to, int32_t link[SS_ROUTE_LINKS_MAX])
{
  const int links = ss_fabric_route(c->fabric, true, from, to, link);
  for (int i = 0; i < links; ++i) {
    if (c->last[link[i]] == (int32_t)to + 1) continue;
    c->last[link[i]] = (int32_t)to + 1;
    c->count[link[i]]++;
  }
  return links;
}

/* What all sources of a list that are alike send to a NIC. */
static void take_alike(summing *s, const source *first, int64_t alike, int64_t to, ss_route_summary *summary)
{
  int32_t own[SS_ROUTE_LINKS_MAX], by_rule[SS_ROUTE_LINKS_MAX];
  int64_t senders = alike;
  const source *from = first;
  for (int64_t i = 0; i < alike; ++i)
    if (first[i].nic == to) {
      senders--;
      from = i == 0 ? first + 1 : first;
    }
  if (senders == 0) return;
  const int links = take_route(&s->own, from->nic, to, own), ruled = take_route(&s->by_rule, from->nic, to, by_rule);
  if (links == 0) return;
  summary->pairs += senders;
  if (links != ruled || memcmp(own, by_rule, (size_t)links * sizeof *own) != 0) summary->others += senders;
}

static void take_all(summing *s, ss_route_summary *summary)
{
  for (int64_t to = 0; to < s->count; ++to)
    for (int64_t first = 0, behind; first < s->count; first = behind) {
      for (behind = first + 1; behind < s->count; ++behind)
        if (s->nics[behind].leaf != s->nics[first].leaf || s->nics[behind].rest != s->nics[first].rest) break;
      take_alike(s, s->nics + first, behind - first, to, summary);
    }
}

static void sum_links(const summing *s, const ss_link_class *link_class, bool back, ss_route_summary *summary)
{
  ss_route_links *kind = &summary->kind[summary->kinds++];
  double sum = 0.0, alive = 0.0;
  *kind = (ss_route_links){.direction = link_class->directions == 1 ? "" : back ? link_class->in : link_class->out};
  (void)snprintf(kind->word, sizeof kind->word, "%s", link_class->word);
  for (int64_t cable = 0; cable < link_class->nodes * link_class->ports; ++cable) {
    const int64_t link = link_class->first + cable * link_class->directions + back;
    const int64_t count = s->own.count[link];
    if (ss_link_is_dead(s->own.fabric, link)) continue;
    if (count > kind->most || alive < 1.0) ss_fabric_name(s->own.fabric, link, kind->busiest);
    if (count > kind->most) kind->most = count;
    if (s->by_rule.count[link] > kind->most_by_rule) kind->most_by_rule = s->by_rule.count[link];
    sum += (double)count;
    alive += 1.0;
  }
  kind->mean = alive > 0.0 ? sum / alive : 0.0;
}

static void sum_all(const summing *s, ss_route_summary *summary)
{
  const ss_fabric *fabric = s->own.fabric;
  for (int i = SS_LINK_CLASS_HOST + 1; i < fabric->link_classes; ++i)
    for (int64_t back = 0; back < fabric->link_class[i].directions; ++back)
      sum_links(s, &fabric->link_class[i], back > 0, summary);
}

static ss_status prepare(summing *s)
{
  ss_status status = start(&s->own, s->machine, s->error);
  if (status != SS_OK) return status;
  s->plain = *s->machine;
  s->plain.forwarding = NULL;
  status = start(&s->by_rule, &s->plain, s->error);
  if (status != SS_OK) return status;
  s->count = s->own.fabric->nics;
  s->nics = calloc((size_t)s->count, sizeof *s->nics);
  if (s->nics == NULL) return out_of_memory(s->error);
  list_sources(s);
  return SS_OK;
}

ss_status ss_route_summary_make(const ss_machine *machine, ss_route_summary *summary, ss_error *error)
{
  SS_ASSERT(machine->forwarding != NULL);
  summing s = {.machine = machine, .error = error};
  *summary = (ss_route_summary){.file = machine->routes, .entries = machine->forwarding->count};
  const ss_status status = prepare(&s);
  if (status == SS_OK) {
    take_all(&s, summary);
    sum_all(&s, summary);
  }
  finish(&s.own);
  finish(&s.by_rule);
  free(s.nics);
  return status;
}
