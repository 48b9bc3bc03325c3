/* What a machine costs while it is used. */
#ifndef STEPSIM_MODEL_RUN_PRICE_H
#define STEPSIM_MODEL_RUN_PRICE_H

#include <stdbool.h>

#include "model/input/machine.h"

/* Prices of what belongs to a GPU: X(field, "label", "key"). */
#define SS_PRICE_LIST(X)                                                                                               \
  X(gpu_dollars, "GPU and its share of the system", "gpu")                                                             \
  X(nic_dollars, "NICs", "nics")                                                                                       \
  X(switch_dollars, "switches", "switches")                                                                            \
  X(cable_dollars, "cables", "cables")

typedef struct ss_prices {
#define SS_PRICE_FIELD(field, label, key) double field;
  SS_PRICE_LIST(SS_PRICE_FIELD)
#undef SS_PRICE_FIELD
} ss_prices;

/* The parts of the fabric are shared by all GPUs of the machine. Cables of NICs have the share
 * nic-cable-price of the price of others. */
ss_prices ss_prices_of(const ss_machine *machine);

/* Whether what a GPU costs is known: it is rented, or has a price. */
bool ss_price_is_known(const ss_machine *machine);

/* Dollars for each GPU and second: the rent, or what the GPU with its part of the fabric loses of its price. */
double ss_price_gpu_dollars_per_s(const ss_machine *machine);

/* Dollars for a joule at the meter; 0 where a rent covers it. */
double ss_price_dollars_per_j(const ss_machine *machine);

#endif
