/* Recipes of Megatron-Bridge that a program starts, written here in the form of its releases up to v0.5.1: what the
 * program makes of its options, of the GPUs and of the environment holds, too. */
#include "tests/support/imported_recipe.hpp"

using namespace stepsim;

namespace
{

const std::string folder = "launched/scripts/performance/";

/* A base of the library, beside the program. */
const std::string library = R"(from megatron.bridge import AutoBridge
from megatron.bridge.training.config import ConfigContainer, TrainingConfig


def small_pretrain_config() -> ConfigContainer:
    cfg = ConfigContainer(train=TrainingConfig(global_batch_size=8, micro_batch_size=1), mixed_precision="bf16_mixed")
    cfg.model = AutoBridge.from_hf_pretrained("org/small").to_megatron_provider(load_weights=False)
    cfg.model.seq_length = 128
    cfg.ddp.use_distributed_optimizer = True
    return cfg
)";

const std::string options = R"(import argparse


def lowered(text):
    return text.lower()


def parse_cli_args():
    parser = argparse.ArgumentParser(description="Starts a recipe")
    parser.add_argument("-m", "--model_family_name", type=lowered, required=True)
    parser.add_argument("-mr", "--model_recipe_name", type=lowered, required=True)
    parser.add_argument("-ng", "--num_gpus", type=int, required=True)
    group = parser.add_argument_group("Performance")
    group.add_argument("--task", default="pretrain")
    group.add_argument("--compute-dtype", dest="compute_dtype", choices=["bf16", "fp8_mx"], default="bf16")
    group.add_argument("--gpu", type=str)
    group.add_argument("--config_variant", type=str, default="v2")
    group.add_argument("-mb", "--micro_batch_size", type=int)
    group.add_argument("--data", default="mock")
    group.add_argument("--slow-reduce", action="store_true")
    return parser
)";

const std::string program = R"(import os

from argument_parser import parse_cli_args
from utils.overrides import set_post_overrides, set_user_overrides
from utils.utils import recipe_of

from megatron.bridge.training.pretrain import pretrain


def main():
    args, rest = parse_cli_args().parse_known_args()
    recipe = recipe_of(args.model_family_name, args.model_recipe_name, args.task, args.gpu, args.compute_dtype,
                       mock=args.data == "mock", config_variant=args.config_variant)
    recipe = set_user_overrides(recipe, args)
    recipe = set_post_overrides(recipe, args, num_gpus=args.num_gpus)
    os.environ["NCCL_DEBUG"] = "WARN"
    pretrain(config=recipe)


if __name__ == "__main__":
    main()
)";

/* Finds configurations by names that are put together. */
const std::string finders = R"(import importlib
import logging
from dataclasses import dataclass
from typing import Optional

logger = logging.getLogger(__name__)


@dataclass
class Base:
    num_gpus: int = 1
    tp: int = 1
    batch: int = 1
    micro: Optional[int] = None

    @property
    def sequence_parallel(self) -> bool:
        return bool(self.tp > 1)

    def per_gpu(self, gpus):
        return int(self.batch / self.num_gpus * gpus)


def module_of(family):
    try:
        return importlib.import_module(f"configs.{family}")
    except ModuleNotFoundError as exc:
        raise ValueError(f"no family {family!r}") from exc


def variants(module, name):
    return sorted([one[len(name) + 1:].lower() for one in dir(module) if one.startswith(name + "_")])


def get_workload_base_config(model_family_name, model_recipe_name, gpu, compute_dtype, task, config_variant="v1"):
    module = module_of(model_family_name)
    name = f"{model_recipe_name}_{task}_config_{gpu}_{compute_dtype}".upper()
    base = getattr(module, f"{name}_{config_variant}".upper(), None)
    if base is None and config_variant == "v2":
        logger.warning("No '%s' of %s.", config_variant, name)
        base = getattr(module, f"{name}_V1", None)
    if base is None:
        raise ValueError(f"Nothing for {config_variant=}, of {variants(module, name)}")
    return base


def recipe_of(family, name, task, gpu, compute_dtype, mock, config_variant):
    builder = getattr(module_of(family), f"{name}_{task}_config_{gpu}")
    return builder(precision=compute_dtype, mock=mock, config_variant=config_variant)
)";

const std::string overrides = R"(from utils.utils import get_workload_base_config


def set_base(cfg, base):
    cfg.model.tensor_model_parallel_size = base.tp
    cfg.model.sequence_parallel = base.sequence_parallel
    cfg.train.global_batch_size = base.batch
    cfg.train.micro_batch_size = base.micro or 1


def set_user_overrides(cfg, args):
    if args.micro_batch_size is not None:
        cfg.train.micro_batch_size = args.micro_batch_size
    cfg.mixed_precision.grad_reduce_in_fp32 = args.slow_reduce
    return cfg


def set_post_overrides(cfg, args, num_gpus):
    base = get_workload_base_config(args.model_family_name, args.model_recipe_name, args.gpu, args.compute_dtype,
                                    args.task, args.config_variant)
    if num_gpus != base.num_gpus:
        cfg.train.global_batch_size = base.per_gpu(num_gpus)
    return cfg
)";

/* The environment of runs, of which a plug-in takes cuDNN's norms away but with MXFP8. */
const std::string executors = "PERF_ENV_VARS = {\"NVTE_NORM_FWD_USE_CUDNN\": \"1\", \"TOKENIZERS\": \"off\"}\n";

const std::string plugins = R"(from dataclasses import dataclass

from nemo_run import Plugin, Script


@dataclass(kw_only=True)
class PerfEnvPlugin(Plugin):
    compute_dtype: str
    train_task: str
    slow: bool = False

    def _norms(self, executor, is_kept):
        if not is_kept and "NVTE_NORM_FWD_USE_CUDNN" in executor.env_vars:
            executor.env_vars.pop("NVTE_NORM_FWD_USE_CUDNN")

    def setup(self, task, executor):
        if isinstance(task, Script):
            task.args.extend([f"slow={str(self.slow).lower()}"])
        else:
            raise NotImplementedError("scripts only")
        self._norms(executor, is_kept=self.compute_dtype == "fp8_mx" and self.train_task == "pretrain")
)";

const std::string bases = R"(from dataclasses import replace

from utils.utils import Base

BASE = Base(num_gpus=8, batch=64)
SMALL_PRETRAIN_CONFIG_GB200_BF16_V1 = replace(BASE, tp=2)
SMALL_PRETRAIN_CONFIG_GB200_BF16_V2 = replace(SMALL_PRETRAIN_CONFIG_GB200_BF16_V1, num_gpus=16, batch=512, micro=4)
SMALL_PRETRAIN_CONFIG_GB200_FP8_MX_V1 = BASE
)";

const std::string recipes = R"(from utils.overrides import set_base
from utils.utils import get_workload_base_config

from megatron.bridge.recipes.small import small_pretrain_config
from megatron.bridge.training.mixed_precision import bf16_mixed, bf16_with_mxfp8_mixed


def small_pretrain_config_gb200(precision: str = "bf16", mock: bool = True, config_variant: str = "v1"):
    base = get_workload_base_config("small", "small", "gb200", precision.upper(), "pretrain", config_variant)
    cfg = small_pretrain_config()
    cfg.mixed_precision = bf16_mixed() if precision == "bf16" else bf16_with_mxfp8_mixed()
    set_base(cfg, base)
    return cfg
)";

/* Writes the tree, and returns the path of its recipes. */
std::string tree_of(const std::string &lines = recipes)
{
  for (const std::string name : {"utils", "configs/small"}) std::filesystem::create_directories(path_of(folder + name));
  std::filesystem::create_directories(path_of("launched/src/megatron/bridge/recipes"));
  write("launched/src/megatron/bridge/recipes/small.py", library);
  write(folder + "argument_parser.py", options);
  write(folder + "run_script.py", program);
  write(folder + "perf_plugins.py", plugins);
  write(folder + "utils/executors.py", executors);
  write(folder + "utils/utils.py", finders);
  write(folder + "utils/overrides.py", overrides);
  write(folder + "configs/small/bases.py", bases);
  write(folder + "configs/small/__init__.py",
        "try:\n    import megatron.bridge\n    HAS_BRIDGE = True\nexcept ModuleNotFoundError:\n    HAS_BRIDGE = False\n"
        "if HAS_BRIDGE:\n    from .pretrain import small_pretrain_config_gb200\n"
        "from .bases import (\n    SMALL_PRETRAIN_CONFIG_GB200_BF16_V1,\n    SMALL_PRETRAIN_CONFIG_GB200_BF16_V2,\n"
        "    SMALL_PRETRAIN_CONFIG_GB200_FP8_MX_V1,\n)\n");
  return write(folder + "configs/small/pretrain.py", lines);
}

ImportedRecipe launch(const char *recipe, int64_t gpus = 0)
{
  return import_recipe(small_llama, tree_of(), recipe, gpus);
}

} // namespace

/* 16 GPUs of tp 2 are 8 replicas; the program takes v2 where nobody says, and gradients are summed as it has it. */
TEST(LaunchedRecipes, AreWorkloads)
{
  const ImportedRecipe imported = launch("small_pretrain_config_gb200");
  const ss_workload *w = &imported.workload;
  ASSERT_EQ(imported.said, "accepted");
  EXPECT_EQ(w->model.layers, 8);
  EXPECT_EQ(w->model.sequence, 128);
  EXPECT_EQ(w->training.global_batch, 512);
  EXPECT_EQ(w->training.micro_batch, 4);
  EXPECT_EQ(w->training.gradients, SS_GRADIENTS_16BIT);
  EXPECT_EQ(w->training.norms, SS_NORMS_FRAMEWORK) << "a plug-in takes the variable away";
  EXPECT_EQ(w->parallelism.tp, 2);
  EXPECT_EQ(w->parallelism.dp, 8);
  EXPECT_EQ(w->parallelism.sequence_parallel, SS_YES) << "a property of the base";
  EXPECT_EQ(import_recipe(small_llama, tree_of()).workload.training.global_batch, 512) << "the only recipe of the file";
}

TEST(LaunchedRecipes, TakeArguments)
{
  const ImportedRecipe first = launch("small_pretrain_config_gb200(config_variant='v1', mock=True)");
  ASSERT_EQ(first.said, "accepted");
  EXPECT_EQ(first.workload.training.global_batch, 64);
  EXPECT_EQ(first.workload.parallelism.dp, 4);
  const ImportedRecipe mx = launch("small_pretrain_config_gb200(\"fp8_mx\")");
  ASSERT_EQ(mx.said, "accepted");
  EXPECT_EQ(mx.workload.training.precision, SS_PRECISION_MXFP8);
  EXPECT_EQ(mx.workload.training.norms, SS_NORMS_CUDNN);
  EXPECT_EQ(mx.workload.parallelism.dp, 8);
  EXPECT_NE(mx.notes.find("warned of by the program that starts the recipe: "
                          "No 'v2' of SMALL_PRETRAIN_CONFIG_GB200_FP8_MX\n"),
            std::string::npos)
      << mx.notes;
}

/* Options of the program are arguments, too. */
TEST(LaunchedRecipes, TakeOptionsOfTheProgram)
{
  const ImportedRecipe imported = launch("small_pretrain_config_gb200(micro_batch_size=2, slow_reduce=True)");
  ASSERT_EQ(imported.said, "accepted");
  EXPECT_EQ(imported.workload.training.micro_batch, 2);
  EXPECT_EQ(imported.workload.training.gradients, SS_GRADIENTS_FP32);
}

/* 512 sequences on 16 GPUs are 1024 on 32. */
TEST(LaunchedRecipes, HaveTheBatchOfTheGPUs)
{
  const ImportedRecipe imported = launch("small_pretrain_config_gb200", 32);
  EXPECT_EQ(imported.workload.training.global_batch, 1024);
  EXPECT_EQ(imported.workload.parallelism.dp, 16);
}

/* What the program itself says is said, where it says it. */
TEST(LaunchedRecipes, EndAsTheProgramDoes)
{
  const std::string finder = path_of(folder + "utils/utils.py");
  EXPECT_EQ(launch("small_pretrain_config_gb200(config_variant=\"v3\")").said,
            finder + ":43: the recipe ends here with an error of its own: Nothing for config_variant='v3', of ['v1', "
                     "'v2']; allowed: one that returns a configuration");
}

TEST(LaunchedRecipes, RefuseArguments)
{
  EXPECT_EQ(launch("small_pretrain_config_gb200(presicion=\"bf16\")").said,
            "PATH:8: small_pretrain_config_gb200: takes no argument presicion of this value; allowed: precision, "
            "config_variant and other options of run_script.py");
  EXPECT_EQ(launch("small_pretrain_config_gb200(mock=False)").said.substr(0, 60),
            "PATH:8: small_pretrain_config_gb200: takes no argument mock ");
  EXPECT_EQ(launch("small_pretrain_config_gb200(1, 2, 3, 4)").said,
            "PATH:8: small_pretrain_config_gb200: is given more than it takes; allowed: as many as parameters");
  EXPECT_EQ(launch("small_pretrain_config_gb200('bf16', precision='bf16')").said,
            "PATH:8: small_pretrain_config_gb200: is given precision twice; allowed: once");
  for (const std::string text : {"small_pretrain_config_gb200(", "small_pretrain_config_gb200(precision=unknown)",
                                 "small_pretrain_config_gb200(**{})", "(1)", "a.b(1)"})
    EXPECT_EQ(launch(text.c_str()).said, "PATH: --recipe \"" + text +
                                             "\": is not understood; allowed: NAME, or NAME(ARGUMENT=VALUE, ...) with "
                                             "values that are known");
  EXPECT_EQ(launch("other_config(1)").said, "PATH: has no recipe other_config; allowed: small_pretrain_config_gb200");
}

/* Files that the program needs and that are not there. */
TEST(LaunchedRecipes, RefuseAProgramAlone)
{
  const std::string path = tree_of();
  std::filesystem::remove(path_of(folder + "argument_parser.py"));
  EXPECT_EQ(import_recipe(small_llama, path).said,
            "PATH:8: the program run_script.py, which starts recipes, has no argument_parser.parse_cli_args beside it; "
            "allowed: a clone of the repository");
}

/* Programs that train nothing, or whose parts are none, are refused and no crash. */
TEST(LaunchedRecipes, RefuseProgramsOfAnotherKind)
{
  const auto said = [](const std::string &name, const std::string &text) {
    const std::string path = tree_of();
    write(folder + name, text);
    return import_recipe(small_llama, path).said;
  };
  const std::string alone = "PATH:8: the program run_script.py, which starts recipes, has no ";
  const std::string end = " beside it; allowed: a clone of the repository";
  EXPECT_EQ(said("run_script.py", "def main():\n    pass\n"),
            "PATH:8: the program run_script.py trains nothing that is known; allowed: pretrain(config=...)");
  EXPECT_EQ(said("run_script.py", "x = 1\n"), alone + "run_script.main" + end);
  EXPECT_EQ(said("argument_parser.py", "def parse_cli_args():\n    return 1\n"),
            "PATH:8: the program run_script.py has no options that are known; allowed: those of argparse");
  EXPECT_EQ(said("perf_plugins.py", "class PerfEnvPlugin:\n    pass\n"),
            "PATH:8: perf_plugins.PerfEnvPlugin: has no setup; allowed: a plug-in with one");
  EXPECT_EQ(said("perf_plugins.py", "PerfEnvPlugin = 1\n"), alone + "perf_plugins.PerfEnvPlugin" + end);
  EXPECT_EQ(said("utils/executors.py", "PERF_ENV_VARS = [1]\n"), alone + "utils.executors.PERF_ENV_VARS" + end);
  EXPECT_EQ(said("utils/utils.py", finders + "\n\nget_workload_base_config = 1\n"),
            alone + "utils.utils.get_workload_base_config" + end);
  EXPECT_EQ(said("configs/small/bases.py", bases + "SMALL_PRETRAIN_CONFIG_GB200_BF16_V2 = 1\n").substr(0, 31),
            "PATH:8: no file says how many G");
}

/* Recipes of v0.2.0 are named MODEL_SIZE_GPU_config, and take their bases from a module beside them. */
TEST(LaunchedRecipes, EarlierNames)
{
  const std::string path = tree_of();
  write(folder + "run_script.py", R"(from argument_parser import parse_cli_args
from configs.small import early
from megatron.bridge.training.pretrain import pretrain
from megatron.bridge.training.utils.omegaconf_utils import apply_overrides


def build(**kwargs):
    recipe = getattr(early, f"{kwargs.get('model_name')}_{kwargs.get('model_size')}_{kwargs.get('gpu')}_config")
    return recipe(precision=kwargs.get("compute_dtype"))


def main():
    args = parse_cli_args().parse_args()
    recipe = build(**vars(args))
    apply_overrides(recipe, {}, [])
    pretrain(config=recipe)
)");
  write(folder + "argument_parser.py", R"(import argparse


def parse_cli_args():
    parser = argparse.ArgumentParser()
    for name in ["model_name", "model_size", "gpu", "compute_dtype", "num_gpus", "task"]:
        parser.add_argument("--" + name)
    return parser
)");
  write(folder + "utils/utils.py", finders + R"(

def get_workload_base_config(model_name, model_size, gpu, compute_dtype, task):
    from configs.small import bases
    return getattr(bases, "BASE")
)");
  std::filesystem::create_directories(path_of("launched/src/megatron/bridge/training/utils"));
  write("launched/src/megatron/bridge/training/utils/omegaconf_utils.py",
        "def apply_overrides(cfg, given, left):\n    while True:\n        pass\n");
  const std::string early = write(folder + "configs/small/early.py", R"(from . import bases
from utils.overrides import set_base
from megatron.bridge.recipes.small import small_pretrain_config


def small_1b_x2_gb200_config(precision: str = "bf16"):
    cfg = small_pretrain_config()
    set_base(cfg, bases.SMALL_PRETRAIN_CONFIG_GB200_BF16_V1)
    return cfg
)");
  const ImportedRecipe imported = import_recipe(small_llama, early);
  ASSERT_EQ(imported.said, "accepted");
  EXPECT_EQ(imported.workload.training.global_batch, 64);
  EXPECT_EQ(imported.workload.parallelism.dp, 4);
}
