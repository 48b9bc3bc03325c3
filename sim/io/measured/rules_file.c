/* Reading files of rules: what names in traces mean. */
#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "sim/io/io.h"
#include "sim/io/xml/document.h"
#include "sim/io/xml/schema.h"

enum { RULE_NAME, RULE_CLASS, RULE_VALUES };

#define CLASS_WORD(id, word, beside) word,
static const char *const class_words[] = {SS_CLASS_LIST(CLASS_WORD) NULL};

static ss_status refuse_class(const ss_value *value, ss_error *error)
{
#define CLASS_LISTED(id, word, beside) ", " word
  static const char allowed[] = SS_CLASS_LIST(CLASS_LISTED);
  return ss_value_refuse(value, error, "is unknown%s; allowed: %s", ss_hint_of(value->text, class_words).text,
                         allowed + strlen(", "));
}

static ss_status read_rule(const ss_document *document, const xmlNode *node, ss_rule_kind kind, ss_rule *rule,
                           ss_error *error)
{
#define HAS_CLASS(id, element, has_class, help) has_class,
  static const bool has_class[SS_RULE_COUNT] = {SS_RULE_LIST(HAS_CLASS)};
  static const char *const with_class[] = {"name", "class", NULL}, *const without[] = {"name", NULL};
  ss_value values[RULE_VALUES];
  const char *subject = (const char *)node->name;
  const ss_status status =
      ss_element_attributes(document, node, subject, has_class[kind] ? with_class : without, values, error);
  if (status != SS_OK) return status;
  for (int i = 0; i < (has_class[kind] ? 2 : 1); ++i)
    if (values[i].text == NULL) return ss_value_refuse_missing(&values[i], error);
  *rule = (ss_rule){.kind = kind, .class_of = SS_CLASS_COUNT};
  const size_t length = strlen(values[RULE_NAME].text);
  if (length == 0 || length >= sizeof rule->pattern)
    return ss_value_refuse(&values[RULE_NAME], error, "has %zu bytes; allowed: 1 to %zu", length,
                           sizeof rule->pattern - 1);
  (void)snprintf(rule->pattern, sizeof rule->pattern, "%s", values[RULE_NAME].text);
  if (!has_class[kind]) return SS_OK;
  rule->class_of = ss_class_of_word(values[RULE_CLASS].text);
  return rule->class_of != SS_CLASS_COUNT ? SS_OK : refuse_class(&values[RULE_CLASS], error);
}

/* The kind of an element; SS_RULE_COUNT where it is none. */
static ss_rule_kind kind_of(const xmlNode *node)
{
#define RULE_ELEMENT(id, element, has_class, help) element,
  static const char *const elements[SS_RULE_COUNT] = {SS_RULE_LIST(RULE_ELEMENT)};
  int kind = 0;
  while (kind < SS_RULE_COUNT && !ss_element_is(node, elements[kind])) ++kind;
  return (ss_rule_kind)kind;
}

static ss_status read_rules(const ss_document *document, ss_rules *rules, ss_error *error)
{
  const xmlNode *root = xmlDocGetRootElement(document->xml);
  ss_status status = SS_OK;
  for (const xmlNode *node = ss_element_first(root); status == SS_OK && node != NULL; node = ss_element_next(node)) {
    const ss_rule_kind kind = kind_of(node);
    if (kind == SS_RULE_COUNT)
      status = ss_element_refuse(document, node, "<kernel>, <group>, <step>, <layer>", error);
    else if (ss_element_first(node) != NULL)
      status = ss_element_refuse(document, ss_element_first(node), "no elements here", error);
    else if (rules->count == SS_RULES_MAX)
      status = ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(node), "more than %d rules",
                            SS_RULES_MAX);
    else
      status = read_rule(document, node, kind, &rules->rule[rules->count], error);
    rules->count += status == SS_OK;
  }
  return status;
}

ss_status ss_rules_load(const char *path, ss_rules *rules, ss_error *error)
{
  ss_document document;
  ss_status status = ss_document_open(path, "rules", &document, error);
  if (status == SS_OK) status = ss_document_version(&document, "rules", error);
  if (status == SS_OK) status = read_rules(&document, rules, error);
  if (status == SS_OK) status = ss_document_validate(&document, ss_rules_xsd, error);
  ss_document_close(&document);
  return status;
}
