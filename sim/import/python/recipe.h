/* Recipes of Megatron-Bridge: functions of a program in Python that return a ConfigContainer. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_RECIPE_H
#define STEPSIM_SIM_IMPORT_PYTHON_RECIPE_H

#include "sim/import/files/settings.h"
#include "sim/import/python/python.h"

/* What a recipe has beside its settings, which borrow texts of it. Zeroed is empty. */
typedef struct ss_py_recipe {
  ss_scratch *memory;  /* owned */
  const char *name;    /* of the function */
  const char *model;   /* of Hugging Face, which it is for; NULL: it does not say */
  int line;            /* of the function */
  int64_t gpus;        /* as its name has them; 0: it does not */
  ss_py_note *notes;   /* in the order in which they came */
  ss_py_module *files; /* owned */
} ss_py_recipe;

/* Whether a file has recipes: functions without parameters, whose names end with config and do not begin with _. A file
 * that is no Python that is read has none. */
bool ss_py_has_recipes(const ss_source *source);

/* Evaluates the recipe of that name in a file, or the only one (`name` NULL), and adds what it sets to `settings`.
 * SS_ERROR_INPUT with the file and the line of what is not understood and may change the configuration, and where a
 * file has several recipes, which it lists; SS_ERROR_MEMORY. Release with ss_py_recipe_free in any case, behind the
 * settings. */
ss_status ss_py_recipe_read(ss_py_recipe *recipe, const ss_source *source, const char *name, const ss_py_asks *asks,
                            ss_settings *settings, ss_error *error);

void ss_py_recipe_free(ss_py_recipe *recipe);

#endif
