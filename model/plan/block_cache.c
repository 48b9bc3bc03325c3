#include "model/plan/block_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/schedule/schedule.h"

/* What of a workload decides about its blocks, of that what a search varies: X(field). The layout of the job, its
 * groups, whether its schedule splits backward, which gradients leave in every pass and whether embedding and output
 * layer have one table come on top. */
#define FIELD_LIST(X)                                                                                                  \
  X(parallelism.tensor)                                                                                                \
  X(parallelism.tp)                                                                                                    \
  X(parallelism.tp2)                                                                                                   \
  X(parallelism.panels)                                                                                                \
  X(parallelism.cp)                                                                                                    \
  X(parallelism.ep)                                                                                                    \
  X(parallelism.cp_exchange)                                                                                           \
  X(parallelism.sequence_parallel)                                                                                     \
  X(parallelism.tp_redo)                                                                                               \
  X(training.micro_batch)                                                                                              \
  X(training.recompute)                                                                                                \
  X(training.fused)                                                                                                    \
  X(schedule.overlap_tp)                                                                                               \
  X(schedule.pipeline_rs_ag)

enum {
#define FIELD_COUNT(field) +1
  FIELDS = 0 FIELD_LIST(FIELD_COUNT),
#undef FIELD_COUNT
  TASK_WORDS = FIELDS + 4,                              /* what the tasks depend on: the fields, and what key_of adds */
  KEY_WORDS = (TASK_WORDS + 2 * SS_GROUPS + 1) / 2 * 2, /* and how groups lie over domains */
  SLOT_BITS = 11,
  SLOTS = 1 << SLOT_BITS
};

typedef struct cache_key {
  int32_t word[KEY_WORDS];
} cache_key;

typedef struct entry {
  bool used;
  cache_key key;
  ss_block block[SS_BLOCK_COUNT];
  ss_duration pass[SS_BLOCK_COUNT][SS_PASSES];
  double slowed_s[SS_BLOCK_COUNT][SS_PASSES];
} entry;

/* Every key has one place. */
struct ss_block_cache {
  bool has_listed;
  cache_key listed; /* what the tasks that are listed depend on: its first TASK_WORDS */
  ss_block listed_block[SS_BLOCK_COUNT];
  entry slot[SLOTS];
};

ss_block_cache *ss_block_cache_create(void)
{
  return calloc(1, sizeof(ss_block_cache));
}

void ss_block_cache_destroy(ss_block_cache *cache)
{
  free(cache);
}

static int32_t leaving_gradients(const ss_workload *workload)
{
  int32_t classes = 0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights)
    classes |= (int32_t)ss_gradients_leave(workload, (ss_weights)weights) << weights;
  return classes;
}

static cache_key key_of(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  cache_key key = {{
#define FIELD_WORD(field) (int32_t) workload->field,
      FIELD_LIST(FIELD_WORD)
#undef FIELD_WORD
          (int32_t) ss_schedule_traits_of(job->shape.schedule)
              .splits_backward,
      leaving_gradients(workload), (int32_t)job->kinds, (int32_t)ss_workload_has_one_table(workload)}};
  for (int group = 0; group < SS_GROUPS; ++group) {
    key.word[TASK_WORDS + 2 * group] = (int32_t)job->span[group].domains;
    key.word[TASK_WORDS + 2 * group + 1] = (int32_t)job->span[group].per_domain;
  }
  return key;
}

/* Multiplication spreads the words over the upper bits (Knuth's multiplicative hashing). */
static size_t slot_of(const cache_key *key)
{
  uint64_t hash = 0;
  for (int i = 0; i < KEY_WORDS; i += 2) {
    const uint64_t pair = (uint64_t)(uint32_t)key->word[i] << 32 | (uint32_t)key->word[i + 1];
    hash = (hash ^ pair) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return (size_t)(hash * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS));
}

bool ss_block_cache_recall(ss_block_cache *cache, ss_job *job)
{
  const cache_key key = key_of(job);
  const entry *found = &cache->slot[slot_of(&key)];
  if (!found->used || memcmp(&found->key, &key, sizeof key) != 0) return false;
  memcpy(job->block, found->block, sizeof job->block);
  memcpy(job->pass, found->pass, sizeof job->pass);
  memcpy(job->slowed_s, found->slowed_s, sizeof job->slowed_s);
  return true;
}

bool ss_block_cache_recall_tasks(ss_block_cache *cache, ss_job *job)
{
  const cache_key key = key_of(job);
  if (!cache->has_listed || memcmp(&cache->listed, &key, TASK_WORDS * sizeof key.word[0]) != 0) return false;
  memcpy(job->block, cache->listed_block, sizeof job->block);
  return true;
}

void ss_block_cache_keep(ss_block_cache *cache, const ss_job *job)
{
  const cache_key key = key_of(job);
  entry *kept = &cache->slot[slot_of(&key)];
  kept->used = true;
  kept->key = key;
  memcpy(kept->block, job->block, sizeof job->block);
  memcpy(kept->pass, job->pass, sizeof job->pass);
  memcpy(kept->slowed_s, job->slowed_s, sizeof job->slowed_s);
  cache->has_listed = true;
  cache->listed = key;
  memcpy(cache->listed_block, job->block, sizeof job->block);
}
