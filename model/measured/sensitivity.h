/* Which constants of a machine measurements tell: how much each prediction depends on each constant, and which
 * constants the points can tell from the others. */
#ifndef STEPSIM_MODEL_MEASURED_SENSITIVITY_H
#define STEPSIM_MODEL_MEASURED_SENSITIVITY_H

#include "model/measured/fit.h"

/* Constants that may be fitted (free_constants.def), with what to measure for each. */
enum {
#define SS_FREE_SHARE(field, low, high, tells)       +1
#define SS_FREE_FACTOR(field, factor, unless, tells) +1
  SS_FREE_CONSTANTS = 0
#include "model/measured/free_constants.def"
#undef SS_FREE_SHARE
#undef SS_FREE_FACTOR
};

/* What becomes of a constant: X(enumerator, "word", what that means). */
#define SS_FATE_LIST(X)                                                                                                \
  X(SS_FATE_FITTED, "fitted", "")                                                                                      \
  X(SS_FATE_ABSENT, "absent", "is none of this platform")                                                              \
  X(SS_FATE_SET, "set", "is set by --set")                                                                             \
  X(SS_FATE_IDLE, "idle", "no time that was measured depends on it")                                                   \
  X(SS_FATE_WEAK, "weak", "hardly changes what was measured")                                                          \
  X(SS_FATE_ALIKE, "alike", "cannot be told from")                                                                     \
  X(SS_FATE_MANY, "many", "there are fewer measurements than constants")

typedef enum ss_fate {
#define SS_FATE_ID(id, word, text) id,
  SS_FATE_LIST(SS_FATE_ID)
#undef SS_FATE_ID
      SS_FATES
} ss_fate;

const char *ss_fate_word(ss_fate fate);
const char *ss_fate_text(ss_fate fate);

/* A constant that a calibration looks at. */
typedef struct ss_free_constant {
  ss_fit_constant constant; /* with its bounds and its start */
  const char *tells;        /* what to measure */
  ss_fate fate;
  double weight;       /* the mean |d ln t / d ln c| over the points, by their weights */
  int64_t like;        /* with SS_FATE_ALIKE: the constant that it cannot be told from */
  double *sensitivity; /* [points] d ln t / d ln c of each; borrowed */
} ss_free_constant;

/* The constants of a machine, [SS_FREE_CONSTANTS]: SS_FATE_ABSENT for those that it does not have, else SS_FATE_IDLE.
 */
void ss_free_constants_of(const ss_machine *machine, ss_free_constant *list);

/* Decides on the constants that are neither absent nor set, from their sensitivities: which are fitted, and why the
 * others are not. A constant that adds little to those with more influence, as the part of it that is at right angles
 * to them (by the weights) is under a tenth, is alike the one it is nearest to. Fewer constants are fitted than there
 * are points. `scratch` [SS_FREE_CONSTANTS][points->count] */
void ss_free_constants_choose(ss_free_constant *list, const ss_fit_points *points, double *scratch);

#endif
