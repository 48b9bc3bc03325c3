/* Recipes of Megatron-Bridge in Python, written here in the form of its flat recipes, as workloads. */
#include "tests/support/imported_recipe.hpp"

using namespace stepsim;

namespace
{

/* A base as Megatron-Bridge has them, helpers and a recipe on top, in a tree of their own. */
const std::string base = R"(from megatron.bridge import AutoBridge
from megatron.bridge.training.comm_overlap import CommOverlapConfig
from megatron.bridge.training.config import ConfigContainer, TrainingConfig


def base_config() -> ConfigContainer:
    """A base."""
    cfg = ConfigContainer(train=TrainingConfig(global_batch_size=32, micro_batch_size=2), mixed_precision="bf16_mixed")
    cfg.model = AutoBridge.from_hf_pretrained("org/small").to_megatron_provider(load_weights=False)
    cfg.model.seq_length = 128
    cfg.dataset.seq_length = 64
    cfg.ddp.use_distributed_optimizer = True
    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=True)
    return cfg
)";

const std::string precision = R"(from megatron.bridge.training.mixed_precision import bf16_mixed, bf16_with_mxfp8_mixed


def tuned(kind: str):
    if kind == "bf16":
        cfg = bf16_mixed()
    elif kind == "mx":
        cfg = bf16_with_mxfp8_mixed()
    else:
        raise ValueError(f"Unknown: {kind}")
    cfg.grad_reduce_in_fp32 = False
    return cfg
)";

/* Writes the tree with a recipe of these lines, and returns its path. */
std::string recipe_of(const std::string &lines, const std::string &name = "small_32gpu_gb200_config")
{
  const std::string tree = "flat/src/megatron/bridge/";
  std::filesystem::create_directories(path_of(tree + "perf_recipes/small/gb200"));
  std::filesystem::create_directories(path_of(tree + "recipes"));
  write(tree + "recipes/base.py", base);
  write(tree + "perf_recipes/small/common.py", precision);
  return write(tree + "perf_recipes/small/gb200/small.py",
               "from megatron.bridge.perf_recipes.small.common import tuned\n"
               "from megatron.bridge.recipes.base import base_config as small_base\n\n\n"
               "def " +
                   name + "():\n    cfg = small_base()\n" + lines + "    return cfg\n");
}

} // namespace

/* 32 GPUs of tp 2 and pp 4 are 4 replicas. */
TEST(FlatRecipes, AreWorkloads)
{
  const ImportedRecipe imported = import_recipe(
      small_llama,
      recipe_of("    cfg.mixed_precision = tuned(\"mx\")\n    cfg.model.tensor_model_parallel_size = 2\n"
                "    cfg.model.pipeline_model_parallel_size = 4\n    cfg.model.sequence_parallel = True\n"
                "    cfg.model.virtual_pipeline_model_parallel_size = 2\n    cfg.train.global_batch_size = 64\n"
                "    cfg.env_vars = {\"NVTE_NORM_FWD_USE_CUDNN\": 1, \"USE_MNNVL\": 1}\n"));
  const ss_workload *w = &imported.workload;
  ASSERT_EQ(imported.said, "accepted");
  EXPECT_EQ(w->model.layers, 8);
  EXPECT_EQ(w->model.sequence, 128);
  EXPECT_EQ(w->training.global_batch, 64);
  EXPECT_EQ(w->training.micro_batch, 2);
  EXPECT_EQ(w->parallelism.tp, 2);
  EXPECT_EQ(w->parallelism.interleave, 2);
  EXPECT_EQ(w->parallelism.dp, 4);
  EXPECT_EQ(w->training.precision, SS_PRECISION_MXFP8);
  EXPECT_EQ(w->training.weights_type, SS_AS_OPERANDS) << "fp8_param_gather of the recipe by its name";
  EXPECT_EQ(w->training.gradients, SS_GRADIENTS_16BIT);
  EXPECT_EQ(w->training.norms, SS_NORMS_CUDNN);
  EXPECT_EQ(w->schedule.overlap_tp, SS_TP_OVERLAP_USER_BUFFERS);
  EXPECT_EQ(w->parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_NE(imported.notes.find("dataset.seq_length=64"), std::string::npos) << "starters make data for the model";
}

TEST(FlatRecipes, GPUs)
{
  const std::string path = recipe_of("    cfg.model.tensor_model_parallel_size = 2\n");
  EXPECT_EQ(import_recipe(small_llama, path).workload.parallelism.dp, 16);
  EXPECT_EQ(import_recipe(small_llama, path, nullptr, 8).workload.parallelism.dp, 4) << "--gpus goes over the name";
  EXPECT_EQ(import_recipe(small_llama, recipe_of("", "small_config")).workload.parallelism.dp, 1) << "nobody says";
  EXPECT_EQ(import_recipe(small_llama, recipe_of("    cfg.model.tensor_model_parallel_size = 3\n")).said,
            "PATH: the recipe is for 32 GPUs, and a replica has 3; allowed: --gpus with a multiple of these");
}

TEST(FlatRecipes, SayWhoseConfigTheyNeed)
{
  EXPECT_EQ(
      import_recipe("", recipe_of("")).said,
      "PATH:5: small_32gpu_gb200_config: has a model whose sizes are in the config.json of org/small; allowed: that "
      "file ahead of this one");
  EXPECT_EQ(import_recipe("", recipe_of(""), "other_config").said,
            "PATH: has no recipe other_config; allowed: small_32gpu_gb200_config");
  EXPECT_EQ(import_recipe("", write("model.json", small_llama), "other_config").said,
            "PATH: --recipe \"other_config\": no file has recipes; allowed: a file of Megatron-Bridge that has it");
}

/* What is not known is refused where it stands, in whatever file. */
TEST(FlatRecipes, NameFileAndLine)
{
  EXPECT_EQ(
      import_recipe(small_llama, recipe_of("    cfg.model.new_mixer = \"gated\"\n")).said,
      "PATH:7: not known of Megatron-LM, and may matter: model.new_mixer; allowed: the file without those that have "
      "no influence on time");
  const std::string path = recipe_of("    cfg.mixed_precision = tuned(\"mx\")\n    cfg.mixed_precision.new = 1\n");
  EXPECT_EQ(import_recipe(small_llama, path).said.substr(0, 62),
            "PATH:8: not known of Megatron-LM, and may matter: mixed_precis");
  const std::string other = recipe_of("    helper(cfg)\n");
  std::ofstream(other, std::ios::app) << "\n\nfrom megatron.bridge.recipes.help import helper\n";
  const std::string help =
      write("flat/src/megatron/bridge/recipes/help.py", "def helper(cfg):\n    cfg.model.new_mixer = \"gated\"\n");
  EXPECT_EQ(import_recipe(small_llama, other).said,
            help + ":2: not known of Megatron-LM, and may matter: model.new_mixer; "
                   "allowed: the file without those that have no influence on time");
}

/* What only a run knows is left out, and said first. */
TEST(FlatRecipes, LeaveOutWhatOnlyARunKnows)
{
  const ImportedRecipe imported = import_recipe(small_llama, recipe_of(R"(    import os
    cfg.model.recompute_granularity = os.environ["G"]
    cfg.train.seed = os.getpid() + 1
    cfg.model.moe_token_dispatcher_type = os.getenv("D")
    cfg.model.attention_backend = os.path.sep
)"));
  ASSERT_EQ(imported.said, "accepted");
  EXPECT_EQ(imported.workload.training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_EQ(
      imported.notes.find("left out, though it matters: model.recompute_granularity: only a run knows os.environ"),
      imported.notes.find("left out, though it matters: "))
      << imported.notes;
  for (const char *text : {"model.moe_token_dispatcher_type: only a run knows os.getenv",
                           "model.attention_backend: only a run knows os.path.sep"})
    EXPECT_NE(imported.notes.find(text), std::string::npos) << imported.notes;
}

/* A base that is not there is named: what it sets is not known. */
TEST(FlatRecipes, NameBasesThatAreNotThere)
{
  const std::string path =
      write("lonely.py", "from megatron.bridge.recipes.far import far_config\n\n\ndef lonely_16gpu_config():\n"
                         "    cfg = far_config()\n    cfg.model.tensor_model_parallel_size = 2\n"
                         "    cfg.train.global_batch_size = 16\n    return cfg\n");
  const ImportedRecipe imported = import_recipe(small_llama, path);
  ASSERT_EQ(imported.said, "accepted");
  EXPECT_EQ(imported.workload.parallelism.dp, 8);
  EXPECT_NE(imported.notes.find("so that what it sets is not known: megatron.bridge.recipes.far.far_config"),
            std::string::npos)
      << imported.notes;
}

/* recompute_modules = [] computes nothing again, None the core of attention (TransformerConfig), and modules say
 * nothing without a granularity. */
TEST(FlatRecipes, Recomputation)
{
  const std::string selective = "    cfg.model.recompute_granularity = \"selective\"\n";
  EXPECT_EQ(import_recipe(small_llama, recipe_of(selective + "    cfg.model.recompute_modules = []\n"))
                .workload.training.recompute,
            SS_RECOMPUTE_NONE);
  EXPECT_EQ(import_recipe(small_llama, recipe_of(selective)).workload.training.recompute_modules,
            SS_WORD_BIT(SS_RECOMPUTE_CORE_ATTN));
  EXPECT_EQ(import_recipe(small_llama, recipe_of("    cfg.model.recompute_modules = [\"mlp\"]\n"))
                .workload.training.recompute_modules,
            0u);
}

/* Classes of tp_comm_overlap_cfg: both rings, or that of the MLP only; without tensor parallelism there are no buffers.
 */
TEST(FlatRecipes, RingsOfUserBuffers)
{
  const auto reduces = [](const std::string &attention, const std::string &mlp, int tp) {
    return import_recipe(
               small_llama,
               recipe_of("    from megatron.bridge.training.comm_overlap import Layer, PipelineOverlapCfg, "
                         "RingExchangeOverlapCfg\n    cfg.comm_overlap.tp_comm_overlap_cfg = Layer(proj_fprop=" +
                         attention + "(num_sm=1), fc2_fprop=" + mlp +
                         "(num_sm=1))\n    cfg.model.sequence_parallel = True\n"
                         "    cfg.model.tensor_model_parallel_size = " +
                         std::to_string(tp) + "\n"))
        .workload.schedule.tp_reduction;
  };
  EXPECT_EQ(reduces("RingExchangeOverlapCfg", "RingExchangeOverlapCfg", 2), SS_TP_REDUCTION_RING);
  EXPECT_EQ(reduces("PipelineOverlapCfg", "RingExchangeOverlapCfg", 2), SS_TP_REDUCTION_MLP_RING);
  EXPECT_EQ(reduces("RingExchangeOverlapCfg", "PipelineOverlapCfg", 2), SS_TP_REDUCTION_MLP_PIPE);
  EXPECT_EQ(reduces("PipelineOverlapCfg", "PipelineOverlapCfg", 2), SS_TP_REDUCTION_PIPE);
  EXPECT_EQ(reduces("RingExchangeOverlapCfg", "RingExchangeOverlapCfg", 1), SS_TP_REDUCTION_PIPE);
}
