/* A stage on its way through an iteration: its compute stream, the streams beside it, and what they wait for. */
#ifndef STEPSIM_MODEL_ESTIMATE_WALK_H
#define STEPSIM_MODEL_ESTIMATE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/estimate/exposure.h"
#include "model/estimate/write_log.h"
#include "model/plan/job.h"
#include "model/plan/pair_time.h"
#include "model/plan/stage_ops.h"
#include "model/plan/transfer_time.h"
#include "model/schedule/schedule.h"

/* What the passes of a kind of block take. */
typedef struct ss_kind_time {
  /* Lost when data-parallel collectives run all along: by kernels, by collectives on the same links, and by the former
   * to these. */
  double loss_s[SS_PASSES], shared_s[SS_PASSES], delay_s[SS_PASSES];
  double run_s[SS_PASSES];
  /* How long the data stream is busy by itself when a pass runs beside it all along: as long as the pass, less what it
   * loses to it; and of that, the share that a second of it is. */
  double beside_s[SS_PASSES], per_beside[SS_PASSES];
  double read_s[SS_PASSES], write_s[SS_PASSES]; /* of the second tier */
  const ss_launches *launches;                  /* [SS_PASSES] of the job */
  bool reads_back[SS_PASSES];                   /* what forward has written there */
} ss_kind_time;

/* Works out beside_s and per_beside, when all other seconds are known. */
static inline void ss_kind_time_find_beside(ss_kind_time *time)
{
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    time->beside_s[pass] = time->run_s[pass] + time->loss_s[pass] + (time->shared_s[pass] - time->delay_s[pass]);
    time->per_beside[pass] = 1.0 / time->beside_s[pass];
  }
}

/* A block of the stage, counted over its chunks. */
typedef struct ss_held_block {
  const ss_kind_time *time;
  double ops_s[SS_OP_STARTS]; /* of the collectives ahead of it and behind it; 0 for none */
  double gather_s[SS_PASSES]; /* of those ahead of it that a pass starts */
  int64_t reductions;         /* collectives behind it */
  int64_t needs;              /* operations before the first pass that it waits for: those of its weights */
} ss_held_block;

/* What a pass of a way that is light (ss_walk.light) took the last time that it was gone through, and what it left
 * behind. It is the same whenever collectives are then where they were, seen from the compute stream. */
typedef struct ss_known_pass {
  bool valid;
  bool runs;                 /* a collective starts in it */
  double busy_s;             /* of the data stream, when it starts */
  double took_s, left_s;     /* left: how far the data stream is behind when it ends, if a collective starts in it */
  double margin_s;           /* ss_walk.data_margin_s */
  double waited_s, slowed_s; /* ss_exposure.data_s, slowed_s */
  /* Of the blocks that are gathered ahead of compute, [ahead] each: when those of the pass that have been started are
   * there; what those of later passes take that are started in it, and when they are there, seen from its end. */
  double *due_s, *later_s, *later_due_s;
} ss_known_pass;

/* The way of the passes of a kind through the blocks of a chunk, and what moves beside them. */
typedef struct ss_way {
  int64_t first, step, blocks; /* of the blocks of the stage, the one that is met first, and how the others follow */
  int32_t pass;                /* its kind: ss_pass */
  ss_known_pass *known;        /* [2] without and with reductions, of passes that are light */
  bool gathers;                /* each block gathers ahead of it */
  bool reduces, reduces_last;  /* behind its blocks; of the last micro-batch */
} ss_way;

/* The block that a pass comes to at `place`, counted over the stage. */
static inline int64_t ss_way_block(const ss_way *way, int64_t place)
{
  return way->first + place * way->step;
}

/* Up to where blocks have been fetched for, ahead of compute. Weight passes need nothing. */
typedef struct ss_fetcher {
  ss_order order;
  ss_turns turns;
  int64_t runs, turn, pass, place; /* runs: before this one; pass: of a pair, its first one */
  ss_pair_order pair;              /* where it is in that pair */
  const ss_way *way;               /* of the pass of this block */
  int64_t steps;                   /* blocks before this one */
} ss_fetcher;

/* A stage as it was between two turns: what it says of the time after is the same whenever it is the same. */
typedef struct ss_walk_mark {
  bool valid;
  double compute_s, data_s, write_s; /* of the last two, how far they are behind compute */
  int64_t gathers, requests, reads;  /* ahead of compute */
  int64_t lags;
  double *lag_s; /* [lags] the same of reads, and of all that is fetched ahead */
  ss_exposure exposed;
} ss_walk_mark;

/* A stage on its way through an iteration. Turns that are like the one before are not walked through but skipped:
 * meanwhile the clock stands still, and fetches are not counted. A pipeline goes from stage to stage with each pass, so
 * that what every pass looks at lies together, and little beside it. */
typedef struct ss_walk {
  const ss_job *job;
  int64_t stage, blocks;
  int64_t copy_batches;                      /* micro-batches through each chunk */
  double compute_s, data_s, read_s, write_s; /* when each stream has done what it was given */
  double host_s;                             /* when the host has launched all kernels so far */
  double data_cost;                          /* share of compute that the data stream takes */
  double data_nic;                           /* share of its time that the data stream moves bytes on NICs */
  bool shares_links;                         /* some of its passes lose time to collectives on it, and these to them */
  /* By how much, at least, since the last turn began: the data stream was busy when that mattered, the write stream
   * was, and reads began after what they read was written. */
  double data_margin_s, write_margin_s, written_margin_s;
  double round_margin_s; /* of the data stream, since the last round began */
  ss_exposure exposed;
  bool light;            /* nothing moves beside its passes but collectives of each by itself, and no host launches */
  bool knows;            /* and what they took is known the next time: pays where turns that repeat are not skipped */
  bool paired;           /* it is in two passes that run together */
  int64_t ahead;         /* blocks that passes gather for ahead of compute, outside of pairs; 0 where none does */
  ss_held_block *block;  /* [blocks] */
  ss_way *way;           /* [chunks][SS_PASSES] */
  ss_known_pass *known;  /* [chunks][SS_PASSES][2], of the ways */
  int64_t runs, turn;    /* before those it is in; of these */
  ss_turns turns;        /* those it is in */
  int64_t fetches, last; /* blocks that weights or activations had to be fetched for so far, and in all */
  int64_t requests;      /* fetches that have been asked of the second tier */
  ss_fetcher *gather, *read; /* up to where gathers and reads have been started; NULL where there are none */
  int64_t mask;              /* of the rings: size - 1 */
  double *gathered_s, *requested_s, *read_done_s; /* rings: when fetches are there, were asked for, and there */
  double *first_s; /* [ops.first + 1] when so many of the operations before the first pass are complete */
  int64_t there;   /* of these, those that have been for long enough not to matter */
  double whole_s;  /* when all of them are that a block waits for */
  ss_order order;
  ss_kind_time *kind;                /* of the kinds of blocks that the stage has */
  bool shares;                       /* ways, what is known of them, kinds and operations are those of another stage */
  int8_t kind_place[SS_BLOCK_COUNT]; /* where a kind is in these */
  ss_stage_ops ops;                  /* the job's, if it keeps them */
  ss_op_time (*op_time)[SS_DATA_GROUPS]; /* [SS_OP_STARTS] */
  ss_pair_time *pair;    /* [chunks][chunks] of backward and forward where passes run in pairs, else NULL; owned */
  ss_write_log *written; /* [chunks] where activations are offloaded, else NULL; owned */
  /* Between turns, and between rounds: the last one, and the one that is taken next. */
  ss_walk_mark *before, *now, *round_before, *round_now;
  int64_t long_skip, to_settle; /* the walk is over when more micro-batches than that have been skipped that often */
  ss_exposure growth;           /* with each micro-batch in these */
} ss_walk;

/* Before an iteration of so many micro-batches, with all that its blocks take worked out, or taken from the walk of the
 * stage before, `like`, if that is the same (ss_groups_repeat); else NULL. Borrows both; arrays are of the job's
 * scratch, and what else there is, ss_walk_free frees. */
void ss_walk_init(ss_walk *w, const ss_job *job, int64_t stage, int64_t micro_batches, const ss_walk *like);
void ss_walk_free(ss_walk *w);

/* Kernels that are slowed down by the collectives of their own layer take longer from the start: for walks of which
 * nobody else adds that. Of stages that share what they take with the one before, that has been done. */
void ss_walk_slow_down(ss_walk *walk);

/* Whether passes leave something behind for the second tier. */
static inline bool ss_walk_writes(const ss_walk *w)
{
  return w->written != NULL || w->job->offload.gradients;
}

/* The way of a pass of the stage. */
static inline const ss_way *ss_walk_way(const ss_walk *w, const ss_work *work)
{
  return &w->way[work->chunk * SS_PASSES + (int64_t)work->pass];
}

/* Goes on to the block that is fetched for behind the last one of a way, or of a pair, and to the next one. */
void ss_fetcher_turn(const ss_walk *w, ss_fetcher *f);

static inline void ss_fetcher_step(const ss_walk *w, ss_fetcher *f)
{
  f->steps++;
  if (++f->place == f->way->blocks || f->turns.work[f->pass].paired) ss_fetcher_turn(w, f);
}

/* Goes on by so many blocks of the way that it is on. */
static inline void ss_fetcher_skip(const ss_walk *w, ss_fetcher *f, int64_t blocks)
{
  f->steps += blocks;
  f->place += blocks;
  if (f->place == f->way->blocks) ss_fetcher_turn(w, f);
}

/* The pass of the block that the fetcher is at, in the first of its turns. */
static inline const ss_work *ss_fetcher_work(const ss_fetcher *f)
{
  const ss_work *work = &f->turns.work[f->pass];
  return work->paired ? &work[f->pair.at] : work;
}

/* What the passes of a kind of block that the stage has take. */
static inline ss_kind_time *ss_walk_kind_time(const ss_walk *w, ss_block_kind kind)
{
  return &w->kind[w->kind_place[kind]];
}

/* What a data-parallel collective of the stage takes. */
static inline const ss_op_time *ss_walk_op_time(ss_walk *w, const ss_stage_op *op)
{
  return ss_op_time_of(&w->op_time[op->start][op->group], w->job, w->stage, op);
}

/* Where the blocks of a chunk start among those of the stage; of the chunk after the last one: how many there are. */
static inline int64_t ss_walk_first_block(const ss_walk *w, int64_t chunk)
{
  const int64_t *first = &w->job->block_first[w->stage * w->job->chunks];
  return first[chunk] - first[0];
}

/* The kinds of the blocks of the stage. */
static inline const int8_t *ss_walk_kinds(const ss_walk *w)
{
  return &w->job->block_kind[w->job->block_first[w->stage * w->job->chunks]];
}

#endif
