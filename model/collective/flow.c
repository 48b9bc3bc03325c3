#include "model/collective/flow.h"

_Static_assert(sizeof(ss_flow) == 32, "a replay keeps millions of flows");

void ss_flow_list_add(ss_flow_list *flows, ss_flow flow)
{
  flow.phase = (int16_t)flows->phase;
  if (flows->listed != NULL) flows->listed[flows->count] = flow;
  flows->count++;
}

int64_t ss_flow_list_locals(const ss_flow_list *flows, int64_t domain)
{
  return flows->first[domain + 1] - flows->first[domain];
}

int32_t ss_flow_list_gpu(const ss_flow_list *flows, int64_t domain, int64_t place)
{
  return flows->gpu[flows->first[domain] + place];
}

static int64_t nics_of_gpu(const ss_machine *machine)
{
  const int64_t per_gpu = machine->nics_per_domain / machine->domain_size;
  return per_gpu > 1 ? per_gpu : 1;
}

void ss_flow_list_pair(ss_flow_list *flows, int32_t from, int32_t to, double share)
{
  const ss_machine *machine = flows->machine;
  if (from / machine->domain_size == to / machine->domain_size) {
    ss_flow_list_add(flows, (ss_flow){.from = from, .to = to, .share = share});
    return;
  }
  const int64_t nics = nics_of_gpu(machine), out = ss_machine_nic(machine, from), in = ss_machine_nic(machine, to);
  for (int64_t nic = 0; nic < nics; ++nic)
    ss_flow_list_add(flows, (ss_flow){.from = (int32_t)(out + nic),
                                      .to = (int32_t)(in + nic),
                                      .fabric = true,
                                      .share = share / (double)nics});
}

/* The `ring`-th NIC that the GPUs of a domain own; there are at least as many as rings. */
static int64_t ring_nic(const ss_flow_list *flows, int64_t domain, int64_t ring)
{
  const ss_machine *machine = flows->machine;
  const int64_t per_gpu = machine->nics_per_domain / machine->domain_size;
  if (per_gpu >= 1) return ss_machine_nic(machine, ss_flow_list_gpu(flows, domain, ring / per_gpu)) + ring % per_gpu;
  int64_t found = -1, last = -1;
  for (int64_t place = 0; place < ss_flow_list_locals(flows, domain) && found < ring; ++place) {
    const int64_t nic = ss_machine_nic(machine, ss_flow_list_gpu(flows, domain, place));
    found += nic != last;
    last = nic;
  }
  return last;
}

void ss_flow_list_hop(ss_flow_list *flows, int64_t from_domain, int64_t to_domain, double share)
{
  for (int64_t ring = 0; ring < flows->rings; ++ring)
    ss_flow_list_add(flows, (ss_flow){.from = (int32_t)ring_nic(flows, from_domain, ring),
                                      .to = (int32_t)ring_nic(flows, to_domain, ring),
                                      .fabric = true,
                                      .share = share / (double)flows->rings});
}

void ss_flow_list_cables(ss_flow_list *flows, const ss_lattice *lattice, int dimension, bool closes, double share)
{
  for (int64_t domain = 0; domain < lattice->domains; ++domain) {
    const int64_t up = ss_lattice_next(lattice, domain, dimension, true);
    const int64_t down = ss_lattice_next(lattice, domain, dimension, false);
    if (closes || up > domain) ss_flow_list_hop(flows, domain, up, share);
    if (closes ? lattice->size[dimension] > 2 : down < domain) ss_flow_list_hop(flows, domain, down, share);
  }
}

void ss_flow_list_ring_inside(ss_flow_list *flows, int64_t domain, double share)
{
  const int64_t locals = ss_flow_list_locals(flows, domain);
  for (int64_t place = 0; locals > 1 && place < locals; ++place)
    ss_flow_list_add(flows, (ss_flow){.from = ss_flow_list_gpu(flows, domain, place),
                                      .to = ss_flow_list_gpu(flows, domain, (place + 1) % locals),
                                      .share = share});
}

void ss_flow_list_rings_inside(ss_flow_list *flows, double (*share)(const ss_flow_list *flows, int64_t locals))
{
  for (int64_t domain = 0; domain < flows->span.domains; ++domain)
    ss_flow_list_ring_inside(flows, domain, share(flows, ss_flow_list_locals(flows, domain)));
}

void ss_flow_list_rings_across(ss_flow_list *flows, double share)
{
  const int64_t domains = flows->span.domains;
  for (int64_t domain = 0; domains > 1 && domain < domains; ++domain)
    ss_flow_list_hop(flows, domain, (domain + 1) % domains, share);
}

ss_flow ss_flow_message(const ss_machine *machine, int64_t from_gpu, int64_t to_gpu)
{
  if (from_gpu / machine->domain_size == to_gpu / machine->domain_size)
    return (ss_flow){.from = (int32_t)from_gpu, .to = (int32_t)to_gpu, .share = 1.0};
  return (ss_flow){.from = (int32_t)ss_machine_nic(machine, from_gpu),
                   .to = (int32_t)ss_machine_nic(machine, to_gpu),
                   .fabric = true,
                   .share = 1.0};
}
