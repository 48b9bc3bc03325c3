#include "sim/options/compare_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/option_values.h"

enum { MOST_DIGITS = 9 };

static ss_status set_index(const ss_option *row, void *target, char *text, ss_error *error)
{
  size_t digits = 0;
  while (isdigit((unsigned char)text[digits])) ++digits;
  if (digits == 0 || digits > MOST_DIGITS || text[digits] != '\0')
    return ss_option_refuse(error, "--%s \"%s\": is not a number; allowed: from 0 to 999999999", row->name, text);
  *(ss_option_index *)target = (ss_option_index){.is_given = true, .value = strtol(text, NULL, 10)};
  return SS_OK;
}

const ss_option ss_compare_option_rows[] = {
    {.name = "rules",
     .argument = "FILE",
     .help = "Rules that come before those that are shipped: which class kernels and groups are of, by name",
     .commands = SS_ON(SS_COMMAND_COMPARE),
     .set = ss_option_set_text,
     .names = SS_SHIPPED_RULES,
     .target = offsetof(ss_compare_options, rules)},
    {.name = "step",
     .argument = "N",
     .help = "Step of the traces to look at, such as 12 of ProfilerStep#12; default the one of median length",
     .commands = SS_ON(SS_COMMAND_COMPARE),
     .set = set_index,
     .target = offsetof(ss_compare_options, step)},
    {.name = "device",
     .argument = "N",
     .help = "GPU to look at in traces of several; default the first one",
     .commands = SS_ON(SS_COMMAND_COMPARE),
     .set = set_index,
     .target = offsetof(ss_compare_options, device)},
    {.name = NULL},
};
