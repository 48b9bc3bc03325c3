#include "model/fabric/topologies.h"

static const ss_topology_methods *const topologies[SS_TOPOLOGY_COUNT] = {
#define TOPOLOGY_ROW(id, word, name) [id] = &ss_##name##_topology,
    SS_TOPOLOGY_LIST(TOPOLOGY_ROW)
#undef TOPOLOGY_ROW
};

static const ss_fabric_methods *const fabrics[SS_FABRIC_KIND_COUNT] = {
#define FABRIC_ROW(id, word, name, help) [id] = &ss_##name##_fabric,
    SS_FABRIC_KIND_LIST(FABRIC_ROW)
#undef FABRIC_ROW
};

const ss_topology_methods *ss_topology_methods_of(ss_topology topology)
{
  SS_ASSERT((int)topology >= 0 && topology < SS_TOPOLOGY_COUNT);
  return topologies[topology];
}

const ss_fabric_methods *ss_fabric_methods_of(ss_fabric_kind kind)
{
  SS_ASSERT((int)kind >= 0 && kind < SS_FABRIC_KIND_COUNT);
  return fabrics[kind];
}
