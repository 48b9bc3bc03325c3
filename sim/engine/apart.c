#include "sim/engine/apart.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/module/module.h"
#include "sim/process/process.h"

ss_status ss_apart_run(const ss_apart *apart, ss_error *error)
{
  int line;
  char fate[SS_FATE_SIZE];
  if (apart->module != NULL && ss_module_load(apart->module, error) == NULL) return SS_ERROR_MODULE;
  const pid_t child = ss_process_start(&line);
  if (child < 0) return ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "cannot start a process: %s", strerror(errno));
  if (child == 0) _exit(apart->run(apart->self, line) ? 0 : 1);
  const bool received = apart->receive(apart->self, line);
  (void)close(line);
  ss_process_wait(child, fate);
  if (received) return SS_OK;
  return ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "the network simulation (process %ld) %s", (long)child, fate);
}
