/* What programs in Python come to without being run: expressions, functions, files that import one another, and what
 * only a run knows. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/python/recipe.h"
}

using namespace stepsim;

namespace
{

/* What a recipe has set: a setting in a line, as KEY=JSON, and ? for what only a run knows. */
struct Evaluated {
  std::string said, settings, notes, model;
  int64_t gpus = 0;
};

bool is_known_field(void *, const char *field)
{
  return std::string(field).rfind("known", 0) == 0;
}

bool does_matter(void *, const char *field)
{
  return std::string(field).rfind("idle", 0) != 0;
}

Evaluated evaluate_file(const std::string &path, const char *name = nullptr, const std::string &config = "")
{
  Evaluated evaluated;
  ss_error error = {};
  ss_source source;
  ss_py_recipe recipe = {};
  json_t *model = config.empty() ? nullptr : json_loads(config.c_str(), 0, nullptr);
  const ss_py_asks asks = {nullptr, model, 0, is_known_field, does_matter};
  EXPECT_EQ(ss_source_read(path.c_str(), &source, &error), SS_OK) << error.message;
  ss_settings settings = {};
  settings.source = &source;
  const ss_status status = ss_py_recipe_read(&recipe, &source, name, &asks, &settings, &error);
  for (int64_t i = 0; i < settings.count && status == SS_OK; ++i) {
    char *value = json_dumps(settings.setting[i].value, JSON_ENCODE_ANY | JSON_COMPACT);
    evaluated.settings += std::string(settings.setting[i].key) + "=" +
                          (settings.setting[i].unknown != nullptr ? "?" : std::string(value)) + "\n";
    free(value);
  }
  for (const ss_py_note *note = recipe.notes; note != nullptr; note = note->next)
    evaluated.notes += std::string(note->text) + "\n";
  evaluated.said = printed(status, error, path);
  evaluated.gpus = recipe.gpus;
  if (recipe.model != nullptr) evaluated.model = recipe.model;
  ss_settings_free(&settings);
  ss_py_recipe_free(&recipe);
  ss_source_free(&source);
  json_decref(model);
  return evaluated;
}

Evaluated evaluate(const std::string &text)
{
  return evaluate_file(write("recipe.py", text));
}

/* What `c.x` is where a recipe executes lines. */
std::string lines_make(const std::string &lines)
{
  const Evaluated evaluated =
      evaluate("class Config:\n    pass\n\n\ndef small_config():\n    c = Config()\n" + lines + "    return c\n");
  return evaluated.said == "accepted" ? evaluated.settings : evaluated.said;
}

std::string makes(const std::string &expression)
{
  return lines_make("    c.x = " + expression + "\n");
}

} // namespace

TEST(Python, Literals)
{
  EXPECT_EQ(makes("None"), "x=null\n");
  EXPECT_EQ(makes("True"), "x=true\n");
  EXPECT_EQ(makes("1_000_000"), "x=1000000\n");
  EXPECT_EQ(makes("0x10"), "x=16\n");
  EXPECT_EQ(makes("-2"), "x=-2\n");
  EXPECT_EQ(makes("2.5e-1"), "x=0.25\n");
  EXPECT_EQ(makes("'a' \"b\""), "x=\"ab\"\n");
  EXPECT_EQ(makes("r'a\\n'"), "x=\"a\\\\n\"\n");
  EXPECT_EQ(makes("[1, \"two\", None]"), "x=[1,\"two\",null]\n");
  EXPECT_EQ(makes("[]"), "x=[]\n");
  EXPECT_EQ(makes("[[\"a\"] + [\"b\"] * 2, [\"c\"]]"), "x.0=[\"a\",\"b\",\"b\"]\nx.1=[\"c\"]\n") << "as YAML has it";
  EXPECT_EQ(makes("{\"a\": 1, \"b\": {\"c\": 2}}"), "x.a=1\nx.b.c=2\n");
}

TEST(Python, Operators)
{
  EXPECT_EQ(makes("2 + 3 * 4 - 1"), "x=13\n");
  EXPECT_EQ(makes("7 // 2 + 7 % 2 + 2 ** 3"), "x=12\n");
  EXPECT_EQ(makes("3 / 2"), "x=1.5\n");
  EXPECT_EQ(makes("-7 // 2"), "x=-4\n") << "towards less, as Python has it";
  EXPECT_EQ(makes("1 if 2 > 1 else 3"), "x=1\n");
  EXPECT_EQ(makes("0 or 5"), "x=5\n");
  EXPECT_EQ(makes("not 0 and 1 < 2 <= 2"), "x=true\n");
  EXPECT_EQ(makes("\"b\" in [\"a\", \"b\"] and \"z\" not in \"abc\""), "x=true\n");
  EXPECT_EQ(makes("None is None and 1 is not None"), "x=true\n");
  EXPECT_EQ(makes("{(4, 2): \"a\", (8, 1): \"b\"}[(8, 1)]"), "x=\"b\"\n");
  EXPECT_EQ(makes("[i * 2 for i in range(4) if i != 1]"), "x=[0,4,6]\n");
  EXPECT_EQ(makes("len({s for s in [\"a\", \"a\", \"b\"]})"), "x=2\n");
  EXPECT_EQ(makes("max(1, 256 // 64)"), "x=4\n");
  EXPECT_EQ(makes("\"a,b\".split(\",\")"), "x=[\"a\",\"b\"]\n");
  EXPECT_EQ(makes("\"m.n.o\".rsplit(\".\", 1)[-1]"), "x=\"o\"\n");
  EXPECT_EQ(makes("1 / 0"), "x=?\n") << "only a run knows what follows";
}

TEST(Python, Statements)
{
  EXPECT_EQ(lines_make("    c.a = c.b = 3\n"), "a=3\nb=3\n");
  EXPECT_EQ(lines_make("    a, b = 1, 2\n    c.x = a - b\n"), "x=-1\n");
  EXPECT_EQ(lines_make("    c.x = 1\n    c.x += 2\n"), "x=3\n");
  EXPECT_EQ(lines_make("    for i in range(5):\n        if i == 3:\n            break\n        c.x = i\n"), "x=2\n");
  EXPECT_EQ(
      lines_make("    if 1 > 2:\n        c.x = 1\n    elif 2 > 1:\n        c.x = 2\n    else:\n        c.x = 3\n"),
      "x=2\n");
  EXPECT_EQ(lines_make("    try:\n        raise ValueError('no')\n    except ValueError:\n        c.x = 1\n"), "x=1\n");
  EXPECT_EQ(lines_make("    l = []\n    l.append(1)\n    l.extend([2, 3])\n    c.x = l\n"), "x=[1,2,3]\n");
  EXPECT_EQ(lines_make("    d = {}\n    d['a'] = 1\n    c.x = {**d, 'b': 2}\n"), "x.a=1\nx.b=2\n");
  EXPECT_EQ(lines_make("    l = [1]\n    l.extend(unknown())\n    c.x = l\n"), "x=?\n");
  EXPECT_EQ(lines_make("    c.y.z = 1\n"), "y.z=1\n") << "of a field that was not given";
}

/* Arguments by place and by name, defaults, those that are by name only, and objects that are passed on. */
TEST(Python, Functions)
{
  const std::string functions = "class Config:\n    size: int = 4\n\n\nLIMIT = 2 * 8\n\n\n"
                                "def apply(c, a, b=LIMIT, *, deep=False, **rest):\n"
                                "    c.a, c.b, c.deep, c.rest = a, b, deep, rest\n\n\n"
                                "def small_config():\n    c = Config(size=5)\n";
  EXPECT_EQ(evaluate(functions + "    apply(c, 1, deep=True, more=2)\n    return c\n").settings,
            "size=5\na=1\nb=16\ndeep=true\nrest.more=2\n");
  EXPECT_EQ(evaluate(functions + "    apply(c, b=3, a=2)\n    return c\n").settings,
            "size=5\na=2\nb=3\ndeep=false\nrest=[]\n");
  EXPECT_EQ(evaluate(functions + "    c.x = Config().size\n    c.y = getattr(c, 'none', 7)\n"
                                 "    c.z = hasattr(c, 'size') and isinstance(c, Config)\n    return c\n")
                .settings,
            "size=5\nx=4\ny=7\nz=true\n");
}

TEST(Python, NamesOfRecipes)
{
  const std::string two =
      "def a_256gpu_gb200_config():\n    return Config()\n\n\ndef b_config(x=1):\n    return Config()\n"
      "\n\ndef _hidden_config():\n    pass\n\n\ndef with_argument_config(x):\n    pass\n";
  EXPECT_EQ(evaluate(two).said,
            "PATH: has several recipes; allowed: --recipe with one of a_256gpu_gb200_config, b_config");
  const std::string path = write("recipe.py", two);
  EXPECT_EQ(evaluate_file(path, "a_256gpu_gb200_config").gpus, 256);
  EXPECT_EQ(evaluate_file(path, "b_config").gpus, 0);
  EXPECT_EQ(evaluate_file(path, "c_config").said,
            "PATH: has no recipe c_config; allowed: a_256gpu_gb200_config, b_config");
  EXPECT_EQ(evaluate("def one_config():\n    return 3\n").said,
            "PATH:1: one_config: returns no configuration that is known; allowed: a ConfigContainer");
}

/* Packages begin where the path has megatron/bridge, or above the folders that have an __init__.py. */
TEST(Python, FilesImportOneAnother)
{
  const std::string root = path_of("tree/src/megatron/bridge/");
  std::filesystem::create_directories(root + "perf/small");
  std::filesystem::create_directories(root + "recipes");
  write("tree/src/megatron/bridge/recipes/base.py",
        "from megatron.bridge.perf.small.own import SHARED\n\n\n"
        "class Config:\n    pass\n\n\ndef base_config():\n"
        "    cfg = Config()\n    cfg.model.size = SHARED\n    return cfg\n");
  write("tree/src/megatron/bridge/recipes/__init__.py", "from .base import base_config as renamed\n");
  const std::string own = write("tree/src/megatron/bridge/perf/small/own.py",
                                "import torch\nfrom megatron.bridge.recipes import renamed as base\n"
                                "from megatron.bridge.missing import helper\nfrom ...recipes import base as module\n\n"
                                "SHARED = 12\n\n\ndef own_8gpu_config():\n    cfg = base()\n"
                                "    cfg.model.type = torch.float32\n    cfg.other = module.Config()\n"
                                "    helper(cfg)\n    return cfg\n");
  const Evaluated evaluated = evaluate_file(own);
  EXPECT_EQ(evaluated.said, "accepted");
  EXPECT_EQ(evaluated.settings, "model.size=12\nmodel.type._target_=\"torch.float32\"\n"
                                "other._target_=\"megatron.bridge.recipes.base.Config\"\n")
      << "base.py and own.py need each other";
  EXPECT_EQ(evaluated.notes, "megatron.bridge.missing.helper (own.py:13)\n");
}

/* Of a condition that only a run decides, what both branches do alike is known; what one of them does is taken, and
 * said; what they do differently is not known. A branch in which the program ends is none. */
TEST(Python, OnlyARunKnows)
{
  const std::string begin =
      "import os\n\n\nclass Config:\n    pass\n\n\ndef small_config():\n    c = Config()\n    c.x = 1\n";
  const auto run = [&begin](const std::string &lines) { return evaluate(begin + lines + "    return c\n"); };
  EXPECT_EQ(
      run("    if os.cpus() > 4:\n        c.x = 2\n        c.y = 1\n    else:\n        c.x = 2\n        c.y = 2\n")
          .settings,
      "x=2\ny=?\n");
  const Evaluated taken = run("    if os.cpus() > 4:\n        c.y = 2\n");
  EXPECT_EQ(taken.settings, "x=1\ny=2\n");
  EXPECT_EQ(taken.notes, "if os.cpus() > 4 (recipe.py:11)\n");
  EXPECT_EQ(run("    if os.cpus() > 4:\n        c.idle = 2\n").notes, "") << "what does not matter is worth no note";
  EXPECT_EQ(run("    if os.cpus() > 4:\n        c.x = 2\n").settings, "x=?\n");
  EXPECT_EQ(run("    if os.cpus() > 4:\n        raise ValueError()\n    else:\n        c.x = 2\n").settings, "x=2\n");
  EXPECT_EQ(
      run("    def local(c):\n        x = [i for i in range(3)]\n        c.y = x\n\n    if os.a():\n        local(c)\n")
          .settings,
      "x=1\ny=[0,1,2]\n")
      << "variables of a function end with it";
  EXPECT_EQ(run("    c.y = [os.cpus() + 1, 1]\n").settings, "x=1\ny=?\n") << "of a list, all of it";
  EXPECT_EQ(run("    if os.a():\n        return c\n    c.x = 2\n").settings, "x=?\n")
      << "what is behind a branch that returns";
}

/* Texts with parts, parts of texts, and values as texts. */
TEST(Python, Texts)
{
  EXPECT_EQ(lines_make("    n = 3\n    t = 'a'\n    c.x = f\"{n}-{t.upper()}{{}}\" f'{t!r}' 'b' f\"{n + 1=}\"\n"),
            "x=\"3-A{}'a'bn + 1=4\"\n");
  EXPECT_EQ(lines_make("    c.x = f\"{[1, None, True, 'a']} {dict(a=1)['a'] if False else ':'}\"\n"),
            "x=\"[1, None, True, 'a'] :\"\n");
  for (const std::string text : {"f'{unknown()}'", "f'{3:04d}'", "f'{c.y.z}'", "f'{1.5}'", "f'{'", "f'}'", "f'{1!s}'"})
    EXPECT_EQ(makes(text), "x=?\n") << text;
  EXPECT_EQ(makes("'abcd'[1:-1] + 'abcd'[3:1] + 'abcd'[:1]"), "x=\"bca\"\n");
  EXPECT_EQ(makes("str(3) + str(None) + str('a')"), "x=\"3Nonea\"\n");
  EXPECT_EQ(makes("sorted(['b', 'a', 'c'])"), "x=[\"a\",\"b\",\"c\"]\n");
  EXPECT_EQ(makes("sorted([1, unknown()])"), "x=?\n");
}

TEST(Python, Dicts)
{
  EXPECT_EQ(
      lines_make("    d = {'a': 1, 'b': 2}\n    e = d.copy()\n    c.x = [e.pop('a'), e.pop('z', 4), len(d), len(e)]\n"),
      "x=[1,4,2,1]\n");
  EXPECT_EQ(lines_make("    d = {'a': 1}\n    if unknown():\n        d.pop('a')\n").substr(0, 50),
            "PATH:9: d.pop('a'): changes a dict in a way that o");
}

/* Functions of a class are called for its objects, and properties are read as fields. */
TEST(Python, Methods)
{
  const std::string size =
      "class Size:\n    n: int = 2\n\n    @property\n    def twice(self):\n        return 2 * self.n\n\n"
      "    def plus(self, m=1):\n        self.n = self.n + m\n        return self.n\n\n"
      "    @staticmethod\n    def three():\n        return 3\n\n\n";
  const std::string recipe =
      size + "class Config:\n    pass\n\n\ndef small_config():\n    c = Config()\n    s = Size(n=5)\n";
  EXPECT_EQ(evaluate(recipe + "    c.x = [s.twice, s.plus(), s.plus(m=4), s.n, s.three()]\n    return c\n").settings,
            "x=[10,6,10,10,3]\n");
  EXPECT_EQ(evaluate("from dataclasses import replace\n\n\n" + recipe +
                     "    t = replace(s, n=7)\n    c.x = [s.n, t.n, t.twice]\n    return c\n")
                .settings,
            "x=[5,7,14]\n");
  EXPECT_EQ(
      evaluate("import copy\n\n\n" + recipe +
               "    s.l = [[1]]\n    t = copy.deepcopy(s)\n    t.l.append(2)\n    c.x = s.l + t.l\n    return c\n")
          .settings,
      "x.0=[1]\nx.1=[1]\nx=[2]\n");
  EXPECT_EQ(evaluate("from functools import partial\n\n\n" + recipe +
                     "    make = partial(Size, n=8)\n    c.x = [make().n, make(n=9).n]\n    return c\n")
                .settings,
            "x=[8,9]\n");
}

/* Modules and what they have by names that are put together. */
TEST(Python, ModulesByName)
{
  const std::string path =
      write("named_recipe.py",
            "import importlib\n\nfrom named_values import TWO_B\n\n\nclass Config:\n    pass\n\n\n"
            "def small_config():\n    c = Config()\n    m = importlib.import_module('named_' + 'values')\n"
            "    c.x = [getattr(m, 'TWO_' + 'a'.upper()), getattr(m, 'NONE', 4), TWO_B]\n"
            "    c.y = dir(m)\n    try:\n        c.z = getattr(m, 'NONE')\n"
            "    except AttributeError:\n        c.z = 5\n    try:\n"
            "        importlib.import_module('named.far')\n    except ModuleNotFoundError:\n        c.f = 6\n"
            "    return c\n");
  write("named_values.py", "import os\nTWO_A = 2\nif os:\n    TWO_B = 3\n\n\ndef f():\n    pass\n");
  const Evaluated evaluated = evaluate_file(path);
  EXPECT_EQ(evaluated.said, "accepted");
  EXPECT_EQ(evaluated.settings, "x=[2,4,3]\ny=[\"os\",\"TWO_A\",\"TWO_B\",\"f\"]\nz=5\nf=6\n");
}

/* What may change the configuration and is not understood is refused where a run would come to it. */
TEST(Python, Refusals)
{
  EXPECT_EQ(lines_make("    while True:\n        c.x = 1\n"),
            "PATH:7: \"while\": is a statement that is not understood, and may change the configuration; allowed: "
            "assignments, calls, if, for, try, return and import");
  EXPECT_EQ(lines_make("    if False:\n        del c.x\n    c.x = 1\n"), "x=1\n");
  EXPECT_EQ(lines_make("    for i in unknown():\n        c.x = i\n").substr(0, 70),
            "PATH:7: for ... in unknown(): is a loop over what only a run knows, an");
  EXPECT_EQ(lines_make("    raise ValueError('no')\n"),
            "PATH:7: the recipe ends here with an error of its own: no; allowed: one that returns a configuration");
  EXPECT_EQ(lines_make("    raise unknown()\n"),
            "PATH:7: the recipe ends here with an error of its own; allowed: one that returns a configuration");
  EXPECT_EQ(lines_make("    c.x = 3\n    c.x.y = 1\n"),
            "PATH:8: c.x: has no fields that could be set; allowed: fields of a configuration");
  EXPECT_EQ(lines_make("    c.x = {'a': 1}\n    c.x.clear()\n"),
            "PATH:8: c.x.clear(): is not known to leave the list or dict as it is; allowed: append, extend, update");
  EXPECT_EQ(lines_make("    c.x = {1, 'a': 2}\n").substr(0, 29), "PATH:7: \"c.x = {1, 'a': 2}\": ");
  EXPECT_EQ(evaluate("def small_config():\n    c = [1\n    return c\n").said,
            "PATH:4: is not Python: a bracket is not closed");
  EXPECT_EQ(evaluate("def small_config():\n        return 1\n    return 2\n").said,
            "PATH:3: is not Python: a line is indented as none before it");
}

/* Nothing runs for ever, and nothing is nested without a bound. */
TEST(Python, Bounds)
{
  const auto begins = [](const std::string &said, const std::string &with) {
    return said.find(with) != std::string::npos ? "" : said;
  };
  EXPECT_EQ(begins(evaluate("def small_config():\n    return small_config()\n").said, "calls itself"), "");
  EXPECT_EQ(begins(evaluate("A = B\nB = A\n\n\ndef small_config():\n    return A\n").said, "returns no configuration"),
            "");
  EXPECT_EQ(begins(makes("[0] * 1000000"), "a list of more than"), "");
  EXPECT_EQ(begins(makes("'a' * 1000000"), "a text of more than"), "");
  EXPECT_EQ(begins(lines_make("    for i in range(100000):\n        for j in range(100000):\n            c.x = j\n"),
                   "takes more than"),
            "");
  EXPECT_EQ(begins(makes(std::string(500, '(') + "1" + std::string(500, ')')), "not understood"), "");
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  EXPECT_EQ(begins(makes(sum), "nested too deep"), "");
  std::string branches = "    import os\n";
  for (int i = 0; i < 40; ++i) branches += "    if os.a():\n        return c\n";
  EXPECT_EQ(lines_make(branches + "    c.x = 1\n"), "x=1\n");
}

/* What AutoBridge makes of config.json: fields by the list of the class for its model_type, and what that class sets.
 */
TEST(Python, ModelsOfConfigs)
{
  const std::string folder = path_of("models/src/megatron/bridge/models");
  std::filesystem::create_directories(folder + "/tiny");
  const std::string models = "models/src/megatron/bridge/";
  write(models + "models/__init__.py", "from megatron.bridge.models.tiny.tiny_bridge import TinyBridge\n");
  write(models + "models/tiny/tiny_bridge.py",
        "from megatron.bridge.models.provider import Provider\n\n\nclass MegatronModelBridge:\n"
        "    CONFIG_MAPPING = [(\"num_hidden_layers\", \"num_layers\"), (\"size\", \"hidden_size\")]\n\n\n"
        "@MegatronModelBridge.register_bridge(source=\"Tiny\", provider=Provider, model_type=\"tiny\")\n"
        "class TinyBridge(MegatronModelBridge):\n    CONFIG_MAPPING = MegatronModelBridge.CONFIG_MAPPING + [(\"e\", "
        "\"f\")]\n\n"
        "    def provider_bridge(self, hf_pretrained):\n        provider = super().provider_bridge(hf_pretrained)\n"
        "        hf_config = hf_pretrained.config\n"
        "        provider.layout = [0] * hf_config.dense + [1] * (hf_config.num_hidden_layers - hf_config.dense)\n"
        "        provider.absent = hf_config.absent\n        provider.fused = getattr(hf_config, \"fused\", True)\n"
        "        return provider\n");
  write(models + "models/provider.py", "class Provider:\n    fused: bool = False\n    norm: str = \"LayerNorm\"\n"
                                       "    hidden_size: int = 1\n    f: int = 2\n");
  const std::string recipe =
      write(models + "tiny.py", "from megatron.bridge import AutoBridge\n\n\nclass Config:\n    pass\n\n\n"
                                "def tiny_config():\n    cfg = Config()\n"
                                "    cfg.model = AutoBridge.from_hf_pretrained(\"org/tiny\").to_megatron_provider()\n"
                                "    cfg.fused = cfg.model.fused\n    return cfg\n");
  const Evaluated evaluated =
      evaluate_file(recipe, nullptr, R"({"model_type": "tiny", "num_hidden_layers": 3, "size": 64, "dense": 1})");
  EXPECT_EQ(evaluated.said, "accepted");
  EXPECT_EQ(evaluated.model, "org/tiny");
  EXPECT_EQ(evaluated.settings, "model.num_layers=3\nmodel.hidden_size=64\nmodel.layout=[0,1,1]\nmodel.fused=true\n"
                                "model.norm=\"LayerNorm\"\nfused=true\n")
      << "f may be in config.json, and what the class has for it does not hold";
}

/* A class asks its own functions, and config.json for what Transformers makes of lists of layers: letters, and how many
 * there are. Where it trains there are GPUs. */
TEST(Python, LayersOfConfigs)
{
  const std::string models = "layers/src/megatron/bridge/";
  std::filesystem::create_directories(path_of(models + "models/nemotronh"));
  write(models + "models/__init__.py", "from megatron.bridge.models.nemotronh.bridge import NemotronHBridge\n");
  write(models + "models/nemotronh/bridge.py",
        "import torch\n\n\nclass MegatronModelBridge:\n"
        "    CONFIG_MAPPING = [(\"num_hidden_layers\", \"num_layers\"), "
        "(\"hybrid_override_pattern\", \"hybrid_layer_pattern\")]\n\n\n"
        "@MegatronModelBridge.register_bridge(source=\"Tiny\", model_type=\"nemotron_h\")\n"
        "class NemotronHBridge(MegatronModelBridge):\n    @staticmethod\n    def _modules(hf_config) -> tuple[int, "
        "str]:\n"
        "        return int(hf_config.modules), hf_config.mtp_hybrid_override_pattern\n\n"
        "    def provider_bridge(self, hf_pretrained):\n        provider = super().provider_bridge(hf_pretrained)\n"
        "        provider.count, provider.letters = self._modules(hf_pretrained.config)\n"
        "        provider.there = torch.cuda.is_available()\n        return provider\n");
  const std::string recipe =
      write(models + "tiny.py", "from megatron.bridge import AutoBridge\n\n\nclass Config:\n    pass\n\n\n"
                                "def tiny_config():\n    cfg = Config()\n"
                                "    cfg.model = AutoBridge.from_hf_pretrained(\"org/tiny\").to_megatron_provider()\n"
                                "    return cfg\n");
  const Evaluated evaluated = evaluate_file(
      recipe, nullptr,
      R"({"model_type": "nemotron_h", "layers_block_type": ["mamba", "moe", "attention", "mlp"], "modules": 2, )"
      R"("num_hidden_layers": null, "mtp_layers_block_type": ["attention", "moe"]})");
  EXPECT_EQ(evaluated.said, "accepted");
  EXPECT_EQ(evaluated.settings, "model.num_layers=4\nmodel.hybrid_layer_pattern=\"ME*-\"\nmodel.count=2\n"
                                "model.letters=\"*E\"\nmodel.there=true\n");
}

/* Before v0.3.1 the class of a model is known by that of Transformers, and makes the configuration itself: what it does
 * not give is as the configuration's own class has it, and what only a run knows is what config.json says. */
TEST(Python, ModelsOfEarlierConfigs)
{
  const std::string models = "earlier/src/megatron/bridge/";
  std::filesystem::create_directories(path_of(models + "models/tinyh"));
  write(models + "models/__init__.py", "VERSION = 1\n");
  write(models + "models/tinyh/__init__.py", "from megatron.bridge.models.tinyh.bridge import TinyHBridge\n");
  write(models + "models/tinyh/bridge.py",
        "from transformers import TinyHForCausalLM\n\nfrom megatron.bridge.models.provider import Provider\n\n\n"
        "class MegatronModelBridge:\n    pass\n\n\n"
        "@MegatronModelBridge.register_bridge(source=TinyHForCausalLM, target=1)\n"
        "class TinyHBridge(MegatronModelBridge):\n    def provider_bridge(self, hf_pretrained):\n"
        "        hf_config = hf_pretrained.config\n"
        "        return Provider(num_layers=hf_config.num_hidden_layers, norm=hf_config.norm, fused=True)\n");
  write(models + "models/provider.py", "class Provider:\n    num_layers: int = 1\n    fused: bool = False\n"
                                       "    norm: str = \"LayerNorm\"\n    hidden_size: int = 8\n");
  const std::string recipe =
      write(models + "tiny.py", "from megatron.bridge import AutoBridge\n\n\nclass Config:\n    pass\n\n\n"
                                "def tiny_config():\n    cfg = Config()\n"
                                "    cfg.model = AutoBridge.from_hf_pretrained(\"org/tiny\").to_megatron_provider()\n"
                                "    cfg.x = cfg.model.norm\n    return cfg\n");
  const Evaluated evaluated = evaluate_file(recipe, nullptr, R"({"model_type": "tiny_h", "num_hidden_layers": 3})");
  EXPECT_EQ(evaluated.said, "accepted");
  EXPECT_EQ(evaluated.settings, "model.num_layers=3\nmodel.fused=true\nmodel.hidden_size=8\nx=?\n");
  EXPECT_EQ(evaluate_file(recipe, nullptr, R"({"model_type": "other"})").notes,
            "megatron.bridge.models, without a class for the model_type other\n");
}
