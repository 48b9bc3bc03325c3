/* Sequences that stand for all of a data set: the documents that each has, one by one. They are listed where no formula
 * says what attention computes on average: whole documents are packed, or context-parallel ranks differ by the
 * documents of their tokens (parallelism.cp-split). Closed form and replay have the same ones: the mean over them, and
 * draws of them. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_SEQUENCES_H
#define STEPSIM_MODEL_BLOCK_MIXER_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Documents that stand for all, in a random order that is always the same, and the most of them that may be in a
 * sequence on average, so that there are several sequences. */
#define SS_SEQUENCES_DOCUMENTS 4096
#define SS_SEQUENCE_DOCUMENTS  1024

/* Ranks that may share the tokens of a sequence out as they are. */
#define SS_SEQUENCE_RANKS_MAX 1024

/* The documents of a sequence, in order. Each begins at a multiple of `multiple` tokens. */
typedef struct ss_sequence {
  const double *piece; /* [pieces] tokens of a document that are in the sequence; borrowed */
  int64_t pieces;
  int64_t multiple;
  double padding; /* tokens at its end that attention takes for one more document */
} ss_sequence;

typedef struct ss_sequences {
  int64_t count;
  int64_t multiple;
  int64_t first[SS_SEQUENCES_DOCUMENTS + 1]; /* [count + 1] of the pieces of each */
  double padding[SS_SEQUENCES_DOCUMENTS];    /* [count] */
  double piece[3 * SS_SEQUENCES_DOCUMENTS];
} ss_sequences;

/* Whether a workload has sequences that are listed. */
bool ss_sequences_are_listed(const ss_workload *workload);

/* The context-parallel ranks between which a sequence is shared out as it is, which have unlike shares; 1 where they
 * exchange heads, or share each document out. */
int64_t ss_sequence_ranks(const ss_workload *workload);

/* The context-parallel ranks that have tokens of their own, however these are shared out; 1 where they exchange heads.
 */
int64_t ss_token_ranks(const ss_workload *workload);

/* Whether there are documents for at least one sequence: none are left where all are too long and dropped. */
bool ss_sequences_have_documents(const ss_workload *workload);

/* Lists the sequences of a workload that has some. Whole documents are padded to multiples of ss_documents_multiple and
 * packed by training.packing; the sequence that was opened last, which more documents would fill, is left out. Others
 * are cut from a stream of documents in random order, at places that are all alike.
 *
 * Attention takes what is left of a sequence for a document of its own where documents are not padded; where they are,
 * it leaves all padding out: cu_seqlens ends with the sequence, or is beside cu_seqlens_padded, which does
 * (src/megatron/bridge/data/packing/gpt_sft.py of Megatron-Bridge). */
void ss_sequences_list(ss_sequences *sequences, const ss_workload *workload);

ss_sequence ss_sequences_at(const ss_sequences *sequences, int64_t i);

/* What a document of so many tokens takes of a sequence. */
double ss_sequence_room(int64_t multiple, double tokens);

#endif
