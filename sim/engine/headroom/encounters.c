#include "sim/engine/headroom/encounters.h"

#include <stdlib.h>

enum { SORTS = SS_TRANSFER_TIED + 1 };

ss_status ss_encounters_init(ss_encounters *encounters, const ss_presumption *presumption, const ss_fair_flow *flow)
{
  *encounters = (ss_encounters){.presumption = presumption,
                                .flow = flow,
                                .kind = calloc((size_t)presumption->kinds + 1, sizeof *encounters->kind)};
  return encounters->kind != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_encounters_free(ss_encounters *encounters)
{
  free(encounters->kind);
  *encounters = (ss_encounters){0};
}

void ss_encounters_begin(ss_encounters *encounters, int32_t kind, double now_s)
{
  if (encounters->kind != NULL) encounters->kind[kind] = (ss_encounter){.since_s = now_s};
}

static int32_t kind_of(const ss_encounters *encounters, const ss_fair_flow *flow)
{
  return (int32_t)(flow - encounters->flow);
}

/* A flow leaves other shares of its time to others from now on. */
static void set_share(ss_encounter *encounter, ss_left share, double now_s)
{
  encounter->left_s.sorts += encounter->share.sorts * (now_s - encounter->since_s);
  encounter->left_s.upper += encounter->share.upper * (now_s - encounter->since_s);
  encounter->share = share;
  encounter->since_s = now_s;
}

/* Whether flows of a sort may miss others of it on a link: where these are of other replicas. The flows of a
 * data-parallel ring go on together wherever they are. */
static bool may_miss_its_own(const ss_encounters *encounters, uint8_t sort, int32_t number)
{
  const bool *is_upper = encounters->presumption->is_upper;
  return sort != SS_TRANSFER_DATA && is_upper != NULL && is_upper[number];
}

/* Without what flows of other sorts have of the link, those of each sort would have all of it, at most; and without any
 * others, one flow would. */
void ss_encounters_look(ss_encounters *encounters, const ss_fair_link *link, int32_t number, double now_s)
{
  double all = 0.0, of_sort[SORTS] = {0};
  if (encounters->kind == NULL) return;
  const uint8_t *sort = encounters->presumption->sort;
  for (int32_t i = link->flows; i-- > 0;) {
    const ss_fair_place *place = ss_fair_link_place(link, i);
    const double bytes_per_s = (double)place->alike * place->flow->bytes_per_s;
    of_sort[sort[kind_of(encounters, place->flow)]] += bytes_per_s;
    all += bytes_per_s;
  }
  for (int32_t i = link->flows; i-- > 0;) {
    const ss_fair_flow *flow = ss_fair_link_place(link, i)->flow;
    const int32_t kind = kind_of(encounters, flow);
    if (flow->full_link != number) continue;
    const double upper = may_miss_its_own(encounters, sort[kind], number) ? 1.0 - flow->bytes_per_s / all : 0.0;
    set_share(&encounters->kind[kind], (ss_left){1.0 - of_sort[sort[kind]] / all, upper}, now_s);
  }
}

ss_left ss_encounters_end(ss_encounters *encounters, int32_t kind, double now_s)
{
  if (encounters->kind == NULL) return (ss_left){0};
  set_share(&encounters->kind[kind], (ss_left){0}, now_s);
  return encounters->kind[kind].left_s;
}
