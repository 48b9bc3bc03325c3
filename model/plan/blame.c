#include "model/plan/blame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/gpu_speed.h"
#include "model/plan/placement_groups.h"

/* Stretches of numbers that are listed; people do not read more. */
enum { STRETCHES_MOST = 6, LIST_SIZE = 128, COST_SIZE = 32 };

/* A cost that is less than this of the iteration is none. */
#define NOTHING 1e-6

static int64_t count(const bool *is_one, int64_t gpus)
{
  int64_t ones = 0;
  for (int64_t i = 0; i < gpus; ++i) ones += is_one[i];
  return ones;
}

static void append(char *text, size_t size, const char *more)
{
  const size_t length = strlen(text);
  (void)snprintf(text + length, size - length, "%s", more);
}

/* The stretch that begins at `first`, behind those before it; where it ends. */
static int64_t append_stretch(const bool *is_one, int64_t gpus, int64_t first, char *text, size_t size)
{
  char stretch[48];
  int64_t end = first;
  while (end < gpus && is_one[end]) ++end;
  const char *comma = text[strlen(text) - 1] == ' ' ? "" : ", ";
  if (end - first > 1)
    (void)snprintf(stretch, sizeof stretch, "%s%" PRId64 "-%" PRId64, comma, first, end - 1);
  else
    (void)snprintf(stretch, sizeof stretch, "%s%" PRId64, comma, first);
  append(text, size, stretch);
  return end;
}

void ss_blame_gpus(const bool *is_one, int64_t gpus, char *text, size_t size)
{
  int64_t left = count(is_one, gpus), stretches = 0;
  (void)snprintf(text, size, "%s ", left == 1 ? "GPU" : "GPUs");
  for (int64_t i = 0; i < gpus && stretches < STRETCHES_MOST; ++i) {
    if (!is_one[i]) continue;
    const int64_t end = append_stretch(is_one, gpus, i, text, size);
    left -= end - i;
    i = end;
    ++stretches;
  }
  if (left == 0) return;
  char more[48];
  (void)snprintf(more, sizeof more, " and %" PRId64 " more", left);
  append(text, size, more);
}

/* Sets of GPUs, and of groups of ranks. */
typedef struct gpu_sets {
  int64_t gpus;
  bool *slow, *waits; /* [gpus], owned */
  bool *touched;      /* [ranks] groups with a slow rank; owned */
  int32_t *group;     /* [ranks] scratch: the GPUs of one; owned */
} gpu_sets;

/* How far a slow rank is felt first. */
typedef enum reach { REACH_LAYERS, REACH_COPY, REACH_JOB, REACHES } reach;

static int64_t ranks_of(const ss_placement *p)
{
  return p->tp * p->cp * p->dp * p->pp;
}

/* The group of a rank that waits for it: its stage replica, its copy of the model, all. */
static int64_t group_of(const ss_placement *p, int64_t rank, reach how_far)
{
  const int64_t stage_replica = rank / (p->tp * p->cp);
  if (how_far == REACH_LAYERS) return stage_replica;
  return how_far == REACH_COPY ? stage_replica % p->dp : 0;
}

/* Marks who waits for the slow ranks, within their reach. */
static void mark_within(const ss_placement *p, gpu_sets *sets, reach how_far)
{
  memset(sets->touched, 0, (size_t)ranks_of(p) * sizeof *sets->touched);
  for (int64_t rank = 0; rank < ranks_of(p); ++rank)
    if (sets->slow[p->gpu[rank]]) sets->touched[group_of(p, rank, how_far)] = true;
  for (int64_t rank = 0; rank < ranks_of(p); ++rank)
    if (sets->touched[group_of(p, rank, how_far)] && !sets->slow[p->gpu[rank]]) sets->waits[p->gpu[rank]] = true;
}

static void mark_group(gpu_sets *sets, int64_t size)
{
  bool touched = false;
  for (int64_t i = 0; i < size; ++i) touched |= sets->slow[sets->group[i]];
  for (int64_t i = 0; touched && i < size; ++i)
    if (!sets->slow[sets->group[i]]) sets->waits[sets->group[i]] = true;
}

/* Marks who shares experts with slow ranks, of which they are groups along two axes. */
static void mark_experts(const ss_placement *p, gpu_sets *sets)
{
  for (int64_t stage = 0; stage < p->pp; ++stage)
    for (int axis = SS_EXPERT_AXIS_TP; axis <= SS_EXPERT_AXIS_EP; ++axis)
      for (int64_t i = 0; i < ss_expert_group_count(&p->experts, (ss_expert_axis)axis); ++i) {
        ss_placement_expert_group(p, stage, (ss_expert_axis)axis, i, sets->group);
        mark_group(sets, p->experts.size[axis]);
      }
}

/* Those nearest to it. */
static void mark_waiting(const ss_job *job, gpu_sets *sets)
{
  const ss_placement *p = &job->placement;
  if (job->workload->model.experts > 0) mark_experts(p, sets);
  mark_within(p, sets, REACH_LAYERS);
  for (int how_far = REACH_COPY; how_far < REACHES && count(sets->waits, sets->gpus) == 0; ++how_far)
    mark_within(p, sets, (reach)how_far);
}

static void print_cost(double cost_s, char text[COST_SIZE])
{
  if (cost_s >= 1.0)
    (void)snprintf(text, COST_SIZE, "+%.2f s", cost_s);
  else
    (void)snprintf(text, COST_SIZE, cost_s >= 1e-3 ? "+%.2f ms" : "+%.3f ms", 1e3 * cost_s);
}

static bool costs_nothing(const ss_slow_part *part)
{
  return part->cost_s <= NOTHING * part->without_s;
}

/* "WHO wait(s) for WHAT: +1.41 s". */
static void tell(ss_slow_part *part, const char *who, bool several, const char *what)
{
  char cost[COST_SIZE];
  print_cost(part->cost_s, cost);
  if (costs_nothing(part))
    (void)snprintf(part->sentence, sizeof part->sentence, "Nobody waits for %s", what);
  else
    (void)snprintf(part->sentence, sizeof part->sentence, "%s wait%s for %s: %s", who, several ? "" : "s", what, cost);
}

static void tell_of_gpus(const ss_job *job, ss_slow_part *part, const ss_gpu_speed *speed, gpu_sets *sets)
{
  char who[LIST_SIZE], slow[LIST_SIZE], what[LIST_SIZE + 64];
  for (int64_t gpu = speed->first; gpu <= speed->last && gpu < sets->gpus; ++gpu) sets->slow[gpu] = true;
  ss_blame_gpus(sets->slow, sets->gpus, slow, sizeof slow);
  (void)snprintf(what, sizeof what, "%s (%g of %s speed)", slow, speed->factor,
                 speed->first == speed->last ? "its" : "their");
  mark_waiting(job, sets);
  const int64_t waiting = count(sets->waits, sets->gpus);
  ss_blame_gpus(sets->waits, sets->gpus, who, sizeof who);
  tell(part, waiting > 0 ? who : "The job", waiting > 1, what);
}

static void tell_of_link(ss_slow_part *part)
{
  char what[SS_NAME_SIZE + 32];
  const char *factor = strrchr(part->entry, ':');
  const int name = factor != NULL ? (int)(factor - part->entry) : (int)strlen(part->entry);
  if (factor != NULL && strtod(factor + 1, NULL) > 0.0)
    (void)snprintf(what, sizeof what, "link %.*s (%s of its speed)", name, part->entry, factor + 1);
  else
    (void)snprintf(what, sizeof what, "link %.*s (dead)", name, part->entry);
  tell(part, "The job", false, what);
}

void ss_blame_tell(const ss_job *job, ss_slow_part *part)
{
  const size_t gpus = (size_t)job->machine->gpus;
  ss_gpu_speed speed;
  part->sentence[0] = '\0';
  if (strcmp(part->property->name, "gpu-speed") != 0) {
    tell_of_link(part);
    return;
  }
  gpu_sets sets = {.gpus = job->machine->gpus,
                   .slow = calloc(gpus, sizeof *sets.slow),
                   .waits = calloc(gpus, sizeof *sets.waits),
                   .touched = calloc((size_t)ranks_of(&job->placement), sizeof *sets.touched),
                   .group = calloc((size_t)ranks_of(&job->placement), sizeof *sets.group)};
  const bool room = sets.slow != NULL && sets.waits != NULL && sets.touched != NULL && sets.group != NULL;
  if (room && ss_gpu_speed_read(part->entry, (int)strlen(part->entry), &speed)) tell_of_gpus(job, part, &speed, &sets);
  free(sets.slow);
  free(sets.waits);
  free(sets.touched);
  free(sets.group);
}
