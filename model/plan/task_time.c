#include "model/plan/task_time.h"

#include <math.h>

#include "model/base/number.h"
#include "model/block/mixer/packing.h"
#include "model/input/workload.h"

static bool is_overlapped(const ss_task *task)
{
  return task->overlap.kernel_pieces > 0;
}

/* Before it is scaled. */
static ss_duration piece_of(const ss_job *job, const ss_task *task)
{
  const double pieces = is_overlapped(task) ? (double)task->overlap.kernel_pieces : 1.0;
  ss_kernel piece = task->kernel;
  if (!ss_cost_traits_of(job->options.cost).as_published) {
    piece.flop /= pieces;
    piece.hbm_bytes /= pieces;
    piece.products = ss_max(piece.products / pieces, 1.0);
  }
  return ss_kernel_duration(job->machine, job->options.cost, &piece);
}

/* A kernel has no collectives of its own. */
static ss_duration kernel_times(double factor, double compute_s, double memory_s, double launch_s)
{
  return (ss_duration){.compute_s = factor * compute_s, .memory_s = factor * memory_s, .launch_s = factor * launch_s};
}

ss_duration ss_job_kernel_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  const bool divides = ss_cost_traits_of(job->options.cost).as_published && is_overlapped(task);
  const double scale = job->stretch * ss_job_scale(job, kind, pass);
  const double factor = divides ? scale / (double)task->overlap.kernel_pieces : scale;
  if (task->timed) return kernel_times(factor, task->piece.compute_s, task->piece.memory_s, task->piece.launch_s);
  const ss_duration piece = piece_of(job, task);
  return kernel_times(factor, piece.compute_s, piece.memory_s, piece.launch_s);
}

double ss_task_call_bytes(const ss_task *task, int64_t call)
{
  const double volume_bytes = task->call[call].volume_bytes;
  if (!is_overlapped(task)) return volume_bytes;
  return volume_bytes / (double)(task->overlap.one_ring ? task->overlap.call_pieces : task->overlap.kernel_pieces);
}

double ss_job_call_bytes(const ss_job *job, const ss_task *task, int64_t call, ss_span span)
{
  const bool mixed = span.domains > 1 && span.per_domain > 1;
  const bool once =
      task->call[call].kind == SS_ALL_REDUCE && !mixed && ss_cost_traits_of(job->options.cost).half_all_reduce;
  return (once ? 0.5 : 1.0) * ss_task_call_bytes(task, call);
}

double ss_task_call_starts(const ss_task *task)
{
  return task->overlap.one_ring ? 1.0 / (double)task->overlap.call_pieces : 1.0;
}

ss_method ss_job_call_method(const ss_job *job, const ss_task *task, int64_t call, ss_span span)
{
  const ss_collective kind = task->call[call].kind;
  if (task->overlap.one_ring) return (ss_method){kind, SS_ALGORITHM_RING};
  ss_network own;
  const ss_network *network = ss_network_with(&job->network, task->top_k, &own);
  return (ss_method){kind, ss_collective_choose(network, kind, span, ss_task_call_bytes(task, call))};
}

double ss_job_call_port_bytes(const ss_job *job, const ss_task *task, int64_t call, ss_span span)
{
  ss_network own;
  return ss_collective_port_bytes(ss_network_with(&job->network, task->top_k, &own),
                                  ss_job_call_method(job, task, call, span), span,
                                  ss_job_call_bytes(job, task, call, span));
}

ss_comm_time ss_job_call_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, int64_t call,
                               ss_span span)
{
  const double scale = ss_job_scale(job, kind, pass), part = ss_task_call_starts(task);
  const double whole_bytes = ss_job_call_bytes(job, task, call, span) / part;
  ss_network own;
  const ss_network *network = ss_network_with(&job->network, task->top_k, &own);
  const ss_comm_time time = task->overlap.one_ring
                                ? ss_method_time(network, ss_job_call_method(job, task, call, span), span, whole_bytes)
                                : ss_collective_time(network, task->call[call].kind, span, whole_bytes);
  const double times = scale * part;
  return (ss_comm_time){.latency_s = times * time.latency_s,
                        .transfer_s = times * time.transfer_s,
                        .nic_s = times * time.nic_s,
                        .yields_s = times * time.yields_s,
                        .nvlink_s = times * time.nvlink_s};
}

/* What a task takes by parts: a piece of its kernel, and its collectives. */
typedef struct task_parts {
  ss_duration piece;
  double call_s[SS_CALLS_MAX], calls_s;
  ss_link_time links; /* of all of them */
} task_parts;

/* Where NICs hold a collective up, it has NVLink to spare. */
static void add_links(ss_comm_time time, ss_span span, ss_link_time *sum)
{
  sum->nic_s += time.nic_s;
  sum->longer_s[0] += time.yields_s;
  if (time.nic_s > 0.0)
    sum->axes |= ss_span_cables(span);
  else
    sum->nvlink_s += time.nvlink_s;
}

static task_parts parts_of(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  task_parts parts = {.calls_s = 0.0};
  if (task->computes) parts.piece = ss_job_kernel_piece(job, kind, pass, task);
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_span span = job->span[task->call[i].group];
    const ss_comm_time time = ss_job_call_piece(job, kind, pass, task, i, span);
    parts.call_s[i] = ss_comm_time_sum(time);
    add_links(time, span, &parts.links);
    parts.calls_s += parts.call_s[i];
  }
  return parts;
}

/* Adds the kernel of a task, all pieces of it. */
static void add_kernel(const ss_task *task, const ss_duration *piece, ss_duration *sum)
{
  const double pieces = is_overlapped(task) ? (double)task->overlap.kernel_pieces : 1.0;
  sum->compute_s += pieces * piece->compute_s;
  sum->memory_s += pieces * piece->memory_s;
  sum->launch_s += pieces * piece->launch_s;
}

/* What collectives of `calls_s` a piece take longer than the kernel of a task, or by themselves. */
static double exposed_s(const ss_task *task, double kernel_s, double calls_s)
{
  if (!is_overlapped(task)) return calls_s;
  const double piece_s = kernel_s / (double)task->overlap.kernel_pieces;
  return ss_max(ss_overlap_time(&task->overlap, piece_s, calls_s) - kernel_s, 0.0);
}

/* Returns what shows of its collectives. */
static double find_duration(const ss_task *task, const task_parts *parts, ss_duration *duration)
{
  *duration = (ss_duration){.compute_s = 0.0};
  if (task->computes) add_kernel(task, &parts->piece, duration);
  const double shown_s = exposed_s(task, ss_duration_kernel_s(*duration), parts->calls_s);
  for (int64_t i = 0; i < task->calls && parts->calls_s > 0.0; ++i)
    duration->comm_s[task->call[i].group] += shown_s / parts->calls_s * parts->call_s[i];
  return shown_s;
}

ss_duration ss_job_task_duration(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  const task_parts parts = parts_of(job, kind, pass, task);
  ss_duration duration;
  find_duration(task, &parts, &duration);
  return duration;
}

bool ss_job_waits_at(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  return ss_host_plan_waits_at(&job->host, &job->block[kind].list[pass], task);
}

ss_launches ss_job_launches(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task)
{
  const double gpu_s = ss_duration_sum(ss_job_task_duration(job, kind, pass, task));
  return ss_host_plan_launches(&job->host, pass, task, gpu_s, ss_job_waits_at(job, kind, pass, task));
}

static bool slows_compute(const ss_machine *machine)
{
  return machine->nvlink_compute_cost > 0.0 || machine->fabric_compute_cost > 0.0;
}

/* Pieces of a kernel that have no collective beside them: whichever goes ahead is alone in the beginning, the other in
 * the end. */
static int64_t pieces_alone(const ss_overlap *overlap)
{
  const int64_t ahead = overlap->kernel_first ? overlap->kernel_pieces : overlap->call_pieces;
  const int64_t behind = overlap->kernel_first ? overlap->call_pieces : overlap->kernel_pieces;
  const int64_t beside = ahead - 1 + overlap->lag;
  return overlap->kernel_pieces - (behind < beside ? behind : beside);
}

/* What a kernel loses to the collectives beside it. Pieces of it run at (1 - cost) as long as a collective lasts; what
 * that hides of the collectives is not lost. */
static double task_slowed_s(const ss_job *job, const ss_task *task, const task_parts *parts)
{
  if (!task->computes || task->calls == 0) return 0.0;
  double cost_s = 0.0;
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_span span = job->span[task->call[i].group];
    cost_s += ss_machine_compute_cost(job->machine, ss_span_transport(span)) * parts->call_s[i];
  }
  if (cost_s <= 0.0) return 0.0;
  const double kernel_s = ss_duration_sum(parts->piece), calls_s = parts->calls_s;
  const double slow_s = ss_min(kernel_s / (1.0 - cost_s / calls_s), kernel_s + cost_s);
  const double longer_s =
      ss_overlap_time(&task->overlap, slow_s, calls_s) - ss_overlap_time(&task->overlap, kernel_s, calls_s);
  return ss_max(longer_s - (double)pieces_alone(&task->overlap) * (slow_s - kernel_s), 0.0);
}

/* Jobs of a search come back to the tasks that are listed, over other links. What lists them anew forgets the pieces.
 */
static void keep_pieces(ss_task_list *list, const ss_job *job)
{
  for (ss_task *task = list->task; task < list->task + list->count; ++task) {
    if (task->timed || !task->computes) continue;
    const ss_duration piece = piece_of(job, task);
    task->piece.compute_s = piece.compute_s;
    task->piece.memory_s = piece.memory_s;
    task->piece.launch_s = piece.launch_s;
    task->timed = true;
  }
}

/* What the tasks of a pass take, what their kernels lose, and what they do on links. */
typedef struct pass_time {
  ss_duration sum;
  double slowed_s;
  ss_link_time links;
} pass_time;

/* The collectives of a task with such a kernel, of which so much shows. */
static void add_task_links(const ss_task *task, const task_parts *parts, double kernel_s, double shown_s,
                           ss_link_time *sum)
{
  if (parts->calls_s <= 0.0) return;
  const double pieces = is_overlapped(task) ? (double)task->overlap.call_pieces : 1.0;
  sum->nic_s += pieces * parts->links.nic_s;
  sum->nvlink_s += shown_s / parts->calls_s * parts->links.nvlink_s;
  sum->axes |= parts->links.axes;
  for (int i = 0; i < SS_LINK_FLOWS && parts->links.nic_s > 0.0; ++i) {
    const double longer_s = (double)(1 << i) * parts->links.longer_s[0];
    sum->longer_s[i] += exposed_s(task, kernel_s, parts->calls_s + longer_s) - shown_s;
  }
}

static void add_task(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, pass_time *time)
{
  ss_duration *sum = &time->sum;
  const task_parts parts = parts_of(job, kind, pass, task);
  ss_duration one;
  const double shown_s = find_duration(task, &parts, &one);
  sum->compute_s += one.compute_s;
  sum->memory_s += one.memory_s;
  sum->launch_s += one.launch_s;
  for (int group = 0; group < SS_GROUPS; ++group) sum->comm_s[group] += one.comm_s[group];
  add_task_links(task, &parts, ss_duration_kernel_s(one), shown_s, &time->links);
  if (slows_compute(job->machine)) time->slowed_s += task_slowed_s(job, task, &parts);
}

/* Most tasks are a kernel alone. */
static void time_pass(ss_job *job, ss_block_kind kind, ss_pass pass)
{
  ss_task_list *list = &job->block[kind].list[pass];
  pass_time time = {.slowed_s = 0.0};
  if (job->options.blocks != NULL) keep_pieces(list, job);
  for (const ss_task *task = list->task; task < list->task + list->count; ++task) {
    if (task->calls > 0) {
      add_task(job, kind, pass, task, &time);
    } else if (task->computes) {
      const ss_duration piece = ss_job_kernel_piece(job, kind, pass, task);
      add_kernel(task, &piece, &time.sum);
    }
  }
  job->pass[kind][pass] = time.sum;
  job->slowed_s[kind][pass] = time.slowed_s;
  job->links[kind][pass] = time.links;
}

/* What attention computes of a pass, and how that differs between micro-batches: their sequences, each drawn by itself,
 * add up. */
static void time_attention(ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_workload *w = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const ss_task_list *list = &job->block[kind].list[pass];
  double attention_s = 0.0;
  for (int64_t i = 0; i < list->count; ++i)
    if (list->task[i].activity == SS_OP_ATTENTION)
      attention_s += ss_job_task_duration(job, kind, pass, &list->task[i]).compute_s;
  job->attention_s[kind][pass] = attention_s;
  if (pass != SS_PASS_FORWARD) return;
  job->spread[kind] = attention_s > 0.0 ? ss_attention_spread(w) : (ss_factors){0.0, 1.0};
  job->spread[kind].deviation /= sqrt((double)w->training.micro_batch);
}

/* How the host launches a pass through a block. */
static ss_launches launch_pass(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const ss_task_list *list = &job->block[kind].list[pass];
  ss_launches launches = ss_launches_none();
  for (int64_t i = 0; i < list->count; ++i)
    launches = ss_launches_then(launches, ss_job_launches(job, kind, pass, &list->task[i]));
  return launches;
}

void ss_job_time_blocks(ss_job *job)
{
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      time_pass(job, kind, (ss_pass)pass);
      if (job->workload->training.documents != SS_DOCUMENTS_NONE) time_attention(job, kind, (ss_pass)pass);
      if (job->host.active) job->launches[kind][pass] = launch_pass(job, kind, (ss_pass)pass);
    }
  }
}

ss_turn_time ss_turn_time_none(void)
{
  return (ss_turn_time){.launches = ss_launches_none()};
}

ss_turn_time ss_turn_time_then(const ss_turn_time *a, const ss_turn_time *b)
{
  return (ss_turn_time){.time_s = a->time_s + b->time_s,
                        .kernels_s = a->kernels_s + b->kernels_s,
                        .launches = ss_launches_then(a->launches, b->launches)};
}

/* Adds a task to the cuts of a pass. */
static void cut_at(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, ss_pass_cuts *cuts)
{
  const task_parts parts = parts_of(job, kind, pass, task);
  ss_duration duration;
  find_duration(task, &parts, &duration);
  const double slowed_s = task_slowed_s(job, task, &parts), task_s = ss_duration_sum(duration) + slowed_s;
  const ss_launches launches = job->host.active ? ss_job_launches(job, kind, pass, task) : ss_launches_none();
  const ss_turn_time more = {task_s, ss_duration_kernel_s(duration) + slowed_s, launches};
  if (ss_task_exchanges(task)) {
    SS_ASSERT(cuts->count < SS_EXCHANGES_MAX);
    cuts->cut[cuts->count++] = (ss_exchange_cut){
        .before = cuts->rest, .late = ss_turn_time_none(), .exchange_s = task_s, .launches = launches};
    cuts->rest = ss_turn_time_none();
  } else {
    ss_turn_time *sum = task->late ? &cuts->cut[cuts->count - 1].late : &cuts->rest;
    *sum = ss_turn_time_then(sum, &more);
  }
}

void ss_job_cut_blocks(ss_job *job)
{
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_task_list *list = &job->block[kind].list[pass];
      ss_pass_cuts *cuts = &job->cuts[kind][pass];
      *cuts = (ss_pass_cuts){.rest = ss_turn_time_none()};
      for (int64_t i = 0; i < list->count; ++i) cut_at(job, kind, (ss_pass)pass, &list->task[i], cuts);
    }
  }
}
