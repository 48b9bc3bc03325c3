/* One cluster of a platform: the NVLink zone or the fabric zone. */
#ifndef STEPSIM_SIM_IO_PLATFORM_CLUSTER_H
#define STEPSIM_SIM_IO_PLATFORM_CLUSTER_H

#include "sim/io/platform/topology.h"
#include "sim/io/xml/document.h"

/* The two zones of a machine: X(enumerator, "id", "prefix" of its hosts) */
#define SS_ZONE_LIST(X)                                                                                                \
  X(SS_ZONE_NVLINK, "nvlink", "gpu-")                                                                                  \
  X(SS_ZONE_FABRIC, "fabric", "nic-")

typedef enum ss_zone {
#define SS_ZONE_ID(id, name, prefix) id,
  SS_ZONE_LIST(SS_ZONE_ID)
#undef SS_ZONE_ID
      SS_ZONE_COUNT
} ss_zone;

/* The ids, NULL-terminated. */
extern const char *const ss_zone_names[SS_ZONE_COUNT + 1];

/* What a cluster says; `radical` borrows from the document. */
typedef struct ss_cluster {
  int64_t hosts;
  double bytes_per_s, latency_s;
  ss_shape shape;
  ss_value radical;
} ss_cluster;

/* The zone that a cluster element describes, by its id. SS_ERROR_INPUT when it is neither. */
ss_status ss_cluster_zone(const ss_document *document, const xmlNode *node, ss_zone *zone, ss_error *error);

/* Reads the cluster element of `zone`, holding it to what SimGrid loads. SS_ERROR_INPUT. */
ss_status ss_cluster_read(const ss_document *document, const xmlNode *node, ss_zone zone, ss_cluster *cluster,
                          ss_error *error);

/* Whether these can be the name and the comment of a platform. SS_ERROR_INPUT. */
ss_status ss_platform_check_name(const char *taken, const char *comment, ss_error *error);

#endif
