/* What a key of a configuration does to the workload: the functions of its rows. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_TAKES_H
#define STEPSIM_SIM_IMPORT_MODELS_TAKES_H

#include "sim/import/models/config.h"

/* Each takes a value, or refuses it with SS_ERROR_INPUT; SS_ERROR_MEMORY. */
#define SS_CONFIG_TAKE(name)                                                                                           \
  ss_status name(const ss_config *config, const ss_config_key *row, const json_t *value, ss_error *error)

SS_CONFIG_TAKE(ss_take_count);      /* a whole number; null says nothing */
SS_CONFIG_TAKE(ss_take_flag);       /* true sets the number of the row, false 0 */
SS_CONFIG_TAKE(ss_take_number);     /* anything but null, false and 0 sets the number of the row, and these 0 */
SS_CONFIG_TAKE(ss_take_activation); /* a word that suits model.mlp */
SS_CONFIG_TAKE(ss_take_sequence);   /* the tokens that there is room for, up to SS_CONFIG_SEQUENCE */
SS_CONFIG_TAKE(ss_take_name);       /* a path, whose last part is the name of the model */
SS_CONFIG_TAKE(ss_take_only);       /* only the number of the row is allowed */
SS_CONFIG_TAKE(ss_take_same);       /* only what the key that the row names has is allowed */
SS_CONFIG_TAKE(ss_take_shared);     /* a width, as a multiple of that of the key that the row names */
SS_CONFIG_TAKE(ss_take_idle);       /* has no influence on time */
SS_CONFIG_TAKE(ss_take_elsewhere);  /* is asked for by the layers, or by other rows */
SS_CONFIG_TAKE(ss_take_groups);     /* groups of a token, unless it may go to all of n_group groups */
SS_CONFIG_TAKE(ss_take_left_out);   /* unless it is off, the text of the row is left out */

#endif
