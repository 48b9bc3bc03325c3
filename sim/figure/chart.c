#include "sim/figure/chart.h"

#include <math.h>

/* About how many numbers an axis has. */
enum { STEPS = 6 };

ss_extent ss_chart_nothing(void)
{
  return (ss_extent){.first = INFINITY, .last = -INFINITY};
}

void ss_chart_reach(ss_extent *extent, double value)
{
  extent->first = fmin(extent->first, value);
  extent->last = fmax(extent->last, value);
}

/* Round in the unit that the numbers are printed in. */
static ss_extent widened(const ss_ruler *ruler, double from, double to)
{
  const double unit = ruler->scale.logarithmic ? 1.0 : ss_ruler_unit(ruler).size;
  ss_extent extent = ruler->scale;
  extent.first /= unit;
  extent.last /= unit;
  extent = ss_extent_widened(extent, STEPS);
  return (ss_extent){extent.first * unit, extent.last * unit, from, to, extent.logarithmic};
}

ss_chart ss_chart_draw_left(ss_svg *svg, double top, double height, ss_ruler y)
{
  ss_chart chart = {.y = y};
  chart.y.scale = widened(&y, top + SS_RULER_ABOVE + height, top + SS_RULER_ABOVE);
  const double left = ss_ruler_width(&chart.y);
  chart.frame = (ss_box){left, top + SS_RULER_ABOVE, svg->width - left - 14.0, height};
  chart.x.scale = (ss_extent){0.0, 1.0, chart.frame.x, chart.frame.x + chart.frame.width, false};
  ss_ruler_draw_left(svg, &chart.y, chart.frame);
  return chart;
}

ss_chart ss_chart_draw(ss_svg *svg, double top, double height, ss_ruler x, ss_ruler y)
{
  ss_chart chart = ss_chart_draw_left(svg, top, height, y);
  chart.x = x;
  chart.x.scale = widened(&x, chart.frame.x, chart.frame.x + chart.frame.width);
  ss_ruler_draw_below(svg, &chart.x, chart.frame);
  return chart;
}

ss_point ss_chart_at(const ss_chart *chart, double x, double y)
{
  return (ss_point){ss_extent_at(&chart->x.scale, x), ss_extent_at(&chart->y.scale, y)};
}

double ss_chart_end(const ss_chart *chart)
{
  return chart->frame.y + chart->frame.height + SS_RULER_BELOW;
}
