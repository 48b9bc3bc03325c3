#include "model/plan/block_cache.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/block/amax.h"
#include "model/block/holders.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* Words of a key: what the tasks depend on, then how the groups lie over domains, on a torus too where there is one. */
enum {
  SPAN_WORDS = 4 * SS_GROUPS,
  TORUS_WORDS = 4 * SS_GROUPS,
  FACTS = 7, /* of the job, beside the attributes */
  LANES = 4,
  WORDS_AT_A_TIME = 2 * LANES, /* a multiple of them is used */
  MOST_WORDS = SPAN_WORDS + TORUS_WORDS + FACTS + SS_ATTRIBUTE_TOTAL + WORDS_AT_A_TIME,
  SLOT_BITS = 12,
  SLOTS = 1 << SLOT_BITS
};

_Static_assert(SPAN_WORDS % WORDS_AT_A_TIME == 0 && TORUS_WORDS % WORDS_AT_A_TIME == 0, "no words are left over");

typedef struct cache_key {
  uint32_t word[MOST_WORDS];
} cache_key;

/* What a pass through a kind of blocks takes. */
typedef struct kept_pass {
  ss_duration duration;
  double slowed_s;
  ss_link_time links;
} kept_pass;

/* What else there is of a kind, where the host launches kernels, or there are several documents. */
typedef struct kept_rest {
  ss_launches launches[SS_PASSES];
  double attention_s[SS_PASSES];
  ss_factors spread;
} kept_rest;

/* What a job has of its kinds of blocks: behind the key the passes of all, those that there are; then the rest, if
 * there is any; then the blocks themselves, what is in use of them. A search looks at other entries all the time, so
 * that what a job that is moved looks at should be short. */
typedef struct entry {
  size_t room; /* bytes behind this */
  uint32_t word[];
} entry;

/* Where a workload has the value of an attribute: a choice as an int, a set as its bits, a count as an int64_t. */
typedef struct field {
  size_t offset;
  ss_attribute_type type;
} field;

/* Every key has one place. */
struct ss_block_cache {
  field varied[SS_ATTRIBUTE_TOTAL]; /* [fields] */
  int fields, facts, words;         /* of a key: what tasks depend on; all */
  cache_key asked;                  /* of the job that was looked for last */
  bool has_listed;
  cache_key listed; /* [facts] what the tasks that are listed depend on */
  ss_block listed_block[SS_BLOCK_COUNT];
  entry *slot[SLOTS]; /* owned; NULL: nothing is kept */
};

ss_block_cache *ss_block_cache_create(const ss_attribute_index *varied, int64_t count)
{
  SS_ASSERT(count <= SS_ATTRIBUTE_TOTAL);
  ss_block_cache *cache = calloc(1, sizeof *cache);
  if (cache == NULL) return NULL;
  for (int64_t i = 0; i < count; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[varied[i]];
    SS_ASSERT(row->type == SS_ATTRIBUTE_CHOICE || row->type == SS_ATTRIBUTE_COUNT || row->type == SS_ATTRIBUTE_SET);
    cache->varied[i] = (field){.offset = row->offset, .type = row->type};
  }
  cache->fields = (int)count;
  cache->facts = (int)ss_divide_up(FACTS + count, WORDS_AT_A_TIME) * WORDS_AT_A_TIME;
  return cache;
}

void ss_block_cache_destroy(ss_block_cache *cache)
{
  for (int i = 0; i < SLOTS && cache != NULL; ++i) free(cache->slot[i]);
  free(cache);
}

static uint32_t sharded_weights(const ss_workload *workload)
{
  uint32_t classes = 0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    classes |= (uint32_t)ss_gradients_leave(workload, (ss_weights)weights) << weights;
    classes |= (uint32_t)ss_weights_gathered(workload, (ss_weights)weights) << (SS_WEIGHTS + weights);
  }
  return classes;
}

/* No count of a search is above 32 bits. */
static uint32_t value_of(const field *f, const ss_workload *workload)
{
  const void *value = (const char *)workload + f->offset;
  if (f->type == SS_ATTRIBUTE_SET) return *(const ss_word_set *)value;
  return f->type == SS_ATTRIBUTE_CHOICE ? (uint32_t) * (const int *)value : (uint32_t) * (const int64_t *)value;
}

/* The words of a key behind the facts. */
static void set_spans(ss_block_cache *cache, const ss_job *job)
{
  uint32_t *word = cache->asked.word + cache->facts;
  for (int group = 0; group < SS_GROUPS; ++group) {
    const ss_span *span = &job->span[group];
    *word++ = (uint32_t)span->domains;
    *word++ = (uint32_t)span->per_domain;
    *word++ = (uint32_t)span->nic.rings;
    *word++ = (uint32_t)span->nic.gpus;
  }
  for (int group = 0; group < SS_GROUPS && job->placement.lattice.domains > 0; ++group) {
    const ss_torus_place *torus = &job->span[group].torus;
    *word++ = torus->axes;
    *word++ = (uint32_t)torus->apart;
    memcpy(word, &torus->exchanged, sizeof torus->exchanged);
    word += sizeof torus->exchanged / sizeof *word;
  }
  cache->words = (int)(word - cache->asked.word);
}

static uint32_t *put_set(uint32_t *word, ss_block_set set)
{
  *word++ = (uint32_t)set;
  *word++ = (uint32_t)(set >> 32);
  return word;
}

static void set_facts(ss_block_cache *cache, const ss_job *job)
{
  const ss_workload *workload = job->workload;
  uint32_t *word = cache->asked.word;
  *word++ = job->shape.schedule->splits_backward;
  *word++ = sharded_weights(workload);
  word = put_set(word, job->kinds);
  word = put_set(word, job->tables.borrow);
  *word++ = (uint32_t)ss_amax_layers(workload);
  for (int i = 0; i < cache->fields; ++i) *word++ = value_of(&cache->varied[i], workload);
}

static bool is_asked(const ss_block_cache *cache, const uint32_t *word, int words)
{
  return memcmp(word, cache->asked.word, (size_t)words * sizeof *word) == 0;
}

static void keep_key(const ss_block_cache *cache, uint32_t *word, int words)
{
  memcpy(word, cache->asked.word, (size_t)words * sizeof *word);
}

static uint64_t spread(uint64_t hash)
{
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Multiplication spreads the words over the upper bits (Knuth's multiplicative hashing), in lanes that do not
 * wait for one another. */
static entry **slot_asked(ss_block_cache *cache)
{
  uint64_t hash[LANES] = {0, 1, 2, 3};
  for (int i = 0; i < cache->words; i += WORDS_AT_A_TIME)
    for (int lane = 0; lane < LANES; ++lane) {
      const uint32_t *word = &cache->asked.word[i + 2 * lane];
      hash[lane] = spread(hash[lane] ^ ((uint64_t)word[0] << 32 | word[1]));
    }
  for (int lane = 1; lane < LANES; ++lane) hash[0] = spread(hash[0] ^ hash[lane]);
  return &cache->slot[hash[0] * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS)];
}

static void copy_block(const ss_block *from, void *to)
{
  memcpy(to, from, ss_block_used_bytes(from));
}

/* Copies the blocks of the kinds that occur. */
static void copy_blocks(const ss_job *job, ss_block *to, const ss_block *from)
{
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    copy_block(&from[kind], &to[kind]);
  }
}

/* Weight passes are of nothing unless backward is split. */
static int passes_of(const ss_job *job)
{
  return job->shape.schedule->splits_backward ? SS_PASSES : SS_PASS_WEIGHT;
}

static bool has_rest(const ss_job *job)
{
  return job->host.active || job->workload->training.documents != SS_DOCUMENTS_NONE;
}

/* Returns what is behind it, as the next ones do. */
static const char *take_passes(const char *next, ss_job *job, ss_block_kind kind)
{
  const kept_pass *kept = (const kept_pass *)next, none = {.slowed_s = 0.0};
  const int passes = passes_of(job);
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    const kept_pass *own = pass < passes ? &kept[pass] : &none;
    job->pass[kind][pass] = own->duration;
    job->slowed_s[kind][pass] = own->slowed_s;
    job->links[kind][pass] = own->links;
  }
  return next + (size_t)passes * sizeof *kept;
}

static const char *take_rest(const char *next, ss_job *job, ss_block_kind kind)
{
  const kept_rest *kept = (const kept_rest *)next;
  memcpy(job->launches[kind], kept->launches, sizeof kept->launches);
  memcpy(job->attention_s[kind], kept->attention_s, sizeof kept->attention_s);
  job->spread[kind] = kept->spread;
  return next + sizeof *kept;
}

static const char *take_block(const char *next, ss_job *job, ss_block_kind kind)
{
  const ss_block *kept = (const ss_block *)next;
  copy_block(kept, &job->block[kind]);
  return next + ss_block_used_bytes(kept);
}

static char *put_passes(char *next, const ss_job *job, ss_block_kind kind)
{
  kept_pass *kept = (kept_pass *)next;
  const int passes = passes_of(job);
  for (int pass = 0; pass < passes; ++pass)
    kept[pass] = (kept_pass){job->pass[kind][pass], job->slowed_s[kind][pass], job->links[kind][pass]};
  return next + (size_t)passes * sizeof *kept;
}

static char *put_rest(char *next, const ss_job *job, ss_block_kind kind)
{
  kept_rest *kept = (kept_rest *)next;
  memcpy(kept->launches, job->launches[kind], sizeof kept->launches);
  memcpy(kept->attention_s, job->attention_s[kind], sizeof kept->attention_s);
  kept->spread = job->spread[kind];
  return next + sizeof *kept;
}

static char *put_block(char *next, const ss_job *job, ss_block_kind kind)
{
  copy_block(&job->block[kind], next);
  return next + ss_block_used_bytes(&job->block[kind]);
}

/* Goes through the kinds that occur. */
typedef const char *taker(const char *next, ss_job *job, ss_block_kind kind);
typedef char *putter(char *next, const ss_job *job, ss_block_kind kind);

static const char *take_all(taker *take, const char *next, ss_job *job)
{
  for (ss_block_set left = job->kinds; left != 0;) next = take(next, job, ss_block_take(&left));
  return next;
}

static char *put_all(putter *put, char *next, const ss_job *job)
{
  for (ss_block_set left = job->kinds; left != 0;) next = put(next, job, ss_block_take(&left));
  return next;
}

bool ss_block_cache_recall(ss_block_cache *cache, ss_job *job, bool moved)
{
  if (!moved) set_facts(cache, job);
  set_spans(cache, job);
  const entry *found = *slot_asked(cache);
  if (found == NULL || !is_asked(cache, found->word, cache->words)) return false;
  const char *next = take_all(take_passes, (const char *)(found->word + cache->words), job);
  if (has_rest(job)) next = take_all(take_rest, next, job);
  if (!moved) (void)take_all(take_block, next, job);
  return true;
}

bool ss_block_cache_recall_tasks(ss_block_cache *cache, ss_job *job)
{
  if (!cache->has_listed || !is_asked(cache, cache->listed.word, cache->facts)) return false;
  copy_blocks(job, job->block, cache->listed_block);
  return true;
}

void ss_block_cache_forget_tasks(ss_block_cache *cache)
{
  cache->has_listed = false;
}

static size_t bytes_of(const ss_block_cache *cache, const ss_job *job)
{
  const size_t times = (size_t)passes_of(job) * sizeof(kept_pass) + (has_rest(job) ? sizeof(kept_rest) : 0);
  size_t bytes = (size_t)cache->words * sizeof(uint32_t);
  for (ss_block_set left = job->kinds; left != 0;)
    bytes += times + ss_block_used_bytes(&job->block[ss_block_take(&left)]);
  return bytes;
}

/* An entry with room for so much; NULL without memory, and nothing is kept. */
static entry *make_room(entry **place, size_t bytes)
{
  if (*place != NULL && (*place)->room >= bytes) return *place;
  free(*place);
  *place = malloc(sizeof **place + bytes);
  if (*place != NULL) (*place)->room = bytes;
  return *place;
}

void ss_block_cache_keep(ss_block_cache *cache, const ss_job *job)
{
  entry *kept = make_room(slot_asked(cache), bytes_of(cache, job));
  if (kept != NULL) {
    keep_key(cache, kept->word, cache->words);
    char *next = put_all(put_passes, (char *)(kept->word + cache->words), job);
    if (has_rest(job)) next = put_all(put_rest, next, job);
    (void)put_all(put_block, next, job);
  }
  cache->has_listed = true;
  keep_key(cache, cache->listed.word, cache->facts);
  copy_blocks(job, cache->listed_block, job->block);
}
