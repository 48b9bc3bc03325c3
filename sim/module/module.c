#include "sim/module/module.h"

#include <dlfcn.h>
#include <stdio.h>

enum { NAME_SIZE = 64 };

/* The loader looks where the run path of this program says, and keeps a library that it has loaded. Libraries behind a
 * module may load parts of their own that look for them among all symbols, as Open MPI does: RTLD_GLOBAL. */
const void *ss_module_load(const char *name, ss_error *error)
{
  char file[NAME_SIZE], symbol[NAME_SIZE];
  (void)snprintf(file, sizeof file, "stepsim_%s.so", name);
  (void)snprintf(symbol, sizeof symbol, "ss_%s_module", name);
  void *module = dlopen(file, RTLD_LAZY | RTLD_GLOBAL);
  const void *row = module != NULL ? dlsym(module, symbol) : NULL;
  if (row == NULL)
    (void)ss_error_set(error, SS_ERROR_MODULE, NULL, 0, "a part of stepsim cannot be loaded: %s", dlerror());
  return row;
}
