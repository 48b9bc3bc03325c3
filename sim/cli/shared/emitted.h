/* Settings of frameworks that commands write. */
#ifndef STEPSIM_SIM_CLI_SHARED_EMITTED_H
#define STEPSIM_SIM_CLI_SHARED_EMITTED_H

#include "sim/options/options.h"
#include "sim/session/session.h"

/* Refuses a model that the settings which --emit asks for cannot name. */
ss_status ss_emitted_check(const ss_session *session, const ss_options *options, ss_error *error);

/* Writes the settings that start a workload on the machine of a session to standard output, if --emit asks for it.
 * SS_ERROR_MEMORY. */
ss_status ss_emitted_write(const ss_session *session, const ss_workload *workload, const ss_options *options,
                           ss_error *error);

#endif
