/* The iterations of a trace: from the annotations of its steps, or from where its optimizer steps are. */
#ifndef STEPSIM_SIM_TRACES_STEPS_H
#define STEPSIM_SIM_TRACES_STEPS_H

#include "model/profile/measurement.h"

typedef struct ss_trace_step {
  int64_t number;
  ss_window window;
} ss_trace_step;

/* Zeroed is empty. */
typedef struct ss_trace_steps {
  ss_trace_step *step; /* [count] owned */
  int64_t count, room;
} ss_trace_steps;

/* Adds an annotation; several of one number are one step, from the first beginning to the last end. SS_ERROR_INPUT
 * where there are too many; SS_ERROR_MEMORY. */
ss_status ss_trace_steps_add(ss_trace_steps *steps, int64_t number, ss_window window, ss_error *error);
void ss_trace_steps_free(ss_trace_steps *steps);

/* Brings them into the order of time, each up to the beginning of the next. */
void ss_trace_steps_join(ss_trace_steps *steps);

/* Cuts a sorted log where an optimizer step has ended and attention, or else a product, begins: what is between two
 * cuts is a repeat. SS_ERROR_MEMORY. */
ss_status ss_trace_steps_repeats(ss_trace_steps *steps, const ss_work_log *log, ss_error *error);

/* The step of a number, or, for -1, the one of median length; with the lengths of all. SS_ERROR_INPUT where there is
 * none of that number; SS_ERROR_MEMORY. */
ss_status ss_trace_steps_choose(const ss_trace_steps *steps, int64_t number, ss_trace_step *chosen,
                                ss_measurement *measurement, ss_error *error);

#endif
