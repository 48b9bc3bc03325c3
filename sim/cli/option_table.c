#include "sim/cli/option_table.h"

#include <string.h>

#include "sim/cli/options.h"

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

bool ss_option_table_given(const ss_option_table *table, ss_command command, const char *name)
{
  for (int i = 0; i < table->count; ++i)
    if (table->is_given[i] && (table->option[i]->commands & SS_ON(command)) != 0 &&
        strcmp(table->option[i]->name, name) == 0)
      return true;
  return false;
}
