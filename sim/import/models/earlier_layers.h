/* What layers of earlier models are, where several keys say it together: Falcon, MPT, StarCoder, GPT-Neo, and Mamba by
 * itself. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_EARLIER_LAYERS_H
#define STEPSIM_SIM_IMPORT_MODELS_EARLIER_LAYERS_H

#include "sim/import/models/lay.h"

/* Each sets what its model has. SS_ERROR_INPUT where keys do not fit. */
ss_status ss_lay_out_falcon(ss_lay *p, ss_error *error);
ss_status ss_lay_out_mpt(ss_lay *p, ss_error *error);
ss_status ss_lay_out_bigcode(ss_lay *p, ss_error *error);
ss_status ss_lay_out_neo(ss_lay *p, ss_error *error);
ss_status ss_lay_out_pure(ss_lay *p, ss_error *error);

#endif
