/* Reading platform files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/fabric/fabric.h"
#include "model/fabric/topology_parameters.h"
#include "model/input/calibration.h"
#include "model/input/origin.h"
#include "sim/io/assign.h"
#include "sim/io/io.h"
#include "sim/io/platform/cluster.h"
#include "sim/io/platform/gpu_speed.h"
#include "sim/io/xml/document.h"
#include "sim/io/xml/prolog.h"
#include "sim/io/xml/schema.h"

/* A platform file being read, with what its two clusters say until the document closes. */
typedef struct platform {
  ss_document document;
  int zone_line;
  ss_cluster clusters[SS_ZONE_COUNT];
} platform;

/* Refuses an attribute that is missing or, with `expected`, has another text. */
static ss_status expect(const ss_value *value, const char *expected, const char *allowed, ss_error *error)
{
  if (value->text == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line, "%s is missing; allowed: %s", value->subject,
                        allowed);
  if (expected != NULL && strcmp(value->text, expected) != 0)
    return ss_value_refuse(value, error, "is not supported; allowed: %s", allowed);
  return SS_OK;
}

static ss_status read_property(const platform *file, const xmlNode *node, ss_machine *machine, ss_error *error)
{
  static const char *const names[] = {"id", "value", NULL};
  ss_value values[2];
  ss_status status = ss_element_attributes(&file->document, node, "prop", names, values, error);
  if (status == SS_OK && ss_element_first(node) != NULL)
    status = ss_element_refuse(&file->document, ss_element_first(node), "no elements here", error);
  if (status == SS_OK) status = expect(&values[0], NULL, "the name of a property", error);
  if (status == SS_OK) status = expect(&values[1], NULL, "the value of the property", error);
  if (status != SS_OK) return status;

  ss_value value = values[1];
  ss_value_name(&value, "%s", values[0].text);
  const ss_property *row = ss_machine_property(values[0].text);
  if (row == NULL) return ss_property_refuse(&value, error);
  const int earlier = machine->line[row - ss_machine_properties()];
  if (earlier != SS_LINE_DEFAULT)
    return ss_value_refuse(&value, error, "occurs again, after line %d; allowed: once", earlier);
  return ss_machine_assign(machine, row, &value, value.line, error);
}

static ss_status check_required(const platform *file, const ss_machine *machine, ss_error *error)
{
  ss_list missing = {.used = 0};
  for (int i = 0; i < SS_PROPERTY_TOTAL; i++) {
    const ss_property *row = &ss_machine_properties()[i];
    const bool optional = row->type == SS_PROPERTY_TEXT || row->fallback >= 0;
    if (optional || machine->line[i] != SS_LINE_DEFAULT) continue;
    ss_list_add(&missing, "%s (%s)", row->name, ss_unit_text(row->unit));
  }
  if (missing.used == 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, file->document.path, file->zone_line,
                      "required properties are missing: %s", missing.text);
}

/* Reads the clusters from `node` on, which are the last children of the zone. */
static ss_status read_clusters(platform *file, const xmlNode *node, ss_error *error)
{
  int line[SS_ZONE_COUNT] = {0};
  int count = 0;
  for (; node != NULL; node = ss_element_next(node), count++) {
    if (!ss_element_is(node, "cluster"))
      return ss_element_refuse(&file->document, node, "<prop> first, then two <cluster>", error);
    ss_zone zone;
    ss_status status = ss_cluster_zone(&file->document, node, &zone, error);
    if (status == SS_OK && line[zone] != 0)
      status =
          ss_error_set(error, SS_ERROR_INPUT, file->document.path, ss_element_line(node),
                       "cluster \"%s\" occurs again, after line %d; allowed: once", ss_zone_names[zone], line[zone]);
    if (status == SS_OK) status = ss_cluster_read(&file->document, node, zone, &file->clusters[zone], error);
    if (status != SS_OK) return status;
    line[zone] = ss_element_line(node);
  }
  if (count == SS_ZONE_COUNT) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, file->document.path, file->zone_line,
                      "the zone has %d of its two clusters; allowed: exactly two, with the ids nvlink and fabric",
                      count);
}

static ss_status read_zone_name(const platform *file, const xmlNode *zone, ss_machine *machine, ss_error *error)
{
  static const char *const names[] = {"id", "routing", NULL};
  ss_value values[2];
  ss_status status = ss_element_attributes(&file->document, zone, "zone", names, values, error);
  if (status == SS_OK) status = expect(&values[0], NULL, "the name of the machine", error);
  if (status == SS_OK) status = expect(&values[1], "Full", "Full", error);
  if (status != SS_OK) return status;
  bool taken = values[0].text[0] == '\0';
  for (int i = 0; i < SS_ZONE_COUNT; i++) taken = taken || strcmp(values[0].text, ss_zone_names[i]) == 0;
  if (taken)
    return ss_value_refuse(&values[0], error,
                           "cannot be the name of the machine; allowed: any name other than nvlink and fabric");
  return ss_value_text(&values[0], machine->name, sizeof machine->name, error);
}

static ss_status read_zone(platform *file, const xmlNode *zone, ss_machine *machine, ss_error *error)
{
  file->zone_line = ss_element_line(zone);
  ss_status status = read_zone_name(file, zone, machine, error);
  const xmlNode *node = ss_element_first(zone);
  for (; status == SS_OK && node != NULL && ss_element_is(node, "prop"); node = ss_element_next(node))
    status = read_property(file, node, machine, error);
  if (status == SS_OK) status = read_clusters(file, node, error);
  if (status == SS_OK) status = check_required(file, machine, error);
  return status;
}

static ss_status read_platform(platform *file, ss_machine *machine, ss_error *error)
{
  static const char *const names[] = {"version", NULL};
  const xmlNode *root = xmlDocGetRootElement(file->document.xml), *zone = ss_element_first(root);
  ss_value version;
  ss_status status = ss_element_attributes(&file->document, root, "platform", names, &version, error);
  if (status == SS_OK) status = expect(&version, "4.1", "4.1", error);
  if (status != SS_OK) return status;
  if (zone == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, file->document.path, ss_element_line(root),
                        "element <platform> is empty; allowed: one <zone> with the clusters nvlink and fabric");
  if (!ss_element_is(zone, "zone")) return ss_element_refuse(&file->document, zone, "<zone>", error);
  if (ss_element_next(zone) != NULL)
    return ss_error_set(error, SS_ERROR_INPUT, file->document.path, ss_element_line(ss_element_next(zone)),
                        "element <%s> follows the outer zone; allowed: one <zone> only",
                        ss_quote_of((const char *)ss_element_next(zone)->name).text);
  return read_zone(file, zone, machine, error);
}

/* Reads everything except what ties hosts to properties. The caller closes the platform, also after an error. */
static ss_status open_platform(const char *path, platform *file, ss_machine *machine, ss_error *error)
{
  ss_machine_init(machine);
  (void)snprintf(machine->file, sizeof machine->file, "%s", path);
  *file = (platform){.zone_line = 0};
  ss_status status = ss_document_open(path, "platform", &file->document, error);
  if (status == SS_OK) status = ss_prolog_check(&file->document, error);
  if (status == SS_OK) status = read_platform(file, machine, error);
  if (status == SS_OK) status = ss_document_validate(&file->document, ss_platform_xsd, error);
  if (status == SS_OK) machine->gpus = file->clusters[SS_ZONE_NVLINK].hosts;
  return status;
}

static ss_status check_hosts(const platform *file, const ss_machine *machine, ss_error *error)
{
  const int64_t gpus = file->clusters[SS_ZONE_NVLINK].hosts, domain = machine->domain_size;
  const int64_t nics = machine->nics_per_domain;
  const ss_cluster *fabric = &file->clusters[SS_ZONE_FABRIC];
  if (gpus % domain != 0)
    return ss_machine_refuse(machine, SS_PROPERTY_domain_size, error,
                             "does not divide the %" PRId64 " hosts of nvlink; allowed: a divisor of %" PRId64, gpus,
                             gpus);
  if (nics % domain != 0 && domain % nics != 0)
    return ss_machine_refuse(machine, SS_PROPERTY_nics_per_domain, error,
                             "does not suit domain-size=\"%" PRId64 "\"; allowed: a divisor or a multiple of %" PRId64,
                             domain, domain);
  if (machine->nvlink_pairs != 0 && machine->nvlink_reduces != 0)
    return ss_machine_refuse(machine, SS_PROPERTY_nvlink_reduces, error,
                             "needs a switch, but nvlink-pairs=\"1\" says that there is none; allowed: 0");
  const int64_t needed = gpus / domain * nics;
  const bool exact = ss_topology_form(fabric->shape.topology) == NULL;
  /* A fabric without parameters can have exactly the hosts that are needed; a tree may have leaves to spare. */
  if (fabric->hosts == needed || (!exact && fabric->hosts > needed)) return SS_OK;
  return ss_value_refuse(&fabric->radical, error,
                         "gives %" PRId64 " NICs to %" PRId64 " domains with %" PRId64 " each; allowed: %s0-%" PRId64,
                         fabric->hosts, gpus / domain, nics, exact ? "" : "at least ", needed - 1);
}

/* Checks what refers to the links of the fabric, once its hosts are known to be right. */
static ss_status check_links(const ss_machine *machine, ss_error *error)
{
  const int64_t domains = machine->gpus / machine->domain_size;
  if (machine->rail_domains > 0 && domains % machine->rail_domains != 0)
    return ss_machine_refuse(machine, SS_PROPERTY_rail_domains, error,
                             "does not divide the %" PRId64 " domains; allowed: 0 or a divisor of %" PRId64, domains,
                             domains);
  if (machine->adaptive_routing != 0 && machine->shape.topology != SS_TOPOLOGY_FAT_TREE)
    return ss_machine_refuse(machine, SS_PROPERTY_adaptive_routing, error,
                             "needs a fabric with several routes to choose from; allowed: 0, or a fat tree");
  if (machine->link_speed[0] == '\0') return SS_OK;
  ss_fabric *fabric = NULL;
  const ss_status status = ss_fabric_create(&fabric, machine, error);
  ss_fabric_destroy(fabric);
  return status;
}

static ss_status check_power(const ss_machine *machine, ss_error *error)
{
  const double limit_w = machine->gpu_limit_w;
  if (machine->gpu_power_w > 0.0 && machine->gpu_idle_w > machine->gpu_power_w)
    return ss_machine_refuse(machine, SS_PROPERTY_gpu_idle_w, error, "is more than gpu-power; allowed: up to its %g W",
                             machine->gpu_power_w);
  if (limit_w == 0.0) return SS_OK;
  if (machine->gpu_power_w == 0.0)
    return ss_machine_refuse(machine, SS_PROPERTY_gpu_limit_w, error,
                             "limits GPUs whose power is unknown; allowed: 0, or gpu-power beside it");
  if (limit_w <= machine->gpu_idle_w)
    return ss_machine_refuse(machine, SS_PROPERTY_gpu_limit_w, error,
                             "is not more than idle GPUs draw; allowed: more than %g W", machine->gpu_idle_w);
  return SS_OK;
}

/* A rate of 0 takes stalls away, and leaves how long they took. */
static ss_status check_stalls(const ss_machine *machine, ss_error *error)
{
  if (machine->stall_rate_per_s > 0.0 && machine->stall_time_s == 0.0)
    return ss_machine_refuse(machine, SS_PROPERTY_stall_rate_per_s, error,
                             "is of stalls that take no time; allowed: 0, or stall-time beside it");
  if (machine->stall_time_s > 0.0 && machine->line[SS_PROPERTY_stall_rate_per_s] == SS_LINE_DEFAULT)
    return ss_machine_refuse(machine, SS_PROPERTY_stall_time_s, error,
                             "is of stalls that never come; allowed: 0, or stall-rate beside it");
  return SS_OK;
}

static ss_status check_nodes(const ss_machine *machine, ss_error *error)
{
  if (machine->node_gpus == 0 || machine->gpus % machine->node_gpus == 0) return SS_OK;
  return ss_machine_refuse(machine, SS_PROPERTY_node_gpus, error,
                           "does not divide the %" PRId64 " GPUs; allowed: 0 or a divisor of %" PRId64, machine->gpus,
                           machine->gpus);
}

static ss_status check_memory(const ss_machine *machine, ss_error *error)
{
  if (machine->memory_reserved_bytes < machine->hbm_bytes) return SS_OK;
  return ss_machine_refuse(machine, SS_PROPERTY_memory_reserved_bytes, error,
                           "leaves nothing of hbm-capacity; allowed: less than that");
}

/* Checks properties that stand by themselves. */
static ss_status check_gpus(const ss_machine *machine, ss_error *error)
{
  ss_status status = ss_gpu_speed_check(machine, error);
  if (status == SS_OK) status = check_memory(machine, error);
  if (status == SS_OK) status = check_power(machine, error);
  if (status == SS_OK) status = check_stalls(machine, error);
  if (status == SS_OK) status = check_nodes(machine, error);
  if (status == SS_OK) status = ss_calibration_check(machine, error);
  return status;
}

/* A default that comes from the clusters. */
static void take_default(const ss_machine *machine, ss_property_index index, double from_cluster, double *property)
{
  if (machine->line[index] == SS_LINE_DEFAULT) *property = from_cluster;
}

/* The path of the routes is relative to the platform file that names them, wherever the program runs. */
static ss_status resolve_routes(ss_machine *machine, ss_error *error)
{
  const char *slash = strrchr(machine->file, '/');
  if (machine->routes[0] == '\0' || machine->routes[0] == '/' || slash == NULL) return SS_OK;
  const size_t folder = (size_t)(slash + 1 - machine->file), length = strlen(machine->routes);
  if (folder + length >= sizeof machine->routes)
    return ss_machine_refuse(machine, SS_PROPERTY_routes, error,
                             "has %zu bytes with the folder of this file; allowed: at most %zu", folder + length,
                             sizeof machine->routes - 1);
  memmove(machine->routes + folder, machine->routes, length + 1);
  memcpy(machine->routes, machine->file, folder);
  return SS_OK;
}

ss_status ss_machine_load(const char *path, ss_machine *machine, ss_error *error)
{
  platform file;
  ss_status status = open_platform(path, &file, machine, error);
  if (status == SS_OK) status = check_hosts(&file, machine, error);
  if (status == SS_OK) status = check_gpus(machine, error);
  if (status == SS_OK) {
    const ss_cluster *nvlink = &file.clusters[SS_ZONE_NVLINK], *fabric = &file.clusters[SS_ZONE_FABRIC];
    machine->zone_nvlink_bytes_per_s = nvlink->bytes_per_s;
    machine->zone_fabric_bytes_per_s = fabric->bytes_per_s;
    machine->shape = fabric->shape;
    take_default(machine, SS_PROPERTY_nvlink_bytes_per_s, nvlink->bytes_per_s, &machine->nvlink_bytes_per_s);
    take_default(machine, SS_PROPERTY_nvlink_latency_s, nvlink->latency_s, &machine->nvlink_latency_s);
    take_default(machine, SS_PROPERTY_fabric_bytes_per_s, fabric->bytes_per_s, &machine->fabric_bytes_per_s);
    take_default(machine, SS_PROPERTY_fabric_latency_s, fabric->latency_s, &machine->fabric_latency_s);
    status = check_links(machine, error);
  }
  if (status == SS_OK) status = resolve_routes(machine, error);
  ss_document_close(&file.document);
  return status;
}

ss_status ss_machine_check(const ss_machine *machine, ss_error *error)
{
  const int *line = machine->line;
  const bool hosts =
      line[SS_PROPERTY_domain_size] == SS_LINE_OVERRIDE || line[SS_PROPERTY_nics_per_domain] == SS_LINE_OVERRIDE ||
      line[SS_PROPERTY_nvlink_reduces] == SS_LINE_OVERRIDE || line[SS_PROPERTY_nvlink_pairs] == SS_LINE_OVERRIDE;
  const bool links = line[SS_PROPERTY_rail_domains] == SS_LINE_OVERRIDE ||
                     line[SS_PROPERTY_adaptive_routing] == SS_LINE_OVERRIDE ||
                     line[SS_PROPERTY_link_speed] == SS_LINE_OVERRIDE;
  ss_status status = check_gpus(machine, error);
  if (status == SS_OK && links && !hosts) status = check_links(machine, error);
  if (!hosts) return status; /* the rest as the file has it: ss_machine_load has checked it */
  platform file;
  ss_machine from_file;
  if (status != SS_OK) return status;
  status = open_platform(machine->file, &file, &from_file, error);
  if (status == SS_OK) status = check_hosts(&file, machine, error);
  if (status == SS_OK) status = check_links(machine, error);
  ss_document_close(&file.document);
  return status;
}
