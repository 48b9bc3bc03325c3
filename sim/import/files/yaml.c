#include "sim/import/files/yaml.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MOST_DEPTH = 32 };

/* Values that aliases may add to those that a file has. */
enum { MOST_REPEATED = 10000 };

/* The key of what is merged into a mapping (yaml.org/type/merge.html). */
static const char merge_key[] = "<<";

/* A document, in which an alias is the node of its anchor. */
typedef struct reader {
  ss_settings *settings;
  yaml_parser_t parser;
  yaml_document_t document;
  int depth;
  int64_t seen, nodes; /* each time that a node is come by, and how many there are */
} reader;

static ss_status refuse(const reader *r, const yaml_node_t *node, ss_error *error, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, (int)node->start_mark.line + 1, "%s", problem);
}

static ss_status out_of_memory(const reader *r, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, r->settings->source->path, 0, "out of memory for YAML");
}

static yaml_node_t *node_of(reader *r, int index)
{
  return yaml_document_get_node(&r->document, index);
}

/* What is in quotes is text. NULL: no memory. */
static json_t *scalar_of(const yaml_node_t *node)
{
  const char *text = (const char *)node->data.scalar.value;
  const bool plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (strlen(text) != node->data.scalar.length) text = ""; /* it has a zero byte */
  return plain ? ss_setting_value(text) : json_string_nocheck(text);
}

/* Aliases of lists of aliases are short for more than there is room for. */
static ss_status come_by(reader *r, const yaml_node_t *node, ss_error *error)
{
  if (++r->seen <= r->nodes + MOST_REPEATED) return SS_OK;
  return refuse(r, node, error, "has aliases that repeat more than 10000 values; allowed: fewer");
}

static ss_status read_node(reader *r, const yaml_node_t *node, const char *key, ss_error *error);

/* A mapping that is read, with what is merged into it. */
typedef struct level {
  json_t *taken;   /* the names that it has so far: twice the visit that took each, and 1 more of what is no scalar */
  const char *key; /* of the mapping */
} level;

static bool is_merge(const yaml_node_t *name)
{
  return name->type == YAML_SCALAR_NODE && name->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
         strcmp((const char *)name->data.scalar.value, merge_key) == 0;
}

/* Takes what stands behind a name, unless another mapping had the name before. Scalars that are twice in one are
 * refused where they are added; of lists and mappings the members would mix. */
static ss_status read_pair(reader *r, const yaml_node_pair_t *pair, const level *at, int64_t visit, ss_error *error)
{
  char joined[SS_SETTING_KEY_SIZE];
  const yaml_node_t *name = node_of(r, pair->key), *value = node_of(r, pair->value);
  if (name->type != YAML_SCALAR_NODE) return refuse(r, name, error, "has a key that is no scalar; allowed: names");
  if (name->data.scalar.length >= sizeof joined) return refuse(r, name, error, "has a key that is too long");
  const char *text = (const char *)name->data.scalar.value;
  const json_t *earlier = json_object_get(at->taken, text);
  const json_int_t taken = json_integer_value(earlier), whole = value->type != YAML_SCALAR_NODE;
  if (earlier != NULL && taken / 2 != visit) return SS_OK;
  if (earlier != NULL && (taken % 2 != 0 || whole != 0))
    return refuse(r, name, error, "names a list or a section that is there already; allowed: once");
  if (json_object_set_new_nocheck(at->taken, text, json_integer(2 * visit + whole)) != 0)
    return out_of_memory(r, error);
  const ss_status status = ss_setting_join(r->settings, at->key, text, (int)value->start_mark.line + 1, joined, error);
  return status == SS_OK ? read_node(r, value, joined, error) : status;
}

static ss_status read_pairs(reader *r, const yaml_node_t *mapping, const level *at, ss_error *error);

/* One mapping, which is merged into another. */
static ss_status merge(reader *r, const yaml_node_t *merged, const level *at, ss_error *error)
{
  ss_status status = come_by(r, merged, error);
  if (status != SS_OK) return status;
  if (merged->type != YAML_MAPPING_NODE)
    return refuse(r, merged, error, "merges what is no mapping; allowed: one, or a list of them");
  if (r->depth == MOST_DEPTH) return refuse(r, merged, error, "is nested too deep");
  ++r->depth;
  status = read_pairs(r, merged, at, error);
  --r->depth;
  return status;
}

/* Of a list, an earlier mapping goes before a later one. */
static ss_status merge_all(reader *r, const yaml_node_t *value, const level *at, ss_error *error)
{
  ss_status status = SS_OK;
  if (value->type != YAML_SEQUENCE_NODE) return merge(r, value, at, error);
  const yaml_node_item_t *item = value->data.sequence.items.start;
  for (; status == SS_OK && item < value->data.sequence.items.top; ++item)
    status = merge(r, node_of(r, *item), at, error);
  return status;
}

/* Its own names go before those that are merged into it. */
static ss_status read_pairs(reader *r, const yaml_node_t *mapping, const level *at, ss_error *error)
{
  ss_status status = SS_OK;
  const int64_t visit = r->seen;
  const yaml_node_t *merges = NULL;
  const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
  for (; status == SS_OK && pair < mapping->data.mapping.pairs.top; ++pair) {
    const yaml_node_t *name = node_of(r, pair->key);
    status = come_by(r, name, error);
    if (status != SS_OK) return status;
    if (!is_merge(name))
      status = read_pair(r, pair, at, visit, error);
    else if (merges != NULL)
      status = refuse(r, name, error, "has << twice; allowed: once, with a list");
    else
      merges = node_of(r, pair->value);
  }
  return status == SS_OK && merges != NULL ? merge_all(r, merges, at, error) : status;
}

static ss_status read_mapping(reader *r, const yaml_node_t *mapping, const char *key, ss_error *error)
{
  const level at = {.taken = json_object(), .key = key};
  const ss_status status = at.taken != NULL ? read_pairs(r, mapping, &at, error) : out_of_memory(r, error);
  json_decref(at.taken);
  return status;
}

/* The scalars of a list are one value; its other members have settings of their own. */
static ss_status read_members(reader *r, const yaml_node_t *sequence, const char *key, json_t *list, ss_error *error)
{
  const yaml_node_item_t *item = sequence->data.sequence.items.start;
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && item < sequence->data.sequence.items.top; ++item, ++i) {
    char name[32], joined[SS_SETTING_KEY_SIZE];
    const yaml_node_t *member = node_of(r, *item);
    (void)snprintf(name, sizeof name, "%d", i);
    if (member->type == YAML_SCALAR_NODE) {
      status = come_by(r, member, error);
      if (status == SS_OK && json_array_append_new(list, scalar_of(member)) != 0) status = out_of_memory(r, error);
      continue;
    }
    status = ss_setting_join(r->settings, key, name, (int)member->start_mark.line + 1, joined, error);
    if (status == SS_OK) status = read_node(r, member, joined, error);
  }
  return status;
}

static ss_status read_sequence(reader *r, const yaml_node_t *sequence, const char *key, ss_error *error)
{
  const int line = (int)sequence->start_mark.line + 1;
  const int64_t before = r->settings->count;
  json_t *list = json_array();
  if (list == NULL) return ss_settings_add(r->settings, key, NULL, line, error);
  const ss_status status = read_members(r, sequence, key, list, error);
  if (status == SS_OK && (json_array_size(list) > 0 || r->settings->count == before))
    return ss_settings_add_once(r->settings, key, list, line, error);
  json_decref(list);
  return status;
}

/* Nothing in braces is nothing in a list. */
static ss_status read_node(reader *r, const yaml_node_t *node, const char *key, ss_error *error)
{
  ss_status status = come_by(r, node, error);
  if (status != SS_OK) return status;
  if (r->depth == MOST_DEPTH) return refuse(r, node, error, "is nested too deep");
  ++r->depth;
  if (node->type == YAML_SCALAR_NODE)
    status = ss_settings_add_once(r->settings, key, scalar_of(node), (int)node->start_mark.line + 1, error);
  else if (node->type == YAML_MAPPING_NODE && node->data.mapping.pairs.start == node->data.mapping.pairs.top)
    status = ss_settings_add_once(r->settings, key, json_array(), (int)node->start_mark.line + 1, error);
  else if (node->type == YAML_MAPPING_NODE)
    status = read_mapping(r, node, key, error);
  else
    status = read_sequence(r, node, key, error);
  --r->depth;
  return status;
}

static ss_status load(reader *r, ss_error *error)
{
  if (yaml_parser_load(&r->parser, &r->document)) return SS_OK;
  if (r->parser.error == YAML_MEMORY_ERROR) return out_of_memory(r, error);
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, (int)r->parser.problem_mark.line + 1,
                      "is not YAML: %s", r->parser.problem != NULL ? r->parser.problem : "cannot be read");
}

static ss_status read_root(reader *r, ss_yaml_root root, ss_error *error)
{
  const bool is_list = root == SS_YAML_LIST;
  const yaml_node_t *node = yaml_document_get_root_node(&r->document);
  r->nodes = r->document.nodes.top - r->document.nodes.start;
  if (node != NULL && node->type == (is_list ? YAML_SEQUENCE_NODE : YAML_MAPPING_NODE))
    return is_list ? read_sequence(r, node, "", error) : read_mapping(r, node, "", error);
  const int line = node != NULL ? (int)node->start_mark.line + 1 : (int)r->parser.mark.line + 1;
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, line, "%s",
                      is_list ? "is no list; allowed: members that begin with -"
                              : "is no mapping; allowed: names with values");
}

static ss_status check_end(reader *r, ss_error *error)
{
  const ss_status status = load(r, error);
  if (status != SS_OK) return status;
  const yaml_node_t *node = yaml_document_get_root_node(&r->document);
  const int line = (int)r->document.start_mark.line + 1;
  yaml_document_delete(&r->document);
  if (node == NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, line, "begins another document; allowed: one");
}

ss_status ss_yaml_read_root(ss_settings *settings, ss_yaml_root root, ss_error *error)
{
  reader r = {.settings = settings};
  if (!yaml_parser_initialize(&r.parser)) return out_of_memory(&r, error);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)settings->source->text, settings->source->size);
  ss_status status = load(&r, error);
  if (status == SS_OK) {
    status = read_root(&r, root, error);
    yaml_document_delete(&r.document);
  }
  if (status == SS_OK) status = check_end(&r, error);
  yaml_parser_delete(&r.parser);
  return status;
}

ss_status ss_yaml_read(ss_settings *settings, ss_error *error)
{
  return ss_yaml_read_root(settings, SS_YAML_MAPPING, error);
}
