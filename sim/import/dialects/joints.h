/* What follows from several settings of each framework. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_JOINTS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_JOINTS_H

#include "sim/import/dialects/sheet.h"

extern const ss_joint ss_megatron_joints[], ss_titan_joints[], ss_deepspeed_joints[], ss_foundry_joints[],
    ss_maxtext_joints[], ss_trainer_joints[], ss_nanotron_joints[], ss_swift_joints[], ss_neox_joints[],
    ss_automodel_joints[];
extern const int ss_megatron_joint_count, ss_titan_joint_count, ss_deepspeed_joint_count, ss_foundry_joint_count,
    ss_maxtext_joint_count, ss_trainer_joint_count, ss_nanotron_joint_count, ss_swift_joint_count, ss_neox_joint_count,
    ss_automodel_joint_count;

#endif
