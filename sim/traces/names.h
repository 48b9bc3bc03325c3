/* Names of kernels with their class: each is looked up in the rules once. */
#ifndef STEPSIM_SIM_TRACES_NAMES_H
#define STEPSIM_SIM_TRACES_NAMES_H

#include "model/profile/measurement.h"
#include "model/profile/rules.h"

/* Different names that are remembered at most; more are looked up each time they occur, and not listed. */
enum { SS_KERNEL_NAMES = 1 << 14 };

typedef struct ss_kernel_name {
  char *text; /* NULL: free; owned */
  ss_kernel_class kind;
  double sum_s;
} ss_kernel_name;

typedef struct ss_kernel_names {
  const ss_rules *rules; /* borrowed */
  ss_kernel_name *name;  /* [2 * SS_KERNEL_NAMES] a hash table; owned */
  int64_t count;
} ss_kernel_names;

/* SS_ERROR_MEMORY. Free in any case. */
ss_status ss_kernel_names_init(ss_kernel_names *names, const ss_rules *rules, ss_error *error);
void ss_kernel_names_free(ss_kernel_names *names);

/* The class of a kernel by its name, SS_CLASS_OTHER where no rule knows it, and adds its time to those of the name. */
ss_kernel_class ss_kernel_names_class(ss_kernel_names *names, const char *text, double duration_s);

/* The longest of those that no rule knows, the longest one first; what is left has a sum of 0. Control bytes of names
 * are '?'. */
void ss_kernel_names_unknown(const ss_kernel_names *names, ss_unknown_kernel unknown[SS_UNKNOWN_KERNELS]);

#endif
