#include "model/plan/block_cache.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"
#include "model/block/amax.h"
#include "model/block/holders.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* Words of a key: how the groups lie over domains, then what the tasks depend on. */
enum {
  SPAN_WORDS = 3 * SS_GROUPS,
  FACTS = 5, /* of the job, beside the attributes */
  MOST_WORDS = SPAN_WORDS + FACTS + SS_ATTRIBUTE_TOTAL,
  SLOT_BITS = 11,
  SLOTS = 1 << SLOT_BITS
};

typedef struct cache_key {
  uint32_t word[MOST_WORDS];
} cache_key;

typedef struct entry {
  bool used;
  cache_key key;
  ss_block block[SS_BLOCK_COUNT];
  ss_duration pass[SS_BLOCK_COUNT][SS_PASSES];
  ss_launches launches[SS_BLOCK_COUNT][SS_PASSES]; /* where the host launches kernels */
  double slowed_s[SS_BLOCK_COUNT][SS_PASSES];
  double attention_s[SS_BLOCK_COUNT][SS_PASSES]; /* of several documents */
  ss_factors spread[SS_BLOCK_COUNT];
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
  return cache;
}

void ss_block_cache_destroy(ss_block_cache *cache)
{
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
    *word++ = job->span[group].axes;
  }
  *word++ = job->shape.schedule->splits_backward;
  *word++ = sharded_weights(workload);
  *word++ = job->kinds;
  *word++ = job->tables.borrow;
  *word++ = (uint32_t)ss_amax_layers(workload);
  for (int i = 0; i < cache->fields; ++i) *word++ = value_of(&cache->varied[i], workload);
}

static bool is_asked(const ss_block_cache *cache, const cache_key *key, int first)
{
  const size_t words = (size_t)(cache->words - first);
  return memcmp(key->word + first, cache->asked.word + first, words * sizeof key->word[0]) == 0;
}

static void keep_key(const ss_block_cache *cache, cache_key *key)
{
  memcpy(key->word, cache->asked.word, (size_t)cache->words * sizeof key->word[0]);
}

/* Multiplication spreads the words over the upper bits (Knuth's multiplicative hashing). */
static entry *slot_asked(ss_block_cache *cache)
{
  uint64_t hash = 0;
  for (int i = 0; i < cache->words; ++i) {
    hash = (hash ^ cache->asked.word[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return &cache->slot[hash * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS)];
}

/* Copies what the kinds that occur have of [SS_BLOCK_COUNT] of `size` bytes each. */
static void copy_blocks(const ss_job *job, void *to, const void *from, size_t size)
{
  for (unsigned left = job->kinds; left != 0;) {
    const size_t at = (size_t)ss_block_take(&left) * size;
    memcpy((char *)to + at, (const char *)from + at, size);
  }
}

bool ss_block_cache_recall(ss_block_cache *cache, ss_job *job)
{
  set_key(cache, job);
  const entry *found = slot_asked(cache);
  if (!found->used || !is_asked(cache, &found->key, 0)) return false;
  copy_blocks(job, job->block, found->block, sizeof job->block[0]);
  copy_blocks(job, job->pass, found->pass, sizeof job->pass[0]);
  if (job->host.active) copy_blocks(job, job->launches, found->launches, sizeof job->launches[0]);
  copy_blocks(job, job->slowed_s, found->slowed_s, sizeof job->slowed_s[0]);
  if (job->workload->training.documents == SS_DOCUMENTS_NONE) return true;
  copy_blocks(job, job->attention_s, found->attention_s, sizeof job->attention_s[0]);
  copy_blocks(job, job->spread, found->spread, sizeof job->spread[0]);
  return true;
}

bool ss_block_cache_recall_tasks(ss_block_cache *cache, ss_job *job)
{
  if (!cache->has_listed || !is_asked(cache, &cache->listed, SPAN_WORDS)) return false;
  copy_blocks(job, job->block, cache->listed_block, sizeof job->block[0]);
  return true;
}

void ss_block_cache_keep(ss_block_cache *cache, const ss_job *job)
{
  entry *kept = slot_asked(cache);
  kept->used = true;
  keep_key(cache, &kept->key);
  copy_blocks(job, kept->block, job->block, sizeof job->block[0]);
  copy_blocks(job, kept->pass, job->pass, sizeof job->pass[0]);
  if (job->host.active) copy_blocks(job, kept->launches, job->launches, sizeof kept->launches[0]);
  copy_blocks(job, kept->slowed_s, job->slowed_s, sizeof job->slowed_s[0]);
  if (job->workload->training.documents != SS_DOCUMENTS_NONE) {
    copy_blocks(job, kept->attention_s, job->attention_s, sizeof job->attention_s[0]);
    copy_blocks(job, kept->spread, job->spread, sizeof job->spread[0]);
  }
  cache->has_listed = true;
  keep_key(cache, &cache->listed);
  copy_blocks(job, cache->listed_block, job->block, sizeof job->block[0]);
}
