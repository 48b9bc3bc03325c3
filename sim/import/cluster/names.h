/* Lists of names of nodes as Slurm writes them. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_NAMES_H
#define STEPSIM_SIM_IMPORT_CLUSTER_NAMES_H

#include "sim/import/files/printed.h"

/* Names of a file; far above the nodes of any cluster. */
enum { SS_HOST_SIZE = 128, SS_MOST_HOSTS = 1 << 17 };

/* Zeroed is empty. */
typedef struct ss_names {
  char (*name)[SS_HOST_SIZE]; /* [count] owned */
  int64_t count, room;
} ss_names;

/* Adds the names of a list such as node[001-064,070],login1, in its order; several brackets in a name are products.
 * SS_ERROR_INPUT with the line, SS_ERROR_MEMORY. */
ss_status ss_names_expand(ss_names *names, const char *list, const ss_printed *printed, ss_error *error);

/* Adds one name. SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_names_add(ss_names *names, const char *name, const ss_printed *printed, ss_error *error);

/* Takes out names from `from` on that occur before. */
void ss_names_keep_first(ss_names *names, int64_t from);

/* The index of a name; -1 where it is none of them. */
int64_t ss_names_find(const ss_names *names, const char *name);

void ss_names_free(ss_names *names);

#endif
