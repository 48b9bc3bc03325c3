#include "sim/options/measurement_options.h"

#include <stdlib.h>

#include "sim/options/option_values.h"

#define CALIBRATE_AT(field) .commands = SS_ON(SS_COMMAND_CALIBRATE), .target = offsetof(ss_measurement_options, field)

/* A number from 0 on. */
static ss_status set_warmup(const ss_option *row, void *target, char *text, ss_error *error)
{
  int64_t *warmup = target;
  char *end;
  const long long value = strtoll(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || value > row->most)
    return ss_option_refuse(error, "--%s \"%s\": out of range or not a number; allowed: 0 to %lld", row->name, text,
                            (long long)row->most);
  *warmup = value;
  return SS_OK;
}

#define FLAG_AT(field) .set = ss_option_set_flag, .target = offsetof(ss_measurement_options, field)

const ss_option ss_measurement_option_rows[] = {
    {.name = "summary",
     .help = "Print only the errors of groups, kinds of jobs and sweeps, and regrets",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     FLAG_AT(summary)},
    {.name = "check",
     .help = "Fail if the mean absolute error or regret of a group exceeds its bound",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     FLAG_AT(check)},
    {.name = "coverage",
     .help =
         "Print how many measured iterations the intervals of predictions contain, each without the rows of its own "
         "publisher; predict nothing",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     FLAG_AT(coverage)},
    {.name = "replay", .help = "Fit the replay instead of the closed form", .commands = SS_ON_FITS, FLAG_AT(replay)},
    {.name = "quick", .help = "Skip the fits that leave one source out", .commands = SS_ON_FITS, FLAG_AT(quick)},
    {.name = "workload",
     .argument = "WORKLOAD",
     .help = "Workload of the iterations that name none; --set changes it",
     .set = ss_option_set_text,
     .names = SS_SHIPPED_WORKLOADS,
     CALIBRATE_AT(workload)},
    {.name = "warmup",
     .argument = "N",
     .help = "Steps at the beginning of a log that do not count; default: a fifth of them",
     .set = set_warmup,
     .most = 1000000,
     CALIBRATE_AT(warmup)},
    {.name = "least-bytes",
     .argument = "SIZE",
     .help = "Smallest size of nccl-tests that counts; default 1MiB",
     .set = ss_option_set_bytes,
     .commands = SS_ON_FITS,
     .target = offsetof(ss_measurement_options, least_bytes)},
    {.name = "name",
     .argument = "NAME",
     .help = "Name of the platform; default: that of PLATFORM with -own",
     .set = ss_option_set_text,
     CALIBRATE_AT(name)},
    {.name = NULL},
};
