/* What ibnetdiscover prints: the switches of an InfiniBand fabric, and what each of their ports is linked to. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_IB_FABRIC_H
#define STEPSIM_SIM_IMPORT_CLUSTER_IB_FABRIC_H

#include "sim/import/cluster/names.h"

/* LIDs of a port are up to 0xbfff (InfiniBand Architecture Specification, volume 1, section 4.1.3). */
enum { SS_GUID_SIZE = 40, SS_MOST_PORTS = 1024, SS_MOST_LID = 0xbfff };

/* A switch. */
typedef struct ss_ib_switch {
  char guid[SS_GUID_SIZE], name[SS_HOST_SIZE];
  int64_t ports;
  int64_t level;  /* 1: it has NICs; one more than the lowest below it; 0: not linked to any */
  int64_t number; /* among its level in the tree that the cables are; without a tree, of leaves in order; -1: none */
} ss_ib_switch;

/* A cable, from the switch that prints it. */
typedef struct ss_ib_link {
  int64_t from;                                  /* index of the switch */
  int64_t to;                                    /* index of a switch; -1: a NIC */
  int64_t port, to_port;                         /* of the switch, and at the other end */
  int64_t tree_port;                             /* of a switch in the tree that the cables are, up; -1: none */
  int64_t lid;                                   /* at the other end; 0: not said */
  char guid[SS_GUID_SIZE];                       /* at the other end */
  char host[SS_HOST_SIZE], device[SS_HOST_SIZE]; /* of a NIC: "node001 mlx5_0" */
  double bytes_per_s;
  int line;
} ss_ib_link;

typedef struct ss_ib_fabric {
  ss_ib_switch *at; /* [switches] owned */
  int64_t switches, switch_room;
  ss_ib_link *link; /* [links] owned */
  int64_t links, link_room;
  int64_t levels;
  int64_t aggregation;           /* NICs of switches themselves, which reduce (SHARP); left out */
  bool has_lid[SS_MOST_LID + 1]; /* LIDs that the file has */
} ss_ib_fabric;

/* Whether a text is such output. */
bool ss_ib_fabric_is(const char *text);

/* Reads it. Lines that are not of a switch, a channel adapter or their identifiers are refused, as are widths and
 * speeds that are unknown. SS_ERROR_INPUT with the line, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_ib_fabric_read(const ss_source *source, ss_ib_fabric *fabric, ss_error *error);
void ss_ib_fabric_free(ss_ib_fabric *fabric);

/* The links of a switch follow one another: the first of them; that of the next switch is behind the last. */
int64_t ss_ib_fabric_first_link(const ss_ib_fabric *fabric, int64_t from);

#endif
