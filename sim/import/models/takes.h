/* What a key of a configuration does to the workload: the functions of its rows. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_TAKES_H
#define STEPSIM_SIM_IMPORT_MODELS_TAKES_H

#include "sim/import/models/config.h"

/* Each takes a value, or refuses it with SS_ERROR_INPUT; SS_ERROR_MEMORY. */
#define SS_CONFIG_TAKE(name)                                                                                           \
  ss_status name(const ss_config *config, const ss_config_key *row, const json_t *value, ss_error *error)

SS_CONFIG_TAKE(ss_take_count);         /* a whole number; null says nothing */
SS_CONFIG_TAKE(ss_take_or_default);    /* the same, but null is the attribute's default, not that of the model */
SS_CONFIG_TAKE(ss_take_flag);          /* true sets the number of the row, false 0 */
SS_CONFIG_TAKE(ss_take_number);        /* anything but null, false and 0 sets the number of the row, and these 0 */
SS_CONFIG_TAKE(ss_take_share);         /* the same, of a number from 0 to 1 */
SS_CONFIG_TAKE(ss_take_activation);    /* a word that suits model.mlp */
SS_CONFIG_TAKE(ss_take_sequence);      /* the tokens that there is room for, up to SS_CONFIG_SEQUENCE */
SS_CONFIG_TAKE(ss_take_positions);     /* the same, and learned vectors: `number` more, or that many fewer tokens */
SS_CONFIG_TAKE(ss_take_times);         /* a whole number of times what the key that the row names has */
SS_CONFIG_TAKE(ss_take_half);          /* twice what the attribute is */
SS_CONFIG_TAKE(ss_take_true);          /* only true is allowed */
SS_CONFIG_TAKE(ss_take_word);          /* only the text of the row is allowed */
SS_CONFIG_TAKE(ss_take_inside);        /* an object; rows of its members have its name and a dot in front */
SS_CONFIG_TAKE(ss_take_name);          /* a path, whose last part is the name of the model */
SS_CONFIG_TAKE(ss_take_only);          /* only the number of the row is allowed */
SS_CONFIG_TAKE(ss_take_same);          /* only what the key that the row names has is allowed */
SS_CONFIG_TAKE(ss_take_unlike);        /* a whole number, where it is not what the key that the row names has */
SS_CONFIG_TAKE(ss_take_with);          /* a whole number, where the key that the row names is not off */
SS_CONFIG_TAKE(ss_take_uniform);       /* a whole number, or a list with the same one for all layers */
SS_CONFIG_TAKE(ss_take_ones);          /* only a list of ones is allowed */
SS_CONFIG_TAKE(ss_take_attend);        /* only a list of full_attention, or the word of the row */
SS_CONFIG_TAKE(ss_take_last);          /* -1, or a layer behind which there is none of those that the row names */
SS_CONFIG_TAKE(ss_take_dense_first);   /* `dense` for each of some layers, and `sparse` for each behind them */
SS_CONFIG_TAKE(ss_take_shared_or_ffn); /* as ss_take_shared; of a model without experts it is model.ffn */
SS_CONFIG_TAKE(ss_take_shared);        /* a width, as a multiple of that of the key that the row names */
SS_CONFIG_TAKE(ss_take_idle);          /* has no influence on time */
SS_CONFIG_TAKE(ss_take_elsewhere);     /* is asked for by the layers, or by other rows */
SS_CONFIG_TAKE(ss_take_grouped);       /* those groups, which the key that the row names takes, or which are idle */
SS_CONFIG_TAKE(ss_take_groups);        /* groups of a token, where it may not go to all of the key that the row names */
SS_CONFIG_TAKE(ss_take_router_type);   /* the type of the logits of a router */
SS_CONFIG_TAKE(ss_take_listed);   /* a list of what layers are, of which there are as many, unless a number says so */
SS_CONFIG_TAKE(ss_take_sides);    /* who attends to both sides: only `vision`, which is left out */
SS_CONFIG_TAKE(ss_take_left_out); /* unless it is off, the text of the row is left out */

#endif
