/* The links of a machine and the route between two of its ports: NVLink is flat, the fabric has a topology. The routes
 * are those that SimGrid 3.32 computes for the same platform file, so that a replay need not ask it. */
#ifndef STEPSIM_MODEL_FABRIC_FABRIC_H
#define STEPSIM_MODEL_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/fabric/forwarding.h"
#include "model/fabric/link.h"
#include "model/input/machine.h"

/* Lays out the links of a machine: those of every GPU's NVLink port first (2 * gpu out, 2 * gpu + 1 in), then the
 * fabric's. The machine is borrowed. SS_ERROR_INPUT where link-speed names a link that is not there, or has a factor
 * outside [0, 1]; SS_ERROR_MEMORY. Destroy accepts NULL. */
ss_status ss_fabric_create(ss_fabric **fabric, const ss_machine *machine, ss_error *error);
void ss_fabric_destroy(ss_fabric *fabric);

/* How many links there are; they are numbered from 0. */
int64_t ss_fabric_links(const ss_fabric *fabric);

/* Capacity of a link in one direction, with its efficiency and what link-speed says; 0 for a dead one. All links are
 * shared by the flows that cross them, since SimGrid 3.32 lays out FATPIPE like SHARED. */
double ss_fabric_bytes_per_s(const ss_fabric *fabric, int64_t link);

/* What people call a link, as link-speed takes it: gpu-3:out from the NVLink port of GPU 3 into its domain, gpu-3:in
 * the other way; nic-17:out from NIC 17 of the machine (domain * nics-per-domain + n) to its router or leaf switch,
 * nic-17:in back. `lay_out` of each topology has the others. Without a direction (gpu-3, nic-17, leaf-2:3, router-3:5)
 * a name is the whole cable, and so is a cable called whose directions share one link (SHARED, FATPIPE). Hosts of the
 * fabric that are no NIC of the machine count on as NICs. */
void ss_fabric_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE]);

/* The names that there are, for a message. */
void ss_fabric_names(const ss_fabric *fabric, char *text, size_t size);

/* A number, 0 or more, for links whose names differ by digits only. */
int ss_fabric_link_kind(const ss_fabric *fabric, int64_t link);

/* The links from one GPU to another (inside a domain) or from one NIC to another (across), in order; how many there
 * are. `link` has room for SS_ROUTE_LINKS_MAX; the two ports differ. A switch of a fat tree sends through the cable
 * that machine->forwarding says, and where that says none, by destination (D-mod-k). Where links are dead, another
 * route is taken: in a fat tree the next parallel cable, or the next port up to another switch, counting on from the
 * one that these say; in a dragonfly, a torus and a HyperX the shortest route that is left. 0 where there is none. */
int ss_fabric_route(const ss_fabric *fabric, bool across, int64_t from, int64_t to, int32_t *link);

/* Whether the topology takes routes that are given: machine->forwarding. */
bool ss_fabric_takes_routes(const ss_fabric *fabric);

/* NICs of the fabric, also those that are no NIC of the machine. */
int64_t ss_fabric_hosts(const ss_fabric *fabric);

/* A link of the cable of the fabric with this name, which has no direction; -1 where there is none. */
int64_t ss_fabric_cable(const ss_fabric *fabric, const char *name);

/* Adds to tables, which are sorted afterwards, what a line of a file of routes says: what is for a NIC takes the cable
 * of a link. Where the NIC is below the cable, the switch above sends it down, else what is below the cable sends it
 * up. SS_ERROR_MEMORY. */
ss_status ss_fabric_forward(const ss_fabric *fabric, int64_t link, int64_t nic, int line, ss_forwarding *forwarding);

#endif
