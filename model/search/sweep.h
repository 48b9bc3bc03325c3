/* A sweep: a strategy, or the best one, at every value of one or two axes, and where its iteration time turns. */
#ifndef STEPSIM_MODEL_SEARCH_SWEEP_H
#define STEPSIM_MODEL_SEARCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/workload.h"
#include "model/result/prediction.h"
#include "model/search/extremum.h"
#include "model/search/shortlist.h"

enum { SS_SWEEP_AXES = 2, SS_SWEEP_VALUES = 4096, SS_SWEEP_POINTS = 1000000 };
#define SS_SWEEP_TEXT_SIZE 128
#define SS_SWEEP_OPTION    "--vary" /* stands for the file of an axis in messages */

/* Names that are no attributes or properties: of the number of GPUs, and of the platform file of a point. */
#define SS_SWEEP_GPUS     "gpus"
#define SS_SWEEP_PLATFORM "platform"

/* What is varied, and its values as an override takes them, in the order in which they were given. */
typedef struct ss_sweep_axis {
  char name[SS_SWEEP_TEXT_SIZE]; /* as it was given: NAME, or NAME/NAME/... of what is varied together */
  int64_t names;
  char (*value)[SS_SWEEP_TEXT_SIZE]; /* [count] with as many parts; owned */
  int64_t count, capacity;
} ss_sweep_axis;

/* One of the names of an axis, with a value of its own. */
typedef struct ss_sweep_setting {
  char name[SS_SWEEP_TEXT_SIZE], value[SS_SWEEP_TEXT_SIZE];
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

const char *ss_best_word(ss_best best);

/* The choice with this name. False when there is none. */
bool ss_best_find(const char *word, ss_best *best);

/* One combination of values. */
typedef struct ss_sweep_point {
  char *refusal;  /* why it cannot be had, and then nothing else is filled but the next one; or NULL; owned */
  bool too_large; /* there are strategies, but none fits */
  int64_t gpus;
  double dollars;   /* that these GPUs cost; 0 where there is no price */
  ss_strategy *top; /* [count] the only strategy, or the best of a search, best first by the closed form; owned */
  int64_t count;
  int64_t best; /* of `top`: the first, or where they are simulated the one with the shortest replay */
} ss_sweep_point;

/* A turn of the closed form's time, or of the replay's, along an axis, from one point to another (the same one, unless
 * neighbours are equal) with the value of the other axis fixed. */
typedef struct ss_sweep_extremum {
  int64_t axis, first, last;
  bool simulated, maximum;
  ss_part part;
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
 * Whether there is such a name, and whether it takes such values, is not looked at. SS_ERROR_INPUT, SS_ERROR_MEMORY.
 * Release with ss_sweep_axis_free in any case. */
ss_status ss_sweep_axis_parse(const char *text, ss_sweep_axis *axis, ss_error *error);
void ss_sweep_axis_free(ss_sweep_axis *axis);

/* What a value of an axis sets: for `index` in [0, names). */
ss_sweep_setting ss_sweep_setting_of(const ss_sweep_axis *axis, int64_t value, int64_t index);

/* Reads one axis from each text and makes room for their points. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release with
 * ss_sweep_free in any case. */
ss_status ss_sweep_init(ss_sweep *sweep, const char *const *text, int64_t axes, ss_error *error);
void ss_sweep_free(ss_sweep *sweep);

/* The value of an axis at a point, and its number in the axis. */
const char *ss_sweep_value(const ss_sweep *sweep, int64_t point, int64_t axis);
int64_t ss_sweep_value_index(const ss_sweep *sweep, int64_t point, int64_t axis);

/* Whether any axis varies this name. */
bool ss_sweep_varies(const ss_sweep *sweep, const char *name);

/* The same of an attribute of the workload. */
bool ss_sweep_varies_attribute(const ss_sweep *sweep, ss_attribute_index attribute);

/* What a point is reported with; NULL where it is refused. */
const ss_strategy *ss_sweep_best(const ss_sweep_point *point);

/* What is compared along an axis: the closed form of its favourite, or the shortest replay; NULL where there is none.
 */
const ss_breakdown *ss_sweep_time(const ss_sweep_point *point, bool simulated);

/* Finds the turns of all lines along all axes but that of the platform: axis by axis, closed form before replay.
 * SS_ERROR_MEMORY. */
ss_status ss_sweep_turn(ss_sweep *sweep, ss_error *error);

#endif
