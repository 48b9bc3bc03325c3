#include "sim/figure/run/stages.h"

#include <stdlib.h>

ss_shown_stages ss_stages_shown(int64_t stages, int64_t most, int64_t wanted)
{
  ss_shown_stages shown = {.count = stages < most ? stages : most};
  int64_t nearest = 0;
  if (shown.count > SS_STAGES_SHOWN) shown.count = SS_STAGES_SHOWN;
  for (int64_t i = 0; i < shown.count; ++i) {
    shown.stage[i] = shown.count > 1 ? i * (stages - 1) / (shown.count - 1) : 0;
    if (llabs(shown.stage[i] - wanted) < llabs(shown.stage[nearest] - wanted)) nearest = i;
  }
  const bool inner = nearest > 0 && nearest + 1 < shown.count;
  if (inner || shown.count == 1) shown.stage[nearest] = wanted;
  return shown;
}

int64_t ss_stages_row(const ss_shown_stages *shown, int64_t stage)
{
  for (int64_t i = 0; i < shown->count; ++i)
    if (shown->stage[i] == stage) return i;
  return -1;
}
