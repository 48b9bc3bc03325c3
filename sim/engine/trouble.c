#include "sim/engine/trouble.h"

#include <stdlib.h>
#include <string.h>

#include "model/gpu_speed.h"
#include "model/number.h"

/* What is drawn for a GPU besides its kernels, which are called after their pass and block. */
#define NAME_OF_SPREAD UINT64_MAX

/* Bits of the name of a kernel for its block and its piece. */
enum { BLOCK_BITS = 24, PIECE_BITS = 24 };

/* A run of tasks in a cell, rank by rank. */
typedef struct walk {
  const ss_trouble *trouble;
  const int32_t *gpu; /* [width] of the ranks */
  int64_t width;
  const ss_task *task;
  ss_task_times times;
  int64_t index;          /* of the task */
  double call_s;          /* where the collectives of an overlapped task are */
  int64_t kernels, calls; /* pieces of it that are done */
} walk;

static size_t times_index(ss_block_kind kind, ss_pass pass, int64_t task)
{
  return ((size_t)kind * SS_PASSES + (size_t)pass) * SS_TASKS_MAX + (size_t)task;
}

static double calls_s(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  double sum_s = 0.0;
  for (int64_t i = 0; i < task->calls; ++i)
    sum_s += ss_comm_time_sum(ss_job_call_piece(job, kind, pass, task, i, job->span[task->call[i].group]));
  return sum_s;
}

static void time_tasks(ss_trouble *trouble, const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_task_list *list = ss_job_tasks(job, kind, pass);
  for (int64_t i = 0; i < list->count; ++i) {
    const ss_task *task = &list->task[i];
    ss_task_times *times = &trouble->times[times_index(kind, pass, i)];
    if (task->computes) times->kernel_s = ss_duration_kernel_s(ss_job_kernel_piece(job, kind, pass, task));
    times->calls_s = calls_s(job, kind, pass, task);
  }
}

static void draw_gpus(ss_trouble *trouble, const ss_machine *machine, uint64_t seed)
{
  const ss_log_normal spread = ss_log_normal_of(machine->gpu_spread);
  ss_gpu_speeds(machine->gpu_speed, machine->gpus, trouble->slowness);
  for (int64_t gpu = 0; gpu < machine->gpus; ++gpu) {
    trouble->key[gpu] = ss_random_key(ss_random_key(seed, 0), (uint64_t)gpu);
    const double normal = ss_random_normal(ss_random_key(trouble->key[gpu], NAME_OF_SPREAD));
    trouble->slowness[gpu] = ss_log_normal_factor(spread, normal) / trouble->slowness[gpu];
  }
}

static bool job_has_trouble(const ss_trouble *trouble, const ss_job *job)
{
  const int64_t ranks = job->stages * job->replicas * job->tensor * job->context;
  if (trouble->noisy) return true;
  for (int64_t rank = 0; rank < ranks; ++rank)
    if (trouble->slowness[job->placement.gpu[rank]] != 1.0) return true;
  return false;
}

static ss_status allocate(ss_trouble *trouble, const ss_job *job)
{
  const size_t gpus = (size_t)job->machine->gpus, width = (size_t)(job->tensor * job->context);
  trouble->slowness = calloc(gpus, sizeof *trouble->slowness);
  trouble->key = calloc(gpus, sizeof *trouble->key);
  trouble->block_key = calloc(width, sizeof *trouble->block_key);
  trouble->clock_s = calloc(width, sizeof *trouble->clock_s);
  trouble->times = calloc(times_index(SS_BLOCK_COUNT, (ss_pass)0, 0), sizeof *trouble->times);
  if (trouble->noisy) trouble->noise = calloc(SS_SLICES, sizeof *trouble->noise);
  const bool complete = trouble->slowness != NULL && trouble->key != NULL && trouble->block_key != NULL &&
                        trouble->clock_s != NULL && trouble->times != NULL &&
                        (trouble->noise != NULL || !trouble->noisy);
  return complete ? SS_OK : SS_ERROR_MEMORY;
}

static ss_status fill(ss_trouble *trouble, const ss_job *job, uint64_t seed)
{
  trouble->noisy = job->machine->kernel_noise > 0.0;
  const ss_status status = allocate(trouble, job);
  if (status != SS_OK) return status;
  draw_gpus(trouble, job->machine, seed);
  if (trouble->noisy) ss_log_normal_slices(ss_log_normal_of(job->machine->kernel_noise), trouble->noise);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) time_tasks(trouble, job, (ss_block_kind)kind, (ss_pass)pass);
  return SS_OK;
}

ss_status ss_trouble_create(ss_trouble **trouble, const ss_job *job, uint64_t seed)
{
  *trouble = NULL;
  if (!ss_machine_has_trouble(job->machine) || job->options.what_if.equal_gpus) return SS_OK;
  *trouble = calloc(1, sizeof **trouble);
  const ss_status status = *trouble != NULL ? fill(*trouble, job, seed) : SS_ERROR_MEMORY;
  if (status != SS_OK || job_has_trouble(*trouble, job)) return status;
  ss_trouble_destroy(*trouble);
  *trouble = NULL;
  return SS_OK;
}

void ss_trouble_destroy(ss_trouble *trouble)
{
  if (trouble == NULL) return;
  free(trouble->noise);
  free(trouble->slowness);
  free(trouble->key);
  free(trouble->block_key);
  free(trouble->clock_s);
  free(trouble->times);
  free(trouble);
}

static const int32_t *gpus_of(const ss_world *world, const ss_cell *cell)
{
  const ss_placement *placement = &world->job->placement;
  return &placement->gpu[ss_placement_rank(placement, ss_cell_member(world, cell, 0))];
}

/* The ranks of the cell in the block at `position` of its pass, all at 0. False where they take their nominal time. */
static bool begin_walk(walk *w, const ss_world *world, const ss_cell *cell, int64_t position)
{
  const ss_trouble *trouble = world->trouble;
  if (trouble == NULL) return false;
  *w = (walk){.trouble = trouble, .gpu = gpus_of(world, cell), .width = world->width};
  const uint64_t pass_and_block = (uint64_t)cell->pass << BLOCK_BITS | (uint64_t)position;
  bool slowed = trouble->noisy;
  for (int64_t rank = 0; rank < w->width; ++rank) {
    trouble->clock_s[rank] = 0.0;
    if (trouble->noisy) trouble->block_key[rank] = ss_random_key(trouble->key[w->gpu[rank]], pass_and_block);
    slowed = slowed || trouble->slowness[w->gpu[rank]] != 1.0;
  }
  return slowed;
}

static double slowest_s(const walk *w)
{
  double most_s = 0.0;
  for (int64_t rank = 0; rank < w->width; ++rank) most_s = ss_max(most_s, w->trouble->clock_s[rank]);
  return most_s;
}

/* The next piece of a kernel on every rank, not before `from_s`. */
static void walk_kernel(walk *w, double from_s)
{
  const ss_trouble *trouble = w->trouble;
  const uint64_t name = (uint64_t)w->index << PIECE_BITS | (uint64_t)w->kernels++;
  for (int64_t rank = 0; rank < w->width; ++rank) {
    double kernel_s = w->times.kernel_s * trouble->slowness[w->gpu[rank]];
    if (trouble->noisy) kernel_s *= ss_random_slice(trouble->noise, ss_random_key(trouble->block_key[rank], name));
    trouble->clock_s[rank] = ss_max(trouble->clock_s[rank], from_s) + kernel_s;
  }
}

/* The next piece of the collectives, not before all ranks are there if it waits for them. */
static void walk_calls(walk *w, bool waits)
{
  if (waits) w->call_s = ss_max(w->call_s, slowest_s(w));
  w->call_s += w->times.calls_s;
  w->calls++;
}

/* Nobody goes on before the collectives are done. */
static void wait_for_calls(const walk *w)
{
  for (int64_t rank = 0; rank < w->width; ++rank)
    w->trouble->clock_s[rank] = ss_max(w->trouble->clock_s[rank], w->call_s);
}

/* Pieces side by side, as in ss_overlap_time: those that go ahead one after the other, each of the others as soon as it
 * may. */
static void walk_overlap(walk *w)
{
  const ss_overlap *overlap = &w->task->overlap;
  w->call_s = slowest_s(w);
  if (overlap->kernel_first) {
    while (w->calls < overlap->call_pieces) {
      const int64_t needed = w->calls + 1 - overlap->lag;
      while (w->kernels < overlap->kernel_pieces && w->kernels < needed) walk_kernel(w, 0.0);
      walk_calls(w, needed > 0);
    }
    while (w->kernels < overlap->kernel_pieces) walk_kernel(w, 0.0);
  } else {
    while (w->kernels < overlap->kernel_pieces) {
      const int64_t needed = w->kernels + 1 - overlap->lag;
      while (w->calls < overlap->call_pieces && w->calls < needed) walk_calls(w, false);
      walk_kernel(w, needed > 0 ? w->call_s : 0.0);
    }
    while (w->calls < overlap->call_pieces) walk_calls(w, false);
  }
  wait_for_calls(w);
}

static void walk_task(walk *w)
{
  w->kernels = w->calls = 0;
  if (w->task->overlap.kernel_pieces > 0) {
    walk_overlap(w);
  } else if (w->task->computes) {
    walk_kernel(w, 0.0);
  } else {
    walk_calls(w, true);
    wait_for_calls(w);
  }
}

/* Which of the tasks of a block is the next. */
static void turn_to(walk *w, const ss_world *world, ss_block_kind kind, ss_pass pass, int64_t task)
{
  w->task = &ss_job_tasks(world->job, kind, pass)->task[task];
  w->times = w->trouble->times[times_index(kind, pass, task)];
  w->index = task;
}

/* A run of tasks in the block at `position`. */
static double run_excess_s(const ss_world *world, const ss_cell *cell, int64_t position, const ss_step *step)
{
  const ss_chunk chunk = ss_cell_chunk(cell);
  const ss_pass pass = cell->work.pass;
  const ss_block_kind kind = ss_job_block_kind(world->job, chunk, ss_job_block_at(world->job, chunk, pass, position));
  walk w;
  if (!begin_walk(&w, world, cell, position)) return 0.0;
  for (int64_t i = step->first; i < step->first + step->count; ++i) {
    turn_to(&w, world, kind, pass, i);
    walk_task(&w);
  }
  return slowest_s(&w) - ss_duration_sum(step->parts);
}

uint64_t ss_trouble_colour(const ss_world *world, const ss_cell *cell)
{
  const ss_trouble *trouble = world->trouble;
  const int32_t *gpu = gpus_of(world, cell);
  double most = 0.0;
  uint64_t colour;
  if (trouble->noisy) return (uint64_t)gpu[0];
  for (int64_t rank = 0; rank < world->width; ++rank) most = ss_max(most, trouble->slowness[gpu[rank]]);
  memcpy(&colour, &most, sizeof colour);
  return colour;
}

double ss_trouble_run_s(const ss_world *world, const ss_cell *cell, const ss_step *step)
{
  return run_excess_s(world, cell, cell->position, step);
}

double ss_trouble_pass_s(const ss_world *world, const ss_cell *cell)
{
  const ss_chunk chunk = ss_cell_chunk(cell);
  const ss_pass pass = cell->work.pass;
  const int64_t blocks = world->trouble != NULL ? ss_job_block_count(world->job, chunk) : 0;
  double excess_s = 0.0;
  for (int64_t position = 0; position < blocks; ++position) {
    const int64_t block = ss_job_block_at(world->job, chunk, pass, position);
    const ss_step_list *steps = &world->steps[ss_job_block_kind(world->job, chunk, block)][pass];
    for (int64_t i = 0; i < steps->count; ++i) excess_s += run_excess_s(world, cell, position, &steps->step[i]);
  }
  return excess_s;
}

double ss_trouble_piece_s(const ss_world *world, const ss_cell *cell, int64_t task, int64_t piece)
{
  walk w;
  if (!begin_walk(&w, world, cell, cell->position)) return 0.0;
  turn_to(&w, world, ss_cell_block_kind(world, cell), cell->work.pass, task);
  w.kernels = piece;
  walk_kernel(&w, 0.0);
  return slowest_s(&w) - w.times.kernel_s;
}

/* The optimizer is a kernel beside the traffic of the second memory tier, which is not slowed. */
double ss_trouble_optimizer_s(const ss_world *world, const ss_cell *cell, ss_optimizer_time nominal)
{
  walk w;
  if (!begin_walk(&w, world, cell, 0)) return 0.0;
  const double nominal_s = nominal.optimizer_s + nominal.offload_s;
  w.times.kernel_s = nominal.optimizer_s;
  walk_kernel(&w, 0.0);
  const double tier_s = nominal.offload_s > 0.0 ? nominal_s : 0.0;
  return ss_max(slowest_s(&w), tier_s) - nominal_s;
}
