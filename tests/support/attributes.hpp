/* The words and rows of the table of attributes, for tests: a new one is in every test that goes over them. */
#ifndef STEPSIM_TESTS_SUPPORT_ATTRIBUTES_HPP
#define STEPSIM_TESTS_SUPPORT_ATTRIBUTES_HPP

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

extern "C" {
#include "model/input/workload.h"
}

namespace stepsim
{

/* All words of a choice, in the order of its list: all_of<ss_sharding>. */
template <typename T> inline constexpr std::initializer_list<T> all_of;
#define STEPSIM_WORD(id, word) id,
#define STEPSIM_WORDS(name, list)                                                                                      \
  template <> inline constexpr std::initializer_list<ss_##name> all_of<ss_##name> = {list(STEPSIM_WORD)};
SS_CHOICE_LISTS(STEPSIM_WORDS)
SS_SET_LISTS(STEPSIM_WORDS)
#undef STEPSIM_WORDS
#undef STEPSIM_WORD

/* All rows, in the order of the table. */
inline std::vector<ss_attribute_index> all_attributes()
{
  std::vector<ss_attribute_index> all;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) all.push_back(static_cast<ss_attribute_index>(i));
  return all;
}

inline const ss_attribute &row_of(ss_attribute_index attribute)
{
  return ss_workload_attributes()[attribute];
}

inline bool is_choice(ss_attribute_index attribute)
{
  return row_of(attribute).type == SS_ATTRIBUTE_CHOICE;
}

inline bool is_set(ss_attribute_index attribute)
{
  return row_of(attribute).type == SS_ATTRIBUTE_SET;
}

/* The words of a set, with blanks between them. */
inline std::string words_of_set(const ss_workload &workload, ss_attribute_index attribute)
{
  char text[SS_TEXT_SIZE];
  ss_workload_value_text(&workload, attribute, text, sizeof text);
  return text;
}

/* The set of some words. */
template <typename T> ss_word_set set_of(std::initializer_list<T> words)
{
  unsigned set = 0;
  for (const T word : words) set |= SS_WORD_BIT(word);
  return static_cast<ss_word_set>(set);
}

/* The names of the attributes of an element, as messages list them. */
inline std::string names_of(const std::string &element)
{
  std::string names;
  for (const ss_attribute_index attribute : all_attributes())
    if (row_of(attribute).element == element)
      names += (names.empty() ? "" : ", ") + std::string(row_of(attribute).name);
  return names;
}

/* How many words a choice has. */
inline int words_of(ss_attribute_index attribute)
{
  int count = 0;
  while (row_of(attribute).words[count] != nullptr) ++count;
  return count;
}

/* The value of a choice, as its index, of a set, as its bits, or of a count. */
inline int64_t value_of(const ss_workload &workload, ss_attribute_index attribute)
{
  const void *field = reinterpret_cast<const char *>(&workload) + row_of(attribute).offset;
  if (is_set(attribute)) return *static_cast<const ss_word_set *>(field);
  return is_choice(attribute) ? *static_cast<const int *>(field) : *static_cast<const int64_t *>(field);
}

inline void set_value(ss_workload &workload, ss_attribute_index attribute, int64_t value)
{
  void *field = reinterpret_cast<char *>(&workload) + row_of(attribute).offset;
  if (is_choice(attribute))
    *static_cast<int *>(field) = static_cast<int>(value);
  else if (is_set(attribute))
    *static_cast<ss_word_set *>(field) = static_cast<ss_word_set>(value);
  else
    *static_cast<int64_t *>(field) = value;
}

/* What a workload has that another has not, as --set takes it. */
inline std::string settings_of(const ss_workload &workload, const ss_workload &other)
{
  std::string settings;
  for (const ss_attribute_index attribute : all_attributes()) {
    const ss_attribute &row = row_of(attribute);
    const char *field = reinterpret_cast<const char *>(&workload) + row.offset;
    const char *beside = reinterpret_cast<const char *>(&other) + row.offset;
    std::string value;
    if (row.type == SS_ATTRIBUTE_TEXT && std::strcmp(field, beside) != 0) value = field;
    if (row.type == SS_ATTRIBUTE_REAL && std::memcmp(field, beside, sizeof(double)) != 0)
      value = std::to_string(*reinterpret_cast<const double *>(field));
    if ((row.type == SS_ATTRIBUTE_COUNT || is_choice(attribute)) &&
        value_of(workload, attribute) != value_of(other, attribute))
      value = is_choice(attribute) ? row.words[value_of(workload, attribute)]
                                   : std::to_string(value_of(workload, attribute));
    if (is_set(attribute) && value_of(workload, attribute) != value_of(other, attribute))
      value = "'" + words_of_set(workload, attribute) + "'";
    if (!value.empty()) settings += std::string(" ") + row.element + "." + row.name + "=" + value;
  }
  return settings;
}

} // namespace stepsim

#endif
