/* What a replay tells a writer of what its links carried: an interface without an implementation. */
#ifndef STEPSIM_MODEL_RESULT_LINK_WRITER_H
#define STEPSIM_MODEL_RESULT_LINK_WRITER_H

#include <stdint.h>

#include "model/base/error.h"
#include "model/result/contention.h"

/* Called once at the end of a replay: `open`, `link` for every link that carried something, in order of their numbers,
 * and `close`. The iteration is cut into slices: `boundary_s` [slices + 1]; `utilisation` [slices] is that of the link
 * in each. Functions that can fail keep the first failure and report it from `close`. */
typedef struct ss_link_writer {
  void *self;
  void (*open)(void *self, const double *boundary_s, int64_t slices);
  void (*link)(void *self, const ss_busy_link *link, const double *utilisation, int64_t slices);
  ss_status (*close)(void *self, ss_error *error);
} ss_link_writer;

#endif
