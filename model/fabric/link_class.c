#include "model/fabric/link_class.h"

ss_link_class ss_link_class_of_fabric(const ss_machine *machine)
{
  return (ss_link_class){.word = "nic",
                         .out = "out",
                         .in = "in",
                         .ports = 1,
                         .joined = 1,
                         .numbered = true,
                         .directions = machine->shape.sharing == SS_SHARING_SPLITDUPLEX ? 2 : 1,
                         .bytes_per_s = machine->fabric_bytes_per_s * machine->fabric_efficiency};
}

void ss_link_class_add(ss_fabric *fabric, ss_link_class link_class)
{
  SS_ASSERT(fabric->link_classes < SS_LINK_CLASSES_MAX);
  link_class.first = fabric->links;
  fabric->links += link_class.nodes * link_class.ports * link_class.directions;
  fabric->link_class[fabric->link_classes++] = link_class;
}

const ss_link_class *ss_link_class_of_link(const ss_fabric *fabric, int64_t link)
{
  int i = fabric->link_classes - 1;
  while (fabric->link_class[i].first > link || fabric->link_class[i].ports == 0) --i;
  return &fabric->link_class[i];
}

int64_t ss_fabric_host(const ss_fabric *fabric, int64_t nic)
{
  const int64_t run = fabric->machine->rail_domains, nics = fabric->machine->nics_per_domain;
  if (run == 0 || nic >= fabric->nics) return nic;
  const int64_t domain = nic / nics, n = nic % nics;
  return domain / run * run * nics + n * run + domain % run;
}

int64_t ss_fabric_nic(const ss_fabric *fabric, int64_t host)
{
  const int64_t run = fabric->machine->rail_domains, nics = fabric->machine->nics_per_domain;
  if (run == 0 || host >= fabric->nics) return host;
  const int64_t first_domain = host / (run * nics) * run, within = host % (run * nics);
  return (first_domain + within % run) * nics + within / run;
}
