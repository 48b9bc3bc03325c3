#include "sim/io/title.h"

#include <ctype.h>
#include <string.h>

#include "sim/io/value.h"

/* What follows `mark` in a text; NULL where it does not occur. */
static const char *behind(const char *text, const char *mark)
{
  const char *found = strstr(text, mark);
  return found != NULL ? found + strlen(mark) : NULL;
}

bool ss_title_has_root(const char *text, const char *root)
{
  const char *at = strchr(text, '<');
  while (at != NULL && (at[1] == '!' || at[1] == '?')) {
    const char *end = behind(at, strncmp(at, "<!--", 4) == 0 ? "-->" : ">");
    at = end != NULL ? strchr(end, '<') : NULL;
  }
  const size_t length = strlen(root);
  return at != NULL && strncmp(at + 1, root, length) == 0 && strchr(" \t\r\n/>", at[1 + length]) != NULL;
}

/* Whether a paragraph ends at white space: there is an empty line. */
static bool ends_paragraph(const char *at)
{
  int lines = 0;
  for (; ss_is_white(*at); ++at) lines += *at == '\n';
  return lines > 1;
}

/* A full stop ends a sentence if a capital follows, or nothing: "et al. 2022" goes on. */
static bool ends_sentence(const char *at, const char *end)
{
  if (*at != '.') return false;
  const char *next = at + 1;
  while (next < end && ss_is_white(*next)) ++next;
  return next == end || (next > at + 1 && isupper((unsigned char)*next)) || ends_paragraph(at + 1);
}

void ss_title_of(const char *text, char *title, size_t size)
{
  const char *at = behind(text, "<!--"), *end = at != NULL ? strstr(at, "-->") : NULL;
  size_t used = 0;
  for (; end != NULL && at < end && used + 1 < size && !ends_sentence(at, end); ++at) {
    if (used > 0 && ends_paragraph(at)) break;
    if (!ss_is_white(*at))
      title[used++] = *at;
    else if (used > 0 && title[used - 1] != ' ')
      title[used++] = ' ';
  }
  while (used > 0 && title[used - 1] == ' ') --used;
  title[used] = '\0';
}
