/* Workload and platform files for tests of the readers, and errors as the command line prints them. */
#ifndef STEPSIM_TESTS_SUPPORT_INPUTS_HPP
#define STEPSIM_TESTS_SUPPORT_INPUTS_HPP

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"

extern "C" {
#include "model/input/machine.h"
#include "model/input/workload.h"
#include "model/plan/check/workload_check.h"
#include "sim/io/io.h"
}

namespace stepsim
{

inline std::string path_of(const std::string &name)
{
  return common_scratch().path(name);
}

inline std::string write(const std::string &name, const std::string &text)
{
  const std::string path = path_of(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/* An error as the command line prints it, with PATH for the file under test: "PATH:3: message", "--set: message". */
inline std::string printed(ss_status status, const ss_error &error, const std::string &path)
{
  if (status == SS_OK) return "accepted";
  EXPECT_EQ(status, SS_ERROR_INPUT);
  EXPECT_EQ(error.code, status);
  std::string text = error.file == path ? "PATH" : error.file;
  if (error.line != 0) text += ":" + std::to_string(error.line);
  return text + ": " + error.message;
}

struct Case {
  std::string input, expected;
};

inline void replace(std::string &text, const std::string &from, const std::string &to)
{
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

const char *const gpt3 = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- comments and instructions may stand anywhere -->
<workload version="1">
  <model name="gpt3-175b" layers="96" hidden="12288" ffn="49152" heads="96" kv-heads="96" head-size="128"
         sequence="2048" vocabulary="51200" mlp="gelu"/>
  <?editor wrap?>
  <training global-batch="1536" micro-batch="1" precision="bf16" attention="flash" recompute="none" dropout="yes"
            tokens="300e9"/>
  <parallelism tensor="1d" tp="8" tp2="1" cp="1" pp="16" dp="4" ep="1" interleave="1"
               sequence-parallel="yes" sharding="optimizer"/>
  <schedule pipeline="1f1b" overlap-dp="yes" overlap-pp="no" overlap-tp="none" prefetch="1"/>
  <placement order="tp,cp,dp,pp"/> <!-- here, too -->
</workload>
)";

inline std::string in_workload(const std::string &elements)
{
  return "<workload version=\"1\">\n" + elements + "\n</workload>\n";
}

inline std::string load_workload(const std::string &text, ss_workload *workload)
{
  const std::string path = write("workload.xml", text);
  ss_error error = {};
  const ss_status status = ss_workload_load(path.c_str(), workload, &error);
  return printed(status, error, path);
}

inline std::string load_workload(const std::string &text)
{
  ss_workload workload;
  return load_workload(text, &workload);
}

const char *const perlmutter = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="perlmutter" routing="Full">
    <prop id="accelerator" value="A100-SXM4-80GB"/>
    <prop id="matrix-flops" value="312Tf"/>
    <prop id="vector-flops" value="78Tf"/>
    <prop id="hbm-bandwidth" value="2039GBps"/>
    <prop id="hbm-capacity" value="80GB"/>
    <prop id="domain-size" value="4"/>
    <prop id="nics-per-domain" value="4"/>
    <prop id="nvlink-efficiency" value="0.7"/>
    <prop id="fabric-efficiency" value="0.7"/>
    <!-- clusters -->
    <cluster id="nvlink" prefix="gpu-" suffix="" radical="0-15" speed="312Tf" bw="300GBps" lat="2.5us"/>
    <cluster id="fabric" prefix="nic-" suffix="" radical="0-15" speed="1f" bw="200Gbps" lat="5us"
             topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"/>
  </zone>
</platform>
)";

const char *const fat_tree = "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,1\"";

inline std::string load_machine(const std::string &text, ss_machine *machine)
{
  const std::string path = write("platform.xml", text);
  ss_error error = {};
  const ss_status status = ss_machine_load(path.c_str(), machine, &error);
  return printed(status, error, path);
}

inline std::string load_changed(const std::string &from, const std::string &to)
{
  std::string text = perlmutter;
  replace(text, from, to);
  ss_machine machine;
  return load_machine(text, &machine);
}

/* The fabric with these attributes in place of its topology. */
inline std::string load_fabric(const std::string &attributes)
{
  return load_changed(fat_tree, attributes);
}

} /* namespace stepsim */

#endif
