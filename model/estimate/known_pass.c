#include "model/estimate/known_pass.h"

#include <math.h>

#include "model/base/number.h"
#include "model/estimate/shared_links.h"
#include "model/estimate/streams.h"

/* A pass, and the fetches that it gathers for, counted from its first one: those started before it; from `later` on, of
 * later passes; up to `end`, those started in it. */
typedef struct passage {
  const ss_way *way;
  ss_known_pass *known;
  bool reducing;
  int64_t before, later, end;
} passage;

static inline int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline void find_fetches(const ss_walk *w, passage *p)
{
  const int64_t before = ss_known_pass_ahead(w), blocks = p->way->blocks;
  p->before = before;
  p->end = smaller(blocks + w->ahead, w->last - w->fetches);
  p->later = smaller(p->end, before > blocks ? before : blocks);
}

/* Lets the fetcher go past what is started in the pass. Returns whether later passes gather what they did when the pass
 * was noted, if it was. */
static inline bool fetch(ss_walk *w, const passage *p)
{
  ss_fetcher *f = w->gather;
  bool same = p->known->valid;
  const int64_t own = smaller(p->way->blocks, p->end) - p->before;
  if (own > 0) ss_fetcher_skip(w, f, own);
  for (int64_t i = 0; i < p->end - p->later; ++i) {
    const double gather_s = w->block[ss_way_block(f->way, f->place)].gather_s[f->way->pass];
    same = same && p->known->later_s[i] == gather_s;
    p->known->later_s[i] = gather_s;
    ss_fetcher_step(w, f);
  }
  return same;
}

/* Fewer are left to be started at the end of an iteration. */
static inline bool starts_all(const ss_walk *w, const passage *p)
{
  return p->end == p->way->blocks + w->ahead;
}

/* When a fetch of the pass, or behind it, is there. */
static inline double *due(const ss_walk *w, int64_t fetch)
{
  return &w->gathered_s[(w->fetches + fetch) & w->mask];
}

/* Whether what is gathered on it is. */
static inline bool is_as_due(const ss_walk *w, const passage *p)
{
  bool same = true;
  for (int64_t i = 0; same && i < smaller(p->before, p->way->blocks); ++i)
    same = fabs(ss_known_pass_from_start(w, *due(w, i)) - p->known->due_s[i]) <= ss_known_pass_tolerance_s(w);
  return same;
}

/* Starts gathers from `at` on, before `end`; returns that. A block that gathers nothing waits for nothing. */
static int64_t gather(const ss_walk *w, const passage *p, int64_t at, int64_t end, ss_streams *s)
{
  for (; at < end; ++at) {
    const ss_way *way = p->way;
    const double gather_s =
        at < p->later ? w->block[ss_way_block(way, at)].gather_s[way->pass] : p->known->later_s[at - p->later];
    if (gather_s > 0.0) ss_streams_run(s, gather_s);
    *due(w, at) = gather_s > 0.0 ? s->data_s : -INFINITY;
  }
  return at;
}

/* What a block waits for before it starts; then what is gathered ahead of it is started. */
static inline double begin_block(const ss_walk *w, const passage *p, int64_t place, int64_t *started, ss_streams *s)
{
  double wait_s = ss_streams_wait(s, w->first_s[w->block[ss_way_block(p->way, place)].needs]);
  if (!p->way->gathers) return wait_s;
  *started = gather(w, p, *started, place + 1, s);
  wait_s += ss_streams_wait(s, *due(w, place));
  *started = gather(w, p, *started, smaller(place + 1 + w->ahead, p->end), s);
  return wait_s;
}

/* Goes through the blocks of a pass. Returns whether a collective starts behind one, or ends later. `shares` is
 * ss_walk.shares_links, a constant: most walks do not. */
static inline __attribute__((always_inline)) bool go_through(ss_walk *w, const passage *p, bool shares)
{
  const ss_pass pass = (ss_pass)p->way->pass;
  const bool fetches = ss_pass_fetches(pass), overlaps = w->job->overlaps_data;
  bool moves = false;
  int64_t started = p->before;
  ss_streams s = ss_streams_of(w);
  double data_s = w->exposed.data_s, slowed_s = w->exposed.slowed_s;
  for (int64_t i = 0; i < p->way->blocks; ++i) {
    const ss_held_block *block = &w->block[ss_way_block(p->way, i)];
    const double behind_s = p->reducing ? block->ops_s[SS_OP_BEHIND] : 0.0;
    double wait_s = fetches ? begin_block(w, p, i, &started, &s) : 0.0;
    const ss_loss lost = ss_streams_loss(&s, block->time, pass, shares);
    if (shares && lost.delay_s > 0.0) {
      const ss_beside beside = ss_beside_pass(block->time, pass, s.compute_s);
      ss_share_links(w, &beside, p->way->gathers ? i + 1 : 0, started);
      moves = true;
    }
    s.compute_s += block->time->run_s[pass] + lost.slowed_s + lost.shared_s;
    if (behind_s > 0.0) ss_streams_run(&s, behind_s);
    if (p->reducing && !overlaps) wait_s += ss_streams_wait(&s, s.data_s);
    moves = moves || behind_s > 0.0;
    data_s += wait_s + lost.shared_s;
    slowed_s += lost.slowed_s;
  }
  w->exposed.data_s = data_s;
  w->exposed.slowed_s = slowed_s;
  ss_streams_keep(&s, w);
  return moves;
}

/* Runs a pass, and notes how it started and what it took. Out of line, so that what a known pass looks at stays in
 * registers. */
static __attribute__((noinline)) void work_out(ss_walk *w, passage p)
{
  ss_known_pass *known = p.known;
  const double start_s = w->compute_s, margin_s = w->data_margin_s;
  const ss_exposure before = w->exposed;
  known->busy_s = ss_known_pass_from_start(w, w->data_s);
  for (int64_t i = 0; i < smaller(p.before, p.way->blocks); ++i)
    known->due_s[i] = ss_known_pass_from_start(w, *due(w, i));
  w->data_margin_s = INFINITY;
  const bool moves = w->shares_links ? go_through(w, &p, true) : go_through(w, &p, false);
  known->runs = moves || p.end > p.before;
  known->took_s = w->compute_s - start_s;
  known->left_s = w->data_s - w->compute_s;
  known->margin_s = w->data_margin_s;
  known->waited_s = w->exposed.data_s - before.data_s;
  known->slowed_s = w->exposed.slowed_s - before.slowed_s;
  for (int64_t i = p.later; i < p.end; ++i) known->later_due_s[i - p.later] = *due(w, i) - w->compute_s;
  w->data_margin_s = ss_min(w->data_margin_s, margin_s);
}

/* A pass that gathers nothing. */
static inline void run_quiet(ss_walk *w, const ss_way *way, ss_known_pass *known, bool reducing)
{
  const int64_t ahead = ss_known_pass_ahead(w);
  const bool usual = ss_known_pass_is_usual(w) && !ss_known_pass_delays_others(w, ahead, 0);
  work_out(w, (passage){.way = way, .known = known, .reducing = reducing, .before = ahead});
  known->valid = usual;
}

/* A pass whose blocks gather. */
static __attribute__((noinline)) void run_gathering(ss_walk *w, const ss_way *way, ss_known_pass *known, bool reducing)
{
  passage p = {.way = way, .known = known, .reducing = reducing};
  find_fetches(w, &p);
  const bool same = fetch(w, &p), usual = ss_known_pass_is_usual(w) && starts_all(w, &p) &&
                                          !ss_known_pass_delays_others(w, p.before, way->blocks);
  if (same && usual && ss_known_pass_is_as_busy(w, known) && is_as_due(w, &p)) {
    ss_known_pass_repeat(w, known);
    for (int64_t i = p.later; i < p.end; ++i) *due(w, i) = w->compute_s + known->later_due_s[i - p.later];
  } else {
    work_out(w, p);
    known->valid = usual;
  }
  w->fetches += way->blocks;
}

void ss_known_pass_run(ss_walk *w, const ss_way *way, bool reducing)
{
  ss_known_pass *known = &way->known[reducing];
  if (way->gathers)
    run_gathering(w, way, known, reducing);
  else
    run_quiet(w, way, known, reducing);
  ss_known_pass_expose_weight(w, way, known);
}
