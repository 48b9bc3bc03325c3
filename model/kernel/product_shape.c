#include "model/kernel/product_shape.h"

#include <math.h>

#include "model/base/number.h"

#define TILE_SIZE 128.0

/* Products of a vocabulary of 50257 take 3.3 to 3.5 times as long on A100 as twice those of 25128, which is what each
 * of two ranks has (validation/measured-vtrain-node.xml). GPT-2 takes 1.25 times as long with 50257 as with 50304 (A.
 * Karpathy on nanoGPT, February 2023): with 3.3, its output layer would be 11 % of the time, of 31 % of the flop. */
#define UNALIGNED_SHARE 0.3

/* The same of 12564 words, which each of four ranks has of the same model: an output layer takes 1.7 times as long as
 * it would with aligned rows, from how times grow with the tokens of a micro-batch. */
#define HALF_ALIGNED_SHARE 0.6

static bool is_whole(double loads)
{
  return loads == (double)(int64_t)loads;
}

double ss_rows_load_bytes(double a, double b, double element_bytes)
{
  double bytes = SS_LOAD_BYTES;
  while (bytes > 1.0 && ((is_whole(a) && !is_whole(a * element_bytes / bytes)) ||
                         (is_whole(b) && !is_whole(b * element_bytes / bytes))))
    bytes /= 2.0;
  return bytes;
}

/* The share of efficiency that loads leave. */
static double loads_share(const ss_product_shape *shape)
{
  if (!ss_shape_is_unaligned(shape)) return 1.0;
  return shape->load_bytes >= SS_LOAD_BYTES / 2.0 ? HALF_ALIGNED_SHARE : UNALIGNED_SHARE;
}

/* Share of the tiles over `size` elements that they fill. There are narrow tiles for what is narrow. */
static double tiles_used(double size)
{
  return size > TILE_SIZE ? size / (TILE_SIZE * ceil(size / TILE_SIZE)) : 1.0;
}

double ss_product_shape_efficiency(const ss_product_shape *shape, double flop, double start, const ss_curve *squares)
{
  const double used = tiles_used(shape->rows) * tiles_used(shape->columns);
  const double tiles_flop = flop / used, side = cbrt(tiles_flop / 2.0);
  const double square = ss_curve_value(squares, tiles_flop), largest = squares->value[squares->count - 1];
  const double starts = shape->inner > 0.0 ? ss_max(start / shape->inner - start / side, 0.0) : 0.0;
  return used * loads_share(shape) / (1.0 / square + starts / largest);
}
