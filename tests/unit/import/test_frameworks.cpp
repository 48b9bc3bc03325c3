/* Settings of frameworks: what launch scripts and configurations that are published say, each with where it is from.
 * Values are theirs; what has no influence on time is left out of most. */
#include "tests/support/fixtures.hpp"
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/plan/check/refusal_row.h"
#include "model/plan/check/refusals.h"
#include "model/plan/job_setup.h"
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

std::string import_files(const std::vector<std::string> &texts, ss_workload *workload)
{
  ss_import import;
  ss_error error = {};
  ss_status status = SS_OK;
  ss_import_init(&import, workload);
  for (size_t i = 0; i < texts.size() && status == SS_OK; ++i)
    status = ss_import_read_text(&import, "FILE", texts[i].c_str(), &error);
  ss_import_free(&import);
  ss_workload_derive(workload);
  return status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
}

std::string value_text(const ss_workload &w, const std::string &name)
{
  char value[SS_TEXT_SIZE];
  const size_t dot = name.find('.');
  const ss_attribute *row = ss_workload_attribute(name.substr(0, dot).c_str(), name.substr(dot + 1).c_str());
  EXPECT_NE(row, nullptr) << name;
  ss_workload_value_text(&w, static_cast<ss_attribute_index>(row - ss_workload_attributes()), value, sizeof value);
  return value;
}

/* A script, and attributes that it says, as NAME=VALUE. */
struct Script {
  const char *source;
  std::vector<std::string> files, says;
};

const char *const llama_8b =
    R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 128256})";

const std::vector<Script> scripts = {
    {"NVIDIA/Megatron-LM, examples/gpt3/train_gpt3_175b_distributed.sh",
     {"GPUS_PER_NODE=8\nNUM_NODES=1\nD=(\n --nproc_per_node $GPUS_PER_NODE\n --nnodes $NUM_NODES\n)\nM=(\n "
      "--num-layers 96\n"
      " --hidden-size 12288\n --num-attention-heads 96\n --seq-length 2048\n --max-position-embeddings 2048\n"
      " --attention-backend auto\n)\nT=(\n --micro-batch-size 1\n --global-batch-size 1536\n --rampup-batch-size 16 16 "
      "5859375\n)"},
     {"model.layers=96", "training.micro-batch=1", "training.global-batch=1536", "parallelism.dp=8"}},
    {"NVIDIA/Megatron-LM, examples/llama/train_llama3_8b_h100_fp8.sh",
     {"D=(\n --nproc_per_node 8\n --nnodes 1\n)\nM=(\n --num-layers 32\n --hidden-size 4096\n --ffn-hidden-size 14336\n"
      " --num-attention-heads 32\n --group-query-attention\n --num-query-groups 8\n --kv-channels 128\n --seq-length "
      "8192\n"
      " --attention-dropout 0.0\n --hidden-dropout 0.0\n --swiglu\n --untie-embeddings-and-output-weights\n)\nT=(\n"
      " --micro-batch-size 1\n --global-batch-size 128\n --bf16\n --grad-reduce-in-bf16\n "
      "--cross-entropy-loss-fusion\n "
      "--cross-entropy-fusion-impl te\n)\n"
      "F=(\n \"--fp8-format hybrid\"\n \"--fp8-param-gather\"\n)\nP=(\n --tensor-model-parallel-size 1\n"
      " --context-parallel-size 1\n --sequence-parallel\n --use-distributed-optimizer\n --overlap-grad-reduce\n"
      " --overlap-param-gather\n)\n V=(\n \"--vocab-size 128256\"\n)"},
     {"model.layers=32", "model.kv-heads=8", "training.precision=fp8", "training.gradients=16bit",
      "training.weights-type=operands", "training.cross-entropy=online", "parallelism.dp=8",
      "parallelism.sharding=optimizer", "schedule.overlap-dp=yes"}},
    {"NVIDIA/Megatron-LM, examples/mixtral/train_mixtral_8x7b_distributed.sh, on four nodes: experts of 8 ranks need 8 "
     "replicas or more",
     {"D=(\n --nproc_per_node 8\n --nnodes 4\n)\nM=(\n --seq-length 4096\n --num-layers 32\n --hidden-size 4096\n"
      " --ffn-hidden-size 14336\n --num-attention-heads 32\n --attention-dropout 0.0\n --hidden-dropout 0.0\n "
      "--swiglu\n"
      " --untie-embeddings-and-output-weights\n --group-query-attention\n --num-query-groups 8\n "
      "--no-masked-softmax-fusion\n)\n"
      "E=(\n --num-experts 8\n --moe-router-topk 2\n --moe-grouped-gemm\n --moe-token-dispatcher-type alltoall\n"
      " --overlap-param-gather\n --overlap-grad-reduce\n)\nT=(\n --micro-batch-size 1\n --global-batch-size 256\n "
      "--bf16\n)\n"
      "P=(\n --tensor-model-parallel-size 1\n --pipeline-model-parallel-size 4\n --expert-model-parallel-size 8\n"
      " --use-distributed-optimizer\n --sequence-parallel\n)"},
     {"parallelism.pp=4", "parallelism.ep=8", "parallelism.dp=8", "training.expert-kernels=each",
      "training.router=separate", "training.permutation=separate", "model.top-k=2", "model.expert-ffn=14336"}},
    {"NVIDIA/Megatron-LM, examples/post_training/modelopt/conf/deepseek-ai/DeepSeek-R1.sh, with its vocabulary",
     {"MODEL_ARGS=\" \\\n --disable-bias-linear \\\n --untie-embeddings-and-output-weights \\\n --swiglu \\\n "
      "--num-layers 61 \\\n"
      " --hidden-size 7168 \\\n --ffn-hidden-size 18432 \\\n --num-attention-heads 128 \\\n --kv-channels 128 \\\n"
      " --multi-latent-attention \\\n --kv-lora-rank 512 \\\n --v-head-dim 128 \\\n --q-lora-rank 1536 \\\n "
      "--qk-head-dim 128 \\\n"
      " --qk-layernorm \\\n --qk-pos-emb-head-dim 64 \\\n --num-experts 256 \\\n --moe-layer-freq [0]*3+[1]*58 \\\n"
      " --moe-ffn-hidden-size 2048 \\\n --moe-router-topk 8 \\\n --moe-shared-expert-intermediate-size 2048 \\\n"
      " --vocab-size 129280 --make-vocab-size-divisible-by 1280 --bf16 --seq-length 4096\""},
     {"model.q-rank=1536", "model.kv-rank=512", "model.rope-size=64", "model.head-size=128", "model.dense-layers=3",
      "model.shared-experts=1", "model.experts=256", "model.vocabulary=129280"}},
    {"the same with the indexer of tests/functional_tests/test_cases/gpt/gpt3_mcore_te_tp2_pp2_dsa/model_config.yaml, "
     "and with kernels of its own",
     {"--multi-latent-attention --kv-lora-rank 512 --v-head-dim 128 --q-lora-rank 1536 --qk-head-dim 128 "
      "--qk-pos-emb-head-dim 64 --num-layers 2 --hidden-size 7168 --num-attention-heads 128 --swiglu "
      "--disable-bias-linear --seq-length 4096 --vocab-size 129280 --experimental-attention-variant dsa "
      "--dsa-indexer-n-heads 64 --dsa-indexer-head-dim 128 --dsa-indexer-topk 2048 --dsa-indexer-loss-coeff 0.01 "
      "--dsa-indexer-use-sparse-loss --dsa-kernel-backend cudnn --bf16"},
     {"model.index-heads=64", "model.index-head-size=128", "model.index-top-k=2048", "training.index-loss=yes"}},
    {"the same, of whose layers some take what the one before has chosen",
     {"--multi-latent-attention --kv-lora-rank 512 --v-head-dim 128 --q-lora-rank 1536 --qk-head-dim 128 "
      "--qk-pos-emb-head-dim 64 --num-layers 7 --hidden-size 7168 --num-attention-heads 128 --swiglu "
      "--disable-bias-linear --seq-length 4096 --vocab-size 129280 --experimental-attention-variant dsa "
      "--dsa-indexer-n-heads 64 --dsa-indexer-head-dim 128 --dsa-indexer-topk 2048 --dsa-kernel-backend cudnn --bf16 "
      "--dsa-indexer-topk-freq 3 --dsa-indexer-skip-topk-offset 2 --num-experts 8 --moe-router-topk 2 "
      "--moe-ffn-hidden-size 2048 --moe-layer-freq \"([0]*1+[1]*6)\""},
     {"model.kinds=l index-heads=0; f; d feed-forward=mlp", "model.pattern=dfllfll", "model.dense-layers=0"}},
    {"NVIDIA/Megatron-LM dev, examples/moe_recipes/deepseek_v4_flash, of which the first layers, and none of experts",
     {"--multi-latent-attention --q-lora-rank 1024 --v-head-dim 512 --kv-channels 512 --qk-pos-emb-head-dim 64 "
      "--qk-layernorm --num-layers 5 --hidden-size 4096 --num-attention-heads 64 --swiglu --disable-bias-linear "
      "--ffn-hidden-size 2048 --seq-length 4096 --vocab-size 129280 --experimental-attention-variant dsv4_hybrid "
      "--csa-window-size 128 --csa-compress-ratios \"([0,0,4]+[128,4]*1+[0])\" --csa-compress-rotary-base 40000 "
      "--o-groups 8 --o-lora-rank 1024 --dsa-indexer-n-heads 64 --dsa-indexer-head-dim 128 --dsa-indexer-topk 512 "
      "--dsa-indexer-loss-coeff 1e-2 --dsa-indexer-use-sparse-loss --enable-hyper-connections "
      "--num-residual-streams 4 --mhc-sinkhorn-iterations 20 --use-fused-mhc --mtp-num-layers 1 --bf16"},
     {"model.mixer=compressed",
      "model.kinds=w compress=0 index-heads=0 index-top-k=0; c; h compress=128 "
      "index-heads=0 index-top-k=0",
      "model.pattern=wwchc", "model.mtp-kind=w", "model.head-size=512", "model.kv-rank=0", "model.kv-heads=1",
      "model.qk-norm=no", "model.output-groups=8", "model.residual-streams=4", "training.stream-kernels=fused",
      "training.index-loss=yes"}},
    {"NVIDIA/Megatron-LM, examples/post_training/modelopt/conf/nvidia/NVIDIA-Nemotron-Nano-9B-v2.sh",
     {"--untie-embeddings-and-output-weights --squared-relu --hidden-size 4480 --ffn-hidden-size 15680 "
      "--num-attention-heads 40 --kv-channels 128 --group-query-attention --num-query-groups 8 "
      "--hybrid-layer-pattern M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M- --mamba-head-dim 80 "
      "--mamba-num-heads 128 --mamba-num-groups 8 --mamba-state-dim 128 --seq-length 4096 --padded-vocab-size 131072"},
     {"model.layers=56", "model.state-heads=128", "model.state-head-size=80", "model.mlp=relu2", "model.kv-heads=8",
      "parameters=8.888e9"}},
    {"NVIDIA/Megatron-LM, examples/post_training/modelopt/conf/nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16.sh, with "
     "the defaults of Mamba and the vocabulary of its tokenizer",
     {"--micro-batch-size 1 --use-fused-weighted-squared-relu --num-experts 512 --moe-router-score-function sigmoid "
      "--moe-grouped-gemm --moe-aux-loss-coeff 1e-4 --moe-router-topk 22 --moe-permute-fusion "
      "--moe-router-topk-scaling-factor 5.0 --moe-router-dtype fp32 --moe-shared-expert-intermediate-size 5376 "
      "--moe-token-dispatcher-type alltoall --moe-latent-size 1024 --is-hybrid-model --mamba-num-heads 128 "
      "--mamba-head-dim 64 --hybrid-layer-pattern "
      "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME "
      "--untie-embeddings-and-output-weights --disable-bias-linear --squared-relu --hidden-size 4096 "
      "--num-attention-heads 32 --group-query-attention --num-query-groups 2 --ffn-hidden-size 2688 --kv-channels 128 "
      "--normalization RMSNorm --bf16 --seq-length 8192 --padded-vocab-size 131072"},
     {"model.layers=88", "model.expert-latent=1024", "model.shared-experts=2", "model.top-k=22",
      "training.expert-kernels=each", "training.router=separate", "training.permutation=fused",
      "parameters=1.2067e11"}},
    {"NVIDIA/Megatron-LM, examples/post_training/modelopt/conf/openai/gpt-oss-20b.sh, of swiglu as --enable-gpt-oss "
     "has it",
     {"--untie-embeddings-and-output-weights --num-layers 24 --hidden-size 2880 --ffn-hidden-size 2880 "
      "--num-attention-heads 64 "
      "--group-query-attention --num-query-groups 8 --kv-channels 64 --num-experts 32 --moe-ffn-hidden-size 2880 "
      "--moe-router-topk 4 --padded-vocab-size 201088 --quick-geglu --softmax-type learnable --window-attn-skip-freq 2 "
      "--window-size 127,0 --sequence-parallel --bf16"},
     {"model.window=0", "model.kinds=w window=128; f", "model.pattern=wf", "model.mlp=swiglu", "parameters=2.0908e10"}},
    {"yanring/Megatron-MoE-ModelZoo, model_configs/benchmarking/Qwen3-30B-A3B.yaml, with values for its variables",
     {"MODEL_ARGS:\n  --tensor-model-parallel-size: 1\n  --pipeline-model-parallel-size: 2\n  "
      "--expert-model-parallel-size: 8\n"
      "  --expert-tensor-parallel-size: 1\n  --use-distributed-optimizer: true\n  --overlap-grad-reduce: true\n"
      "  --sequence-parallel: true\n  --use-flash-attn: true\n  --micro-batch-size: 1\n  --global-batch-size: 512\n"
      "  --untie-embeddings-and-output-weights: true\n  --swiglu: true\n  --num-layers: 48\n  --hidden-size: 2048\n"
      "  --ffn-hidden-size: 6144\n  --num-attention-heads: 32\n  --group-query-attention: true\n  --num-query-groups: "
      "4\n"
      "  --kv-channels: 128\n  --qk-layernorm: true\n  --seq-length: 4096\n  --make-vocab-size-divisible-by: 1187\n"
      "  --vocab-size: 151936\n  --attention-dropout: 0.0\n  --hidden-dropout: 0.0\n  --num-experts: 128\n"
      "  --moe-ffn-hidden-size: 768\n  --moe-router-topk: 8\n  --moe-router-pre-softmax: false\n  --moe-grouped-gemm: "
      "true\n"
      "  --moe-token-dispatcher-type: alltoall\n  --moe-aux-loss-coeff: 1e-3\n  --bf16: true\n"},
     {"model.experts=128", "model.qk-norm=yes", "training.dropout=no", "parallelism.ep=8", "parallelism.etp=1",
      "model.vocabulary=151936", "training.expert-kernels=each", "parameters=3.0532e10"}},
    {"experts whose tokens Hybrid-EP copies, one after the other; the routing is fused",
     {"--num-layers 48 --hidden-size 2048 --ffn-hidden-size 6144 --num-attention-heads 32 --seq-length 4096 "
      "--padded-vocab-size 151936 --num-experts 128 --moe-ffn-hidden-size 768 --moe-router-topk 8 --moe-router-fusion "
      "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend hybridep --swiglu --bf16"},
     {"training.expert-kernels=sequential", "training.router=fused", "training.permutation=fused",
      "schedule.dispatch=once"}},
    {"switches of kernels around experts that a file says over another one, which has the experts",
     {"--num-layers 48 --hidden-size 2048 --ffn-hidden-size 6144 --num-attention-heads 32 --seq-length 4096 "
      "--padded-vocab-size 151936 --num-experts 128 --moe-ffn-hidden-size 768 --moe-router-topk 8 --swiglu --bf16",
      "model:\n  moe_grouped_gemm: true\n  moe_permute_fusion: true\n  moe_router_fusion: false\n"},
     {"training.expert-kernels=each", "training.router=separate", "training.permutation=fused"}},
    {"AMD-AGI/Primus, examples/megatron/configs/MI300X/llama3.1_70B-BF16-pretrain.yaml, over the model of its file",
     {R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 128256})",
      "work_group: ${PRIMUS_TEAM:amd}\nexp_name: ${PRIMUS_EXP_NAME:llama3_70B-pretrain}\nmodules:\n  pre_trainer:\n"
      "    framework: megatron\n    config: pre_trainer.yaml\n    model: llama3.1_70B.yaml\n    overrides:\n"
      "      train_iters: 50\n      micro_batch_size: 3\n      global_batch_size: 24\n      seq_length: 8192\n"
      "      lr_decay_iters: null\n      tensor_model_parallel_size: 1\n      pipeline_model_parallel_size: 1\n"
      "      expert_model_parallel_size: 1\n      overlap_grad_reduce: true\n      mock_data: true\n      save: "
      "null\n"},
     {"training.micro-batch=3", "training.global-batch=24", "model.layers=80", "schedule.overlap-dp=yes",
      "parameters=7.0554e10"}},
    {"AMD-AGI/Primus, examples/torchtitan/configs/MI355X/llama3.1_405B-FP8-pretrain.yaml with its model",
     {"modules:\n  pre_trainer:\n    framework: torchtitan\n    overrides:\n      model:\n        name: llama3\n"
      "        flavor: 405B\n      training:\n        local_batch_size: 3\n        global_batch_size: 192\n        "
      "seq_len: 8192\n"
      "        mock_data: true\n      parallelism:\n        tensor_parallel_degree: 1\n      activation_checkpoint:\n"
      "        mode: selective\n"},
     {"model.layers=126", "training.micro-batch=3", "training.global-batch=192", "parallelism.sharding=parameters",
      "training.recompute=full", "training.recompute-layers=63", "training.recompute-early-stop=yes",
      "training.projections=separate", "parallelism.fsdp=per-parameter", "parallelism.tp-redo=no"}},
    {"pytorch/torchtitan at 01424cb, torchtitan/models/llama3/train_configs/llama3_405b.toml, whose replicas are all "
     "GPUs",
     {"[model]\nname = \"llama3\"\nflavor = \"405B\"\nconverters = \"float8\"\n\n[optimizer]\nname = \"AdamW\"\nlr = "
      "8e-5\n\n"
      "[training]\nbatch_size = 2\nseq_len = 8192\nmax_norm = 1.0  # grad norm clipping\ncompile = "
      "true\n\n[parallelism]\n"
      "data_parallel_replicate_degree = 1\ndata_parallel_shard_degree = -1\ntensor_parallel_degree = 8  # 8-way TP\n"
      "enable_async_tensor_parallel = true\npipeline_parallel_degree = 1\ncontext_parallel_degree = 1\n\n"
      "[activation_checkpoint]\nmode = 'full' # ['none', 'selective', 'full']\n\n[float8]\n"
      "enable_fsdp_float8_all_gather = true\n"},
     {"model.layers=126", "model.sequence=8192", "training.micro-batch=2", "training.precision=fp8-current",
      "training.recompute=full", "parallelism.tp=8", "parallelism.sharding=parameters",
      "schedule.overlap-tp=symmetric-memory", "parameters=4.0585e11"}},
    {"scales of rows (recipe_name of torchtitan/config/job_config.py at v0.2.0)",
     {"[model]\nname = \"llama3\"\nflavor = \"8B\"\nconverters = [\"quantize.linear.float8\"]\n\n[training]\n"
      "local_batch_size = 1\nseq_len = 8192\n\n[quantize.linear.float8]\nrecipe_name = \"rowwise\"\n\n[optimizer]\n"
      "implementation = \"for-loop\"\n"},
     {"training.precision=fp8-rows", "training.optimizer-step=tensors", "parameters=8.0303e9"}},
    {"pytorch/torchtitan at v0.2.0, torchtitan/models/deepseek_v3/train_configs/deepseek_v3_16b.toml, whose schedule "
     "has no stages",
     {"[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n\n[training]\nlocal_batch_size = 4\nseq_len = "
      "4096\n\n[parallelism]\n"
      "data_parallel_replicate_degree = 1\ndata_parallel_shard_degree = -1\nfsdp_reshard_after_forward = \"default\" # "
      "default / never / always\n"
      "tensor_parallel_degree = 1\nenable_async_tensor_parallel = false\npipeline_parallel_degree = 1\n"
      "pipeline_parallel_schedule = \"Interleaved1F1B\"\nexpert_parallel_degree = 8\nexpert_tensor_parallel_degree = "
      "1\n\n"
      "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = 'op'\n\n[compile]\nenable=true\n"
      "components = [\"loss\"]\n\n[quantize.grouped_mm.float8]\nfqns = [\"experts\"]\n"},
     {"schedule.pipeline=1f1b", "parallelism.interleave=1", "parallelism.ep=8", "training.micro-batch=4",
      "training.recompute=per-op", "parameters=1.5706e10"}},
    {"pytorch/torchtitan in December 2024, train_configs/llama3_8b.toml",
     {"[model]\nname = \"llama3\"\nflavor = \"8B\"\nnorm_type = \"rmsnorm\"\n\n[training]\nbatch_size = 1\nseq_len = "
      "8192\n"
      "warmup_steps = 200\nmax_norm = 1.0\nsteps = 1000\ndata_parallel_replicate_degree = 1\n"
      "data_parallel_shard_degree = -1\ntensor_parallel_degree = 2\ncompile = false\ndataset = \"c4\"\n\n"
      "[experimental]\ncontext_parallel_degree = 4\npipeline_parallel_degree = 2\npipeline_parallel_schedule = "
      "\"interleaved_1f1b\"\n\n"
      "[activation_checkpoint]\nmode = 'selective'\n\n[float8]\nenable_float8_linear = true\n\n[optimizer]\n"
      "fused = false\n"},
     {"parallelism.tp=2", "parallelism.cp=4", "parallelism.cp-sums=fp32", "parallelism.pp=2",
      "schedule.pipeline=interleaved", "training.optimizer-step=foreach", "training.precision=fp8-current",
      "parallelism.sharding=gradients", "training.micro-batch=1", "parameters=8.0303e9"}},
    {"pytorch/torchtitan in April 2024, train_configs/llama2_70b.toml",
     {"[model]\nname = \"llama2\"\nflavor = \"70B\"\n\n[training]\nbatch_size = 8\nseq_len = 4096\n"
      "data_parallel_degree = 32\nsequence_parallel_degree = 8\npipeline_parallel_degree = 1\nfp8_linear = \"\"\n"
      "checkpoint_interval = 500\ncheckpoint_interval_type = \"steps\"\nmixed_precision_reduce = \"bfloat16\"\n"},
     {"parallelism.tp=8", "parallelism.dp=32", "parallelism.sharding=parameters", "training.gradients=16bit",
      "parameters=6.8977e10"}},
    {"pytorch/torchtitan in June 2024, train_configs/llama3_8b.toml",
     {"[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nbatch_size = 1\nseq_len = 8192\ndata_parallel_degree "
      "= 16\n"
      "tensor_parallel_degree = 4\npipeline_parallel_degree = 1\nfp8_linear = \"\"\n"},
     {"parallelism.tp=4", "parallelism.dp=16", "parallelism.sharding=parameters", "training.precision=bf16"}},
    {"pytorch/torchtitan at v0.2.0, torchtitan/models/llama4/__init__.py; parameters are those of Scout",
     {"[model]\nname = \"llama4\"\nflavor = \"17bx16e_irope\"\n\n[training]\nseq_len = 8192\n"},
     {"model.pattern=feee", "model.experts=16", "parameters=1.0777e11"}},
    {"the same; parameters are those of Maverick",
     {"[model]\nname = \"llama4\"\nflavor = \"17bx128e\"\n\n[training]\nseq_len = 8192\n"},
     {"model.pattern=de", "model.kinds=d feed-forward=mlp; e", "parameters=4.0071e11"}},
    {"mosaicml/llm-foundry, scripts/train/yamls/pretrain/mpt-7b.yaml",
     {"variables:\n  max_seq_len: 2048\n  run_name:\nmax_seq_len: ${variables.max_seq_len}\nmodel:\n  name: "
      "mpt_causal_lm\n"
      "  init_device: meta\n  d_model: 4096\n  n_heads: 32\n  n_layers: 32\n  expansion_ratio: 4\n"
      "  max_seq_len: ${variables.max_seq_len}\n  vocab_size: 50368\n  attn_config:\n    attn_impl: flash\ntokenizer:\n"
      "  name: EleutherAI/gpt-neox-20b\nglobal_train_batch_size: 1024\ndevice_train_microbatch_size: auto\n"
      "optimizer:\n  name: decoupled_adamw\n  lr: 1.2e-4\n"
      "precision: amp_bf16\nfsdp_config:\n  sharding_strategy: FULL_SHARD\n  mixed_precision: PURE\n"
      "  activation_checkpointing: false\n  activation_checkpointing_reentrant: false\n  activation_cpu_offload: "
      "false\n"
      "  limit_all_gathers: true\n"},
     {"model.hidden=4096", "model.ffn=16384", "model.sequence=2048", "training.global-batch=1024",
      "parallelism.sharding=parameters", "training.gradients=16bit", "model.tied-embeddings=yes",
      "parallelism.fsdp=flat", "training.optimizer-step=tensors", "training.loss-metrics=2",
      "training.recompute-early-stop=yes", "parameters=6.6500e9"}},
    {"NVIDIA/NeMo, examples/nlp/language_modeling/conf/megatron_gpt_config.yaml, with settings on its command line",
     {"trainer:\n  devices: 1\n  num_nodes: 1\n  precision: bf16\nmodel:\n  micro_batch_size: 4\n  global_batch_size: "
      "8\n"
      "  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 1\n  virtual_pipeline_model_parallel_size: "
      "null\n"
      "  encoder_seq_length: 512\n  max_position_embeddings: ${.encoder_seq_length}\n  num_layers: 12\n  hidden_size: "
      "768\n"
      "  ffn_hidden_size: 3072\n  num_attention_heads: 12\n  hidden_dropout: 0.1\n  attention_dropout: 0.1\n"
      "  activation: 'gelu'\n  share_embeddings_and_output_weights: True\n  gradient_accumulation_fusion: False\n"
      "  activations_checkpoint_granularity: null\n  sequence_parallel: False\n  fp8: False\n  ub_tp_comm_overlap: "
      "False\n"
      "  optim:\n    name: fused_adam\n    lr: 2e-4\n",
      "python pretrain.py trainer.num_nodes=16 trainer.devices=8 model.tensor_model_parallel_size=4 "
      "model.sequence_parallel=True ++model.optim.name=distributed_fused_adam model.global_batch_size=256"},
     {"model.layers=12", "training.gradient-accumulation=separate", "training.dropout=yes", "parallelism.tp=4",
      "parallelism.dp=32", "parallelism.sharding=optimizer", "parallelism.sequence-parallel=yes"}},
    {"fields of GPTModelProvider and ConfigContainer, NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge, as a dump has "
     "them",
     {"_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n  _target_: "
      "megatron.bridge.models.GPTModelProvider\n"
      "  num_layers: 32\n  hidden_size: 4096\n  ffn_hidden_size: 14336\n  num_attention_heads: 32\n  num_query_groups: "
      "8\n"
      "  kv_channels: 128\n  seq_length: 8192\n  vocab_size: 128256\n  gated_linear_unit: true\n"
      "  activation_func:\n    _target_: torch.nn.functional.silu\n    _call_: false\n"
      "  share_embeddings_and_output_weights: false\n  num_moe_experts: null\n  moe_router_topk: 2\n  "
      "moe_grouped_gemm: false\n"
      "  tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 4\n  virtual_pipeline_model_parallel_size: 4\n"
      "  sequence_parallel: true\n  overlap_p2p_comm: true\n  fp8: null\n  fp8_recipe: delayed\n  hidden_dropout: 0.0\n"
      "  attention_dropout: 0.0\n  cuda_graph_impl: none\n  recompute_granularity: null\n  "
      "num_layers_at_start_in_bf16: 1\n"
      "  microbatch_group_size_per_vp_stage: 4\n  cpu_offloading: false\n  cpu_offloading_num_layers: 0\n"
      "train:\n  micro_batch_size: 1\n  global_batch_size: 128\nddp:\n  grad_reduce_in_fp32: true\n"
      "  use_distributed_optimizer: true\n  overlap_grad_reduce: true\noptimizer:\n  optimizer: adam\n  lr: 0.0003\n"
      "  use_precision_aware_optimizer: false\n  exp_avg_dtype:\n    _target_: torch.float32\n    _call_: false\n"
      "mixed_precision: bf16_mixed\nlogger:\n  log_interval: 10\n"},
     {"parallelism.interleave=4", "schedule.pipeline=interleaved", "schedule.overlap-pp=yes", "training.gradients=fp32",
      "training.precision=bf16", "training.host=eager", "training.bf16-first-layers=0", "training.optimizer=adam",
      "parameters=8.0303e9"}},
    {"llm.llama31_8b.pretrain_recipe of NVIDIA/NeMo, nemo/collections/llm/recipes/llama31_8b.py, as YAML of NeMo-Run",
     {"_target_: nemo.collections.llm.api.pretrain\ndata:\n  _target_: "
      "nemo.collections.llm.gpt.data.mock.MockDataModule\n"
      "  global_batch_size: 512\n  micro_batch_size: 1\n  seq_length: 8192\nmodel:\n  _target_: "
      "nemo.collections.llm.gpt.model.llama.LlamaModel\n  config:\n    _target_: "
      "nemo.collections.llm.gpt.model.llama.Llama31Config8B\ntrainer:\n  devices: 8\n  num_nodes: 2\n  strategy:\n"
      "    _target_: nemo.lightning.MegatronStrategy\n    tensor_model_parallel_size: 2\n    sequence_parallel: "
      "true\n"},
     {"model.name=Llama31-8B", "model.layers=32", "model.sequence=8192", "model.tied-embeddings=no", "parallelism.tp=2",
      "parallelism.dp=8", "parameters=8.0303e9"}},
    {"the same of a model that no table has",
     {"model:\n  config:\n    _target_: nemo.x.HyenaConfig7B\n  tensor_model_parallel_size: 2\n"},
     {"refused: 3: model.config._target_=nemo.x.HyenaConfig7B: is a class that has the sizes of the model, and which "
      "is "
      "not known; allowed: a config.json ahead of this file"}},
    {"microsoft/DeepSpeed, docs/_pages/config-json.md, over a model",
     {llama_8b,
      R"({"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "overlap_comm": true, "contiguous_gradients": true, "reduce_bucket_size": 5e8, "offload_optimizer": {"device": "cpu", "pin_memory": true, "ratio": 0.4}}, "gradient_clipping": 1.0})"},
     {"parallelism.dp=32", "parallelism.sharding=parameters", "training.offload-optimizer=yes",
      "training.offload-step=host", "training.offload-fraction=0.4", "training.micro-batch=4",
      "schedule.overlap-dp=yes", "parallelism.shards=16bit", "model.layers=32"}},
};

double parameters_of(ss_workload w)
{
  w.parallelism = make_workload().parallelism;
  w.schedule = make_workload().schedule;
  w.training = make_workload().training;
  const ss_machine machine = machine_of(1, 1);
  ss_job job;
  ss_error error = {};
  ss_job_options options = {};
  options.cost = SS_COST_CALIBRATED;
  EXPECT_EQ(ss_job_init(&job, &w, &machine, options, &error), SS_OK) << error.message;
  const double parameters =
      ss_job_stage_parameters(&job, 0, SS_WEIGHTS_DENSE) + ss_job_stage_parameters(&job, 0, SS_WEIGHTS_EXPERT);
  ss_job_free(&job);
  return parameters;
}

} // namespace

TEST(Frameworks, ScriptsSayTheirStrategy)
{
  for (const Script &script : scripts) {
    ss_workload w;
    const std::string said = import_files(script.files, &w);
    for (const std::string &says : script.says) {
      const size_t equals = says.find('=');
      const std::string name = says.substr(0, equals), value = says.substr(equals + 1);
      if (says.rfind("refused: ", 0) == 0) {
        EXPECT_EQ("refused: " + said, says) << script.source;
        continue;
      }
      ASSERT_EQ(said, "accepted") << script.source;
      if (name == "parameters")
        EXPECT_NEAR(parameters_of(w) / std::stod(value), 1.0, 1e-3) << script.source;
      else
        EXPECT_EQ(value_text(w, name), value) << script.source << ": " << name;
    }
  }
}

/* Classes have the parameters of the models that they are called after: HF pages, arXiv 2402.16819, 2406.11704. */
TEST(Frameworks, ClassesHaveTheirParameters)
{
  const std::vector<std::pair<std::string, double>> cases = {{"GPTConfig175B", 174.5e9},
                                                             {"Llama2Config7B", 6738415616},
                                                             {"Llama2Config13B", 13015864320},
                                                             {"Llama2Config70B", 68976648192},
                                                             {"Llama3Config70B", 70553706496},
                                                             {"Llama31Config405B", 405853388800},
                                                             {"Llama32Config1B", 1235814400},
                                                             {"Llama32Config3B", 3212749824},
                                                             {"MixtralConfig8x7B", 46702792704},
                                                             {"MixtralConfig8x22B", 140620634112},
                                                             {"Nemotron3Config4B", 4190000000},
                                                             {"Nemotron4Config15B", 15.65e9},
                                                             {"Nemotron4Config340B", 341e9},
                                                             {"Qwen25Config7B", 7615616512},
                                                             {"Qwen25Config14B", 14770033664},
                                                             {"Qwen25Config32B", 32763876352},
                                                             {"Qwen25Config72B", 72706203648},
                                                             {"Qwen3ModelProvider32B", 32762123264},
                                                             {"Qwen3Config1P7B", 1720574976},
                                                             {"Qwen3MoEModelProvider30B_A3B", 30532122624},
                                                             {"Qwen3Config235B_A22B", 235093634560}};
  for (const auto &[name, parameters] : cases) {
    ss_workload w;
    const std::string text = "model:\n  _target_: a.b." + name + "\n  tensor_model_parallel_size: 1\n";
    ASSERT_EQ(import_files({text}, &w), "accepted") << name;
    EXPECT_NEAR(parameters_of(w) / parameters, 1.0, 2e-3) << name;
  }
}

/* What is not understood is listed, all at once, with the line of the first. */
TEST(Frameworks, ListWhatTheyDoNotKnow)
{
  ss_workload w;
  EXPECT_EQ(
      import_files({"model:\n  num_layers: 2\n  new_mixer: 3\n  newer: x\n  off: null\n"}, &w),
      "3: not known of Megatron-LM, and may matter: model.new_mixer, model.newer; allowed: the file without those that "
      "have no influence on time");
  EXPECT_EQ(import_files({"[training]\nseq_len = 8\n[new]\na = 1\n"}, &w).substr(0, 50),
            "4: not known of TorchTitan, and may matter: new.a;");
  EXPECT_EQ(import_files({R"({"train_batch_size": 8, "new": {"a": 1}})"}, &w).substr(0, 49),
            "1: not known of DeepSpeed, and may matter: new.a;");
  EXPECT_EQ(import_files({"[model]\nname = \"llama3\"\nflavor = \"9B\"\n"}, &w),
            "3: \"9B\": is no flavor whose sizes are known; allowed: a config.json ahead of this file");
}

/* Sequences of whole documents have the tokens of a sequence; -1 says that there are none. Their documents are in the
 * data, which is noted. */
TEST(Frameworks, PackedSequences)
{
  const std::string model = "model:\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 128\n";
  const auto dataset = [](const std::string &specs, const std::string &tokens) {
    return "dataset:\n  " + specs + ":\n    packed_sequence_size: " + tokens + "\n    pad_seq_to_mult: 4\n";
  };
  ss_workload w;
  for (const std::string specs : {"packed_sequence_specs", "offline_packing_specs"}) {
    EXPECT_EQ(import_files({model + dataset(specs, "2048")}, &w), "accepted");
    EXPECT_EQ(w.model.sequence, 2048);
    EXPECT_EQ(import_files({model + "  seq_length: 4096\n" + dataset(specs, "4096")}, &w), "accepted");
    EXPECT_EQ(import_files({model + "  seq_length: 4096\n" + dataset(specs, "-1")}, &w), "accepted");
    EXPECT_EQ(w.model.sequence, 4096);
    EXPECT_EQ(import_files({model + "  seq_length: 4096\n" + dataset(specs, "2048")}, &w),
              "9: packed_sequence_size=2048: differs from the tokens of a sequence, 4096; allowed: the same");
  }
}

/* Ranks with scales of their own, in fp8 with scales from earlier iterations; else it says nothing. */
TEST(Frameworks, ScalesOfEachRank)
{
  const std::string model = "model:\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 128\n";
  ss_workload w;
  EXPECT_EQ(import_files({model + "  fp8: hybrid\n  reduce_amax: False\n"}, &w), "accepted");
  EXPECT_EQ(w.training.amax_reduction, SS_AMAX_NONE);
  EXPECT_EQ(import_files({model + "  fp8: hybrid\n  reduce_amax: False\n  tp_only_amax_red: True\n"}, &w), "accepted");
  EXPECT_EQ(w.training.amax_reduction, SS_AMAX_NONE);
  EXPECT_EQ(import_files({model + "  fp8: hybrid\n  reduce_amax: True\n"}, &w), "accepted");
  EXPECT_EQ(w.training.amax_reduction, SS_AMAX_ALL);
  EXPECT_EQ(import_files({model + "  fp8: null\n  reduce_amax: False\n"}, &w), "accepted");
  EXPECT_EQ(w.training.amax_reduction, SS_AMAX_ALL);
}

/* Attention and the output layer in 8 bits; of recipes in which there is no such attention, and without one, the first
 * says nothing. */
TEST(Frameworks, AttentionAndOutputIn8Bits)
{
  const std::string model = "model:\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 128\n";
  const std::string attention = "  fp8_dot_product_attention: True\n";
  const auto attention_of = [&](const std::string &recipe) {
    ss_workload w;
    EXPECT_EQ(import_files({model + recipe + attention}, &w), "accepted");
    EXPECT_EQ(w.training.output_type, SS_AS_16BIT);
    return w.training.attention_type;
  };
  EXPECT_EQ(attention_of("  fp8: hybrid\n"), SS_AS_OPERANDS);
  EXPECT_EQ(attention_of("  fp8: e4m3\n  fp8_recipe: mxfp8\n"), SS_AS_OPERANDS);
  EXPECT_EQ(attention_of("  fp8: e4m3\n  fp8_recipe: blockwise\n"), SS_AS_16BIT);
  EXPECT_EQ(attention_of("  fp8: null\n"), SS_AS_16BIT);
  ss_workload w;
  EXPECT_EQ(import_files({model + "  fp8: e4m3\n  fp8_recipe: mxfp8\n  fp8_output_proj: True\n"}, &w), "accepted");
  EXPECT_EQ(w.training.output_type, SS_AS_OPERANDS);
  EXPECT_EQ(w.training.attention_type, SS_AS_16BIT);
}

/* Every row of what a framework cannot run names the file that has it, or says that it is not written. */
TEST(Frameworks, RefusalsNameTheirSource)
{
  int rows = 0;
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) {
    const std::string name = ss_refusals()[i].name, problem = ss_refusals()[i].problem;
    if (name.rfind("core_", 0) != 0 && name.rfind("titan_", 0) != 0) continue;
    const bool sourced = problem.find(".py") != std::string::npos || problem.find(".md") != std::string::npos ||
                         problem.find("(torchtitan/") != std::string::npos ||
                         problem.find("(examples/") != std::string::npos;
    EXPECT_TRUE(sourced || problem.find("written") != std::string::npos ||
                problem.find("fields of nemo") != std::string::npos || name == "core_timed")
        << name;
    ++rows;
  }
  EXPECT_EQ(rows, 95);
}
