#include "sim/cli/describe/stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/kernel/activity.h"
#include "model/plan/placement/expert_ranks.h"
#include "sim/report/table.h"

#define CONTENTS_SIZE 96
#define TIME_WIDTH    10
#define NUMBERS_WIDTH 38 /* of what is before the times, and the blanks before what a chunk holds */

/* Appends to a text that has room for `size`; what does not fit is left out. */
static void append(char *text, size_t size, const char *before, const char *more)
{
  const size_t used = strlen(text);
  (void)snprintf(text + used, size - used, "%s%s", used > 0 ? before : "", more);
}

static bool is_vision(const ss_job *job, ss_chunk chunk, int64_t index)
{
  return (SS_BLOCK_BIT(ss_job_block_kind(job, chunk, index)) & SS_BLOCKS_OF_VISION) != 0;
}

/* The layer of its tower that a block is, counted from 0. */
static int64_t vision_layer(const ss_job *job, ss_chunk chunk, int64_t index)
{
  int64_t layer = job->part[ss_schedule_part(&job->shape, chunk).index].vision_first;
  for (int64_t i = 0; i < index; ++i) layer += is_vision(job, chunk, i);
  return layer;
}

/* Appends the name of a block, or those of the layers that follow one another; returns the last of them. */
static int64_t append_blocks(const ss_job *job, ss_chunk chunk, int64_t first, char text[CONTENTS_SIZE])
{
  const char *name = ss_activity_name(ss_block_traits_of(ss_job_block_kind(job, chunk, first))->activity);
  const bool vision = is_vision(job, chunk, first);
  const int64_t blocks = ss_job_block_count(job, chunk), layer = ss_job_block_layer(job, chunk, first);
  char layers[48];
  int64_t last = first;
  if (!vision && layer < 0) {
    append(text, CONTENTS_SIZE, ", ", name);
    return first;
  }
  while (last + 1 < blocks && is_vision(job, chunk, last + 1) == vision &&
         (vision || ss_job_block_layer(job, chunk, last + 1) >= 0))
    ++last;
  const int64_t number = vision ? vision_layer(job, chunk, first) : layer, end = number + last - first;
  const char *kind = vision ? name : "layer";
  if (last > first)
    (void)snprintf(layers, sizeof layers, "%ss %" PRId64 "-%" PRId64, kind, number, end);
  else
    (void)snprintf(layers, sizeof layers, "%s %" PRId64, kind, number);
  append(text, CONTENTS_SIZE, ", ", layers);
  return last;
}

/* Names what a chunk holds in the order of forward: layers by their numbers, from 0. */
static void list_contents(const ss_job *job, ss_chunk chunk, char text[CONTENTS_SIZE])
{
  const int64_t blocks = ss_job_block_count(job, chunk);
  text[0] = '\0';
  for (int64_t i = 0; i < blocks; ++i) i = append_blocks(job, chunk, i, text);
  if (blocks == 0) append(text, CONTENTS_SIZE, "", "nothing");
}

/* Of the blocks of a chunk, on one GPU: parameters, what a micro-batch keeps for backward, and passes by kind. */
typedef struct chunk_sum {
  double parameters, kept_bytes, pass_s[SS_PASSES];
} chunk_sum;

static chunk_sum sum_of(const ss_job *job, ss_chunk chunk)
{
  chunk_sum sum = {0};
  for (int64_t i = 0; i < ss_job_block_count(job, chunk); ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, chunk, i);
    const ss_block *block = &job->block[kind];
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) sum.parameters += block->parameters[weights];
    sum.kept_bytes += block->stored_bytes;
    for (int pass = 0; pass < SS_PASSES; ++pass)
      sum.pass_s[pass] += ss_duration_sum(job->pass[kind][pass]) + job->slowed_s[kind][pass];
  }
  return sum;
}

static void print_chunk(const ss_job *job, ss_chunk chunk, bool seconds)
{
  const chunk_sum sum = sum_of(job, chunk);
  const int passes = job->shape.schedule->splits_backward ? SS_PASSES : SS_PASS_WEIGHT;
  char contents[CONTENTS_SIZE], parameters[SS_TABLE_SCALED_SIZE], kept[SS_TABLE_SCALED_SIZE];
  list_contents(job, chunk, contents);
  ss_table_scale(sum.parameters, "", parameters);
  ss_table_scale(sum.kept_bytes, "B", kept);
  printf("%7" PRId64 "%7" PRId64 "%12s%10s", chunk.stage, chunk.index, parameters, kept);
  for (int pass = 0; seconds && pass < passes; ++pass) printf("%*.3f", TIME_WIDTH, 1e3 * sum.pass_s[pass]);
  printf("  ");
  ss_table_print_wrapped(stdout, contents, seconds ? NUMBERS_WIDTH + (size_t)passes * TIME_WIDTH : NUMBERS_WIDTH);
}

void ss_describe_stages(const ss_job *job, bool seconds)
{
  static const char *const header[SS_PASSES] = {
      [SS_PASS_FORWARD] = "forward", [SS_PASS_BACKWARD] = "backward", [SS_PASS_WEIGHT] = "weight"};
  const ss_pipeline_shape *shape = &job->shape;
  const int passes = shape->schedule->splits_backward ? SS_PASSES : SS_PASS_WEIGHT;
  const int64_t copies = shape->schedule->layout->copies, parts = job->stages * job->chunks / copies;
  if (parts == 1) return;
  printf("virtual stages, in the order of forward%s\n  stage  chunk  parameters%10s", seconds ? "; times in ms" : "",
         "kept");
  for (int pass = 0; seconds && pass < passes; ++pass) printf("%*s", TIME_WIDTH, header[pass]);
  printf("  holds\n");
  for (int64_t copy = 0; copy < copies; ++copy)
    for (int64_t part = 0; part < parts; ++part)
      print_chunk(job, ss_schedule_chunk(shape, (ss_model_part){copy, part}), seconds);
}

/* The ranks of the first group along an axis, as far as they fit on a line, and what several of them do. */
static void print_group(const ss_expert_ranks *ranks, ss_expert_axis axis, int32_t *rank, const char *what)
{
  enum { MOST = 8 };
  const int64_t size = ranks->size[axis];
  ss_expert_group_ranks(ranks, axis, 0, rank);
  printf("%6" PRId64 "  ranks", size);
  for (int64_t i = 0; i < size && i < MOST; ++i) printf(" %" PRId32, rank[i]);
  printf("%s%s%s\n", size > MOST ? " ..." : "", size > 1 ? " " : "", size > 1 ? what : "");
}

/* The kinds of layers that have another number of experts than the model. */
static void print_own_experts(const ss_layer_kinds *kinds)
{
  for (int64_t i = 0; i < kinds->count; ++i)
    if (kinds->kind[i].has[SS_LAYER_FIELD_experts])
      printf("  %" PRId64 " in layers of kind %c\n", kinds->kind[i].value[SS_LAYER_FIELD_experts], kinds->kind[i].name);
}

void ss_describe_experts(const ss_job *job)
{
  static const struct {
    const char *name, *what;
  } axes[SS_EXPERT_AXES] = {[SS_EXPERT_AXIS_TP] = {"etp", "share the matrices of an expert"},
                            [SS_EXPERT_AXIS_EP] = {"ep", "share out the experts"},
                            [SS_EXPERT_AXIS_DP] = {"edp", "hold the same experts"}};
  const ss_expert_ranks *ranks = &job->placement.experts;
  if (job->workload->model.experts == 0) return;
  const int64_t count =
      ranks->size[SS_EXPERT_AXIS_TP] * ranks->size[SS_EXPERT_AXIS_EP] * ranks->size[SS_EXPERT_AXIS_DP];
  int32_t *rank = malloc((size_t)count * sizeof *rank);
  SS_ASSERT(rank != NULL);
  printf("experts: %" PRId64 " on %" PRId64 " ranks of a stage, the groups of the first of them\n",
         job->workload->model.experts, count);
  print_own_experts(&job->layers.kinds);
  for (int axis = 0; axis < SS_EXPERT_AXES; ++axis) {
    printf("  %-4s", axes[axis].name);
    print_group(ranks, (ss_expert_axis)axis, rank, axes[axis].what);
  }
  free(rank);
}
