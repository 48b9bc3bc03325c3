/* Ample links: links that are never short, whatever flows cross them. All that crosses one begins at a port, or ends at
 * one, and these together carry no more than the link does. Max-min fair rates without it are the fair rates with it:
 * what is fair among more possibilities is fair among fewer that it belongs to (sim/engine/headroom/headroom.h says so
 * of links for which that has to be watched). Such are the upper links of a full fat tree with adaptive routes. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_AMPLE_H
#define STEPSIM_SIM_ENGINE_NETWORK_AMPLE_H

#include <stdbool.h>

#include "sim/engine/network/paths.h"

/* Finds which links are ample, ample [links]: never one at which a path begins or ends. SS_ERROR_MEMORY. */
ss_status ss_ample_links_find(const ss_link_paths *paths, bool *ample);

#endif
