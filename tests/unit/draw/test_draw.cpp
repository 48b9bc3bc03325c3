/* The kit that pictures are drawn with. */
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "sim/draw/quantity.h"
#include "sim/draw/ruler.h"
}

namespace
{

std::vector<double> ticks(double first, double last, int wanted, bool logarithmic = false)
{
  double tick[SS_TICKS_MAX];
  const ss_extent extent = {first, last, 0.0, 100.0, logarithmic};
  const int count = ss_extent_ticks(&extent, wanted, tick);
  return std::vector<double>(tick, tick + count);
}

std::string text_of(ss_quantity quantity, double value, int digits)
{
  char text[SS_QUANTITY_SIZE];
  return ss_quantity_text(quantity, value, digits, text);
}

/* A picture of what `draw` draws. */
template <typename Draw> std::string picture(Draw draw, const char *title = "A title", const char *style = nullptr)
{
  ss_svg svg;
  EXPECT_TRUE(ss_svg_init(&svg, "name", 200.0));
  draw(&svg);
  char *text = nullptr;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  const ss_svg_frame frame = {title, "What it shows", style, "wide", 50.0, 0.0};
  EXPECT_TRUE(ss_svg_write(&svg, &frame, stream));
  EXPECT_EQ(std::fclose(stream), 0);
  const std::string written(text, size);
  std::free(text);
  ss_svg_free(&svg);
  return written;
}

bool contains(const std::string &text, const std::string &part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(Extent, PlacesValuesEvenlyOrInEqualRatios)
{
  const ss_extent even = {10.0, 30.0, 100.0, 200.0, false}, ratios = {1.0, 100.0, 0.0, 10.0, true};
  EXPECT_DOUBLE_EQ(ss_extent_at(&even, 15.0), 125.0);
  EXPECT_DOUBLE_EQ(ss_extent_at(&ratios, 10.0), 5.0);
}

/* A step is 1, 2 or 5 times a power of ten, and the first that leaves no more ticks than wanted. */
TEST(Extent, TicksAreRound)
{
  EXPECT_EQ(ticks(0.0, 10.0, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(3.0, 17.0, 3), (std::vector<double>{5, 10, 15}));
  EXPECT_EQ(ticks(-1.0, 1.0, 2), (std::vector<double>{-1, 0, 1}));
  EXPECT_DOUBLE_EQ(ss_extent_step(0.0, 7.0, 7), 1.0);
  EXPECT_DOUBLE_EQ(ss_extent_step(0.0, 0.034, 10), 0.005);
  EXPECT_DOUBLE_EQ(ss_extent_step(4.0, 4.0, 10), 1.0);
}

TEST(Extent, LogarithmicTicksArePowersOfTen)
{
  EXPECT_EQ(ticks(1.0, 1000.0, 4, true), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(ticks(1.0, 10.0, 6, true), (std::vector<double>{1, 2, 5, 10}));
  /* 12 decades and room for 4 numbers: every third. */
  EXPECT_EQ(ticks(1.0, 1e12, 4, true), (std::vector<double>{1, 1e3, 1e6, 1e9, 1e12}));
  /* Less than a decade: even steps. */
  EXPECT_EQ(ticks(11.0, 19.0, 4, true), (std::vector<double>{12, 14, 16, 18}));
}

TEST(Extent, WidensToRoundValues)
{
  const ss_extent even = ss_extent_widened({0.3, 9.2, 0.0, 1.0, false}, 5);
  EXPECT_DOUBLE_EQ(even.first, 0.0);
  EXPECT_DOUBLE_EQ(even.last, 10.0);
  const ss_extent ratios = ss_extent_widened({0.2, 20.0, 0.0, 1.0, true}, 5);
  EXPECT_DOUBLE_EQ(ratios.first, 0.1);
  EXPECT_NEAR(ratios.last, std::sqrt(1000.0), 1e-9);
  const ss_extent point = ss_extent_widened({3.0, 3.0, 0.0, 1.0, false}, 5);
  EXPECT_LT(point.first, 3.0);
  EXPECT_GT(point.last, 3.0);
}

TEST(Quantity, HasTheUnitThatSuitsIt)
{
  EXPECT_EQ(text_of(SS_QUANTITY_TIME, 0.012345, 3), "12.3 ms");
  EXPECT_EQ(text_of(SS_QUANTITY_TIME, 12.345, 4), "12.35 s");
  EXPECT_EQ(text_of(SS_QUANTITY_TIME, 2.5e-6, 2), "2.5 \xc2\xb5s");
  EXPECT_EQ(text_of(SS_QUANTITY_TIME, 0.0, 3), "0 s");
  EXPECT_EQ(text_of(SS_QUANTITY_TIME, -0.002, 2), "-2.0 ms");
  EXPECT_EQ(text_of(SS_QUANTITY_BYTES, 1536.0 * 1024.0, 3), "1.50 MiB");
  EXPECT_EQ(text_of(SS_QUANTITY_SHARE, 0.4567, 3), "45.7 %");
  EXPECT_EQ(text_of(SS_QUANTITY_PLAIN, 123.4, 2), "123");
}

TEST(Quantity, NumbersOfAnAxisHaveTheDecimalsOfItsSteps)
{
  char text[SS_QUANTITY_SIZE];
  const ss_quantity_unit ms = ss_quantity_unit_for(SS_QUANTITY_TIME, 0.05);
  EXPECT_STREQ(ms.name, "ms");
  EXPECT_STREQ(ss_quantity_number(ms, 0.0125, 0.0005, text), "12.5");
  EXPECT_STREQ(ss_quantity_number(ms, 0.01, 0.01, text), "10");
  EXPECT_STREQ(ss_quantity_number(ms, -0.0, 0.01, text), "0");
}

TEST(Svg, EscapesTextsAndLeavesOutWhatXmlDoesNotHave)
{
  const std::string written = picture(
      [](ss_svg *svg) {
        ss_svg_text(svg, {1.0, 2.0}, SS_ANCHOR_END, "ink", "a<b & \"c\"\x01>");
      },
      "x < y & z");
  EXPECT_TRUE(contains(written, "a&lt;b &amp; &quot;c&quot;&gt;</text>")) << written;
  EXPECT_TRUE(contains(written, "<title>x &lt; y &amp; z</title>")) << written;
  EXPECT_TRUE(contains(written, "class=\"ink end\" x=\"1\" y=\"2\"")) << written;
}

TEST(Svg, WritesCoordinatesWithATenth)
{
  const std::string written = picture([](ss_svg *svg) {
    ss_svg_box(svg, {0.0, 1.25, 10.0, 3.04}, "f-blue", "tip");
    ss_svg_box(svg, {0.0, 0.0, 0.0, 3.0}, "f-green", nullptr);
    ss_svg_path_begin(svg, "l-ink");
    ss_svg_path_line(svg, {1.0, 2.0});
    ss_svg_path_line(svg, {3.0, 4.55});
    ss_svg_path_box(svg, {5.0, 6.0, 7.0, 8.0});
    ss_svg_path_end(svg);
  });
  EXPECT_TRUE(
      contains(written, "<rect class=\"f-blue\" x=\"0\" y=\"1.3\" width=\"10\" height=\"3\"><title>tip</title></rect>"))
      << written;
  EXPECT_FALSE(contains(written, "f-green")) << "nothing to see";
  EXPECT_TRUE(contains(written, "d=\"M1 2L3 4.6M5 6h7v8h-7z\"")) << written;
}

TEST(Svg, CutsTextsToAWidth)
{
  char buffer[32];
  const std::string text = "a long name of something";
  EXPECT_EQ(ss_svg_text_cut(text.c_str(), 1000.0, buffer, sizeof buffer), text);
  const std::string cut = ss_svg_text_cut(text.c_str(), 60.0, buffer, sizeof buffer);
  EXPECT_EQ(cut.substr(cut.size() - 3), "...");
  EXPECT_LE(ss_svg_text_width(cut.c_str()), 60.0);
  EXPECT_STREQ(ss_svg_text_cut("\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5", 1000.0, buffer, 8), "\xc2\xb5\xc2\xb5...")
      << "whole letters";
  EXPECT_EQ(ss_svg_text_width("\xc2\xb5"), ss_svg_text_width("u")) << "one letter of two bytes";
}

/* Every colour has a class that fills and one that draws, in both grounds, and light alone has no media rule. */
TEST(Style, HasAllColours)
{
  for (const ss_ground ground : {SS_GROUND_BOTH, SS_GROUND_LIGHT}) {
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ss_style_write(ground, stream);
    std::fclose(stream);
    const std::string style(text, size);
    std::free(text);
    for (int i = 0; i < SS_COLOURS; ++i) {
      EXPECT_TRUE(contains(style, std::string(".") + ss_style_fill(static_cast<ss_colour>(i)) + "{fill:"));
      EXPECT_TRUE(contains(style, std::string(".") + ss_style_line(static_cast<ss_colour>(i)) + "{stroke:"));
    }
    EXPECT_EQ(contains(style, "prefers-color-scheme"), ground == SS_GROUND_BOTH);
  }
}

TEST(Style, HeatBeginsAtNextToNothingAndIsClipped)
{
  EXPECT_STREQ(ss_style_heat(0.0), "f-heat0");
  EXPECT_STREQ(ss_style_heat(0.01), "f-heat1");
  EXPECT_STREQ(ss_style_heat(0.5), "f-heat5");
  EXPECT_STREQ(ss_style_heat(1.0), "f-heat9");
  EXPECT_STREQ(ss_style_heat(7.0), "f-heat9");
  EXPECT_STREQ(ss_style_heat(std::nan("")), "f-heat0");
}

TEST(Ruler, NumbersAreRoundInTheirUnit)
{
  const std::string written = picture([](ss_svg *svg) {
    const double gib = 1073741824.0;
    const ss_ruler ruler = {{0.0, 40.0 * gib, 0.0, 200.0, false}, SS_QUANTITY_BYTES, "memory", 0, false};
    ss_ruler_draw_below(svg, &ruler, {0.0, 0.0, 200.0, 20.0});
  });
  for (const char *number : {">0<", ">20<", ">40<", ">memory (GiB)<"})
    EXPECT_TRUE(contains(written, number)) << written;
}

/* A number that would touch the one before it is left out; its line is drawn. */
TEST(Ruler, NumbersDoNotOverlap)
{
  const auto drawn = [](double width) {
    return picture([width](ss_svg *svg) {
      const ss_ruler ruler = {{1e3, 1e5, 0.0, width, true}, SS_QUANTITY_TIME, "work", 0, false};
      ss_ruler_draw_below(svg, &ruler, {0.0, 0.0, width, 20.0});
    });
  };
  EXPECT_TRUE(contains(drawn(200.0), ">100000 s<"));
  EXPECT_TRUE(contains(drawn(100.0), ">1000 s<")); /* from 0, where the picture begins, to about 40 */
  EXPECT_FALSE(contains(drawn(100.0), ">10000 s<"));
}
