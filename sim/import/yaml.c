#include "sim/import/yaml.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MOST_DEPTH = 32 };

typedef struct reader {
  ss_settings *settings;
  yaml_parser_t parser;
  yaml_event_t event; /* the last one; owned */
  int depth;
} reader;

static int line_of(const reader *r)
{
  return (int)r->event.start_mark.line + 1;
}

static ss_status refuse(const reader *r, ss_error *error, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, line_of(r), "%s", problem);
}

static ss_status next(reader *r, ss_error *error)
{
  yaml_event_delete(&r->event);
  if (yaml_parser_parse(&r->parser, &r->event)) {
    if (r->event.type == YAML_ALIAS_EVENT)
      return refuse(r, error, "has an alias of an anchor; allowed: the value itself");
    return SS_OK;
  }
  memset(&r->event, 0, sizeof r->event);
  if (r->parser.error == YAML_MEMORY_ERROR)
    return ss_error_set(error, SS_ERROR_MEMORY, r->settings->source->path, 0, "out of memory for YAML");
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, (int)r->parser.problem_mark.line + 1,
                      "is not YAML: %s", r->parser.problem != NULL ? r->parser.problem : "cannot be read");
}

/* What is in quotes is text. NULL: no memory. */
static json_t *scalar_of(const reader *r)
{
  const char *text = (const char *)r->event.data.scalar.value;
  const bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (strlen(text) != r->event.data.scalar.length) text = ""; /* it has a zero byte */
  return plain ? ss_setting_value(text) : json_string_nocheck(text);
}

static ss_status read_node(reader *r, const char *key, ss_error *error);

/* Reads what is behind KEY.NAME, with the event of its beginning as the last one. */
static ss_status read_member(reader *r, const char *key, const char *name, ss_error *error)
{
  char joined[SS_SETTING_KEY_SIZE];
  const ss_status status = ss_setting_join(r->settings, key, name, line_of(r), joined, error);
  return status == SS_OK ? read_node(r, joined, error) : status;
}

static ss_status read_mapping(reader *r, const char *key, ss_error *error)
{
  ss_status status = next(r, error);
  while (status == SS_OK && r->event.type != YAML_MAPPING_END_EVENT) {
    char name[SS_SETTING_KEY_SIZE];
    if (r->event.type != YAML_SCALAR_EVENT) return refuse(r, error, "has a key that is no scalar; allowed: names");
    if (r->event.data.scalar.length >= sizeof name) return refuse(r, error, "has a key that is too long");
    (void)snprintf(name, sizeof name, "%s", (const char *)r->event.data.scalar.value);
    status = next(r, error);
    if (status == SS_OK) status = read_member(r, key, name, error);
    if (status == SS_OK) status = next(r, error);
  }
  return status;
}

/* The scalars of a list are one value; its other members have settings of their own. */
static ss_status read_members(reader *r, const char *key, json_t *list, ss_error *error)
{
  ss_status status = next(r, error);
  for (int i = 0; status == SS_OK && r->event.type != YAML_SEQUENCE_END_EVENT; ++i) {
    char name[32];
    (void)snprintf(name, sizeof name, "%d", i);
    if (r->event.type != YAML_SCALAR_EVENT)
      status = read_member(r, key, name, error);
    else if (json_array_append_new(list, scalar_of(r)) != 0)
      status = ss_error_set(error, SS_ERROR_MEMORY, r->settings->source->path, 0, "out of memory for YAML");
    if (status == SS_OK) status = next(r, error);
  }
  return status;
}

static ss_status read_sequence(reader *r, const char *key, ss_error *error)
{
  const int line = line_of(r);
  const int64_t before = r->settings->count;
  json_t *list = json_array();
  if (list == NULL) return ss_settings_add(r->settings, key, NULL, line, error);
  const ss_status status = read_members(r, key, list, error);
  if (status == SS_OK && (json_array_size(list) > 0 || r->settings->count == before))
    return ss_settings_add_once(r->settings, key, list, line, error);
  json_decref(list);
  return status;
}

static ss_status read_node(reader *r, const char *key, ss_error *error)
{
  ss_status status;
  if (r->depth == MOST_DEPTH) return refuse(r, error, "is nested too deep");
  ++r->depth;
  if (r->event.type == YAML_SCALAR_EVENT)
    status = ss_settings_add_once(r->settings, key, scalar_of(r), line_of(r), error);
  else
    status = r->event.type == YAML_MAPPING_START_EVENT ? read_mapping(r, key, error) : read_sequence(r, key, error);
  --r->depth;
  return status;
}

static ss_status read_root(reader *r, ss_yaml_root root, ss_error *error)
{
  const bool is_list = root == SS_YAML_LIST;
  if (r->event.type == (is_list ? YAML_SEQUENCE_START_EVENT : YAML_MAPPING_START_EVENT))
    return is_list ? read_sequence(r, "", error) : read_mapping(r, "", error);
  return refuse(r, error,
                is_list ? "is no list; allowed: members that begin with -"
                        : "is no mapping; allowed: names with values");
}

static ss_status read_document(reader *r, ss_yaml_root root, ss_error *error)
{
  ss_status status = next(r, error);
  while (status == SS_OK && (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_START_EVENT))
    status = next(r, error);
  if (status == SS_OK) status = read_root(r, root, error);
  while (status == SS_OK && r->event.type != YAML_STREAM_END_EVENT) {
    status = next(r, error);
    if (status == SS_OK && r->event.type == YAML_DOCUMENT_START_EVENT)
      return refuse(r, error, "begins another document; allowed: one");
  }
  return status;
}

ss_status ss_yaml_read_root(ss_settings *settings, ss_yaml_root root, ss_error *error)
{
  reader r = {.settings = settings};
  const char *path = settings->source->path;
  if (!yaml_parser_initialize(&r.parser))
    return ss_error_set(error, SS_ERROR_MEMORY, path, 0, "out of memory for YAML");
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)settings->source->text, settings->source->size);
  const ss_status status = read_document(&r, root, error);
  yaml_event_delete(&r.event);
  yaml_parser_delete(&r.parser);
  return status;
}

ss_status ss_yaml_read(ss_settings *settings, ss_error *error)
{
  return ss_yaml_read_root(settings, SS_YAML_MAPPING, error);
}
