/* Traces of every format become the same kernels, steps and layers; broken ones are refused with the place. */
#include <sqlite3.h>
#include <zlib.h>

#include "tests/support/measured.hpp"

extern "C" {
#include "model/graph/wire.h"
}

using namespace stepsim;

namespace
{

/* A product of 5 us, a collective of 4 us of which it hides 2, and a kernel that nobody knows. */
const std::vector<std::string> three = {
    kernel("sm90_xmma_gemm_bf16", 100, 5),
    kernel("ncclDevKernel_AllReduce_Sum", 103, 4, "\"Group size\": 4, \"Process Group Ranks\": \"[0, 2, 4, 6]\""),
    kernel("mystery\\u001b[2J", 109, 1)};

TEST(Chrome, Kernels)
{
  const Measured m = measure_events(three);
  ASSERT_EQ(m.error, "");
  EXPECT_EQ(m.of->rank, 3);
  EXPECT_EQ(m.of->world_size, 8);
  EXPECT_EQ(m.of->records, 3);
  EXPECT_EQ(m.of->found, SS_FOUND_ALL);
  EXPECT_NEAR(m[SS_CLASS_PRODUCT].alone_s, 5e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_DATA].sum_s, 4e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_DATA].alone_s, 2e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_OTHER].alone_s, 1e-6, 1e-15);
  EXPECT_NEAR(m.of->profile.idle_s, 2e-6, 1e-15);
  EXPECT_NEAR(m.of->profile.iteration_s, 10e-6, 1e-15);
  EXPECT_STREQ(m.of->unknown[0].name, "mystery?[2J") << "names go to a terminal";
}

TEST(Chrome, ItMayBeAnArrayAndPacked)
{
  const std::string path = common_scratch().path("array.json.gz");
  const std::string text = "[" + three[0] + "," + three[1] + "]";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(measure(path).of->records, 2);
  const std::string packed = read_file(path);
  const Measured cut = measure(written("cut.json.gz", packed.substr(0, packed.size() / 2)));
  EXPECT_NE(cut.error.find("cut.json.gz: "), std::string::npos) << cut.error;
}

/* Times since 1970 have 16 digits before the point; the difference of two keeps its nanoseconds. */
TEST(Chrome, TimesSince1970)
{
  const Measured m =
      measure_events({kernel("gemm", 0, 1).replace(kernel("gemm", 0, 1).find("0.000"), 5, "1712195495502094.123"),
                      kernel("gemm", 0, 2).replace(kernel("gemm", 0, 2).find("0.000"), 5, "1712195495502096.001")});
  EXPECT_NEAR(m.of->profile.iteration_s, 3.878e-6, 1e-15);
}

std::string step(int number, double ts, double dur, const char *category = "user_annotation")
{
  char text[256];
  std::snprintf(
      text, sizeof text,
      "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"ProfilerStep#%d\",\"pid\":0,\"tid\":9,\"ts\":%.3f,\"dur\":%.3f}",
      category, number, ts, dur);
  return text;
}

/* Steps of 10, 30 and 20 us: the last one is the median. */
TEST(Chrome, TheMedianStep)
{
  const std::vector<std::string> events = {
      step(4, 0, 10),           step(5, 10, 30),       step(6, 40, 20),           kernel("gemm", 1, 2),
      kernel("rmsnorm", 12, 3), kernel("gemm", 38, 5), kernel("flash_fwd", 50, 4)};
  const Measured m = measure_events(events);
  EXPECT_EQ(m.of->found, SS_FOUND_STEP);
  EXPECT_EQ(m.of->step, 6);
  EXPECT_EQ(m.of->steps, 3);
  EXPECT_NEAR(m.of->profile.iteration_s, 20e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_PRODUCT].sum_s, 3e-6, 1e-15); /* of 38..43 */
  EXPECT_EQ(m[SS_CLASS_PRODUCT].kernels, 0);           /* it began before */
  EXPECT_NEAR(m[SS_CLASS_ATTENTION].sum_s, 4e-6, 1e-15);
  EXPECT_NEAR(measure_events(events, 5)[SS_CLASS_NORM].sum_s, 3e-6, 1e-15);
  EXPECT_NE(measure_events(events, 7).error.find("has no step 7; allowed: 4 to 6"), std::string::npos);
}

/* On the GPU a step is later than on the host, and each of its streams has an annotation. */
TEST(Chrome, StepsOfTheGpuCountMore)
{
  const Measured m = measure_events({step(1, 0, 10), step(1, 20, 5, "gpu_user_annotation"),
                                     step(1, 22, 8, "gpu_user_annotation"), kernel("gemm", 21, 2)});
  EXPECT_NEAR(m.of->profile.iteration_s, 10e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_PRODUCT].sum_s, 2e-6, 1e-15);
}

/* Optimizer steps end at 12, 32 and 62: repeats of 20 and 30 us. */
TEST(Chrome, RepeatsWhereNoStepsAreNamed)
{
  std::vector<std::string> events;
  for (double end : {12.0, 32.0, 62.0}) {
    events.push_back(kernel("flash_fwd", end - 11, 4));
    events.push_back(kernel("multi_tensor_apply_kernel<Adam>", end - 4, 2));
    events.push_back(kernel("multi_tensor_apply_kernel<Adam>", end - 1, 1));
  }
  const Measured m = measure_events(events);
  EXPECT_EQ(m.of->found, SS_FOUND_REPEAT);
  EXPECT_EQ(m.of->steps, 2);
  EXPECT_NEAR(m.of->profile.iteration_s, 20e-6, 1e-15);
  EXPECT_NEAR(m.of->longest_s, 30e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_OPTIMIZER].sum_s, 3e-6, 1e-15);
}

TEST(Chrome, LayersOfAnnotationsOnTheGpu)
{
  const std::string layer =
      "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"model.layers.2.mlp\",\"pid\":0,\"tid\":7,"
      "\"ts\":10,\"dur\":5}";
  const Measured m = measure_events({kernel("gemm", 11, 2), kernel("gemm", 16, 2), layer});
  ASSERT_EQ(m.of->profile.layers, 3);
  EXPECT_NEAR(m.of->profile.layer[2].sum_s, 2e-6, 1e-15);
}

TEST(Chrome, OneGpuOfSeveral)
{
  const std::vector<std::string> events = {kernel("gemm", 0, 1, "", 4), kernel("gemm", 0, 2, "", 5)};
  EXPECT_EQ(measure_events(events).of->devices, 2);
  EXPECT_NEAR(measure_events(events, -1, 5)[SS_CLASS_PRODUCT].sum_s, 2e-6, 1e-15);
  EXPECT_NE(measure_events(events, -1, 6).error.find("has no kernels of device 6; the first one is 4"),
            std::string::npos);
}

TEST(Chrome, BrokenOnes)
{
  const auto error_of = [](const std::string &text) {
    const std::string error = measure(written("broken.json", text)).error;
    return error.substr(std::min(error.size(), error.find("broken.json")));
  };
  EXPECT_EQ(error_of("{\"traceEvents\": [\n{\"ph\": \"X\",\n"), "broken.json:3: is not JSON: premature EOF");
  EXPECT_EQ(error_of("{\"traceEvents\": [\n\n}"),
            "broken.json:3: is not JSON: unallowed token at this point in JSON text");
  EXPECT_EQ(error_of("{\"traceEvents\": []}"),
            "broken.json: has no kernels of a GPU; allowed: a trace with CUDA activities");
  EXPECT_NE(error_of("{}").find("has no traceEvents"), std::string::npos);
  EXPECT_NE(error_of(std::string(100, '[')).find("broken.json:1: has objects in objects more than 64 deep"),
            std::string::npos);
  EXPECT_NE(error_of("").find("is no trace"), std::string::npos);
  EXPECT_NE(error_of("<xml/>").find("is no trace"), std::string::npos);
  EXPECT_NE(measure(common_scratch().path("none.json")).error.find("none.json: cannot be read: No such file"),
            std::string::npos);
  const std::string track =
      "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":14,\"args\":{\"name\":\"compute\"}}";
  EXPECT_NE(error_of("[" + track + ",\n{\"ph\":\"E\",\"pid\":1,\"tid\":14,\"ts\":3}]")
                .find("broken.json:2: an end of an event"),
            std::string::npos);
}

/* A kernel needs a name, a start, and a length that is not negative; what is no work needs nothing. */
TEST(Chrome, ImpossibleTimes)
{
  const auto error_of = [](const std::string &members, const std::string &category = "kernel") {
    const std::string error =
        measure_events({kernel("gemm", 0, 1), R"({"ph":"X","cat":")" + category + "\"," + members + "}"}).error;
    return error.substr(std::min(error.size(), error.find("events.json")));
  };
  const std::string no_time = "events.json:3: the event \"a\" has no time; allowed: ts, and dur of at least 0, numbers "
                              "of microseconds, below 1e18";
  for (const std::string times :
       {R"("ts":"a","dur":2)", R"("ts":1,"dur":null)", R"("ts":1)", R"("dur":1)", R"("ts":1e400,"dur":5)",
        R"("ts":1,"dur":-5)", R"("ts":1,"dur":-0.5)", R"("ts":9223372036854775807,"dur":3)", R"("ts":"1x","dur":3)"})
    EXPECT_EQ(error_of(R"("name":"a",)" + times), no_time) << times;
  EXPECT_EQ(error_of(R"("name":"a","ts":-3,"dur":0)"), "");
  EXPECT_EQ(error_of(R"("name":"a","ts":"a")", "cpu_op"), "");
  EXPECT_EQ(error_of(R"("name":5,"ts":1,"dur":1)"),
            "events.json:3: an event of the category kernel has no name; allowed: a text");
  EXPECT_NE(measure_events({kernel("gemm", 5, 0)})
                .error.find("events.json: has an iteration of 0 s; allowed: kernels that take some time"),
            std::string::npos);
  const std::string track =
      "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":14,\"args\":{\"name\":\"compute\"}}";
  EXPECT_NE(measure_events({track, R"({"ph":"B","pid":1,"tid":14,"name":"fc1"})"})
                .error.find("events.json:3: the event \"fc1\" has no time; allowed: ts, numbers of microseconds"),
            std::string::npos);
}

/* Tables of an export of Nsight Systems, with as much as matters here. */
void fill(const std::string &path, const std::string &sql)
{
  sqlite3 *database = nullptr;
  std::remove(path.c_str());
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char *message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_close(database);
}

const char *const tables =
    "CREATE TABLE StringIds (id INTEGER, value TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
    "INSERT INTO StringIds VALUES (1, 'nvjet_hsh_128x256'), (2, 'ncclDevKernel_AllGather_RING'), (3, 'layer 1');"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 7, 11, 16777216, 1), (2000, 5000, 0, 9, 12, "
    "16777216, 2);";

TEST(Nsight, KernelsLayersAndSteps)
{
  const std::string path = common_scratch().path("report.sqlite");
  fill(path, tables);
  const Measured bare = measure(path);
  ASSERT_EQ(bare.error, "");
  EXPECT_NEAR(bare[SS_CLASS_PRODUCT].sum_s, 2e-6, 1e-15);
  EXPECT_NEAR(bare[SS_CLASS_COLLECTIVE].alone_s, 2e-6, 1e-15);
  EXPECT_EQ(bare.of->profile.layers, 0);
  fill(path, std::string(tables) + "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, correlationId INTEGER);");
  EXPECT_EQ(measure(path).error, ""); /* launches of no thread */
  fill(path,
       std::string(tables) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (6000, 7000, 0, 7);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, correlationId INTEGER, globalTid INTEGER);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (150, 11, 16777220), (150, 11, 33554432);"
           "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);"
           "INSERT INTO NVTX_EVENTS VALUES (100, 200, NULL, 3, 16777220), (500, 8500, 'iteration 7', NULL, 16777220),"
           " (600, NULL, 'mark', NULL, 1);");
  const Measured m = measure(path);
  ASSERT_EQ(m.error, "");
  EXPECT_EQ(m.of->step, 7);
  EXPECT_NEAR(m.of->profile.iteration_s, 8e-6, 1e-15);
  EXPECT_NEAR(m[SS_CLASS_COPY].sum_s, 1e-6, 1e-15);
  ASSERT_EQ(m.of->profile.layers, 2);
  EXPECT_NEAR(m.of->profile.layer[1].sum_s, 2e-6, 1e-15);
  EXPECT_TRUE(m.of->layers_by_range);
}

TEST(Nsight, BrokenOnes)
{
  const std::string path = common_scratch().path("broken.sqlite");
  fill(path, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER);");
  EXPECT_NE(measure(path).error.find("broken.sqlite: is no readable export of Nsight Systems: no such "),
            std::string::npos);
  fill(path, "CREATE TABLE other (a);");
  EXPECT_NE(measure(path).error.find("has no kernels of a GPU"), std::string::npos);
  fill(path, tables);
  const std::string whole = read_file(path);
  EXPECT_NE(measure(written("broken.sqlite", whole.substr(0, whole.size() / 2))).error, "");
}

/* Messages of an execution trace, by hand. */
std::string message(const ss_wire_message &inner)
{
  ss_wire_message length = {};
  ss_wire_put_varint(&length, inner.count);
  return std::string(reinterpret_cast<const char *>(length.byte), length.count) +
         std::string(reinterpret_cast<const char *>(inner.byte), inner.count);
}

std::string node(uint64_t type, const char *name, uint64_t start, uint64_t duration, bool on_host = false)
{
  ss_wire_message of = {}, attribute = {};
  ss_wire_put_text(&attribute, 1, "is_cpu_op");
  ss_wire_put_count(&attribute, 27, on_host);
  ss_wire_put_text(&of, 2, name);
  ss_wire_put_count(&of, 3, type);
  ss_wire_put_count(&of, 6, start);
  ss_wire_put_count(&of, 7, duration);
  ss_wire_put_message(&of, 10, &attribute);
  return message(of);
}

TEST(Chakra, Nodes)
{
  ss_wire_message about = {};
  ss_wire_put_text(&about, 1, "0.0.4");
  const std::string text = message(about) + node(4, "aten::mm", 0, 900, true) + node(4, "cutlass_gemm", 1000, 30) +
                           node(7, "all_gather", 1020, 20) + node(5, "", 1050, 10);
  const Measured m = measure(written("trace.et", text));
  ASSERT_EQ(m.error, "");
  EXPECT_EQ(m.of->records, 3);
  EXPECT_NEAR(m[SS_CLASS_PRODUCT].sum_s, 30e-6, 1e-12);
  EXPECT_NEAR(m[SS_CLASS_COLLECTIVE].alone_s, 10e-6, 1e-12);
  EXPECT_NEAR(m[SS_CLASS_PIPELINE].sum_s, 10e-6, 1e-12);
  EXPECT_NE(measure(written("cut.et", text.substr(0, text.size() - 3))).error.find("cut.et: message 4 ends early"),
            std::string::npos);
  EXPECT_NE(measure(written("odd.et", message(about) + std::string("\x02\x0f\xff", 3)))
                .error.find("odd.et: message 1 is no node"),
            std::string::npos);
}

/* A node without a time: its id, thread or stream, and what it waits for; one id by itself, several as a list. The
 * control dependency is its caller, and no reason to wait. */
std::string step(uint64_t id, const char *name, uint64_t duration, bool on_host, uint64_t lane,
                 const std::vector<uint64_t> &before)
{
  ss_wire_message of = {}, place = {}, attribute = {}, list = {};
  ss_wire_put_text(&place, 1, "is_cpu_op");
  ss_wire_put_count(&place, 27, on_host);
  ss_wire_put_text(&attribute, 1, on_host ? "tid" : "stream");
  ss_wire_put_count(&attribute, 9, lane);
  for (uint64_t one : before) ss_wire_put_varint(&list, one);
  ss_wire_put_count(&of, 1, id);
  ss_wire_put_text(&of, 2, name);
  ss_wire_put_count(&of, 3, 4);
  ss_wire_put_count(&of, 4, 1); /* the caller */
  if (before.size() == 1) ss_wire_put_count(&of, 5, before[0]);
  if (before.size() > 1) ss_wire_put_bytes(&of, 5, list.byte, list.count);
  ss_wire_put_count(&of, 7, duration);
  ss_wire_put_message(&of, 10, &place);
  ss_wire_put_message(&of, 10, &attribute);
  return message(of);
}

/* The host launches for 5 us each: a product of 30 us at 5, another one of 10 us behind it on the same stream at 35,
 * and a kernel of 20 us on another stream that waits for the first product and for a node that is not there:
 * from 35 to 55. So the iteration is from 5 to 55 us; products alone have 30 us, and half of the ten beside the other.
 * The node with the lowest id stands last. */
TEST(Chakra, NodesWithoutTimesStartWhenTheyCan)
{
  ss_wire_message about = {};
  ss_wire_put_text(&about, 1, "0.0.4");
  const std::string text = message(about) + step(4, "cutlass_gemm", 30, false, 7, {1}) +
                           step(6, "some_kernel", 20, false, 9, {4, 3, 99}) +
                           step(5, "cutlass_gemm", 10, false, 7, {2}) + step(2, "aten::mm", 5, true, 1, {1}) +
                           step(3, "aten::add", 5, true, 1, {2}) + step(1, "aten::mm", 5, true, 1, {});
  const Measured m = measure(written("trace.et", text));
  ASSERT_EQ(m.error, "");
  EXPECT_TRUE(m.of->by_dependencies);
  EXPECT_EQ(m.of->records, 3);
  EXPECT_NEAR(m.of->profile.iteration_s, 50e-6, 1e-12);
  EXPECT_NEAR(m[SS_CLASS_PRODUCT].sum_s, 40e-6, 1e-12);
  EXPECT_NEAR(m[SS_CLASS_PRODUCT].alone_s, 35e-6, 1e-12);
  EXPECT_NEAR(m[SS_CLASS_OTHER].alone_s, 15e-6, 1e-12);
  const std::string circle = message(about) + step(1, "a", 1, false, 7, {2}) + step(2, "b", 1, false, 7, {1, 3}) +
                             step(3, "c", 1, false, 7, {});
  EXPECT_NE(measure(written("circle.et", circle)).error.find("has 2 nodes that wait for one another in a circle"),
            std::string::npos);
  const std::string twice = message(about) + step(1, "a", 1, false, 7, {}) + step(1, "b", 1, false, 7, {});
  EXPECT_NE(measure(written("twice.et", twice)).error.find("has two nodes 1; allowed: each id once"),
            std::string::npos);
}

TEST(Wire, ReadsWhatItWrites)
{
  ss_wire_message written = {};
  for (uint64_t value : {uint64_t(0), uint64_t(127), uint64_t(128), UINT64_MAX}) ss_wire_put_count(&written, 3, value);
  ss_wire_put_text(&written, 16, "text");
  ss_wire wire = {written.byte, written.byte + written.count, false};
  ss_wire_field field;
  for (uint64_t value : {uint64_t(0), uint64_t(127), uint64_t(128), UINT64_MAX}) {
    ASSERT_TRUE(ss_wire_next(&wire, &field));
    EXPECT_EQ(field.number, 3u);
    EXPECT_EQ(field.value, value);
  }
  ASSERT_TRUE(ss_wire_next(&wire, &field));
  EXPECT_EQ(field.number, 16u);
  EXPECT_TRUE(ss_wire_is(&field, "text"));
  EXPECT_FALSE(ss_wire_next(&wire, &field));
  EXPECT_FALSE(wire.failed);
}

TEST(RulesFile, OnesThatAreWrong)
{
  const auto error_of = [](const std::string &inner) {
    auto rules = std::make_unique<ss_rules>();
    ss_error error = {};
    const std::string path = written("rules.xml", "<rules version=\"1\">\n" + inner + "\n</rules>\n");
    EXPECT_EQ(ss_rules_load(path.c_str(), rules.get(), &error), error.code);
    return std::to_string(error.line) + ": " + error.message;
  };
  EXPECT_EQ(error_of("<kernel name=\"x\" class=\"norms\"/>"), "0: ");
  EXPECT_NE(error_of("<kernel name=\"x\" class=\"norm\"/>")
                .find("2: kernel.class=\"norm\": is unknown (did you mean norms?)"),
            std::string::npos);
  EXPECT_NE(error_of("<kernel name=\"x\"/>").find("2: kernel.class"), std::string::npos);
  EXPECT_NE(error_of("<kernel name=\"\" class=\"norms\"/>").find("has 0 bytes; allowed: 1 to 127"), std::string::npos);
  EXPECT_NE(error_of("<step name=\"x\" class=\"norms\"/>").find("2: "), std::string::npos);
  EXPECT_NE(error_of("<other/>").find("2: "), std::string::npos);
}

} /* namespace */
