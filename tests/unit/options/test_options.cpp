/* The tables of options: what argp needs of every row, and that no command has two options of one name. */
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

extern "C" {
#include "sim/options/option_values.h"
#include "sim/options/options.h"
}

namespace
{

struct Row {
  const ss_option *option;
  size_t room; /* bytes of the options of the concern, from the target on */
};

std::vector<Row> rows()
{
  std::vector<Row> all;
#define ADD_CONCERN(field, type, table)                                                                                \
  for (const ss_option *row = table; row->name != nullptr; ++row) all.push_back({row, sizeof(type) - row->target});
  SS_CONCERN_LIST(ADD_CONCERN)
#undef ADD_CONCERN
  return all;
}

TEST(Options, RowsAreComplete)
{
  const unsigned every = SS_ON(SS_COMMAND_COUNT) - 1;
  for (const auto &[option, room] : rows()) {
    EXPECT_NE(option->help, nullptr) << option->name;
    EXPECT_NE(option->set, nullptr) << option->name;
    EXPECT_NE(option->commands, 0u) << option->name;
    EXPECT_EQ(option->commands & ~every, 0u) << option->name;
    EXPECT_LT(room, sizeof(ss_options)) << option->name << " is kept outside of its concern";
    EXPECT_EQ(option->argument == nullptr, option->set == ss_option_set_flag) << option->name;
    if (option->set == ss_option_set_count) {
      EXPECT_GT(option->most, 0) << option->name;
    }
  }
}

TEST(Options, NamesAreUniqueInACommand)
{
  std::map<std::string, unsigned> taken;
  std::map<char, std::string> letters;
  for (const auto &[option, room] : rows()) {
    EXPECT_EQ(taken[option->name] & option->commands, 0u) << option->name;
    taken[option->name] |= option->commands;
    if (option->letter != 0) {
      EXPECT_EQ(letters.emplace(option->letter, option->name).first->second, option->name);
    }
  }
}

using Targets = std::map<size_t, std::string>;

/* No two options of a concern are kept at one place, unless both keep a part of the whole or have one name. */
TEST(Options, ValuesHavePlacesOfTheirOwn){
#define CHECK_CONCERN(field, type, table)                                                                              \
  {                                                                                                                    \
    Targets targets;                                                                                                   \
    for (const ss_option *row = table; row->name != nullptr; ++row) {                                                  \
      const bool is_own = row->target == 0 || targets.emplace(row->target, row->name).first->second == row->name;      \
      EXPECT_TRUE(is_own) << row->name;                                                                                \
    }                                                                                                                  \
  }
    SS_CONCERN_LIST(CHECK_CONCERN)
#undef CHECK_CONCERN
}

/* argp breaks lines of 79 columns, and what is broken cannot be copied: two of them are the indentation. */
TEST(Options, ExamplesAreOneLine)
{
  for (int i = 0; i < SS_COMMAND_COUNT; ++i) {
    const ss_command_row *row = ss_command_row_of(static_cast<ss_command>(i));
    EXPECT_LT(std::string("  stepsim ").size() + std::string(row->name).size() + 1 + std::string(row->example).size(),
              79u)
        << row->name;
  }
}

} // namespace
