/* The files that a calibration is from: measurements of one machine, of several kinds. */
#ifndef STEPSIM_SIM_CLI_MEASURED_CALIBRATION_INPUTS_H
#define STEPSIM_SIM_CLI_MEASURED_CALIBRATION_INPUTS_H

#include <stdio.h>

#include "model/measured/measured.h"
#include "sim/options/options.h"

/* Zeroed is empty. */
typedef struct ss_calibration_inputs {
  const ss_options *options; /* borrowed */
  const char *platform;      /* path; borrowed */
  const ss_machine *machine; /* that it describes; borrowed */
  ss_measured measured;
  double *weight; /* [measured.points] of each beside others of its kind; owned */
  char **note;    /* [notes] what was left out and what was assumed, a sentence each; owned */
  int64_t notes;
} ss_calibration_inputs;

/* Releases what has been added; zeroed is fine. */
void ss_calibration_inputs_free(ss_calibration_inputs *inputs);

/* Makes room for the weights of all measurements, and of one more. */
bool ss_calibration_grow(ss_calibration_inputs *inputs);

/* Adds a note, cut to fit. SS_ERROR_MEMORY. */
ss_status ss_calibration_note(ss_calibration_inputs *inputs, ss_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the notes, a line each. */
void ss_calibration_print_notes(const ss_calibration_inputs *inputs, FILE *stream);

/* Adds a group of one kind, of a file, with the platform of all; NULL, with an error, without memory. */
ss_measured_group *ss_calibration_group(ss_calibration_inputs *inputs, ss_measured_kind kind, const char *file,
                                        int line, ss_error *error);

/* Adds a point to the last group. */
ss_measured_point *ss_calibration_point(ss_calibration_inputs *inputs, int line, double measured_s, double weight,
                                        ss_error *error);

#endif
