#include "sim/report/strategies/strategy_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/report/strategies/strategy.h"

enum { VALUE_SIZE = 48 };

/* Adds ", NAME VALUE"; what has no room is left out. */
static void add(char text[SS_STRATEGY_NAME_SIZE], const char *name, const char *value)
{
  const size_t used = strlen(text);
  (void)snprintf(text + used, SS_STRATEGY_NAME_SIZE - used, "%s%s %s", used > 0 ? ", " : "", name, value);
}

ss_knob_set ss_strategy_differ_in(const ss_strategy *strategy, int64_t count, ss_knob_set knobs)
{
  ss_knob_set differ = 0;
  for (int knob = 0; knob < SS_KNOB_TOTAL; ++knob) {
    char first[VALUE_SIZE], other[VALUE_SIZE];
    if ((knobs & SS_KNOB_BIT(knob)) == 0 || knob == SS_KNOB_cp) continue; /* a size */
    ss_knob_text(knob, &strategy->candidate, first, sizeof first);
    for (int64_t i = 1; i < count; ++i) {
      ss_knob_text(knob, &strategy[i].candidate, other, sizeof other);
      if (strcmp(first, other) != 0) differ |= SS_KNOB_BIT(knob);
    }
  }
  return differ;
}

char *ss_strategy_name(const ss_strategy *strategy, ss_knob_set knobs, char text[SS_STRATEGY_NAME_SIZE])
{
  const ss_candidate *c = &strategy->candidate;
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"tp", c->tp}, {"tp2", c->tp2}, {"cp", c->cp},
               {"pp", c->pp}, {"dp", c->dp},   {"micro-batch", c->micro_batch}};
  char value[VALUE_SIZE];
  text[0] = '\0';
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    if (sizes[i].value <= 1 && i + 1 < sizeof sizes / sizeof sizes[0]) continue;
    (void)snprintf(value, sizeof value, "%" PRId64, sizes[i].value);
    add(text, sizes[i].name, value);
  }
  for (int knob = 0; knob < SS_KNOB_TOTAL; ++knob) {
    if ((knobs & SS_KNOB_BIT(knob)) == 0) continue;
    ss_knob_text(knob, c, value, sizeof value);
    if (value[0] != '\0') add(text, ss_workload_attributes()[ss_knobs()[knob].attribute].name, value);
  }
  return text;
}
