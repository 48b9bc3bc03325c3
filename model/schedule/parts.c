#include "model/schedule/parts.h"

static ss_model_part round_part_of(const ss_pipeline_shape *shape, ss_chunk chunk)
{
  return (ss_model_part){.index = chunk.index * shape->stages + chunk.stage};
}

static ss_chunk round_chunk_of(const ss_pipeline_shape *shape, ss_model_part part)
{
  return (ss_chunk){.stage = part.index % shape->stages, .index = part.index / shape->stages};
}

const ss_part_layout ss_parts_round = {.copies = 1, .part_of = round_part_of, .chunk_of = round_chunk_of};

static ss_model_part v_part_of(const ss_pipeline_shape *shape, ss_chunk chunk)
{
  return (ss_model_part){.index = chunk.index == 0 ? chunk.stage : 2 * shape->stages - 1 - chunk.stage};
}

static ss_chunk v_chunk_of(const ss_pipeline_shape *shape, ss_model_part part)
{
  if (part.index < shape->stages) return (ss_chunk){.stage = part.index};
  return (ss_chunk){.stage = 2 * shape->stages - 1 - part.index, .index = 1};
}

const ss_part_layout ss_parts_v = {.copies = 1, .part_of = v_part_of, .chunk_of = v_chunk_of};
