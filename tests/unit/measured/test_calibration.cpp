/* Whether a machine says that its constants are fitted, and what a report says where it does not. */
#include <map>

#include "tests/support/fixtures.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/input/calibration.h"
#include "sim/io/io.h"
}

using namespace stepsim;

namespace
{

const std::string platforms = source_path("platforms/");

ss_machine load(const std::string &name, const std::vector<std::string> &overrides = {})
{
  ss_machine machine;
  ss_error error = {};
  EXPECT_EQ(ss_machine_load((platforms + name + ".xml").c_str(), &machine, &error), SS_OK) << error.message;
  for (const std::string &text : overrides)
    EXPECT_EQ(ss_override(("platform." + text).c_str(), nullptr, &machine, &error), SS_OK) << error.message;
  return machine;
}

ss_kernels kernels(const std::string &name, const std::vector<std::string> &overrides = {})
{
  const ss_machine machine = load(name, overrides);
  return ss_calibration_of(&machine).kernels;
}

std::string refusal(const std::string &name, const std::vector<std::string> &overrides)
{
  const ss_machine machine = load(name, overrides);
  ss_error error = {};
  EXPECT_EQ(ss_machine_check(&machine, &error), SS_ERROR_INPUT);
  return error.message;
}

} /* namespace */

/* A fit of iterations is named in platforms of its GPU only (validation/fit); systems of arXiv 2410.00273 have
 * defaults. */
TEST(Calibration, OfShippedPlatforms)
{
  for (const char *name :
       {"selene",      "perlmutter",       "perlmutter-1024", "polaris", "thetagpu", "a100-8x4nic", "jean-zay",
        "dgx-h100",    "grand-teton-h100", "kempner-h100",    "h800",    "dgx-h200", "dgx-b200",    "dgx-b300",
        "gb200-nvl72", "gb300-nvl72",      "mi300x",          "mi325x",  "mi355x",   "tpu-v5p"})
    EXPECT_EQ(kernels(name), SS_KERNELS_FITTED) << name;
  EXPECT_EQ(kernels("dgx2-v100"), SS_KERNELS_GIVEN);
  for (const char *name : {"a100-nvl4", "a100-nvl8", "a100-nvl64", "h200-nvl4", "h200-nvl8", "h200-nvl64", "b200-nvl4",
                           "b200-nvl8", "b200-nvl64", "b200-next-nvl64", "trainium2"})
    EXPECT_EQ(kernels(name), SS_KERNELS_DEFAULT) << name;
  for (const char *name : {"dgx2-v100", "h200-nvl8"}) {
    const ss_machine machine = load(name);
    EXPECT_FALSE(ss_calibration_of(&machine).starts) << name;
  }
  const ss_machine machine = load("mi325x");
  EXPECT_TRUE(ss_calibration_of(&machine).starts);
}

/* What iterations leave of the benchmarks of a chip, and what traffic takes of it, is the same wherever the chip is,
 * with whatever memory. (What NVLink takes of A100 is stated by some of its platforms only.) */
TEST(Calibration, OfTheSameChipIsTheSame)
{
  const std::vector<std::vector<std::string>> chips = {
      {"dgx-h100", "h800", "dgx-h200", "kempner-h100", "grand-teton-h100"},
      {"a100-8x4nic", "selene", "thetagpu", "jean-zay", "perlmutter", "perlmutter-1024", "polaris"},
      {"mi300x", "mi325x"}};
  for (const std::vector<std::string> &names : chips)
    for (const std::string &name : names) {
      const ss_machine first = load(names[0]), other = load(name);
      EXPECT_EQ(ss_calibration_of(&first).kernels, ss_calibration_of(&other).kernels) << name;
      const bool both_measured = name == "mi325x"; /* in 8 bits, where it has a third more power */
      for (const char *property :
           {"matrix-flops", "fp8-flops", "vector-flops", "matrix-sustained", "fp8-sustained", "vector-hbm-share",
            "cudnn-norm-share", "scan-efficiency", "tile-start", "launch-overhead", "exchange-compute-cost"}) {
        if (both_measured && std::string(property) == "fp8-sustained") continue;
        const size_t offset = ss_machine_property(property)->offset;
        EXPECT_EQ(*(const double *)((const char *)&first + offset), *(const double *)((const char *)&other + offset))
            << name << " " << property;
      }
    }
}

/* The systems of arXiv 2410.00273, also after a change of what is in them. */
TEST(Calibration, SaysWhatIsIdealised)
{
  for (const char *name : {"a100-nvl4", "a100-nvl8", "a100-nvl64", "h200-nvl4", "h200-nvl8", "h200-nvl64", "b200-nvl4",
                           "b200-nvl8", "b200-nvl64", "b200-next-nvl64"}) {
    const ss_machine machine = load(name, {"matrix-efficiency=0.7"});
    EXPECT_STREQ(ss_calibration_of(&machine).idealised, "arXiv 2410.00273") << name;
  }
  for (const char *name : {"dgx-h100", "dgx2-v100", "tpu-v5p"}) {
    const ss_machine machine = load(name);
    EXPECT_STREQ(ss_calibration_of(&machine).idealised, "") << name;
  }
}

/* Whoever replaces a constant that was fitted says what the new one is fitted to. */
TEST(Calibration, EndsWithAnOverride)
{
  EXPECT_EQ(kernels("dgx-h100", {"matrix-sustained=1"}), SS_KERNELS_GIVEN);
  EXPECT_EQ(kernels("dgx-h100", {"matrix-sustained=0.8", "fitted-to=my runs"}), SS_KERNELS_FITTED);
  EXPECT_EQ(kernels("dgx-h100", {"hbm-capacity=96GB"}), SS_KERNELS_FITTED);
  EXPECT_EQ(kernels("h200-nvl8", {"matrix-efficiency=0.7"}), SS_KERNELS_DEFAULT);
  EXPECT_EQ(kernels("h200-nvl8", {"matrix-efficiency=0.7", "hbm-efficiency=0.8"}), SS_KERNELS_GIVEN);
  const ss_machine machine = load("h200-nvl8", {"matrix-sustained=0.8", "fitted-to=my runs"});
  EXPECT_STREQ(ss_calibration_of(&machine).fitted_to, "my runs");
}

TEST(Calibration, RefusesWhatIsNoFit)
{
  EXPECT_EQ(refusal("dgx-h100", {"fitted-to=  "}),
            "fitted-to=\"  \": is blank; allowed: the measured iterations and their source");
  EXPECT_EQ(refusal("h200-nvl8", {"fitted-to=my runs"}),
            "fitted-to=\"my runs\": needs a constant that can be fitted; allowed: with matrix-efficiency, "
            "matrix-sustained, fp8-sustained, hbm-efficiency or vector-hbm-share");
}

/* A generated platform is fitted like the one it is made from, but not if it changes what was fitted. */
TEST(Calibration, IsWrittenIfItHolds)
{
  for (const bool changed : {false, true}) {
    const ss_machine machine = changed ? load("dgx-h100", {"matrix-sustained=1"}) : load("dgx-h100");
    ss_topology_design design = {};
    design.domains = 1;
    design.domain_size = design.nics_per_domain = design.hosts = 8;
    design.shape.topology = SS_TOPOLOGY_FLAT;
    char *text = nullptr;
    ss_error error = {};
    ASSERT_EQ(ss_platform_write(&machine, &design, "test", &text, &error), SS_OK) << error.message;
    EXPECT_EQ(strstr(text, "fitted-to") == nullptr, changed);
    free(text);
  }
}

/* Errors are of predictions that are too short, and defaults, which leave more out, are off by more. */
TEST(Calibration, ErrorsGrowWithWhatIsMissing)
{
  int64_t count;
  const ss_unfitted *rows = ss_unfitted_errors(&count);
  std::map<std::string, double> given, without;
  for (int64_t i = 0; i < count; ++i) {
    (rows[i].kernels == SS_KERNELS_GIVEN ? given : without)[rows[i].gpu] = rows[i].error;
    EXPECT_LT(rows[i].most, rows[i].error);
    EXPECT_LT(rows[i].error, rows[i].least);
    EXPECT_EQ(ss_unfitted_find(rows[i].kernels, rows[i].gpu), &rows[i]);
  }
  EXPECT_EQ(ss_unfitted_find(SS_KERNELS_FITTED, "H100"), nullptr);
  EXPECT_EQ(ss_unfitted_find(SS_KERNELS_GIVEN, "V100"), nullptr);
  ASSERT_EQ(given.size(), 3u);
  ASSERT_EQ(without.size(), 3u);
  for (const auto &[gpu, error] : given) {
    EXPECT_LT(error, 0.0) << gpu;
    EXPECT_LT(without[gpu], error) << gpu;
  }
}
