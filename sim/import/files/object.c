#include "sim/import/files/object.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/dotted.h"

enum { MOST_DEPTH = 16 };

/* The length of a number that Python writes and JSON does not have; 0 where there is none. */
static size_t word_at(const char *text)
{
  static const char *const names[] = {"-Infinity", "Infinity", "NaN"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strncmp(text, names[i], strlen(names[i])) == 0) return strlen(names[i]);
  return 0;
}

/* Puts such numbers into quotes: texts, which nobody takes for numbers. Writes to `quoted`, unless it is NULL, and
 * returns the bytes. */
static size_t quote_words(const char *text, char *quoted)
{
  bool inside = false;
  size_t size = 0;
  for (const char *at = text; *at != '\0';) {
    const size_t word = inside ? 0 : word_at(at);
    const bool escapes = inside && *at == '\\' && at[1] != '\0';
    const size_t length = word > 0 ? word : escapes ? 2 : 1;
    inside = inside != (*at == '"');
    if (quoted != NULL) (void)snprintf(quoted + size, length + 3, word > 0 ? "\"%.*s\"" : "%.*s", (int)length, at);
    size += length + (word > 0 ? 2 : 0);
    at += length;
  }
  return size;
}

static ss_status quote_numbers(ss_source *source, ss_error *error)
{
  const size_t size = quote_words(source->text, NULL);
  if (size == source->size) return SS_OK;
  char *quoted = malloc(size + 1);
  if (quoted == NULL) return ss_error_set(error, SS_ERROR_MEMORY, source->path, 0, "out of memory for a file");
  (void)quote_words(source->text, quoted);
  free(source->text);
  source->text = quoted;
  source->size = size;
  return SS_OK;
}

json_t *ss_object_parse(ss_source *source, ss_error *error)
{
  json_error_t problem;
  if (quote_numbers(source, error) != SS_OK) return NULL;
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
  const int line = ss_object_line(settings->source, settings->source->text, ss_last_name(key));
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
