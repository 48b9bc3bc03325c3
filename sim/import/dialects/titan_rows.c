/* Settings of TorchTitan until its configurations became programs in Python: torchtitan/config/job_config.py of
 * pytorch/torchtitan at v0.2.0, and names that it had before. Primus has the same in YAML. */
#include <stddef.h>

#include "sim/import/dialects/setting_row.h"

/* Without it, TorchTitan computes some operations again. */
static bool keeps_all(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_NONE;
}

static bool has_stages(const ss_workload *w)
{
  return w->parallelism.pp > 1;
}

static bool is_split_tensor(const ss_workload *w)
{
  return w->parallelism.cp > 1;
}

#define NOBODY 0u
#define TOML   SS_BY(torchtitan)

#define COUNT(whose, name, at) {.key = name, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at},
#define ALWAYS(whose, name, at)                                                                                        \
  {.key = name, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at, .number = 1},
#define FLAG(whose, name, at, yes, no)                                                                                 \
  {.key = name, .by = whose, .use = SS_SETTING_FLAG, .attribute = SS_AT_##at, .number = yes, .otherwise = no},
#define WORD(whose, name, word, at, value, if_)                                                                        \
  {.key = name,                                                                                                        \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_WORD,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = value,                                                                                                    \
   .text = word,                                                                                                       \
   .when = if_},
#define NUMBER(whose, name, what, least, most)                                                                         \
  {.key = name, .by = whose, .use = SS_SETTING_WHOLE, .which = SS_VALUE_##what, .number = least, .otherwise = most},
#define WHOLE(whose, name, what, least) NUMBER(whose, name, what, least, SS_SETTING_MOST)
#define LARGE(whose, name, what, least) NUMBER(whose, name, what, least, SS_SETTING_LARGEST)
#define PICK(whose, name, word, what, value)                                                                           \
  {.key = name, .by = whose, .use = SS_SETTING_PICK, .which = SS_VALUE_##what, .text = word, .number = value},
#define KEEP(whose, name, what) {.key = name, .by = whose, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define LIST(whose, name, what)                                                                                        \
  {.key = name, .by = whose, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what, .number = 1},
#define IDLE(name)           {.key = name, .use = SS_SETTING_IDLE},
#define LEFT_OUT(name, what) {.key = name, .use = SS_SETTING_LEFT_OUT, .text = what},
#define REFUSED(name, why)   {.key = name, .use = SS_SETTING_REFUSED, .text = why},

/* clang-format off */
const ss_setting_row ss_titan_rows[] = {
    /* the model: torchtitan/models/NAME/__init__.py has its flavors */
    KEEP(TOML, "model.name", MODEL) KEEP(TOML, "model.flavor", FLAVOR) 
    LIST(TOML, "model.converters", MODULES)
    /* programs: torchtitan/models/NAME/config_registry.py, and torchtitan/config of them, at b5bcd76 */
    KEEP(NOBODY, "module", MODEL) KEEP(NOBODY, "config", PROGRAM) COUNT(NOBODY, "training.max-context-length", model_sequence)
    WHOLE(NOBODY, "training.num-tokens-per-microbatch-per-dp-rank", TOKENS, 1) LARGE(NOBODY, "training.num-tokens-per-train-step", GLOBAL_TOKENS, -1)
    WHOLE(NOBODY, "parallelism.num-pp-microbatches", PIPELINE_BATCHES, 1)
    WHOLE(NOBODY, "nnodes", NODES, 1) WHOLE(NOBODY, "nproc-per-node", GPUS_OF_NODE, 1) WHOLE(NOBODY, "nproc_per_node", GPUS_OF_NODE, 1)
    IDLE("rdzv*") IDLE("local-ranks-filter") IDLE("role") IDLE("tee") IDLE("node-rank") IDLE("node_rank") IDLE("master-addr") IDLE("master-port") IDLE("master_addr") IDLE("master_port")
    ALWAYS(TOML, "training.seq-len", model_sequence)
    /* training */
    WHOLE(TOML, "training.local-batch-size", LOCAL_BATCH, 1) WHOLE(NOBODY, "training.batch-size", LOCAL_BATCH, 1)
    LARGE(TOML, "training.global-batch-size", GLOBAL_BATCH, -1)
    WORD(NOBODY, "training.mixed-precision-param", "bfloat16", training_precision, SS_PRECISION_BF16, NULL)
    FLAG(TOML, "training.enable-cpu-offload", training_offload_optimizer, SS_YES, SS_NO)
    WORD(TOML, "activation-checkpoint.mode", "none", training_recompute, SS_RECOMPUTE_NONE, keeps_all)
    WORD(TOML, "activation-checkpoint.mode", "full", training_recompute, SS_RECOMPUTE_FULL, NULL)
    PICK(TOML, "activation-checkpoint.mode", "selective", SELECTIVE, 1) PICK(NOBODY, "activation-checkpoint.mode", "memory_budget", BUDGET_MODE, 1)
    {.key = "activation-checkpoint.memory-budget", .use = SS_SETTING_REAL, .which = SS_VALUE_BUDGET, .number = 0, .otherwise = 1},
    PICK(NOBODY, "activation-checkpoint.early-stop", NULL, STOPS_EARLY, 1)
    PICK(TOML, "compile.enable", NULL, COMPILED, 1) PICK(NOBODY, "training.compile", NULL, COMPILED, 1) KEEP(NOBODY, "compile.components", COMPILED)
    PICK(TOML, "training.dtype", "bfloat16", WEIGHTS_16, 1) PICK(NOBODY, "training.dtype", "float32", WEIGHTS_16, 0)
    KEEP(TOML, "activation-checkpoint.selective-ac-option", SELECTIVE)
    /* the strategy */
    WHOLE(TOML, "parallelism.data-parallel-replicate-degree", REPLICATE, 1) WHOLE(TOML, "parallelism.data-parallel-shard-degree", SHARD, -1)
    PICK(NOBODY, "parallelism.fsdp-reshard-after-forward", "default", RESHARD, 1) PICK(TOML, "parallelism.fsdp-reshard-after-forward", "always", RESHARD, 2)
    PICK(TOML, "parallelism.fsdp-reshard-after-forward", "never", RESHARD, 3)
    ALWAYS(TOML, "parallelism.tensor-parallel-degree", parallelism_tp)
    ALWAYS(TOML, "parallelism.pipeline-parallel-degree", parallelism_pp)
    WORD(TOML, "parallelism.pipeline-parallel-schedule", "1F1B", schedule_pipeline, SS_PIPELINE_1F1B, has_stages)
    WORD(TOML, "parallelism.pipeline-parallel-schedule", "GPipe", schedule_pipeline, SS_PIPELINE_GPIPE, has_stages)
    WORD(TOML, "parallelism.pipeline-parallel-schedule", "Interleaved1F1B", schedule_pipeline, SS_PIPELINE_INTERLEAVED, has_stages)
    WORD(TOML, "parallelism.pipeline-parallel-schedule", "ZBVZeroBubble", schedule_pipeline, SS_PIPELINE_V_ZB, has_stages)
    WORD(TOML, "parallelism.pipeline-parallel-schedule", "DualPipeV", schedule_pipeline, SS_PIPELINE_DUALPIPE_V, has_stages)
    /* where they stood until 2025, and the words of then: train_configs and torchtitan/config_manager.py at v0.1.0 and before */
    WHOLE(NOBODY, "training.data-parallel-degree", SHARD, -1) WHOLE(NOBODY, "training.data-parallel-shard-degree", SHARD, -1)
    WHOLE(NOBODY, "training.data-parallel-replicate-degree", REPLICATE, 1) PICK(NOBODY, "training.data-parallel-type", "fsdp", NOTHING, 1)
    COUNT(NOBODY, "training.tensor-parallel-degree", parallelism_tp) COUNT(NOBODY, "training.sequence-parallel-degree", parallelism_tp) COUNT(NOBODY, "training.pipeline-parallel-degree", parallelism_pp)
    COUNT(NOBODY, "experimental.pipeline-parallel-degree", parallelism_pp) COUNT(NOBODY, "experimental.context-parallel-degree", parallelism_cp)
    WORD(NOBODY, "experimental.pipeline-parallel-schedule", "1f1b", schedule_pipeline, SS_PIPELINE_1F1B, NULL) WORD(NOBODY, "experimental.pipeline-parallel-schedule", "1F1B", schedule_pipeline, SS_PIPELINE_1F1B, NULL)
    WORD(NOBODY, "experimental.pipeline-parallel-schedule", "gpipe", schedule_pipeline, SS_PIPELINE_GPIPE, NULL) WORD(NOBODY, "experimental.pipeline-parallel-schedule", "GPipe", schedule_pipeline, SS_PIPELINE_GPIPE, NULL)
    WORD(NOBODY, "experimental.pipeline-parallel-schedule", "interleaved_1f1b", schedule_pipeline, SS_PIPELINE_INTERLEAVED, NULL) WORD(NOBODY, "experimental.pipeline-parallel-schedule", "Interleaved1F1B", schedule_pipeline, SS_PIPELINE_INTERLEAVED, NULL)
    WORD(NOBODY, "experimental.pipeline-parallel-schedule", "ZBVZeroBubble", schedule_pipeline, SS_PIPELINE_V_ZB, NULL)
    WORD(NOBODY, "experimental.context-parallel-rotate-method", "allgather", parallelism_cp_exchange, SS_CP_GATHER, NULL) WORD(NOBODY, "experimental.context-parallel-rotate-method", "alltoall", parallelism_cp_exchange, SS_CP_RING, NULL)
    FLAG(NOBODY, "experimental.enable-async-tensor-parallel", schedule_overlap_tp, SS_TP_OVERLAP_SYMMETRIC, -1)
    FLAG(NOBODY, "float8.enable-float8-linear", training_precision, SS_PRECISION_FP8_CURRENT, -1) FLAG(NOBODY, "training.enable-fp8-linear", training_precision, SS_PRECISION_FP8_CURRENT, -1)
    REFUSED("experimental.pipeline-parallel-split-points", "lays stages out by name; allowed: the file without it, and --set parallelism.layout") REFUSED("experimental.pipeline-parallel-microbatches", "has the number of micro-batches; allowed: the file without it, and --set training.micro-batch")
    REFUSED("training.fp8-linear", "has products in 8 bits; allowed: the file without it, and --set training.precision=fp8-current")
    WHOLE(TOML, "parallelism.pipeline-parallel-microbatch-size", PIPELINE_BATCH, 1)
    WHOLE(TOML, "parallelism.pipeline-parallel-layers-per-stage", LAYERS_OF_STAGE, 1)
    WHOLE(TOML, "parallelism.pipeline-parallel-first-stage-less-layers", FIRST_STAGE_LESS, 0) WHOLE(TOML, "parallelism.pipeline-parallel-last-stage-less-layers", LAST_STAGE_LESS, 0)
    COUNT(TOML, "parallelism.context-parallel-degree", parallelism_cp)
    WORD(TOML, "parallelism.context-parallel-rotate-method", "allgather", parallelism_cp_exchange, SS_CP_GATHER, is_split_tensor)
    WORD(TOML, "parallelism.context-parallel-rotate-method", "alltoall", parallelism_cp_exchange, SS_CP_RING, is_split_tensor)
    COUNT(TOML, "parallelism.expert-parallel-degree", parallelism_ep) COUNT(TOML, "parallelism.expert-tensor-parallel-degree", parallelism_etp)
    WORD(NOBODY, "parallelism.expert-parallel-comm-backend", "standard", schedule_dispatch, SS_DISPATCH_COPIES, NULL) WORD(NOBODY, "parallelism.expert-parallel-comm-backend", "deepep", schedule_dispatch, SS_DISPATCH_ONCE, NULL)
    WORD(NOBODY, "parallelism.expert-parallel-comm-backend", "hybridep", schedule_dispatch, SS_DISPATCH_ONCE, NULL) LEFT_OUT("parallelism.hybridep.moe-expert-capacity-factor", "room of buffers of exchanges") IDLE("parallelism.hybridep.*")
    FLAG(NOBODY, "parallelism.enable-async-tensor-parallel", schedule_overlap_tp, SS_TP_OVERLAP_SYMMETRIC, -1)
    LIST(TOML, "quantize.linear.float8.filter-fqns", FILTERED) LIST(NOBODY, "float8.filter-fqns", FILTERED)
    LIST(NOBODY, "quantize.linear.mx.filter-fqns", FILTERED_BLOCKS) LIST(NOBODY, "mx.filter-fqns", FILTERED_BLOCKS)
    PICK(TOML, "quantize.linear.float8.recipe-name", "tensorwise", RECIPE, 2) PICK(TOML, "quantize.linear.float8.recipe-name", "rowwise", RECIPE, 3) PICK(NOBODY, "float8.recipe-name", "rowwise", RECIPE, 3)
    PICK(NOBODY, "float8.recipe-name", "tensorwise", RECIPE, 2) PICK(TOML, "quantize.linear.mx.recipe-name", "mxfp8_cublas", RECIPE, 4) PICK(NOBODY, "mx.recipe-name", "mxfp8", RECIPE, 4)
    PICK(NOBODY, "quantize.linear.mx.recipe-name", "mxfp8", RECIPE, 4) PICK(NOBODY, "mx.recipe-name", "mxfp8_cublas", RECIPE, 4)
    /* what takes a little time, or has another way to be said */
    LEFT_OUT("float8.enable-fsdp-float8-all-gather", "weights are gathered in 16 bits") LEFT_OUT("quantize.linear.float8.enable-fsdp-float8-all-gather", "weights are gathered in 16 bits")
    PICK(NOBODY, "parallelism.disable-loss-parallel", NULL, GATHERED_LOSS, 1) LEFT_OUT("optimizer.early-step-in-backward", "steps beside backward, which free gradients at once")
    REFUSED("float8.emulate", "computes in 32 bits what 8 would be; allowed: the file without it") REFUSED("quantize.linear.float8.emulate", "computes in 32 bits what 8 would be; allowed: the file without it")
    LEFT_OUT("debug.moe-force-load-balance", "training.imbalance has it") LEFT_OUT("training.debug-moe-force-load-balance", "training.imbalance has it") IDLE("quantize.grouped-mm.*") LEFT_OUT("primus-turbo.*", "kernels of Primus")
    /* what would be another prediction */
    REFUSED("parallelism.module-fqns-per-model-part", "lays stages out by name; allowed: the file without it, and --set parallelism.layout") REFUSED("parallelism.pipeline-parallel-split-points", "lays stages out by name; allowed: the file without it, and --set parallelism.layout")
    REFUSED("parallelism.pipeline-parallel-schedule-csv", "has a schedule of its own; allowed: the file without it") REFUSED("fault-tolerance.enable", "has replicas that may be missing; allowed: the file without it")
    WORD(NOBODY, "training.mixed-precision-reduce", "float32", training_gradients, SS_GRADIENTS_FP32, NULL) WORD(NOBODY, "training.mixed-precision-reduce", "bfloat16", training_gradients, SS_GRADIENTS_16BIT, NULL)
    WORD(NOBODY, "optimizer.name", "AdamW", training_optimizer, SS_OPTIMIZER_ADAM, NULL) WORD(NOBODY, "optimizer.name", "Adam", training_optimizer, SS_OPTIMIZER_ADAM, NULL)
    WORD(TOML, "optimizer.implementation", "fused", training_optimizer_step, SS_STEP_SEPARATE, NULL) WORD(TOML, "optimizer.implementation", "foreach", training_optimizer_step, SS_STEP_FOREACH, NULL) WORD(TOML, "optimizer.implementation", "for-loop", training_optimizer_step, SS_STEP_TENSORS, NULL)
    FLAG(NOBODY, "optimizer.fused", training_optimizer_step, SS_STEP_SEPARATE, SS_STEP_FOREACH)
    /* without influence */
    IDLE("job.*") IDLE("profiling.*") IDLE("metrics.*") IDLE("model.*") IDLE("optimizer.*") IDLE("lr-scheduler.*") IDLE("checkpoint.*") IDLE("comm.*") IDLE("memory-estimation.*") IDLE("fault-tolerance.*") IDLE("experimental.*") IDLE("validation.*") IDLE("debug.*") IDLE("compile.*")
    IDLE("training.max-norm") IDLE("training.steps") IDLE("training.dataset*") IDLE("training.mock-data") IDLE("training.gc-*") IDLE("training.seed") IDLE("training.deterministic*") IDLE("training.warmup-steps") IDLE("training.checkpoint-*") IDLE("float8.*") IDLE("mx.*") IDLE("quantize.linear.*") IDLE("activation-checkpoint.*")
    IDLE("parallelism.enable-compiled-autograd") IDLE("parallelism.context-parallel-load-balancer") IDLE("work-group") IDLE("user-name") IDLE("exp-name") IDLE("workspace") IDLE("framework") IDLE("model") IDLE("sink-level") IDLE("file-sink-level") IDLE("stderr-sink-level") IDLE("includes") IDLE("extends") IDLE("bases")
    IDLE("srun.*") IDLE("sbatch.*") IDLE("mpirun.*") IDLE("accelerate.*") IDLE("nsys.*") IDLE("ncu.*") IDLE("uv.*") IDLE("numactl.*") IDLE("deepspeed.*") IDLE("convert.*")
    {.key = NULL},
};
/* clang-format on */
