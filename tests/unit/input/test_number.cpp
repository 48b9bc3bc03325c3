/* Which values of attributes and properties are numbers, and which in SI. */
#include <gtest/gtest.h>

#include <string>

extern "C" {
#include "sim/io/number.h"
}

namespace
{

struct Number {
  bool is_one;
  double value;
  std::string unit;
};

Number number_of(const char *name, const char *text)
{
  Number number{};
  const char *unit = "none";
  number.is_one = ss_number_of(name, text, &number.value, &unit);
  number.unit = unit;
  return number;
}

TEST(Number, QuantitiesAreInSi)
{
  const struct {
    const char *name, *text;
    double value;
    const char *unit;
  } cases[] = {{"parallelism.tp", "8", 8.0, "1"},
               {"training.micro_batch", "2", 2.0, "1"}, /* as --set takes it */
               {"training.tokens", "1.5e12", 1.5e12, "1"},
               {"gpus", "1024", 1024.0, "1"},
               {"platform.fabric-bandwidth", "400Gbps", 50e9, "bytes/s"},
               {"platform.hbm-capacity", "80GiB", 80.0 * 1073741824.0, "bytes"},
               {"platform.matrix-flops", "312Tf", 312e12, "flop/s"},
               {"platform.nvlink-latency", "2us", 2.0 * 1e-6, "s"},
               {"platform.gpu-power", "0.7kW", 700.0, "W"},
               {"platform.domain-size", "8", 8.0, "1"},
               {"platform.gpu-hour-price", "2.5", 2.5, "1"}};
  for (const auto &c : cases) {
    const Number number = number_of(c.name, c.text);
    EXPECT_TRUE(number.is_one) << c.name;
    EXPECT_DOUBLE_EQ(number.value, c.value) << c.name;
    EXPECT_EQ(number.unit, c.unit) << c.name;
  }
}

TEST(Number, WordsTextsAndCurvesAreNone)
{
  for (const auto &[name, text] : {std::pair{"training.recompute", "full"},
                                   {"parallelism.sequence-parallel", "yes"},
                                   {"parallelism.tp", "default"},
                                   {"model.name", "7"},
                                   {"platform", "dgx-h100"},
                                   {"platform.name", "7"},
                                   {"platform.gpu-price", "40GB:500 80GB:1000"},
                                   {"platform.other", "7"},
                                   {"other.tp", "7"},
                                   {"other", "7"},
                                   {"platform.fabric-bandwidth", "25"}})
    EXPECT_FALSE(number_of(name, text).is_one) << name << "=" << text;
}

} // namespace
