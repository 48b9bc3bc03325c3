/* Imported arguments of Megatron-LM: those that its examples have, in the ways in which these write them. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

std::string import_script(const std::string &text, ss_workload *workload, std::string *notes = nullptr)
{
  const std::string path = write("job.sh", text);
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  const ss_status status = ss_import_read(&import, path.c_str(), &error);
  for (int64_t i = 0; notes != nullptr && i < import.count; ++i)
    if (import.note[i].kind < SS_NOTE_KINDS)
      *notes += std::to_string(import.note[i].kind) + " " + import.note[i].text + "\n";
  ss_import_free(&import);
  return printed(status, error, path);
}

std::string notes_of(const std::string &text)
{
  ss_workload workload;
  std::string notes;
  EXPECT_EQ(import_script(text, &workload, &notes), "accepted");
  return notes;
}

std::string refusal_of(const std::string &text)
{
  ss_workload workload;
  return import_script(text, &workload);
}

} // namespace

/* Sizes, batch and strategy of examples/gpt3/train_gpt3_175b_distributed.sh: arrays, comments behind values. */
TEST(Arguments, OfGpt3)
{
  ss_workload w;
  EXPECT_EQ(import_script("MODEL=(\n --num-layers 96 \n --hidden-size 12288\n --num-attention-heads 96 # heads\n"
                          " --seq-length 2048 --attention-backend auto)\nTRAIN=(\n --micro-batch-size 1\n"
                          " --global-batch-size 1536 --fp16 --lr 6.0e-5 --lr-decay-style cosine\n)\n"
                          "PARALLEL=(\n\t--tensor-model-parallel-size 8\n\t--pipeline-model-parallel-size 16\n)\n"
                          "torchrun pretrain_gpt.py ${MODEL[@]} ${TRAIN[@]} \\\n  ${PARALLEL[@]} --vocab-size 50257\n",
                          &w),
            "accepted");
  EXPECT_EQ(w.model.layers, 96);
  EXPECT_EQ(w.model.hidden, 12288);
  EXPECT_EQ(w.model.heads, 96);
  EXPECT_EQ(w.model.sequence, 2048);
  EXPECT_EQ(w.model.vocabulary, 50257); /* an import pads it when tp is known for good */
  EXPECT_EQ(w.model.mlp, SS_MLP_GELU);
  EXPECT_EQ(w.model.tied_embeddings, SS_YES);
  EXPECT_EQ(w.training.global_batch, 1536);
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP16);
  EXPECT_EQ(w.training.dropout, SS_YES); /* 0.1 is the default */
  EXPECT_EQ(w.parallelism.tp, 8);
  EXPECT_EQ(w.parallelism.pp, 16);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_NONE);
  EXPECT_STREQ(w.model.name, "job");
}

/* Of examples/llama/train_llama3_8b_h100_fp8.sh: variables, conditions, arguments in quotes. */
TEST(Arguments, OfLlama3)
{
  ss_workload w;
  EXPECT_EQ(
      import_script("EMPTY=\"\"\nD=\"fp8\"\nGPUS=8\nNODES=${NODES:-2}\nTP_SIZE=2     \nNUM_LAYERS=\"32\"\nSEQ=8192\n"
                    "A=(--nproc_per_node $GPUS --nnodes $NODES)\n"
                    "M=(--num-layers $NUM_LAYERS --hidden-size 4096 --ffn-hidden-size 14336\n"
                    "--num-attention-heads 32 --group-query-attention --num-query-groups 8 --kv-channels 128\n"
                    "--seq-length ${SEQ} --attention-dropout 0.0 --hidden-dropout 0.0 --swiglu\n"
                    "--untie-embeddings-and-output-weights --bf16)\n"
                    "if [[ \"$D\" == \"fp8\" ]]; then\n M+=(\n \"--fp8-format hybrid\"\n)\nfi\n"
                    "P=(--tensor-model-parallel-size $TP_SIZE\n # --pipeline-model-parallel-size 9 # no\n"
                    "--sequence-parallel --use-distributed-optimizer --overlap-grad-reduce)\n"
                    "if x; then V=(\"--vocab-size 128256\"); else V=(\"--vocab-size 128256\"); fi\n",
                    &w),
      "accepted");
  EXPECT_EQ(w.model.layers, 32);
  EXPECT_EQ(w.model.kv_heads, 8);
  EXPECT_EQ(w.model.mlp, SS_MLP_SWIGLU);
  EXPECT_EQ(w.model.sequence, 8192);
  EXPECT_EQ(w.model.vocabulary, 128256);
  EXPECT_EQ(w.model.tied_embeddings, SS_NO);
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP8);
  EXPECT_EQ(w.training.dropout, SS_NO);
  EXPECT_EQ(w.parallelism.tp, 2);
  EXPECT_EQ(w.parallelism.pp, 1);
  EXPECT_EQ(w.parallelism.dp, 8); /* 2 nodes of 8 GPUs, in twos */
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_YES);
  EXPECT_EQ(w.schedule.overlap_dp, SS_YES);
}

/* Of other recipes nobody agrees on scales: then the flag says nothing. */
TEST(Arguments, ScalesOfTensorRanks)
{
  const std::string model = "--num-layers=48 --make-vocab-size-divisible-by 1 --vocab-size 99 --tp-only-amax-red ";
  ss_workload w;
  EXPECT_EQ(import_script((model + "--fp8-format hybrid").c_str(), &w), "accepted");
  EXPECT_EQ(w.training.amax_reduction, SS_AMAX_TENSOR);
  EXPECT_EQ(import_script((model + "--fp8-format e4m3 --fp8-recipe mxfp8").c_str(), &w), "accepted");
  EXPECT_EQ(w.training.amax_reduction, SS_AMAX_ALL);
}

TEST(Arguments, OfExpertsAndChunks)
{
  ss_workload w;
  EXPECT_EQ(import_script("--num-layers=48 --num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 768 "
                          "--moe-shared-expert-intermediate-size 1536 --pipeline-model-parallel-size 4 "
                          "--num-layers-per-virtual-pipeline-stage 3 --expert-model-parallel-size 8 "
                          "--fp8-format e4m3 --fp8-recipe blockwise --make-vocab-size-divisible-by 1 --vocab-size 99",
                          &w),
            "accepted");
  EXPECT_EQ(w.model.layers, 48);
  EXPECT_EQ(w.model.experts, 128);
  EXPECT_EQ(w.model.top_k, 8);
  EXPECT_EQ(w.model.shared_experts, 2);
  EXPECT_EQ(w.model.vocabulary, 99);
  EXPECT_EQ(w.parallelism.interleave, 4); /* 48 layers on 4 stages, in chunks of 3 */
  EXPECT_EQ(w.schedule.pipeline, SS_PIPELINE_INTERLEAVED);
  EXPECT_EQ(w.parallelism.ep, 8);
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP8_BLOCK);
  EXPECT_EQ(w.schedule.overlap_pp, SS_YES); /* it is beside compute with chunks, unless it is turned off */
}

/* Positions are learned where a model like GPT says nothing (arguments.py); words say otherwise. */
TEST(Arguments, OfPositionsAndBiases)
{
  ss_workload w;
  const std::string gpt = "--num-layers 2 --vocab-size 51200 --seq-length 64 --max-position-embeddings 128 ";
  ASSERT_EQ(import_script(gpt, &w), "accepted");
  EXPECT_EQ(w.model.positions, 128);
  EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_AUTO);
  EXPECT_EQ(w.model.biases, SS_MODEL_BIASES_AUTO);
  for (const std::string rope : {"--position-embedding-type rope", "--use-rotary-position-embeddings"}) {
    ASSERT_EQ(import_script(gpt + rope + " --disable-bias-linear", &w), "accepted");
    EXPECT_EQ(w.model.positions, 0);
    EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_YES);
    EXPECT_EQ(w.model.biases, SS_MODEL_BIASES_NO);
    ASSERT_EQ(import_script(gpt + rope + " --swiglu --disable-bias-linear", &w), "accepted");
    EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_AUTO);
    EXPECT_EQ(w.model.biases, SS_MODEL_BIASES_AUTO); /* has none in any case */
  }
  ASSERT_EQ(import_script(gpt + "--no-position-embedding", &w), "accepted");
  EXPECT_EQ(w.model.positions, 0);
  ASSERT_EQ(import_script(gpt + "--swiglu --position-embedding-type none", &w), "accepted");
  EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_NO);
  ASSERT_EQ(import_script(gpt + "--swiglu --position-embedding-type learned_absolute", &w), "accepted");
  EXPECT_EQ(w.model.positions, 128);
  EXPECT_EQ(w.model.rotary, SS_MODEL_ROTARY_NO);
}

/* What several arguments say together, in quotes and in arrays. */
TEST(Arguments, OfLayersAndGroups)
{
  ss_workload w;
  EXPECT_EQ(import_script("--num-layers 6 --num-experts 4 --moe-layer-freq '([0]*1+[1]*5)'", &w), "accepted");
  EXPECT_EQ(w.model.dense_layers, 1);
  EXPECT_EQ(import_script("--num-layers 6 --num-experts 4 --moe-layer-freq 2", &w), "accepted");
  EXPECT_STREQ(w.model.pattern, "ed");
  EXPECT_STREQ(w.model.kinds, "e; d feed-forward=mlp");
  EXPECT_EQ(import_script("--num-layers 6 --num-experts 4 --moe-layer-freq \"([1]*2+[0])*2\"", &w), "accepted");
  EXPECT_STREQ(w.model.pattern, "eed");
  EXPECT_EQ(import_script("--num-layers 6 --window-size 127,0 --window-attn-skip-freq 2", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "w window=128; f");
  EXPECT_STREQ(w.model.pattern, "wf");
  EXPECT_EQ(import_script("--num-layers 6 --window-size 127,0 --window-attn-skip-freq [1,1,0]*2", &w), "accepted");
  EXPECT_STREQ(w.model.kinds, "w window=128; f");
  EXPECT_STREQ(w.model.pattern, "wwf");
  EXPECT_EQ(import_script("--num-layers 6 --window-size 127,0 --window-attn-skip-freq 7", &w), "accepted");
  EXPECT_EQ(w.model.window, 128);
  EXPECT_STREQ(w.model.pattern, "");
  EXPECT_EQ(import_script("--hybrid-layer-pattern M-M* --mamba-num-heads 8 --hidden-size 64", &w), "accepted");
  EXPECT_EQ(w.model.layers, 4);
  EXPECT_EQ(w.model.state_heads, 8);
  EXPECT_STREQ(w.model.pattern, "M-M*");
  EXPECT_EQ(import_script("A=(--recompute-granularity selective --recompute-modules moe_act mlp\n)\ntorchrun x.py "
                          "--pipeline-model-parallel-layout \"Et|(tt|)*2,L\" --cp-comm-type a2a+p2p "
                          "--hierarchical-context-parallel-sizes 2 4 --context-parallel-size 8",
                          &w),
            "accepted");
  EXPECT_EQ(w.training.recompute_modules, SS_WORD_BIT(SS_RECOMPUTE_MOE_ACT) | SS_WORD_BIT(SS_RECOMPUTE_MLP));
  EXPECT_STREQ(w.parallelism.layout, "Et|(tt|)*2,L");
  EXPECT_EQ(w.parallelism.cp_inner, 2);
  EXPECT_EQ(
      import_script("--nnodes 4 --nproc_per_node 8 --tensor-model-parallel-size 2 --use-distributed-optimizer "
                    "--num-distributed-optimizer-instances 4 --use-megatron-fsdp --data-parallel-sharding-strategy "
                    "optim_grads_params",
                    &w),
      "accepted");
  EXPECT_EQ(w.parallelism.dp, 16);
  EXPECT_EQ(w.parallelism.shard_size, 4);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
}

/* Of branches those that a run without arguments takes. */
TEST(Arguments, OfBranches)
{
  ss_workload w;
  EXPECT_EQ(import_script("M=8b; if [ $M = 8b ]; then L=32; H=4096; elif [ $M = 70b ]; then L=80; H=8192; fi\n"
                          "--num-layers $L --hidden-size $H",
                          &w),
            "accepted");
  EXPECT_EQ(w.model.layers, 32);
  EXPECT_EQ(w.model.hidden, 4096);
  EXPECT_EQ(import_script("S=7B; case $S in 7B) L=32;; 13B) L=40;; esac; --num-layers $L", &w), "accepted");
  EXPECT_EQ(w.model.layers, 32);
  const std::string choice = "if [ \"$F\" = 1 ]; then A+=(--fp8-format hybrid)\nelse A+=(--sequence-parallel); fi\n"
                             "--num-layers 4 --tensor-model-parallel-size 2";
  EXPECT_EQ(import_script("F=0\n" + choice, &w), "accepted");
  EXPECT_EQ(w.training.precision, SS_PRECISION_BF16);
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_YES);
  EXPECT_EQ(import_script("F=1\n" + choice, &w), "accepted");
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP8);
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_NO);
  const std::string refused = "is in one branch of line 2, and not in another, which only a run decides";
  EXPECT_EQ(refusal_of("F=$(f)\n" + choice).substr(0, 25 + refused.size()), "PATH:2: fp8-format: " + refused + "; all");
  EXPECT_EQ(import_script("--num-layers 4\nif [ -f x ]; then --bf16; fi", &w), "accepted");
  EXPECT_EQ(import_script(": <<EOF\n--sequence-parallel\nEOF\necho \"--fp16\"; --num-layers 4", &w), "accepted");
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_NO);
  EXPECT_EQ(w.training.precision, SS_PRECISION_BF16);
}

/* What of a script is not read is said: files that it sources, what is behind its end, and how often names were come by
 * that have no room among 1024 letters: of 300 names of 6 letters and the end of their line, 146 have. */
TEST(Arguments, SayWhatIsNotRead)
{
  const auto note = [](int kind, const std::string &what) { return std::to_string(kind) + " " + what + "\n"; };
  const std::string around = notes_of("--num-layers 4\n");
  EXPECT_EQ(
      notes_of("--num-layers 4\nsource \"$(dirname $0)/a.sh\"; [ -f b ] && . ./b.sh -x\ntest a = b && . c\n. ./b.sh\n"
               "exit 0\n--num-layers 8\n"),
      note(SS_NOTE_SOURCED, "$(dirname $0)/a.sh") + note(SS_NOTE_SOURCED, "./b.sh") +
          note(SS_NOTE_UNREAD, "what is behind exit in line 5") + around);
  EXPECT_EQ(notes_of("--num-layers 4\nexit 0 # done\n\n# more\n"), around);
  std::string asks = "--num-layers 4\n";
  for (int i = 100; i < 400; ++i) asks += "if [ $ASK" + std::to_string(i) + " ]; then x; fi\n";
  const std::string notes = notes_of(asks);
  const std::string end = note(SS_NOTE_UNSET, "ASK245") + note(SS_NOTE_UNSET, "and others, 154 times") + around;
  EXPECT_EQ(notes.find(note(SS_NOTE_UNSET, "ASK100")), 0u);
  EXPECT_EQ(notes.substr(notes.size() - end.size()), end);
  std::string values = "--num-layers 4\n";
  for (int i = 0; i < 257; ++i) values += "A" + std::to_string(i) + "=1\n";
  EXPECT_EQ(refusal_of(values), "PATH: gives more than 256 variables values; allowed: so many");
  std::string unknown = "--num-layers 4\n"; /* 170 names of 7 letters, with a comma and a blank, have room */
  for (int i = 100; i < 300; ++i) unknown += "--new-" + std::to_string(i) + " 1\n";
  EXPECT_NE(refusal_of(unknown).find("new-268, new-269 and 30 more; allowed: the file"), std::string::npos);
}

/* What only a run knows and may be further arguments: what commands print, variables with such a value, and those
 * without one, but not the values of arguments, nor members of arrays that were read. */
TEST(Arguments, SayWhatMayBeArguments)
{
  const auto open = [](const std::string &what) { return std::to_string(SS_NOTE_OPEN) + " " + what + "\n"; };
  const std::string model = "--num-layers 4 ";
  const auto said = [&model](const std::string &script) {
    std::string open_notes;
    const std::string kind = std::to_string(SS_NOTE_OPEN) + " ", notes = notes_of(script);
    for (size_t at = 0, end; (end = notes.find('\n', at)) != std::string::npos; at = end + 1)
      if (notes.compare(at, kind.size(), kind) == 0) open_notes += notes.substr(at, end + 1 - at);
    return open_notes;
  };
  EXPECT_EQ(said("torchrun x.py " + model + "$(more a b) `more`"), open("$(more a b)") + open("`more`"));
  EXPECT_EQ(said("A=$(more)\ntorchrun x.py " + model + "--bf16 $A"), open("$A"));
  EXPECT_EQ(said("ARGS=\"" + model + "$(more)\"; torchrun x.py $ARGS ${MORE}"), open("$(more)") + open("${MORE}"));
  EXPECT_EQ(said("ARGS=(" + model +
                 "--save $(pwd) --load $DIR)\nB=\nEMPTY=\"\"\n"
                 "python $(which torchrun) x.py ${ARGS[@]} $B $EMPTY \"$@\" $1 --seed $((1 + $N))"),
            "");
  EXPECT_EQ(said("kill $(jobs -p)\nsrun -l x.py " + model), "");
}

/* 16 nodes of 8 GPUs, in twos. */
TEST(Arguments, OfLaunchers)
{
  const std::string program = " pretrain_gpt.py --num-layers 4 --tensor-model-parallel-size 2 --bf16";
  ss_workload w;
  for (const std::string launch :
       {"#SBATCH --nodes=16 # all\n#SBATCH --gpus-per-node=h100:8\nsrun -l --container-image a --output=b sh -c "
        "'python -u",
        "#SBATCH -N 16\n#SBATCH --gres=gpu:8\nS=\"srun --mpi=pmix\"\nS=\"$S --container-mounts=a:b\"\n$S bash -c "
        "\"python",
        "#SBATCH --exclusive\nC=\"torchrun\"\nC=\"$C --nproc_per_node=8 --nnodes=16\"\n$C",
        "srun -N16 --gpus-per-node 8 numactl --cpunodebind=0 python", "deepspeed --num_gpus 8 --num_nodes=16",
        "nsys profile --sample=none --trace=cuda -o out torchrun --nproc-per-node 8 --nnodes 16",
        "uv run --no-sync python -m torch.distributed.run --nproc-per-node 8 --nnodes=16",
        "#SBATCH --nodes=16\n#SBATCH --gpus-per-node=8\ntorchrun --nproc_per_node=$SLURM_GPUS_PER_NODE "
        "--nnodes=$SLURM_NNODES",
        "python tools/convert_checkpoint.py --tp 8 --loader x\ntorchrun --nproc-per-node 8 --nnodes 16"}) {
    EXPECT_EQ(import_script(launch + program, &w), "accepted") << launch;
    EXPECT_EQ(w.parallelism.dp, 64) << launch;
    EXPECT_EQ(w.training.precision, SS_PRECISION_BF16) << launch;
  }
  EXPECT_EQ(refusal_of("torchrun --nproc-per-node 8 tools/run_text_generation_server.py --num-layers 4 --max-tokens 1"),
            "PATH:1: generate.num-layers=4: generates tokens; allowed: files of training");
  EXPECT_EQ(import_script("torchrun --standalone --nproc-per-node 8" + program + " --use-tp-pp-dp-mapping", &w),
            "accepted");
  EXPECT_EQ(w.parallelism.dp, 4);
  EXPECT_STREQ(w.placement.order, "tp,cp,pp,dp");
}

/* What Megatron-LM had before, and Megatron-DeepSpeed has. */
TEST(Arguments, OfEarlierVersions)
{
  ss_workload w;
  EXPECT_EQ(import_script("--num-layers 4 --DDP-impl torch --checkpoint-activations --zero-stage 1 --deepspeed", &w),
            "accepted");
  EXPECT_EQ(w.schedule.overlap_dp, SS_YES);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_NE(refusal_of("torchrun x.py model.a=[a]b] --num-layers 3"), "accepted"); /* a text, which ends */
  EXPECT_EQ(import_script("x.py model.recompute_modules=[moe_act,mlp] train.micro_batch_size=\"4\"", &w), "accepted");
  EXPECT_EQ(w.training.recompute_modules, SS_WORD_BIT(SS_RECOMPUTE_MOE_ACT) | SS_WORD_BIT(SS_RECOMPUTE_MLP));
  EXPECT_EQ(w.training.micro_batch, 4);
}

/* Nodes that only a run knows, and those that are no multiple of a replica, are noted. */
TEST(Arguments, OfNodesThatOnlyARunKnows)
{
  const std::string model = " x.py --num-layers 4 ", unread = std::to_string(SS_NOTE_UNREAD) + " ";
  for (const std::string nodes : {"$NODES", "1:4", "many"})
    EXPECT_NE(notes_of("torchrun --nproc-per-node 8 --nnodes " + nodes + model).find(unread + "nnodes=" + nodes + "\n"),
              std::string::npos);
  EXPECT_NE(notes_of("torchrun --nproc-per-node 8 --nnodes 1" + model + "--tensor-model-parallel-size 3")
                .find(unread + "8 GPUs of its nodes, which are no multiple of 3 of a replica\n"),
            std::string::npos);
}

/* Which layers have experts is not known before there are layers. */
TEST(Arguments, OfLayersThatAreNotThere)
{
  ss_workload w;
  EXPECT_EQ(import_script("--num-experts 4 --moe-layer-freq 2", &w), "accepted");
  EXPECT_EQ(w.line[SS_AT_model_dense_layers], SS_LINE_DEFAULT);
}

TEST(Arguments, RefusesWhatItCannotTake)
{
  const std::vector<Case> cases = {
      {"echo no arguments\n", "PATH: has no settings that are known; allowed: a config.json, arguments of Megatron-LM"},
      {"\n--num-layers $LAYERS", "PATH:2: num-layers=$LAYERS: is not a whole number from 1 to 100000"},
      {"--num-layers $((LAYERS * 2))", "PATH:1: num-layers=$((LAYERS * 2)): is not a whole number from 1 to 100000"},
      {"srun ./train --num-layers", "PATH:1: num-layers=true: is not a whole number"},
      {"srun train --num-layers 1",
       "PATH: has no settings that are known; allowed: a config.json, arguments of Megatron-LM, YAML"},
      {"srun train --num-layers 1\ntorchrun x.py --hidden-size 2",
       "PATH:1: not known of Megatron-LM, and may matter: srun.num-layers; allowed"},
      {"--mode lora --num-layers 1", "PATH:1: mode=lora: is unknown; allowed: pretrain sft"},
      {"--encoder-num-layers 3 --num-layers 1", "PATH:1: encoder-num-layers=3: has an encoder and a decoder; allowed:"},
      {"--num-layers -3", "PATH:1: num-layers=-3: is not a whole number from 1 to 100000"},
      {"--num-layers 99999999999999999999", "PATH:1: num-layers=1e+20: is not a whole number"},
      {"--num-layers", "PATH:1: num-layers=true: is not a whole number"},
      {"--num-layers 2\n--num-layers 4", "PATH:2: num-layers=4: was 2 in line 1; allowed: one value"},
      {"--fp8-recipe new", "PATH:1: fp8-recipe=new: is unknown; allowed: delayed tensorwise blockwise mxfp8"},
      {"--hybrid-layer-pattern MX", "PATH:1: \"MX\": has other letters; allowed: M, *, -, E and G, one for each "},
      {"--num-layers 4 --window-size 7,0 --window-attn-skip-freq [1,0]",
       "PATH:1: \"[1,0]\": is no number above 0, and no list of 0 and 1 for all layers; allowed: such as 2 or "
       "[1,0]*12"},
      {"--num-layers 4 --window-size 7,0 --window-attn-skip-freq 0",
       "PATH:1: \"0\": is no number above 0, and no list"},
      {"--moe-layer-freq [1]*3 --num-layers 4 --num-experts 2",
       "PATH:1: \"[1]*3\": is no number, and no list of 0 and 1"},
      {"--spec a b", "PATH:1: \"a b\": has layers of its own; allowed: the file without it"},
      {"--new-mixer 3\n--old --off 0 --num-layers 1",
       "PATH:1: not known of Megatron-LM, and may matter: new-mixer, old; allowed: the file without those"},
      {"${", "PATH: has no settings"},
      {"A=${B:-\"", "PATH: has no settings"},
      {std::string(5000, '-'), "PATH: has no settings"},
  };
  for (const Case &c : cases) {
    const std::string said = refusal_of(c.input);
    EXPECT_EQ(said.substr(0, c.expected.size()), c.expected);
  }
}

namespace
{

const std::string experts = "--num-layers 4 --hidden-size 64 --num-attention-heads 4 --num-experts 4 "
                            "--moe-grouped-gemm ";

/* Of a script with experts, and what follows once all files are read. */
auto training_of(const std::string &more)
{
  ss_workload w;
  ss_import import;
  ss_error error = {};
  const std::string path = write("job.sh", experts + more);
  ss_import_init(&import, &w);
  EXPECT_EQ(ss_import_read(&import, path.c_str(), &error), SS_OK) << error.message;
  EXPECT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
  ss_import_free(&import);
  return w.training;
}

} // namespace

/* validate_args of megatron/training/arguments.py: bf16 sums up in fp32 unless main_grads_dtype is another type, and
 * asserts that it is not where --accumulate-allreduce-grads-in-fp32 is there. */
TEST(Arguments, OfMainGradients)
{
  EXPECT_EQ(training_of("--bf16 --use-precision-aware-optimizer --main-grads-dtype bf16").gradients,
            SS_GRADIENTS_16BIT);
  EXPECT_EQ(training_of("--bf16 --use-precision-aware-optimizer --main-grads-dtype fp32").gradients, SS_GRADIENTS_AUTO);
  EXPECT_EQ(
      refusal_of("--num-layers 4 --bf16 --accumulate-allreduce-grads-in-fp32 --main-grads-dtype bf16"),
      "PATH:1: main-grads-dtype=1: is bf16, but gradients are accumulated in fp32; allowed: fp32, or the file without "
      "--accumulate-allreduce-grads-in-fp32");
}

/* __post_init__ of TransformerConfig: recompute_modules is core_attn where nobody says it, to which moe_layer_recompute
 * adds moe. Attention that is not fused is computed again without a module. */
TEST(Arguments, OfModulesThatAreComputedAgain)
{
  const ss_word_set core = SS_WORD_BIT(SS_RECOMPUTE_CORE_ATTN), moe = SS_WORD_BIT(SS_RECOMPUTE_MOE),
                    act = SS_WORD_BIT(SS_RECOMPUTE_MOE_ACT);
  const std::string selective = "--recompute-granularity selective ";
  EXPECT_EQ(training_of(selective).recompute_modules, core);
  EXPECT_EQ(training_of(selective + "--attention-backend unfused").recompute_modules, 0);
  EXPECT_EQ(training_of(selective + "--recompute-modules moe_act").recompute_modules, act);
  EXPECT_EQ(training_of("--moe-layer-recompute").recompute, SS_RECOMPUTE_SELECTIVE);
  EXPECT_EQ(training_of("--moe-layer-recompute").recompute_modules, core | moe);
  EXPECT_EQ(training_of(selective + "--recompute-modules moe_act --moe-layer-recompute").recompute_modules, act | moe);
  EXPECT_EQ(
      training_of("--recompute-granularity full --recompute-method block --recompute-num-layers 1").recompute_modules,
      0);
  EXPECT_EQ(
      refusal_of(experts + "--recompute-granularity full --moe-layer-recompute"),
      "PATH:1: moe-layer-recompute=1: is for selective recomputation, and granularity is full; allowed: one of both");
}

/* RouterGatingLinearFunction of megatron/core/transformer/moe/moe_utils.py; a model without experts has no router. */
TEST(Arguments, OfTypesOfRouters)
{
  EXPECT_EQ(training_of("--moe-router-dtype fp32").router_type, SS_ROUTER_FP32);
  EXPECT_EQ(training_of("--moe-router-dtype fp64").router_type, SS_ROUTER_FP32);
  EXPECT_EQ(training_of("").router_type, SS_ROUTER_16BIT);
  ss_workload w;
  EXPECT_EQ(import_script("--num-layers 4 --moe-router-dtype fp32", &w), "accepted");
  EXPECT_EQ(w.training.router_type, SS_ROUTER_16BIT);
}

/* What older or rarer arguments make of an attribute: GroupedMLP adds gradients up apart, layers without Transformer
 * Engine have no flash attention, and without remainders the optimizer keeps weights. */
TEST(Arguments, OfKernelsAndStates)
{
  EXPECT_EQ(training_of("--moe-use-legacy-grouped-gemm").gradient_accumulation, SS_ACCUMULATION_SEPARATE_EXPERTS);
  EXPECT_EQ(training_of("--moe-use-legacy-grouped-gemm --no-gradient-accumulation-fusion").gradient_accumulation,
            SS_ACCUMULATION_SEPARATE);
  EXPECT_EQ(training_of("--transformer-impl local").attention, SS_ATTENTION_UNFUSED);
  EXPECT_EQ(training_of("--transformer-impl local --use-flash-attn").attention, SS_ATTENTION_FLASH);
  EXPECT_EQ(training_of("--transformer-impl transformer_engine").attention, SS_ATTENTION_FLASH);
  const std::string aware = "--use-precision-aware-optimizer ";
  EXPECT_EQ(training_of(aware).master_weights, SS_MASTER_16BIT);
  EXPECT_EQ(training_of(aware + "--store-param-remainders false").master_weights, SS_MASTER_FP32);
  EXPECT_EQ(refusal_of("--num-layers 4 --moe-extended-tp"),
            "PATH:1: moe-extended-tp=true: splits an expert over tensor- and expert-parallel ranks; allowed: the file "
            "without it, "
            "and --expert-tensor-parallel-size");
  const std::string scaled = "--fp8-format e4m3 --fp8-recipe mxfp8 --moe-dispatch-fwd-dtype mxfp8 ";
  EXPECT_EQ(training_of(scaled + "--moe-combine-bwd-dtype mxfp8").dispatch_type, SS_DISPATCH_FP8);
  EXPECT_EQ(refusal_of(experts + scaled),
            "PATH:1: moe-dispatch-fwd-dtype=1: is in 8 bits, and the other direction in 16 bits; allowed: "
            "moe-dispatch-fwd-dtype and moe-combine-bwd-dtype alike");
}
