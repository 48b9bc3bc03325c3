/* Traces of GPUs: what a file of a profiler says of an iteration. */
#ifndef STEPSIM_SIM_TRACES_TRACES_H
#define STEPSIM_SIM_TRACES_TRACES_H

#include "model/profile/measurement.h"
#include "model/result/timeline.h"

/* Measures an iteration of a GPU in a trace: trace events of PyTorch's profiler or of this program (JSON), an export of
 * Nsight Systems (SQLite), or an execution trace of Chakra; JSON and Chakra may be packed by gzip. The file is read
 * twice, first for its steps; memory grows with the kernels of one iteration (32 bytes each), or of all of the trace
 * where it names no steps. One of Chakra that has no times is gone through three times each, with all of its
 * dependencies in memory. SS_ERROR_INPUT names the place; SS_ERROR_MEMORY. */
ss_status ss_trace_measure(const char *path, const ss_measurement_request *request, ss_measurement *measurement,
                           ss_error *error);

enum { SS_RECORDED_RANKS = SS_SELECTION_RANGES };

typedef struct ss_recorder ss_recorder;

/* Makes a timeline of a replay that keeps what some ranks do: `rank` [count], each once, at most SS_RECORDED_RANKS. The
 * timeline must stay where it is. SS_ERROR_OUTPUT without room for a temporary file, SS_ERROR_MEMORY. Release in any
 * case. */
ss_status ss_recorder_create(const int64_t *rank, int64_t count, ss_timeline *timeline, ss_recorder **recorder,
                             ss_error *error);
void ss_recorder_destroy(ss_recorder *recorder);

/* Adds to a log what a rank did in the replay that the timeline heard, and sorts it. SS_ERROR_OUTPUT, SS_ERROR_MEMORY.
 */
ss_status ss_recorder_log(ss_recorder *recorder, int64_t rank, ss_work_log *log, ss_error *error);

#endif
