/* Figures of a sample. */
#ifndef STEPSIM_TESTS_SUPPORT_SAMPLE_HPP
#define STEPSIM_TESTS_SUPPORT_SAMPLE_HPP

#include <cmath>
#include <vector>

namespace stepsim
{

inline double mean(const std::vector<double> &values)
{
  double sum = 0;
  for (double value : values) sum += value;
  return sum / (double)values.size();
}

inline double deviation(const std::vector<double> &values)
{
  double squares = 0;
  const double middle = mean(values);
  for (double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / (double)(values.size() - 1));
}

} // namespace stepsim

#endif
