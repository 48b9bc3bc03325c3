/* The links of a machine, the paths that flows take over them, and which links stand for others. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_LINKS_H
#define STEPSIM_SIM_ENGINE_NETWORK_LINKS_H

#include "model/collective/route.h"
#include "sim/engine/network/paths.h"

/* Zeroed: private links. */
typedef struct ss_links {
  const ss_machine *machine;
  ss_fabric *fabric;    /* NULL: private links; owned */
  ss_link_paths paths;  /* of all flows */
  ss_link_paths narrow; /* the same, narrowed, once all of them are known */
  int64_t *alike;       /* [paths.links] links that one stands for: 1, or 0 where another does; owned */
} ss_links;

/* Lays out the links of a machine. SS_ERROR_MEMORY; SS_ERROR_INPUT for link-speed. Free in any case. */
ss_status ss_links_init(ss_links *links, const ss_machine *machine, ss_error *error);
void ss_links_free(ss_links *links);

/* A number for links of one capacity whose names differ by digits only. */
uint64_t ss_links_kind(const ss_links *links, int64_t link);

/* Finds the path of a flow. SS_ERROR_MEMORY; SS_ERROR_INPUT where there is none. */
ss_status ss_links_find_path(ss_links *links, ss_flow *flow, ss_error *error);

#endif
