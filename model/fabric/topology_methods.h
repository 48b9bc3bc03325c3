/* The methods of a topology and of a kind of fabric: one table each, in model/fabric/NAME.c, for each row of
 * SS_TOPOLOGY_LIST and SS_FABRIC_KIND_LIST. */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGY_METHODS_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGY_METHODS_H

#include "model/base/error.h"
#include "model/fabric/link_route.h"
#include "model/fabric/number_lists.h"
#include "model/fabric/part_counts.h"
#include "model/fabric/sentence.h"
#include "model/fabric/topology_design.h"

/* The routers of a topology and the cables between them. Routes around dead links follow them, and so do the names of
 * links that are `between` routers. */
typedef struct ss_router_methods {
  /* Hosts of a router; 0 where each host is its own router, without a cable between the two. Routers are numbered in
   * the order of their hosts. */
  int64_t (*hosts)(const ss_shape *shape);
  /* The largest number of neighbours of a router. */
  int64_t (*degree)(const ss_shape *shape);
  /* The i-th neighbour of a router and the link that leads there; -1 where there is none. */
  int64_t (*neighbour)(const ss_fabric *fabric, int64_t router, int64_t i, int64_t *link);
  /* The link from one router to another; -1 where there is no cable. NULL where no cables are `between`. */
  int64_t (*link)(const ss_fabric *fabric, int64_t from, int64_t to);
  /* The two routers of a cable of a class that is `between`; the link that leaves the node starts at the first. NULL
   * where no cables are. */
  void (*ends)(const ss_fabric *fabric, const ss_link_class *link_class, int64_t cable, int64_t ends[2]);
} ss_router_methods;

/* A topology. One without parameters in a platform file leaves all from `noun` to `print` NULL; it has as many hosts as
 * the machine has NICs. */
typedef struct ss_topology_methods {
  const char *noun; /* what it is, for messages: "fat tree" */
  const char *form; /* how its parameters are written, for messages */
  /* Takes the parameters over from a file; false where they do not have the form. */
  bool (*read)(const ss_number_lists *lists, ss_shape *shape);
  /* Refuses what SimGrid cannot build or route: SS_ERROR_INPUT, with the problem alone as the message. NULL where it
   * can build all. */
  ss_status (*check)(const ss_shape *shape, ss_error *error);
  /* Hosts that the parameters describe; INT64_MAX where there are more. */
  int64_t (*hosts)(const ss_shape *shape);
  /* Links that SimGrid would hold in memory. */
  double (*links)(const ss_shape *shape);
  /* Writes the parameters as `read` takes them. */
  void (*print)(const ss_shape *shape, ss_sentence *text);
  /* Adds the classes of links, from SS_LINK_CLASS_HOST on. The fabric knows its machine and hosts. */
  void (*lay_out)(ss_fabric *fabric);
  /* Makes the route that SimGrid takes. It is `cut` where a link is dead and the topology knows no other route. */
  void (*route)(ss_link_route *route);
  /* Adds the levels of a fabric whose NICs are counted, with switches of so many ports. NULL: no switches, and a cable
   * for each NIC. */
  void (*count)(const ss_shape *shape, int64_t switch_ports, ss_fabric_parts *parts);
  /* The number, among all its hosts and switches, of the one that sends to a host over the cable of a link: away from
   * what is below the cable where the host is not below, too. NULL where routes cannot be given. */
  int64_t (*sender)(const ss_fabric *fabric, int64_t link, int64_t host);
  /* The numbers of the two, among all hosts and switches, that the cable of a link joins: what is below it, and the
   * switch above. NULL where `routers` know it, or there is no switch. */
  void (*joined)(const ss_fabric *fabric, int64_t link, int64_t end[2]);
  /* For the shortest route over the links that are alive, where `route` was cut; NULL where there is none then. */
  const ss_router_methods *routers;
} ss_topology_methods;

/* A kind of fabric that `platform` makes. */
typedef struct ss_fabric_methods {
  ss_topology topology; /* on which it is laid out */
  unsigned takes;       /* the options that apply to it, a set of SS_TAKES */
  /* Reads the text of the shape option that it takes; NULL where it takes none. Where several kinds take an option, the
   * first one reads it. SS_ERROR_INPUT, with the option as the file. */
  ss_status (*read_shape)(const char *text, ss_shape *shape, ss_error *error);
  /* Chooses hosts and parameters; `nics`, `radix` and `taper` are set, and the last two are cleared where they say
   * nothing. SS_ERROR_INPUT, with an option as the file. */
  ss_status (*generate)(const ss_topology_request *request, ss_topology_design *design, ss_error *error);
  /* Says what it is in a few sentences. */
  void (*describe)(const ss_topology_design *design, ss_sentence *text);
  /* The share of the rate of its NIC that every NIC has, if all send to the other half of the machine. */
  double (*bisection)(const ss_topology_design *design);
} ss_fabric_methods;

#define SS_TOPOLOGY_EXTERN(id, word, name)          extern const ss_topology_methods ss_##name##_topology;
#define SS_FABRIC_KIND_EXTERN(id, word, name, help) extern const ss_fabric_methods ss_##name##_fabric;
SS_TOPOLOGY_LIST(SS_TOPOLOGY_EXTERN)
SS_FABRIC_KIND_LIST(SS_FABRIC_KIND_EXTERN)
#undef SS_TOPOLOGY_EXTERN
#undef SS_FABRIC_KIND_EXTERN

#endif
