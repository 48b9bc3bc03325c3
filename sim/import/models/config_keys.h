/* The table of keys of configurations, and of what models have without any. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_CONFIG_KEYS_H
#define STEPSIM_SIM_IMPORT_MODELS_CONFIG_KEYS_H

#include "sim/import/models/config.h"

/* The rows, of which the last one has no key. */
extern const ss_config_key ss_config_keys[];

/* What models have where their files do not say it: defaults of their classes in transformers, and what none of them
 * says since it is always so. The last row has no models. */
typedef struct ss_config_preset {
  ss_config_models models;
  ss_attribute_index attribute;
  int64_t value;
} ss_config_preset;
extern const ss_config_preset ss_config_presets[];

/* What their files have to say; the last row has no models. */
typedef struct ss_config_need {
  ss_config_models models;
  ss_attribute_index attribute;
} ss_config_need;
extern const ss_config_need ss_config_needs[];

/* What their files have to say, if only that it is null, since their class has a size of its own for what they do not:
 * one of two keys, or the only one, and maybe of models with experts only. The last row has no models. */
typedef struct ss_config_said {
  ss_config_models models;
  const char *key, *other; /* NULL: there is no other */
  bool of_experts;
} ss_config_said;
extern const ss_config_said ss_config_saids[];

#endif
