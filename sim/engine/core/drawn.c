#include "sim/engine/core/drawn.h"

#include <stdlib.h>

/* Legs of which kernels are drawn at once: what one is does not hang on what others are, so that a processor is at
 * several of them at a time. */
enum { AT_ONCE = 32 };

/* Where a replica is in a run. */
typedef struct course {
  ss_world *world;
  const ss_stage_replica *replica;
  ss_kernel_place at; /* of the block; its kind only where `is_found` */
  bool is_found;
} course;

static void turn_to(course *c, int64_t position)
{
  if (c->at.position == position) return;
  c->at.position = position;
  c->is_found = false;
}

static const ss_kernel_place *place_of(course *c)
{
  if (!c->is_found) c->at = ss_replica_kernels(c->world, c->replica, c->at.position);
  c->is_found = true;
  return &c->at;
}

/* How many legs from one of them on are pieces of kernels of one block, or none; of `most`. */
static int64_t follow(const ss_leg *leg, int64_t most)
{
  const int32_t position = leg->kernels.position;
  int64_t legs = 0;
  for (; legs < most && legs < AT_ONCE; ++legs) {
    const ss_leg_kernels *kernels = &leg[legs].kernels;
    if (kernels->some && (kernels->count > 0 || kernels->position != position)) break;
  }
  return legs;
}

static void draw_pieces(course *c, const ss_leg *leg, int64_t legs, double *longer_s)
{
  ss_kernel_piece piece[AT_ONCE];
  int64_t pieces = 0;
  for (int64_t i = 0; i < legs; ++i)
    if (leg[i].kernels.some)
      piece[pieces++] = (ss_kernel_piece){.task = leg[i].kernels.task, .piece = leg[i].kernels.piece};
  ss_perturbation_draw(c->world->perturbation, place_of(c), piece, pieces);
  pieces = 0;
  for (int64_t i = 0; i < legs; ++i) longer_s[i] = leg[i].kernels.some ? piece[pieces++].longer_s : 0.0;
}

static double draw_tasks_s(course *c, const ss_leg *leg)
{
  const ss_task_run run = {.first = leg->kernels.task, .count = leg->kernels.count, .nominal_s = leg->time_s};
  return ss_perturbation_run_s(c->world->perturbation, place_of(c), run);
}

void ss_named_legs_free(ss_named_legs *legs)
{
  free(legs->ahead);
  free(legs->name);
  free(legs->nominal_s);
  free(legs->time_s);
  *legs = (ss_named_legs){0};
}

static ss_named_legs *names_of(ss_world *world)
{
  ss_named_legs *named = &world->named;
  if (named->ahead != NULL) return named;
  const size_t count = (size_t)world->legs.count + 1;
  *named = (ss_named_legs){.ahead = calloc(count, sizeof *named->ahead),
                           .name = calloc(count, sizeof *named->name),
                           .nominal_s = calloc(count, sizeof *named->nominal_s),
                           .time_s = calloc(count, sizeof *named->time_s)};
  SS_ASSERT(named->ahead != NULL && named->name != NULL && named->nominal_s != NULL && named->time_s != NULL);
  return named;
}

/* Fills in legs from `first` on that are drawn together. Every replica that comes to them has the same kernels. */
static void name_legs(course *c, ss_named_legs *named, int64_t first, int64_t most)
{
  const ss_leg *leg = &c->world->legs.leg[first];
  const int64_t legs = follow(leg, most);
  bool plain = true;
  for (int64_t i = 0; i < legs; ++i) {
    const ss_kernel_piece piece = {.task = leg[i].kernels.task, .piece = leg[i].kernels.piece};
    if (leg[i].kernels.some)
      named->name[first + i] =
          ss_perturbation_name(c->world->perturbation, place_of(c), &piece, &named->nominal_s[first + i]);
    named->time_s[first + i] = leg[i].time_s;
    plain = plain && leg[i].beside == 0;
  }
  named->ahead[first] = (int8_t)(plain ? legs : -legs);
}

static void walk_legs(ss_drawn_walk *walk, const ss_leg *leg, int64_t legs, const double *longer_s)
{
  for (int64_t i = 0; i < legs; ++i) {
    if (!leg[i].kernels.some) {
      ss_leg_walk_go(&walk->legs, &leg[i]);
      continue;
    }
    ss_leg_walk_go_longer(&walk->legs, &leg[i], longer_s[i]);
    walk->excess_s += longer_s[i];
  }
}

/* The same of legs that have nothing beside them. */
static void walk_plain(ss_drawn_walk *walk, const double *time_s, int64_t legs, const double *longer_s)
{
  double now_s = walk->legs.time_s, excess_s = walk->excess_s;
  for (int64_t i = 0; i < legs; ++i) {
    now_s += time_s[i] + longer_s[i];
    excess_s += longer_s[i];
  }
  walk->legs.time_s = now_s;
  walk->excess_s = excess_s;
}

/* Goes through legs from `first` on, as far as they are drawn together by their names. How many that is. */
static int64_t go_by_name(course *c, int64_t first, int64_t most, ss_drawn_walk *walk)
{
  ss_named_legs *named = names_of(c->world);
  double longer_s[AT_ONCE];
  if (named->ahead[first] == 0) name_legs(c, named, first, most);
  const bool plain = named->ahead[first] > 0;
  const int64_t ahead = plain ? named->ahead[first] : -named->ahead[first], legs = ahead < most ? ahead : most;
  ss_perturbation_draw_named(
      c->world->perturbation, &c->at,
      &(ss_named_pieces){.name = &named->name[first], .nominal_s = &named->nominal_s[first], .count = legs}, longer_s);
  if (plain)
    walk_plain(walk, &named->time_s[first], legs, longer_s);
  else
    walk_legs(walk, &c->world->legs.leg[first], legs, longer_s);
  return legs;
}

static int64_t go_by_pieces(course *c, const ss_leg *leg, int64_t most, ss_drawn_walk *walk)
{
  double longer_s[AT_ONCE];
  const bool tasks = leg->kernels.some && leg->kernels.count > 0;
  const int64_t legs = tasks ? 1 : follow(leg, most);
  if (tasks)
    longer_s[0] = draw_tasks_s(c, leg);
  else
    draw_pieces(c, leg, legs, longer_s);
  walk_legs(walk, leg, legs, longer_s);
  return legs;
}

void ss_drawn_walk_run(ss_world *world, const ss_stage_replica *replica, const ss_step *step, int64_t position,
                       ss_drawn_walk *walk)
{
  const int64_t end = step->first_leg + step->legs;
  course c = {.world = world,
              .replica = replica,
              .at = {.gpu = ss_replica_gpus(world, replica), .schedule_pass = replica->pass, .position = -1}};
  const bool by_name = ss_perturbation_draws_by_name(world->perturbation, c.at.gpu);
  for (int64_t i = step->first_leg; i < end;) {
    const ss_leg *leg = &world->legs.leg[i];
    turn_to(&c, position + leg->kernels.position);
    if (by_name && leg->kernels.count == 0)
      i += go_by_name(&c, i, end - i, walk);
    else
      i += go_by_pieces(&c, leg, end - i, walk);
  }
  if (world->slows) walk->excess_s += walk->legs.slowed_s;
}
