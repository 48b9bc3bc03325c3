#include "sim/traces/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/printable.h"

enum { PLACES = 2 * SS_KERNEL_NAMES };

ss_status ss_kernel_names_init(ss_kernel_names *names, const ss_rules *rules, ss_error *error)
{
  *names = (ss_kernel_names){.rules = rules, .name = calloc(PLACES, sizeof *names->name)};
  if (names->name != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the names of kernels");
}

void ss_kernel_names_free(ss_kernel_names *names)
{
  for (int64_t i = 0; names->name != NULL && i < PLACES; ++i) free(names->name[i].text);
  free(names->name);
  *names = (ss_kernel_names){.count = 0};
}

/* FNV-1a of 64 bits (draft-eastlake-fnv). */
static uint64_t hash(const char *text)
{
  uint64_t value = 14695981039346656037u;
  for (; *text != '\0'; ++text) value = (value ^ (unsigned char)*text) * 1099511628211u;
  return value;
}

/* Where a name is, or may be put. */
static ss_kernel_name *find(const ss_kernel_names *names, const char *text)
{
  uint64_t place = hash(text) % PLACES;
  while (names->name[place].text != NULL && strcmp(names->name[place].text, text) != 0) place = (place + 1) % PLACES;
  return &names->name[place];
}

static ss_kernel_class look_up(const ss_kernel_names *names, const char *text)
{
  const ss_kernel_class kind = ss_rules_class(names->rules, SS_RULE_KERNEL, text);
  return kind != SS_CLASS_COUNT ? kind : SS_CLASS_OTHER;
}

ss_kernel_class ss_kernel_names_class(ss_kernel_names *names, const char *text, double duration_s)
{
  ss_kernel_name *name = find(names, text);
  if (name->text == NULL) {
    if (names->count == SS_KERNEL_NAMES) return look_up(names, text);
    name->text = strdup(text);
    name->kind = look_up(names, text);
    if (name->text == NULL) return name->kind;
    ++names->count;
  }
  name->sum_s += duration_s;
  return name->kind;
}

void ss_kernel_names_unknown(const ss_kernel_names *names, ss_unknown_kernel unknown[SS_UNKNOWN_KERNELS])
{
  for (int i = 0; i < SS_UNKNOWN_KERNELS; ++i) unknown[i] = (ss_unknown_kernel){.sum_s = 0.0};
  for (int64_t place = 0; place < PLACES; ++place) {
    const ss_kernel_name *name = &names->name[place];
    if (name->text == NULL || name->kind != SS_CLASS_OTHER) continue;
    int rank = SS_UNKNOWN_KERNELS;
    while (rank > 0 && name->sum_s > unknown[rank - 1].sum_s) --rank;
    if (rank == SS_UNKNOWN_KERNELS) continue;
    memmove(&unknown[rank + 1], &unknown[rank], (size_t)(SS_UNKNOWN_KERNELS - 1 - rank) * sizeof *unknown);
    (void)snprintf(unknown[rank].name, sizeof unknown[rank].name, "%s", name->text);
    (void)ss_printable(unknown[rank].name);
    unknown[rank].sum_s = name->sum_s;
  }
}
