/* How the links of a fabric are laid out, for the files of this folder; others include model/fabric/fabric.h. */
#ifndef STEPSIM_MODEL_FABRIC_LINK_CLASS_H
#define STEPSIM_MODEL_FABRIC_LINK_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fabric/link.h"
#include "model/input/machine.h"

/* Like cables: those of all GPUs, of all leaf switches, ... Each belongs to a port of a node. A cable has a link for
 * each direction, away from the node and back, or one link for both. */
typedef struct ss_link_class {
  char word[16];        /* what its nodes are called */
  const char *out, *in; /* what its two directions are called */
  int64_t nodes, ports; /* ports of a node */
  bool numbered;        /* there are several nodes */
  bool ported;          /* the port is part of a name */
  bool of_nics;         /* the nodes are hosts of the fabric */
  bool between;         /* cables join two routers, which a name has for the node and the port */
  int64_t directions;   /* links of a cable: 2, or 1 for both directions */
  int64_t joined;       /* cables that are one link, as routes do not tell them apart; 1 elsewhere */
  int64_t first;        /* link */
  double bytes_per_s;   /* of a link, before link-speed */
} ss_link_class;

/* The first classes. A topology lays out those after the GPUs, the first of them with a node for each host. */
enum { SS_LINK_CLASS_GPU, SS_LINK_CLASS_HOST, SS_LINK_CLASSES_MAX = SS_SHAPE_NUMBERS + 2 };

struct ss_fabric {
  const ss_machine *machine; /* borrowed */
  ss_shape shape;            /* that of the machine, but for cables and switches that routes do not tell apart */
  int64_t hosts, nics;       /* of the fabric; the first of its hosts are the NICs of the machine */
  int link_classes;
  ss_link_class link_class[SS_LINK_CLASSES_MAX];
  int64_t links;
  double *bytes_per_s; /* [links] owned */
};

/* A class of the fabric zone, with the name and the speed of NICs: the caller sets what differs, nodes in any case. */
ss_link_class ss_link_class_of_fabric(const ss_machine *machine);

/* Adds a class. Its links follow those of the last one. */
void ss_link_class_add(ss_fabric *fabric, ss_link_class link_class);

/* The class that a link is of. */
const ss_link_class *ss_link_class_of_link(const ss_fabric *fabric, int64_t link);

/* The host of the fabric that is a NIC of the machine, and back, as rail-domains says. Other hosts stand for
 * themselves. */
int64_t ss_fabric_host(const ss_fabric *fabric, int64_t nic);
int64_t ss_fabric_nic(const ss_fabric *fabric, int64_t host);

/* A link of a cable: the one that leaves the node, or the one that comes back. */
static inline int64_t ss_link_class_link(const ss_link_class *link_class, int64_t node, int64_t port, bool back)
{
  const int64_t directions = link_class->directions;
  return link_class->first + (node * link_class->ports + port) * directions + (back ? directions - 1 : 0);
}

/* Whether link-speed has made the link useless. */
static inline bool ss_link_is_dead(const ss_fabric *fabric, int64_t link)
{
  return fabric->bytes_per_s[link] == 0.0;
}

#endif
