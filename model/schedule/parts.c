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

/* The copy that begins on the half of the pipeline that a stage is in. */
static int64_t near_copy(const ss_pipeline_shape *shape, int64_t stage)
{
  return stage < shape->stages / 2 ? 0 : 1;
}

static ss_model_part both_ways_part_of(const ss_pipeline_shape *shape, ss_chunk chunk)
{
  const int64_t near = near_copy(shape, chunk.stage), copy = chunk.index == 0 ? near : 1 - near;
  return (ss_model_part){.copy = copy, .index = copy == 0 ? chunk.stage : shape->stages - 1 - chunk.stage};
}

static ss_chunk both_ways_chunk_of(const ss_pipeline_shape *shape, ss_model_part part)
{
  const int64_t stage = part.copy == 0 ? part.index : shape->stages - 1 - part.index;
  return (ss_chunk){.stage = stage, .index = part.copy == near_copy(shape, stage) ? 0 : 1};
}

const ss_part_layout ss_parts_both_ways = {.copies = 2, .part_of = both_ways_part_of, .chunk_of = both_ways_chunk_of};
