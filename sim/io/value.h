/* One value as a user wrote it: parsing into SI, and refusing it by name with what is allowed instead. */
#ifndef STEPSIM_SIM_IO_VALUE_H
#define STEPSIM_SIM_IO_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/machine.h"
#include "model/input/words.h"

/* A value and where it stands. Text and file are borrowed; `line` 0 when there is none. */
typedef struct ss_value {
  char subject[SS_NAME_SIZE]; /* what a message calls it, e.g. "model.layers" */
  const char *text;           /* NULL when the value is not given */
  const char *file;
  int line;
} ss_value;

/* Sets the subject, in characters fit for a message and cut to size. */
void ss_value_name(ss_value *value, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Refuses `value`: the message is SUBJECT="TEXT": and the formatted problem. Always SS_ERROR_INPUT. */
ss_status ss_value_refuse(const ss_value *value, ss_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses a required value that is missing. Always SS_ERROR_INPUT. */
ss_status ss_value_refuse_missing(const ss_value *value, ss_error *error);

/* Refuses an attribute that is not one of `names` (NULL-terminated). Always SS_ERROR_INPUT. */
ss_status ss_attribute_refuse(const ss_value *value, const char *const *names, ss_error *error);

/* Whole number in [minimum, maximum], written as xs:integer. SS_ERROR_INPUT otherwise; so do all below. */
ss_status ss_value_count(const ss_value *value, int64_t minimum, int64_t maximum, int64_t *count, ss_error *error);

/* Dimensionless number in [minimum, maximum], written as a finite xs:double. */
ss_status ss_value_real(const ss_value *value, double minimum, double maximum, double *real, ss_error *error);

/* Number with a suffix of `unit`, in SI; the range is in SI too. */
ss_status ss_value_quantity(const ss_value *value, ss_unit unit, double minimum, double maximum, double *quantity,
                            ss_error *error);

/* "0.8", or points "1Gf:0.35 10Gf:0.6": sizes of `unit` that increase, ratios in (0, 1]; or prices in [0, maximum],
 * where the maximum is not SS_LARGEST_RATIO, and sizes from 0 on. */
ss_status ss_value_curve(const ss_value *value, ss_unit unit, double maximum, ss_curve *curve, ss_error *error);

/* Index of the text in a NULL-terminated list of words. */
ss_status ss_value_word(const ss_value *value, const char *const *words, int *index, ss_error *error);

/* The words of a NULL-terminated list that stand in the text, with white space between them. */
ss_status ss_value_words(const ss_value *value, const char *const *words, ss_word_set *set, ss_error *error);

/* Copies the text into `copy` of `size` bytes. */
ss_status ss_value_text(const ss_value *value, char *copy, size_t size, ss_error *error);

/* Decimal digits only, without sign or space, up to INT64_MAX; returns the end of the number, NULL when there is none.
 */
const char *ss_digits_parse(const char *text, int64_t *number);

/* The space, tab, carriage return and line feed of XML; other bytes are not white. */
bool ss_is_white(char byte);

/* A comma-separated list for messages; what does not fit is left out. Initialise with {0}. */
typedef struct ss_list {
  char text[SS_MESSAGE_SIZE];
  size_t used;
} ss_list;

/* Adds an entry to a list. */
void ss_list_add(ss_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A copy of user text that is fit for a message: control bytes become '?', the excess becomes "...". */
typedef struct ss_quote {
  char text[128];
} ss_quote;

/* Makes such a copy of `text`. */
ss_quote ss_quote_of(const char *text);

#endif
