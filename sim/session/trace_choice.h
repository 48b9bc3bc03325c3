/* What a timeline shows where nobody says: a rank of each stage of the first replica, and as many micro-batches as make
 * a file that viewers open at once. */
#ifndef STEPSIM_SIM_SESSION_TRACE_CHOICE_H
#define STEPSIM_SIM_SESSION_TRACE_CHOICE_H

#include "sim/options/output_options.h"
#include "sim/session/session.h"

typedef struct ss_trace_choice {
  ss_selection ranks, micro_batches;
  bool is_ours;  /* the options leave some of it open */
  double slices; /* about how many there will be, and how often loads of ports change */
  double loads;
} ss_trace_choice;

/* Chooses for a job. SS_ERROR_MEMORY. */
ss_status ss_trace_choose(const ss_output_options *options, const ss_session *session, ss_trace_choice *choice,
                          ss_error *error);

/* Says on standard error what a timeline of so many bytes will show, if something is left out that nobody left out, or
 * if it is large. */
void ss_trace_choice_say(const ss_trace_choice *choice, const ss_session *session, const char *path, double bytes);

#endif
