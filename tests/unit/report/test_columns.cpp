/* The table of columns: every row can be listed wherever it says that it occurs. */
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "sim/report/strategies/cell.h"
#include "sim/report/strategies/column.h"
#include "sim/report/strategies/listing.h"
#include "sim/report/strategies/record_value.h"
}

namespace
{

constexpr unsigned texts = SS_SEARCH_TEXT | SS_SWEEP_TEXT | SS_RESULTS_TEXT;
constexpr unsigned jsons = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_FAVOURITE_JSON | SS_RESULTS_JSON | SS_KEPT_JSON;
constexpr unsigned csvs = SS_SWEEP_CSV | SS_RESULTS_CSV;
constexpr unsigned from_record = SS_RESULTS_TEXT | SS_RESULTS_JSON | SS_RESULTS_CSV;

/* The table itself: a column is known by its place in it. */
struct Rows {
  size_t count;
  const ss_column *first = ss_columns(&count);
  const ss_column *begin() const
  {
    return first;
  }
  const ss_column *end() const
  {
    return first + count;
  }
};

Rows rows()
{
  return {};
}

bool is_field_of_record(const char *key)
{
  std::set<std::string> fields;
#define FIELD_NAME(field, name, meaning) fields.insert(name);
  SS_RECORD_COUNTS(FIELD_NAME)
  SS_RECORD_REALS(FIELD_NAME)
#undef FIELD_NAME
  return fields.count(key) > 0;
}

/* The places where a number with this key is JSON of a strategy. */
unsigned places_of(const char *key)
{
  unsigned places = 0;
  for (const ss_column &row : rows())
    if (row.block == nullptr && row.key != nullptr && strcmp(row.key, key) == 0) places |= row.places;
  return places;
}

TEST(Columns, NumbersHaveWhatTheirPlacesNeed)
{
  for (const ss_column &row : rows()) {
    if (row.block != nullptr) continue;
    const std::string name = row.key != nullptr ? row.key : row.header;
    EXPECT_NE(row.places, 0u) << name;
    EXPECT_NE(row.value, nullptr) << name;
    if ((row.places & (jsons | csvs | from_record)) != 0) {
      EXPECT_NE(row.key, nullptr) << name;
    }
    if ((row.places & texts) != 0) {
      ASSERT_NE(row.header, nullptr) << name;
      EXPECT_NE(row.write, nullptr) << name;
      EXPECT_GE(row.width, (int)strlen(row.header)) << name;
    }
  }
}

TEST(Columns, BlocksHaveTheMethodsOfTheirPlaces)
{
  for (const ss_column &row : rows()) {
    if (row.block == nullptr) continue;
    EXPECT_EQ(row.places & from_record, 0u) << "a record has numbers only";
    if ((row.places & texts) != 0) {
      EXPECT_NE(row.block->print_header, nullptr);
      EXPECT_NE(row.block->print, nullptr);
    }
    if ((row.places & jsons) != 0) {
      EXPECT_NE(row.block->add_json, nullptr);
    }
    if ((row.places & csvs) != 0) {
      EXPECT_NE(row.block->write_csv_header, nullptr);
      EXPECT_NE(row.block->write_csv, nullptr);
    }
  }
}

TEST(Columns, ResultsFindTheirNumbers)
{
  for (const ss_column &row : rows()) {
    if ((row.places & from_record) == 0) continue;
    EXPECT_TRUE(is_field_of_record(row.key) || (places_of(row.key) & SS_KEPT_JSON) != 0)
        << row.key << " is neither a field of a record nor kept in its strategies";
  }
  const ss_record empty = ss_record_empty();
  ss_line line{};
  ss_strategy strategy{};
  line.strategy = &strategy;
  ss_record record = empty;
  ss_listing_fill_record(&line, &record);
#define FIELD_IS_COLUMN(field, name, meaning) EXPECT_NE(places_of(name) & SS_RESULTS_JSON, 0u) << name;
  SS_RECORD_COUNTS(FIELD_IS_COLUMN)
  SS_RECORD_REALS(FIELD_IS_COLUMN)
#undef FIELD_IS_COLUMN
}

TEST(Columns, KeysOccurOnceInAPlace)
{
  for (const bool gpus_vary : {false, true}) {
    ss_listing listing{};
    listing.chosen = listing.replayed = listing.priced = listing.costed = listing.powered = true;
    listing.gpus_vary = gpus_vary;
    for (unsigned place = 1; place <= SS_KEPT_JSON; place <<= 1) {
      if ((place & texts) != 0) continue;
      std::set<std::string> keys;
      for (const ss_column &row : rows()) {
        if (row.key == nullptr || !ss_column_occurs(&row, place, &listing)) continue;
        EXPECT_TRUE(keys.insert(row.key).second) << row.key;
      }
    }
  }
}

/* 4 GPUs for 9 s are 36 GPU seconds: 0.01 hours, and 0.72 dollars at 0.02 a second. 4 GPUs of 5 flop/s could do
 * 180 flop in that time; 45 are 25 %. */
TEST(Columns, ALineOfASearch)
{
  ss_listing listing{};
  listing.costed = true;
  ss_tariff tariff{};
  tariff.is_priced = true;
  tariff.gpu_dollars_per_s = 0.02;
  ss_strategy strategy{};
  strategy.estimate.iteration_s = 9.0;
  strategy.model_flop = 45.0;
  strategy.peak_flop_per_s = 20.0;
  strategy.memory.total_bytes = 3.0 * 1073741824.0;
  ss_line line{};
  line.listing = &listing;
  line.strategy = &strategy;
  line.tariff = &tariff;
  line.gpus = 4;
  char *text = nullptr;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  ss_listing_print_header(stream, SS_SEARCH_TEXT, &listing);
  fputc('\n', stream);
  ss_listing_print(stream, SS_SEARCH_TEXT, &line);
  fclose(stream);
  EXPECT_EQ(std::string(text).rfind("  closed form   GPU hours       MFU  tok/s/GPU     dollars     memory", 0), 0u)
      << text;
  EXPECT_NE(std::string(text).find("\n     9.0000 s        0.01   25.00 %          0        0.72   3.00 GiB"),
            std::string::npos)
      << text;
  free(text);
}

/* 4 GPUs for 9 s at 0.02 dollars and 50 W each: 0.72 dollars and 1800 J, to which 1e-4 dollars a joule add 0.18.
 * Without a price or a power there is no number, and none of the machine's where nobody says which it is. */
TEST(Columns, DollarsAndJoulesNeedATariff)
{
  ss_tariff tariff{};
  ss_strategy strategy{};
  strategy.estimate.iteration_s = strategy.estimate.compute_s = 9.0;
  ss_line line{};
  line.strategy = &strategy;
  line.gpus = 4;
  const auto value = [&line](const char *key) {
    for (const ss_column &row : rows())
      if (row.key != nullptr && strcmp(row.key, key) == 0) return row.value(&line);
    return -1.0;
  };
  EXPECT_TRUE(std::isnan(value("dollars")) && std::isnan(value("energy_j")));
  line.tariff = &tariff;
  EXPECT_TRUE(std::isnan(value("dollars")) && std::isnan(value("energy_j")));
  tariff.is_priced = true;
  tariff.gpu_dollars_per_s = 0.02;
  EXPECT_DOUBLE_EQ(value("dollars"), 0.72);
  tariff.power = {{50, 50, 50}, 50, 0, 1};
  tariff.least_w = 50.0;
  tariff.dollars_per_j = 1e-4;
  EXPECT_DOUBLE_EQ(value("energy_j"), 1800.0);
  EXPECT_DOUBLE_EQ(value("dollars"), 0.9);
}

/* What is searched for stays where lines are narrow; what is only known goes first. */
TEST(Columns, DollarsStayWhereTheyAreTheObjective)
{
  for (const bool cheapest : {false, true}) {
    ss_listing listing{};
    listing.costed = true;
    listing.objective = cheapest ? SS_OBJECTIVE_COST : SS_OBJECTIVE_TIME;
    char *text = nullptr;
    size_t size = 0;
    ss_listing_narrow(&listing, SS_SEARCH_TEXT, 6, 31);
    FILE *stream = open_memstream(&text, &size);
    ss_listing_print_header(stream, SS_SEARCH_TEXT, &listing);
    fclose(stream);
    EXPECT_STREQ(text, cheapest ? "  closed form     dollars" : "  closed form     memory");
    free(text);
  }
}

TEST(Columns, GpuHoursStayWhereTheyAreTheObjective)
{
  ss_listing listing{};
  listing.objective = SS_OBJECTIVE_GPU_HOURS;
  char *text = nullptr;
  size_t size = 0;
  ss_listing_narrow(&listing, SS_SEARCH_TEXT, 6, 31);
  FILE *stream = open_memstream(&text, &size);
  ss_listing_print_header(stream, SS_SEARCH_TEXT, &listing);
  fclose(stream);
  EXPECT_STREQ(text, "  closed form   GPU hours");
  free(text);
}

/* Six characters before columns of 13, 12, 10, 11 and 11: GPU hours go first, then MFU, tokens and memory; what has no
 * rank stays, however narrow the line is. Where something wide goes, what went before comes back if it has room, as
 * MFU does at 29. */
TEST(Columns, ANarrowLineLeavesOutThoseThatRankHighest)
{
  const std::vector<std::pair<int, std::string>> cases = {
      {0, "  closed form   GPU hours       MFU  tok/s/GPU     memory"},
      {63, "  closed form   GPU hours       MFU  tok/s/GPU     memory"},
      {62, "  closed form       MFU  tok/s/GPU     memory"},
      {51, "  closed form       MFU  tok/s/GPU     memory"},
      {50, "  closed form  tok/s/GPU     memory"},
      {41, "  closed form  tok/s/GPU     memory"},
      {40, "  closed form       MFU     memory"},
      {39, "  closed form     memory"},
      {30, "  closed form     memory"},
      {29, "  closed form       MFU"},
      {28, "  closed form"},
      {1, "  closed form"}};
  for (const auto &[most, expected] : cases) {
    ss_listing listing{};
    char *text = nullptr;
    size_t size = 0;
    ss_listing_narrow(&listing, SS_SEARCH_TEXT, 6, most);
    FILE *stream = open_memstream(&text, &size);
    ss_listing_print_header(stream, SS_SEARCH_TEXT, &listing);
    fclose(stream);
    EXPECT_EQ(text, expected) << most;
    free(text);
  }
}

/* A strategy's line is 6 + tp 4, pp 4, dp 6, micro-batch 12 + the closed form's 13 without the placement of 2 + 11,
 * which is below it where a line may have 57 characters: all else is left out before, but for its values nothing is
 * lost. */
TEST(Columns, AStrategyFoldsWhereLeavingOutIsNotEnough)
{
  ss_candidate candidate{};
  candidate.tp = candidate.pp = candidate.dp = candidate.micro_batch = 1;
  candidate.inside = {4, 1, 1, 1};
  for (const bool is_narrow : {false, true}) {
    ss_listing listing{};
    listing.chosen = true;
    listing.strategy = ss_strategy_columns_of(SS_TENSOR_1D, 0);
    ss_strategy_columns_see(&listing.strategy, &candidate);
    char *text = nullptr;
    size_t size = 0;
    EXPECT_TRUE(ss_listing_narrow(&listing, SS_SEARCH_TEXT, 6, is_narrow ? 57 : 58));
    FILE *stream = open_memstream(&text, &size);
    ss_listing_print_header(stream, SS_SEARCH_TEXT, &listing);
    fputc('\n', stream);
    ss_strategy_print_folded(stream, &listing.strategy, &candidate, 8);
    fclose(stream);
    EXPECT_EQ(std::string(text), is_narrow
                                     ? "  tp  pp    dp micro-batch  closed form     memory\n        in a domain tp 4\n"
                                     : "  tp  pp    dp micro-batch  in a domain  closed form\n");
    free(text);
  }
  ss_listing listing{};
  EXPECT_FALSE(ss_listing_narrow(&listing, SS_SEARCH_TEXT, 6, 18)); /* 6 + 13 */
}

/* 20 flop/s for 10 s by the closed form are 200 flop, for 16 s by the replay 320: 40 are 20 % and 12.5 % of them. */
TEST(Columns, MfuIsThatOfTheReplayWhereThereIsOne)
{
  ss_strategy strategy{};
  strategy.model_flop = 40.0;
  strategy.peak_flop_per_s = 20.0;
  strategy.estimate.iteration_s = 10.0;
  strategy.simulation.iteration_s = 16.0;
  ss_line line{};
  line.strategy = &strategy;
  for (const ss_column &row : rows()) {
    if (row.key == nullptr || strcmp(row.key, "mfu") != 0) continue;
    strategy.simulated = false;
    EXPECT_EQ(row.value(&line), 0.2);
    strategy.simulated = true;
    EXPECT_EQ(row.value(&line), 0.125);
  }
  EXPECT_EQ(places_of("mfu"), SS_IN_SEARCH | SS_IN_SWEEP | SS_IN_RESULTS);
}

/* A number that is no field of a record is taken from the first of its strategies; an older one may lack it. */
TEST(Columns, RecordsAreReadByKey)
{
  ss_record record = ss_record_empty();
  record.gpus = 8;
  record.parts = "[{\"share\":0.25,\"tensor\":\"1d\"},{\"share\":0.5}]";
  EXPECT_EQ(ss_record_value(&record, "gpus"), 8.0);
  EXPECT_EQ(ss_record_value(&record, "share"), 0.25);
  EXPECT_TRUE(std::isnan(ss_record_value(&record, "tensor")));
  EXPECT_TRUE(std::isnan(ss_record_value(&record, "other")));
  EXPECT_TRUE(std::isnan(ss_record_value(&record, "estimate_s")));
  record.parts = "";
  EXPECT_TRUE(std::isnan(ss_record_value(&record, "share")));
}

TEST(Columns, FiveDigits)
{
  char text[32];
  for (const auto &[value, expected] : {std::pair{0.0123456, "0.012346"},
                                        {99999.0, "99999"},
                                        {117504.4, "117504"},
                                        {-1234567.0, "-1234567"},
                                        {1.23456e9, "1.2346e+09"}}) {
    ss_cell_five_digits(nullptr, nullptr, value, text, sizeof text);
    EXPECT_STREQ(text, expected);
  }
}

TEST(Columns, Percentages)
{
  ss_column column{};
  char text[32];
  ss_cell_percent(&column, nullptr, 0.125, text, sizeof text);
  EXPECT_STREQ(text, "12.50 %");
  column.is_signed = true;
  ss_cell_percent(&column, nullptr, 0.125, text, sizeof text);
  EXPECT_STREQ(text, "+12.50 %");
}

} // namespace
