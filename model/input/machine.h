/* A machine: GPUs in NVLink domains on a fabric, with everything the cost models need to know about them. */
#ifndef STEPSIM_MODEL_INPUT_MACHINE_H
#define STEPSIM_MODEL_INPUT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/topology.h"

#define SS_NAME_SIZE       128
#define SS_CURVE_POINTS    24
#define SS_LINK_SPEED_SIZE 2048
#define SS_GPU_SPEED_SIZE  2048
#define SS_FITTED_TO_SIZE  256
#define SS_ROUTES_SIZE     512

/* A value that depends on a size, linear in log(size) between its points and constant outside; sizes increase. */
typedef struct ss_curve {
  int64_t count;
  double size[SS_CURVE_POINTS];
  double value[SS_CURVE_POINTS];
} ss_curve;

/* Units of properties: X(enumerator, "what to write"). A quantity without its unit is refused. */
/* clang-format off */
#define SS_UNIT_LIST(X) \
  X(SS_UNIT_NONE, "a plain number") \
  X(SS_UNIT_FLOP_PER_S, "a rate such as 312Tf (f, kf, Mf, Gf, Tf, Pf)") \
  X(SS_UNIT_BYTES_PER_S, "a bandwidth such as 25GBps or 200Gbps") \
  X(SS_UNIT_BYTES, "a capacity such as 80GB or 80GiB") \
  X(SS_UNIT_SECONDS, "a time such as 2.5us (s, ms, us, ns)") \
  X(SS_UNIT_FLOP, "an amount of work such as 10Gf (f, kf, Mf, Gf, Tf, Pf)") \
  X(SS_UNIT_WATTS, "a power such as 700W (W, kW, MW)")
/* clang-format on */

typedef enum ss_unit {
#define SS_UNIT_ID(id, text) id,
  SS_UNIT_LIST(SS_UNIT_ID)
#undef SS_UNIT_ID
      SS_UNIT_COUNT
} ss_unit;

typedef enum ss_property_type {
  SS_PROPERTY_TEXT,
  SS_PROPERTY_COUNT,
  SS_PROPERTY_QUANTITY,
  SS_PROPERTY_CURVE
} ss_property_type;

/* What model/input/machine_properties.def says of them. */
#define SS_PROPERTY_REQUIRED (-1)
#define SS_LARGEST_RATIO     1.0
#define SS_LARGEST_PRICE     1e12

typedef struct ss_property {
  const char *name;
  ss_property_type type;
  ss_unit unit;
  size_t offset; /* into ss_machine: char[size], int64_t, double or ss_curve by type */
  size_t size;   /* of a text, with its 0 */
  double fallback, minimum, maximum;
  const char *help;
} ss_property;

typedef enum ss_property_index {
#define SS_TEXT(field, name, size, fallback, help)                       SS_PROPERTY_##field,
#define SS_COUNT(field, name, fallback, minimum, maximum, help)          SS_PROPERTY_##field,
#define SS_QUANTITY(field, name, unit, fallback, minimum, maximum, help) SS_PROPERTY_##field,
#define SS_CURVE(field, name, unit, fallback, help)                      SS_PROPERTY_##field,
#define SS_PRICES(field, name, unit, help)                               SS_PROPERTY_##field,
#include "model/input/machine_properties.def"
  SS_PROPERTY_TOTAL
} ss_property_index;

/* In model/fabric: forwarding.h, slow_links.h. */
typedef struct ss_forwarding ss_forwarding;
typedef struct ss_slow_links ss_slow_links;

/* Bandwidths are per GPU port (NVLink) and per NIC (fabric), one direction, before the efficiency is applied. */
typedef struct ss_machine {
  char name[SS_NAME_SIZE]; /* id of the outer zone */
  char file[SS_PATH_SIZE]; /* where it was read from; the engine loads the same file */
  int64_t gpus;            /* hosts of the NVLink zone; as many NICs as nics-per-domain says */
  double zone_nvlink_bytes_per_s, zone_fabric_bytes_per_s; /* bw of the two zones as the file has it */
  ss_shape shape;                                          /* of the fabric zone */
  const ss_forwarding *forwarding; /* what `routes` has, once it is read; NULL without one; borrowed */
  const ss_slow_links *slow_links; /* beside those of link-speed, in a what-if; NULL without; borrowed */
#define SS_TEXT(field, name, size, fallback, help)                       char field[size];
#define SS_COUNT(field, name, fallback, minimum, maximum, help)          int64_t field;
#define SS_QUANTITY(field, name, unit, fallback, minimum, maximum, help) double field;
#define SS_CURVE(field, name, unit, fallback, help)                      ss_curve field;
#define SS_PRICES(field, name, unit, help)                               ss_curve field;
#include "model/input/machine_properties.def"
  int line[SS_PROPERTY_TOTAL]; /* where each property was read, or SS_LINE_* of origin.h */
} ss_machine;

/* Memory of a GPU that tensors of a job can have. */
double ss_machine_tensor_bytes(const ss_machine *machine);

/* The table as an array of SS_PROPERTY_TOTAL rows. */
const ss_property *ss_machine_properties(void);

/* The row of a property; NULL when there is none. */
const ss_property *ss_machine_property(const char *name);

/* Sets all properties to their defaults, required ones to 0. */
void ss_machine_init(ss_machine *machine);

/* Refuses a property: the message is NAME="TEXT": and the formatted problem, with file and line of the property, which
 * is a text, a count or a quantity (printed in SI units). Always SS_ERROR_INPUT. */
ss_status ss_machine_refuse(const ss_machine *machine, ss_property_index index, ss_error *error, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));

/* What a user may write for a unit, such as "a bandwidth such as 25GBps or 200Gbps"; static text. */
const char *ss_unit_text(ss_unit unit);

/* Value of a curve at a size; linear in log(size) between points, constant outside. */
double ss_curve_value(const ss_curve *curve, double size);

/* Price at a size, in dollars: linear between the points of a curve and beyond them, but never below 0. A single point
 * applies to all sizes; without points the price is 0. */
double ss_price_value(const ss_curve *prices, double size);

/* Whether the machine has slow GPUs or noise: gpu-speed, kernel-noise or gpu-spread. */
bool ss_machine_has_perturbation(const ss_machine *machine);

/* Whether replays depend on a seed: kernel-noise or gpu-spread. */
bool ss_machine_has_chance(const ss_machine *machine);

/* Whether iterations of the machine differ, as its file says: iteration-noise, or stalls. */
bool ss_machine_has_uneven_iterations(const ss_machine *machine);

/* The price of a GPU with both of its memory tiers, in dollars; 0 without a gpu-price. */
double ss_machine_gpu_dollars(const ss_machine *machine);

/* What a GPU draws while it computes: gpu-power, or its limit where that is less. Watts; 0 where it is unknown. */
double ss_machine_gpu_power_w(const ss_machine *machine);

/* The share of its clock that a GPU keeps at gpu-power-limit, at most 1: by power-clock, or else such that what it
 * draws above idle is the third power of the clock down to 0.8, as voltage falls with the clock, and proportional to it
 * below, where voltage is at its least (P = C V^2 f). */
double ss_machine_clock(const ss_machine *machine);

/* GPUs of a node. */
int64_t ss_machine_node_gpus(const ss_machine *machine);

/* GPUs in the whole domains that a budget buys; 0 if it buys none, or without a gpu-price. */
int64_t ss_machine_gpus_for(const ss_machine *machine, double dollars);

/* NICs per GPU; below 1 if GPUs share NICs. */
double ss_machine_nics_per_gpu(const ss_machine *machine);

/* Index of the NIC through which a GPU sends its messages. Consecutive GPUs share a NIC if there are fewer NICs than
 * GPUs. */
int64_t ss_machine_nic(const ss_machine *machine, int64_t gpu);

/* What communication goes over: links inside domains, the fabric, or, as a ring of several GPUs on each of several
 * nodes, both; and whether it is between experts, or a collective of data-parallel ranks. */
typedef struct ss_transport {
  bool nvlink, fabric, experts, data;
} ss_transport;

/* The share of a GPU's compute that communication takes from concurrent kernels, which then run at (1 - share). A
 * collective is one kernel of copies, so that the largest share counts. */
double ss_machine_compute_cost(const ss_machine *machine, ss_transport transport);

#endif
