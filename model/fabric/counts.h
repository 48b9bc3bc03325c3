/* Arithmetic of counts, none of which is negative. */
#ifndef STEPSIM_MODEL_FABRIC_COUNTS_H
#define STEPSIM_MODEL_FABRIC_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"

/* a * b, or INT64_MAX where that is less, so that what is too large stays so. And the product of `count` factors. */
int64_t ss_count_product(int64_t a, int64_t b);
int64_t ss_count_product_of(const int64_t *factors, int64_t count);

/* "1, 2, 4": the divisors of a number, as many as there is room for. */
#define SS_DIVISORS_SIZE 512
void ss_count_list_divisors(int64_t number, char text[SS_DIVISORS_SIZE]);

/* Refuses a number that does not divide another one: "GIVEN": PROBLEM NUMBER; allowed: its divisors. */
ss_status ss_count_refuse_divisor(const char *option, int64_t given, const char *problem, int64_t number,
                                  ss_error *error);

/* The number of the pair (low, high) of `count` things, 0 <= low < high < count, and back. */
int64_t ss_count_pair(int64_t count, int64_t low, int64_t high);
void ss_count_split_pair(int64_t count, int64_t pair, int64_t ends[2]);

/* What follows a noun of which there are so many: "s", or nothing for one. */
const char *ss_count_plural(int64_t count);

#endif
