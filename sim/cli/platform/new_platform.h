/* A platform that is made, by `platform` from a few numbers and by `cluster` from files of a machine. */
#ifndef STEPSIM_SIM_CLI_PLATFORM_NEW_PLATFORM_H
#define STEPSIM_SIM_CLI_PLATFORM_NEW_PLATFORM_H

#include "model/fabric/topology_generator.h"
#include "model/input/machine.h"
#include "sim/options/options.h"

/* What the options say of it, each by itself; 0 where they say nothing. SS_ERROR_INPUT. */
ss_status ss_new_platform_request(const ss_options *options, ss_topology_request *request, ss_error *error);

/* Fills in the sizes of domains where they are not given: those of the machine that it is like, or one NIC for each
 * GPU. SS_ERROR_INPUT. */
ss_status ss_new_platform_domain(const ss_machine *machine, ss_topology_request *request, ss_error *error);

/* The constants: those of --like, --set over them, and the name, which has the number of `gpus` unless it is given.
 * Errors as from ss_machine_load; SS_ERROR_INPUT where constants are missing. */
ss_status ss_new_platform_machine(const ss_options *options, int64_t gpus, ss_machine *machine, ss_error *error);

#endif
