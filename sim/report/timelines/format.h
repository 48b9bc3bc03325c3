/* What a file format of timelines does: the methods that the timeline writer calls in order of time. */
#ifndef STEPSIM_SIM_REPORT_TIMELINES_FORMAT_H
#define STEPSIM_SIM_REPORT_TIMELINES_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/result/timeline.h"
#include "sim/report/output.h"
#include "sim/report/timelines/nest.h"

/* A file being written, and the job in it. */
typedef struct ss_trace {
  ss_output output;
  ss_timeline_job job; /* points to the copies below */
  char *name;
  int32_t *gpu, *stage;        /* [job.ranks] */
  ss_selection ranks;          /* those that have tracks */
  int64_t shown_micro_batches; /* of job.micro_batches */
  int64_t nodes;
  bool *drawn_nodes; /* [nodes] those with such a rank */
  int64_t records;   /* written so far, counted by formats that separate them */
} ss_trace;

typedef struct ss_track {
  int64_t rank;
  ss_stream stream;
} ss_track;

/* A message, with a key that no other message of the trace has. */
typedef struct ss_trace_message {
  ss_arrow arrow;
  int64_t key;
} ss_trace_message;

/* Kinds of pipeline messages and the tracks they join:
 * X(gradients, "name", from stream, to stream, to stream from the other side, red, green, blue). */
/* clang-format off */
#define SS_MESSAGE_LIST(X) \
  X(false, "activations", SS_STREAM_SEND_ACTIVATIONS, SS_STREAM_RECEIVE_ACTIVATIONS, \
    SS_STREAM_RECEIVE_ACTIVATIONS_OTHER, 0.84, 0.15, 0.16) \
  X(true, "gradients", SS_STREAM_SEND_GRADIENTS, SS_STREAM_RECEIVE_GRADIENTS, \
    SS_STREAM_RECEIVE_GRADIENTS_OTHER, 0.89, 0.47, 0.76)
/* clang-format on */

/* Copies the job, and what a timeline shows of it, into a trace; false when there is no memory. Release with
 * ss_trace_free in either case, which closes the output, too; a zeroed trace may be freed. */
bool ss_trace_init_job(ss_trace *trace, const ss_timeline_job *job, const ss_timeline *shown);
void ss_trace_free(ss_trace *trace);

/* Whether a rank has tracks. */
bool ss_trace_has(const ss_trace *trace, int64_t rank);

/* Every method but `open` is called with times that never go back; utilisation is a fraction of the port's capacity.
 * A format is told where slices begin and end, or of all slices of a track at once when the outermost has ended. */
typedef struct ss_trace_format {
  void (*open)(ss_trace *trace);
  void (*begin)(ss_trace *trace, const ss_slice *slice);
  void (*end)(ss_trace *trace, ss_track track, double time_s);
  void (*slices)(ss_trace *trace, const ss_nested *nested, int64_t count); /* NULL: begin and end */
  void (*depart)(ss_trace *trace, const ss_trace_message *message);
  void (*arrive)(ss_trace *trace, const ss_trace_message *message);
  void (*utilisation)(ss_trace *trace, int64_t rank, ss_port port, double time_s, double fraction);
  void (*close)(ss_trace *trace, double end_s);
  double slice_bytes, load_bytes; /* about what a slice takes in the file, and a change of a load */
} ss_trace_format;

extern const ss_trace_format ss_trace_format_paje;
extern const ss_trace_format ss_trace_format_chrome;

/* The name of a message. */
const char *ss_message_name(const ss_arrow *arrow);

/* The track that a message leaves, and the one that it reaches. */
ss_track ss_message_source(const ss_arrow *arrow);
ss_track ss_message_target(const ss_arrow *arrow);

/* Writes "GPU 5 (rank 3 of stage 0)", without a comma, since tools for Paje print commas between columns, into a buffer
 * of SS_GPU_NAME_SIZE. */
#define SS_GPU_NAME_SIZE 80
void ss_trace_gpu_name(const ss_trace *trace, int64_t rank, char *name);

/* The node that the GPU of a rank is in. */
int64_t ss_trace_node(const ss_trace *trace, int64_t rank);

#endif
