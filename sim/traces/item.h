/* What readers of traces find, one by one, whatever the format. */
#ifndef STEPSIM_SIM_TRACES_ITEM_H
#define STEPSIM_SIM_TRACES_ITEM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile/measurement.h"

enum { SS_ITEM_NAME_SIZE = 2048, SS_ITEM_TEXT_SIZE = 128 };

typedef enum ss_item_kind {
  SS_ITEM_KERNEL,     /* work of a GPU: of a known class, or one to be told from its name */
  SS_ITEM_GPU_RANGE,  /* an annotation, from the first to the last kernel of a stream in it */
  SS_ITEM_HOST_RANGE, /* an annotation, as a thread of the host went through it */
  SS_ITEM_LAUNCH,     /* the host has begun to launch a kernel */
  SS_ITEM_FORWARD,    /* it has begun with an operator that autograd knows */
  SS_ITEM_BACKWARD    /* and with the backward of that one */
} ss_item_kind;

/* Texts are borrowed until the sink returns. */
typedef struct ss_trace_item {
  ss_item_kind kind;
  const char *name;
  const char *group;        /* description of the ranks of a collective; empty: none */
  ss_group_shape ranks;     /* of that group; 0: unknown */
  ss_kernel_class class_of; /* SS_CLASS_COUNT: to be told from the name */
  bool is_wait;
  int64_t device, stream; /* or the thread of the host */
  int64_t link;           /* a kernel has that of its launch, a backward that of its operator; 0: none */
  int64_t layer;          /* or SS_NO_INDEX */
  double start_s, end_s;
} ss_trace_item;

/* Who hears of them: one after the other, in no order. What it returns ends the reading if it is no SS_OK. */
typedef struct ss_trace_sink {
  void *self;
  ss_status (*take)(void *self, const ss_trace_item *item, ss_error *error);
  const ss_rules *rules;                      /* for a reader that finds layers itself */
  int64_t rank, world_size;                   /* set by the reader where the trace says so */
  int64_t micro_batches, shown_micro_batches; /* likewise, of one that leaves some out, as those of this program may */
  bool devices_are_ranks;                     /* likewise */
  bool layers_by_range; /* likewise: a layer has what was launched within its annotation, and no more */
  bool by_dependencies; /* likewise: it has no times, and work starts when what it depends on has ended */
} ss_trace_sink;

/* A format: whether a file that begins with these bytes has it, and its reader. SS_ERROR_INPUT names the place. */
typedef struct ss_trace_reader {
  const char *name;
  bool (*begins)(const unsigned char *bytes, size_t count);
  ss_status (*read)(const char *path, ss_trace_sink *sink, ss_error *error);
} ss_trace_reader;

/* Formats: the trace events of Chrome, which PyTorch's profiler, Kineto, writes; the SQLite export of Nsight Systems;
 * execution traces of Chakra. */
extern const ss_trace_reader ss_chrome_reader, ss_nsight_reader, ss_chakra_reader;

#endif
