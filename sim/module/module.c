#include "sim/module/module.h"

#include <dlfcn.h>
#include <stdio.h>

enum { NAME_SIZE = 64 };

/* The loader looks where the run path of this program says, and keeps a library that it has loaded. Libraries behind a
 * module may load parts of their own that look for them among all symbols, as Open MPI does: RTLD_GLOBAL. */
static void *load(const char *name)
{
  char file[NAME_SIZE];
  (void)snprintf(file, sizeof file, "stepsim_%s.so", name);
  return dlopen(file, RTLD_LAZY | RTLD_GLOBAL);
}

const void *ss_module_load(const char *name, ss_error *error)
{
  char symbol[NAME_SIZE];
  (void)snprintf(symbol, sizeof symbol, "ss_%s_module", name);
  void *module = load(name);
  const void *row = module != NULL ? dlsym(module, symbol) : NULL;
  if (row == NULL)
    (void)ss_error_set(error, SS_ERROR_MODULE, NULL, 0, "a part of stepsim cannot be loaded: %s", dlerror());
  return row;
}

void *ss_module_symbol(const char *module, const char *name)
{
  void *whose = module != NULL ? load(module) : dlopen(NULL, RTLD_LAZY);
  return whose != NULL ? dlsym(whose, name) : NULL;
}
