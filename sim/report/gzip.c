#include "sim/report/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "model/base/error.h"

/* zlib's own choice between time and size; a window of 32 KiB, with a header of gzip (16); the most memory, 256 KiB. */
enum { LEVEL = 6, WINDOW_OF_GZIP = 15 + 16, MEMORY = 9, ROOM = 65536 };

struct ss_gzip {
  z_stream state;
  unsigned char room[ROOM];
};

ss_gzip *ss_gzip_create(void)
{
  ss_gzip *gzip = calloc(1, sizeof *gzip);
  if (gzip == NULL) return NULL;
  if (deflateInit2(&gzip->state, LEVEL, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) return gzip;
  free(gzip);
  return NULL;
}

void ss_gzip_destroy(ss_gzip *gzip)
{
  if (gzip != NULL) (void)deflateEnd(&gzip->state);
  free(gzip);
}

void ss_gzip_restart(ss_gzip *gzip)
{
  (void)deflateReset(&gzip->state);
}

bool ss_gzip_write(ss_gzip *gzip, FILE *stream, const void *bytes, size_t size, bool last)
{
  SS_ASSERT(size <= UINT_MAX);
  gzip->state.next_in = (Bytef *)bytes;
  gzip->state.avail_in = (uInt)size;
  do {
    gzip->state.next_out = gzip->room;
    gzip->state.avail_out = ROOM;
    (void)deflate(&gzip->state, last ? Z_FINISH : Z_NO_FLUSH);
    const size_t ready = ROOM - gzip->state.avail_out;
    if (fwrite(gzip->room, 1, ready, stream) != ready) return false;
  } while (gzip->state.avail_out == 0);
  return true;
}
