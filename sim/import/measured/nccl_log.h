/* What nccl-tests (github.com/NVIDIA/nccl-tests) and rccl-tests print. */
#ifndef STEPSIM_SIM_IMPORT_MEASURED_NCCL_LOG_H
#define STEPSIM_SIM_IMPORT_MEASURED_NCCL_LOG_H

#include "sim/import/files/source.h"
#include "sim/import/measured/nccl_run.h"

/* "all_reduce" and so on. */
const char *ss_nccl_test_name(ss_nccl_test test);

/* A log of several runs, and lines that are none of nccl-tests. */
typedef struct ss_nccl_log {
  ss_nccl_run *run; /* [runs] owned */
  int64_t runs;
  int64_t foreign; /* lines */
  int foreign_line;
  char foreign_text[SS_NAME_SIZE]; /* of the first one */
} ss_nccl_log;

/* Whether a text has the head of such a table. */
bool ss_nccl_log_is(const char *text);

/* Reads a log: a row that is not complete, ranks that are not as many on each host or not of one kind of GPU are
 * refused, and so is a run whose test nobody names and the bandwidths do not tell. Other lines are counted. The text of
 * the source is cut. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_nccl_log_read(const ss_source *source, ss_nccl_log *log, ss_error *error);
void ss_nccl_log_free(ss_nccl_log *log);

#endif
