/* What a topology and a kind of fabric have to answer: a table each, in model/fabric/NAME.c. The rows of
 * SS_TOPOLOGY_LIST and SS_FABRIC_KIND_LIST name them. */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGY_METHODS_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGY_METHODS_H

#include "model/base/error.h"
#include "model/fabric/link_route.h"
#include "model/fabric/number_lists.h"
#include "model/fabric/sentence.h"
#include "model/fabric/topology_design.h"

/* The routers of a topology and the cables between them, for routes around dead links and for names of links. */
typedef struct ss_router_methods {
  /* Hosts of a router; 0 where each host is its own router, without a cable between the two. */
  int64_t (*hosts)(const ss_shape *shape);
  /* Neighbours of a router, at most, and the i-th of them, with the link there; -1 where there is none. */
  int64_t (*degree)(const ss_shape *shape);
  int64_t (*neighbour)(const ss_fabric *fabric, int64_t router, int64_t i, int64_t *link);
  /* Where cables are named by their two routers (`between`): the link from one to the other, -1 where there is no
   * cable, and the two routers of a cable of a class, the one that it leaves first. NULL otherwise. */
  int64_t (*link)(const ss_fabric *fabric, int64_t from, int64_t to);
  void (*ends)(const ss_fabric *fabric, const ss_link_class *link_class, int64_t cable, int64_t ends[2]);
} ss_router_methods;

typedef struct ss_topology_methods {
  /* The parameters in a platform file. All are NULL where there are none: then it has as many hosts as are needed. */
  const char *noun;                                            /* what they describe, for messages */
  const char *form;                                            /* how they are written */
  bool (*read)(const ss_number_lists *lists, ss_shape *shape); /* false where they have another form */
  ss_status (*check)(const ss_shape *shape, ss_error *error);  /* of what SimGrid cannot build; may be NULL */
  int64_t (*hosts)(const ss_shape *shape);                     /* that they describe; INT64_MAX and above: many */
  double (*links)(const ss_shape *shape);                      /* that SimGrid would hold */
  void (*print)(const ss_shape *shape, ss_sentence *text);     /* what `read` reads */
  /* Adds the classes of links, from SS_LINK_CLASS_HOST on; `hosts` of the fabric is set. */
  void (*lay_out)(ss_fabric *fabric);
  /* The route that SimGrid takes, `cut` where a link of it is dead and the topology knows no other. */
  void (*route)(ss_link_route *route);
  /* For the shortest route around dead links, where `route` has found none; NULL where there is no other then. */
  const ss_router_methods *routers;
} ss_topology_methods;

typedef struct ss_fabric_methods {
  ss_topology topology;
  unsigned takes; /* options, a set of SS_TAKES */
  /* Reads the shape option among those that it takes; NULL where it takes none. SS_ERROR_INPUT. */
  ss_status (*read_shape)(const char *text, ss_shape *shape, ss_error *error);
  /* Chooses hosts and parameters, and clears what says nothing here. SS_ERROR_INPUT, in the words of the options. */
  ss_status (*generate)(const ss_topology_request *request, ss_topology_design *design, ss_error *error);
  /* What it is, in a few sentences; and the share of the rate of its NIC that every NIC has, if all send to the other
   * half of the machine. */
  void (*describe)(const ss_topology_design *design, ss_sentence *text);
  double (*bisection)(const ss_topology_design *design);
} ss_fabric_methods;

#define SS_TOPOLOGY_EXTERN(id, word, name)          extern const ss_topology_methods ss_##name##_topology;
#define SS_FABRIC_KIND_EXTERN(id, word, name, help) extern const ss_fabric_methods ss_##name##_fabric;
SS_TOPOLOGY_LIST(SS_TOPOLOGY_EXTERN)
SS_FABRIC_KIND_LIST(SS_FABRIC_KIND_EXTERN)
#undef SS_TOPOLOGY_EXTERN
#undef SS_FABRIC_KIND_EXTERN

#endif
