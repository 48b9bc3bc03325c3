/* Settings of DeepSpeed: docs/_pages/config-json.md and deepspeed/runtime/zero/config.py of deepspeedai/DeepSpeed. A
 * model comes from another file, as does a strategy beside that of data. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

/* clang-format off */
const ss_setting_row ss_deepspeed_rows[] = {
    COUNT("train-batch-size", training_global_batch) COUNT("train-micro-batch-size-per-gpu", training_micro_batch) WHOLE("gradient-accumulation-steps", ACCUMULATION, 1)
    PICK("bf16.enabled", NULL, BF16, 1) PICK("bfloat16.enabled", NULL, BF16, 1) PICK("fp16.enabled", NULL, FP16, 1) PICK("torch-autocast.enabled", NULL, AUTOCAST, 1)
    PICK("bf16.bf16-master-weights-and-grads", NULL, BF16_MASTER, 1) PICK("bfloat16.bf16-master-weights-and-grads", NULL, BF16_MASTER, 1) PICK("fp16.fp16-master-weights-and-grads", NULL, FP16_MASTER, 1) PICK("bf16.bf16-optimizer-states", NULL, BF16_MOMENTS, 1) PICK("bfloat16.bf16-optimizer-states", NULL, BF16_MOMENTS, 1)
    WORD("zero-optimization.stage", "0", parallelism_sharding, SS_SHARDING_NONE) WORD("zero-optimization.stage", "1", parallelism_sharding, SS_SHARDING_OPTIMIZER)
    WORD("zero-optimization.stage", "2", parallelism_sharding, SS_SHARDING_GRADIENTS) WORD("zero-optimization.stage", "3", parallelism_sharding, SS_SHARDING_PARAMETERS)
    FLAG("zero-optimization.overlap-comm", schedule_overlap_dp, SS_YES, SS_NO)
    WORD("zero-optimization.offload-optimizer.device", "cpu", training_offload_optimizer, SS_YES) WORD("zero-optimization.offload-optimizer.device", "none", training_offload_optimizer, SS_NO)
    WORD("zero-optimization.offload-param.device", "cpu", training_offload_weights, SS_YES) WORD("zero-optimization.offload-param.device", "none", training_offload_weights, SS_NO)
    FLAG("zero-optimization.cpu-offload", training_offload_optimizer, SS_YES, SS_NO) REAL("zero-optimization.offload-optimizer.ratio", OFFLOADED_SHARE, 0, 1)
    LEFT_OUT("zero-optimization.offload-optimizer.super-offload", "the host steps beside backward")
    COUNT("tensor-parallel.autotp-size", parallelism_tp)
    PICK("communication-data-type", "bf16", REDUCED_WHOLE, 0) PICK("communication-data-type", "fp16", REDUCED_WHOLE, 0) PICK("communication-data-type", "fp32", REDUCED_WHOLE, 1)
    PICK("data-types.grad-accum-dtype", "bf16", SUMMED_WHOLE, 0) PICK("data-types.grad-accum-dtype", "fp16", SUMMED_WHOLE, 0) PICK("data-types.grad-accum-dtype", "fp32", SUMMED_WHOLE, 1)
    FLAG("activation-checkpointing.cpu-checkpointing", training_offload_activations, SS_YES, SS_NO)
    WORD("optimizer.type", "Adam", training_optimizer, SS_OPTIMIZER_ADAM) WORD("optimizer.type", "AdamW", training_optimizer, SS_OPTIMIZER_ADAM) WORD("optimizer.type", "FusedAdam", training_optimizer, SS_OPTIMIZER_ADAM)
    WORD("optimizer.type", "DeepSpeedCPUAdam", training_optimizer, SS_OPTIMIZER_ADAM) WORD("optimizer.type", "Muon", training_optimizer, SS_OPTIMIZER_MUON)
    LEFT_OUT("zero-optimization.reduce-bucket-size", "schedule.bucket has it, in bytes") LEFT_OUT("zero-optimization.allgather-bucket-size", "schedule.bucket has it, in bytes") LEFT_OUT("zero-optimization.stage3-prefetch-bucket-size", "schedule.prefetch has it, in layers")
    LEFT_OUT("zero-optimization.stage3-param-persistence-threshold", "small parameters that every GPU keeps") LEFT_OUT("zero-optimization.stage3-max-live-parameters", "schedule.prefetch has it, in layers") LEFT_OUT("zero-optimization.stage3-max-reuse-distance", "schedule.prefetch has it, in layers")
    LEFT_OUT("zero-optimization.prefetch-bucket-size", "schedule.prefetch has it, in layers") LEFT_OUT("zero-optimization.param-persistence-threshold", "small parameters that every GPU keeps") LEFT_OUT("zero-optimization.max-live-parameters", "schedule.prefetch has it, in layers") LEFT_OUT("zero-optimization.max-reuse-distance", "schedule.prefetch has it, in layers")
    LEFT_OUT("activation-checkpointing.partition-activations", "kept activations are not split over tensor-parallel ranks") LEFT_OUT("zero-optimization.sub-group-size", "parts of a step") LEFT_OUT("zero-optimization.round-robin-gradients", "the order of copies to the host")
    REFUSED("zero-optimization.zero-quantized-weights", "gathers weights in 8 bits; allowed: the file without it") REFUSED("zero-optimization.zero-quantized-gradients", "reduces gradients in 4 bits; allowed: the file without it") 
    NONE("zero-optimization.mics-shard-size", "-1") NONE("zero-optimization.mics-shard-size", "0") REFUSED("zero-optimization.mics-shard-size", "shards within groups; allowed: the file without it, and --set parallelism.shard-size=N")
    NONE("zero-optimization.zero-hpz-partition-size", "1") NONE("zero-optimization.zero-hpz-partition-size", "0") REFUSED("zero-optimization.zero-hpz-partition-size", "keeps weights of another group, too; allowed: the file without it")
    REFUSED("data-efficiency.data-routing.random-ltd.enabled", "drops tokens in some layers; allowed: the file without it") REFUSED("data-efficiency.data-sampling.curriculum-learning.enabled", "may change the length of sequences; allowed: the file without it") REFUSED("data-efficiency.data-sampling.dynamic-batching.enabled", "changes the batch; allowed: the file without it")
    REFUSED("sparse-attention.mode", "attends to some tokens; allowed: the file without it, and --set model.window=N") REFUSED("pipeline.stages", "has stages; allowed: the file without it, and --set parallelism.pp=N")
    REFUSED("curriculum-learning.enabled", "changes the length of sequences; allowed: the file without it") REFUSED("compression-training.*", "trains another model; allowed: the file without it") REFUSED("sequence-parallel-size", "splits sequences; allowed: the file without it, and --set parallelism.cp=N")
    IDLE("optimizer.*") IDLE("scheduler.*") IDLE("gradient-clipping") IDLE("steps-per-print") IDLE("wall-clock-breakdown") IDLE("dump-state") IDLE("prescale-gradients") IDLE("gradient-predivide-factor") IDLE("sparse-gradients") IDLE("memory-breakdown") IDLE("zero-allow-untested-optimizer") IDLE("zero-force-ds-cpu-optimizer") IDLE("disable-allgather")
    IDLE("bf16.*") IDLE("fp16.*") IDLE("bfloat16.*") IDLE("amp.*") IDLE("zero-optimization.contiguous-gradients") IDLE("zero-optimization.allgather-partitions") IDLE("zero-optimization.stage3-gather-*") IDLE("zero-optimization.gather-16bit-weights-on-model-save") IDLE("zero-optimization.offload-optimizer.*") IDLE("zero-optimization.offload-param.*") IDLE("zero-optimization.load-from-fp32-weights")
    IDLE("zero-optimization.ignore-unused-parameters") IDLE("zero-optimization.elastic-checkpoint") IDLE("zero-optimization.memory-efficient-linear") IDLE("activation-checkpointing.*") IDLE("flops-profiler.*") IDLE("tensorboard.*") IDLE("wandb.*") IDLE("csv-monitor.*") IDLE("comet.*") IDLE("comms-logger.*") IDLE("checkpoint.*") IDLE("aio.*")
    PICK("zero-optimization.stage3-use-all-reduce-for-fetch-params", NULL, FETCHED_BY_SUMS, 1) PICK("zero-optimization.use-all-reduce-for-fetch-params", NULL, FETCHED_BY_SUMS, 1) REFUSED("elasticity.enabled", "takes the batch from the GPUs that there are; allowed: the file without it, and its train_batch_size") REFUSED("autotuning.enabled", "changes settings; allowed: the file without it") PICK("zero-optimization.reduce-scatter", NULL, SCATTERED, 1)
    IDLE("elasticity.*") IDLE("autotuning.*") IDLE("data-efficiency.*") IDLE("dataloader-drop-last") IDLE("seed") IDLE("monitor-config.*") IDLE("nebula.*") IDLE("hybrid-engine.*") IDLE("torch-autocast.*") IDLE("compile.*") IDLE("zero-optimization.leaf-module.*") IDLE("zero-optimization.log-trace-cache-warnings")
    {.key = NULL},
};
/* clang-format on */
