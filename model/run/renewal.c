#include "model/run/renewal.h"

#include <math.h>

/* Of a recovery, in units of M: itself; the probability that it is interrupted, and that it is not. */
static double itself(double recovery)
{
  return recovery;
}

static double interrupted(double recovery)
{
  return -expm1(-recovery);
}

static double completed(double recovery)
{
  return exp(-recovery);
}

/* The mean of one of these over all interruptions. */
static double mean_of(ss_breakage breakage, double (*of)(double recovery))
{
  return (1.0 - breakage.lasting) * of(breakage.rate_per_s * breakage.recovery_s) +
         breakage.lasting * of(breakage.rate_per_s * breakage.node_recovery_s);
}

double ss_breakage_recovery_s(ss_breakage breakage)
{
  return (1.0 - breakage.lasting) * breakage.recovery_s + breakage.lasting * breakage.node_recovery_s;
}

/* M + V, in units of M: the mean time between failures and that of a recovery. Of one that starts again V is the mean
 * of the time to its end or to the next interruption, over the probability of its end. */
static double failure_cycle(ss_breakage breakage)
{
  return breakage.quiet_recovery ? 1.0 + mean_of(breakage, itself) : 1.0 / mean_of(breakage, completed);
}

/* A piece of `work_s` behind the first. */
static double piece_s(double work_s, ss_rhythm rhythm, ss_breakage breakage)
{
  const double rate = breakage.rate_per_s, length_s = work_s + rhythm.pause_s;
  return failure_cycle(breakage) / rate * exp(rate * rhythm.write_s) * expm1(rate * length_s);
}

static double first_piece_s(double work_s, ss_rhythm rhythm, ss_breakage breakage)
{
  const double rate = breakage.rate_per_s;
  return failure_cycle(breakage) / rate * expm1(rate * (work_s + rhythm.pause_s + rhythm.write_s));
}

double ss_renewal_s(double work_s, ss_rhythm rhythm, ss_breakage breakage)
{
  const double whole = fmax(0.0, ceil(work_s / rhythm.interval_s) - 1.0); /* pieces ahead of the last */
  const double last_s = work_s - whole * rhythm.interval_s;
  if (breakage.rate_per_s == 0.0) return work_s + (whole + 1.0) * rhythm.pause_s + rhythm.write_s;
  if (whole == 0.0) return first_piece_s(last_s, rhythm, breakage);
  return first_piece_s(rhythm.interval_s, rhythm, breakage) +
         (whole - 1.0) * piece_s(rhythm.interval_s, rhythm, breakage) + piece_s(last_s, rhythm, breakage);
}

double ss_renewal_interruptions(double total_s, ss_breakage breakage)
{
  const double all = breakage.rate_per_s * total_s;
  return breakage.quiet_recovery ? all / (1.0 + mean_of(breakage, itself)) : all;
}

double ss_renewal_recovery_s(double total_s, ss_breakage breakage)
{
  const double interruptions = ss_renewal_interruptions(total_s, breakage);
  if (breakage.quiet_recovery || breakage.rate_per_s == 0.0) return interruptions * ss_breakage_recovery_s(breakage);
  return interruptions * mean_of(breakage, interrupted) / breakage.rate_per_s;
}

double ss_interval_best_s(double pause_s, double rate_per_s, double least_s)
{
  enum { HALVINGS = 100 };
  if (rate_per_s == 0.0) return INFINITY;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < HALVINGS; ++i) {
    const double x = 0.5 * (low + high);
    if (-expm1(-(x + rate_per_s * pause_s)) > x)
      low = x;
    else
      high = x;
  }
  return fmax(least_s, 0.5 * (low + high) / rate_per_s);
}

double ss_interval_young_s(double pause_s, double rate_per_s)
{
  return rate_per_s == 0.0 ? INFINITY : sqrt(2.0 * pause_s / rate_per_s);
}

double ss_interval_daly_s(double pause_s, double rate_per_s)
{
  const double part = 0.5 * pause_s * rate_per_s;
  if (rate_per_s == 0.0) return INFINITY;
  if (part >= 1.0) return 1.0 / rate_per_s;
  return ss_interval_young_s(pause_s, rate_per_s) * (1.0 + sqrt(part) / 3.0 + part / 9.0) - pause_s;
}
