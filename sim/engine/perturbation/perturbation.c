#include "sim/engine/perturbation/perturbation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "model/base/random.h"
#include "model/input/gpu_speed.h"
#include "model/plan/optimizer.h"
#include "model/plan/task_time.h"
#include "sim/engine/perturbation/document_draws.h"
#include "sim/engine/perturbation/kernel_draws.h"
#include "sim/engine/perturbation/stalls.h"

/* What is drawn for a GPU besides its kernels, which are called after their pass and block. */
#define NAME_OF_SPREAD UINT64_MAX

/* The name of what all GPUs have in common under a seed; GPUs are 0, documents 1. */
#define NAME_OF_ITERATION 2

/* Nominal times of one piece of a task. */
typedef struct task_times {
  double kernel_s, calls_s;
} task_times;

struct ss_perturbation {
  const ss_job *job;
  int64_t width;                /* ranks of a stage replica */
  bool even;                    /* GPUs are equally fast, but for noise */
  bool by_name;                 /* and micro-batches are alike: all that tells pieces of kernels apart is noise */
  ss_stall_draws *stalls;       /* owned, where GPUs stall */
  ss_document_draws *documents; /* owned, where micro-batches differ */
  ss_kernel_draws *noise;       /* owned, where kernels differ by chance */
  double *slowness;             /* [gpus] what the time of every kernel is multiplied by; owned */
  uint64_t *key;                /* [gpus] of their random numbers; owned */
  double *clock_s;              /* [width] where each of the ranks is in a run; owned */
  task_times *times;            /* [SS_BLOCK_COUNT][SS_PASSES][SS_TASKS_MAX] owned */
};

/* A run of tasks in a replica, rank by rank. */
typedef struct walk {
  const ss_perturbation *perturbation;
  const int32_t *gpu; /* [width] of the ranks */
  int64_t width;
  const ss_task *task;
  task_times times;
  double nominal_s;       /* of a piece of its kernel */
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

static void time_tasks(ss_perturbation *perturbation, const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_task_list *list = ss_job_tasks(job, kind, pass);
  for (int64_t i = 0; i < list->count; ++i) {
    const ss_task *task = &list->task[i];
    task_times *times = &perturbation->times[times_index(kind, pass, i)];
    if (task->computes) times->kernel_s = ss_duration_kernel_s(ss_job_kernel_piece(job, kind, pass, task));
    times->calls_s = calls_s(job, kind, pass, task);
  }
}

double ss_perturbation_iteration_factor(const ss_job *job, uint64_t seed)
{
  if (!ss_job_has_uneven_iterations(job)) return 1.0;
  const double normal = ss_random_normal(ss_random_key(seed, NAME_OF_ITERATION));
  return ss_log_normal_factor(ss_log_normal_of(job->machine->iteration_noise), normal);
}

static void draw_gpus(ss_perturbation *perturbation, const ss_machine *machine, uint64_t seed)
{
  const ss_log_normal spread = ss_log_normal_of(machine->gpu_spread);
  ss_gpu_speeds(machine->gpu_speed, machine->gpus, perturbation->slowness);
  for (int64_t gpu = 0; gpu < machine->gpus; ++gpu) {
    perturbation->key[gpu] = ss_random_key(ss_random_key(seed, 0), (uint64_t)gpu);
    const double normal = ss_random_normal(ss_random_key(perturbation->key[gpu], NAME_OF_SPREAD));
    perturbation->slowness[gpu] = ss_log_normal_factor(spread, normal) / perturbation->slowness[gpu];
  }
}

static bool is_even(const ss_perturbation *perturbation, const ss_job *job)
{
  const int64_t ranks = job->stages * job->replicas * job->tensor * job->context;
  for (int64_t rank = 0; rank < ranks; ++rank)
    if (perturbation->slowness[job->placement.gpu[rank]] != 1.0) return false;
  return true;
}

static bool has_any(const ss_perturbation *perturbation)
{
  return perturbation->noise != NULL || perturbation->stalls != NULL || perturbation->documents != NULL ||
         !perturbation->even;
}

static ss_status allocate(ss_perturbation *perturbation, const ss_job *job)
{
  const size_t gpus = (size_t)job->machine->gpus, width = (size_t)(job->tensor * job->context);
  perturbation->slowness = calloc(gpus, sizeof *perturbation->slowness);
  perturbation->key = calloc(gpus, sizeof *perturbation->key);
  perturbation->clock_s = calloc(width, sizeof *perturbation->clock_s);
  perturbation->times = calloc(times_index(SS_BLOCK_COUNT, (ss_pass)0, 0), sizeof *perturbation->times);
  const bool complete = perturbation->slowness != NULL && perturbation->key != NULL && perturbation->clock_s != NULL &&
                        perturbation->times != NULL;
  return complete ? SS_OK : SS_ERROR_MEMORY;
}

/* What the kernels of tasks [first, first + count) of a block take nominally. */
static double work_s(const ss_perturbation *perturbation, ss_block_kind kind, ss_pass pass, int64_t first,
                     int64_t count)
{
  const ss_task *task = ss_job_tasks(perturbation->job, kind, pass)->task;
  const task_times *times = &perturbation->times[times_index(kind, pass, 0)];
  double sum_s = 0.0;
  for (int64_t i = first; i < first + count; ++i)
    sum_s += (double)(task[i].overlap.kernel_pieces > 0 ? task[i].overlap.kernel_pieces : 1) * times[i].kernel_s;
  return sum_s;
}

/* The same of all that a stage does in an iteration. */
static double stage_work_s(const ss_perturbation *perturbation, int64_t stage)
{
  const ss_job *job = perturbation->job;
  double batch_s = 0.0;
  for (ss_chunk chunk = {.stage = stage}; chunk.index < job->chunks; ++chunk.index)
    for (int64_t i = 0; i < ss_job_block_count(job, chunk); ++i)
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        const ss_block_kind kind = ss_job_block_kind(job, chunk, i);
        batch_s += work_s(perturbation, kind, (ss_pass)pass, 0, ss_job_tasks(job, kind, (ss_pass)pass)->count);
      }
  return (double)job->copy_batches * batch_s + ss_job_optimizer(job, stage).optimizer_s;
}

static ss_status draw_stalls(ss_perturbation *perturbation)
{
  const ss_job *job = perturbation->job;
  if (!ss_stalls_may_come(job)) return SS_OK;
  double *stage_s = calloc((size_t)job->stages, sizeof *stage_s);
  if (stage_s == NULL) return SS_ERROR_MEMORY;
  for (int64_t stage = 0; stage < job->stages; ++stage) stage_s[stage] = stage_work_s(perturbation, stage);
  const ss_status status = ss_stall_draws_create(&perturbation->stalls, job, perturbation->key, stage_s);
  free(stage_s);
  return status;
}

static ss_status fill(ss_perturbation *perturbation, const ss_job *job, uint64_t seed)
{
  perturbation->job = job;
  perturbation->width = job->tensor * job->context;
  ss_status status = allocate(perturbation, job);
  if (status == SS_OK) status = ss_document_draws_create(&perturbation->documents, job, seed);
  if (status == SS_OK) status = ss_kernel_draws_create(&perturbation->noise, job, perturbation->key);
  if (status != SS_OK) return status;
  draw_gpus(perturbation, job->machine, seed);
  perturbation->even = is_even(perturbation, job);
  perturbation->by_name = perturbation->noise != NULL && perturbation->even && perturbation->documents == NULL;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) time_tasks(perturbation, job, (ss_block_kind)kind, (ss_pass)pass);
  return draw_stalls(perturbation);
}

bool ss_job_is_perturbed(const ss_job *job)
{
  if (job->options.what_if.equal_gpus) return false;
  return ss_machine_has_perturbation(job->machine) || ss_job_has_unlike_batches(job) ||
         ss_job_has_uneven_iterations(job);
}

ss_status ss_perturbation_create(ss_perturbation **perturbation, const ss_job *job, uint64_t seed)
{
  *perturbation = NULL;
  if (!ss_job_is_perturbed(job)) return SS_OK;
  *perturbation = calloc(1, sizeof **perturbation);
  const ss_status status = *perturbation != NULL ? fill(*perturbation, job, seed) : SS_ERROR_MEMORY;
  if (status != SS_OK || has_any(*perturbation)) return status;
  ss_perturbation_destroy(*perturbation);
  *perturbation = NULL;
  return SS_OK;
}

void ss_perturbation_destroy(ss_perturbation *perturbation)
{
  if (perturbation == NULL) return;
  ss_document_draws_destroy(perturbation->documents);
  ss_stall_draws_destroy(perturbation->stalls);
  ss_kernel_draws_destroy(perturbation->noise);
  free(perturbation->slowness);
  free(perturbation->key);
  free(perturbation->clock_s);
  free(perturbation->times);
  free(perturbation);
}

/* Without noise, ranks of equal speed are one. */
static int64_t unlike_ranks(const ss_perturbation *perturbation, const int32_t *gpu)
{
  for (int64_t rank = 1; rank < perturbation->width; ++rank)
    if (perturbation->slowness[gpu[rank]] != perturbation->slowness[gpu[0]]) return perturbation->width;
  return perturbation->noise != NULL ? perturbation->width : 1;
}

/* The ranks of the replica in a block of its pass, all at 0. False where they take their nominal time. */
static bool begin_walk(walk *w, ss_perturbation *perturbation, const ss_kernel_place *at)
{
  *w = (walk){.perturbation = perturbation, .gpu = at->gpu, .width = unlike_ranks(perturbation, at->gpu)};
  for (int64_t rank = 0; rank < w->width; ++rank) perturbation->clock_s[rank] = 0.0;
  if (perturbation->noise != NULL)
    ss_kernel_draws_turn_to(perturbation->noise, at->gpu, at->schedule_pass, at->position);
  return perturbation->noise != NULL || perturbation->documents != NULL || w->width > 1 ||
         perturbation->slowness[at->gpu[0]] != 1.0;
}

static double slowest_s(const walk *w)
{
  double most_s = 0.0;
  for (int64_t rank = 0; rank < w->width; ++rank) most_s = ss_max(most_s, w->perturbation->clock_s[rank]);
  return most_s;
}

/* The next piece of a kernel on every rank, not before `from_s`. */
static void walk_kernel(walk *w, double from_s)
{
  const ss_perturbation *perturbation = w->perturbation;
  const int64_t piece = w->kernels++;
  for (int64_t rank = 0; rank < w->width; ++rank) {
    const double alone_s = w->times.kernel_s * perturbation->slowness[w->gpu[rank]];
    const double kernel_s = alone_s * ss_kernel_draws_factor(perturbation->noise, rank, w->index, piece);
    perturbation->clock_s[rank] = ss_max(perturbation->clock_s[rank], from_s) + kernel_s;
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
    w->perturbation->clock_s[rank] = ss_max(w->perturbation->clock_s[rank], w->call_s);
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

/* A piece of the attention of a micro-batch: as much of it as its documents make. */
static double attention_s(const walk *w, const ss_kernel_place *at)
{
  ss_task drawn = *w->task;
  drawn.kernel.flop *= ss_document_draws_factor(w->perturbation->documents, at->replica, at->micro_batch, at->kind);
  return ss_duration_kernel_s(ss_job_kernel_piece(w->perturbation->job, at->kind, at->pass, &drawn));
}

/* Which of the tasks of a block is the next. */
static void turn_to(walk *w, const ss_kernel_place *at, int64_t task)
{
  w->task = &ss_job_tasks(w->perturbation->job, at->kind, at->pass)->task[task];
  w->times = w->perturbation->times[times_index(at->kind, at->pass, task)];
  w->nominal_s = w->times.kernel_s;
  if (w->perturbation->documents != NULL && w->task->activity == SS_OP_ATTENTION)
    w->times.kernel_s = attention_s(w, at);
  w->index = task;
}

bool ss_perturbation_is_noisy(const ss_perturbation *perturbation)
{
  return perturbation->noise != NULL;
}

bool ss_perturbation_tells_apart(const ss_perturbation *perturbation)
{
  return perturbation != NULL && (perturbation->documents != NULL || perturbation->noise != NULL);
}

bool ss_perturbation_touches(const ss_perturbation *perturbation, const int32_t *gpu)
{
  if (perturbation == NULL) return false;
  return ss_perturbation_tells_apart(perturbation) || ss_stall_draws_has(perturbation->stalls, gpu[0]) ||
         unlike_ranks(perturbation, gpu) > 1 || perturbation->slowness[gpu[0]] != 1.0;
}

uint64_t ss_perturbation_colour(const ss_perturbation *perturbation, int64_t replica, const int32_t *gpu)
{
  double most = 0.0;
  uint64_t colour;
  if (perturbation->documents != NULL) return (uint64_t)replica;
  if (perturbation->noise != NULL || ss_stall_draws_has(perturbation->stalls, gpu[0])) return (uint64_t)gpu[0];
  for (int64_t rank = 0; rank < perturbation->width; ++rank) most = ss_max(most, perturbation->slowness[gpu[rank]]);
  memcpy(&colour, &most, sizeof colour);
  return colour;
}

static uint64_t colour_of(const ss_perturbation *perturbation, int64_t stage, int64_t dp)
{
  const ss_placement *placement = &perturbation->job->placement;
  const int64_t rank = ss_placement_rank(placement, (ss_coordinates){0, 0, dp, stage});
  return ss_perturbation_colour(perturbation, dp, &placement->gpu[rank]);
}

/* The colour of more than half of the replicas of a stage, if there is one (Boyer and Moore 1981). */
static uint64_t usual_colour(const ss_perturbation *perturbation, int64_t stage)
{
  uint64_t usual = 0;
  int64_t more = 0;
  for (int64_t dp = 0; dp < perturbation->job->replicas; ++dp) {
    const uint64_t colour = colour_of(perturbation, stage, dp);
    if (more == 0) usual = colour;
    more += colour == usual ? 1 : -1;
  }
  return usual;
}

int64_t ss_perturbation_find_odd(const ss_perturbation *perturbation, bool *odd)
{
  int64_t count = 0;
  for (int64_t stage = 0; stage < perturbation->job->stages; ++stage) {
    const uint64_t usual = usual_colour(perturbation, stage);
    for (int64_t dp = 0; dp < perturbation->job->replicas; ++dp) {
      if (odd[dp] || colour_of(perturbation, stage, dp) == usual) continue;
      odd[dp] = true;
      ++count;
    }
  }
  return count;
}

/* What a run takes beyond its nominal time, but for stalls. */
static double unlike_s(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_task_run *run)
{
  walk w;
  if (!begin_walk(&w, perturbation, at)) return 0.0;
  for (int64_t i = run->first; i < run->first + run->count; ++i) {
    turn_to(&w, at, i);
    walk_task(&w);
  }
  return slowest_s(&w) - run->nominal_s;
}

static double run_work_s(const ss_perturbation *perturbation, const ss_kernel_place *at, const ss_task_run *run)
{
  if (!ss_stall_draws_has(perturbation->stalls, at->gpu[0])) return 0.0;
  return work_s(perturbation, at->kind, at->pass, run->first, run->count);
}

double ss_perturbation_run_s(ss_perturbation *perturbation, const ss_kernel_place *at, ss_task_run run)
{
  if (perturbation == NULL) return 0.0;
  return unlike_s(perturbation, at, &run) +
         ss_stall_draws_go_on_s(perturbation->stalls, at->gpu[0], run_work_s(perturbation, at, &run));
}

/* No rank starts before the host has launched what it starts. */
static void wait_for_launch(const walk *w, double launched_s)
{
  for (int64_t rank = 0; rank < w->width; ++rank)
    w->perturbation->clock_s[rank] = ss_max(w->perturbation->clock_s[rank], launched_s);
}

double ss_perturbation_launched_s(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_task_run *run,
                                  double *host_s)
{
  walk w;
  const double stalled_s = ss_stall_draws_ahead_s(perturbation->stalls, at->gpu[0], run_work_s(perturbation, at, run));
  if (!begin_walk(&w, perturbation, at)) return ss_max(ss_launches_wait(&run->launches, 0.0, host_s) - stalled_s, 0.0);
  const double run_s = run->nominal_s + unlike_s(perturbation, at, run) + stalled_s;
  (void)begin_walk(&w, perturbation, at);
  for (int64_t i = run->first; i < run->first + run->count; ++i) {
    turn_to(&w, at, i);
    if (ss_job_waits_at(perturbation->job, at->kind, at->pass, w.task)) *host_s = ss_max(*host_s, slowest_s(&w));
    *host_s += ss_job_launches(perturbation->job, at->kind, at->pass, w.task).host_s;
    wait_for_launch(&w, *host_s);
    walk_task(&w);
  }
  return ss_max(slowest_s(&w) - run_s, 0.0);
}

bool ss_perturbation_draws_by_name(const ss_perturbation *perturbation, const int32_t *gpu)
{
  return perturbation->by_name && !ss_stall_draws_has(perturbation->stalls, gpu[0]);
}

uint64_t ss_perturbation_name(const ss_perturbation *perturbation, const ss_kernel_place *at,
                              const ss_kernel_piece *piece, double *nominal_s)
{
  *nominal_s = perturbation->times[times_index(at->kind, at->pass, piece->task)].kernel_s;
  return ss_kernel_draws_name(piece->task, piece->piece);
}

/* Where ranks are equally fast, the slowest is that with the largest factor. */
void ss_perturbation_draw_named(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_named_pieces *pieces,
                                double *longer_s)
{
  ss_kernel_draws_turn_to(perturbation->noise, at->gpu, at->schedule_pass, at->position);
  ss_kernel_draws_largest(perturbation->noise, pieces->name, pieces->count, longer_s);
  for (int64_t i = 0; i < pieces->count; ++i) longer_s[i] = pieces->nominal_s[i] * longer_s[i] - pieces->nominal_s[i];
}

static double slowest_piece_s(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_kernel_piece *piece)
{
  walk w;
  const bool slowed = begin_walk(&w, perturbation, at);
  turn_to(&w, at, piece->task);
  if (!slowed) return w.nominal_s;
  w.kernels = piece->piece;
  walk_kernel(&w, 0.0);
  return slowest_s(&w);
}

static double piece_longer_s(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_kernel_piece *piece)
{
  double nominal_s, longer_s;
  const uint64_t name = ss_perturbation_name(perturbation, at, piece, &nominal_s);
  if (perturbation->by_name)
    ss_perturbation_draw_named(perturbation, at, &(ss_named_pieces){&name, &nominal_s, 1}, &longer_s);
  else
    longer_s = slowest_piece_s(perturbation, at, piece) - nominal_s;
  if (!ss_stall_draws_has(perturbation->stalls, at->gpu[0])) return longer_s;
  return longer_s + ss_stall_draws_go_on_s(perturbation->stalls, at->gpu[0], nominal_s);
}

void ss_perturbation_draw(ss_perturbation *perturbation, const ss_kernel_place *at, ss_kernel_piece *piece,
                          int64_t count)
{
  for (int64_t i = 0; i < count; ++i)
    piece[i].longer_s = perturbation != NULL ? piece_longer_s(perturbation, at, &piece[i]) : 0.0;
}

/* The optimizer is a kernel beside the traffic of the second memory tier, which is not slowed. */
double ss_perturbation_optimizer_s(ss_perturbation *perturbation, const ss_kernel_place *at, ss_optimizer_time nominal)
{
  walk w;
  if (perturbation == NULL) return 0.0;
  const double stalled_s = ss_stall_draws_go_on_s(perturbation->stalls, at->gpu[0], nominal.optimizer_s);
  if (!begin_walk(&w, perturbation, at)) return stalled_s;
  const double nominal_s = nominal.optimizer_s + nominal.offload_s;
  w.times.kernel_s = nominal.optimizer_s;
  walk_kernel(&w, 0.0);
  const double tier_s = nominal.offload_s > 0.0 ? nominal_s : 0.0;
  return ss_max(slowest_s(&w), tier_s) - nominal_s + stalled_s;
}

void ss_perturbation_restart(ss_perturbation *perturbation)
{
  if (perturbation != NULL) ss_stall_draws_restart(perturbation->stalls);
}
