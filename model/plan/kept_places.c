#include "model/plan/kept_places.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"
#include "model/block/amax.h"
#include "model/input/tower.h"

/* What a placement, and where its groups lie, depend on beside the machine, the model and the split. */
enum { WORDS = SS_AXIS_COUNT + SS_EXPERT_AXES + 4 * SS_EXPERT_DIGITS + 10 };

typedef struct places_key {
  int64_t word[WORDS];
} places_key;

/* A split, and where groups lie with it. */
typedef struct place {
  ss_coordinates inside;
  bool known;       /* the others are filled in */
  bool like_before; /* groups of layers lie over domains as at the place before */
  int64_t segment, senders;
  ss_coordinates apart;
  ss_span span[SS_GROUPS];
  ss_span data_span[SS_DATA_GROUPS]; /* of all stages */
  int64_t data_alike[SS_DATA_GROUPS];
} place;

struct ss_kept_places {
  places_key key;
  place *place; /* [count] in the order in which they came; owned */
  int64_t count, capacity;
  int64_t next; /* that is likely to be asked for */
};

ss_kept_places *ss_kept_places_create(void)
{
  return calloc(1, sizeof(ss_kept_places));
}

void ss_kept_places_destroy(ss_kept_places *places)
{
  if (places != NULL) free(places->place);
  free(places);
}

static places_key key_of(const ss_job *job)
{
  const ss_placement *p = &job->placement;
  places_key key;
  int64_t *next = key.word;
  for (int i = 0; i < SS_AXIS_COUNT; ++i) *next++ = (int64_t)p->order[i];
  for (int i = 0; i < SS_EXPERT_AXES; ++i) *next++ = p->experts.size[i];
  for (int i = 0; i < SS_EXPERT_DIGITS; ++i) {
    const ss_expert_digit *digit = &p->experts.digit[i];
    const int64_t words[] = {(int64_t)digit->axis, digit->size, digit->stride, digit->worth};
    for (size_t word = 0; word < sizeof words / sizeof words[0]; ++word) *next++ = words[word];
  }
  const int64_t words[] = {p->tp,
                           p->cp,
                           p->dp,
                           p->pp,
                           p->cp_inner,
                           p->copies,
                           p->model_copies,
                           p->cp_splits_weights,
                           ss_tower_tp(job->workload),
                           ss_amax_ranks(job->workload) > 1};
  memcpy(next, words, sizeof words);
  SS_ASSERT(next + sizeof words / sizeof words[0] == key.word + WORDS);
  return key;
}

void ss_kept_places_begin(const ss_job *job)
{
  ss_kept_places *places = job->kept_places;
  if (places == NULL) return;
  const places_key key = key_of(job);
  places->next = 0;
  if (memcmp(&key, &places->key, sizeof key) == 0) return;
  places->key = key;
  places->count = 0;
}

static bool is_at(const ss_coordinates *a, const ss_coordinates *b)
{
  return a->tp == b->tp && a->cp == b->cp && a->dp == b->dp && a->pp == b->pp;
}

/* `alike`: groups of layers lie as they should already. */
static void take_out(const place *from, bool alike, ss_job *job)
{
  ss_placement *placement = &job->placement;
  free(placement->gpu);
  placement->gpu = NULL;
  placement->inside = from->inside;
  placement->segment = from->segment;
  placement->apart = from->apart;
  placement->even = true;
  job->senders = from->senders;
  if (!alike) memcpy(job->span, from->span, sizeof from->span);
  memcpy(job->data_alike, from->data_alike, sizeof from->data_alike);
  for (int group = 0; group < SS_DATA_GROUPS; ++group) job->data_span[group][0] = from->data_span[group];
}

bool ss_kept_places_recall(ss_job *job, const ss_coordinates *inside, bool *alike)
{
  ss_kept_places *places = job->kept_places;
  if (places == NULL) return false;
  if (places->next >= places->count || !is_at(&places->place[places->next].inside, inside)) {
    if (places->count == 0 || !is_at(&places->place[0].inside, inside)) return false;
    places->next = 0;
  }
  const place *found = &places->place[places->next];
  if (!found->known) return false;
  *alike = places->next++ > 0 && found->like_before;
  take_out(found, *alike, job);
  return true;
}

/* What the job has found, if that is the same for all stages. */
static place put_in(const ss_job *job, bool alike)
{
  const ss_placement *placement = &job->placement;
  place own = {.inside = placement->inside,
               .known = placement->even && placement->model_copies == 1 &&
                        !ss_cost_traits_of(job->options.cost).mean_messages,
               .like_before = alike,
               .segment = placement->segment,
               .senders = job->senders,
               .apart = placement->apart};
  memcpy(own.span, job->span, sizeof own.span);
  memcpy(own.data_alike, job->data_alike, sizeof own.data_alike);
  for (int group = 0; group < SS_DATA_GROUPS; ++group) own.data_span[group] = job->data_span[group][0];
  return own;
}

/* Those behind one that has not been there came in another order. */
ss_status ss_kept_places_keep(const ss_job *job, bool alike)
{
  ss_kept_places *places = job->kept_places;
  if (places == NULL) return SS_OK;
  const bool seen = places->next < places->count && is_at(&places->place[places->next].inside, &job->placement.inside);
  if (!seen) {
    place *grown = ss_grown(places->place, places->next, &places->capacity, sizeof *grown);
    if (grown == NULL) return SS_ERROR_MEMORY;
    places->place = grown;
    places->count = places->next + 1;
  }
  places->place[places->next++] = put_in(job, alike);
  return SS_OK;
}
