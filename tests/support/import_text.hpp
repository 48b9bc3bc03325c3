/* Configurations of models, imported from their text. */
#ifndef STEPSIM_TESTS_SUPPORT_IMPORT_TEXT_HPP
#define STEPSIM_TESTS_SUPPORT_IMPORT_TEXT_HPP

#include <string>
#include <vector>

#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

namespace stepsim
{

inline std::string import_text(const std::string &text, ss_workload *workload,
                               std::vector<std::string> *notes = nullptr)
{
  const std::string path = write("config.json", text);
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  const ss_status status = ss_import_read(&import, path.c_str(), &error);
  for (int64_t i = 0; notes != nullptr && i < import.count; ++i)
    notes->push_back(std::to_string(import.note[i].kind) + " " + import.note[i].text);
  ss_import_free(&import);
  return printed(status, error, path);
}

inline std::string import_text(const std::string &text)
{
  ss_workload workload;
  return import_text(text, &workload);
}

} // namespace stepsim

#endif
