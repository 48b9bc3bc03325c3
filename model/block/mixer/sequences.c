#include "model/block/mixer/sequences.h"

#include <math.h>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/random.h"
#include "model/input/documents.h"
#include "model/input/workload.h"

#define DOCUMENTS SS_SEQUENCES_DOCUMENTS

/* Of a stream, longer documents than so many sequences count as such, so that sums of their tokens are exact. */
#define MOST_SEQUENCES 1000.0

bool ss_sequences_are_listed(const ss_workload *workload)
{
  if (workload->training.documents == SS_DOCUMENTS_NONE) return false;
  return workload->training.packing != SS_PACKING_CUT || ss_sequence_ranks(workload) > 1;
}

int64_t ss_token_ranks(const ss_workload *workload)
{
  const bool plain = workload->parallelism.tensor == SS_TENSOR_1D;
  if (plain && workload->parallelism.cp_exchange == SS_CP_ALL_TO_ALL) return 1;
  return plain ? workload->parallelism.cp / workload->parallelism.cp_inner : workload->parallelism.tp2;
}

int64_t ss_sequence_ranks(const ss_workload *workload)
{
  return workload->parallelism.cp_split == SS_CP_SPLIT_DOCUMENT ? 1 : ss_token_ranks(workload);
}

double ss_sequence_room(int64_t multiple, double tokens)
{
  return (double)multiple * ceil(tokens / (double)multiple);
}

/* The longest that a document can be. */
static double longest(const ss_workload *w)
{
  const int64_t multiple = w->training.packing == SS_PACKING_CUT ? 1 : ss_documents_multiple(w);
  return (double)(w->model.sequence - w->model.sequence % multiple);
}

/* Lengths of whole documents that do not decrease, none longer than a sequence. Returns how many there are. */
static int64_t list_whole(const ss_workload *w, double *length)
{
  const double most = longest(w);
  int64_t count = 0;
  ss_documents_sample(w, length, DOCUMENTS);
  for (; count < DOCUMENTS; ++count) {
    if (length[count] > most && w->training.long_documents == SS_LONG_DROPPED) break;
    length[count] = ss_min(length[count], most);
  }
  return count;
}

bool ss_sequences_have_documents(const ss_workload *workload)
{
  double length[DOCUMENTS];
  return list_whole(workload, length) > 0;
}

/* Fisher and Yates. */
static void shuffle(double *length, int64_t count)
{
  for (int64_t i = count - 1; i > 0; --i) {
    const int64_t other = (int64_t)(ss_random_key(0, (uint64_t)i) % (uint64_t)(i + 1));
    const double swapped = length[i];
    length[i] = length[other];
    length[other] = swapped;
  }
}

static void reverse(double *length, int64_t count)
{
  for (int64_t i = 0; i < count / 2; ++i) {
    const double swapped = length[i];
    length[i] = length[count - 1 - i];
    length[count - 1 - i] = swapped;
  }
}

/* Sequences that are filled: the room in each of them, as a tree whose nodes have the most that is below. Those that
 * are not open yet have all of theirs. */
typedef struct filling {
  double room[2 * DOCUMENTS]; /* that of sequence i: [DOCUMENTS + i] */
  int64_t open;
} filling;

static int64_t first_fit(const filling *f, double needed)
{
  int64_t node = 1;
  while (node < DOCUMENTS) {
    node *= 2;
    if (f->room[node] < needed) ++node;
  }
  return node - DOCUMENTS;
}

static int64_t next_fit(const filling *f, double needed)
{
  return f->open > 0 && f->room[DOCUMENTS + f->open - 1] >= needed ? f->open - 1 : f->open;
}

static void take(filling *f, int64_t sequence, double needed)
{
  int64_t node = DOCUMENTS + sequence;
  f->room[node] -= needed;
  if (sequence == f->open) ++f->open;
  for (node /= 2; node > 0; node /= 2) f->room[node] = ss_max(f->room[2 * node], f->room[2 * node + 1]);
}

/* How documents are packed, in their order. */
typedef struct method {
  void (*order)(double *length, int64_t count);
  int64_t (*choose)(const filling *f, double needed);
} method;

static const method methods[] = {
    [SS_PACKING_NEXT_FIT] = {shuffle, next_fit},
    [SS_PACKING_FIRST_FIT] = {shuffle, first_fit},
    [SS_PACKING_FIRST_FIT_DECREASING] = {reverse, first_fit},
};

/* Puts documents behind one another that are in the same sequence. */
static void sort_pieces(ss_sequences *s, const double *length, const int16_t *sequence, int64_t count)
{
  for (int64_t i = 0; i <= s->count; ++i) s->first[i] = 0;
  for (int64_t i = 0; i < count; ++i)
    if (sequence[i] < s->count) ++s->first[sequence[i] + 1];
  for (int64_t i = 0; i < s->count; ++i) s->first[i + 1] += s->first[i];
  int64_t next[DOCUMENTS];
  for (int64_t i = 0; i < s->count; ++i) next[i] = s->first[i];
  for (int64_t i = 0; i < count; ++i)
    if (sequence[i] < s->count) s->piece[next[sequence[i]]++] = length[i];
}

static void list_packed(ss_sequences *s, const ss_workload *w)
{
  const method *by = &methods[w->training.packing];
  double length[DOCUMENTS];
  int16_t sequence[DOCUMENTS];
  filling f = {.open = 0};
  s->multiple = ss_documents_multiple(w);
  const int64_t count = list_whole(w, length);
  SS_ASSERT(count > 0); /* or it is refused */
  by->order(length, count);
  for (int64_t node = 1; node < (int64_t)2 * DOCUMENTS; ++node) f.room[node] = (double)w->model.sequence;
  for (int64_t i = 0; i < count; ++i) {
    const double needed = ss_sequence_room(s->multiple, length[i]);
    sequence[i] = (int16_t)by->choose(&f, needed);
    take(&f, sequence[i], needed);
  }
  s->count = f.open > 1 ? f.open - 1 : 1;
  sort_pieces(s, length, sequence, count);
  for (int64_t i = 0; i < s->count; ++i) s->padding[i] = s->multiple == 1 ? f.room[DOCUMENTS + i] : 0.0;
}

/* Where a stream is, in a document. */
typedef struct stream {
  const double *length; /* [DOCUMENTS], over and over */
  int64_t document;
  double start; /* of the document */
} stream;

/* Moves on to the document that has the token at `place`. */
static void move_to(stream *t, double place)
{
  while (t->start + t->length[t->document % DOCUMENTS] <= place) t->start += t->length[t->document++ % DOCUMENTS];
}

static void cut_sequence(ss_sequences *s, stream *t, double place, double tokens)
{
  int64_t pieces = s->first[s->count];
  const double end = place + tokens;
  while (place < end) {
    move_to(t, place);
    const double piece = ss_min(t->start + t->length[t->document % DOCUMENTS], end) - place;
    s->piece[pieces++] = piece;
    place += piece;
  }
  s->padding[s->count] = 0.0;
  s->first[++s->count] = pieces;
}

/* As many sequences as there are in the stream, but no more than documents, at equal distances: at any of the places
 * where cuts fall. */
static void list_cut(ss_sequences *s, const ss_workload *w)
{
  double length[DOCUMENTS], tokens = 0.0;
  const double sequence = (double)w->model.sequence, step = ss_max(ss_documents_step(w), 1.0);
  ss_documents_sample(w, length, DOCUMENTS);
  shuffle(length, DOCUMENTS);
  for (int64_t i = 0; i < DOCUMENTS; ++i) {
    length[i] = ss_min(length[i], MOST_SEQUENCES * sequence);
    tokens += length[i];
  }
  const int64_t count = (int64_t)ss_max(ss_min(floor(tokens / sequence), DOCUMENTS), 1.0);
  stream t = {.length = length};
  s->multiple = 1;
  s->first[0] = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double place = tokens / (double)count * ((double)i + 0.5);
    cut_sequence(s, &t, step * floor(place / step), sequence);
  }
}

void ss_sequences_list(ss_sequences *sequences, const ss_workload *workload)
{
  SS_ASSERT(ss_sequences_are_listed(workload));
  sequences->count = 0;
  (workload->training.packing == SS_PACKING_CUT ? list_cut : list_packed)(sequences, workload);
}

ss_sequence ss_sequences_at(const ss_sequences *sequences, int64_t i)
{
  const int64_t first = sequences->first[i];
  return (ss_sequence){.piece = sequences->piece + first,
                       .pieces = sequences->first[i + 1] - first,
                       .multiple = sequences->multiple,
                       .padding = sequences->padding[i]};
}
