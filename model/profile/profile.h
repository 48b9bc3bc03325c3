/* Where the time of an iteration goes on one GPU: intervals of work of several classes, which overlap, become times of
 * each class that add up to the iteration. */
#ifndef STEPSIM_MODEL_PROFILE_PROFILE_H
#define STEPSIM_MODEL_PROFILE_PROFILE_H

#include <stdint.h>

#include "model/base/error.h"
#include "model/profile/kernel_class.h"

/* A kernel, a collective or a wait. */
typedef struct ss_work_interval {
  double start_s, end_s;
  ss_kernel_class kind;
  int64_t layer;  /* or SS_NO_INDEX */
  bool is_kernel; /* else it is a wait, which is not counted */
} ss_work_interval;

/* Its beginning or its end. */
typedef struct ss_work_edge {
  double time_s;
  int32_t layer;
  int8_t kind;
  bool begins, is_kernel;
} ss_work_edge;

/* All intervals of an iteration, or more: 32 bytes each. Zeroed is empty. */
typedef struct ss_work_log {
  ss_work_edge *edge; /* [count] owned */
  int64_t count, room;
} ss_work_log;

/* Adds an interval that ends no earlier than it starts. SS_ERROR_MEMORY. */
ss_status ss_work_log_add(ss_work_log *log, const ss_work_interval *interval, ss_error *error);

/* Brings the edges into the order of time. */
void ss_work_log_sort(ss_work_log *log);
void ss_work_log_free(ss_work_log *log);

/* From when to when. */
typedef struct ss_window {
  double start_s, end_s;
} ss_window;

/* From the first edge of a sorted log to the last; both 0 where there is none. */
ss_window ss_work_log_window(const ss_work_log *log);

/* The time of a class. */
typedef struct ss_class_time {
  double kernels;  /* that start in the window; a mean where several ranks are added up */
  double sum_s;    /* of all intervals */
  double active_s; /* when at least one of them runs */
  double alone_s;  /* its part of the iteration: all classes and what is idle add up to it */
} ss_class_time;

/* The kernels of a layer that are no communication. */
typedef struct ss_layer_time {
  double kernels, sum_s;
} ss_layer_time;

enum { SS_PROFILE_LAYERS = 1024 };

/* Any moment belongs to the classes that compute then, in equal parts; where nothing computes, to those that run beside
 * compute; else it is idle. */
typedef struct ss_profile {
  ss_class_time of[SS_CLASS_COUNT];
  double iteration_s, idle_s;
  double gaps;                            /* times without any work, of a nanosecond or more */
  double compute_s, beside_s, hidden_s;   /* when something computes, when something runs beside; both */
  int64_t layers;                         /* one more than the last layer that is told; 0: none is */
  ss_layer_time layer[SS_PROFILE_LAYERS]; /* [layers] */
} ss_profile;

/* The profile of a window of a sorted log. */
void ss_profile_of(const ss_work_log *log, ss_window window, ss_profile *profile);

/* Adds `weight` times a profile to a sum that began zeroed: for the mean of several ranks. */
void ss_profile_add(ss_profile *sum, const ss_profile *profile, double weight);

#endif
