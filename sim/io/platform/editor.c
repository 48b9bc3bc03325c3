/* Writing a platform file anew with some of its properties changed: comments, zones and all else stay. */
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/io.h"
#include "sim/io/platform/cluster.h"
#include "sim/io/xml/document.h"
#include "sim/io/xml/writing.h"

static ss_status out_of_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform file");
}

/* The prop of a name in a zone; NULL where there is none. */
static xmlNode *find_property(xmlNode *zone, const char *name)
{
  for (xmlNode *node = zone->children; node != NULL; node = node->next) {
    if (!ss_element_is(node, "prop")) continue;
    const char *id = ss_element_peek(node, "id");
    if (id != NULL && strcmp(id, name) == 0) return node;
  }
  return NULL;
}

/* A new prop in front of the first cluster, on a line of its own. */
static bool add_property(xmlNode *zone, const ss_platform_change *change)
{
  xmlNode *cluster = zone->children;
  while (cluster != NULL && !ss_element_is(cluster, "cluster")) cluster = cluster->next;
  xmlNode *node = xmlNewNode(NULL, BAD_CAST "prop"), *end = xmlNewText(BAD_CAST "\n    ");
  if (cluster == NULL || node == NULL || end == NULL) return false;
  const bool complete = xmlNewProp(node, BAD_CAST "id", BAD_CAST change->name) != NULL &&
                        xmlNewProp(node, BAD_CAST "value", BAD_CAST change->value) != NULL;
  return xmlAddPrevSibling(cluster, node) != NULL && xmlAddPrevSibling(cluster, end) != NULL && complete;
}

static bool apply(xmlNode *zone, const ss_platform_change *change)
{
  xmlNode *known = find_property(zone, change->name);
  if (known == NULL) return add_property(zone, change);
  return xmlSetProp(known, BAD_CAST "value", BAD_CAST change->value) != NULL;
}

static bool edit(const ss_document *document, const ss_platform_edit *change)
{
  xmlNode *root = xmlDocGetRootElement(document->xml), *zone = root->children;
  while (zone != NULL && !ss_element_is(zone, "zone")) zone = zone->next;
  if (zone == NULL || xmlSetProp(zone, BAD_CAST "id", BAD_CAST change->name) == NULL) return false;
  for (int64_t i = 0; i < change->changes; ++i)
    if (!apply(zone, &change->change[i])) return false;
  xmlNode *first = document->xml->children, *comment = xmlNewDocComment(document->xml, BAD_CAST change->comment);
  while (first != NULL && first->type == XML_DTD_NODE) first = first->next;
  return comment != NULL && first != NULL && xmlAddPrevSibling(first, comment) != NULL;
}

ss_status ss_platform_rewrite(const char *path, const ss_platform_edit *change, char **text, ss_error *error)
{
  ss_document document = {.xml = NULL};
  xmlChar *written = NULL;
  int size;
  *text = NULL;
  ss_status status = ss_platform_check_name(change->name, change->comment, error);
  if (status == SS_OK) status = ss_document_open(path, "platform", &document, error);
  if (status == SS_OK && !edit(&document, change)) status = out_of_memory(error);
  if (status == SS_OK) {
    xmlDocDumpMemoryEnc(document.xml, &written, &size, "UTF-8");
    if (written != NULL) *text = strdup((const char *)written);
    xmlFree(written);
    if (*text == NULL) status = out_of_memory(error);
  }
  ss_document_close(&document);
  return status;
}
