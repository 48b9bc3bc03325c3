/* Texts of users and of files on their way to a terminal, which takes control bytes for commands. */
#ifndef STEPSIM_MODEL_BASE_PRINTABLE_H
#define STEPSIM_MODEL_BASE_PRINTABLE_H

/* Puts '?' in the place of control bytes; returns the text. */
static inline char *ss_printable(char *text)
{
  for (char *at = text; *at != '\0'; ++at)
    if ((unsigned char)*at < ' ' || *at == 0x7f) *at = '?';
  return text;
}

#endif
