#include "sim/io/xml/document.h"

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <stdio.h>
#include <string.h>

#include "sim/io/xml/markup.h"

/* The first message of libxml2, which would print it otherwise. */
typedef struct complaint {
  char text[SS_MESSAGE_SIZE];
  int line;
} complaint;

static void keep_first(complaint *kept, const xmlError *reported)
{
  if (reported->level < XML_ERR_ERROR || kept->text[0] != '\0') return;
  const char *text = reported->message != NULL ? reported->message : "unknown error";
  (void)snprintf(kept->text, sizeof kept->text, "%.*s", (int)strcspn(text, "\n"), text);
  kept->line = reported->line > 0 ? reported->line : 0;
}

static void on_parser_error(void *context, xmlErrorPtr reported)
{
  keep_first(((xmlParserCtxt *)context)->_private, reported);
}

static void on_schema_error(void *context, xmlErrorPtr reported)
{
  keep_first(context, reported);
}

/* Stops before the first entity exists, so that none can grow. */
static void on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content)
{
  (void)type, (void)public_id, (void)system_id, (void)content;
  xmlParserCtxt *parser = context;
  complaint *kept = parser->_private;
  if (kept->text[0] == '\0') {
    (void)snprintf(kept->text, sizeof kept->text, "declares the entity %s; allowed: no declarations",
                   ss_quote_of((const char *)name).text);
    kept->line = xmlSAX2GetLineNumber(parser);
  }
  xmlStopParser(parser);
}

static ss_status out_of_memory(const ss_document *document, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, document->path, 0, "%s", ss_status_text(SS_ERROR_MEMORY));
}

/* Whether a file begins as the JSON of a model does, of which a workload can be made. */
static bool is_json(const ss_document *document)
{
  const char *text = document->file.text;
  return document->file.size > 0 && text[strspn(text, " \t\r\n")] == '{';
}

static ss_status parse(ss_document *document, ss_error *error)
{
  complaint kept = {.line = 0};
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (parser == NULL) return out_of_memory(document, error);
  parser->_private = &kept;
  parser->sax->serror = on_parser_error;
  parser->sax->entityDecl = on_entity;
  document->xml = xmlCtxtReadMemory(parser, document->file.text, (int)document->file.size, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_BIG_LINES);
  xmlFreeParserCtxt(parser);
  if (strncmp(kept.text, "declares", strlen("declares")) == 0)
    return ss_error_set(error, SS_ERROR_INPUT, document->path, kept.line, "%s", kept.text);
  if (kept.text[0] != '\0' && is_json(document))
    return ss_error_set(
        error, SS_ERROR_INPUT, document->path, kept.line,
        "is JSON; allowed: XML, which \"stepsim import FILE --output job.xml\" makes of the config.json "
        "of a model");
  if (kept.text[0] != '\0')
    return ss_error_set(error, SS_ERROR_INPUT, document->path, kept.line, "is not well-formed XML: %s", kept.text);
  return document->xml != NULL ? SS_OK : out_of_memory(document, error);
}

static ss_status check_encoding(const ss_document *document, ss_error *error)
{
  const xmlChar *encoding = document->xml->encoding;
  if (encoding == NULL || xmlStrcasecmp(encoding, BAD_CAST "UTF-8") == 0 ||
      xmlStrcasecmp(encoding, BAD_CAST "US-ASCII") == 0)
    return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, document->path, 1, "encoding=\"%s\": cannot be read; allowed: UTF-8",
                      ss_quote_of((const char *)encoding).text);
}

static bool is_blank(const char *text)
{
  while (ss_is_white(*text)) text++;
  return *text == '\0';
}

static ss_quote name_of(const xmlNode *node)
{
  return ss_quote_of((const char *)node->name);
}

static void set_line(void **slot, int line)
{
  *slot = (void *)(intptr_t)line;
}

/* Gives an element and its attributes the lines of their tag. Attributes are in document order on both sides. */
static void mark_lines(xmlNode *element, const ss_markup *tag)
{
  set_line(&element->_private, tag->line);
  ss_scan scan = ss_scan_tag(tag);
  const char *name;
  size_t length;
  int line;
  for (xmlAttr *attribute = element->properties; attribute != NULL; attribute = attribute->next)
    if (ss_scan_attribute(&scan, &name, &length, &line)) set_line(&attribute->_private, line);
}

/* What stands between tags and is neither white space nor a comment. */
static ss_status check_text(const ss_document *document, const xmlNode *node, ss_error *error)
{
  const bool blank = node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE ||
                     (node->type == XML_TEXT_NODE && is_blank((const char *)node->content));
  if (blank) return SS_OK;
  const char *text = node->content != NULL ? (const char *)node->content : (const char *)node->name;
  text += strspn(text, " \t\r\n");
  return ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(node->parent),
                      "element <%s> contains the text \"%s\"; allowed: attributes and elements only",
                      name_of(node->parent).text, ss_quote_of(text).text);
}

/* Neither format has namespaces, and SimGrid refuses even xml:lang. */
static ss_status check_namespace(const ss_document *document, const xmlNode *element, ss_error *error)
{
  bool used = element->nsDef != NULL || element->ns != NULL;
  for (const xmlAttr *attribute = element->properties; attribute != NULL; attribute = attribute->next)
    used = used || attribute->ns != NULL;
  if (!used) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(element),
                      "element <%s> has or declares a namespace; allowed: none", name_of(element).text);
}

/* The next node of the tree in document order; NULL after the last. */
static xmlNode *following(xmlNode *node)
{
  if (node->type == XML_ELEMENT_NODE && node->children != NULL) return node->children;
  while (node != NULL && node->next == NULL) node = node->parent;
  return node != NULL ? node->next : NULL;
}

/* Moves `node` to the first element at or after it, over anything that is allowed between elements. */
static ss_status find_element(const ss_document *document, xmlNode **node, ss_error *error)
{
  for (; *node != NULL && (*node)->type != XML_ELEMENT_NODE; *node = following(*node)) {
    const ss_status status = check_text(document, *node, error);
    if (status != SS_OK) return status;
  }
  return SS_OK;
}

/* Refuses what the tree does not show, or shows without a line. */
static ss_status check_piece(const ss_document *document, const ss_markup *markup, ss_error *error)
{
  const char *problem = NULL;
  if (markup->kind == SS_MARKUP_REFERENCE)
    problem = "a reference outside of an attribute; allowed: elements, comments and white space";
  else if (markup->kind == SS_MARKUP_CDATA)
    problem = "a CDATA section; allowed: elements, comments and white space";
  else if (markup->kind == SS_MARKUP_DOCTYPE &&
           memchr(markup->begin, '[', (size_t)(markup->end - markup->begin)) != NULL)
    problem = "the document type has an internal subset; allowed: no declarations";
  return problem == NULL ? SS_OK : ss_error_set(error, SS_ERROR_INPUT, document->path, markup->line, "%s", problem);
}

/* Walks the text and the tree side by side: line numbers for the one, rules for both. */
static ss_status check_markup(const ss_document *document, ss_error *error)
{
  ss_scan scan = {.at = document->file.text, .end = document->file.text + document->file.size, .line = 1};
  xmlNode *node = xmlDocGetRootElement(document->xml);
  ss_markup markup;
  while (node != NULL && ss_scan_markup(&scan, &markup)) {
    ss_status status = check_piece(document, &markup, error);
    if (status == SS_OK) status = find_element(document, &node, error);
    if (status == SS_OK && markup.kind == SS_MARKUP_START && node != NULL) {
      mark_lines(node, &markup);
      status = check_namespace(document, node, error);
      node = following(node);
    }
    if (status != SS_OK) return status;
  }
  if (node == NULL) return SS_OK;
  /* The two can disagree only if libxml2 guessed the encoding. */
  return ss_error_set(error, SS_ERROR_INPUT, document->path, 0, "is not plain text; allowed: UTF-8");
}

static ss_status check_root(const ss_document *document, const char *root, ss_error *error)
{
  const xmlNode *element = xmlDocGetRootElement(document->xml);
  if (ss_element_is(element, root)) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(element),
                      "root element is <%s>; allowed: <%s>", name_of(element).text, root);
}

ss_status ss_document_open(const char *path, const char *root, ss_document *document, ss_error *error)
{
  *document = (ss_document){.path = path};
  ss_status status = ss_file_read(path, &document->file, error);
  if (status == SS_OK) status = parse(document, error);
  if (status == SS_OK) status = check_encoding(document, error);
  if (status == SS_OK) status = check_markup(document, error);
  if (status == SS_OK) status = check_root(document, root, error);
  return status;
}

void ss_document_close(ss_document *document)
{
  xmlFreeDoc(document->xml);
  ss_file_free(&document->file);
  *document = (ss_document){.path = NULL};
}

ss_status ss_document_validate(const ss_document *document, const char *xsd, ss_error *error)
{
  complaint kept = {.line = 0};
  xmlSchema *schema = NULL;
  xmlSchemaValidCtxt *validator = NULL;
  xmlSchemaParserCtxt *parser = xmlSchemaNewMemParserCtxt(xsd, (int)strlen(xsd));
  if (parser != NULL) {
    xmlSchemaSetParserStructuredErrors(parser, on_schema_error, &kept);
    schema = xmlSchemaParse(parser);
  }
  SS_ASSERT(kept.text[0] == '\0');
  if (schema != NULL) validator = xmlSchemaNewValidCtxt(schema);
  ss_status status = SS_OK;
  if (validator == NULL) {
    status = out_of_memory(document, error);
  } else {
    xmlSchemaSetValidStructuredErrors(validator, on_schema_error, &kept);
    if (xmlSchemaValidateDoc(validator, document->xml) != 0)
      status =
          ss_error_set(error, SS_ERROR_INPUT, document->path, kept.line, "does not follow the schema: %s", kept.text);
  }
  xmlSchemaFreeValidCtxt(validator);
  xmlSchemaFree(schema);
  xmlSchemaFreeParserCtxt(parser);
  return status;
}

int ss_element_line(const xmlNode *element)
{
  return (int)(intptr_t)element->_private;
}

static const xmlNode *element_at(const xmlNode *node)
{
  while (node != NULL && node->type != XML_ELEMENT_NODE) node = node->next;
  return node;
}

const xmlNode *ss_element_first(const xmlNode *parent)
{
  return element_at(parent->children);
}

const xmlNode *ss_element_next(const xmlNode *element)
{
  return element_at(element->next);
}

bool ss_element_is(const xmlNode *element, const char *name)
{
  return element->ns == NULL && strcmp((const char *)element->name, name) == 0;
}

ss_status ss_element_refuse(const ss_document *document, const xmlNode *element, const char *allowed, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(element),
                      "unknown element <%s>; allowed: %s", name_of(element).text, allowed);
}

/* The text of an attribute; NULL when it refers to an entity, which a document type that nobody fetches might define.
 */
static const char *text_of(const xmlAttr *attribute)
{
  const xmlNode *text = attribute->children;
  if (text == NULL) return "";
  return text->type == XML_TEXT_NODE && text->next == NULL ? (const char *)text->content : NULL;
}

const char *ss_element_peek(const xmlNode *element, const char *name)
{
  const xmlAttr *attribute = xmlHasNsProp(element, (const xmlChar *)name, NULL);
  return attribute != NULL ? text_of(attribute) : NULL;
}

ss_status ss_element_attributes(const ss_document *document, const xmlNode *element, const char *subject,
                                const char *const *names, ss_value *values, ss_error *error)
{
  size_t count = 0;
  for (; names[count] != NULL; count++) {
    values[count] = (ss_value){.file = document->path, .line = ss_element_line(element)};
    ss_value_name(&values[count], "%s.%s", subject, names[count]);
  }
  for (const xmlAttr *attribute = element->properties; attribute != NULL; attribute = attribute->next) {
    const char *name = (const char *)attribute->name, *text = text_of(attribute);
    ss_value value = {.text = text, .file = document->path, .line = (int)(intptr_t)attribute->_private};
    ss_value_name(&value, "%s.%s", subject, name);
    if (text == NULL)
      return ss_error_set(error, SS_ERROR_INPUT, value.file, value.line, "%s refers to an entity; allowed: plain text",
                          value.subject);
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0) i++;
    if (i == count) return ss_attribute_refuse(&value, names, error);
    values[i] = value;
  }
  return SS_OK;
}

ss_status ss_document_version(const ss_document *document, const char *root, ss_error *error)
{
  static const char *const names[] = {"version", NULL};
  ss_value version;
  const ss_status status =
      ss_element_attributes(document, xmlDocGetRootElement(document->xml), root, names, &version, error);
  if (status != SS_OK) return status;
  if (version.text == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, version.file, version.line, "%s.version is missing; allowed: 1", root);
  if (strcmp(version.text, "1") != 0) return ss_value_refuse(&version, error, "is an unknown version; allowed: 1");
  return SS_OK;
}

ss_status ss_document_beside(const ss_document *document, const ss_value *value, char path[SS_PATH_SIZE],
                             ss_error *error)
{
  const char *file = document->path, *slash = strrchr(file, '/');
  const int folder = value->text[0] != '/' && slash != NULL ? (int)(slash + 1 - file) : 0;
  if ((size_t)folder + strlen(value->text) >= SS_PATH_SIZE)
    return ss_value_refuse(value, error, "is too long with the folder of this file; allowed: %d bytes",
                           SS_PATH_SIZE - 1);
  (void)snprintf(path, SS_PATH_SIZE, "%.*s%s", folder, file, value->text);
  return SS_OK;
}
