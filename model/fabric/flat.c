/* The flat topology: nothing limits it but the ports of its hosts and, where there is one, a link that all share. */
#include "model/fabric/topology_methods.h"

enum { LINK_CLASS_BACKBONE = SS_LINK_CLASS_HOST + 1 };

/* Names: backbone, where there is one. */
static void lay_out(ss_fabric *fabric)
{
  const ss_machine *machine = fabric->machine;
  const double backbone_bytes_per_s = machine->shape.as.flat.backbone_bytes_per_s;
  ss_link_class hosts = ss_link_class_of_fabric(machine);
  hosts.nodes = fabric->hosts;
  hosts.of_nics = true;
  ss_link_class_add(fabric, hosts);
  if (backbone_bytes_per_s == 0) return;
  const double scale = machine->fabric_bytes_per_s / machine->zone_fabric_bytes_per_s * machine->fabric_efficiency;
  ss_link_class_add(fabric, (ss_link_class){.word = "backbone",
                                            .nodes = 1,
                                            .ports = 1,
                                            .joined = 1,
                                            .directions = 1,
                                            .bytes_per_s = backbone_bytes_per_s * scale});
}

static void route(ss_link_route *r)
{
  const ss_link_class *hosts = &r->fabric->link_class[SS_LINK_CLASS_HOST];
  ss_link_route_push(r, ss_link_class_link(hosts, r->from, 0, false));
  if (r->fabric->link_classes > LINK_CLASS_BACKBONE)
    ss_link_route_push(r, ss_link_class_link(&r->fabric->link_class[LINK_CLASS_BACKBONE], 0, 0, false));
  ss_link_route_push(r, ss_link_class_link(hosts, r->to, 0, true));
}

const ss_topology_methods ss_flat_topology = {.lay_out = lay_out, .route = route};

static ss_status generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  (void)request;
  (void)error;
  design->hosts = design->nics;
  design->radix = design->taper = 0;
  return SS_OK;
}

static void describe(const ss_topology_design *design, ss_sentence *text)
{
  (void)design;
  ss_sentence_say(text, "Flat fabric: nothing but the NICs limits it.");
}

static double bisection(const ss_topology_design *design)
{
  (void)design;
  return 1.0;
}

const ss_fabric_methods ss_flat_fabric = {
    .topology = SS_TOPOLOGY_FLAT, .generate = generate, .describe = describe, .bisection = bisection};
