#include "sim/session/plan/slow_fabric.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/fabric/fabric.h"
#include "model/fabric/parts.h"
#include "model/fabric/slow_links.h"
#include "sim/session/plan/carriers.h"

/* The places as they are found out. */
typedef struct finder {
  const ss_slowed_job *slowed;
  const ss_fabric *fabric;
  ss_fabric_parts parts;
  ss_carriers carriers;
  ss_slow_fabric *out;
  ss_error *error;
} finder;

/* A part that is slow: how much of the bandwidth is left of links when it is, and when it is switched off. */
typedef struct slow_part {
  ss_slow_links links;
  double slow, off;
  const ss_carrier_group *group;
} slow_part;

static bool replays(const finder *f)
{
  return f->slowed->options->sweep.replay > 0;
}

/* The speed of the job with the links of the part at a share of their own. */
static ss_status find_speed(const finder *f, slow_part *part, double share, double *speed, ss_error *error)
{
  ss_machine machine = f->slowed->session->machine;
  if (!replays(f)) return ss_plan_slowed_by_fabric(f->slowed, share, speed, error);
  part->links.factor = share;
  machine.slow_links = &part->links;
  return ss_plan_slowed_speed(f->slowed, &machine, speed, error);
}

/* The same with the part switched off. False where messages have no other way then. */
static ss_status find_off_speed(const finder *f, slow_part *part, double *speed)
{
  ss_error refusal = {0};
  bool other_way = true;
  if (!replays(f) && part->off == 0.0) {
    const ss_status status =
        ss_carriers_have_other_way(&f->slowed->session->machine, part->group, &part->links, &other_way, f->error);
    return status == SS_OK && other_way ? find_speed(f, part, 0.5, speed, f->error) : status;
  }
  const ss_status status = find_speed(f, part, part->off, speed, &refusal);
  if (status == SS_OK || status == SS_ERROR_INPUT) return SS_OK;
  *f->error = refusal;
  return status;
}

/* How slow the job is with the part. */
static ss_status fill_speeds(const finder *f, slow_part *part, ss_slow_place *place)
{
  double off = 0.0;
  place->speed = place->off_speed = 1.0;
  if (part->slow == 1.0) return SS_OK;
  ss_status status = find_speed(f, part, part->slow, &place->speed, f->error);
  if (status == SS_OK && place->speed < 1.0) status = find_off_speed(f, part, &off);
  place->off_speed = fmax(place->speed, off);
  return status;
}

static ss_status add_place(finder *f, slow_part *part, ss_slow_place place)
{
  ss_slow_fabric *out = f->out;
  if (replays(f)) ss_fabric_name(f->fabric, part->group->link, place.link);
  const ss_status status = fill_speeds(f, part, &place);
  if (status == SS_OK) out->place[out->count++] = place;
  return status;
}

/* Cables of a group; those of NICs are no cables of the fabric. */
static ss_status add_cables(finder *f, const ss_carrier_group *group)
{
  const ss_fabric_level *level = &f->parts.level[group->level];
  const int64_t bundles = ss_fabric_level_bundles(f->fabric, group->level);
  const double cables = (double)level->cables / (double)bundles;
  const double left = f->slowed->session->machine.slow_cable_speed;
  slow_part part = {.slow = 1.0 - (1.0 - left) / cables, .off = 1.0 - 1.0 / cables, .group = group};
  ss_slow_place place = {.kind = SS_SLOW_CABLE, .parts = group->bundles * cables};
  if (group->level == 0 && f->parts.nic_cables > 0) return SS_OK;
  (void)snprintf(place.place, sizeof place.place, "%s", level->place);
  ss_status status = ss_slow_links_of_cable(f->fabric, group->link, &part.links, f->error);
  if (status == SS_OK) status = add_place(f, &part, place);
  ss_slow_links_free(&part.links);
  return status;
}

/* The switches above cables of a group: as many as these are of the cables of their level. */
static ss_status add_switches(finder *f, const ss_carrier_group *group)
{
  const ss_fabric_level *level = &f->parts.level[group->level];
  const double share = group->bundles / (double)ss_fabric_level_bundles(f->fabric, group->level);
  ss_slow_place place = {.kind = SS_SLOW_SWITCH, .parts = share * (double)level->switches};
  if (level->switches == 0) return SS_OK;
  const double joined = ss_fabric_joined_switches(f->fabric, group->link, level->switches);
  const double left = f->slowed->session->machine.slow_switch_speed;
  slow_part part = {.slow = 1.0 - (1.0 - left) / joined, .off = 1.0 - 1.0 / joined, .group = group};
  (void)snprintf(place.place, sizeof place.place, "in level %d", group->level + 1);
  ss_status status = ss_slow_links_of_switch(f->fabric, group->link, level->switches, &part.links, f->error);
  if (status == SS_OK) status = add_place(f, &part, place);
  ss_slow_links_free(&part.links);
  return status;
}

static ss_status find_places(finder *f, const ss_history *history)
{
  const ss_machine *machine = &f->slowed->session->machine;
  ss_status status = SS_OK;
  f->parts = ss_fabric_parts_of(machine);
  if (replays(f))
    status = ss_carriers_of_history(f->fabric, history, &f->carriers, f->error);
  else
    ss_carriers_of_routes(f->fabric, &f->slowed->session->job, &f->carriers);
  for (int i = 0; status == SS_OK && machine->slow_cable_rate > 0.0 && i < f->carriers.count; ++i)
    status = add_cables(f, &f->carriers.group[i]);
  for (int i = 0; status == SS_OK && machine->slow_switch_rate > 0.0 && i < f->carriers.count; ++i)
    status = add_switches(f, &f->carriers.group[i]);
  return status;
}

ss_status ss_plan_slow_fabric(const ss_slowed_job *slowed, const ss_history *history, ss_slow_fabric *fabric,
                              ss_error *error)
{
  const ss_machine *machine = &slowed->session->machine;
  ss_fabric *laid = NULL;
  *fabric = (ss_slow_fabric){.count = 0};
  if (machine->slow_cable_rate == 0.0 && machine->slow_switch_rate == 0.0) return SS_OK;
  ss_status status = ss_fabric_create(&laid, machine, error);
  finder f = {.slowed = slowed, .fabric = laid, .out = fabric, .error = error};
  if (status == SS_OK) status = find_places(&f, history);
  ss_fabric_destroy(laid);
  return status;
}
