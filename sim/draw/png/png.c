#include "sim/draw/png/png.h"

#include <cairo.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a file in the making. */
typedef struct bytes {
  unsigned char *data;
  size_t size, capacity;
} bytes;

static cairo_status_t append(void *closure, const unsigned char *data, unsigned int length)
{
  bytes *all = closure;
  while (all->size + length > all->capacity) {
    const size_t larger = all->capacity > 0 ? 2 * all->capacity : 65536;
    unsigned char *moved = realloc(all->data, larger);
    if (moved == NULL) return CAIRO_STATUS_NO_MEMORY;
    all->data = moved;
    all->capacity = larger;
  }
  memcpy(all->data + all->size, data, length);
  all->size += length;
  return CAIRO_STATUS_SUCCESS;
}

/* The picture on a surface of its size in pixels; false where the library refuses it. */
static bool paint(RsvgHandle *handle, double scale, cairo_surface_t **surface)
{
  double width, height;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) return false;
  const RsvgRectangle all = {0.0, 0.0, scale * width, scale * height};
  *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(all.width), (int)ceil(all.height));
  cairo_t *context = cairo_create(*surface);
  cairo_set_source_rgb(context, 1.0, 1.0, 1.0);
  cairo_paint(context);
  const bool painted = rsvg_handle_render_document(handle, context, &all, NULL);
  cairo_destroy(context);
  return painted;
}

static ss_status render(const ss_png_source *source, unsigned char **data, size_t *size, ss_error *error)
{
  bytes all = {.size = 0};
  cairo_surface_t *surface = NULL;
  RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)source->svg, source->size, NULL);
  if (handle != NULL) rsvg_handle_set_dpi(handle, 96.0);
  const bool painted = handle != NULL && paint(handle, source->scale, &surface);
  const cairo_status_t written =
      painted ? cairo_surface_write_to_png_stream(surface, append, &all) : CAIRO_STATUS_INVALID_CONTENT;
  if (surface != NULL) cairo_surface_destroy(surface);
  if (handle != NULL) g_object_unref(handle);
  *data = all.data;
  *size = all.size;
  if (written == CAIRO_STATUS_SUCCESS) return SS_OK;
  free(all.data);
  return ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "the picture cannot be rendered: %s",
                      cairo_status_to_string(written));
}

const ss_png_methods ss_png_module = {.render = render};
