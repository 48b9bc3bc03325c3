/* Writing platform files, so that SimGrid loads them and ss_machine_load reads the machine that was written. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/topology_parameters.h"
#include "model/input/calibration.h"
#include "model/input/origin.h"
#include "sim/io/io.h"
#include "sim/io/platform/cluster.h"
#include "sim/io/xml/writing.h"

#define LINE_END "\n"

static void write_property(ss_writing *w, const char *name, const char *value)
{
  ss_writing_start(w, "    ", "prop");
  ss_writing_attribute(w, "id", name);
  ss_writing_attribute(w, "value", value);
  ss_writing_end(w);
}

static void write_count(ss_writing *w, const char *name, int64_t count)
{
  char text[SS_QUANTITY_SIZE];
  (void)snprintf(text, sizeof text, "%" PRId64, count);
  write_property(w, name, text);
}

/* Whether a property does not come from --like: the values of the design, bw and lat of a zone, link-speed and routes,
 * whose links are not those of the new fabric, and whose idealised machine the other one is. */
static bool is_of_fabric(const char *name)
{
  static const char *const names[] = {"idealised",        "domain-size",   "nics-per-domain",  "rail-domains",
                                      "link-speed",       "routes",        "nvlink-bandwidth", "nvlink-latency",
                                      "fabric-bandwidth", "fabric-latency"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* Nodes of the machine that it is like may be larger than the new one. */
static bool has_such_nodes(const ss_machine *machine, const ss_topology_design *design)
{
  return machine->node_gpus == 0 || design->domains * design->domain_size % machine->node_gpus == 0;
}

static void write_properties(ss_writing *w, const ss_machine *machine, const ss_topology_design *design)
{
  char text[SS_PROPERTY_TEXT_SIZE];
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) {
    const ss_property *row = &ss_machine_properties()[i];
    if (i == SS_PROPERTY_fitted_to && ss_calibration_of(machine).kernels != SS_KERNELS_FITTED) continue;
    if (machine->line[i] == SS_LINE_DEFAULT || is_of_fabric(row->name)) continue;
    if (i == SS_PROPERTY_adaptive_routing && (design->shape.topology != SS_TOPOLOGY_FAT_TREE || design->routes != NULL))
      continue;
    if (i == SS_PROPERTY_node_gpus && !has_such_nodes(machine, design)) continue;
    ss_property_text(machine, row, text, sizeof text);
    write_property(w, row->name, text);
  }
  write_count(w, "domain-size", design->domain_size);
  write_count(w, "nics-per-domain", design->nics_per_domain);
  if (design->rail_domains > 0) write_count(w, "rail-domains", design->rail_domains);
  if (design->link_speed != NULL) write_property(w, "link-speed", design->link_speed);
  if (design->routes != NULL) write_property(w, "routes", design->routes);
}

/* One of the two zones. */
typedef struct zone {
  const char *id, *prefix;
  int64_t hosts;
  double bytes_per_s, latency_s;
  const char *speed, *topology, *parameters; /* a flat topology has none */
} zone;

static void write_zone(ss_writing *w, const zone *z)
{
  char text[SS_QUANTITY_SIZE];
  ss_writing_start(w, "    ", "cluster");
  ss_writing_attribute(w, "id", z->id);
  ss_writing_attribute(w, "prefix", z->prefix);
  ss_writing_attribute(w, "suffix", "");
  (void)snprintf(text, sizeof text, "0-%" PRId64, z->hosts - 1);
  ss_writing_attribute(w, "radical", text);
  ss_writing_attribute(w, "speed", z->speed);
  ss_quantity_format(z->bytes_per_s, SS_UNIT_BYTES_PER_S, text);
  ss_writing_attribute(w, "bw", text);
  ss_quantity_format(z->latency_s, SS_UNIT_SECONDS, text);
  ss_writing_attribute(w, "lat", text);
  if (z->parameters[0] != '\0') {
    ss_writing_attribute(w, "topology", z->topology);
    ss_writing_attribute(w, "topo_parameters", z->parameters);
  }
  ss_writing_end(w);
}

static void write_zones(ss_writing *w, const ss_machine *machine, const ss_topology_design *design)
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

/* What a file is made of. */
typedef struct platform {
  const ss_machine *machine;
  const ss_topology_design *design;
  const char *comment;
} platform;

static void write_document(ss_writing *w, const void *what)
{
  const platform *p = what;
  ss_writing_check(w, xmlTextWriterStartDocument(w->xml, "1.0", "UTF-8", NULL));
  ss_writing_check(
      w, xmlTextWriterWriteDTD(w->xml, BAD_CAST "platform", NULL, BAD_CAST "https://simgrid.org/simgrid.dtd", NULL));
  ss_writing_raw(w, LINE_END);
  ss_writing_check(w, xmlTextWriterWriteComment(w->xml, BAD_CAST p->comment));
  ss_writing_start(w, LINE_END, "platform");
  ss_writing_attribute(w, "version", "4.1");
  ss_writing_start(w, LINE_END "  ", "zone");
  ss_writing_attribute(w, "id", p->machine->name);
  ss_writing_attribute(w, "routing", "Full");
  ss_writing_raw(w, LINE_END);
  write_properties(w, p->machine, p->design);
  write_zones(w, p->machine, p->design);
  ss_writing_raw(w, "  ");
  ss_writing_end(w);
  ss_writing_check(w, xmlTextWriterEndDocument(w->xml));
}

ss_status ss_platform_write(const ss_machine *machine, const ss_topology_design *design, const char *comment,
                            char **text, ss_error *error)
{
  *text = NULL;
  const ss_status status = ss_platform_check_name(machine->name, comment, error);
  if (status != SS_OK) return status;
  const platform all = {.machine = machine, .design = design, .comment = comment};
  return ss_writing_text(write_document, &all, text, error);
}
