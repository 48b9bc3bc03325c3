#include "sim/import/files/object.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 16 };

/* Python writes numbers that JSON does not have. None of them is of interest; 0 stands in their place. */
static void blank_words(char *text)
{
  static const char *const names[] = {"-Infinity", "Infinity", "NaN"};
  bool quoted = false;
  for (char *at = text; *at != '\0'; ++at) {
    if (quoted && *at == '\\' && at[1] != '\0')
      ++at;
    else if (*at == '"')
      quoted = !quoted;
    for (size_t i = 0; !quoted && i < sizeof names / sizeof names[0]; ++i) {
      const size_t length = strlen(names[i]);
      if (strncmp(at, names[i], length) != 0) continue;
      memset(at, ' ', length);
      *at = '0';
    }
  }
}

json_t *ss_object_parse(ss_source *source, ss_error *error)
{
  json_error_t problem;
  blank_words(source->text);
  json_t *root = json_loadb(source->text, source->size, JSON_REJECT_DUPLICATES, &problem);
  if (root == NULL)
    (void)ss_error_set(error, SS_ERROR_INPUT, source->path, problem.line > 0 ? problem.line : 0, "is not JSON: %s",
                       problem.text);
  return root;
}

int ss_object_line(const ss_source *source, const char *from, const char *key)
{
  const size_t length = strlen(key);
  for (const char *at = from; length > 0 && (at = strstr(at, key)) != NULL; at += length) {
    if (at == source->text || at[-1] != '"' || at[length] != '"') continue;
    const char *behind = at + length + 1;
    if (behind[strspn(behind, " \t\r\n")] == ':') return ss_source_line(source, at);
  }
  return 1;
}

static bool is_scalars(const json_t *list)
{
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *member = json_array_get(list, i);
    if (json_is_object(member) || json_is_array(member)) return false;
  }
  return true;
}

static ss_status add(ss_settings *settings, const char *key, json_t *value, int depth, ss_error *error);

static ss_status add_members(ss_settings *settings, const char *key, json_t *value, int depth, ss_error *error)
{
  const char *name;
  char number[32], joined[SS_SETTING_KEY_SIZE];
  json_t *member;
  ss_status status = SS_OK;
  if (json_is_object(value)) {
    json_object_foreach(value, name, member)
    {
      const int line = ss_object_line(settings->source, settings->source->text, name);
      status = ss_setting_join(settings, key, name, line, joined, error);
      if (status == SS_OK) status = add(settings, joined, member, depth + 1, error);
      if (status != SS_OK) return status;
    }
    return status;
  }
  for (size_t i = 0; i < json_array_size(value) && status == SS_OK; ++i) {
    (void)snprintf(number, sizeof number, "%zu", i);
    status = ss_setting_join(settings, key, number, 1, joined, error);
    if (status == SS_OK) status = add(settings, joined, json_array_get(value, i), depth + 1, error);
  }
  return status;
}

static ss_status add(ss_settings *settings, const char *key, json_t *value, int depth, ss_error *error)
{
  const char *dot = strrchr(key, '.');
  const int line = ss_object_line(settings->source, settings->source->text, dot != NULL ? dot + 1 : key);
  if (depth == MOST_DEPTH)
    return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, line, "is nested too deep");
  if ((json_is_array(value) && !is_scalars(value)) || (json_is_object(value) && json_object_size(value) > 0))
    return add_members(settings, key, value, depth, error);
  return ss_settings_add(settings, key, json_incref(value), line, error);
}

ss_status ss_object_read(ss_settings *settings, const json_t *object, ss_error *error)
{
  return add_members(settings, "", (json_t *)object, 0, error);
}
