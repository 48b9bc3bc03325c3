/* Writing platform files, so that SimGrid loads them and ss_machine_load reads the machine that was written. */
#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/topology_parameters.h"
#include "model/input/calibration.h"
#include "model/input/origin.h"
#include "sim/io/cluster.h"
#include "sim/io/io.h"

#define LINE_END "\n"

/* A document being written: after the first failure nothing more is added. */
typedef struct writing {
  xmlTextWriter *xml;
  bool failed;
} writing;

static void check(writing *w, int written)
{
  if (written < 0) w->failed = true;
}

static void write_attribute(writing *w, const char *name, const char *value)
{
  check(w, xmlTextWriterWriteAttribute(w->xml, BAD_CAST name, BAD_CAST value));
}

static void write_raw(writing *w, const char *text)
{
  check(w, xmlTextWriterWriteRaw(w->xml, BAD_CAST text));
}

static void start_element(writing *w, const char *indent, const char *name)
{
  write_raw(w, indent);
  check(w, xmlTextWriterStartElement(w->xml, BAD_CAST name));
}

static void end_element(writing *w)
{
  check(w, xmlTextWriterEndElement(w->xml));
  write_raw(w, LINE_END);
}

static void write_property(writing *w, const char *name, const char *value)
{
  start_element(w, "    ", "prop");
  write_attribute(w, "id", name);
  write_attribute(w, "value", value);
  end_element(w);
}

static void write_count(writing *w, const char *name, int64_t count)
{
  char text[SS_QUANTITY_SIZE];
  (void)snprintf(text, sizeof text, "%" PRId64, count);
  write_property(w, name, text);
}

static void format_curve(const ss_curve *curve, ss_unit unit, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < curve->count; ++i) {
    char at[SS_QUANTITY_SIZE], number[SS_QUANTITY_SIZE];
    ss_quantity_format(curve->size[i], unit, at);
    ss_quantity_format(curve->value[i], SS_UNIT_NONE, number);
    const bool alone = curve->count == 1;
    used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", i > 0 ? " " : "", alone ? "" : at, alone ? "" : ":",
                             number);
  }
}

/* Whether a property does not come from --like: the values of the design, bw and lat of a zone, and link-speed, whose
 * links are not those of the new fabric. */
static bool is_of_fabric(const char *name)
{
  static const char *const names[] = {"domain-size",      "nics-per-domain", "rail-domains",     "link-speed",
                                      "nvlink-bandwidth", "nvlink-latency",  "fabric-bandwidth", "fabric-latency"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static void write_row(writing *w, const ss_machine *machine, const ss_property *row)
{
  const char *field = (const char *)machine + row->offset;
  char text[SS_CURVE_POINTS * 2 * SS_QUANTITY_SIZE];
  ss_curve curve;
  double quantity;
  int64_t count;
  switch (row->type) {
  case SS_PROPERTY_TEXT: write_property(w, row->name, field); break;
  case SS_PROPERTY_COUNT:
    memcpy(&count, field, sizeof count);
    write_count(w, row->name, count);
    break;
  case SS_PROPERTY_QUANTITY:
    memcpy(&quantity, field, sizeof quantity);
    ss_quantity_format(quantity, row->unit, text);
    write_property(w, row->name, text);
    break;
  case SS_PROPERTY_CURVE:
    memcpy(&curve, field, sizeof curve);
    format_curve(&curve, row->unit, text, sizeof text);
    write_property(w, row->name, text);
    break;
  }
}

static void write_properties(writing *w, const ss_machine *machine, const ss_topology_design *design)
{
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) {
    const ss_property *row = &ss_machine_properties()[i];
    if (i == SS_PROPERTY_fitted_to && ss_calibration_of(machine).kernels != SS_KERNELS_FITTED) continue;
    if (machine->line[i] != SS_LINE_DEFAULT && !is_of_fabric(row->name)) write_row(w, machine, row);
  }
  write_count(w, "domain-size", design->domain_size);
  write_count(w, "nics-per-domain", design->nics_per_domain);
  if (design->rail_domains > 0) write_count(w, "rail-domains", design->rail_domains);
}

/* One of the two zones. */
typedef struct zone {
  const char *id, *prefix;
  int64_t hosts;
  double bytes_per_s, latency_s;
  const char *speed, *topology, *parameters; /* a flat topology has none */
} zone;

static void write_zone(writing *w, const zone *z)
{
  char text[SS_QUANTITY_SIZE];
  start_element(w, "    ", "cluster");
  write_attribute(w, "id", z->id);
  write_attribute(w, "prefix", z->prefix);
  write_attribute(w, "suffix", "");
  (void)snprintf(text, sizeof text, "0-%" PRId64, z->hosts - 1);
  write_attribute(w, "radical", text);
  write_attribute(w, "speed", z->speed);
  ss_quantity_format(z->bytes_per_s, SS_UNIT_BYTES_PER_S, text);
  write_attribute(w, "bw", text);
  ss_quantity_format(z->latency_s, SS_UNIT_SECONDS, text);
  write_attribute(w, "lat", text);
  if (z->parameters[0] != '\0') {
    write_attribute(w, "topology", z->topology);
    write_attribute(w, "topo_parameters", z->parameters);
  }
  end_element(w);
}

static void write_zones(writing *w, const ss_machine *machine, const ss_topology_design *design)
{
  static const char *const prefixes[SS_ZONE_COUNT] = {
#define ZONE_PREFIX(id, name, prefix) [id] = prefix,
      SS_ZONE_LIST(ZONE_PREFIX)
#undef ZONE_PREFIX
  };
  char speed[SS_QUANTITY_SIZE], parameters[SS_TOPOLOGY_TEXT_SIZE];
  ss_quantity_format(machine->matrix_flop_per_s, SS_UNIT_FLOP_PER_S, speed);
  ss_topology_print(&design->shape, parameters);
  write_zone(w, &(zone){.id = ss_zone_names[SS_ZONE_NVLINK],
                        .prefix = prefixes[SS_ZONE_NVLINK],
                        .hosts = design->domains * design->domain_size,
                        .bytes_per_s = machine->nvlink_bytes_per_s,
                        .latency_s = machine->nvlink_latency_s,
                        .speed = speed,
                        .parameters = ""});
  write_zone(w, &(zone){.id = ss_zone_names[SS_ZONE_FABRIC],
                        .prefix = prefixes[SS_ZONE_FABRIC],
                        .hosts = design->hosts,
                        .bytes_per_s = machine->fabric_bytes_per_s,
                        .latency_s = machine->fabric_latency_s,
                        .speed = "1f",
                        .topology = ss_topology_words[design->shape.topology],
                        .parameters = parameters});
}

static void write_document(writing *w, const ss_machine *machine, const ss_topology_design *design, const char *comment)
{
  check(w, xmlTextWriterStartDocument(w->xml, "1.0", "UTF-8", NULL));
  check(w, xmlTextWriterWriteDTD(w->xml, BAD_CAST "platform", NULL, BAD_CAST "https://simgrid.org/simgrid.dtd", NULL));
  write_raw(w, LINE_END);
  check(w, xmlTextWriterWriteComment(w->xml, BAD_CAST comment));
  start_element(w, LINE_END, "platform");
  write_attribute(w, "version", "4.1");
  start_element(w, LINE_END "  ", "zone");
  write_attribute(w, "id", machine->name);
  write_attribute(w, "routing", "Full");
  write_raw(w, LINE_END);
  write_properties(w, machine, design);
  write_zones(w, machine, design);
  write_raw(w, "  ");
  end_element(w);
  check(w, xmlTextWriterEndDocument(w->xml));
}

/* SimGrid reads no references in the name of a zone, and comments cannot have any. */
static ss_status check_texts(const ss_machine *machine, const char *comment, ss_error *error)
{
  const char *taken = machine->name;
  bool allowed = taken[0] != '\0';
  for (const char *at = taken; *at != '\0'; ++at)
    allowed = allowed && (unsigned char)*at > ' ' && (unsigned char)*at < 0x7f && strchr("<>&\"'", *at) == NULL;
  for (int i = 0; i < SS_ZONE_COUNT; ++i) allowed = allowed && strcmp(taken, ss_zone_names[i]) != 0;
  if (!allowed)
    return ss_error_set(
        error, SS_ERROR_INPUT, "--name", 0,
        "\"%s\": cannot be the name of a machine; allowed: letters, digits and signs other than <>&\"', "
        "but not nvlink and fabric",
        ss_quote_of(taken).text);
  bool plain = strstr(comment, "--") == NULL && xmlCheckUTF8(BAD_CAST comment);
  for (const char *at = comment; *at != '\0'; ++at) plain = plain && ((unsigned char)*at >= ' ' || *at == '\n');
  if (plain) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "the command line cannot stand in an XML comment; allowed: UTF-8 without control characters");
}

ss_status ss_platform_write(const ss_machine *machine, const ss_topology_design *design, const char *comment,
                            char **text, ss_error *error)
{
  *text = NULL;
  const ss_status status = check_texts(machine, comment, error);
  if (status != SS_OK) return status;
  xmlBuffer *buffer = xmlBufferCreate();
  writing w = {.xml = buffer != NULL ? xmlNewTextWriterMemory(buffer, 0) : NULL};
  if (w.xml != NULL) {
    write_document(&w, machine, design, comment);
    xmlFreeTextWriter(w.xml);
    if (!w.failed) *text = strdup((const char *)xmlBufferContent(buffer));
  }
  xmlBufferFree(buffer);
  return *text != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform file");
}
