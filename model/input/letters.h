/* Letters with repetitions, as layouts of pipelines and patterns of layers are written: `*n` repeats a letter, `( )*n`
 * several; commas do nothing. A * without a number behind it is a letter. */
#ifndef STEPSIM_MODEL_INPUT_LETTERS_H
#define STEPSIM_MODEL_INPUT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* How far a text has been read. */
typedef struct ss_letters {
  const char *at;
  const char *group;     /* behind the parenthesis that is open; NULL outside */
  int64_t rounds, again; /* of the group, after this one, below 0 in the first one; of the letter */
  char letter;           /* the last one */
  const char *problem;   /* why it cannot be read on; NULL as long as it can */
} ss_letters;

/* The beginning of a text. Borrows it. */
ss_letters ss_letters_of(const char *text);

/* The next letter, with all that is repeated written out. False at the end, or where there is a problem. */
bool ss_letters_next(ss_letters *letters, char *letter);

#endif
