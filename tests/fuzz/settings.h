/* Any bytes as settings of a language. */
#ifndef STEPSIM_TESTS_FUZZ_SETTINGS_H
#define STEPSIM_TESTS_FUZZ_SETTINGS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/files/interpolation.h"
#include "sim/import/files/settings.h"

/* Reads bytes, without zeros as sources are, with a reader; what is accepted has values and lines, and resolves. */
static inline void read_settings(ss_status (*reader)(ss_settings *, ss_error *), const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  SS_ASSERT(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  const ss_source source = {.path = "fuzz", .text = text, .size = strlen(text)};
  ss_settings settings = {.source = &source};
  ss_error error = {.code = SS_OK};
  const ss_status status = reader(&settings, &error);
  SS_ASSERT(status == error.code);
  if (status == SS_OK) ss_settings_resolve(&settings);
  for (int64_t i = 0; i < settings.count; ++i)
    SS_ASSERT(settings.setting[i].value != NULL && settings.setting[i].line > 0);
  ss_settings_free(&settings);
  free(text);
}

#endif
