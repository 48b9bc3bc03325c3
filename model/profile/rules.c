#include "model/profile/rules.h"

#include <ctype.h>
#include <stdlib.h>

#include "model/base/error.h"

static bool same_letter(char a, char b)
{
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Where a piece of a pattern, up to its end or the next '*', ends in a text that begins with it; else NULL. */
static const char *begins(const char *piece, const char *text)
{
  for (; *piece != '\0' && *piece != '*'; ++piece, ++text)
    if (*text == '\0' || !same_letter(*piece, *text)) return NULL;
  return text;
}

/* The first place of every piece is the best one: what follows has most room behind it. */
const char *ss_pattern_find(const char *pattern, const char *text)
{
  SS_ASSERT(text != NULL);
  while (*pattern != '\0') {
    while (*pattern == '*') ++pattern;
    const char *end = begins(pattern, text);
    while (end == NULL && *text != '\0') end = begins(pattern, ++text);
    if (end == NULL) return NULL;
    text = end;
    while (*pattern != '\0' && *pattern != '*') ++pattern;
  }
  return text;
}

ss_kernel_class ss_rules_class(const ss_rules *rules, ss_rule_kind kind, const char *name)
{
  for (int64_t i = 0; i < rules->count; ++i)
    if (rules->rule[i].kind == kind && ss_pattern_find(rules->rule[i].pattern, name) != NULL)
      return rules->rule[i].class_of;
  return SS_CLASS_COUNT;
}

enum { MOST_DIGITS = 9 };

int64_t ss_rules_number(const ss_rules *rules, ss_rule_kind kind, const char *name)
{
  for (int64_t i = 0; i < rules->count; ++i) {
    if (rules->rule[i].kind != kind) continue;
    const char *end = ss_pattern_find(rules->rule[i].pattern, name);
    int digits = 0;
    while (end != NULL && digits <= MOST_DIGITS && isdigit((unsigned char)end[digits])) ++digits;
    if (digits > 0 && digits <= MOST_DIGITS) return strtol(end, NULL, 10);
  }
  return -1;
}
