/* Words as people spell them: which are the same, and which one somebody may have meant. */
#ifndef STEPSIM_MODEL_BASE_SPELLING_H
#define STEPSIM_MODEL_BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `length` bytes of a text and a word are the same but for '_' in the place of '-', or the reverse. */
bool ss_spells(const char *text, size_t length, const char *word);

enum { SS_NEAR_WORDS = 3, SS_NEAR_SIZE = 160 };

/* The words of a list that are nearest to a text: few edits away, or longer by what was left out. All is borrowed. */
typedef struct ss_near {
  const char *text;
  const char *prefix;              /* that all words have in what is said of them, such as "--" */
  const char *word[SS_NEAR_WORDS]; /* [count], the nearest first */
  int distance[SS_NEAR_WORDS];     /* [count] */
  int count;
} ss_near;

/* Starts with a text and no words; takes one word of the list after the other. */
ss_near ss_near_to(const char *text);
void ss_near_offer(ss_near *near, const char *word);

/* What a refusal says of it: " (did you mean A or B?)", or nothing where no word is near. */
typedef struct ss_hint {
  char text[SS_NEAR_SIZE];
} ss_hint;
ss_hint ss_near_hint(const ss_near *near);

/* The same for a list of words that ends with NULL. */
ss_hint ss_hint_of(const char *text, const char *const *words);

#endif
