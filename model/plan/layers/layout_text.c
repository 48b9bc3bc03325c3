#include "model/plan/layers/layout_text.h"

/* Elements of a text with all repetitions, at most. */
#define ELEMENTS_MAX 1000000

ss_layout_reader ss_layout_read(const char *text)
{
  return (ss_layout_reader){.letters = ss_letters_of(text)};
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

bool ss_layout_next(ss_layout_reader *reader, ss_layout_element *element)
{
  char letter;
  const bool found = ss_letters_next(&reader->letters, &letter);
  reader->problem = reader->letters.problem;
  if (!found) return false;
  *element = element_of(letter);
  if (*element < SS_LAYOUT_ELEMENTS) return true;
  reader->problem = "it has a letter that is none of V, E, t, m, L, |";
  return false;
}

/* Ahead of the embedding is the tower, and nothing of it comes later; the first virtual stage has one of them. */
static bool starts_with(const ss_layout_sum *before, ss_layout_element element, bool first)
{
  if (first) return element == SS_LAYOUT_VISION || element == SS_LAYOUT_EMBEDDING;
  const bool embedded = before->count[SS_LAYOUT_EMBEDDING] > 0;
  const bool ahead = element == SS_LAYOUT_VISION;
  const bool behind = element == SS_LAYOUT_LAYER || element == SS_LAYOUT_MODULE || element == SS_LAYOUT_OUTPUT;
  return embedded ? !ahead : !behind;
}

ss_layout_sum ss_layout_sum_of(const char *text)
{
  ss_layout_sum sum = {.parts = 1, .starts = true, .modules_last = true};
  ss_layout_reader reader = ss_layout_read(text);
  int64_t elements = 0, modules_before = 0; /* modules up to the last part that is counted */
  for (ss_layout_element element; elements < ELEMENTS_MAX && ss_layout_next(&reader, &element); ++elements) {
    sum.starts = sum.starts && starts_with(&sum, element, elements == 0);
    if (element == SS_LAYOUT_LAYER && sum.count[SS_LAYOUT_MODULE] > 0) sum.modules_last = false;
    if (element == SS_LAYOUT_MODULE && sum.count[element] == modules_before) ++sum.module_parts;
    if (element == SS_LAYOUT_END) modules_before = sum.count[SS_LAYOUT_MODULE];
    sum.ends = element == SS_LAYOUT_OUTPUT;
    sum.parts += element == SS_LAYOUT_END;
    ++sum.count[element];
  }
  sum.starts = sum.starts && elements > 0;
  sum.problem = elements == ELEMENTS_MAX ? "it has a million elements or more" : reader.problem;
  return sum;
}
