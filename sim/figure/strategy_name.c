#include "sim/figure/strategy_name.h"

#include <inttypes.h>
#include <stdio.h>

char *ss_strategy_name(const ss_strategy *strategy, char text[SS_STRATEGY_NAME_SIZE])
{
  const ss_candidate *c = &strategy->candidate;
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"tp", c->tp}, {"tp2", c->tp2}, {"cp", c->cp},
               {"pp", c->pp}, {"dp", c->dp},   {"micro-batch", c->micro_batch}};
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    if (sizes[i].value <= 1 && i + 1 < sizeof sizes / sizeof sizes[0]) continue;
    used += (size_t)snprintf(text + used, SS_STRATEGY_NAME_SIZE - used, "%s%s %" PRId64, used > 0 ? ", " : "",
                             sizes[i].name, sizes[i].value);
  }
  return text;
}
