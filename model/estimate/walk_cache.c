#include "model/estimate/walk_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"

/* Candidates that share a walk follow one another closely. */
enum { SLOT_BITS = 10, SLOTS = 1 << SLOT_BITS };

/* Words of a key, each a count or the bits of a time. */
typedef struct walk_key {
  uint64_t *word; /* [room] owned */
  int64_t count, room;
} walk_key;

/* A pipeline that has been walked through. */
typedef struct entry {
  walk_key key;
  ss_course *course; /* [room] owned */
  int64_t stages;    /* 0: nothing is kept */
  int64_t room;
} entry;

/* Every key has one place. */
struct ss_walk_cache {
  walk_key asked; /* of the pipeline that was looked for last */
  entry *place;   /* of it; NULL: it cannot be kept */
  entry slot[SLOTS];
};

ss_walk_cache *ss_walk_cache_create(void)
{
  return calloc(1, sizeof(ss_walk_cache));
}

void ss_walk_cache_destroy(ss_walk_cache *cache)
{
  if (cache == NULL) return;
  for (int i = 0; i < SLOTS; ++i) {
    free(cache->slot[i].key.word);
    free(cache->slot[i].course);
  }
  free(cache->asked.word);
  free(cache);
}

/* Room for so many words more. */
static uint64_t *grow(walk_key *key, size_t words)
{
  while (key->count + (int64_t)words > key->room) {
    uint64_t *grown = realloc(key->word, (size_t)(2 * key->room + 256) * sizeof *grown);
    SS_ASSERT(grown != NULL);
    key->word = grown;
    key->room = 2 * key->room + 256;
  }
  uint64_t *next = key->word + key->count;
  key->count += (int64_t)words;
  return next;
}

static void add_count(walk_key *key, int64_t count)
{
  *grow(key, 1) = (uint64_t)count;
}

static void add_times(walk_key *key, const double *time_s, size_t count)
{
  memcpy(grow(key, count), time_s, count * sizeof *time_s);
}

static void add_chunks(walk_key *key, const ss_chunk (*chunk)[2], int64_t slots)
{
  const size_t bytes = (size_t)slots * sizeof *chunk;
  memcpy(grow(key, bytes / sizeof *key->word), chunk, bytes);
}

/* What orders of work and messages depend on. */
static void add_shape(walk_key *key, const ss_job *job)
{
  const ss_data_plan *data = &job->data;
  const int64_t flags = job->overlaps_data | job->overlaps_messages << 1 | data->active << 2 |
                        data->gathers_at_start << 3 | data->gathers_each_pass << 4 | data->reduces_each_pass << 5 |
                        job->offload.active << 6 | job->offload.activations << 7 | job->offload.gradients << 8;
  add_count(key, (int64_t)(intptr_t)job->shape.schedule);
  add_count(key, job->stages);
  add_count(key, job->chunks);
  add_count(key, job->micro_batches);
  add_count(key, ss_shape_group(&job->shape));
  add_count(key, job->prefetch);
  add_count(key, data->reducing_pass);
  add_count(key, flags);
  add_chunks(key, (const ss_chunk(*)[2])job->receiver, job->stages * job->chunks);
  add_chunks(key, (const ss_chunk(*)[2])job->sender, job->stages * job->chunks);
}

/* What the passes of a kind of block take. */
static void add_kind(walk_key *key, const ss_job *job, const ss_kind_time *time)
{
  add_times(key, time->run_s, SS_PASSES);
  add_times(key, time->loss_s, SS_PASSES);
  add_times(key, time->shared_s, SS_PASSES);
  add_times(key, time->delay_s, SS_PASSES);
  if (!job->offload.active) return;
  add_times(key, time->read_s, SS_PASSES);
  add_times(key, time->write_s, SS_PASSES);
  for (int pass = 0; pass < SS_PASSES; ++pass) add_count(key, time->reads_back[pass]);
}

static void add_kinds(walk_key *key, const int8_t *kind, int64_t blocks)
{
  const size_t words = ((size_t)blocks + sizeof *key->word - 1) / sizeof *key->word;
  uint64_t *word = grow(key, words);
  if (words > 0) word[words - 1] = 0;
  memcpy(word, kind, (size_t)blocks * sizeof *kind);
}

/* The blocks of a stage, and what is moved beside them: nothing is gathered for weight passes. */
static void add_blocks(walk_key *key, const ss_walk *w)
{
  const ss_data_plan *data = &w->job->data;
  for (int64_t chunk = 0; chunk <= w->job->chunks; ++chunk) add_count(key, ss_walk_first_block(w, chunk));
  add_kinds(key, ss_walk_kinds(w), w->blocks);
  for (int64_t i = 0; i < w->blocks && data->active; ++i) {
    const ss_held_block *block = &w->block[i];
    add_times(key, &block->ops_s[SS_OP_BEHIND], 1);
    if (data->gathers_each_pass) add_times(key, block->gather_s, SS_PASS_WEIGHT);
    if (data->gathers_at_start) add_times(key, &w->first_s[block->needs], 1);
  }
}

static void add_hops(walk_key *key, const ss_job *job, const ss_piped_stage *s)
{
  for (int64_t i = 0; i < job->chunks * SS_DIRECTIONS; ++i) {
    const ss_stage_hop *hop = &s->leg[i].hop;
    add_times(key, &hop->time_s, 1);
    add_times(key, &hop->slowed_s, 1);
    add_times(key, &hop->shared_s, 1);
    add_times(key, &hop->nic_s, 1);
  }
}

/* A stage as it was started: but for its messages, one that shares what it takes with the stage before is the same. */
static void add_stage(walk_key *key, const ss_job *job, const ss_piped_stage *s)
{
  const ss_walk *w = &s->walk;
  add_hops(key, job, s);
  add_count(key, w->shares);
  if (w->shares) return;
  for (ss_block_set left = job->counts[w->stage].kinds; left != 0;)
    add_kind(key, job, ss_walk_kind_time(w, ss_block_take(&left)));
  add_blocks(key, w);
  add_times(key, &w->data_cost, 1);
  add_times(key, &w->data_nic, 1);
  add_times(key, &w->data_s, 1);
}

/* Multiplication spreads the words over the upper bits (Knuth's multiplicative hashing). */
static entry *slot_of(ss_walk_cache *cache)
{
  uint64_t hash = 0;
  for (int64_t i = 0; i < cache->asked.count; ++i) {
    hash = (hash ^ cache->asked.word[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return &cache->slot[hash * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS)];
}

static bool is_asked(const ss_walk_cache *cache, const walk_key *key)
{
  const walk_key *asked = &cache->asked;
  return key->count == asked->count && memcmp(key->word, asked->word, (size_t)asked->count * sizeof *asked->word) == 0;
}

bool ss_walk_cache_recall(ss_walk_cache *cache, const ss_pipeline_state *p, ss_course *course)
{
  const ss_job *job = p->job;
  cache->place = NULL;
  if (job->host.active || job->shape.pairs) return false;
  cache->asked.count = 0;
  add_shape(&cache->asked, job);
  for (int64_t i = 0; i < job->stages; ++i) add_stage(&cache->asked, job, &p->stage[i]);
  entry *place = cache->place = slot_of(cache);
  if (place->stages != job->stages || !is_asked(cache, &place->key)) return false;
  memcpy(course, place->course, (size_t)job->stages * sizeof *course);
  return true;
}

/* The key that was asked for changes places with the one that was kept. */
void ss_walk_cache_keep(ss_walk_cache *cache, const ss_pipeline_state *p, const ss_course *course)
{
  entry *place = cache->place;
  if (place == NULL) return;
  const size_t bytes = (size_t)p->job->stages * sizeof *course;
  if (place->room < p->job->stages) {
    free(place->course);
    place->course = malloc(bytes);
    SS_ASSERT(place->course != NULL);
    place->room = p->job->stages;
  }
  const walk_key old = place->key;
  place->key = cache->asked;
  cache->asked = old;
  place->stages = p->job->stages;
  memcpy(place->course, course, bytes);
}
