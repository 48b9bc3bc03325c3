/* Regret: what it costs to take the strategy that is predicted to be the fastest instead of the one that is. */
#ifndef STEPSIM_MODEL_MEASURED_REGRET_H
#define STEPSIM_MODEL_MEASURED_REGRET_H

#include "model/measured/measured.h"
#include "model/measured/predicted.h"

/* Measured strategies for one task, among which a search would choose: points of one group with the same attributes of
 * <model> but its name, the same precision and global batch, platform and number of GPUs. Points that say the same
 * throughout are one strategy, measured again: it takes their mean. */
typedef struct ss_rivals {
  int64_t group, strategies;         /* 2 and more */
  int64_t best;                      /* the point that was measured to be the fastest, the first one of its strategy */
  int64_t chosen[SS_PREDICTORS];     /* the point that is predicted to be, the first of equals */
  double regret[SS_PREDICTORS];      /* measured_s of `chosen` over that of `best`, less 1; the mean over equals */
  double correlation[SS_PREDICTORS]; /* rank correlation of predicted and measured times; NaN where undefined */
} ss_rivals;

/* The rivals of a group, or of all, summed up; NaN without any. */
typedef struct ss_regret {
  int64_t rivals, strategies;
  double mean[SS_PREDICTORS], worst[SS_PREDICTORS];
  int64_t worst_rivals[SS_PREDICTORS]; /* which have the worst; -1 without any */
  double correlation[SS_PREDICTORS];   /* the mean over those that have one */
} ss_regret;

typedef struct ss_regrets {
  ss_rivals *rivals; /* [count] owned; group by group, in the order of their first points */
  int64_t count;
  ss_regret *group; /* [measured->groups] owned */
  ss_regret whole;
} ss_regrets;

/* Finds the rivals among measurements and sums up what their predictions [measured->points] come to. SS_ERROR_MEMORY.
 * Release with ss_regrets_free in any case. */
ss_status ss_regrets_init(ss_regrets *regrets, const ss_measured *measured, const ss_predicted *predicted);

/* Releases the lists; zeroed is fine. */
void ss_regrets_free(ss_regrets *regrets);

#endif
