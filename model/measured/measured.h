/* Published measurements: iterations of training, collectives alone on the machine, and whole runs, grouped by where
 * they are from.
 * All of it is plain data; sim/io reads it. */
#ifndef STEPSIM_MODEL_MEASURED_MEASURED_H
#define STEPSIM_MODEL_MEASURED_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/collective/collective.h"
#include "model/input/machine.h"
#include "model/input/words.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* X(enumerator, "element", "points, for people"). */
#define SS_MEASURED_LIST(X)                                                                                            \
  X(SS_MEASURED_ITERATIONS, "iterations", "iterations")                                                                \
  X(SS_MEASURED_COLLECTIVES, "collectives", "collectives")                                                             \
  X(SS_MEASURED_RUNS, "runs", "runs")

typedef enum ss_measured_kind {
#define SS_MEASURED_ID(id, element, points) id,
  SS_MEASURED_LIST(SS_MEASURED_ID)
#undef SS_MEASURED_ID
      SS_MEASURED_COUNT
} ss_measured_kind;

/* Collectives that are measured by themselves, those that training uses: X(collective, "op"). */
#define SS_MEASURED_OP_LIST(X)                                                                                         \
  X(SS_ALL_GATHER, "all-gather")                                                                                       \
  X(SS_REDUCE_SCATTER, "reduce-scatter")                                                                               \
  X(SS_ALL_REDUCE, "all-reduce")                                                                                       \
  X(SS_ALL_TO_ALL, "all-to-all")                                                                                       \
  X(SS_BROADCAST, "broadcast")                                                                                         \
  X(SS_REDUCE, "reduce")                                                                                               \
  X(SS_SEND_RECEIVE, "send-receive")

/* The op of a collective; NULL where it is not measured by itself. */
const char *ss_measured_op(ss_collective collective);

/* "iterations", "collectives", "runs". */
const char *ss_measured_word(ss_measured_kind kind);

/* What is published of a run, compared as a time: X(enumerator, "attribute", "the time that it is", whether it is that
 * of all GPUs, one after the other). */
#define SS_RUN_FIGURE_LIST(X)                                                                                          \
  X(SS_RUN_DAYS, "days", "of the run", false)                                                                          \
  X(SS_RUN_GPU_HOURS, "gpu-hours", "of the run", true)                                                                 \
  X(SS_RUN_INTERRUPTIONS, "interruptions", "between interruptions", false)                                             \
  X(SS_RUN_GOODPUT, "goodput", "for a second of work", false)                                                          \
  X(SS_RUN_GPU_ENERGY, "gpu-kwh", "for what a GPU draws by itself, at 1 kW", true)                                     \
  X(SS_RUN_ENERGY, "kwh", "for what a GPU draws at the meter, at 1 kW", true)                                          \
  X(SS_RUN_CARBON, "co2-kg", "for what a GPU emits, at 1 g/s", true)

typedef enum ss_run_figure {
#define SS_RUN_FIGURE_ID(id, attribute, time, of_all) id,
  SS_RUN_FIGURE_LIST(SS_RUN_FIGURE_ID)
#undef SS_RUN_FIGURE_ID
      SS_RUN_FIGURES
} ss_run_figure;

/* The time that is compared. */
const char *ss_run_figure_time(ss_run_figure figure);

/* Whether what is published is that of all GPUs, of which the time that is compared is the share of one. */
bool ss_run_figure_is_of_all(ss_run_figure figure);

/* What is published as a limit, such as "over 90 %", and no value: X(enumerator, "word of files", "of a time"). */
#define SS_LIMIT_LIST(X)                                                                                               \
  X(SS_LIMIT_AT_LEAST, "at-least", "at least so long")                                                                 \
  X(SS_LIMIT_AT_MOST, "at-most", "at most so long")

typedef enum ss_limit {
  SS_LIMIT_NONE, /* a value */
#define SS_LIMIT_ID(id, word, text) id,
  SS_LIMIT_LIST(SS_LIMIT_ID)
#undef SS_LIMIT_ID
} ss_limit;

/* The word of a limit, and what it says of a time; not of SS_LIMIT_NONE. */
const char *ss_limit_word(ss_limit limit);
const char *ss_limit_text(ss_limit limit);

/* A property of the platform that is other than its file has it: "platform.NAME=VALUE", as overrides are. */
typedef struct ss_measured_setting {
  char text[SS_TEXT_SIZE];
} ss_measured_setting;

enum { SS_MEASURED_SETTINGS = 16 };

typedef struct ss_measured_settings {
  ss_measured_setting setting[SS_MEASURED_SETTINGS];
  int64_t count;
} ss_measured_settings;

/* What points have in common. */
typedef struct ss_measured_group {
  ss_measured_kind kind;
  char file[SS_PATH_SIZE];
  int line;
  char id[SS_NAME_SIZE], title[SS_TEXT_SIZE], source[SS_TEXT_SIZE], software[SS_TEXT_SIZE];
  double bound;        /* mean absolute error as a fraction that no prediction may exceed; NaN without one */
  double regret_bound; /* the same of its mean regret (model/measured/regret.h) */
  int64_t first, count;
  ss_measured_settings settings;
  ss_collective collective; /* of collectives */
  double least_bytes;       /* of collectives: smaller ones are not used */
} ss_measured_group;

typedef struct ss_measured_point {
  int64_t group;
  int line;
  char id[SS_NAME_SIZE];
  char sweep[SS_NAME_SIZE];    /* points of a group that differ in sizes only; empty: none */
  char platform[SS_PATH_SIZE]; /* file */
  bool used;
  char why[SS_TEXT_SIZE];       /* it is not used */
  char notes[SS_TEXT_SIZE];     /* names of what is not as the workload says, in a list */
  ss_run_figure figure;         /* of a run: which time is measured */
  double measured_s;            /* of an iteration, a collective, or a run */
  ss_limit limit;               /* of a run: what this time is */
  double memory_bytes;          /* on the fullest GPU; NaN where it was not published */
  ss_workload *workload;        /* of an iteration or run, not yet derived; NULL of a collective; owned */
  ss_measured_settings *own;    /* beyond those of its group; NULL: none; owned */
  int64_t nodes, gpus_per_node; /* of a collective */
  double volume_bytes;          /* of a collective, as ss_collective_time has it */
} ss_measured_point;

/* Zeroed is empty. Points of a group follow one another. */
typedef struct ss_measured {
  ss_measured_group *group; /* [groups] owned */
  int64_t groups, group_capacity;
  ss_measured_point *point; /* [points] owned */
  int64_t points, point_capacity;
} ss_measured;

/* Adds a group at the end, all zero. Returns NULL if memory runs out. Pointers to other groups become invalid. */
ss_measured_group *ss_measured_add_group(ss_measured *measured);

/* Adds a point at the end, all zero. Returns NULL if memory runs out. Pointers to other points become invalid. */
ss_measured_point *ss_measured_add_point(ss_measured *measured);

/* Whether a point is an iteration that is used, of a workload that is known. */
bool ss_measured_is_iteration(const ss_measured *measured, int64_t point);

/* Applies the settings of a point's group, and then its own, to a platform by `apply`. Returns its first refusal. */
ss_status ss_measured_apply(const ss_measured *measured, int64_t point,
                            ss_status (*apply)(void *context, const char *setting), void *context);

/* The first point of a point's group that is used and asks for the same prediction, as the same job of two releases of
 * a framework does; the point itself where there is none before it. */
int64_t ss_measured_twin(const ss_measured *measured, int64_t point);

/* The first point for which a property of the platform, by its name, is set; -1 where it is for none. */
int64_t ss_measured_setter(const ss_measured *measured, const char *property);

/* Releases groups and points; zeroed is fine. */
void ss_measured_free(ss_measured *measured);

#endif
