/* Linear forwarding tables of an InfiniBand fabric: the port through which each switch sends what is for a local
 * identifier (LID). */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_IB_TABLES_H
#define STEPSIM_SIM_IMPORT_CLUSTER_IB_TABLES_H

#include "sim/import/files/printed.h"

typedef struct ss_ib_entry {
  uint16_t lid;
  uint8_t port;
  int32_t line;
} ss_ib_entry;

/* The table of a switch. */
typedef struct ss_ib_table {
  uint64_t guid;        /* of the switch */
  int64_t first, count; /* of its entries, by LID in ascending order */
  int line;
} ss_ib_table;

typedef struct ss_ib_tables {
  ss_ib_table *of; /* [count] owned */
  int64_t count, room;
  ss_ib_entry *entry; /* [entries] owned */
  int64_t entries, entry_room;
} ss_ib_tables;

/* Whether a text is of such tables. */
bool ss_ib_tables_is(const char *text);

/* Reads what dump_lfts.sh and ibroute of infiniband-diags print, and opensm-lfts.dump of OpenSM. SS_ERROR_INPUT with
 * the line, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_ib_tables_read(const ss_source *source, ss_ib_tables *tables, ss_error *error);
void ss_ib_tables_free(ss_ib_tables *tables);

/* The table of a switch; NULL where there is none. */
const ss_ib_table *ss_ib_tables_find(const ss_ib_tables *tables, uint64_t guid);

/* The entry for a LID; NULL where the table has none. */
const ss_ib_entry *ss_ib_table_entry(const ss_ib_tables *tables, const ss_ib_table *table, int64_t lid);

#endif
