#include "model/input/letters.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Digits of a number of repetitions. */
#define DIGITS_MAX 6

/* The first round of a group has not come to the number of its rounds. */
#define ROUNDS_UNKNOWN (-1)

ss_letters ss_letters_of(const char *text)
{
  return (ss_letters){.at = text};
}

static bool fail(ss_letters *letters, const char *problem)
{
  letters->problem = problem;
  return false;
}

/* Reads how often something is repeated. */
static bool read_times(ss_letters *letters, int64_t *times)
{
  static const char digits[] = "0123456789";
  const size_t length = strspn(letters->at, digits);
  *times = 0;
  if (length > DIGITS_MAX) return fail(letters, "it repeats something more than 999999 times");
  for (size_t i = 0; i < length; ++i) *times = 10 * *times + (*letters->at++ - '0');
  return *times > 0 || fail(letters, "a * is not followed by a number above 0");
}

static bool open_group(ss_letters *letters)
{
  if (letters->group != NULL) return fail(letters, "a parenthesis is inside another one");
  letters->group = letters->at;
  letters->rounds = ROUNDS_UNKNOWN;
  return true;
}

/* At the end of a round of a group: goes back to its beginning, or leaves it. */
static bool close_group(ss_letters *letters)
{
  int64_t times;
  if (letters->group == NULL) return fail(letters, "a parenthesis is closed that is not open");
  if (*letters->at++ != '*') return fail(letters, "a parenthesis is not repeated: ( )*n");
  if (!read_times(letters, &times)) return false;
  letters->rounds = letters->rounds == ROUNDS_UNKNOWN ? times - 1 : letters->rounds - 1;
  if (letters->rounds > 0)
    letters->at = letters->group;
  else
    letters->group = NULL;
  return true;
}

static bool take(ss_letters *letters, char letter)
{
  int64_t times = 1;
  letters->letter = letter;
  if (letters->at[0] == '*' && isdigit((unsigned char)letters->at[1])) {
    letters->at++;
    if (!read_times(letters, &times)) return false;
  }
  letters->again = times - 1;
  return true;
}

/* Reads one character; `found` if it is a letter. */
static bool read_one(ss_letters *letters, bool *found)
{
  const char letter = *letters->at++;
  switch (letter) {
  case ',': return true;
  case '(': return open_group(letters);
  case ')': return close_group(letters);
  default: *found = true; return take(letters, letter);
  }
}

bool ss_letters_next(ss_letters *letters, char *letter)
{
  bool found = letters->again > 0;
  if (found) --letters->again;
  while (!found && *letters->at != '\0')
    if (!read_one(letters, &found)) return false;
  if (!found && letters->group != NULL) return fail(letters, "a parenthesis is not closed");
  *letter = letters->letter;
  return found;
}
