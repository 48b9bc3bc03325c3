#include "model/plan/layers/layout_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* As many layers, and modules, as are written one by one. */
static const char layer_letters[] = "ttt", module_letters[] = "m";

/* As many of the letters, "tt", or where they are too few one with a number, "t*4". */
static void write_count(int64_t count, const char *letters, char text[static 24])
{
  if (count > (int64_t)strlen(letters))
    (void)snprintf(text, 24, "%c*%" PRId64, letters[0], count);
  else
    (void)snprintf(text, 24, "%.*s", (int)count, letters);
}

/* Parts of so many layers that follow one another. */
static void write_parts(int64_t parts, int64_t layers, char text[static 64])
{
  char share[24];
  write_count(layers, layer_letters, share);
  if (parts > 1)
    (void)snprintf(text, 64, "(%s|)*%" PRId64, share, parts);
  else
    (void)snprintf(text, 64, "%s%s", parts > 0 ? share : "", parts > 0 ? "|" : "");
}

/* Writes the layout of parts with an even share of `all`, of which the embedding is `embedding`. */
static bool write_even(int64_t all, int64_t embedding, int64_t modules, int64_t parts, char *text, size_t size)
{
  const int64_t share = all / parts, larger = all % parts;
  const int64_t before = larger > 1 ? larger - 1 : 0, last = share - modules - 1; /* behind the first part */
  char first[24], rest[24], larger_parts[64], other_parts[64], module_count[24];
  text[0] = '\0';
  if (last < 0) return false;
  write_count(share + (larger > 0 ? 1 : 0) - embedding, layer_letters, first);
  write_count(last, layer_letters, rest);
  write_count(modules, module_letters, module_count);
  write_parts(before, share + 1, larger_parts);
  write_parts(parts - 2 - before, share, other_parts);
  const int length = snprintf(text, size, "E%s|%s%s%s%sL", first, larger_parts, other_parts, rest, module_count);
  if (length >= 0 && (size_t)length < size) return true;
  text[0] = '\0';
  return false;
}

bool ss_layout_even(int64_t layers, int64_t modules, int64_t parts, char *text, size_t size)
{
  const int64_t counted = layers + modules + 1;
  return write_even(counted, 0, modules, parts, text, size) || write_even(counted + 1, 1, modules, parts, text, size);
}
