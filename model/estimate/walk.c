#include "model/estimate/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"

static ss_kind_time time_of(const ss_walk *w, ss_block_kind kind)
{
  const ss_job *job = w->job;
  ss_kind_time t = {.launches = job->launches[kind]};
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    const ss_duration duration = job->pass[kind][pass];
    t.run_s[pass] = ss_duration_sum(duration);
    t.loss_s[pass] = ss_duration_kernel_s(duration) * w->data_cost / (1.0 - w->data_cost);
    if (!job->offload.active) continue;
    t.reads_back[pass] = ss_pass_reads_back(job, kind, (ss_pass)pass);
    t.read_s[pass] = job->offload.read_bytes[kind][pass] / job->offload.bytes_per_s;
    t.write_s[pass] = job->offload.write_bytes[kind][pass] / job->offload.bytes_per_s;
  }
  return t;
}

/* Numbers the kinds of blocks that the stage has. */
static void list_kinds(ss_walk *w)
{
  int8_t count = 0;
  for (ss_block_set left = w->job->counts[w->stage].kinds; left != 0;) w->kind_place[ss_block_take(&left)] = count++;
}

/* How often collectives run in forward and backward: what is gathered ahead of a block is gathered for both. */
static const double op_times[SS_OP_STARTS] = {[SS_OP_FIRST] = 1.0, [SS_OP_AHEAD] = 2.0, [SS_OP_BEHIND] = 1.0};

/* What the collectives of the data stream take, and of that what moves bytes on NICs, along which dimensions, and per
 * flow; what they are beside NVLink (ss_op_time), and the share of compute that those of each group take. */
typedef struct data_use {
  double time_s, nic_s, flow_s, nvlink_takes_s, nvlink_yields_s, cost_s;
  ss_lattice_axes axes;
  double cost[SS_DATA_GROUPS];
} data_use;

static double span_cost(const ss_walk *w, int group)
{
  const ss_span span = ss_job_data_span(w->job, (ss_data_group)group, w->stage);
  return span.size > 1 ? ss_machine_compute_cost(w->job->machine, ss_span_data_transport(span)) : 0.0;
}

/* Adds what a collective takes to its block. */
static void add_op(ss_walk *w, const ss_stage_op *op, double time_s)
{
  w->block[op->block].ops_s[op->start] += time_s;
  w->block[op->block].reductions += op->start == SS_OP_BEHIND;
}

/* What so many collectives that take `time` do, all of the start and group of `op`. */
static void add_use(const ss_walk *w, const ss_stage_op *op, const ss_op_time *time, double count, data_use *use)
{
  const double times = count * op_times[op->start], op_s = times * time->time_s;
  use->time_s += op_s;
  use->cost_s += op_s * use->cost[op->group];
  use->nic_s += times * time->nic_s;
  use->flow_s += times * time->flow_s;
  use->nvlink_takes_s += times * time->nvlink_takes_s;
  use->nvlink_yields_s += times * time->nvlink_yields_s;
  if (time->nic_s > 0.0) use->axes |= ss_span_cables(ss_job_data_span(w->job, op->group, w->stage));
}

/* Adds what collectives take to their blocks. Most are like the one before. */
static data_use add_ops(ss_walk *w)
{
  const ss_stage_op *end = w->ops.op + w->ops.count, *behind_first = w->ops.op + w->ops.first;
  data_use use = {0};
  for (int group = 0; group < SS_DATA_GROUPS; ++group) use.cost[group] = span_cost(w, group);
  for (const ss_stage_op *first = w->ops.op; first < end; first += first->alike) {
    const ss_op_time *time = ss_walk_op_time(w, first);
    for (const ss_stage_op *op = first; op < first + first->alike && first >= behind_first; ++op)
      add_op(w, op, time->time_s);
    add_use(w, first, time, (double)first->alike, &use);
  }
  return use;
}

/* Share of compute that the data stream takes. Its groups may have different links, as experts that are alike only in
 * other domains, or copies of what is sharded inside domains: then what its collectives take on average, by time. */
static double data_cost(const ss_walk *w, const data_use *use)
{
  double least = INFINITY, most = 0.0;
  for (int group = 0; group < SS_DATA_GROUPS; ++group) {
    if (ss_job_data_span(w->job, (ss_data_group)group, w->stage).size <= 1) continue;
    least = ss_min(least, use->cost[group]);
    most = ss_max(most, use->cost[group]);
  }
  return least < most && use->time_s > 0.0 ? use->cost_s / use->time_s : most;
}

/* What a pass and the data stream lose to one another while that, which leaves links to others during start-ups, is
 * busy all along. */
static void share_links(const ss_link_time *links, const data_use *use, double *shared_s, double *delay_s)
{
  const double nvlink = links->nvlink_s / use->time_s;
  const bool meet = use->nic_s > 0.0 && links->nic_s > 0.0 && (links->axes & use->axes) != 0;
  const double nics = meet ? use->nic_s / use->time_s : 0.0, flows = meet ? use->nic_s / use->flow_s : 0.0;
  *shared_s = nics * ss_link_time_longer_s(links, flows) + nvlink * use->nvlink_takes_s;
  *delay_s = nics * links->nic_s + nvlink * use->nvlink_yields_s;
}

static void share_all_links(ss_walk *w, const data_use *use)
{
  if (use->time_s <= 0.0 || ss_job_has_own_links(w->job)) return;
  w->data_nic = use->nic_s / use->time_s;
  for (ss_block_set left = w->job->counts[w->stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    ss_kind_time *time = ss_walk_kind_time(w, kind);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      share_links(&w->job->links[kind][pass], use, &time->shared_s[pass], &time->delay_s[pass]);
      w->shares_links = w->shares_links || time->shared_s[pass] > 0.0;
    }
  }
}

/* What passes take, beside the data stream too. */
static void time_kinds(ss_walk *w, const data_use *use)
{
  w->data_cost = data_cost(w, use);
  for (ss_block_set left = w->job->counts[w->stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    *ss_walk_kind_time(w, kind) = time_of(w, kind);
  }
  share_all_links(w, use);
  for (ss_block_set left = w->job->counts[w->stage].kinds; left != 0;)
    ss_kind_time_find_beside(ss_walk_kind_time(w, ss_block_take(&left)));
}

static void list_blocks(ss_walk *w)
{
  const int8_t *kind = ss_walk_kinds(w);
  list_kinds(w);
  for (int64_t i = 0; i < w->blocks; ++i)
    w->block[i] = (ss_held_block){.time = ss_walk_kind_time(w, (ss_block_kind)kind[i]),
                                  .needs = w->job->data.gathers_at_start ? w->ops.needs[i] : 0};
  const data_use use = add_ops(w);
  time_kinds(w, &use);
  for (int64_t i = 0; i < w->blocks && w->job->data.gathers_each_pass; ++i)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      if (ss_pass_gathers(w->job, (ss_block_kind)kind[i], (ss_pass)pass))
        w->block[i].gather_s[pass] = w->block[i].ops_s[SS_OP_AHEAD];
}

static int64_t blocks_of(const ss_walk *w, int64_t chunk)
{
  return ss_walk_first_block(w, chunk + 1) - ss_walk_first_block(w, chunk);
}

/* Backward and weight passes meet the blocks from the last to the first. */
static ss_way way_of(const ss_walk *w, int64_t chunk, ss_pass pass)
{
  const bool forward = pass == SS_PASS_FORWARD;
  return (ss_way){.first = forward ? ss_walk_first_block(w, chunk) : ss_walk_first_block(w, chunk + 1) - 1,
                  .step = forward ? 1 : -1,
                  .blocks = blocks_of(w, chunk),
                  .pass = (int32_t)pass,
                  .known = &w->known[2 * (chunk * SS_PASSES + (int64_t)pass)],
                  .gathers = w->job->data.gathers_each_pass && ss_pass_fetches(pass),
                  .reduces = ss_pass_reduces(w->job, pass, false),
                  .reduces_last = ss_pass_reduces(w->job, pass, true)};
}

static void list_ways(ss_walk *w)
{
  for (int64_t chunk = 0; chunk < w->job->chunks; ++chunk)
    for (int pass = 0; pass < SS_PASSES; ++pass) w->way[chunk * SS_PASSES + pass] = way_of(w, chunk, (ss_pass)pass);
}

/* Comes to a block of a pass, which has been entered. */
static void enter_block(const ss_walk *w, ss_fetcher *f, int64_t place)
{
  f->place = place;
  f->way = ss_walk_way(w, ss_fetcher_work(f));
}

/* Goes to the next block of a pair; false when there is none. */
static bool enter_paired_block(const ss_walk *w, ss_fetcher *f)
{
  if (!ss_pair_order_next_block(w->job, &f->pair)) return false;
  enter_block(w, f, f->pair.lane[f->pair.at].begun - 1);
  return true;
}

/* Enters the pass that the fetcher is at, or the pair. */
static inline void enter_pass(const ss_walk *w, ss_fetcher *f)
{
  const ss_work *work = &f->turns.work[f->pass];
  if (!work->paired) {
    f->place = 0;
    f->way = ss_walk_way(w, work);
    return;
  }
  f->pair = ss_pair_order_start(w->job, (ss_chunk){w->stage, work->chunk}, (ss_chunk){w->stage, work[1].chunk});
  (void)enter_paired_block(w, f);
}

/* There is something to fetch in the pass that the fetcher is at, or in the pair: it may have no blocks. */
static inline bool is_fetching(const ss_walk *w, const ss_fetcher *f)
{
  const ss_work *work = &f->turns.work[f->pass];
  if (work->paired && ss_walk_way(w, work + 1)->blocks > 0) return true;
  return ss_pass_fetches(work->pass) && ss_walk_way(w, work)->blocks > 0;
}

/* Goes to the next run. Past the last one the fetcher stays: nothing more is fetched there. */
static void enter_run(ss_fetcher *f)
{
  f->turn = f->pass = 0;
  f->runs = ss_order_next(&f->order, &f->turns) ? f->runs + 1 : INT64_MAX;
}

static void next_pass(const ss_walk *w, ss_fetcher *f)
{
  do {
    f->pass += f->turns.work[f->pass].paired ? SS_PAIR_LANES : 1;
    if (f->pass == f->turns.passes) {
      f->pass = 0;
      if (++f->turn == f->turns.count) enter_run(f);
    }
  } while (f->runs < INT64_MAX && !is_fetching(w, f));
  enter_pass(w, f);
}

void ss_fetcher_turn(const ss_walk *w, ss_fetcher *f)
{
  if (!f->turns.work[f->pass].paired || !enter_paired_block(w, f)) next_pass(w, f);
}

static void start_fetcher(const ss_walk *w, ss_fetcher *f)
{
  *f = (ss_fetcher){.order = w->order};
  enter_run(f);
  if (is_fetching(w, f))
    enter_pass(w, f);
  else
    next_pass(w, f);
}

/* Nothing is known yet. Takes [3 * ahead] of what is behind `next` for each. */
static double *init_known(ss_walk *w, int64_t count, double *next)
{
  for (ss_known_pass *known = w->known; known < w->known + count; ++known, next += 3 * w->ahead)
    *known = (ss_known_pass){.due_s = next, .later_s = next + w->ahead, .later_due_s = next + 2 * w->ahead};
  return next;
}

static int64_t count_kinds(const ss_walk *w)
{
  int64_t count = 0;
  for (ss_block_set left = w->job->counts[w->stage].kinds; left != 0; ++count) (void)ss_block_take(&left);
  return count;
}

static void init_arrays(ss_walk *w)
{
  int64_t ring = 2;
  while (ring < ss_reads_ahead(w->job, w->job->shape.pairs) + 2) ring *= 2;
  w->mask = ring - 1;
  ss_walk_mark **marks[] = {&w->before, &w->now, &w->round_before, &w->round_now};
  const int64_t lags = 3 * ring + 1, mark_count = sizeof marks / sizeof marks[0];
  const int64_t kinds = w->shares ? 0 : count_kinds(w), ways = w->shares ? 0 : w->job->chunks * SS_PASSES;
  const int64_t times = 3 * ring + mark_count * lags + w->ops.first + 1 + 2 * ways * 3 * w->ahead;
  const int64_t fetchers = w->job->data.gathers_each_pass + w->job->offload.active;
  void *memory = ss_scratch_take(
      w->job->scratch, (size_t)fetchers * sizeof *w->gather + (size_t)kinds * sizeof *w->kind +
                           (size_t)w->blocks * sizeof *w->block +
                           (size_t)ways * (sizeof *w->way + 2 * sizeof *w->known) + (size_t)times * sizeof(double) +
                           (size_t)mark_count * sizeof(ss_walk_mark) + SS_OP_STARTS * sizeof *w->op_time);
  ss_fetcher *fetcher = memory;
  if (w->job->data.gathers_each_pass) w->gather = fetcher++;
  if (w->job->offload.active) w->read = fetcher++;
  w->kind = (ss_kind_time *)fetcher;
  w->block = (ss_held_block *)(w->kind + kinds);
  w->way = (ss_way *)(w->block + w->blocks);
  w->known = (ss_known_pass *)(w->way + ways);
  double *next = init_known(w, 2 * ways, (double *)(w->known + 2 * ways));
  w->gathered_s = next;
  w->requested_s = w->gathered_s + ring;
  w->read_done_s = w->requested_s + ring;
  w->first_s = w->read_done_s + ring;
  next = w->first_s + w->ops.first + 1;
  ss_walk_mark *mark = (ss_walk_mark *)(next + mark_count * lags);
  for (int64_t i = 0; i < mark_count; ++i, next += lags) {
    mark[i] = (ss_walk_mark){.lag_s = next};
    *marks[i] = &mark[i];
  }
  if (w->shares) return;
  w->op_time = (ss_op_time(*)[SS_DATA_GROUPS])(mark + mark_count);
  for (int start = 0; start < SS_OP_STARTS; ++start)
    for (int group = 0; group < SS_DATA_GROUPS; ++group) w->op_time[start][group].known = false;
}

static void init_written(ss_walk *w)
{
  if (!w->job->offload.activations) return;
  w->written = malloc((size_t)w->job->chunks * sizeof *w->written);
  SS_ASSERT(w->written != NULL);
  for (int64_t i = 0; i < w->job->chunks; ++i) ss_write_log_init(&w->written[i], blocks_of(w, i));
}

static void list_ops(ss_walk *w)
{
  const ss_stage_ops *kept = ss_job_stage_ops(w->job, w->stage);
  if (kept != NULL)
    w->ops = *kept;
  else
    SS_ASSERT(ss_stage_ops_init(&w->ops, w->job, w->stage) == SS_OK);
}

/* What the stage takes, and the arrays that hold it. */
static void work_out(ss_walk *w)
{
  list_ops(w);
  init_arrays(w);
  list_blocks(w);
  list_ways(w);
}

/* The same from a walk that has it. */
static void take_over(ss_walk *w, const ss_walk *like)
{
  w->shares = true;
  w->ops = like->ops;
  w->op_time = like->op_time;
  w->data_cost = like->data_cost;
  w->data_nic = like->data_nic;
  w->shares_links = like->shares_links;
  init_arrays(w);
  w->kind = like->kind;
  memcpy(w->kind_place, like->kind_place, sizeof w->kind_place);
  memcpy(w->block, like->block, (size_t)w->blocks * sizeof *w->block);
  w->way = like->way;
  w->known = like->known;
}

/* The passes of a pair gather for one another. */
static bool is_light(const ss_job *job)
{
  return !job->offload.active && !job->host.active && !(job->shape.pairs && job->data.gathers_each_pass);
}

void ss_walk_init(ss_walk *w, const ss_job *job, int64_t stage, int64_t micro_batches, const ss_walk *like)
{
  ss_pipeline_shape shape = job->shape;
  shape.micro_batches = micro_batches;
  const int64_t *first = &job->block_first[stage * job->chunks];
  *w = (ss_walk){.job = job,
                 .stage = stage,
                 .blocks = first[job->chunks] - first[0],
                 .copy_batches = ss_shape_copy_batches(&shape),
                 .light = is_light(job),
                 .ahead = job->data.gathers_each_pass ? ss_gathers_ahead(job, false) : 0,
                 .order = ss_order_start(&shape, stage),
                 .round_margin_s = INFINITY,
                 .long_skip = INT64_MAX,
                 .to_settle = 1};
  w->last = 2 * w->copy_batches * w->blocks;
  if (like != NULL)
    take_over(w, like);
  else
    work_out(w);
  init_written(w);
  if (w->gather != NULL) start_fetcher(w, w->gather);
  if (w->read != NULL) start_fetcher(w, w->read);
}

void ss_walk_slow_down(ss_walk *w)
{
  for (ss_block_set left = w->job->counts[w->stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    ss_kind_time *time = ss_walk_kind_time(w, kind);
    for (int pass = 0; pass < SS_PASSES; ++pass) time->run_s[pass] += w->job->slowed_s[kind][pass];
    ss_kind_time_find_beside(time);
  }
}

void ss_walk_free(ss_walk *w)
{
  for (int64_t i = 0; i < w->job->chunks && w->written != NULL; ++i) ss_write_log_free(&w->written[i]);
  if (w->job->kept_ops == NULL && !w->shares) ss_stage_ops_free(&w->ops);
  free(w->pair);
  free(w->written);
}
