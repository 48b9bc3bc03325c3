/* Which layer of a job is of which kind, and what each kind is. */
#ifndef STEPSIM_MODEL_PLAN_LAYERS_LAYER_PLAN_H
#define STEPSIM_MODEL_PLAN_LAYERS_LAYER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/block/block.h"
#include "model/input/layer_kinds.h"

/* Of a model without kinds the layers are dense, or have experts. Kinds whose first or last layers stay in 16 bits are
 * kinds of their own there. */
typedef struct ss_layer_plan {
  ss_layer_kinds kinds;             /* none of a model without */
  int64_t count;                    /* of these and, behind them, of those in 16 bits */
  int8_t of[SS_LAYER_KINDS_IN_ALL]; /* [count] which of the former each is; without kinds: 1 has experts */
  ss_workload *workload;            /* [count] as if all layers were of a kind; owned */
  int8_t *kind_of;                  /* [layers] -1 for layers of no kind; NULL where all are of none; owned */
  bool *recomputes;                 /* [layers] by training.recompute-layer-ids; NULL where it is not given; owned */
  int8_t of_modules;                /* model.mtp-kind, or the kind of the last layer, not in 16 bits; -1 for none */
  ss_workload *module; /* as if all layers were modules, where these stay in 16 bits; NULL where not; owned */
  ss_workload *tower;  /* [2] as if the model were its vision tower, and with windows; NULL without one; owned */
} ss_layer_plan;

/* Reads the kinds of a workload that is not refused. SS_ERROR_MEMORY. Release with ss_layer_plan_free, also then. */
ss_status ss_layer_plan_init(ss_layer_plan *plan, const ss_workload *workload);
void ss_layer_plan_free(ss_layer_plan *plan);

/* Follows the workload, of which attributes that are not the model's have changed. */
void ss_layer_plan_update(ss_layer_plan *plan, const ss_workload *workload);

/* Of every so many layers of a chunk the first ones. */
typedef struct ss_counted_layers {
  int64_t first, of;
} ss_counted_layers;

/* Writes into `kind` [count] which blocks the layers from `layer` on are, of which some do what training.recompute
 * says, or are offloaded: those that are listed, or counted. */
void ss_layer_plan_lay(const ss_layer_plan *plan, const ss_workload *workload, int64_t layer, int64_t count,
                       ss_counted_layers counted, int8_t *kind);

/* The letter of a kind of layers, or 0 where it has none; whether it is one in 16 bits. */
char ss_layer_plan_letter(const ss_layer_plan *plan, int64_t kind);
bool ss_layer_plan_is_16bit(const ss_layer_plan *plan, int64_t kind);

/* The workload that a block is built from: as if all layers were like it; of a module like its
 * own. Borrowed from the plan, or `workload`. */
const ss_workload *ss_layer_plan_workload(const ss_layer_plan *plan, const ss_workload *workload, ss_block_kind kind);

/* What is wrong with the kinds of a workload, written into `problem` [size], or with its pattern; NULL if nothing is.
 */
const char *ss_layer_kinds_problem(const ss_workload *workload, char *problem, size_t size);
const char *ss_layer_pattern_problem(const ss_workload *workload);

/* The same of training.recompute-layer-ids, which is given. */
const char *ss_layer_ids_problem(const ss_workload *workload);

/* Kinds of a workload that is read, with those in 16 bits, are more than there can be. */
bool ss_layer_kinds_overflow(const ss_workload *workload);

#endif
