/* How many bytes each link carries, and when: slices of equal length, which doubles when time runs past the last. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_USAGE_H
#define STEPSIM_SIM_ENGINE_OBSERVE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/fabric/fabric.h"
#include "model/result/contention.h"
#include "model/result/link_writer.h"

#define SS_USAGE_SLICES 64

/* The slices of so many rows, in the order in which these first carried something: what is added at a time lies
 * together. */
#define SS_USAGE_BLOCK 512
typedef struct ss_usage_block {
  double bytes[SS_USAGE_SLICES][SS_USAGE_BLOCK];
} ss_usage_block;

typedef struct ss_usage {
  int64_t links, rows; /* each link has a row; other rows are for what is not a link */
  int32_t *place;      /* [rows] of those that carried something, in the order in which they first did, or -1; owned */
  int64_t places;      /* how many did */
  ss_usage_block **block; /* of so many places each; owned */
  double slice_s, slices_per_s;
  bool incomplete; /* there was no memory for something */
} ss_usage;

/* SS_ERROR_MEMORY. Free in any case; a zeroed value may be freed. */
ss_status ss_usage_init(ss_usage *usage, int64_t links, int64_t others);
void ss_usage_free(ss_usage *usage);

/* Spreads bytes evenly over [start, end], which may be a point. Memory that cannot be had is kept in mind. */
void ss_usage_add(ss_usage *usage, int64_t row, double start_s, double end_s, double bytes);

/* Whether what is spread over [start, end] all goes into one slice; makes room for the end first, as ss_usage_add
 * does. */
bool ss_usage_is_slice(ss_usage *usage, double start_s, double end_s);

/* Adds what one row carried to others [count], so many times to each. */
typedef struct ss_usage_share {
  int64_t row;
  double times;
} ss_usage_share;

void ss_usage_spread_row(ss_usage *usage, int64_t row, const ss_usage_share *to, int64_t count);

/* The same to one other. */
void ss_usage_add_row(ss_usage *usage, int64_t row, int64_t to, double times);

/* A usage and what it takes to understand it, all borrowed. */
typedef struct ss_usage_view {
  const ss_usage *usage;
  const ss_fabric *fabric;
  const int64_t *alike; /* [links] links that carry what this one does, with it; 0 for one that another stands for; or
                           NULL where each stands for itself */
  double end_s;         /* of the iteration, from time 0 on */
} ss_usage_view;

/* The busiest of the links. Those of one kind and capacity that carry the same are one entry under
 * the name of the first of them, with the highest of their peaks. Sorted by utilisation, then by number; both are
 * compared in single precision, so that rounding does not tell links apart. SS_ERROR_MEMORY. */
ss_status ss_usage_busiest(const ss_usage_view *view, ss_busy_links *out);

/* Tells a writer about all links that carried something. What another link stands for is left out.
 * SS_ERROR_MEMORY, or what closing the writer returns. */
ss_status ss_usage_write(const ss_usage_view *view, ss_link_writer *writer, ss_error *error);

#endif
