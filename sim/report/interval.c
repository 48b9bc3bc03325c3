#include "sim/report/interval.h"

#include <inttypes.h>
#include <math.h>

#include "sim/report/json.h"
#include "sim/report/table.h"

const char *ss_interval_outside(const ss_interval *interval, char text[SS_INTERVAL_OUTSIDE_SIZE])
{
  const bool faster = interval->high < 1.0;
  const bool slower = interval->low > 1.0;
  text[0] = '\0';
  if (interval->middle > 0.0 && (faster || slower))
    (void)snprintf(text, SS_INTERVAL_OUTSIDE_SIZE,
                   " The prediction is outside, since most of them were %s than predicted, by %.1f %% at the median.",
                   faster ? "faster" : "slower", 100.0 * fabs(interval->middle - 1.0));
  return text;
}

void ss_interval_print(FILE *stream, const ss_interval *interval, const char *what, double time_s)
{
  const ss_table_unit unit = ss_table_unit_for(time_s);
  const double per_s = unit.per_s;
  char text[2 * SS_TEXT_SIZE + SS_INTERVAL_OUTSIDE_SIZE], outside[SS_INTERVAL_OUTSIDE_SIZE];
  if (isnan(interval->low))
    (void)snprintf(text, sizeof text, "%s %.4g %s: how sure that is, is not known: %s.", what, per_s * time_s,
                   unit.name, interval->like);
  else
    (void)snprintf(text, sizeof text,
                   "%s %.4g %s (%.0f %% between %.4g and %.4g %s: like %" PRId64 " measured ones of %" PRId64
                   " publishers %s).%s",
                   what, per_s * time_s, unit.name, 100.0 * SS_INTERVAL_SHARE, per_s * time_s * interval->low,
                   per_s * time_s * interval->high, unit.name, interval->rows, interval->sources, interval->like,
                   ss_interval_outside(interval, outside));
  ss_table_print_wrapped(stream, text, 0);
}

void ss_interval_print_draws(FILE *stream, bool replayed, const char *more)
{
  if (replayed)
    ss_table_print_sentence(stream,
                            "That is for the documents of one draw (--seed): others take longer or shorter, %s.", more);
  else
    ss_table_print_sentence(
        stream, "That is for the mean over documents: iterations that draw others take longer or shorter, %s.", more);
}

json_t *ss_interval_json(const ss_interval *interval, double time_s, bool *complete)
{
  json_t *object = json_object();
  ss_json_add_real(object, "share", SS_INTERVAL_SHARE, complete);
  ss_json_add_real(object, "low_s", time_s * interval->low, complete);
  ss_json_add_real(object, "high_s", time_s * interval->high, complete);
  ss_json_add(object, "rows", json_integer(interval->rows), complete);
  ss_json_add(object, "publishers", json_integer(interval->sources), complete);
  ss_json_add(object, isnan(interval->low) ? "unknown" : "like", json_string(interval->like), complete);
  return object;
}
