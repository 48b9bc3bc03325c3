#include "model/schedule/parts.h"

static ss_model_part part_of(const ss_pipeline_shape *shape, ss_chunk chunk)
{
  return (ss_model_part){.index = chunk.index * shape->stages + chunk.stage};
}

static ss_chunk chunk_of(const ss_pipeline_shape *shape, ss_model_part part)
{
  return (ss_chunk){.stage = part.index % shape->stages, .index = part.index / shape->stages};
}

const ss_part_layout ss_parts_round = {.copies = 1, .part_of = part_of, .chunk_of = chunk_of};
