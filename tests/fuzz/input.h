/* The bytes of a fuzz target as a file. */
#ifndef STEPSIM_TESTS_FUZZ_INPUT_H
#define STEPSIM_TESTS_FUZZ_INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "model/base/error.h"

enum { PATH_ROOM = 64 };

/* One file per process and target, overwritten by each input. */
static inline void write_input(const char *target, const uint8_t *data, size_t size, char path[PATH_ROOM])
{
  (void)snprintf(path, PATH_ROOM, "/tmp/fuzz_%s_%ld.xml", target, (long)getpid());
  FILE *stream = fopen(path, "wb");
  SS_ASSERT(stream != NULL);
  SS_ASSERT(fwrite(data, 1, size, stream) == size);
  SS_ASSERT(fclose(stream) == 0);
}

#endif
