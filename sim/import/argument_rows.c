/* Arguments of Megatron-LM: megatron/training/arguments.py and megatron/core/transformer/transformer_config.py of
 * NVIDIA/Megatron-LM. */
#include "sim/import/argument_rows.h"

#define COUNT(argument, at)       {.name = argument, .use = SS_ARGUMENT_COUNT, .attribute = SS_AT_##at},
#define FLAG(argument, at, value) {.name = argument, .use = SS_ARGUMENT_FLAG, .attribute = SS_AT_##at, .number = value},
#define WORD(argument, word, at, value)                                                                                \
  {.name = argument, .use = SS_ARGUMENT_WORD, .attribute = SS_AT_##at, .number = value, .text = word},
#define VALUE(argument, which)   {.name = argument, .use = SS_ARGUMENT_VALUE, .number = which},
#define IDLE(argument)           {.name = argument, .use = SS_ARGUMENT_IDLE},
#define LEFT_OUT(argument, what) {.name = argument, .use = SS_ARGUMENT_LEFT_OUT, .text = what},
#define REFUSED(argument, why)   {.name = argument, .use = SS_ARGUMENT_REFUSED, .text = why},

/* clang-format off */
const ss_argument_row ss_argument_rows[] = {
    /* the model */
    COUNT("num-layers", model_layers) COUNT("hidden-size", model_hidden) COUNT("ffn-hidden-size", model_ffn)
    COUNT("num-attention-heads", model_heads) COUNT("num-query-groups", model_kv_heads)
    COUNT("kv-channels", model_head_size) COUNT("seq-length", model_sequence) COUNT("encoder-seq-length", model_sequence)
    COUNT("vocab-size", model_vocabulary) COUNT("padded-vocab-size", model_vocabulary)
    VALUE("make-vocab-size-divisible-by", SS_VALUE_VOCABULARY_MULTIPLE)
    FLAG("swiglu", model_mlp, SS_MLP_SWIGLU) FLAG("squared-relu", model_mlp, SS_MLP_RELU2)
    FLAG("untie-embeddings-and-output-weights", model_tied_embeddings, SS_NO)
    FLAG("qk-layernorm", model_qk_norm, SS_YES)
    COUNT("mtp-num-layers", model_mtp_modules)
    COUNT("q-lora-rank", model_q_rank) COUNT("kv-lora-rank", model_kv_rank)
    COUNT("qk-pos-emb-head-dim", model_rope_size) COUNT("qk-head-dim", model_head_size)
    COUNT("v-head-dim", model_head_size)
    COUNT("num-experts", model_experts) COUNT("moe-router-topk", model_top_k)
    COUNT("moe-ffn-hidden-size", model_expert_ffn)
    VALUE("moe-shared-expert-intermediate-size", SS_VALUE_SHARED_FFN)
    /* training */
    COUNT("micro-batch-size", training_micro_batch) COUNT("global-batch-size", training_global_batch)
    FLAG("bf16", training_precision, SS_PRECISION_BF16) FLAG("fp16", training_precision, SS_PRECISION_FP16)
    WORD("fp8-format", "hybrid", training_precision, SS_PRECISION_FP8)
    WORD("fp8-format", "e4m3", training_precision, SS_PRECISION_FP8)
    WORD("fp8-recipe", "delayed", training_precision, SS_PRECISION_FP8)
    WORD("fp8-recipe", "tensorwise", training_precision, SS_PRECISION_FP8_CURRENT)
    WORD("fp8-recipe", "blockwise", training_precision, SS_PRECISION_FP8_BLOCK)
    WORD("fp8-recipe", "mxfp8", training_precision, SS_PRECISION_MXFP8)
    FLAG("recompute-activations", training_recompute, SS_RECOMPUTE_SELECTIVE)
    WORD("recompute-granularity", "selective", training_recompute, SS_RECOMPUTE_SELECTIVE)
    WORD("recompute-granularity", "full", training_recompute, SS_RECOMPUTE_FULL)
    WORD("recompute-method", "block", training_recompute_method, SS_RECOMPUTE_BLOCK)
    WORD("recompute-method", "uniform", training_recompute_method, SS_RECOMPUTE_UNIFORM)
    COUNT("recompute-num-layers", training_recompute_layers)
    FLAG("use-flash-attn", training_attention, SS_ATTENTION_FLASH)
    WORD("attention-backend", "auto", training_attention, SS_ATTENTION_FLASH)
    WORD("attention-backend", "flash", training_attention, SS_ATTENTION_FLASH)
    WORD("attention-backend", "fused", training_attention, SS_ATTENTION_FLASH)
    WORD("attention-backend", "unfused", training_attention, SS_ATTENTION_UNFUSED)
    WORD("attention-backend", "local", training_attention, SS_ATTENTION_UNFUSED)
    FLAG("moe-grouped-gemm", training_expert_kernels, SS_EXPERT_KERNELS_GROUPED)
    VALUE("attention-dropout", SS_VALUE_DROPOUT) VALUE("hidden-dropout", SS_VALUE_DROPOUT)
    /* the strategy */
    COUNT("tensor-model-parallel-size", parallelism_tp) COUNT("pipeline-model-parallel-size", parallelism_pp)
    COUNT("context-parallel-size", parallelism_cp) COUNT("expert-model-parallel-size", parallelism_ep)
    COUNT("expert-tensor-parallel-size", parallelism_etp)
    COUNT("num-virtual-stages-per-pipeline-rank", parallelism_interleave)
    VALUE("num-layers-per-virtual-pipeline-stage", SS_VALUE_LAYERS_OF_CHUNK)
    COUNT("decoder-first-pipeline-num-layers", parallelism_first_stage_layers)
    COUNT("decoder-last-pipeline-num-layers", parallelism_last_stage_layers)
    FLAG("sequence-parallel", parallelism_sequence_parallel, SS_YES)
    FLAG("use-distributed-optimizer", parallelism_sharding, SS_SHARDING_OPTIMIZER)
    FLAG("overlap-grad-reduce", schedule_overlap_dp, SS_YES)
    VALUE("nnodes", SS_VALUE_NODES) VALUE("nproc_per_node", SS_VALUE_GPUS_OF_NODE)
    VALUE("nproc-per-node", SS_VALUE_GPUS_OF_NODE)
    /* what takes a little time, or has another way to be said */
    LEFT_OUT("add-qkv-bias", "biases of attention") LEFT_OUT("tp-comm-overlap", "schedule.overlap-tp has it")
    LEFT_OUT("grad-reduce-in-bf16", "training.gradients has it") LEFT_OUT("fp8-param-gather", "training.weights-type has it")
    LEFT_OUT("moe-shared-expert-overlap", "shared experts beside all-to-alls")
    LEFT_OUT("moe-router-num-groups", "groups of experts of a token") LEFT_OUT("moe-router-group-topk", "groups of experts of a token")
    LEFT_OUT("calculate-per-token-loss", "one more reduction of a number")
    LEFT_OUT("no-gradient-accumulation-fusion", "training.gradient-accumulation has it")
    LEFT_OUT("no-masked-softmax-fusion", "of attention that is not fused") LEFT_OUT("no-bias-gelu-fusion", "training.fused has it")
    LEFT_OUT("no-bias-swiglu-fusion", "training.fused has it") LEFT_OUT("no-bias-dropout-fusion", "training.fused has it")
    LEFT_OUT("no-rope-fusion", "training.fused has it") LEFT_OUT("recompute-modules", "training.recompute-modules has them")
    /* what would be another prediction */
    REFUSED("use-megatron-fsdp", "shards by FSDP; allowed: the file without it, and --set parallelism.sharding=parameters")
    REFUSED("use-torch-fsdp2", "shards by FSDP; allowed: the file without it, and --set parallelism.sharding=parameters")
    REFUSED("data-parallel-sharding-strategy", "shards by FSDP; allowed: the file without it, and --set parallelism.sharding=parameters")
    REFUSED("window-size", "attends to a window; allowed: the file without it, and --set model.window=N or model.kinds")
    REFUSED("window-attn-skip-freq", "attends to a window; allowed: the file without it, and --set model.window=N or model.kinds")
    REFUSED("moe-layer-freq", "has experts in some layers; allowed: the file without it, and --set model.dense-layers=N or model.kinds")
    REFUSED("hybrid-layer-pattern", "is a hybrid; allowed: the file without it, and --set model.kinds and model.pattern")
    REFUSED("hybrid-override-pattern", "is a hybrid; allowed: the file without it, and --set model.kinds and model.pattern")
    REFUSED("pipeline-model-parallel-layout", "lays stages out; allowed: the file without it, and --set parallelism.layout")
    REFUSED("spec", "has layers of its own; allowed: the file without it")
    /* optimizer and schedule of the learning rate */
    WORD("optimizer", "adam", training_optimizer, SS_OPTIMIZER_ADAM)
    IDLE("lr") IDLE("lr-*") IDLE("min-lr") IDLE("decoupled-*") IDLE("weight-decay*") IDLE("adam-*") IDLE("clip-grad")
    IDLE("train-iters") IDLE("train-samples") IDLE("override-opt*") IDLE("step-batch-size-schedule") IDLE("exit-*")
    IDLE("init-method*") IDLE("seed") IDLE("loss-scale") IDLE("initial-loss-scale") IDLE("use-checkpoint-opt*")
    /* data, tokenizer, checkpoints, logs */
    IDLE("data-path") IDLE("data-cache-path") IDLE("dataloader*") IDLE("mock-data") IDLE("split") IDLE("vocab-file")
    IDLE("merge-file") IDLE("tokenizer-*") IDLE("tiktoken-*") IDLE("num-workers") IDLE("no-mmap-bin-files")
    IDLE("no-create-attention-mask-in-dataloader") IDLE("save") IDLE("save-*") IDLE("load") IDLE("no-load-*")
    IDLE("no-save-*") IDLE("ckpt-*") IDLE("auto-detect*") IDLE("dist-ckpt*") IDLE("eval-*") IDLE("log-*") IDLE("tensorboard-*")
    IDLE("wandb-*") IDLE("profile*") IDLE("eod-mask-loss") IDLE("no-check-for-nan*") IDLE("trust-remote-code")
    IDLE("export-*") IDLE("modelopt-*") IDLE("use-checkpoint-args") IDLE("finetune")
    /* how it runs */
    IDLE("master_addr") IDLE("master_port") IDLE("node_rank") IDLE("master-addr") IDLE("master-port") IDLE("node-rank")
    IDLE("distributed-*") IDLE("manual-gc*") IDLE("empty-unused-memory-level") IDLE("use-mcore-models") IDLE("use-te")
    IDLE("transformer-impl") IDLE("use-cpu-initialization") IDLE("init-model-with-meta-device") IDLE("overlap-param-gather")
    IDLE("accumulate-allreduce-grads-in-fp32") IDLE("cross-entropy-*") IDLE("moe-permute-fusion") IDLE("moe-router-fusion")
    /* numbers inside of kernels that are there in any case */
    IDLE("max-position-embeddings") IDLE("position-embedding-type") IDLE("no-position-embedding") IDLE("rotary-*")
    IDLE("use-rotary-position-embeddings") IDLE("use-rope-scaling") IDLE("rope-*") IDLE("mscale*") IDLE("normalization")
    IDLE("norm-epsilon") IDLE("apply-layernorm-1p") IDLE("disable-bias-linear") IDLE("group-query-attention")
    IDLE("attention-softmax-in-fp32") IDLE("multi-latent-attention") IDLE("moe-router-load-balancing-type")
    IDLE("moe-aux-loss-coeff") IDLE("moe-z-loss-coeff") IDLE("moe-router-score-function") IDLE("moe-router-dtype")
    IDLE("moe-router-pre-softmax") IDLE("moe-router-enable-expert-bias") IDLE("moe-router-bias-update-rate")
    IDLE("moe-router-topk-scaling-factor") IDLE("moe-token-dispatcher-type") IDLE("fp8-amax-*") IDLE("fp8-margin")
    {.name = NULL},
};
/* clang-format on */
