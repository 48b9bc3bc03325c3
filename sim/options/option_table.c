#include "sim/options/option_table.h"

#include <string.h>

#include "sim/options/option_values.h"

enum { DEFAULT_SEED = 1 };

/* Of collectives that a calibration uses: below 1 MiB, times are mostly start-up and noise. */
#define LEAST_BYTES 1048576.0

/* The tables of options, and where in all options the values of each are. */
static const struct {
  const ss_option *rows;
  size_t offset;
} concerns[] = {
#define CONCERN_ROW(field, type, rows) {rows, offsetof(ss_options, field)},
    SS_CONCERN_LIST(CONCERN_ROW)
#undef CONCERN_ROW
};

void ss_option_table_init(ss_option_table *table)
{
  *table = (ss_option_table){.count = 0};
  for (size_t i = 0; i < sizeof concerns / sizeof concerns[0]; ++i)
    for (const ss_option *option = concerns[i].rows; option->name != NULL; ++option) {
      SS_ASSERT(table->count < SS_MAX_OPTIONS);
      table->option[table->count] = option;
      table->target[table->count++] = concerns[i].offset + option->target;
    }
}

void ss_options_init(ss_options *options)
{
  *options = (ss_options){.common = {.cost = SS_COST_CALIBRATED},
                          .replay = {.seed = DEFAULT_SEED, .budget = ss_budget_from_now(0.0, 0.0)},
                          .run = {.trials = 1},
                          .measurement = {.warmup = SS_WARMUP_FIFTH, .least_bytes = LEAST_BYTES}};
}

ss_status ss_option_table_set(ss_option_table *table, int row, ss_options *options, char *text, ss_error *error)
{
  const ss_option *option = table->option[row];
  if (table->is_given[row] && option->argument != NULL && !option->repeats)
    return ss_option_refuse(error, "--%s occurs again; allowed: once", option->name);
  table->is_given[row] = true;
  return option->set(option, (char *)options + table->target[row], text, error);
}

bool ss_option_table_given(const ss_option_table *table, ss_command command, const char *name)
{
  for (int i = 0; i < table->count; ++i)
    if (table->is_given[i] && (table->option[i]->commands & SS_ON(command)) != 0 &&
        strcmp(table->option[i]->name, name) == 0)
      return true;
  return false;
}
