/* What stands behind the figures of a whole run: how published ones compare with predictions. */
#ifndef STEPSIM_SIM_REPORT_PLAN_RUN_EVIDENCE_H
#define STEPSIM_SIM_REPORT_PLAN_RUN_EVIDENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints, in a sentence, how many published runs there are and the least, the middle and the largest ratio of what was
 * measured to what is predicted: of the share of work, of interruptions, and of the time. */
void ss_run_evidence_print(FILE *stream);

/* The same as an object: for each of the three the ratios, ascending. */
json_t *ss_run_evidence_json(bool *complete);

#endif
