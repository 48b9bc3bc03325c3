#include "sim/report/timelines/format.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  ss_stream from, to, to_other; /* to_other: from the other side */
} messages[] = {
#define SS_MESSAGE_ROW(gradients, name, from, to, to_other, red, green, blue) [gradients] = {name, from, to, to_other},
    SS_MESSAGE_LIST(SS_MESSAGE_ROW)
#undef SS_MESSAGE_ROW
};

static int64_t count_nodes(const ss_timeline_job *job)
{
  int64_t last = 0;
  for (int64_t rank = 0; rank < job->ranks; rank++) {
    const int64_t node = job->gpu[rank] / job->domain_size;
    if (node > last) last = node;
  }
  return last + 1;
}

bool ss_trace_init_job(ss_trace *trace, const ss_timeline_job *job, const ss_timeline *shown)
{
  const size_t size = (size_t)job->ranks * sizeof(int32_t);
  trace->job = *job;
  trace->job.name = trace->name = strdup(job->name);
  trace->job.gpu = trace->gpu = malloc(size);
  trace->job.stage = trace->stage = malloc(size);
  trace->ranks = shown->ranks;
  trace->shown_micro_batches = 0;
  for (int64_t i = 0; i < job->micro_batches; ++i)
    trace->shown_micro_batches += ss_selection_has(&shown->micro_batches, i);
  trace->nodes = count_nodes(job);
  trace->drawn_nodes = calloc((size_t)trace->nodes, sizeof *trace->drawn_nodes);
  if (trace->name == NULL || trace->gpu == NULL || trace->stage == NULL || trace->drawn_nodes == NULL) return false;
  memcpy(trace->gpu, job->gpu, size);
  memcpy(trace->stage, job->stage, size);
  for (int64_t rank = 0; rank < job->ranks; rank++) {
    if (ss_trace_has(trace, rank)) trace->drawn_nodes[ss_trace_node(trace, rank)] = true;
  }
  return true;
}

void ss_trace_free(ss_trace *trace)
{
  ss_output_free(&trace->output);
  free(trace->name);
  free(trace->gpu);
  free(trace->stage);
  free(trace->drawn_nodes);
  *trace = (ss_trace){0};
}

bool ss_trace_has(const ss_trace *trace, int64_t rank)
{
  return rank >= 0 && rank < trace->job.ranks && ss_selection_has(&trace->ranks, rank);
}

const char *ss_message_name(const ss_arrow *arrow)
{
  return messages[arrow->gradients].name;
}

ss_track ss_message_source(const ss_arrow *arrow)
{
  return (ss_track){arrow->from_rank, messages[arrow->gradients].from};
}

ss_track ss_message_target(const ss_arrow *arrow)
{
  const ss_stream to = messages[arrow->gradients].to, other = messages[arrow->gradients].to_other;
  return (ss_track){arrow->to_rank, arrow->other_side ? other : to};
}

void ss_trace_gpu_name(const ss_trace *trace, int64_t rank, char *name)
{
  (void)snprintf(name, SS_GPU_NAME_SIZE, "GPU %d (rank %lld of stage %d)", trace->job.gpu[rank], (long long)rank,
                 trace->job.stage[rank]);
}

int64_t ss_trace_node(const ss_trace *trace, int64_t rank)
{
  return trace->job.gpu[rank] / trace->job.domain_size;
}
