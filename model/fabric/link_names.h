/* What links are called. */
#ifndef STEPSIM_MODEL_FABRIC_LINK_NAMES_H
#define STEPSIM_MODEL_FABRIC_LINK_NAMES_H

#include <stddef.h>

#include "model/fabric/link_class.h"

/* The name of a link: see ss_fabric_name. */
void ss_link_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE]);

/* A number for links whose names differ by digits only: see ss_fabric_link_kind. */
int ss_link_kind(const ss_fabric *fabric, int64_t link);

/* What a name stands for. */
typedef struct ss_named_links {
  int count; /* of the links: 1 or 2, 0 where it is no name */
  int64_t link[2];
  int64_t cable; /* of those that are one link; -1: all of it */
} ss_named_links;

ss_named_links ss_link_find(const ss_fabric *fabric, const char *name);

/* All names that there are, for a message; whole classes that do not fit are left out. */
void ss_link_names(const ss_fabric *fabric, char *text, size_t size);

#endif
