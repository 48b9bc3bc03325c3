/* Files that the arguments of a command name, and the job that they are. */
#ifndef STEPSIM_SIM_CLI_SHARED_INPUTS_H
#define STEPSIM_SIM_CLI_SHARED_INPUTS_H

#include "model/base/error.h"
#include "sim/api/api.h"
#include "sim/options/options.h"

/* Puts the path of each file that an argument names in the place of its name, as ss_shipped_find finds it, and tells
 * the common options where workload and platform are. The options must stay where they are. Errors as from
 * ss_shipped_find. */
ss_status ss_inputs_find(ss_options *options, ss_error *error);

/* Makes the job of a command: its workload, on its platform if it has one, with the overrides of --set. To be given
 * back with stepsim_job_destroy. Errors as from ss_api_job_create, ss_api_machine_create and ss_api_job_set; NULL then.
 */
ss_status ss_inputs_job(const ss_common_options *options, stepsim_job **job, ss_error *error);

/* Begins a session with that job; it is as before where that fails. */
ss_status ss_inputs_session(const ss_common_options *options, ss_session *session, ss_error *error);

#endif
