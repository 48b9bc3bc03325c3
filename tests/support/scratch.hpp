/* A directory that lives as long as a test, and what tests do with files in it. */
#ifndef STEPSIM_TESTS_SUPPORT_SCRATCH_HPP
#define STEPSIM_TESTS_SUPPORT_SCRATCH_HPP

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

class Scratch
{
public:
  Scratch()
  {
    std::string name = (std::filesystem::temp_directory_path() / "stepsim-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    directory = name;
  }
  ~Scratch()
  {
    std::filesystem::remove_all(directory);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  std::string path(const std::string &name) const
  {
    return (directory / name).string();
  }

  std::vector<std::string> entries() const
  {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

private:
  std::filesystem::path directory;
};

/* One for the whole program. */
inline Scratch &common_scratch()
{
  static Scratch scratch;
  return scratch;
}

inline std::string read_file(const std::string &path)
{
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

inline std::vector<std::string> read_lines(const std::string &path)
{
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

#endif
