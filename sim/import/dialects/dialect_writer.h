/* Writing settings of a framework. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_DIALECT_WRITER_H
#define STEPSIM_SIM_IMPORT_DIALECTS_DIALECT_WRITER_H

#include <stdio.h>

#include "sim/import/dialects/setting_row.h"

/* The same job in the words of a framework: what it does not tell apart is as it takes it. */
ss_workload ss_dialect_workload(const ss_workload *workload, ss_emit emit);

/* Writes the settings of a workload that is derived and is that of ss_dialect_workload, without comments. */
void ss_dialect_write(FILE *stream, const ss_workload *workload, const ss_emit_nodes *nodes, ss_emit emit);

/* Writes the name of a setting, which has dashes, as its files have it. */
void ss_dialect_write_name(FILE *stream, const char *name, ss_emit emit);

/* What begins a comment that ends with its line. */
#define SS_EMIT_COMMENT "# "

#endif
