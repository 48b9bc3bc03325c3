#include "sim/report/strategies/shortcuts.h"

#include <inttypes.h>
#include <math.h>

#include "sim/report/table.h"

void ss_shortcut_bound_see(ss_shortcut_bound *bound, const ss_strategy *strategy)
{
  if (!strategy->simulated) return;
  const ss_shortcuts *shortcuts = &strategy->shortcuts;
  bound->ahead_share = fmax(bound->ahead_share, shortcuts->presumed.ahead_s / strategy->simulation.iteration_s);
  if (shortcuts->crowded_links > bound->crowded_links) bound->crowded_links = shortcuts->crowded_links;
}

void ss_shortcut_bound_print(FILE *stream, const ss_shortcut_bound *bound)
{
  if (bound->ahead_share > 0.0)
    ss_table_print_sentence(stream,
                            "Presumed: replays took flows for others that would have been ahead for a while, which "
                            "adds up to %.2g %% of an iteration at most; what differs by less tells nothing (--fold "
                            "exact tells them apart).",
                            100.0 * bound->ahead_share);
  if (bound->crowded_links > 0)
    ss_table_print_sentence(stream,
                            "Left out: contention on up to %" PRId64
                            " links of the fabric, on which more flows met than they can carry (--fold exact has it).",
                            bound->crowded_links);
}
