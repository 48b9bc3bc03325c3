/* What options have for values: setters that many rows share, and the parts of others. What cannot be read is refused
 * with what is allowed, which ends the program. */
#ifndef STEPSIM_SIM_CLI_OPTION_VALUES_H
#define STEPSIM_SIM_CLI_OPTION_VALUES_H

#include "model/input/machine.h"
#include "sim/cli/option.h"

/* Setters, with what is at `target`: the text, a const char *; that the flag was given, a bool; a number from 1 to
 * `row->most`, an int64_t; which of `row->words` it is, an enumeration; seconds above 0 and bytes above 0, a double. */
void ss_option_set_text(struct argp_state *state, const ss_option *row, void *target, char *text);
void ss_option_set_flag(struct argp_state *state, const ss_option *row, void *target, char *text);
void ss_option_set_count(struct argp_state *state, const ss_option *row, void *target, char *text);
void ss_option_set_word(struct argp_state *state, const ss_option *row, void *target, char *text);
void ss_option_set_seconds(struct argp_state *state, const ss_option *row, void *target, char *text);
void ss_option_set_bytes(struct argp_state *state, const ss_option *row, void *target, char *text);

/* Adds a text to a list of `capacity`; `name` is the option, for the refusal of one more. */
void ss_option_append(struct argp_state *state, const char *name, const char **list, int64_t *count, int64_t capacity,
                      const char *text);

/* Reads numbers from 1 to `row->most` with commas between them into a list of `capacity`; returns how many. */
int64_t ss_option_counts(struct argp_state *state, const ss_option *row, const char *text, int64_t *list,
                         int64_t capacity);

#endif
