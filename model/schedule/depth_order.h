/* The order of a schedule that is only how deep a stage goes: it runs forward until it holds `whole` micro-batches,
 * then backward and forward in turn, and never holds more than `whole` and `halves` together. */
#ifndef STEPSIM_MODEL_SCHEDULE_DEPTH_ORDER_H
#define STEPSIM_MODEL_SCHEDULE_DEPTH_ORDER_H

#include "model/schedule/row.h"

/* Where backward is split, a weight pass follows a backward pass when a stage holds all that it may, and every backward
 * pass once forward is done; what is left comes last. With several chunks micro-batches go in groups of N, chunk after
 * chunk (the order of Megatron-LM), and backward is not split. */
extern const ss_order_methods ss_depth_order;

#endif
