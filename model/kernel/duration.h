/* How the time of kernels and collectives divides: into parts, and by the group of ranks that communicates. */
#ifndef STEPSIM_MODEL_KERNEL_DURATION_H
#define STEPSIM_MODEL_KERNEL_DURATION_H

/* The group of ranks that a collective of a layer runs over: X(enumerator, "name", part of a breakdown). */
#define SS_GROUP_LIST(X)                                                                                               \
  X(SS_GROUP_TENSOR, "tp", tp_comm_s)                                                                                  \
  X(SS_GROUP_TENSOR_2, "tp2", tp_comm_s)                                                                               \
  X(SS_GROUP_CONTEXT, "cp", cp_comm_s)                                                                                 \
  X(SS_GROUP_CONTEXT_INNER, "cp-inner", cp_comm_s)                                                                     \
  X(SS_GROUP_EXPERT, "ep", ep_comm_s)                                                                                  \
  X(SS_GROUP_EXPERT_TENSOR, "etp", ep_comm_s)                                                                          \
  X(SS_GROUP_REPLICA, "tp-cp", tp_comm_s)                                                                              \
  X(SS_GROUP_STAGE, "tp-cp-dp", dp_comm_s)                                                                             \
  X(SS_GROUP_VISION, "vision-tp", tp_comm_s)                                                                           \
  X(SS_GROUP_VISION_COPIES, "vision-copies", tp_comm_s)

typedef enum ss_group {
#define SS_GROUP_ID(id, name, part) id,
  SS_GROUP_LIST(SS_GROUP_ID)
#undef SS_GROUP_ID
      SS_GROUPS
} ss_group;

/* The name of a group, as reports have it. */
const char *ss_group_name(ss_group group);

/* Parts of the time of a kernel or a collective; they follow one another. */
typedef struct ss_duration {
  double compute_s, memory_s, launch_s;
  double comm_s[SS_GROUPS]; /* exposed */
} ss_duration;

/* All of it, what of it is no communication, and what is, in seconds. */
double ss_duration_sum(ss_duration duration);
double ss_duration_kernel_s(ss_duration duration);
double ss_duration_exposed_s(ss_duration duration);

/* Sum and multiple, part by part. */
ss_duration ss_duration_add(ss_duration a, ss_duration b);
ss_duration ss_duration_scale(double factor, ss_duration duration);

#endif
