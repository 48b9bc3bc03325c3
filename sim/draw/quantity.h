/* Quantities as pictures print them: a number and a unit that suits the largest of an axis. */
#ifndef STEPSIM_SIM_DRAW_QUANTITY_H
#define STEPSIM_SIM_DRAW_QUANTITY_H

#include <stddef.h>

/* X(enumerator, smallest unit and larger ones: "name", how many of the SI unit it is). The first is for the smallest
 * values. */
/* clang-format off */
#define SS_QUANTITY_LIST(X) \
  X(SS_QUANTITY_PLAIN, {"", 1.0}) \
  X(SS_QUANTITY_SHARE, {"%", 0.01}) \
  X(SS_QUANTITY_TIME, {"ns", 1e-9}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3}, {"s", 1.0}) \
  X(SS_QUANTITY_BYTES, {"B", 1.0}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}) \
  X(SS_QUANTITY_RATE, {"B/s", 1.0}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}) \
  X(SS_QUANTITY_FLOP, {"flop", 1.0}, {"Mflop", 1e6}, {"Gflop", 1e9}, {"Tflop", 1e12}, {"Pflop", 1e15}) \
  X(SS_QUANTITY_POWER, {"W", 1.0}, {"kW", 1e3}, {"MW", 1e6}, {"GW", 1e9}) \
  X(SS_QUANTITY_DAYS, {"s", 1.0}, {"h", 3600.0}, {"days", 86400.0}) \
  X(SS_QUANTITY_DOLLARS, {"USD", 1.0}, {"thousand USD", 1e3}, {"million USD", 1e6})
/* clang-format on */

typedef enum ss_quantity {
#define SS_QUANTITY_ID(id, ...) id,
  SS_QUANTITY_LIST(SS_QUANTITY_ID)
#undef SS_QUANTITY_ID
} ss_quantity;

/* A unit: its name, and how many of the SI unit it is. */
typedef struct ss_quantity_unit {
  const char *name;
  double size;
} ss_quantity_unit;

/* The unit for values up to `largest`, so that this is 1 or more where there is such a unit. */
ss_quantity_unit ss_quantity_unit_for(ss_quantity quantity, double largest);

/* Room for a number and its unit. */
#define SS_QUANTITY_SIZE 48

/* Writes a value as "12.5 ms" in the unit that suits it, with so many digits that count; returns `text`. */
char *ss_quantity_text(ss_quantity quantity, double value, int digits, char text[SS_QUANTITY_SIZE]);

/* Writes only the number, in a unit, as an axis with such steps needs it: with no more decimals than the steps have. */
char *ss_quantity_number(ss_quantity_unit unit, double value, double step, char text[SS_QUANTITY_SIZE]);

#endif
