#include "sim/figure/data.h"

#include <math.h>

/* Also what would end the script that it is in. */
void ss_data_write_text(FILE *stream, const char *text)
{
  (void)fputc('"', stream);
  for (; *text != '\0'; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == '"' || c == '\\' || c == '<')
      (void)fprintf(stream, "\\u%04x", c);
    else
      (void)fputc(c, stream);
  }
  (void)fputc('"', stream);
}

void ss_data_write_number(FILE *stream, double value)
{
  if (isfinite(value))
    (void)fprintf(stream, "%.12g", value);
  else
    (void)fputs("null", stream);
}
