/* A text that grows at its end. */
#ifndef STEPSIM_MODEL_FABRIC_SENTENCE_H
#define STEPSIM_MODEL_FABRIC_SENTENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ss_sentence {
  char *text; /* borrowed */
  size_t size, used;
} ss_sentence;

/* An empty text in a buffer of `size` bytes. */
ss_sentence ss_sentence_begin(char *text, size_t size);

/* Adds to a text, which has to fit. */
void ss_sentence_say(ss_sentence *sentence, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds numbers with something between them. */
void ss_sentence_say_list(ss_sentence *sentence, const int64_t *number, int64_t count, const char *between);

#endif
