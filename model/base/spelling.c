#include "model/base/spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
  LONGEST = 63,     /* of texts that are compared */
  MOST_EDITS = 3,   /* of a near word, in a long text */
  LETTERS_EDIT = 3, /* letters for each edit */
  LEAST_PART = 3    /* letters that a part of a word has */
};

static int plain(char letter)
{
  return letter == '_' ? '-' : tolower((unsigned char)letter);
}

bool ss_spells(const char *text, size_t length, const char *word)
{
  if (strlen(word) != length) return false;
  for (size_t i = 0; i < length; ++i)
    if (text[i] != word[i] && !(strchr("-_", text[i]) != NULL && strchr("-_", word[i]) != NULL)) return false;
  return true;
}

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* Letters that are inserted, deleted, replaced, or exchanged with the next (Damerau 1964, each letter edited once). */
static int edits(const char *a, const char *b)
{
  int row[3][LONGEST + 1] = {{0}}; /* of the last letter but one, of the last, of this one */
  const int length = (int)strlen(b);
  for (int j = 0; j <= length; ++j) row[2][j] = j;
  for (int i = 1; a[i - 1] != '\0'; ++i) {
    memcpy(row[0], row[1], sizeof row[0]);
    memcpy(row[1], row[2], sizeof row[1]);
    row[2][0] = i;
    for (int j = 1; j <= length; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[2][j] = least(least(row[1][j], row[2][j - 1]) + 1, row[1][j - 1] + !same);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[2][j] = least(row[2][j], row[0][j - 2] + 1);
    }
  }
  return row[2][length];
}

/* Whether a word is what others call `text`. */
static bool is_called(const char *text, const char *word)
{
  static const struct {
    const char *theirs, *ours;
  } names[] = {
#define SS_OTHER_NAME(theirs, ours) {theirs, ours},
#include "model/base/other_names.def"
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(text, names[i].theirs) == 0 && strcmp(word, names[i].ours) == 0) return true;
  return false;
}

/* As if it began a part of the word, or were one; -1 where it does not. */
static int distance_to_part(const char *text, const char *word)
{
  const char *part = strstr(word, text);
  while (part != NULL && part != word && part[-1] != '-') part = strstr(part + 1, text);
  if (part == NULL) return -1;
  const char behind = part[strlen(text)];
  return part == word || behind == '-' || behind == '\0' ? 1 : MOST_EDITS;
}

/* Edits from a text to a word, or as many as are near where it is what others call the word, or the text begins a part
 * of it; -1 where they are not near. */
static int distance_to(const char *spelled, const char *word)
{
  char text[LONGEST + 1] = "", plain_word[LONGEST + 1] = "";
  const size_t length = strlen(spelled), of_word = strlen(word);
  if (length == 0 || length > LONGEST || of_word > LONGEST) return -1;
  for (size_t i = 0; i < length; ++i) text[i] = (char)plain(spelled[i]);
  for (size_t i = 0; i < of_word; ++i) plain_word[i] = (char)plain(word[i]);
  if (is_called(text, plain_word)) return 0;
  const int most = least(MOST_EDITS, 1 + (int)length / LETTERS_EDIT - (length >= LETTERS_EDIT));
  const int distance = edits(text, plain_word);
  if (distance <= most) return distance;
  return length >= LEAST_PART ? distance_to_part(text, plain_word) : -1;
}

ss_near ss_near_to(const char *text)
{
  return (ss_near){.text = text, .prefix = ""};
}

void ss_near_offer(ss_near *near, const char *word)
{
  const int distance = distance_to(near->text, word);
  if (distance < 0) return;
  int at = near->count;
  while (at > 0 && near->distance[at - 1] > distance) --at;
  if (at == SS_NEAR_WORDS) return;
  near->count = least(near->count + 1, SS_NEAR_WORDS);
  for (int i = near->count - 1; i > at; --i) {
    near->word[i] = near->word[i - 1];
    near->distance[i] = near->distance[i - 1];
  }
  near->word[at] = word;
  near->distance[at] = distance;
}

ss_hint ss_near_hint(const ss_near *near)
{
  ss_hint hint = {""};
  size_t used = 0;
  int count = 0; /* not what is much farther away than the nearest */
  while (count < near->count && near->distance[count] <= near->distance[0] + 1) ++count;
  for (int i = 0; i < count && used < sizeof hint.text; ++i) {
    const char *before = i == 0 ? " (did you mean " : i + 1 == count ? " or " : ", ";
    used += (size_t)snprintf(hint.text + used, sizeof hint.text - used, "%s%s%s%s", before, near->prefix, near->word[i],
                             i + 1 == count ? "?)" : "");
  }
  if (used >= sizeof hint.text) hint.text[0] = '\0';
  return hint;
}

ss_hint ss_hint_of(const char *text, const char *const *words)
{
  ss_near near = ss_near_to(text);
  for (int i = 0; words[i] != NULL; ++i) ss_near_offer(&near, words[i]);
  return ss_near_hint(&near);
}
