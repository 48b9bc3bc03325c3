#include "sim/io/platform/cluster.h"

#include <inttypes.h>
#include <string.h>

#include "sim/io/xml/writing.h"

const char *const ss_zone_names[SS_ZONE_COUNT + 1] = {
#define SS_ZONE_NAME(id, name, prefix) name,
    SS_ZONE_LIST(SS_ZONE_NAME)
#undef SS_ZONE_NAME
        NULL};

static const char *const prefixes[SS_ZONE_COUNT] = {
#define SS_ZONE_PREFIX(id, name, prefix) prefix,
    SS_ZONE_LIST(SS_ZONE_PREFIX)
#undef SS_ZONE_PREFIX
};

/* X(name, whether it must be given, what to write). The NVLink zone is flat and has only the first group. */
#define ZONE_ATTRIBUTES(X)                                                                                             \
  X(id, true, "nvlink or fabric")                                                                                      \
  X(prefix, true, "gpu- in nvlink, nic- in fabric")                                                                    \
  X(suffix, true, "empty")                                                                                             \
  X(radical, true, "0-N for N+1 hosts")                                                                                \
  X(speed, true, "a rate such as 312Tf")                                                                               \
  X(bw, true, "a bandwidth such as 25GBps or 200Gbps")                                                                 \
  X(lat, true, "a time such as 2.5us")                                                                                 \
  X(sharing_policy, false, "SPLITDUPLEX, SHARED or FATPIPE")                                                           \
  X(topology, false, "a topology of SimGrid, in nvlink FLAT")
#define FABRIC_ATTRIBUTES(X)                                                                                           \
  X(topo_parameters, false, "the shape of the topology")                                                               \
  X(bb_bw, false, "a bandwidth such as 100GBps")                                                                       \
  X(bb_lat, false, "a time such as 1us")

#define ATTRIBUTE_NAME(name, required, help) #name,
#define ATTRIBUTE_ID(name, required, help)   AT_##name,
#define ATTRIBUTE_ROW(name, required, help)  {required, help},

enum { ZONE_ATTRIBUTES(ATTRIBUTE_ID) FABRIC_ATTRIBUTES(ATTRIBUTE_ID) AT_TOTAL };

static const char *const zone_names[] = {ZONE_ATTRIBUTES(ATTRIBUTE_NAME) NULL};
static const char *const fabric_names[] = {ZONE_ATTRIBUTES(ATTRIBUTE_NAME) FABRIC_ATTRIBUTES(ATTRIBUTE_NAME) NULL};

static const struct {
  bool required;
  const char *help;
} rows[AT_TOTAL] = {ZONE_ATTRIBUTES(ATTRIBUTE_ROW) FABRIC_ATTRIBUTES(ATTRIBUTE_ROW)};

/* The attributes of one cluster element. */
typedef struct reading {
  ss_zone zone;
  ss_value values[AT_TOTAL];
} reading;

ss_status ss_cluster_zone(const ss_document *document, const xmlNode *node, ss_zone *zone, ss_error *error)
{
  const char *id = ss_element_peek(node, "id");
  int index = 0;
  while (id != NULL && index < SS_ZONE_COUNT && strcmp(ss_zone_names[index], id) != 0) index++;
  *zone = (ss_zone)index;
  if (id != NULL && index < SS_ZONE_COUNT) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(node),
                      "cluster.id=\"%s\": is not a zone of a machine; allowed: nvlink, fabric",
                      ss_quote_of(id != NULL ? id : "").text);
}

static ss_status check_required(const reading *read, ss_error *error)
{
  for (int i = 0; i < AT_TOTAL; i++) {
    const ss_value *value = &read->values[i];
    if (rows[i].required && value->text == NULL)
      return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line, "%s is missing; allowed: %s", value->subject,
                          rows[i].help);
  }
  return SS_OK;
}

static ss_status check_literal(const ss_value *value, const char *expected, ss_error *error)
{
  if (strcmp(value->text, expected) == 0) return SS_OK;
  return ss_value_refuse(value, error, "is not how the hosts of this zone are named; allowed: \"%s\"", expected);
}

/* A radical "0-N", the only kind that names the hosts 0 to N without gaps. */
static ss_status read_radical(const ss_value *value, int64_t *hosts, ss_error *error)
{
  int64_t last = -1;
  if (strncmp(value->text, "0-", 2) == 0) {
    const char *end = ss_digits_parse(value->text + 2, &last);
    if (end == NULL || *end != '\0') last = -1;
  }
  if (last < 0 || last >= SS_CLUSTER_HOSTS)
    return ss_value_refuse(value, error, "is not a range of hosts; allowed: 0-N for N+1 hosts, N up to %d",
                           SS_CLUSTER_HOSTS - 1);
  *hosts = last + 1;
  return SS_OK;
}

/* A quantity in the range of the machine property whose default it is. */
static ss_status read_quantity(const ss_value *value, ss_property_index index, double *quantity, ss_error *error)
{
  const ss_property *row = &ss_machine_properties()[index];
  return ss_value_quantity(value, row->unit, row->minimum, row->maximum, quantity, error);
}

static ss_status read_links(const reading *read, ss_cluster *cluster, ss_error *error)
{
  /* NVLink is full duplex: the cost models rely on that */
  static const char *const nvlink_policies[] = {"SPLITDUPLEX", NULL};
#define SHARING_WORD(id, word) word,
  static const char *const fabric_policies[] = {SS_SHARING_LIST(SHARING_WORD) NULL};
#undef SHARING_WORD
  const bool fabric = read->zone == SS_ZONE_FABRIC;
  const ss_value *policy = &read->values[AT_sharing_policy];
  double speed;
  int sharing = SS_SHARING_SPLITDUPLEX;
  ss_status status = read_quantity(&read->values[AT_speed], SS_PROPERTY_matrix_flop_per_s, &speed, error);
  if (status == SS_OK)
    status =
        read_quantity(&read->values[AT_bw], fabric ? SS_PROPERTY_fabric_bytes_per_s : SS_PROPERTY_nvlink_bytes_per_s,
                      &cluster->bytes_per_s, error);
  if (status == SS_OK)
    status = read_quantity(&read->values[AT_lat], fabric ? SS_PROPERTY_fabric_latency_s : SS_PROPERTY_nvlink_latency_s,
                           &cluster->latency_s, error);
  if (status == SS_OK && policy->text != NULL)
    status = ss_value_word(policy, fabric ? fabric_policies : nvlink_policies, &sharing, error);
  cluster->shape.sharing = (ss_sharing)sharing;
  return status;
}

static ss_status read_topology(const reading *read, ss_cluster *cluster, ss_error *error)
{
  static const char *const flat_only[] = {"FLAT", NULL};
  const bool fabric = read->zone == SS_ZONE_FABRIC;
  const ss_value *word = &read->values[AT_topology];
  int topology = SS_TOPOLOGY_FLAT;
  ss_status status = SS_OK;
  if (word->text != NULL) status = ss_value_word(word, fabric ? ss_topology_words : flat_only, &topology, error);
  cluster->shape.topology = (ss_topology)topology;
  if (status == SS_OK && fabric)
    status = ss_topology_read(&read->values[AT_topo_parameters], cluster->hosts, &cluster->shape, error);
  return status;
}

/* The backbone that the hosts of a flat fabric share. */
static ss_status read_backbone(const reading *read, ss_cluster *cluster, ss_error *error)
{
  const ss_value *bandwidth = &read->values[AT_bb_bw], *latency = &read->values[AT_bb_lat];
  const ss_value *given = bandwidth->text != NULL ? bandwidth : latency;
  if (given->text == NULL) return SS_OK;
  if (cluster->shape.topology != SS_TOPOLOGY_FLAT)
    return ss_value_refuse(given, error, "needs a flat fabric; allowed: topology=\"FLAT\", or no backbone");
  /* SimGrid would take the missing bandwidth as 0. */
  if (bandwidth->text == NULL)
    return ss_value_refuse(latency, error, "needs a bandwidth; allowed: together with bb_bw");
  double latency_s; /* start-up times belong to the whole fabric */
  ss_status status =
      read_quantity(bandwidth, SS_PROPERTY_fabric_bytes_per_s, &cluster->shape.as.flat.backbone_bytes_per_s, error);
  if (status == SS_OK && latency->text != NULL)
    status = read_quantity(latency, SS_PROPERTY_fabric_latency_s, &latency_s, error);
  return status;
}

ss_status ss_cluster_read(const ss_document *document, const xmlNode *node, ss_zone zone, ss_cluster *cluster,
                          ss_error *error)
{
  reading read = {.zone = zone};
  const xmlNode *inner = ss_element_first(node);
  if (inner != NULL) return ss_element_refuse(document, inner, "no elements here", error);
  const char *const *names = zone == SS_ZONE_FABRIC ? fabric_names : zone_names;
  ss_status status = ss_element_attributes(document, node, ss_zone_names[zone], names, read.values, error);
  if (status == SS_OK) status = check_required(&read, error);
  if (status == SS_OK) status = check_literal(&read.values[AT_prefix], prefixes[zone], error);
  if (status == SS_OK) status = check_literal(&read.values[AT_suffix], "", error);
  if (status == SS_OK) status = read_radical(&read.values[AT_radical], &cluster->hosts, error);
  if (status == SS_OK) status = read_links(&read, cluster, error);
  if (status == SS_OK) status = read_topology(&read, cluster, error);
  if (status == SS_OK && zone == SS_ZONE_FABRIC) status = read_backbone(&read, cluster, error);
  cluster->radical = read.values[AT_radical];
  return status;
}

/* SimGrid reads no references in the name of a zone, and comments cannot have any. */
ss_status ss_platform_check_name(const char *taken, const char *comment, ss_error *error)
{
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
  return ss_writing_check_comment(comment, error);
}
