/* What Megatron-Bridge makes of a config.json, as far as its settings are in the files beside a recipe. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_MODELS_H
#define STEPSIM_SIM_IMPORT_PYTHON_MODELS_H

#include "sim/import/python/python.h"

/* The configuration of the model that AutoBridge makes: what the class for its model_type sets beside what config.json
 * says. NULL where the evaluation has ended. */
ss_py_value *ss_py_model_made(ss_py *py, const ss_py_node *at);

/* What torch says of the GPU that a recipe is for. */
ss_py_value *ss_py_device(ss_py *py);

/* Its compute capability, both numbers; NULL where it is not known. */
ss_py_value *ss_py_capability(ss_py *py);

#endif
