/* Work that checkpoints keep and failures undo: how long it takes in the mean, and how often to keep it. */
#ifndef STEPSIM_MODEL_RUN_RENEWAL_H
#define STEPSIM_MODEL_RUN_RENEWAL_H

#include <stdbool.h>

/* How work is kept: after each interval of it a checkpoint holds it up for a pause, and counts when it is written,
 * which takes so long beside the work that follows, at most an interval and a pause. */
typedef struct ss_rhythm {
  double interval_s, pause_s, write_s;
} ss_rhythm;

/* What interrupts the work, at a constant rate, so that times between are exponential; and how long it takes then until
 * it goes on from the last checkpoint: longer or shorter where a node is lost, which is a share of all interruptions.
 */
typedef struct ss_breakage {
  double rate_per_s;
  double recovery_s;               /* where no node is lost */
  bool quiet_recovery;             /* nothing breaks meanwhile; else a recovery that is interrupted starts again, as
                                      long as the new interruption makes it */
  double lasting, node_recovery_s; /* the share by which a node is lost; a recovery then */
} ss_breakage;

/* The mean of a recovery that nothing interrupts. */
double ss_breakage_recovery_s(ss_breakage breakage);

/* The mean time that so much work takes until the checkpoint behind its end is written. Exact: with M = 1 / rate, a
 * recovery that takes V in the mean, V = E[R] or M (1 / E[exp(-R / M)] - 1) over recoveries R, pieces P of an interval
 * and a pause, and writes W, the first piece takes (M + V) (exp((P + W) / M) - 1), each other one (M + V) exp((P + W) /
 * M) (1 - exp(-P / M)): where the checkpoint before it is written, the next is after P, and after a failure only after
 * P + W. With W = 0 that is Daly's (A higher order estimate of the optimum checkpoint interval for restart dumps,
 * Future Generation Computer Systems 22, 2006). */
double ss_renewal_s(double work_s, ss_rhythm rhythm, ss_breakage breakage);

/* The share of such a time that goes into recoveries, and how often it is interrupted, where it takes `total_s`. */
double ss_renewal_recovery_s(double total_s, ss_breakage breakage);
double ss_renewal_interruptions(double total_s, ss_breakage breakage);

/* The interval with the least mean time of long work, exactly: x = interval / M solves exp(-(x + pause / M)) = 1 - x,
 * and nothing else matters; but never below `least_s`. Infinite where nothing breaks. */
double ss_interval_best_s(double pause_s, double rate_per_s, double least_s);

/* Approximations of it: sqrt(2 pause M) (Young, CACM 17, 1974), and Daly's, of higher order (as above). */
double ss_interval_young_s(double pause_s, double rate_per_s);
double ss_interval_daly_s(double pause_s, double rate_per_s);

#endif
