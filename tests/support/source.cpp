/* Where the project lies; only this file depends on it, so that those of other checkouts compile to the same. */
#include "tests/support/source.hpp"

std::string stepsim::source_path(const std::string &file)
{
  return STEPSIM_SOURCE_DIR "/" + file;
}
