/* What the files of the fabric share; others include model/fabric/fabric.h. */
#ifndef STEPSIM_MODEL_FABRIC_FABRIC_PARTS_H
#define STEPSIM_MODEL_FABRIC_FABRIC_PARTS_H

#include "model/fabric/fabric.h"

/* Like cables: those of all GPUs, of all leaf switches, ... Each belongs to a port of a node. A cable has two links,
 * the one that leaves the node and the one that comes back, or one for both ways. */
typedef struct ss_link_class {
  char word[16];        /* what its nodes are called */
  const char *out, *in; /* what its two directions are called */
  int64_t nodes, ports; /* ports of a node */
  bool numbered;        /* there are several nodes */
  bool ported;          /* the port is part of a name */
  bool of_nics;         /* the nodes are hosts of the fabric */
  int64_t ways;         /* links of a cable */
  int64_t first;        /* link */
  double bytes_per_s;   /* before link-speed */
} ss_link_class;

/* The link_classes: GPUs first, then by topology. Those of a fat tree follow one another, level by level. */
enum {
  SS_LINK_CLASS_GPU,
  SS_LINK_CLASS_NIC,         /* of hosts of the fabric, in every topology; a host of a torus is its own router */
  SS_LINK_CLASS_BACKBONE,    /* flat */
  SS_LINK_CLASS_CHASSIS = 2, /* dragonfly: nodes are the chassis, ports the pairs of their routers */
  SS_LINK_CLASS_GROUP,       /* nodes are the places in a chassis, of each group; ports the pairs of its chassis */
  SS_LINK_CLASS_ALL,         /* one node; ports are the pairs of groups */
  SS_LINK_CLASSS_MAX = SS_SHAPE_NUMBERS + 2
};

struct ss_fabric {
  const ss_machine *machine; /* borrowed */
  int64_t hosts, nics;       /* of the fabric; the first of its hosts are the NICs of the machine */
  int link_classes;
  ss_link_class link_class[SS_LINK_CLASSS_MAX];
  int64_t links;
  double *bytes_per_s; /* [links] owned */
};

/* The host of the fabric that is a NIC of the machine, and back: rail-domains. Other hosts stand for themselves. */
int64_t ss_fabric_host(const ss_fabric *fabric, int64_t nic);
int64_t ss_fabric_nic(const ss_fabric *fabric, int64_t host);

/* A link of a cable: the one that leaves the node, or the one that comes back. */
static inline int64_t ss_link_class_link(const ss_link_class *link_class, int64_t node, int64_t port, bool back)
{
  return link_class->first + (node * link_class->ports + port) * link_class->ways + (back ? link_class->ways - 1 : 0);
}

/* Dragonfly: the link from one router to another; -1 where there is no cable between them. And the two routers of a
 * cable of a link_class, the lower one first. */
int64_t ss_dragonfly_link(const ss_fabric *fabric, int64_t from, int64_t to);
void ss_dragonfly_ends(const ss_fabric *fabric, const ss_link_class *link_class, int64_t cable, int64_t ends[2]);

/* The links that a name means, one or two; how many, 0 where it is no name. */
int ss_fabric_find(const ss_fabric *fabric, const char *name, int64_t link[2]);

/* All names that there are, for a message. */
void ss_fabric_names(const ss_fabric *fabric, char *text, size_t size);

/* A route between two hosts of the fabric; how many links, 0 where there is no way. */
int ss_fabric_path(const ss_fabric *fabric, int64_t from, int64_t to, int32_t *link);

#endif
