/* A sweep: one strategy at every value of one or two attributes or properties, and where its iteration time turns. */
#ifndef STEPSIM_MODEL_SWEEP_H
#define STEPSIM_MODEL_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/error.h"
#include "model/prediction.h"
#include "model/turning.h"

enum { SS_SWEEP_AXES = 2, SS_SWEEP_VALUES = 64 };
#define SS_SWEEP_TEXT_SIZE 128
#define SS_SWEEP_OPTION    "--vary" /* stands for the file of an axis in messages */

/* What is varied, and its values as an override takes them, in the order in which they were given. */
typedef struct ss_sweep_axis {
  char name[SS_SWEEP_TEXT_SIZE]; /* ELEMENT.ATTRIBUTE or platform.PROPERTY */
  char value[SS_SWEEP_VALUES][SS_SWEEP_TEXT_SIZE];
  int64_t count;
} ss_sweep_axis;

/* One combination of values. */
typedef struct ss_sweep_point {
  char *refusal; /* why it cannot be had, and then nothing else is filled; or NULL; owned */
  int64_t gpus;
  ss_breakdown estimate;
  bool simulated; /* the next one is filled */
  ss_breakdown simulation;
  ss_memory memory; /* of the fullest stage */
} ss_sweep_point;

/* A turn of the closed form's time, or of the replay's, along an axis, from one point to another (the same one, unless
 * neighbours are equal) with the value of the other axis fixed. */
typedef struct ss_sweep_turning {
  int64_t axis, first, last;
  bool simulated, maximum;
  ss_part part;
} ss_sweep_turning;

typedef struct ss_sweep {
  ss_sweep_axis axis[SS_SWEEP_AXES];
  int64_t axes;
  ss_sweep_point *point; /* [count] the last axis varies fastest; owned */
  int64_t count;
  ss_sweep_turning *turning; /* [turnings] owned */
  int64_t turnings;
} ss_sweep;

/* Reads NAME=VALUE,VALUE,... (with a semicolon anywhere, only semicolons separate). A value FIRST..LAST*FACTOR or
 * FIRST..LAST+STEP stands for all of them up to LAST, in the unit of both: 1..64*2, 100GBps..400GBps+50. Whether there
 * is such a name, and whether it takes such values, is not looked at. SS_ERROR_INPUT. */
ss_status ss_sweep_axis_parse(const char *text, ss_sweep_axis *axis, ss_error *error);

/* Reads one axis from each text and makes room for their points. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release with
 * ss_sweep_free in any case. */
ss_status ss_sweep_init(ss_sweep *sweep, const char *const *text, int64_t axes, ss_error *error);
void ss_sweep_free(ss_sweep *sweep);

/* The value of an axis at a point. */
const char *ss_sweep_value(const ss_sweep *sweep, int64_t point, int64_t axis);

/* Finds the turns of all lines along all axes: axis by axis, closed form before replay. SS_ERROR_MEMORY. */
ss_status ss_sweep_turn(ss_sweep *sweep, ss_error *error);

#endif
