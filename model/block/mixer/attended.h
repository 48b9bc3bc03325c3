/* The keys that a query attends to: how many there are, and the share of them that attention computes. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_ATTENDED_H
#define STEPSIM_MODEL_BLOCK_MIXER_ATTENDED_H

#include <stdbool.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* The mean number of keys that a model asks of a query for, where those behind it count, too: of a window as many as it
 * has, of chunks c of all but the last one, which may have fewer. */
double ss_attention_asked(const ss_workload *workload);

/* The keys in the document of a query, of so many; without documents all of these. */
double ss_attention_span(const ss_workload *workload, double keys);

/* The share of the keys in a document that attention computes, in the mean over the queries of that of so many ranks
 * along the sequence which has most: the others wait for it in every layer. The mean over all in documents and chunks
 * that look both ways. */
double ss_attention_share(const ss_workload *workload, double ranks);

#endif
