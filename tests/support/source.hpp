/* The files of the project, for tests that read them. */
#ifndef STEPSIM_TESTS_SUPPORT_SOURCE_HPP
#define STEPSIM_TESTS_SUPPORT_SOURCE_HPP

#include <string>

namespace stepsim
{

/* The path of a file of the project, such as "platforms/selene.xml". */
std::string source_path(const std::string &file);

} // namespace stepsim

#endif
