/* Options of `platform` alone, which reads their values itself. */
#ifndef STEPSIM_SIM_OPTIONS_PLATFORM_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_PLATFORM_OPTIONS_H

#include "model/fabric/topology_generator.h"
#include "sim/options/option.h"

/* X(enumerator, "name", "argument", what it is). */
/* clang-format off */
#define SS_BUILD_LIST(X) \
  X(SS_BUILD_GPUS, "gpus", "N", "GPUs of the platform") \
  X(SS_BUILD_DOMAIN, "domain", "N", "GPUs joined by NVLink; default: as in --like") \
  X(SS_BUILD_NICS, "nics", "N", "NICs per domain; default: as in --like or, with --domain, one per GPU") \
  X(SS_BUILD_FABRIC, "fabric", "KIND", "Topology - " SS_FABRIC_KIND_LIST(SS_FABRIC_KIND_HELP) "default fat-tree") \
  SS_DESIGN_OPTION_LIST(X, SS_BUILD_) \
  X(SS_BUILD_LIKE, "like", "PLATFORM", "Platform file to take the accelerator, rates, efficiencies and prices from") \
  X(SS_BUILD_NAME, "name", "NAME", "Name of the platform; default: that of --like with the number of GPUs")
/* clang-format on */

#define SS_FABRIC_KIND_HELP(id, word, table, help) word ": " help "; "

typedef enum ss_build {
#define SS_BUILD_ID(id, name, argument, help) id,
  SS_BUILD_LIST(SS_BUILD_ID)
#undef SS_BUILD_ID
      SS_BUILD_COUNT
} ss_build;

typedef struct ss_platform_options {
  const char *build[SS_BUILD_COUNT]; /* NULL where not given */
} ss_platform_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_platform_option_rows[];

#endif
