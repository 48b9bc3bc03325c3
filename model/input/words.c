#include "model/input/words.h"

#include <string.h>

const char *ss_axis_name(ss_axis axis)
{
  static const char *const names[] = {
#define AXIS_NAME(id, word) word,
      SS_AXIS_LIST(AXIS_NAME)
#undef AXIS_NAME
  };
  return names[axis];
}

ss_axis ss_axis_find(const char *name, size_t length)
{
  static const struct {
    const char *word;
    ss_axis axis;
  } words[] = {
#define AXIS_WORD(id, word) {word, id},
      SS_AXIS_LIST(AXIS_WORD)
#undef AXIS_WORD
          {"tp2", SS_AXIS_CP}, /* the sequence axis, as 2d and summa call it */
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i].word) == length && strncmp(name, words[i].word, length) == 0) return words[i].axis;
  return SS_AXIS_COUNT;
}
