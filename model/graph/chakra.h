/* Nodes of a graph as messages of Chakra's execution traces (schema/protobuf/et_def.proto of mlcommons/chakra,
 * 2026-05), with the attributes that ASTRA-sim reads (its extern/graph_frontend/chakra: src/feeder/et_feeder_node.cpp
 * of mlcommons/chakra). */
#ifndef STEPSIM_MODEL_GRAPH_CHAKRA_H
#define STEPSIM_MODEL_GRAPH_CHAKRA_H

#include "model/graph/graph.h"
#include "model/graph/wire.h"

/* Of the message about the whole trace, and of nodes. */
enum { SS_CHAKRA_METADATA_VERSION = 1, SS_CHAKRA_METADATA_ATTRIBUTE = 2 };

enum {
  SS_CHAKRA_ID = 1,
  SS_CHAKRA_NAME = 2,
  SS_CHAKRA_TYPE = 3,
  SS_CHAKRA_CONTROL = 4,
  SS_CHAKRA_DATA = 5,
  SS_CHAKRA_START = 6,
  SS_CHAKRA_DURATION = 7,
  SS_CHAKRA_ATTRIBUTE = 10
};

/* Of an attribute: its name, and its value by type. */
enum {
  SS_CHAKRA_ATTRIBUTE_NAME = 1,
  SS_CHAKRA_INT32 = 7,
  SS_CHAKRA_INT64 = 9,
  SS_CHAKRA_UINT64 = 13,
  SS_CHAKRA_BOOL = 27,
  SS_CHAKRA_STRING = 29
};

/* Attributes that this program writes and reads, and others ignore. */
#define SS_CHAKRA_RANK         "rank"
#define SS_CHAKRA_RANKS        "world_size"
#define SS_CHAKRA_KERNEL_CLASS "kernel_class"
#define SS_CHAKRA_LAYER        "layer"

/* Types of nodes. */
enum { SS_CHAKRA_COMPUTE = 4, SS_CHAKRA_SEND = 5, SS_CHAKRA_RECEIVE = 6, SS_CHAKRA_COLLECTIVE = 7 };

/* The message that the trace of a rank begins with, one of `ranks`. */
void ss_chakra_metadata(int64_t rank, int64_t ranks, ss_wire_message *message);

/* A node of a rank. Durations are whole microseconds: `elapsed_s`, what the kernels before it took, is moved on, so
 * that rounding does not add up. */
void ss_chakra_node(const ss_graph_node *node, int64_t rank, double *elapsed_s, ss_wire_message *message);

#endif
