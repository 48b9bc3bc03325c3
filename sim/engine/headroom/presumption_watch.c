#include "sim/engine/headroom/presumption_watch.h"

#include <math.h>
#include <stdlib.h>

#include "sim/engine/headroom/coarse_marks.h"
#include "sim/engine/network/mix.h"

/* Links whose sums may differ by rounding, of rates that were found one after the other. */
#define NEARLY (1.0 + 1e-11)

/* The kind of a flow that is on its links. */
static int32_t kind_of(const ss_presumption_watch *watch, const ss_fair_flow *flow)
{
  return (int32_t)(flow - watch->flow);
}

/* A link of which flows may have more or less than at the last look. */
static void shift(ss_presumption_watch *watch, int32_t number)
{
  ss_shared_link *link = &watch->link[number];
  if (!link->shifted) watch->shifted[watch->shifts++] = number;
  link->shifted = link->is_old = true;
}

/* Finds the rates that change as flows have begun or ended. */
static void find_rates(ss_presumption_watch *watch)
{
  ss_fair_rates *rates = &watch->rates;
  while (ss_fair_rates_find_next(rates)) {
    for (int64_t m = 0; m < rates->members; ++m) rates->group[m]->bytes_per_s = rates->group[m]->found_bytes_per_s;
    for (int64_t l = 0; l < rates->links; ++l) shift(watch, rates->group_link[l].link);
  }
}

static const ss_shared_link *add_up(ss_presumption_watch *watch, int32_t number)
{
  ss_shared_link *link = &watch->link[number];
  if (!link->is_old) return link;
  const ss_fair_link *shared = &watch->rates.link[number];
  link->is_old = false;
  link->bytes_per_s = link->most_bytes_per_s = 0.0;
  for (int32_t i = shared->flows; i-- > 0;) {
    const ss_fair_place *place = ss_fair_link_place(shared, i);
    const double bytes_per_s = place->flow->bytes_per_s;
    link->bytes_per_s += (double)place->alike * bytes_per_s;
    if (bytes_per_s > link->most_bytes_per_s) link->most_bytes_per_s = bytes_per_s;
  }
  return link;
}

/* A link that is full, and on which none is faster. */
static bool bounds(ss_presumption_watch *watch, int32_t number, double bytes_per_s)
{
  const ss_shared_link *link = add_up(watch, number);
  return link->bytes_per_s * NEARLY >= watch->paths->bytes_per_s[number] &&
         link->most_bytes_per_s <= bytes_per_s * NEARLY;
}

/* What a link has for each flow that has so much or more, if slower ones keep what they have. */
static double share_of(const ss_presumption_watch *watch, int32_t number, double bytes_per_s)
{
  const ss_fair_link *link = &watch->rates.link[number];
  double left = watch->paths->bytes_per_s[number], flows = 0.0;
  for (int32_t i = link->flows; i-- > 0;) {
    const ss_fair_place *place = ss_fair_link_place(link, i);
    const double alike = (double)place->alike, has_bytes_per_s = place->flow->bytes_per_s;
    if (has_bytes_per_s * NEARLY < bytes_per_s)
      left -= alike * has_bytes_per_s;
    else
      flows += alike;
  }
  return left / flows;
}

/* Rates that differ by less are equal for marks: far more than rounding. So are those that are so many steps apart. */
#define MARKED_STEPS 1e6
#define MARKED_MOST  1e18

static bool crosses(const int32_t *link, int64_t count, int32_t number)
{
  for (int64_t i = 0; i < count; ++i)
    if (link[i] == number) return true;
  return false;
}

/* How many times as much as its kind a type would have, to begin with, in steps and one; 0 where it has a bottleneck:
 * mostly the one by which the rate of the flow was found, which need not be added up. A type may cross no link that
 * takes part. */
static uint64_t advantage_of(ss_presumption_watch *watch, int32_t type, const ss_fair_flow *flow)
{
  int64_t count;
  const int32_t *link = ss_presumption_type(watch->presumption, type, &count);
  double least = INFINITY;
  if (crosses(link, count, flow->full_link)) return 0;
  for (int64_t i = 0; i < count; ++i)
    if (bounds(watch, link[i], flow->bytes_per_s)) return 0;
  for (int64_t i = 0; i < count; ++i) least = fmin(least, share_of(watch, link[i], flow->bytes_per_s));
  watch->next_bytes_per_s[type] = least;
  return 1 + (uint64_t)llround(fmin(MARKED_STEPS * least / flow->bytes_per_s, MARKED_MOST));
}

/* Whether flows are taken for others. */
static bool tolerates(const ss_presumption_watch *watch)
{
  return watch->presumption->tolerance_s > 0.0;
}

/* Whether flows are waited for in sets. */
static bool goes_by_sets(const ss_presumption_watch *watch)
{
  return tolerates(watch) && watch->presumption->first_set != NULL;
}

/* How far off the replay may be by now. Where nobody who waits for flows would be any earlier, what these are ahead by
 * themselves: they may meet others elsewhere. */
static double off_s(const ss_presumption_watch *watch)
{
  const ss_drifts *drifts = &watch->drifts;
  const double off = ss_drifts_most_s(drifts) + ss_drifts_wavered_s(drifts) + ss_drifts_out_of_step_s(drifts);
  return off > 0.0 ? off : watch->sum_s;
}

/* Others on the links of a type may lose to it from now on, or no more. */
static void shift_links_of(ss_presumption_watch *watch, int32_t type)
{
  int64_t count;
  const int32_t *link = ss_presumption_type(watch->presumption, type, &count);
  for (int64_t i = 0; tolerates(watch) && i < count; ++i) shift(watch, link[i]);
}

/* What a type has gained on its kind since its advantage was found. */
static void add_gain(ss_presumption_watch *watch, int32_t kind, int32_t type)
{
  const double times = ((double)watch->advantage[type] - 1.0) / MARKED_STEPS;
  if (times <= 1.0) return;
  const double gained_s = (watch->instant_s - watch->since_s[type]) * (1.0 - 1.0 / times);
  watch->ahead_s[type] += gained_s;
  ss_drifts_gain(&watch->drifts, kind, type, gained_s);
}

/* Adds up by how much a type would be ahead of its kind by now, and goes on with another advantage. A transfer goes on
 * when the last of the flows has arrived that it waits for, so that it would be ahead by what the foremost of them is
 * at most. Transfers follow one another, such as the messages from stage to stage: what they gain is added up. */
static void add_advantage(ss_presumption_watch *watch, int32_t kind, int32_t type, uint64_t advantage)
{
  add_gain(watch, kind, type);
  watch->since_s[type] = watch->instant_s;
  if (advantage != watch->advantage[type]) shift_links_of(watch, type);
  watch->unbounded += (advantage != 0) - (watch->advantage[type] != 0);
  watch->advantage[type] = advantage;
  double *foremost_s = &watch->foremost_s[watch->presumption->together[kind]];
  if (watch->ahead_s[type] <= *foremost_s) return;
  watch->sum_s += watch->ahead_s[type] - *foremost_s;
  *foremost_s = watch->ahead_s[type];
  ss_drifts_ahead(&watch->drifts, watch->sum_s);
}

/* A type has no bottleneck from now on, or has one again. Its mark says when, and how much faster it would be. */
static void note_advantage(ss_presumption_watch *watch, int32_t kind, int32_t type, uint64_t advantage)
{
  if (advantage == watch->advantage[type]) return;
  add_advantage(watch, kind, type, advantage);
  watch->calm[kind] = SS_CALM_NOT;
  if (!tolerates(watch)) watch->world->in_vain = true;
  const uint64_t now = ss_mix((uint64_t)watch->looks, advantage);
  watch->mark[type] = 1 + (int32_t)(ss_mix((uint64_t)watch->mark[type], now) % INT32_MAX);
}

/* Looks whether all types of a kind have a bottleneck. */
static void look_at(ss_presumption_watch *watch, int32_t kind)
{
  const ss_presumption *presumption = watch->presumption;
  if (watch->seen[kind] == watch->looks) return;
  watch->seen[kind] = watch->looks;
  for (int64_t i = presumption->first_type[kind]; i < presumption->first_type[kind + 1]; ++i)
    note_advantage(watch, kind, presumption->type[i], advantage_of(watch, presumption->type[i], &watch->flow[kind]));
}

/* How fast types of a kind would be on a link where they went as fast as they could; its own rate: none would. */
static double rising_to(const ss_presumption_watch *watch, int32_t kind, int32_t link)
{
  const ss_presumption *presumption = watch->presumption;
  double most = watch->flow[kind].bytes_per_s;
  for (int64_t i = presumption->first_type[kind]; i < presumption->first_type[kind + 1]; ++i) {
    const int32_t type = presumption->type[i];
    int64_t count;
    if (watch->advantage[type] == 0 || watch->next_bytes_per_s[type] <= most) continue;
    const int32_t *crossed = ss_presumption_type(presumption, type, &count);
    if (crosses(crossed, count, link)) most = watch->next_bytes_per_s[type];
  }
  return most;
}

/* What those that would be faster on a link would take from others there: `beyond` what it has, and what they would
 * leave to each of these. */
static ss_taken find_taken(ss_presumption_watch *watch, int32_t number)
{
  const ss_fair_link *link = &watch->rates.link[number];
  ss_taken taken = {add_up(watch, number)->bytes_per_s - watch->paths->bytes_per_s[number], INFINITY};
  for (int32_t i = link->flows; i-- > 0;) {
    const ss_fair_place *place = ss_fair_link_place(link, i);
    const double bytes_per_s = place->flow->bytes_per_s;
    const double rising = rising_to(watch, kind_of(watch, place->flow), number);
    if (rising <= bytes_per_s) continue;
    taken.beyond_bytes_per_s += (double)place->alike * (rising - bytes_per_s);
    taken.left_bytes_per_s = fmin(taken.left_bytes_per_s, share_of(watch, number, bytes_per_s));
  }
  return taken;
}

/* What a flow would lose from now on to those that would be faster on its links. */
static void find_loss(ss_presumption_watch *watch, const ss_fair_flow *flow)
{
  double lost_bytes_per_s = 0.0;
  for (int64_t h = 0; h < flow->hops; ++h) {
    const ss_taken *taken = &watch->taken[flow->hop[h].link];
    const double most_bytes_per_s = fmin(flow->bytes_per_s - taken->left_bytes_per_s, taken->beyond_bytes_per_s);
    lost_bytes_per_s = fmax(lost_bytes_per_s, most_bytes_per_s);
  }
  ss_drifts_lose(&watch->drifts, kind_of(watch, flow), lost_bytes_per_s / flow->bytes_per_s, watch->instant_s);
}

static void find_losses(ss_presumption_watch *watch)
{
  const bool may_lose = watch->unbounded > 0;
  if (!tolerates(watch)) return;
  for (int64_t i = 0; i < watch->shifts; ++i)
    watch->taken[watch->shifted[i]] = may_lose ? find_taken(watch, watch->shifted[i]) : (ss_taken){0};
  for (int64_t i = 0; (may_lose || watch->drifts.losing > 0) && i < watch->shifts; ++i) {
    const ss_fair_link *link = &watch->rates.link[watch->shifted[i]];
    for (int32_t at = link->flows; at-- > 0;) find_loss(watch, ss_fair_link_place(link, at)->flow);
  }
}

static void find_encounters(ss_presumption_watch *watch)
{
  for (int64_t i = 0; i < watch->shifts; ++i) {
    const int32_t link = watch->shifted[i];
    ss_encounters_look(&watch->encounters, &watch->rates.link[link], link, watch->instant_s);
  }
}

static void look(ss_presumption_watch *watch)
{
  watch->looks++;
  find_rates(watch);
  for (int64_t i = 0; i < watch->shifts; ++i) {
    const ss_fair_link *link = &watch->rates.link[watch->shifted[i]];
    for (int32_t at = link->flows; at-- > 0;) look_at(watch, kind_of(watch, ss_fair_link_place(link, at)->flow));
  }
  find_losses(watch);
  find_encounters(watch);
  for (int64_t i = 0; i < watch->shifts; ++i) watch->link[watch->shifted[i]].shifted = false;
  watch->shifts = 0;
}

static void time_is(ss_presumption_watch *watch, double now_s)
{
  if (now_s - watch->instant_s < watch->tie_s) return;
  look(watch);
  watch->instant_s = now_s;
}

/* Whether a flow that has its path to itself fills a link that a type crosses. */
static bool fills_link_of(const ss_presumption_watch *watch, const ss_flow *flow, int32_t type)
{
  int64_t hops, count;
  const ss_hop *hop = ss_link_paths_hops(watch->paths, flow->path, &hops);
  const int32_t *link = ss_presumption_type(watch->presumption, type, &count);
  const double alone_bytes_per_s = ss_link_paths_alone_bytes_per_s(watch->paths, flow->path);
  for (int64_t h = 0; h < hops; ++h)
    for (int64_t i = 0; i < count; ++i)
      if (link[i] == hop[h].link && hop[h].alike * alone_bytes_per_s * NEARLY >= watch->paths->bytes_per_s[link[i]])
        return true;
  return false;
}

/* Whether all types of a flow's kind have a bottleneck wherever it has its path to itself, and always had one. Kinds
 * have one flow each. */
static bool is_calm(ss_presumption_watch *watch, const ss_flow *flow)
{
  const ss_presumption *presumption = watch->presumption;
  ss_calm *calm = &watch->calm[flow->kind];
  if (*calm != SS_CALM_UNKNOWN) return *calm == SS_CALM;
  *calm = SS_CALM;
  for (int64_t i = presumption->first_type[flow->kind]; i < presumption->first_type[flow->kind + 1]; ++i)
    if (!fills_link_of(watch, flow, presumption->type[i])) *calm = SS_CALM_NOT;
  return *calm == SS_CALM;
}

/* A flow begins with its path to itself, as nine in ten do, and there is nothing to look at. */
static bool begin_alone(ss_presumption_watch *watch, const ss_flow *flow)
{
  ss_fair_flow *begun = &watch->flow[flow->kind];
  if (!is_calm(watch, flow) || !ss_fair_rates_enter_alone(&watch->rates, begun, flow->path)) return false;
  for (int32_t h = 0; h < begun->hops; ++h) watch->link[begun->hop[h].link].is_old = true;
  return true;
}

static void flow_begin(void *self, const ss_flow *flow, double now_s)
{
  ss_presumption_watch *watch = self;
  if (flow->kind < 0) return;
  time_is(watch, now_s);
  ss_drifts_begin(&watch->drifts, flow->kind);
  ss_encounters_begin(&watch->encounters, flow->kind, now_s);
  if (!begin_alone(watch, flow)) ss_fair_rates_enter(&watch->rates, &watch->flow[flow->kind], flow->path);
}

/* With the flow of a kind, the advantages of its types end, if any ever had one. */
static void end_advantages(ss_presumption_watch *watch, int32_t kind)
{
  const ss_presumption *presumption = watch->presumption;
  if (watch->calm[kind] != SS_CALM_NOT) return;
  for (int64_t i = presumption->first_type[kind]; i < presumption->first_type[kind + 1]; ++i)
    if (watch->advantage[presumption->type[i]] != 0) add_advantage(watch, kind, presumption->type[i], 0);
}

static void flow_carried(void *self, const ss_carried *carried)
{
  ss_presumption_watch *watch = self;
  if (carried->flow->kind < 0 || !carried->is_over) return;
  time_is(watch, carried->end_s);
  ss_drifts_lose(&watch->drifts, carried->flow->kind, 0.0, carried->end_s);
  ss_drifts_leave(&watch->drifts, carried->flow->kind,
                  ss_encounters_end(&watch->encounters, carried->flow->kind, carried->end_s));
  if (tolerates(watch)) end_advantages(watch, carried->flow->kind);
  ss_fair_flow *over = &watch->flow[carried->flow->kind];
  if (!ss_fair_rates_leave_alone(&watch->rates, over)) ss_fair_rates_leave(&watch->rates, over);
}

static ss_status allocate(ss_presumption_watch *watch, int64_t kinds, int64_t links)
{
  const size_t types = (size_t)watch->presumption->types.count + 1;
  watch->flow = calloc((size_t)kinds + 1, sizeof *watch->flow);
  watch->seen = calloc((size_t)kinds + 1, sizeof *watch->seen);
  watch->foremost_s = calloc((size_t)kinds + 1, sizeof *watch->foremost_s);
  watch->calm = calloc((size_t)kinds + 1, sizeof *watch->calm);
  watch->link = calloc((size_t)links + 1, sizeof *watch->link);
  watch->shifted = malloc((size_t)(links + 1) * sizeof *watch->shifted);
  watch->advantage = calloc(types, sizeof *watch->advantage);
  watch->taken = calloc((size_t)links + 1, sizeof *watch->taken);
  watch->next_bytes_per_s = calloc(types, sizeof *watch->next_bytes_per_s);
  watch->mark = calloc(types, sizeof *watch->mark);
  watch->since_s = calloc(types, sizeof *watch->since_s);
  watch->ahead_s = calloc(types, sizeof *watch->ahead_s);
  if (watch->flow == NULL || watch->seen == NULL || watch->calm == NULL || watch->link == NULL ||
      watch->shifted == NULL || watch->advantage == NULL || watch->mark == NULL || watch->since_s == NULL ||
      watch->ahead_s == NULL || watch->foremost_s == NULL || watch->next_bytes_per_s == NULL || watch->taken == NULL)
    return SS_ERROR_MEMORY;
  return ss_fair_rates_init(&watch->rates, watch->paths);
}

ss_status ss_presumption_watch_open(ss_presumption_watch *watch, const ss_presumption *presumption,
                                    const ss_link_paths *paths, ss_world *world)
{
  *watch = (ss_presumption_watch){.presumption = presumption,
                                  .paths = paths,
                                  .observer = {.self = watch, .flow_begin = flow_begin, .flow = flow_carried},
                                  .world = world,
                                  .tie_s = world->common->tie_s};
  if (presumption->types.count == 0) return SS_OK;
  ss_observers_add(&world->observers, &watch->observer);
  ss_status status = allocate(watch, presumption->kinds, paths->links);
  if (!tolerates(watch)) return status;
  if (status == SS_OK) status = ss_encounters_init(&watch->encounters, presumption, watch->flow);
  return status == SS_OK ? ss_drifts_open(&watch->drifts, presumption, world) : status;
}

void ss_presumption_watch_free(ss_presumption_watch *watch)
{
  ss_drifts_free(&watch->drifts);
  ss_encounters_free(&watch->encounters);
  ss_fair_rates_free(&watch->rates);
  free(watch->flow);
  free(watch->seen);
  free(watch->calm);
  free(watch->link);
  free(watch->shifted);
  free(watch->advantage);
  free(watch->next_bytes_per_s);
  free(watch->taken);
  free(watch->mark);
  free(watch->since_s);
  free(watch->ahead_s);
  free(watch->foremost_s);
  *watch = (ss_presumption_watch){0};
}

/* Of flows that may be taken for others, only those are told apart that are well ahead, by how much. */
static ss_status coarsen_marks(ss_presumption_watch *watch)
{
  const ss_ahead ahead = {watch->ahead_s, watch->foremost_s, watch->sum_s};
  for (int32_t kind = 0; kind < watch->presumption->kinds; ++kind) end_advantages(watch, kind);
  return ss_coarse_marks_make(watch->presumption, &ahead, watch->mark);
}

/* The mark that a flow gets, or 0. */
static int32_t mark_of(const ss_presumption_watch *watch, int64_t flow)
{
  const int32_t type = watch->presumption->type_of_flow[flow];
  return type >= 0 ? watch->mark[type] : 0;
}

/* The flows that were not like others, and are taken for them all the same. */
static ss_presumed count_presumed(const ss_presumption_watch *watch)
{
  const ss_presumption *presumption = watch->presumption;
  ss_presumed presumed = {0};
  for (int64_t flow = 0; flow < presumption->flows; ++flow) {
    const int32_t type = presumption->type_of_flow[flow];
    presumed.flows += type >= 0 && watch->ahead_s[type] > 0.0;
  }
  if (presumed.flows > 0) presumed.ahead_s = off_s(watch);
  return presumed;
}

/* Another attempt has gone by groups: the last one where it was in vain though flows meet at their ports. */
static void note_groups(const ss_presumption_watch *watch, ss_flow_marks *marks)
{
  const bool last = watch->world->in_vain && watch->presumption->meets_at_ports;
  marks->by_groups = last ? SS_PRESUMED_GROUPS_MOST : marks->by_groups + 1;
}

ss_status ss_presumption_watch_conclude(ss_presumption_watch *watch, ss_flow_marks *marks, ss_presumed *presumed)
{
  const ss_presumption *presumption = watch->presumption;
  if (watch->mark == NULL) return SS_OK;
  look(watch);
  if (!watch->world->in_vain && !watch->world->is_crowded) {
    *presumed = count_presumed(watch);
    return SS_OK;
  }
  if (goes_by_sets(watch)) note_groups(watch, marks);
  if (goes_by_sets(watch) && !watch->world->in_vain) return SS_OK;
  if (tolerates(watch) && coarsen_marks(watch) != SS_OK) return SS_ERROR_MEMORY;
  int64_t given = 0;
  for (int64_t flow = 0; flow < presumption->flows; ++flow) given += mark_of(watch, flow) != 0;
  if (given == 0) return SS_OK;
  ss_flow_mark *all = malloc((size_t)(marks->count + given) * sizeof *all);
  if (all == NULL) return SS_ERROR_MEMORY;
  int64_t count = 0;
  const ss_flow_mark *had = marks->mark, *end = marks->mark + marks->count;
  for (int64_t flow = 0; flow < presumption->flows; ++flow) {
    const uint64_t before = had < end && had->flow == flow ? (had++)->mark : 0, got = (uint64_t)mark_of(watch, flow);
    if (before != 0 || got != 0) all[count++] = (ss_flow_mark){(int32_t)flow, got != 0 ? ss_mix(before, got) : before};
  }
  free(marks->mark);
  *marks = (ss_flow_marks){
      .all = marks->all, .given = marks->given + given, .by_groups = marks->by_groups, .count = count, .mark = all};
  return SS_OK;
}
