#include "sim/import/shell/arithmetic.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARENTHESES = 32 };

typedef struct reading {
  ss_shell_variables *variables;
  const char *at;
  int depth;
  int unused; /* branches of ?: that are not taken, and that this is inside of */
  bool fails;
} reading;

typedef bool operation(long long a, long long b, long long *result);

static bool add(long long a, long long b, long long *result)
{
  return !__builtin_add_overflow(a, b, result);
}

static bool subtract(long long a, long long b, long long *result)
{
  return !__builtin_sub_overflow(a, b, result);
}

static bool multiply(long long a, long long b, long long *result)
{
  return !__builtin_mul_overflow(a, b, result);
}

static bool divide(long long a, long long b, long long *result)
{
  if (b == 0 || (a == LLONG_MIN && b == -1)) return false;
  *result = a / b;
  return true;
}

static bool remainder_of(long long a, long long b, long long *result)
{
  if (b == 0 || (a == LLONG_MIN && b == -1)) return false;
  *result = a % b;
  return true;
}

#define COMPARISON(name, sign)                                                                                         \
  static bool name(long long a, long long b, long long *result)                                                        \
  {                                                                                                                    \
    *result = a sign b;                                                                                                \
    return true;                                                                                                       \
  }
COMPARISON(is_at_most, <=)
COMPARISON(is_at_least, >=)
COMPARISON(is_below, <)
COMPARISON(is_above, >)
COMPARISON(is_equal, ==)
COMPARISON(is_other, !=)
COMPARISON(both, &&)
COMPARISON(either, ||)

/* Longer ones ahead of those that they begin with. */
static const struct {
  const char *text;
  int rank; /* what binds more has more */
  operation *does;
} operators[] = {{"||", 1, either},     {"&&", 2, both},        {"==", 3, is_equal}, {"!=", 3, is_other},
                 {"<=", 4, is_at_most}, {">=", 4, is_at_least}, {"<", 4, is_below},  {">", 4, is_above},
                 {"+", 5, add},         {"-", 5, subtract},     {"*", 6, multiply},  {"/", 6, divide},
                 {"%", 6, remainder_of}};

static long long read_any(reading *r); // NOLINT(misc-no-recursion) -- parentheses, MOST_PARENTHESES of them

static void pass_spaces(reading *r)
{
  while (isspace((unsigned char)*r->at)) ++r->at;
}

static long long number_of(reading *r, const char *text)
{
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if ((end == text || *end != '\0' || errno != 0) && r->unused == 0) r->fails = true;
  return value;
}

static long long read_name(reading *r)
{
  char text[SS_SHELL_WORD_SIZE] = "";
  size_t length = 0;
  while (ss_shell_is_name(r->at[length])) ++length;
  const ss_shell_variable *variable = ss_shell_find(r->variables, r->at, length);
  const bool is_number = isdigit((unsigned char)*r->at);
  if (is_number && length < sizeof text) memcpy(text, r->at, length);
  if (length == 0 || (variable != NULL && !variable->is_known && r->unused == 0)) r->fails = true;
  r->at += length;
  if (is_number || variable == NULL) return number_of(r, text);
  return number_of(r, variable->value);
}

static long long read_operand(reading *r) // NOLINT(misc-no-recursion)
{
  long long value = 0;
  bool negative = false;
  for (pass_spaces(r); *r->at == '-' || *r->at == '+'; pass_spaces(r)) {
    r->fails |= r->at[1] == r->at[0]; /* which gives a name another number */
    negative ^= *r->at++ == '-';
  }
  if (*r->at != '(') {
    value = read_name(r);
  } else if (r->depth < MOST_PARENTHESES) {
    ++r->at;
    ++r->depth;
    value = read_any(r);
    --r->depth;
    r->fails |= *r->at != ')';
    r->at += *r->at == ')';
  } else {
    r->fails = true;
  }
  if (negative && !subtract(0, value, &value)) r->fails |= r->unused == 0;
  return value;
}

/* Operators of a rank or above, those of one rank from left to right. */
static long long read_ranks(reading *r, int rank) // NOLINT(misc-no-recursion)
{
  long long value = read_operand(r);
  while (!r->fails) {
    const size_t count = sizeof operators / sizeof operators[0];
    size_t i = 0;
    pass_spaces(r);
    while (i < count && strncmp(r->at, operators[i].text, strlen(operators[i].text)) != 0) ++i;
    if (i == count || operators[i].rank < rank) return value;
    r->at += strlen(operators[i].text);
    const long long other = read_ranks(r, operators[i].rank + 1);
    if (!operators[i].does(value, other, &value)) r->fails |= r->unused == 0;
  }
  return value;
}

/* One of the two behind a question mark. */
static long long read_branch(reading *r, bool is_taken) // NOLINT(misc-no-recursion)
{
  r->unused += !is_taken;
  const long long value = read_any(r);
  r->unused -= !is_taken;
  return value;
}

static bool take(reading *r, char sign)
{
  pass_spaces(r);
  const bool is_it = *r->at == sign;
  r->at += is_it;
  return is_it;
}

/* A ? B : C, of which the one that is not taken may divide by 0. */
static long long read_any(reading *r) // NOLINT(misc-no-recursion)
{
  const long long value = read_ranks(r, 1);
  if (r->fails || !take(r, '?')) return value;
  if (r->depth == MOST_PARENTHESES) r->fails = true;
  if (r->fails) return value;
  ++r->depth;
  const long long yes = read_branch(r, value != 0);
  if (!take(r, ':')) r->fails = true;
  const long long no = r->fails ? 0 : read_branch(r, value == 0);
  --r->depth;
  return value != 0 ? yes : no;
}

bool ss_shell_arithmetic(ss_shell_variables *variables, const char *text, long long *value)
{
  reading r = {.variables = variables, .at = text};
  *value = read_any(&r);
  return !r.fails && *r.at == '\0';
}
