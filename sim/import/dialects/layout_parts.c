#include "sim/import/dialects/layout_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* 0: it is none. */
static char letter_at(const json_t *list, size_t i)
{
  static const struct {
    const char *word;
    char letter;
  } words[] = {{"embedding", 'E'}, {"decoder", 't'}, {"mtp", 'm'}, {"loss", 'L'}, {"encoder", 'V'}};
  const char *own = json_string_value(json_array_get(list, i));
  for (size_t word = 0; own != NULL && word < sizeof words / sizeof words[0]; ++word)
    if (strcasecmp(own, words[word].word) == 0) return words[word].letter;
  return '\0';
}

/* How many parts a layout has. */
static long parts_in(const char *layout)
{
  long parts = layout[0] != '\0';
  for (; *layout != '\0'; ++layout) parts += *layout == '|';
  return parts;
}

/* Whether a key ends in the number of the part that is next. */
static bool is_next(const char *number, const char *layout)
{
  char *end = NULL;
  const long part = strtol(number, &end, 10);
  return end != number && *end == '\0' && part == parts_in(layout);
}

ss_status ss_layout_part_add(ss_sheet *sheet, ss_attribute_index layout, const ss_setting *part, ss_error *error)
{
  const char *number = strrchr(part->key, '.');
  const char *earlier = (const char *)sheet->workload + ss_workload_attributes()[layout].offset;
  char text[2 * SS_TEXT_SIZE] = "";
  size_t used = 0;
  if (!is_next(number + 1, earlier))
    return ss_error_set(error, SS_ERROR_INPUT, sheet->path, part->line,
                        "%.64s: is not the part behind the last one; allowed: a list of lists of layers", part->key);
  if (earlier[0] != '\0') used = (size_t)snprintf(text, sizeof text, "%s|", earlier);
  for (size_t i = 0, run; i < json_array_size(part->value) && used < SS_TEXT_SIZE; i += run) {
    const char letter = letter_at(part->value, i);
    if (letter == '\0')
      return ss_error_set(error, SS_ERROR_INPUT, sheet->path, part->line,
                          "%.64s: has what is no layer; allowed: embedding, decoder, mtp and loss", part->key);
    for (run = 1; letter_at(part->value, i + run) == letter;) ++run;
    used += (size_t)snprintf(text + used, sizeof text - used, run > 1 ? "%c*%zu" : "%c", letter, run);
  }
  return ss_sheet_set_text(sheet, layout, text, part->line, error);
}
