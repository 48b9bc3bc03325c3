/* The values of options. What cannot be read is refused with what is allowed, which ends the program. */
#ifndef STEPSIM_SIM_CLI_OPTION_VALUES_H
#define STEPSIM_SIM_CLI_OPTION_VALUES_H

#include <argp.h>

#include "sim/cli/options.h"

/* Of any option: ranges such as "0-63:4,128"; seconds or bytes above 0; a number from 1 to `largest`. */
void ss_parse_selection(struct argp_state *state, const char *what, const char *list, ss_selection *selection);
double ss_parse_limit(struct argp_state *state, const char *option, const char *text, ss_unit unit);
int64_t ss_parse_one_count(struct argp_state *state, const char *what, const char *text, int64_t largest);

/* Of the option that each is named after, into the options. */
void ss_parse_cost(struct argp_state *state, const char *word, ss_options *options);
void ss_parse_flows(struct argp_state *state, const char *word, ss_options *options);
void ss_parse_fold(struct argp_state *state, const char *word, ss_options *options);
void ss_parse_objective(struct argp_state *state, const char *word, ss_options *options);
void ss_parse_best(struct argp_state *state, const char *word, ss_options *options);
void ss_parse_budget(struct argp_state *state, const char *text, ss_options *options);
void ss_parse_gpus(struct argp_state *state, const char *list, ss_options *options);
void ss_parse_tensor(struct argp_state *state, const char *list, ss_options *options);
void ss_parse_knobs(struct argp_state *state, const char *list, ss_options *options);

#endif
