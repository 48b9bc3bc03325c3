/* What a replay tells a trace writer: an interface without an implementation. */
#ifndef STEPSIM_MODEL_RESULT_TIMELINE_H
#define STEPSIM_MODEL_RESULT_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/kernel/activity.h"

/* Tracks of one GPU: X(enumerator, "name"). Of two stages that send to it, that on the other side (the way back of a V,
 * the other copy of the model) has a track of its own. */
/* clang-format off */
#define SS_STREAM_LIST(X) \
  X(SS_STREAM_COMPUTE, "compute") \
  X(SS_STREAM_TENSOR, "tensor parallel") \
  X(SS_STREAM_CONTEXT, "context parallel") \
  X(SS_STREAM_EXPERT, "expert parallel") \
  X(SS_STREAM_DATA, "data parallel") \
  X(SS_STREAM_SEND_ACTIVATIONS, "send activations") \
  X(SS_STREAM_RECEIVE_ACTIVATIONS, "receive activations") \
  X(SS_STREAM_RECEIVE_ACTIVATIONS_OTHER, "receive activations from the other side") \
  X(SS_STREAM_SEND_GRADIENTS, "send gradients") \
  X(SS_STREAM_RECEIVE_GRADIENTS, "receive gradients") \
  X(SS_STREAM_RECEIVE_GRADIENTS_OTHER, "receive gradients from the other side") \
  X(SS_STREAM_OFFLOAD_READ, "offload read") \
  X(SS_STREAM_OFFLOAD_WRITE, "offload write") \
  X(SS_STREAM_HOST, "host")
/* clang-format on */

typedef enum ss_stream {
#define SS_STREAM_ID(id, name) id,
  SS_STREAM_LIST(SS_STREAM_ID)
#undef SS_STREAM_ID
      SS_STREAM_COUNT
} ss_stream;

/* The name of a track; static text. */
const char *ss_stream_name(ss_stream stream);

/* Directions of a GPU's ports that are drawn as link utilisation: X(enumerator, "name"). */
/* clang-format off */
#define SS_PORT_LIST(X) \
  X(SS_PORT_NVLINK_OUT, "NVLink out") \
  X(SS_PORT_NVLINK_IN, "NVLink in") \
  X(SS_PORT_NIC_OUT, "NIC out") \
  X(SS_PORT_NIC_IN, "NIC in")
/* clang-format on */

typedef enum ss_port {
#define SS_PORT_ID(id, name) id,
  SS_PORT_LIST(SS_PORT_ID)
#undef SS_PORT_ID
      SS_PORT_COUNT
} ss_port;

/* The name of a port; static text. */
const char *ss_port_name(ss_port port);

#define SS_NO_INDEX (-1)

/* The job that is drawn. Ranks are numbered tp + TP (cp + CP (dp + DP pp)). */
typedef struct ss_timeline_job {
  const char *name; /* e.g. "gpt3-175b on perlmutter" */
  int64_t ranks;
  int64_t micro_batches; /* of a replica */
  int64_t domain_size;
  const int32_t *gpu;                     /* [ranks] GPU of each rank; node = gpu / domain_size */
  const int32_t *stage;                   /* [ranks] pipeline stage of each rank */
  double port_bytes_per_s[SS_PORT_COUNT]; /* capacity of each kind of port */
  double expected_s;                      /* about how long the iteration takes; 0: nobody knows */
} ss_timeline_job;

/* The beginning of one activity on one track. */
typedef struct ss_slice {
  int64_t rank;
  ss_stream stream;
  ss_activity activity;
  bool backward;       /* belongs to a backward pass */
  int64_t micro_batch; /* or SS_NO_INDEX */
  int64_t chunk;       /* of the stage, or SS_NO_INDEX where stages have one */
  int64_t layer;       /* index in the whole model, or SS_NO_INDEX */
  double time_s;
  double flop;       /* of a kernel, else 0 */
  double bytes;      /* a kernel moves in HBM, a collective of its volume, a message; 0 where none is known */
  const char *group; /* of a collective, static text; NULL: it is none */
  int64_t group_ranks;
} ss_slice;

/* One pipeline message, reported when it has arrived; it left the sender's send track and reached a receive track. */
typedef struct ss_arrow {
  int64_t from_rank, to_rank;
  bool gradients;             /* else activations */
  bool other_side;            /* reached the track of the stage on the other side */
  int64_t micro_batch, chunk; /* chunk of the stage that sends, or SS_NO_INDEX where stages have one */
  double start_s, end_s, bytes;
} ss_arrow;

/* Traffic through one port of one GPU, reported when it has ended, at its mean rate. */
typedef struct ss_traffic {
  int64_t rank;
  ss_port port;
  double start_s, end_s, bytes;
} ss_traffic;

/* Ranges with a stride; an empty selection (count 0) takes all. */
#define SS_SELECTION_RANGES 16
typedef struct ss_selection {
  int64_t count;
  struct {
    int64_t first, last, step;
  } range[SS_SELECTION_RANGES]; /* last is included */
} ss_selection;

/* The end of a range that ends with whatever there is: all are 0 .. SS_SELECTION_END. */
#define SS_SELECTION_END INT64_MAX

/* Whether a selection includes `index`. */
bool ss_selection_has(const ss_selection *selection, int64_t index);

/* A writer. A replay that starts again opens it again, in another process, unless it can be opened only once.
 * Per track, slices nest and their times never go back: begin and end are reported in order of time.
 * Across tracks, a time may be ahead of or behind the others, but never before the last `advance`.
 * `arrow` and `traffic` may start before, but never before the last `advance` either.
 * Functions that can fail keep the first failure and report it from `close`. */
typedef struct ss_timeline {
  ss_selection ranks, micro_batches; /* the replay reports nothing outside these */
  bool once;                         /* what it writes cannot be taken back */
  void *self;
  void (*open)(void *self, const ss_timeline_job *job);
  void (*begin)(void *self, const ss_slice *slice);
  void (*end)(void *self, int64_t rank, ss_stream stream, double time_s);
  void (*arrow)(void *self, const ss_arrow *arrow);
  void (*traffic)(void *self, const ss_traffic *traffic);
  void (*advance)(void *self, double time_s);
  ss_status (*close)(void *self, double end_s, ss_error *error);
} ss_timeline;

#endif
