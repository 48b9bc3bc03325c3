#include "model/graph/chakra.h"

#include <math.h>
#include <stdio.h>

#include "model/profile/kernel_class.h"
#include "model/result/timeline.h"

/* The version of the schema that traces of today say they have. */
#define VERSION "0.0.4"

/* An attribute in a field of a message, whose value is a number, or text. */
static void put_number_in(ss_wire_message *message, uint32_t field, const char *name, uint32_t type, uint64_t value)
{
  ss_wire_message attribute;
  attribute.count = 0;
  attribute.full = false;
  ss_wire_put_text(&attribute, SS_CHAKRA_ATTRIBUTE_NAME, name);
  ss_wire_put_count(&attribute, type, value);
  ss_wire_put_message(message, field, &attribute);
}

static void put_number(ss_wire_message *message, const char *name, uint32_t type, uint64_t value)
{
  put_number_in(message, SS_CHAKRA_ATTRIBUTE, name, type, value);
}

void ss_chakra_metadata(int64_t rank, int64_t ranks, ss_wire_message *message)
{
  message->count = 0;
  message->full = false;
  ss_wire_put_text(message, SS_CHAKRA_METADATA_VERSION, VERSION);
  put_number_in(message, SS_CHAKRA_METADATA_ATTRIBUTE, SS_CHAKRA_RANK, SS_CHAKRA_INT64, (uint64_t)rank);
  put_number_in(message, SS_CHAKRA_METADATA_ATTRIBUTE, SS_CHAKRA_RANKS, SS_CHAKRA_INT64, (uint64_t)ranks);
}

static void put_text(ss_wire_message *message, const char *name, const char *value)
{
  ss_wire_message attribute;
  attribute.count = 0;
  attribute.full = false;
  ss_wire_put_text(&attribute, SS_CHAKRA_ATTRIBUTE_NAME, name);
  ss_wire_put_text(&attribute, SS_CHAKRA_STRING, value);
  ss_wire_put_message(message, SS_CHAKRA_ATTRIBUTE, &attribute);
}

static void put_index(ss_wire_message *message, const char *name, int64_t index)
{
  if (index != SS_NO_INDEX) put_number(message, name, SS_CHAKRA_INT64, (uint64_t)index);
}

/* The numbers of collectives in the schema. No step of a workload has a send/receive. */
static uint64_t comm_type(ss_collective kind)
{
  SS_ASSERT(kind != SS_SEND_RECEIVE);
  static const uint64_t types[SS_COLLECTIVE_COUNT] = {
      [SS_ALL_REDUCE] = 0, [SS_REDUCE] = 1,         [SS_ALL_GATHER] = 2, [SS_BROADCAST] = 5,
      [SS_ALL_TO_ALL] = 6, [SS_REDUCE_SCATTER] = 7, [SS_DISPATCH] = 6};
  return types[kind];
}

static uint64_t whole(double value)
{
  return value > 0.0 ? (uint64_t)llround(value) : 0;
}

/* Numbers without a tag before each. */
static void put_list(ss_wire_message *message, uint32_t field, const int64_t *list, int count)
{
  ss_wire_message packed;
  packed.count = 0;
  packed.full = false;
  for (int i = 0; i < count; ++i) ss_wire_put_varint(&packed, (uint64_t)list[i]);
  if (count > 0) ss_wire_put_message(message, field, &packed);
}

/* The class of a kernel is a word of a comparison, which has no rule for names of this program. */
static void put_kernel(const ss_graph_node *node, ss_wire_message *message)
{
  put_text(message, SS_CHAKRA_KERNEL_CLASS, ss_class_word(ss_class_of_activity(node->activity, SS_STREAM_COMPUTE)));
  put_number(message, "num_ops", SS_CHAKRA_INT64, whole(node->flop));
  put_number(message, "tensor_size", SS_CHAKRA_UINT64, whole(node->bytes));
}

/* What a group is for, in the words of the classes of a comparison. */
static const char *purpose_of(const ss_graph_node *node)
{
  static const ss_kernel_class classes[SS_GROUPS] = {
      [SS_GROUP_TENSOR] = SS_CLASS_TENSOR,   [SS_GROUP_TENSOR_2] = SS_CLASS_TENSOR,
      [SS_GROUP_CONTEXT] = SS_CLASS_CONTEXT, [SS_GROUP_CONTEXT_INNER] = SS_CLASS_CONTEXT,
      [SS_GROUP_EXPERT] = SS_CLASS_EXPERT,   [SS_GROUP_EXPERT_TENSOR] = SS_CLASS_TENSOR,
      [SS_GROUP_REPLICA] = SS_CLASS_TENSOR,  [SS_GROUP_STAGE] = SS_CLASS_DATA,
      [SS_GROUP_VISION] = SS_CLASS_TENSOR,   [SS_GROUP_VISION_COPIES] = SS_CLASS_TENSOR};
  return ss_class_word(node->group_kind < SS_GROUPS ? classes[node->group_kind] : SS_CLASS_DATA);
}

static void put_collective(const ss_graph_node *node, ss_wire_message *message)
{
  char name[24];
  (void)snprintf(name, sizeof name, "%lld", (long long)node->group->name);
  put_number(message, "comm_type", SS_CHAKRA_INT64, comm_type(node->collective));
  put_number(message, "comm_size", SS_CHAKRA_INT64, whole(node->bytes));
  put_text(message, "pg_name", name);
  put_text(message, "pg_desc", purpose_of(node));
}

static void put_message(const ss_graph_node *node, int64_t rank, ss_wire_message *message)
{
  const bool sends = node->kind == SS_GRAPH_SEND;
  put_number(message, "comm_size", SS_CHAKRA_INT64, whole(node->bytes));
  put_number(message, "comm_src", SS_CHAKRA_INT32, (uint64_t)(sends ? rank : node->peer));
  put_number(message, "comm_dst", SS_CHAKRA_INT32, (uint64_t)(sends ? node->peer : rank));
  put_number(message, "comm_tag", SS_CHAKRA_INT32, (uint64_t)node->tag);
}

static uint64_t duration_micros(const ss_graph_node *node, double *elapsed_s)
{
  if (node->kind != SS_GRAPH_KERNEL) return whole(1e6 * node->duration_s);
  const uint64_t before = whole(1e6 * *elapsed_s);
  *elapsed_s += node->duration_s;
  return whole(1e6 * *elapsed_s) - before;
}

static uint64_t type_of(ss_graph_kind kind)
{
  static const uint64_t types[] = {[SS_GRAPH_KERNEL] = SS_CHAKRA_COMPUTE,
                                   [SS_GRAPH_COLLECTIVE] = SS_CHAKRA_COLLECTIVE,
                                   [SS_GRAPH_SEND] = SS_CHAKRA_SEND,
                                   [SS_GRAPH_RECEIVE] = SS_CHAKRA_RECEIVE};
  return types[kind];
}

void ss_chakra_node(const ss_graph_node *node, int64_t rank, double *elapsed_s, ss_wire_message *message)
{
  char name[128];
  (void)snprintf(name, sizeof name, "%s%s", ss_activity_name(node->activity), ss_role_text(node->role));
  message->count = 0;
  message->full = false;
  ss_wire_put_count(message, SS_CHAKRA_ID, (uint64_t)node->id);
  ss_wire_put_text(message, SS_CHAKRA_NAME, name);
  ss_wire_put_count(message, SS_CHAKRA_TYPE, type_of(node->kind));
  put_list(message, SS_CHAKRA_CONTROL, node->control, node->control_count);
  put_list(message, SS_CHAKRA_DATA, node->data, node->data_count);
  ss_wire_put_count(message, SS_CHAKRA_DURATION, duration_micros(node, elapsed_s));
  put_number(message, "is_cpu_op", SS_CHAKRA_BOOL, 0);
  if (node->kind == SS_GRAPH_KERNEL)
    put_kernel(node, message);
  else if (node->kind == SS_GRAPH_COLLECTIVE)
    put_collective(node, message);
  else
    put_message(node, rank, message);
  put_index(message, SS_CHAKRA_LAYER, node->layer);
  put_index(message, "micro_batch", node->micro_batch);
  SS_ASSERT(!message->full);
}
