/* Pictures as PNG: a module, since the library that renders them takes long to load. */
#ifndef STEPSIM_SIM_DRAW_PNG_PNG_H
#define STEPSIM_SIM_DRAW_PNG_PNG_H

#include <stddef.h>

#include "model/base/error.h"
#include "sim/module/module.h"

/* A picture as SVG, and how many pixels one of its units has. */
typedef struct ss_png_source {
  const char *svg;
  size_t size;
  double scale;
} ss_png_source;

/* What the module does. */
typedef struct ss_png_methods {
  /* Renders a picture into bytes of a PNG file, which the caller frees. SS_ERROR_ENGINE where the library refuses it,
   * SS_ERROR_MEMORY. */
  ss_status (*render)(const ss_png_source *source, unsigned char **bytes, size_t *size, ss_error *error);
} ss_png_methods;

extern SS_MODULE_ROW const ss_png_methods ss_png_module;

#endif
