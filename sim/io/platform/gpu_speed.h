/* Checks what gpu-speed says of a machine. */
#ifndef STEPSIM_SIM_IO_PLATFORM_GPU_SPEED_H
#define STEPSIM_SIM_IO_PLATFORM_GPU_SPEED_H

#include "model/input/machine.h"

/* Refuses entries that cannot be read, GPUs that are not there or named twice. SS_ERROR_INPUT. */
ss_status ss_gpu_speed_check(const ss_machine *machine, ss_error *error);

#endif
