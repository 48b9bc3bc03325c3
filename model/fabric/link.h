/* Limits of routes and of the names of links. */
#ifndef STEPSIM_MODEL_FABRIC_LINK_H
#define STEPSIM_MODEL_FABRIC_LINK_H

/* Links of one route, at most: topologies with longer ones are refused. */
#define SS_ROUTE_LINKS_MAX 128

/* Characters of the name of a link, with the 0. */
#define SS_LINK_NAME_SIZE 48

typedef struct ss_fabric ss_fabric;

#endif
