/* The tables of options: what argp needs of every row, and that no command has two options of one name. */
#include <gtest/gtest.h>

#include <map>
#include <set>
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
  std::set<char> letters;
  for (const auto &[option, room] : rows()) {
    EXPECT_EQ(taken[option->name] & option->commands, 0u) << option->name;
    taken[option->name] |= option->commands;
    if (option->letter != 0) {
      EXPECT_TRUE(letters.insert(option->letter).second) << option->name;
    }
  }
}

/* No two options of a concern are kept at one place, unless both keep a part of the whole. */
TEST(Options, ValuesHavePlacesOfTheirOwn)
{
#define CHECK_CONCERN(field, type, table)                                                                              \
  {                                                                                                                    \
    std::set<size_t> targets;                                                                                          \
    for (const ss_option *row = table; row->name != nullptr; ++row) {                                                  \
      const bool is_new = row->target == 0 || targets.insert(row->target).second;                                      \
      EXPECT_TRUE(is_new) << row->name;                                                                                \
    }                                                                                                                  \
  }
  SS_CONCERN_LIST(CHECK_CONCERN)
#undef CHECK_CONCERN
}

} // namespace
