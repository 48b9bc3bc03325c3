/* What the keys of config.json mean, model by model: classes of configurations in huggingface/transformers,
 * src/transformers/models/NAME/configuration_NAME.py, and for kimi_k2, kimi_linear, bailing_moe,
 * mimo_v2_flash and nemotron_h those that come with the models.
 */
#include "sim/import/models/config_keys.h"

#include "sim/import/models/config_sets.h"
#include "sim/import/models/takes.h"

#define COUNT(of, name, field) {.key = name, .models = of, .take = ss_take_count, .attribute = SS_AT_model_##field},
#define FLAG(of, name, field, value)                                                                                   \
  {.key = name, .models = of, .take = ss_take_flag, .attribute = SS_AT_##field, .number = value},
#define NUMBER(of, name, field, value)                                                                                 \
  {.key = name, .models = of, .take = ss_take_number, .attribute = SS_AT_##field, .number = value},
#define SHARE(of, name, field, value)                                                                                  \
  {.key = name, .models = of, .take = ss_take_share, .attribute = SS_AT_##field, .number = value},
#define ONLY(of, name, value, problem)                                                                                 \
  {.key = name, .models = of, .take = ss_take_only, .attribute = SS_AT_model_name, .number = value, .text = problem},
#define LEFT_OUT(of, name, what)                                                                                       \
  {.key = name, .models = of, .take = ss_take_left_out, .attribute = SS_AT_model_name, .text = what},
#define UNIFORM(of, name, field) {.key = name, .models = of, .take = ss_take_uniform, .attribute = SS_AT_model_##field},
#define TAKE(of, name, function) {.key = name, .models = of, .take = function, .attribute = SS_AT_model_name},
#define IDLE(name)               TAKE(ALL, name, ss_take_idle)

const ss_config_key ss_config_keys[] = {
#include "sim/import/models/config_keys.def"
    {.key = NULL},
};
