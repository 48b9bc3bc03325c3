#include "sim/engine/simgrid/start.h"

#include <errno.h>
#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is pinned, and why: the fluid model without the corrections for TCP. The small stacks are the couriers', of
 * which there are two for each flow in progress. With them goes the precision of times, those of ties. */
static const char *const settings[] = {
    "--cfg=network/model:CM02",         "--cfg=network/crosstraffic:0",   "--cfg=network/TCP-gamma:0",
    "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1", "--cfg=network/weight-S:0",
    "--cfg=maxmin/precision:1e-10",     "--cfg=contexts/stack-size:32",   "--cfg=contexts/guard-size:0",
    "--log=root.threshold:error",
#if defined(__SANITIZE_ADDRESS__)
    "--cfg=contexts/factory:thread",    "--cfg=contexts/stack-size:256",
#endif
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

void ss_simgrid_start(double tie_s, bool verbose)
{
  char precision[64];
  char *argv[SETTINGS + 3] = {"stepsim", precision};
  (void)snprintf(precision, sizeof precision, "--cfg=surf/precision:%.3g", tie_s);
  for (int i = 0; i < SETTINGS; ++i) argv[i + 2] = (char *)(uintptr_t)settings[i];
  int argc = SETTINGS + 2;
  simgrid_init(&argc, argv);
  if (!verbose) return;
  (void)fprintf(stderr, "stepsim: SimGrid %d.%d %s", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR, precision);
  for (int i = 0; i < SETTINGS; ++i) (void)fprintf(stderr, " %s", settings[i]);
  (void)fprintf(stderr, "; link latencies 0\n");
}

FILE *ss_simgrid_open(ss_error *error)
{
  const int descriptor = memfd_create("platform", MFD_CLOEXEC);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
  if (file != NULL) return file;
  (void)ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "cannot open a file in memory for the platform: %s",
                     strerror(errno));
  if (descriptor >= 0) (void)close(descriptor);
  return NULL;
}

void ss_simgrid_load(FILE *file)
{
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  simgrid_load_platform(path);
}
