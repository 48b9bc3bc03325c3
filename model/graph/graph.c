#include "model/graph/graph.h"

#include <math.h>
#include <stdlib.h>

#include "model/plan/optimizer.h"
#include "model/plan/stage_ops.h"
#include "model/plan/task_time.h"
#include "model/plan/transfer_time.h"
#include "model/result/timeline.h"

/* How many of the last blocks are remembered: more than weights are gathered ahead. */
enum { BLOCKS_AHEAD = 64 };

typedef struct walk {
  const ss_job *job;
  const ss_rank_groups *groups;
  const ss_graph_sink *sink;
  ss_error *error;
  ss_status status;
  ss_stage_ops ops;
  int64_t stage, next;
  int64_t front[SS_GRAPH_NEEDS]; /* [fronts] what the next kernel or collective of a layer comes behind */
  int fronts;
  int64_t last_gather, last_reduction; /* of data parallelism, which follow one another */
  int64_t *first;                      /* [ops.first] what was gathered before the first pass; owned */
  int64_t fetches;                     /* of blocks so far */
  int64_t begun[BLOCKS_AHEAD];         /* the kernel before each of the last of them */
  int64_t awaited[SS_GRAPH_NEEDS];     /* [waits] data that the next block needs */
  int waits;
  ss_work held; /* whose message leaves behind the weight pass that comes next */
  bool holds;
} walk;

static void need(int64_t *list, int *count, int64_t id)
{
  if (id != SS_NO_NODE && *count < SS_GRAPH_NEEDS) list[(*count)++] = id;
}

static int64_t last_front(const walk *w)
{
  return w->fronts > 0 ? w->front[w->fronts - 1] : SS_NO_NODE;
}

static void set_front(walk *w, int64_t id)
{
  w->fronts = 0;
  need(w->front, &w->fronts, id);
}

static ss_graph_node new_node(ss_graph_kind kind, ss_activity activity)
{
  return (ss_graph_node){.kind = kind,
                         .activity = activity,
                         .micro_batch = SS_NO_INDEX,
                         .chunk = SS_NO_INDEX,
                         .layer = SS_NO_INDEX,
                         .peer = SS_NO_INDEX};
}

/* Hands a node on; returns its number. */
static int64_t emit(walk *w, ss_graph_node *node)
{
  node->id = w->next++;
  if (w->status == SS_OK) w->status = w->sink->take(w->sink->self, node, w->error);
  return node->id;
}

static void behind_front(const walk *w, ss_graph_node *node)
{
  for (int i = 0; i < w->fronts; ++i) need(node->data, &node->data_count, w->front[i]);
}

/* What a rank puts into a collective of a volume: of a gather its part. */
static double input_bytes(ss_collective kind, double volume_bytes, int64_t ranks)
{
  return kind == SS_ALL_GATHER ? volume_bytes / (double)ranks : volume_bytes;
}

/* A gather of data parallelism behind the one before, or a reduction behind what it adds up and the one before. Both
 * have a stream of their own, as in FSDP of PyTorch. `needs`: what it comes behind. */
static int64_t move_data(walk *w, const ss_stage_op *op, int64_t needs)
{
  const bool reduces = op->start == SS_OP_BEHIND;
  int64_t *last = reduces ? &w->last_reduction : &w->last_gather;
  const ss_rank_group *group = &w->groups->group[SS_RANK_GROUPS_OF_DATA + (int)op->group];
  if (group->count < 2) return SS_NO_NODE;
  ss_graph_node node = new_node(SS_GRAPH_COLLECTIVE, ss_collective_activity(op->kind));
  node.collective = op->kind;
  node.group = group;
  node.group_kind = SS_RANK_GROUPS_OF_DATA + (int)op->group;
  node.layer = ss_stage_op_layer(w->job, w->stage, op);
  node.bytes = input_bytes(op->kind, op->volume_bytes, group->count);
  node.duration_s = ss_comm_time_sum(ss_job_data_time(
      w->job, op->kind, ss_span_alone(ss_job_data_span(w->job, op->group, w->stage)), op->volume_bytes));
  need(node.control, &node.control_count, *last);
  if (reduces)
    need(node.data, &node.data_count, needs);
  else
    need(node.control, &node.control_count, needs);
  return *last = emit(w, &node);
}

static void move_block(walk *w, int64_t block, ss_op_start start, int64_t needs)
{
  int64_t last = SS_NO_NODE;
  if (w->ops.op == NULL) return;
  for (const ss_stage_op *op = ss_stage_ops_of_block(&w->ops, block, start); op != NULL; op = ss_stage_ops_next(op)) {
    const int64_t id = move_data(w, op, needs);
    if (id != SS_NO_NODE) last = id;
  }
  const bool waits = start == SS_OP_AHEAD || !w->job->overlaps_data;
  if (waits) need(w->awaited, &w->waits, last);
}

/* What a pass of a block at hand is. */
typedef struct block_pass {
  ss_block_kind kind;
  ss_work work;
  int64_t block, layer; /* block: counted over the stage */
} block_pass;

static ss_graph_node task_node(walk *w, const block_pass *at, ss_graph_kind kind, ss_activity activity)
{
  ss_graph_node node = new_node(kind, activity);
  node.pass = at->work.pass;
  node.micro_batch = at->work.micro_batch;
  node.chunk = w->job->chunks > 1 ? at->work.chunk : SS_NO_INDEX;
  node.layer = at->layer;
  behind_front(w, &node);
  return node;
}

static double pieces(int64_t count)
{
  return count > 0 ? (double)count : 1.0;
}

static int64_t add_kernel(walk *w, const block_pass *at, const ss_task *task)
{
  ss_graph_node node = task_node(w, at, SS_GRAPH_KERNEL, task->activity);
  node.role = task->role;
  node.flop = task->kernel.flop;
  node.bytes = task->kernel.hbm_bytes;
  node.duration_s = pieces(task->overlap.kernel_pieces) *
                    ss_duration_kernel_s(ss_job_kernel_piece(w->job, at->kind, at->work.pass, task));
  return emit(w, &node);
}

/* The collectives of a task, one behind the other; the last one, or SS_NO_NODE. */
static int64_t add_calls(walk *w, const block_pass *at, const ss_task *task)
{
  int64_t last = SS_NO_NODE;
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_call *call = &task->call[i];
    const ss_rank_group *group = &w->groups->group[call->group];
    if (group->count < 2) continue;
    ss_graph_node node = task_node(w, at, SS_GRAPH_COLLECTIVE, ss_collective_activity(call->kind));
    const ss_comm_time piece =
        ss_job_call_piece(w->job, at->kind, at->work.pass, task, i, ss_span_alone(w->job->span[call->group]));
    node.collective = call->kind;
    node.group = group;
    node.group_kind = (int)call->group;
    node.bytes = input_bytes(call->kind, call->volume_bytes, group->count);
    node.duration_s = pieces(task->overlap.call_pieces) * ss_comm_time_sum(piece);
    if (last != SS_NO_NODE) node.data_count = 0;
    need(node.data, &node.data_count, last);
    last = emit(w, &node);
  }
  return last;
}

/* A kernel with the collectives beside it: what follows waits for both. */
static void add_task(walk *w, const block_pass *at, const ss_task *task)
{
  const int64_t kernel = task->computes ? add_kernel(w, at, task) : SS_NO_NODE;
  const int64_t calls = add_calls(w, at, task);
  if (kernel == SS_NO_NODE && calls == SS_NO_NODE) return;
  w->fronts = 0;
  need(w->front, &w->fronts, kernel);
  need(w->front, &w->fronts, calls);
}

/* Weights that a pass of a block gathers, when compute is some blocks before it. */
static void fetch(walk *w, const block_pass *at)
{
  if (!ss_pass_fetches(at->work.pass)) return;
  const int64_t ahead = ss_gathers_ahead(w->job, false);
  const int64_t since = w->fetches - ahead;
  w->begun[w->fetches % BLOCKS_AHEAD] = last_front(w);
  if (w->job->data.gathers_each_pass && ss_pass_gathers(w->job, at->kind, at->work.pass))
    move_block(w, at->block, SS_OP_AHEAD,
               since >= 0 && ahead < BLOCKS_AHEAD ? w->begun[since % BLOCKS_AHEAD] : SS_NO_NODE);
  ++w->fetches;
  if (ss_pass_needs_first(w->job, &at->work) && w->ops.op != NULL && w->ops.needs[at->block] > 0)
    need(w->awaited, &w->waits, w->first[w->ops.needs[at->block] - 1]);
}

static void run_block(walk *w, const block_pass *at)
{
  const ss_task_list *tasks = ss_job_tasks(w->job, at->kind, at->work.pass);
  const bool last = at->work.micro_batch == w->job->copy_batches - 1;
  fetch(w, at);
  for (int i = 0; i < w->waits; ++i) need(w->front, &w->fronts, w->awaited[i]);
  w->waits = 0;
  for (int64_t i = 0; i < tasks->count; ++i) add_task(w, at, &tasks->task[i]);
  if (ss_pass_reduces(w->job, at->work.pass, last)) move_block(w, at->block, SS_OP_BEHIND, last_front(w));
}

/* A number that both sides know of a message: what pass of which chunk it is for. */
static int64_t tag_of(const walk *w, ss_pass pass, int64_t chunk, int64_t micro_batch)
{
  return ((int64_t)pass * w->job->chunks + chunk) * w->job->copy_batches + micro_batch;
}

static ss_graph_node message_node(walk *w, ss_graph_kind kind, const ss_work *work, ss_chunk other)
{
  ss_graph_node node = new_node(kind, kind == SS_GRAPH_SEND ? SS_COMM_SEND : SS_COMM_RECEIVE);
  const bool sends = kind == SS_GRAPH_SEND;
  const ss_chunk from = sends ? (ss_chunk){w->stage, work->chunk} : other;
  const ss_cargo cargo = ss_job_cargo(w->job, from, work->pass);
  ss_coordinates at = w->groups->at;
  at.pp = other.stage;
  node.pass = work->pass;
  node.micro_batch = work->micro_batch;
  node.chunk = w->job->chunks > 1 ? work->chunk : SS_NO_INDEX;
  node.peer = ss_placement_rank(&w->job->placement, at);
  node.tag = tag_of(w, work->pass, sends ? other.index : work->chunk, work->micro_batch);
  node.bytes = w->job->message_bytes[cargo];
  const bool crosses = ss_placement_gpu(&w->job->placement, at) / w->job->machine->domain_size !=
                       ss_placement_gpu(&w->job->placement, w->groups->at) / w->job->machine->domain_size;
  node.duration_s = ss_comm_time_sum(ss_job_message_time(w->job, crosses, cargo));
  return node;
}

/* A stage that sends goes on when the message has left, unless it does so beside compute. */
static void send(walk *w, const ss_work *work)
{
  ss_chunk receiver;
  if (!ss_job_receiver(w->job, (ss_chunk){w->stage, work->chunk}, work->pass, &receiver)) return;
  ss_graph_node node = message_node(w, SS_GRAPH_SEND, work, receiver);
  behind_front(w, &node);
  const int64_t id = emit(w, &node);
  if (!w->job->overlaps_messages) set_front(w, id);
}

/* A message comes in order behind what ran before it. A stage without blocks has no kernel that waits for both. */
static void receive(walk *w, const ss_work *work)
{
  const ss_chunk chunk = {w->stage, work->chunk};
  ss_chunk sender;
  if (!ss_job_sender(w->job, chunk, work->pass, &sender)) return;
  const bool hands_on = ss_job_block_count(w->job, chunk) == 0;
  ss_graph_node node = message_node(w, SS_GRAPH_RECEIVE, work, sender);
  for (int i = hands_on || w->fronts == 0 ? 0 : w->fronts - 1; i < w->fronts; ++i)
    need(node.control, &node.control_count, w->front[i]);
  const int64_t id = emit(w, &node);
  if (hands_on) w->fronts = 0;
  need(w->front, &w->fronts, id);
}

static int64_t first_block(const walk *w, int64_t chunk)
{
  int64_t blocks = 0;
  for (int64_t i = 0; i < chunk; ++i) blocks += ss_job_block_count(w->job, (ss_chunk){w->stage, i});
  return blocks;
}

static void run_pass(walk *w, const ss_work *work)
{
  const ss_chunk chunk = {w->stage, work->chunk};
  const int64_t first = first_block(w, work->chunk);
  receive(w, work);
  for (int64_t place = 0; w->status == SS_OK && place < ss_job_block_count(w->job, chunk); ++place) {
    const int64_t index = ss_job_block_at(w->job, chunk, work->pass, place);
    const block_pass at = {.kind = ss_job_block_kind(w->job, chunk, index),
                           .work = *work,
                           .block = first + index,
                           .layer = ss_job_block_layer(w->job, chunk, index)};
    run_block(w, &at);
  }
  if (w->holds) send(w, &w->held);
  w->holds = work->whole;
  w->held = *work;
  if (!work->whole) send(w, work);
}

static void run_order(walk *w)
{
  ss_order order = ss_order_start(&w->job->shape, w->stage);
  ss_turns turns;
  while (w->status == SS_OK && ss_order_next(&order, &turns))
    for (int64_t turn = 0; turn < turns.count; ++turn)
      for (int64_t i = 0; w->status == SS_OK && i < turns.passes; ++i) {
        ss_work work = turns.work[i];
        work.micro_batch += turn;
        run_pass(w, &work);
      }
  if (w->holds) send(w, &w->held);
}

/* The gradient of a table that stages share. */
static void add_tied(walk *w)
{
  const ss_rank_group *group = &w->groups->group[SS_RANK_GROUP_TIED];
  if (!ss_job_ties(w->job, w->stage) || group->count < 2) return;
  ss_graph_node node = new_node(SS_GRAPH_COLLECTIVE, SS_COMM_ALL_REDUCE);
  node.collective = SS_ALL_REDUCE;
  node.group = group;
  node.group_kind = SS_RANK_GROUP_TIED;
  node.bytes = w->job->tied_bytes;
  node.duration_s = ss_comm_time_sum(ss_job_tied_time(w->job, ss_span_alone(ss_job_tied_span(w->job))));
  behind_front(w, &node);
  need(node.control, &node.control_count, w->last_reduction);
  set_front(w, emit(w, &node));
}

static void finish(walk *w)
{
  int64_t blocks = first_block(w, w->job->chunks);
  for (int64_t block = blocks - 1; ss_reduces_at_end(w->job) && block >= 0; --block)
    move_block(w, block, SS_OP_BEHIND, last_front(w));
  w->waits = 0;
  add_tied(w);
  ss_graph_node node = new_node(SS_GRAPH_KERNEL, SS_OP_OPTIMIZER);
  node.duration_s = ss_optimizer_time_sum(ss_job_optimizer(w->job, w->stage));
  node.bytes = 2.0 * ss_job_state_bytes(w->job, w->stage);
  behind_front(w, &node);
  need(node.data, &node.data_count, w->last_reduction);
  if (node.duration_s > 0.0) (void)emit(w, &node);
}

ss_status ss_graph_walk(const ss_job *job, const ss_rank_groups *groups, const ss_graph_sink *sink, ss_error *error)
{
  walk w = {.job = job,
            .groups = groups,
            .sink = sink,
            .error = error,
            .stage = groups->at.pp,
            .last_gather = SS_NO_NODE,
            .last_reduction = SS_NO_NODE};
  w.status = ss_stage_ops_init(&w.ops, job, w.stage);
  if (w.status == SS_OK && w.ops.first > 0) w.first = malloc((size_t)w.ops.first * sizeof *w.first);
  if (w.status == SS_OK && w.ops.first > 0 && w.first == NULL) w.status = SS_ERROR_MEMORY;
  if (w.status == SS_OK) {
    for (int64_t i = 0; i < w.ops.first; ++i) w.first[i] = move_data(&w, &w.ops.op[i], SS_NO_NODE);
    run_order(&w);
    finish(&w);
  } else {
    (void)ss_error_set(error, w.status, NULL, 0, "out of memory for a graph");
  }
  ss_stage_ops_free(&w.ops);
  free(w.first);
  return w.status;
}
