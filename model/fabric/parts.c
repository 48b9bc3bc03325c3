#include "model/fabric/parts.h"

#include "model/fabric/topologies.h"

ss_fabric_parts ss_fabric_parts_of(const ss_machine *machine)
{
  const ss_topology_methods *topology = ss_topology_methods_of(machine->shape.topology);
  const int64_t nics = machine->gpus / machine->domain_size * machine->nics_per_domain;
  ss_fabric_parts parts = {.nics = topology->hosts != NULL ? topology->hosts(&machine->shape) : nics};
  if (topology->count != NULL)
    topology->count(&machine->shape, machine->switch_ports, &parts);
  else
    ss_fabric_parts_add_nics(&parts, parts.nics, 0);
  return parts;
}
