#include "model/plan/block_cache.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/block/amax.h"
#include "model/block/holders.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* Words of a key: how the groups lie over domains, then what the tasks depend on. */
enum {
  SPAN_WORDS = 8 * SS_GROUPS,
  FACTS = 5, /* of the job, beside the attributes */
  LANES = 4,
  WORDS_AT_A_TIME = 2 * LANES, /* a multiple of them is used */
  MOST_WORDS = SPAN_WORDS + FACTS + SS_ATTRIBUTE_TOTAL + WORDS_AT_A_TIME,
  SLOT_BITS = 12,
  SLOTS = 1 << SLOT_BITS
};

typedef struct cache_key {
  uint32_t word[MOST_WORDS];
} cache_key;

/* A kind of blocks. */
typedef struct kept_block {
  ss_block block;
  ss_duration pass[SS_PASSES];
  ss_launches launches[SS_PASSES]; /* where the host launches kernels */
  double slowed_s[SS_PASSES];
  ss_link_time links[SS_PASSES];
  double attention_s[SS_PASSES]; /* of several documents */
  ss_factors spread;
} kept_block;

/* The kinds of blocks that a job has, side by side: a search looks at other entries all the time, so that each should
 * be on few pages of memory. */
typedef struct entry {
  int64_t room;
  kept_block *block; /* [room] owned; NULL: nothing is kept */
  uint32_t *word;    /* of its key; behind the blocks */
} entry;

/* Where a workload has the value of an attribute: a choice as an int, a set as its bits, a count as an int64_t. */
typedef struct field {
  size_t offset;
  ss_attribute_type type;
} field;

/* Every key has one place. */
struct ss_block_cache {
  field varied[SS_ATTRIBUTE_TOTAL]; /* [fields] */
  int fields, words;                /* words of a key */
  cache_key asked;                  /* of the job that was looked for last */
  bool has_listed;
  cache_key listed; /* what the tasks that are listed depend on: its words after the first SPAN_WORDS */
  ss_block listed_block[SS_BLOCK_COUNT];
  entry slot[SLOTS];
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
  cache->words = SPAN_WORDS + FACTS + (int)count;
  cache->words = (int)ss_divide_up(cache->words, WORDS_AT_A_TIME) * WORDS_AT_A_TIME;
  return cache;
}

void ss_block_cache_destroy(ss_block_cache *cache)
{
  for (int i = 0; i < SLOTS && cache != NULL; ++i) free(cache->slot[i].block);
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

/* Only the first `words` of a key are set. */
static void set_key(ss_block_cache *cache, const ss_job *job)
{
  const ss_workload *workload = job->workload;
  uint32_t *word = cache->asked.word;
  for (int group = 0; group < SS_GROUPS; ++group) {
    *word++ = (uint32_t)job->span[group].domains;
    *word++ = (uint32_t)job->span[group].per_domain;
    const ss_torus_place *torus = &job->span[group].torus;
    *word++ = torus->axes;
    *word++ = (uint32_t)torus->apart;
    memcpy(word, &torus->exchanged, sizeof torus->exchanged);
    word += sizeof torus->exchanged / sizeof *word;
    *word++ = (uint32_t)job->span[group].nic.rings;
    *word++ = (uint32_t)job->span[group].nic.gpus;
  }
  *word++ = job->shape.schedule->splits_backward;
  *word++ = sharded_weights(workload);
  *word++ = job->kinds;
  *word++ = job->tables.borrow;
  *word++ = (uint32_t)ss_amax_layers(workload);
  for (int i = 0; i < cache->fields; ++i) *word++ = value_of(&cache->varied[i], workload);
}

static bool is_asked(const ss_block_cache *cache, const uint32_t *word, int first)
{
  const size_t words = (size_t)(cache->words - first);
  return memcmp(word + first, cache->asked.word + first, words * sizeof *word) == 0;
}

static void keep_key(const ss_block_cache *cache, uint32_t *word)
{
  memcpy(word, cache->asked.word, (size_t)cache->words * sizeof *word);
}

static uint64_t spread(uint64_t hash)
{
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Multiplication spreads the words over the upper bits (Knuth's multiplicative hashing), in lanes that do not
 * wait for one another. */
static entry *slot_asked(ss_block_cache *cache)
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

/* Copies the blocks of the kinds that occur. */
static void copy_blocks(const ss_job *job, ss_block *to, const ss_block *from)
{
  for (unsigned left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    to[kind] = from[kind];
  }
}

static void take_out(const kept_block *kept, ss_job *job, ss_block_kind kind, bool moved)
{
  if (!moved) job->block[kind] = kept->block;
  memcpy(job->pass[kind], kept->pass, sizeof kept->pass);
  memcpy(job->slowed_s[kind], kept->slowed_s, sizeof kept->slowed_s);
  memcpy(job->links[kind], kept->links, sizeof kept->links);
  if (job->host.active) memcpy(job->launches[kind], kept->launches, sizeof kept->launches);
  if (job->workload->training.documents == SS_DOCUMENTS_NONE) return;
  memcpy(job->attention_s[kind], kept->attention_s, sizeof kept->attention_s);
  job->spread[kind] = kept->spread;
}

static void put_in(const ss_job *job, ss_block_kind kind, kept_block *kept)
{
  kept->block = job->block[kind];
  memcpy(kept->pass, job->pass[kind], sizeof kept->pass);
  memcpy(kept->slowed_s, job->slowed_s[kind], sizeof kept->slowed_s);
  memcpy(kept->links, job->links[kind], sizeof kept->links);
  if (job->host.active) memcpy(kept->launches, job->launches[kind], sizeof kept->launches);
  if (job->workload->training.documents == SS_DOCUMENTS_NONE) return;
  memcpy(kept->attention_s, job->attention_s[kind], sizeof kept->attention_s);
  kept->spread = job->spread[kind];
}

bool ss_block_cache_recall(ss_block_cache *cache, ss_job *job, bool moved)
{
  set_key(cache, job);
  const entry *found = slot_asked(cache);
  if (found->block == NULL || !is_asked(cache, found->word, 0)) return false;
  const kept_block *kept = found->block;
  for (unsigned left = job->kinds; left != 0;) take_out(kept++, job, ss_block_take(&left), moved);
  return true;
}

bool ss_block_cache_recall_tasks(ss_block_cache *cache, ss_job *job)
{
  if (!cache->has_listed || !is_asked(cache, cache->listed.word, SPAN_WORDS)) return false;
  copy_blocks(job, job->block, cache->listed_block);
  return true;
}

void ss_block_cache_forget_tasks(ss_block_cache *cache)
{
  cache->has_listed = false;
}

static int64_t count_kinds(unsigned kinds)
{
  int64_t count = 0;
  for (; kinds != 0; ++count) (void)ss_block_take(&kinds);
  return count;
}

/* Makes room for so many kinds. Without memory, nothing is kept. */
static void make_room(const ss_block_cache *cache, entry *kept, int64_t kinds)
{
  if (kept->room >= kinds) return;
  free(kept->block);
  kept->block = malloc((size_t)kinds * sizeof *kept->block + (size_t)cache->words * sizeof *kept->word);
  kept->room = kept->block != NULL ? kinds : 0;
  kept->word = kept->block != NULL ? (uint32_t *)(kept->block + kinds) : NULL;
}

void ss_block_cache_keep(ss_block_cache *cache, const ss_job *job)
{
  entry *place = slot_asked(cache);
  make_room(cache, place, count_kinds(job->kinds));
  kept_block *kept = place->block;
  for (unsigned left = kept != NULL ? job->kinds : 0; left != 0;) put_in(job, ss_block_take(&left), kept++);
  if (place->block != NULL) keep_key(cache, place->word);
  cache->has_listed = true;
  keep_key(cache, cache->listed.word);
  copy_blocks(job, cache->listed_block, job->block);
}
