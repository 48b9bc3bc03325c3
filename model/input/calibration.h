/* Whether the constants of a machine are fitted to measured iterations, and what it has meant elsewhere that they are
 * not. */
#ifndef STEPSIM_MODEL_INPUT_CALIBRATION_H
#define STEPSIM_MODEL_INPUT_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/input/machine.h"

/* Where the rates of kernels come from: X(enumerator, "word", "what a report says of them"). */
#define SS_KERNELS_LIST(X)                                                                                             \
  X(SS_KERNELS_FITTED, "fitted", "kernel efficiencies fitted")                                                         \
  X(SS_KERNELS_GIVEN, "given", "kernel efficiencies of benchmarks or estimates")                                       \
  X(SS_KERNELS_DEFAULT, "default", "default kernel efficiencies")

typedef enum ss_kernels {
#define SS_KERNELS_ID(id, word, text) id,
  SS_KERNELS_LIST(SS_KERNELS_ID)
#undef SS_KERNELS_ID
      SS_KERNELS_COUNT
} ss_kernels;

/* What a machine says of its constants; plain bytes. */
typedef struct ss_calibration {
  ss_kernels kernels;
  bool starts;                       /* it states the start-up and the steps of collectives */
  char fitted_to[SS_FITTED_TO_SIZE]; /* empty unless the kernels are fitted */
  char idealised[SS_NAME_SIZE];      /* the source of a machine that nobody has built; empty of others */
} ss_calibration;

/* Kernels are fitted if the machine says to what (fitted-to), unless matrix-efficiency, matrix-sustained,
 * hbm-efficiency or vector-hbm-share is overridden and fitted-to is not. Otherwise they are given if the two
 * efficiencies are. */
ss_calibration ss_calibration_of(const ss_machine *machine);

/* Refuses a fitted-to that is blank, or of a machine that gives none of these four. SS_ERROR_INPUT. */
ss_status ss_calibration_check(const ss_machine *machine, ss_error *error);

/* The word of the list; static text. */
const char *ss_kernels_word(ss_kernels kernels);

/* The word that has this text; SS_KERNELS_COUNT if none does. */
ss_kernels ss_kernels_find(const char *word);

/* What a report says of the kernels; static text. */
const char *ss_kernels_text(ss_kernels kernels);

/* A row of calibration.def. */
typedef struct ss_unfitted {
  ss_kernels kernels;
  const char *gpu;
  double error;       /* (predicted - measured) / measured, the mean over iterations */
  double least, most; /* the mean of the group that is the least too short, and of the one that is the most */
} ss_unfitted;

/* The table as an array of `count` rows. */
const ss_unfitted *ss_unfitted_errors(int64_t *count);

/* The row of iterations on that GPU with kernels of this kind; NULL where none is known, as of those that are fitted.
 */
const ss_unfitted *ss_unfitted_find(ss_kernels kernels, const char *gpu);

#endif
