/* How long replicas wait for the one whose documents are longest. */
#ifndef STEPSIM_MODEL_ESTIMATE_DOCUMENT_WAITS_H
#define STEPSIM_MODEL_ESTIMATE_DOCUMENT_WAITS_H

#include "model/plan/job.h"

/* The mean of what the slowest replica takes beyond an average one, in seconds. What attention computes in a
 * micro-batch is taken for log-normal, of the mean and the standard deviation that documents make, and no more than
 * that of one document; of the stage where that is most. Replicas meet once, when gradients are reduced: of the sums
 * over their M micro-batches, which are log-normal, too, the largest of R counts. Where n of them meet in every layer -
 * their experts exchange tokens, or they gather weights - the largest of n sets the pace of each micro-batch, and of
 * the sums over these the largest of R / n counts. Left out: stages that wait for a longer micro-batch, while others
 * pass through the pipeline. */
double ss_document_waits_s(const ss_job *job);

#endif
