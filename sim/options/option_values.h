/* What options have for values: setters that many rows share, and the parts of others. What cannot be read is an
 * SS_ERROR_INPUT with what is allowed. */
#ifndef STEPSIM_SIM_OPTIONS_OPTION_VALUES_H
#define STEPSIM_SIM_OPTIONS_OPTION_VALUES_H

#include "model/input/machine.h"
#include "sim/options/option.h"

/* Setters, with what is at `target`: the text, a const char *; that the flag was given, a bool; a number from 1 to
 * `row->most`, an int64_t; which of `row->words` it is, an enumeration; seconds above 0 and bytes above 0, a double. */
ss_status ss_option_set_text(const ss_option *row, void *target, char *text, ss_error *error);
ss_status ss_option_set_flag(const ss_option *row, void *target, char *text, ss_error *error);
ss_status ss_option_set_count(const ss_option *row, void *target, char *text, ss_error *error);
ss_status ss_option_set_word(const ss_option *row, void *target, char *text, ss_error *error);
ss_status ss_option_set_seconds(const ss_option *row, void *target, char *text, ss_error *error);
ss_status ss_option_set_bytes(const ss_option *row, void *target, char *text, ss_error *error);

/* Adds a text to a list of `capacity`; `name` is the option, for the refusal of one more. */
ss_status ss_option_append(const char *name, const char **list, int64_t *count, int64_t capacity, const char *text,
                           ss_error *error);

/* Refuses a NAME=VALUE that contradicts one of a list, `earlier` [count]; `name` is the option. */
ss_status ss_option_check_setting(const char *name, const char *const *earlier, int64_t count, const char *text,
                                  ss_error *error);

/* Reads numbers from 1 to `row->most` and ranges of them, with commas between, into a list of `capacity`. */
ss_status ss_option_counts(const ss_option *row, const char *text, int64_t *list, int64_t capacity, int64_t *count,
                           ss_error *error);

/* Refuses what an option says, in the words of printf. Always SS_ERROR_INPUT. */
ss_status ss_option_refuse(ss_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
