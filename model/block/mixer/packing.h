/* Attention in sequences of several documents. Documents of random lengths are packed whole
 * (model/block/mixer/sequences.h), or concatenated, and cut into sequences of the model wherever these end; attention
 * stays inside the pieces, and inside chunks of these, the first of which begins with the piece, as positions do.
 * Sequences are shuffled, so that each is one from far along the stream: where it begins in a document follows from
 * renewal theory (W. Feller, An Introduction to Probability Theory and Its Applications II, chapter XI). */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_PACKING_H
#define STEPSIM_MODEL_BLOCK_MIXER_PACKING_H

#include "model/base/statistics.h"
#include "model/block/mixer/sequences.h"

/* What attention reaches on average over all tokens, those of the padding, too. */
typedef struct ss_attention_reach {
  double span;      /* tokens of the piece of a document that a token is in */
  double seen;      /* of these, no more than the window, or those in a chunk of the piece */
  double share;     /* of `seen`, what is computed where attention looks back only */
  double asked;     /* `seen`, but for padding that attention takes for a document */
  double useful;    /* the share of the tokens that are in documents; the others are padding */
  double imbalance; /* what the context-parallel rank computes that has most, relative to their mean */
} ss_attention_reach;

/* Of a workload with documents. With S tokens in a sequence and a mean length mu, a sum of f over the pieces of a
 * sequence has the mean (S / mu) E[C(L)], where a document of L tokens, cut anywhere alike, adds C(L) = ((S - L) f(L) +
 * 2 F(L)) / S           L <= S: it is whole, or in two pieces
 *          ((L - S) f(S) + 2 F(S)) / S           else: two ends, and sequences of nothing else
 * with F(x) the integral of f from 0 to x. Where cuts fall only every g tokens (ss_documents_step) F(x) is
 * g (f(g) + f(2 g) + ... + f(x)), less g f(x) / 2: then it is exact for whole tokens, too. */
ss_attention_reach ss_attention_reach_of(const ss_workload *workload);

/* What attention computes in a sequence, in pairs of a query and a key; where context-parallel ranks share its tokens
 * out, what the one with most computes, times their number: the others wait for it in every layer. */
double ss_sequence_pairs(const ss_workload *workload, const ss_sequence *sequence);

/* The share of the tokens of an iteration that are in documents: 1 but where whole documents leave padding. */
double ss_useful_share(const ss_workload *workload);

/* What attention computes for a piece of so many tokens, in pairs of a query and a key. */
double ss_attention_pairs(const ss_workload *workload, double tokens);

/* The mean of their sum over a sequence. */
double ss_attention_mean_pairs(const ss_workload *workload);

/* How that sum differs between sequences, relative to its mean. The pieces of a sequence, but for their being S tokens
 * in all, are taken for independent; sequences that are listed are looked at. No deviation without documents, and where
 * all pieces are as long. */
ss_factors ss_attention_spread(const ss_workload *workload);

#endif
