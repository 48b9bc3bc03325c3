/* Settings in YAML, TOML and JSON: values with their lines, and files that are refused. */
#include <cstring>

#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/files/interpolation.h"
#include "sim/import/files/object.h"
#include "sim/import/files/toml.h"
#include "sim/import/files/yaml.h"
}

using namespace stepsim;

namespace
{

using Reader = ss_status (*)(ss_settings *, ss_error *);

/* KEY=VALUE@LINE of every setting, with blanks between them, or what was wrong. */
std::string read_with(Reader reader, const std::string &text)
{
  std::string copy = text, all;
  const ss_source source = {"FILE", copy.data(), copy.size()};
  ss_settings settings = {};
  settings.source = &source;
  ss_error error = {};
  const ss_status status = reader(&settings, &error);
  if (status == SS_OK) ss_settings_resolve(&settings);
  for (int64_t i = 0; i < settings.count; ++i) {
    char *value = json_dumps(settings.setting[i].value, JSON_ENCODE_ANY | JSON_COMPACT);
    all += (i > 0 ? " " : "") + std::string(settings.setting[i].key) + "=" + value + "@" +
           std::to_string(settings.setting[i].line);
    free(value);
  }
  ss_settings_free(&settings);
  return status == SS_OK ? all : std::to_string(error.line) + ": " + error.message;
}

std::string yaml(const std::string &text)
{
  return read_with(ss_yaml_read, text);
}

std::string toml(const std::string &text)
{
  return read_with(ss_toml_read, text);
}

} // namespace

TEST(Yaml, ValuesHaveTheirTypesAndLines)
{
  EXPECT_EQ(yaml("a: 1\nb: 'x'\nc:\n  d: 2.5 # half\n  e: true\n"), "a=1@1 b=\"x\"@2 c.d=2.5@4 c.e=true@5");
  EXPECT_EQ(yaml("---\na: [1, two, null]\nb: ~\nc: 1e-4\nd: '1'\ne: -3\n"),
            "a=[1,\"two\",null]@2 b=null@3 c=0.0001@4 d=\"1\"@5 e=-3@6");
  EXPECT_EQ(yaml("a:\n- b: 1\n- c: 2\n- 3\nd: []\ne: {}\n"), "a.0.b=1@2 a.1.c=2@3 a=[3]@2 d=[]@5 e=[]@6");
  EXPECT_EQ(yaml("v:\n  n: 8\na: ${v.n}\nb: ${TP:4}\nc: ${PP}\nd: ${sum:${v.n},1}\n"),
            "v.n=8@2 a=8@3 b=4@4 c=\"${PP}\"@5 d=\"${sum:${v.n},1}\"@6");
  EXPECT_EQ(yaml("v:\n  n: 6\n  m: ${multiply:4, ${.n}}\n  w:\n    o: ${..n}\n    p: ${divide_floor:${...x}, 4}\n    "
                 "q: ${divide_ceil:${v.n}, 4}\nx: ${v.m}\n"),
            "v.n=6@2 v.m=24@3 v.w.o=6@5 v.w.p=6@6 v.w.q=2@7 x=24@8");
  EXPECT_EQ(yaml("a: ${b}\nb: ${a}\nc: ${.d.e}\nf: ${multiply:2, x}\ng: ${multiply:3}\nh: ${divide_floor:1, 0}\n"),
            "a=\"${b}\"@1 b=\"${b}\"@2 c=\"${.d.e}\"@3 f=\"${multiply:2, x}\"@4 g=\"${multiply:3}\"@5 "
            "h=\"${divide_floor:1, 0}\"@6");
  EXPECT_EQ(yaml("m: {_target_: x.Y, _args_: [1]}\n"), "m._target_=\"x.Y\"@1 m._args_=[1]@1");
}

/* PyYAML writes an object that occurs again as an alias of the first one. Merged names give way to those that are
 * there. Ten levels of ten aliases each would be 10^10 values. */
TEST(Yaml, AliasesAreTheirAnchors)
{
  EXPECT_EQ(yaml("a: &id001\n  b: 1\nc: *id001\nd: [&x 5, *x]\n"), "a.b=1@2 c.b=1@2 d=[5,5]@4");
  EXPECT_EQ(yaml("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\n"), "a.b=1@1 a.c=2@1 d.b=3@4 d.c=2@1");
  EXPECT_EQ(yaml("a:\n  <<: 1\n"), "2: merges what is no mapping; allowed: one, or a list of them");
  EXPECT_EQ(yaml("a:\n  '<<': 1\n"), "a.<<=1@2");
  std::string laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 1; k < 10; ++k) laughs += ", " + last;
    laughs += "]\n";
  }
  EXPECT_EQ(yaml(laughs), "1: has aliases that repeat more than 10000 values; allowed: fewer");
}

/* Names of a mapping go before merged ones, at each level; of a list the earlier mapping (yaml.org/type/merge.html),
 * with all that is merged into it. */
TEST(Yaml, MergesOfMergesAndLists)
{
  const std::string base = "a: &a {x: 1, y: 1, z: 1}\nb: &b\n  <<: *a\n  y: 2\n";
  const std::string read = "a.x=1@1 a.y=1@1 a.z=1@1 b.y=2@4 b.x=1@1 b.z=1@1 ";
  EXPECT_EQ(yaml(base + "c:\n  z: 3\n  <<: *b\n"), read + "c.z=3@6 c.y=2@4 c.x=1@1");
  EXPECT_EQ(yaml(base + "c: {<<: [*b, {y: 4, w: 4}, *a]}\n"), read + "c.y=2@4 c.x=1@1 c.z=1@1 c.w=4@5");
  EXPECT_EQ(yaml(base + "c: {<<: [{y: 4}, *b]}\n"), read + "c.y=4@5 c.x=1@1 c.z=1@1");
  EXPECT_EQ(yaml("a: &a {x: {p: 1}}\nb: {<<: [*a, *a], x: {q: 2}}\n"), "a.x.p=1@1 b.x.q=2@2"); /* nothing inside is */
  EXPECT_EQ(yaml("a: {<<: []}\nb: {<<: [{}]}\n"), "");
  EXPECT_EQ(yaml("a: {<<: [{x: 1}, 2]}\n"), "1: merges what is no mapping; allowed: one, or a list of them");
  EXPECT_EQ(yaml("a: {<<: {x: 1}, <<: {y: 1}}\n"), "1: has << twice; allowed: once, with a list");
  EXPECT_EQ(yaml("a: {<<: {x: 1, x: 2}}\n"), "1: a.x: occurs again, first in line 1");
}

/* What merges itself has no end; ten levels that merge the one before it ten times have 10^10 names. */
TEST(Yaml, RefusesMergesWithoutAnEnd)
{
  EXPECT_EQ(yaml("a: &a {<<: *a}\n"), "1: is nested too deep");
  EXPECT_EQ(yaml("a: &a {<<: [{x: 1}, *a, *a]}\n"), "1: is nested too deep");
  std::string bomb = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + last;
    for (int k = 1; k < 10; ++k) bomb += ", " + last;
    bomb += "]}\n";
  }
  EXPECT_EQ(yaml(bomb), "1: has aliases that repeat more than 10000 values; allowed: fewer");
}

TEST(Yaml, RefusesWhatItIsNot)
{
  EXPECT_EQ(yaml("a: [1"), "2: is not YAML: did not find expected ',' or ']'");
  EXPECT_EQ(yaml("a: 1\na: 2\n"), "2: a: occurs again, first in line 1");
  EXPECT_EQ(yaml("a: &x 1\nb: *y\n"), "2: is not YAML: found undefined alias");
  EXPECT_EQ(yaml("a: &x [*x]\n"), "1: is nested too deep");
  EXPECT_EQ(yaml("- 1\n"), "1: is no mapping; allowed: names with values");
  EXPECT_EQ(yaml("a: 1\n---\nb: 2\n"), "2: begins another document; allowed: one");
  EXPECT_EQ(yaml("? [a]\n: 1\n"), "1: has a key that is no scalar; allowed: names");
  EXPECT_EQ(yaml("a: " + std::string(40, '[') + std::string(40, ']')), "1: is nested too deep");
  EXPECT_EQ(yaml(std::string(300, 'k') + ": 1\n").substr(0, 6), "1: has");
}

/* Each value by toml.io/en/v1.0.0. */
TEST(Toml, ValuesHaveTheirTypesAndLines)
{
  EXPECT_EQ(toml("a = 1\n\n[b.c]\nd = \"x\\ty\" # text\n'e f' = 'C:\\n'\n"),
            "a=1@1 b.c.d=\"x\\ty\"@4 b.c.e f=\"C:\\\\n\"@5");
  EXPECT_EQ(toml("a = 1_000\nb = 0x1F\nc = 0b11\nd = -2\ne = 8e-5\nf = 1.5\ng = true\n"),
            "a=1000@1 b=31@2 c=3@3 d=-2@4 e=8.0000000000000007e-5@5 f=1.5@6 g=true@7");
  EXPECT_EQ(toml("a = [\n  \"x\", # first\n  \"y\",\n]\nb = [[1], [2, 3]]\nc.d = 4\n"),
            "a=[\"x\",\"y\"]@1 b=[[1],[2,3]]@5 c.d=4@6");
  EXPECT_EQ(toml("a = {b = 1, c = \"\\u00e9\"}\n"), "a.b=1@1 a.c=\"\xc3\xa9\"@1");
  EXPECT_EQ(toml("[a]\r\nb = 1\r\n"), "a.b=1@2");
  EXPECT_EQ(toml("# nothing\n"), "");
}

TEST(Toml, RefusesWhatItIsNot)
{
  const std::string value = "has a value that is none; allowed: true, false, a finite number, a string, [ ] or { }";
  for (const char *wrong : {"01", "1_", "_1", "1.", ".5", "1e", "+", "inf", "nan", "yes", "1979-05-27", "0x", "1__0",
                            "99999999999999999999"})
    EXPECT_EQ(toml(std::string("a = ") + wrong), "1: " + value) << wrong;
  EXPECT_EQ(toml("a = "), "1: " + value);
  EXPECT_EQ(toml("a = 1 2"), "1: goes on behind a value");
  EXPECT_EQ(toml("a = 1\na = 2"), "2: a: occurs again, first in line 1");
  EXPECT_EQ(toml("[a]\n[a]"), "2: begins a table again, or one with the name of a key; allowed: each once");
  EXPECT_EQ(toml("a = 1\n[a]"), "2: begins a table again, or one with the name of a key; allowed: each once");
  EXPECT_EQ(toml("[[a]]"), "1: has an array of tables; allowed: [TABLE]");
  EXPECT_EQ(toml("[a"), "1: has no ] behind the name of a table");
  EXPECT_EQ(toml("a"), "1: has no = behind a key");
  EXPECT_EQ(toml("= 1"), "1: has no key where one is expected; allowed: letters, digits, - and _, or quotes");
  EXPECT_EQ(toml("a. = 1"), "1: has no key where one is expected; allowed: letters, digits, - and _, or quotes");
  EXPECT_EQ(toml("a = \"x"), "1: has a string without its end");
  EXPECT_EQ(toml("a = \"x\ny\""), "1: has a string without its end");
  EXPECT_EQ(toml("a = \"\"\"x\"\"\""), "1: has a string of several lines; allowed: one line");
  EXPECT_EQ(toml("a = \"\\q\"").substr(0, 30), "1: has an unknown escape in a ");
  EXPECT_EQ(toml("a = \"\\ud800\"").substr(0, 30), "1: has an unknown escape in a ");
  EXPECT_EQ(toml("a = [1 2]"), "1: has no comma between values of an array");
  EXPECT_EQ(toml("a = {b = 1,}"), "1: has a comma at the end of a table of one line");
  EXPECT_EQ(toml("a = [{b = 1}]"), "1: has tables in an array; allowed: values");
  EXPECT_EQ(toml("a = " + std::string(20, '[')), "1: is nested too deep");
  EXPECT_EQ(toml("a = \"\xff\""), "1: is not UTF-8");
}

TEST(Object, MembersAreSettings)
{
  const std::string text = "{\"a\": {\"b\": 1,\n \"c\": [2]}, \"d\": [{\"e\": NaN}]}";
  ss_source source = {"FILE", strdup(text.c_str()), text.size()};
  ss_settings settings = {};
  settings.source = &source;
  ss_error error = {};
  json_t *root = ss_object_parse(&source, &error);
  ASSERT_NE(root, nullptr);
  ASSERT_EQ(ss_object_read(&settings, root, &error), SS_OK);
  ASSERT_EQ(settings.count, 3);
  EXPECT_STREQ(settings.setting[0].key, "a.b");
  EXPECT_STREQ(settings.setting[1].key, "a.c");
  EXPECT_EQ(settings.setting[1].line, 2);
  EXPECT_STREQ(settings.setting[2].key, "d.0.e");
  EXPECT_STREQ(json_string_value(settings.setting[2].value), "NaN"); /* no number of JSON */
  ss_settings_free(&settings);
  ss_source_free(&source);
  json_decref(root);
}
