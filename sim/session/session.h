/* The inputs of a job, checked and worked out. */
#ifndef STEPSIM_SIM_SESSION_SESSION_H
#define STEPSIM_SIM_SESSION_SESSION_H

#include "model/input/documents.h"
#include "model/input/workload.h"
#include "model/plan/job.h"
#include "model/result/prediction.h"
#include "model/search/shortlist.h"
#include "sim/options/common_options.h"

/* What the files say that a workload names; owned. */
typedef struct ss_places {
  int32_t *ranks;              /* of the rank file; NULL without one */
  ss_free_gpus free;           /* GPUs that may be used; zero where the workload names no file of them */
  ss_document_list *documents; /* lengths of documents, which the workload borrows; NULL without a file of them */
} ss_places;

typedef struct ss_session {
  ss_workload workload;
  ss_machine machine;
  ss_places places;
  ss_forwarding
      *forwarding; /* routes of the fabric, which the machine borrows; NULL: it names no file of them; owned */
  ss_job job;
  ss_memory *stage_memory; /* [stages]; owned */
} ss_session;

/* Begins a session with inputs as they were read and set. A command without a platform has a machine that is all 0. */
void ss_session_init(ss_session *session, const ss_workload *workload, const ss_machine *machine);

/* Works out what follows from the inputs of a session that has begun, and checks every value by itself: all that a
 * search needs. SS_ERROR_INPUT. */
ss_status ss_session_check(ss_session *session, const ss_common_options *options, ss_error *error);

/* Does that, checks what goes together, reads the files that workload and platform name, and fills the rest. The
 * session must stay where it is, since the job refers to it. Errors as from sim/io/io.h and ss_job_init. */
ss_status ss_session_complete(ss_session *session, const ss_common_options *options, ss_error *error);

/* Releases what the files said and what was worked out. Accepts a zeroed session. */
void ss_session_close(ss_session *session);

/* Checks that nothing places the ranks which `who` places: no rank file, and no split or order from the command line.
 * SS_ERROR_INPUT. */
ss_status ss_session_check_unplaced(const ss_session *session, const char *who, ss_error *error);

/* GPUs of the machine that may be used, as its places say. */
int64_t ss_session_gpus(const ss_session *session);

/* Checks that the machine has what an objective counts: a price or a rent of its GPUs, or their power. SS_ERROR_INPUT.
 */
ss_status ss_session_check_objective(const ss_session *session, ss_objective objective, ss_error *error);

/* Checks that the GPUs of the machine have a price; and that a budget buys some of them, but not more than there are:
 * all of the whole domains that it buys. SS_ERROR_INPUT. */
ss_status ss_session_check_priced(const ss_session *session, ss_error *error);
ss_status ss_session_afford(const ss_session *session, double dollars, int64_t *gpus, ss_error *error);

/* What was measured of jobs like that of a session on so many GPUs. */
ss_interval ss_session_interval(const ss_session *session, int64_t gpus);

/* Fills in what follows from the time of an iteration: the metrics and what it costs. */
void ss_session_measure(const ss_session *session, const ss_breakdown *iteration, ss_prediction *prediction);

/* The closed form, memory and metrics of a session, which owns the memory of the stages. */
ss_prediction ss_session_estimate(const ss_session *session);

/* Reads the files that workload and platform of a session name, once it is checked. SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_session_load_files(ss_session *session, ss_error *error);

/* Reads the files that a workload names; it borrows the lengths of documents. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release
 * in any case. */
ss_status ss_places_load(ss_places *places, ss_workload *workload, const ss_machine *machine, ss_error *error);
void ss_places_free(ss_places *places);

/* GPUs that may be used; NULL: all. */
const ss_free_gpus *ss_places_free_gpus(const ss_places *places);

/* Options of a job that is placed so, which borrow them. */
ss_job_options ss_places_options(const ss_places *places, ss_cost cost);

#endif
