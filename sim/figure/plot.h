/* Plots: single figures as files, for slides and papers. */
#ifndef STEPSIM_SIM_FIGURE_PLOT_H
#define STEPSIM_SIM_FIGURE_PLOT_H

#include "sim/figure/figure.h"

/* X(enumerator, "word", width of the drawing in its units, in pixels, pixels of a PNG for one of these, "what it is").
 * Letters are 13 units high. */
/* clang-format off */
#define SS_PLOT_SIZE_LIST(X) \
  X(SS_PLOT_SLIDE, "slide", 800.0, 1280.0, 1.5, "large letters; PNG has 1920 pixels") \
  X(SS_PLOT_PAPER, "paper", 720.0, 624.0, 3.125,                                                                       \
    "6.5 inches with letters of 8.5 points; PNG has 300 pixels for an inch")
/* clang-format on */

typedef enum ss_plot_size {
#define SS_PLOT_SIZE_ID(id, word, width, shown, scale, help) id,
  SS_PLOT_SIZE_LIST(SS_PLOT_SIZE_ID)
#undef SS_PLOT_SIZE_ID
      SS_PLOT_SIZES
} ss_plot_size;

/* Which figure goes where: `figure` is a name, or NULL for the first that shows something. */
typedef struct ss_plot {
  const char *path, *figure;
  ss_plot_size size;
} ss_plot;

/* Refuses, before anything is computed, an extension that is neither .svg nor .png, .png where it cannot be rendered,
 * and names that no figure of the subject has, whose report may be NULL. SS_ERROR_INPUT. */
ss_status ss_plot_check(const ss_plot *plot, const ss_subject *subject, ss_error *error);

/* Draws the figure into its file, which appears when it is complete. SS_ERROR_INPUT where it shows nothing of this
 * report; SS_ERROR_OUTPUT, SS_ERROR_ENGINE, SS_ERROR_MEMORY. */
ss_status ss_plot_write(const ss_plot *plot, const ss_subject *subject, ss_error *error);

#endif
