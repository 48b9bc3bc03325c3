#include "model/plan/layout_text.h"

#include <stddef.h>
#include <string.h>

/* Elements of a text with all repetitions, at most; and digits of a number of repetitions. */
#define ELEMENTS_MAX 1000000
#define DIGITS_MAX   6

/* The first round of a group has not come to the number of its rounds. */
#define ROUNDS_UNKNOWN (-1)

ss_layout_reader ss_layout_read(const char *text)
{
  return (ss_layout_reader){.at = text, .element = SS_LAYOUT_ELEMENTS};
}

static bool fail(ss_layout_reader *reader, const char *problem)
{
  reader->problem = problem;
  return false;
}

/* Reads how often something is repeated. */
static bool read_times(ss_layout_reader *reader, int64_t *times)
{
  static const char digits[] = "0123456789";
  const size_t length = strspn(reader->at, digits);
  *times = 0;
  if (length > DIGITS_MAX) return fail(reader, "it repeats something more than 999999 times");
  for (size_t i = 0; i < length; ++i) *times = 10 * *times + (*reader->at++ - '0');
  return *times > 0 || fail(reader, "a * is not followed by a number above 0");
}

static bool open_group(ss_layout_reader *reader)
{
  if (reader->group != NULL) return fail(reader, "a parenthesis is inside another one");
  reader->group = reader->at;
  reader->rounds = ROUNDS_UNKNOWN;
  return true;
}

/* At the end of a round of a group: goes back to its beginning, or leaves it. */
static bool close_group(ss_layout_reader *reader)
{
  int64_t times;
  if (reader->group == NULL) return fail(reader, "a parenthesis is closed that is not open");
  if (*reader->at++ != '*') return fail(reader, "a parenthesis is not repeated: ( )*n");
  if (!read_times(reader, &times)) return false;
  reader->rounds = reader->rounds == ROUNDS_UNKNOWN ? times - 1 : reader->rounds - 1;
  if (reader->rounds > 0)
    reader->at = reader->group;
  else
    reader->group = NULL;
  return true;
}

static ss_layout_element element_of(char letter)
{
  static const char letters[] = {
#define SS_LAYOUT_LETTER(id, letter, meaning) letter,
      SS_LAYOUT_LIST(SS_LAYOUT_LETTER)
#undef SS_LAYOUT_LETTER
  };
  int i = 0;
  while (i < SS_LAYOUT_ELEMENTS && letters[i] != letter) ++i;
  return (ss_layout_element)i;
}

static bool read_element(ss_layout_reader *reader, char letter)
{
  int64_t times = 1;
  reader->element = element_of(letter);
  if (reader->element == SS_LAYOUT_ELEMENTS) return fail(reader, "it has a letter that is none of E, t, m, L, |");
  if (*reader->at == '*') {
    reader->at++;
    if (!read_times(reader, &times)) return false;
  }
  reader->again = times - 1;
  return true;
}

/* Reads one letter; `found` if it is that of an element. */
static bool read_letter(ss_layout_reader *reader, bool *found)
{
  const char letter = *reader->at++;
  switch (letter) {
  case ',': return true;
  case '(': return open_group(reader);
  case ')': return close_group(reader);
  default: *found = true; return read_element(reader, letter);
  }
}

bool ss_layout_next(ss_layout_reader *reader, ss_layout_element *element)
{
  bool found = reader->again > 0;
  if (found) --reader->again;
  while (!found && *reader->at != '\0')
    if (!read_letter(reader, &found)) return false;
  if (!found && reader->group != NULL) return fail(reader, "a parenthesis is not closed");
  *element = reader->element;
  return found;
}

ss_layout_sum ss_layout_sum_of(const char *text)
{
  ss_layout_sum sum = {.parts = 1, .modules_last = true};
  ss_layout_reader reader = ss_layout_read(text);
  int64_t elements = 0, modules_before = 0; /* modules up to the last part that is counted */
  for (ss_layout_element element; elements < ELEMENTS_MAX && ss_layout_next(&reader, &element); ++elements) {
    if (elements == 0) sum.starts = element == SS_LAYOUT_EMBEDDING;
    if (element == SS_LAYOUT_LAYER && sum.count[SS_LAYOUT_MODULE] > 0) sum.modules_last = false;
    if (element == SS_LAYOUT_MODULE && sum.count[element] == modules_before) ++sum.module_parts;
    if (element == SS_LAYOUT_END) modules_before = sum.count[SS_LAYOUT_MODULE];
    sum.ends = element == SS_LAYOUT_OUTPUT;
    sum.parts += element == SS_LAYOUT_END;
    ++sum.count[element];
  }
  sum.problem = elements == ELEMENTS_MAX ? "it has a million elements or more" : reader.problem;
  return sum;
}
