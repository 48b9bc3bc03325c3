/* A sweep: a strategy, or the best one, at every value of one or two axes, and the local minima and maxima of its
 * iteration time. */
#ifndef STEPSIM_MODEL_SEARCH_SWEEP_H
#define STEPSIM_MODEL_SEARCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/calibration.h"
#include "model/input/replayed.h"
#include "model/result/prediction.h"
#include "model/search/extremum.h"
#include "model/search/shortlist.h"

enum { SS_SWEEP_AXES = 2, SS_SWEEP_VALUES = 4096, SS_SWEEP_POINTS = 1000000 };
#define SS_SWEEP_OPTION "--vary" /* stands for the file of an axis in messages */

/* Names that are no attributes or properties: of the number of GPUs, and of the platform file of a point. */
#define SS_SWEEP_GPUS     "gpus"
#define SS_SWEEP_PLATFORM "platform"

/* What is varied, and its values as an override takes them, in the order in which they were given. */
typedef struct ss_sweep_axis {
  char *name; /* as it was given: NAME, or NAME/NAME/... of what is varied together; its parts are behind it; owned */
  int64_t names;
  char **value; /* [count] with as many parts, likewise; owned */
  int64_t count, capacity;
} ss_sweep_axis;

/* One of the names of an axis, with a value of its own; both belong to the axis. */
typedef struct ss_sweep_setting {
  const char *name, *value;
} ss_sweep_setting;

/* What is chosen anew at every point: X(enumerator, "word", "what it is"). */
#define SS_BEST_LIST(X)                                                                                                \
  X(SS_BEST_NOTHING, "nothing", "the strategy of the workload")                                                        \
  X(SS_BEST_PLACEMENT, "placement", "how many of each coordinate share a domain")                                      \
  X(SS_BEST_STRATEGY, "strategy", "all sizes that are not varied, and the placement")

typedef enum ss_best {
#define SS_BEST_ID(id, word, help) id,
  SS_BEST_LIST(SS_BEST_ID)
#undef SS_BEST_ID
      SS_BEST_COUNT
} ss_best;

/* The word of a choice; static text. */
const char *ss_best_word(ss_best best);

/* One combination of values. */
typedef struct ss_sweep_point {
  char *refusal;  /* why it cannot be had, and then nothing else is filled but the next one; or NULL; owned */
  bool too_large; /* there are strategies, but none fits */
  char platform[SS_NAME_SIZE];
  ss_calibration calibration;    /* of the platform */
  ss_replayed_set only_replayed; /* properties of it that the closed form ignores */
  ss_interval interval;          /* how sure times are */
  int64_t gpus;
  double dollars;   /* that these GPUs cost; 0 where there is no price */
  ss_tariff tariff; /* of the machine */
  ss_strategy *top; /* [count] the only strategy, or the best of a search, best first by the closed form; owned */
  int64_t count;
  int64_t best; /* of `top`: the first, or where they are simulated the one with the shortest replay */
} ss_sweep_point;

/* A local minimum or maximum of the time of the closed form, or of the replay, along an axis with the value of the
 * other axis fixed: from point `first` to `last`, which differ only if neighbours are equal. */
typedef struct ss_sweep_extremum {
  int64_t axis, first, last;
  bool simulated, maximum;
  ss_part part;
  double depth_s; /* as of ss_extremum */
} ss_sweep_extremum;

typedef struct ss_sweep {
  ss_sweep_axis axis[SS_SWEEP_AXES];
  int64_t axes;
  ss_sweep_point *point; /* [count] the last axis varies fastest; owned */
  int64_t count;
  ss_sweep_extremum *extremum; /* [extrema] owned */
  int64_t extrema;
} ss_sweep;

/* Reads NAME=VALUE,VALUE,... (with a semicolon anywhere, only semicolons separate). A value FIRST..LAST*FACTOR or
 * FIRST..LAST+STEP stands for all of them up to LAST, in the unit of both: 1..64*2, 100GBps..400GBps+50. With
 * NAME/NAME/... every value has as many parts, and there are no ranges: parallelism.pp/parallelism.dp=1/64,2/32.
 * Names and values are not checked against the tables. SS_ERROR_INPUT, SS_ERROR_MEMORY.
 * Release with ss_sweep_axis_free in any case. */
ss_status ss_sweep_axis_parse(const char *text, ss_sweep_axis *axis, ss_error *error);

/* Releases the name and the values of an axis; zeroed is fine. */
void ss_sweep_axis_free(ss_sweep_axis *axis);

/* What a value of an axis sets for the name `index` in [0, names). */
ss_sweep_setting ss_sweep_setting_of(const ss_sweep_axis *axis, int64_t value, int64_t index);

/* Reads one axis from each text and makes room for their points. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release with
 * ss_sweep_free in any case. */
ss_status ss_sweep_init(ss_sweep *sweep, const char *const *text, int64_t axes, ss_error *error);

/* Releases axes, points and extrema; zeroed is fine. */
void ss_sweep_free(ss_sweep *sweep);

/* The value of an axis at a point, as text; borrowed from the sweep. */
const char *ss_sweep_value(const ss_sweep *sweep, int64_t point, int64_t axis);

/* The index of the value of an axis at a point. */
int64_t ss_sweep_value_index(const ss_sweep *sweep, int64_t point, int64_t axis);

/* Whether any axis varies this name. */
bool ss_sweep_varies(const ss_sweep *sweep, const char *name);

/* The strategy that a point reports; NULL if the point is refused. Borrowed. */
const ss_strategy *ss_sweep_best(const ss_sweep_point *point);

/* The time that is compared along an axis: the closed form of the favourite, or the shortest replay; NULL if there is
 * none. Borrowed. */
const ss_breakdown *ss_sweep_time(const ss_sweep_point *point, bool simulated);

/* Finds the local minima and maxima along all axes but that of the platform: axis by axis, closed form before replay.
 * SS_ERROR_MEMORY. */
ss_status ss_sweep_turn(ss_sweep *sweep, ss_error *error);

#endif
