#include "sim/cli/shared/comment.h"

#include <stdlib.h>
#include <string.h>

enum { COMMENT_WIDTH = 128 };

void ss_comment_wrap(FILE *stream, const char *text)
{
  int column = 0;
  while (*text != '\0') {
    const int length = (int)strcspn(text, " ");
    if (column > 0 && column + 1 + length > COMMENT_WIDTH) column = 0 * fputc('\n', stream);
    column += fprintf(stream, "%s%.*s", column > 0 ? " " : "  ", length, text);
    text += length;
    text += strspn(text, " ");
  }
  (void)fputc('\n', stream);
}

void ss_comment_argument(FILE *stream, const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+%@";
  const bool quoted = text[0] == '\0' || text[strspn(text, plain)] != '\0';
  const char *apart = quoted ? "''" : "\\";
  if (quoted) (void)fputc('\'', stream);
  for (const char *at = text; *at != '\0'; ++at) {
    if (at > text && at[0] == '-' && at[-1] == '-') (void)fputs(apart, stream);
    if (*at == '\'')
      (void)fputs("'\\''", stream);
    else
      (void)fputc(*at, stream);
  }
  if (quoted) (void)fputc('\'', stream);
}

static void print_command(FILE *stream, const ss_options *options)
{
  (void)fputs("    stepsim", stream);
  for (int i = 1; i < options->line_count; ++i) {
    (void)fputc(' ', stream);
    ss_comment_argument(stream, options->line[i]);
  }
  (void)fputc('\n', stream);
}

void ss_comment_made_by(FILE *stream, const ss_options *options)
{
  (void)fputs("\n  Made by\n", stream);
  print_command(stream, options);
  ss_comment_wrap(stream, "(XML wants something between two dashes; to a shell it is nothing.)");
}

char *ss_comment_make(void (*print)(FILE *stream, const void *what), const void *what)
{
  char *comment = NULL;
  size_t size;
  FILE *stream = open_memstream(&comment, &size);
  if (stream == NULL) return NULL;
  print(stream, what);
  const bool failed = ferror(stream) != 0;
  if (fclose(stream) == 0 && !failed) return comment;
  free(comment);
  return NULL;
}
