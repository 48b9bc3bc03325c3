/* Cells and lines of the tables that people read. */
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

extern "C" {
#include "sim/report/table.h"
}

namespace
{

std::string scaled(double value, const char *unit)
{
  char text[SS_TABLE_SCALED_SIZE];
  ss_table_scale(value, unit, text);
  return text;
}

std::string count(double value)
{
  char text[SS_TABLE_SCALED_SIZE];
  ss_table_count(value, text);
  return text;
}

std::string wrapped(const char *words, size_t indent)
{
  char text[512] = "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  ss_table_print_wrapped(stream, words, indent);
  (void)std::fclose(stream);
  return text;
}

TEST(Table, QuantitiesHaveFourDigitsAndAPrefix)
{
  EXPECT_EQ(scaled(0.0, "B"), "0 B");
  EXPECT_EQ(scaled(1073741824.0, "B"), "1.074 GB");
  EXPECT_EQ(scaled(1.65e12, "flop"), "1.65 Tflop");
  EXPECT_EQ(scaled(999.94e6, "B"), "999.9 MB");
  EXPECT_EQ(scaled(999.96e6, "B"), "1 GB"); /* and not 1000 MB */
  EXPECT_EQ(scaled(2e21, "B"), "2000 EB");  /* there is no larger prefix */
}

/* Times of 14 characters, and longer ones. */
TEST(Table, TimesStayApart)
{
  const auto row = [](double time_s) {
    char text[128] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    const ss_table_unit unit = ss_table_unit_for(0.018);
    ss_table_print_time(stream, unit, time_s, time_s);
    ss_table_print_difference(stream, unit, time_s);
    (void)std::fclose(stream);
    return std::string(text);
  };
  EXPECT_EQ(row(0.018), "     18.000 ms  100.0 %    +18.000 ms");
  EXPECT_EQ(row(75.227106), "  75227.106 ms  100.0 % +75227.106 ms");
  EXPECT_EQ(row(7523.455441), " 7523455.441 ms  100.0 % +7523455.441 ms");
}

TEST(Table, CountsHaveWords)
{
  EXPECT_EQ(count(512.0), "512");
  EXPECT_EQ(count(70553706496.0), "70.55 billion");
  EXPECT_EQ(count(1e12), "1 trillion");
}

/* From column 64 on, two words of seven characters and a blank are 15 of the 16 that are left up to column 80. */
TEST(Table, WordsBreakBeforeTheEndOfTheLine)
{
  const std::string blanks(64, ' ');
  EXPECT_EQ(wrapped("aaaaaaa bbbbbbb c", 64), "aaaaaaa bbbbbbb\n" + blanks + "c\n");
}

} // namespace
