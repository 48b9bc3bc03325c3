/* Lengths of documents, which are packed into the sequences of a model: how training.documents says that they are
 * distributed, and what they are padded to. All are in tokens. */
#ifndef STEPSIM_MODEL_INPUT_DOCUMENTS_H
#define STEPSIM_MODEL_INPUT_DOCUMENTS_H

#include <stdint.h>

#include "model/base/error.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Lengths that a file lists, in order. */
typedef struct ss_document_list {
  int64_t count;
  double *length;    /* [count] that increase; owned */
  double *documents; /* [count] share of the documents up to each, 1 at the last; owned */
  double *tokens;    /* [count] share of the tokens of these; owned */
  double mean;       /* length */
  int64_t step;      /* the greatest common divisor of all lengths */
} ss_document_list;

/* So many documents of a length. */
typedef struct ss_documents_of_length {
  int64_t length, documents;
} ss_documents_of_length;

/* Makes the list of `given` [count], which it sorts; each has a length and a number of documents of at least 1. NULL
 * without memory. Destroy in any case. */
ss_document_list *ss_document_list_create(ss_documents_of_length *given, int64_t count);
void ss_document_list_destroy(ss_document_list *list);

/* Of a workload that has documents, which are not refused; a list must be there where it asks for one.
 *
 * The mean length of a document. */
double ss_documents_mean(const ss_workload *workload);

/* The length that all lengths and the sequences of the model are multiples of, so that cuts are, too; 0 where lengths
 * are real numbers. */
double ss_documents_step(const ss_workload *workload);

/* Of log-normal lengths, the one whose logarithm is so many standard deviations above its mean. */
double ss_documents_log_normal(const ss_workload *workload, double normal);

/* The lengths of `count` documents that stand for all, in whole tokens, which do not decrease: that of the i-th,
 * counted from 0, is the one below which (i + 1/2) / count of the documents are. */
void ss_documents_sample(const ss_workload *workload, double *length, int64_t count);

/* The tokens that each whole document is padded to a multiple of: training.document-padding, or what the ranks need
 * that share it out: 2 cp for two pieces each (thd of Transformer Engine), and cp * tp with sequence parallelism (the
 * rule of docs/training/packed-sequences.md of Megatron-Bridge). */
int64_t ss_documents_multiple(const ss_workload *workload);

/* The first length of a list up to which there is this share; `up_to` is `documents` or `tokens` of the list. */
double ss_document_list_find(const ss_document_list *list, const double *up_to, double share);

/* A number that depends on a length. */
typedef struct ss_of_length {
  double (*value)(const void *self, double length);
  const void *self;
} ss_of_length;

/* Lengths that increase, between which a number is smooth; behind the last one it is no more than linear. */
#define SS_DOCUMENT_BENDS_MAX 66

typedef struct ss_bends {
  int64_t count;
  double length[SS_DOCUMENT_BENDS_MAX];
} ss_bends;

/* Its mean over all documents: a sum over lengths, or where they are real numbers five Gauss-Legendre points on each of
 * many short intervals, which is exact to about 1e-12. */
double ss_documents_expect(const ss_workload *workload, ss_of_length number, const ss_bends *bends);

#endif
