/* What a setting of a framework means, read and written by one row. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_SETTING_ROW_H
#define STEPSIM_SIM_IMPORT_DIALECTS_SETTING_ROW_H

#include <stdbool.h>

#include "model/input/workload.h"

/* The most of numbers that are kept, so that products of them are in range: of counts, and of sizes and batches. */
enum { SS_SETTING_MOST = 1000000, SS_SETTING_LARGEST = 100000000 };

/* What is done with a setting. */
typedef enum ss_setting_use {
  SS_SETTING_COUNT, /* its value is the attribute */
  SS_SETTING_TEXT,  /* the same, a text */
  SS_SETTING_PARTS, /* a list of what a part of the model has, which the attribute, a layout, gets behind others */
  SS_SETTING_SET,   /* the same, a list of words, of which that of the text stands for those of `number`, if any */
  SS_SETTING_FLAG,  /* the attribute gets `number`, or `otherwise` where the value is false */
  SS_SETTING_WORD,  /* the attribute gets `number` where the value is the text; else another row says */
  SS_SETTING_REAL,  /* its number, of `number` to `otherwise`, is kept for what follows from several settings */
  SS_SETTING_WHOLE, /* the same, a whole number */
  SS_SETTING_RANKS, /* the same, of nodes or their GPUs; a text that only a run makes a number of is noted */
  SS_SETTING_PICK,  /* `number` is kept where the value is the text, or, without one, where it is not false; else 0 */
  SS_SETTING_KEEP,  /* its text is kept */
  SS_SETTING_IDLE,  /* has no influence on time; where there is a text, a command that runs has it for a value;
                        where `number` is 1, that of the attribute */
  SS_SETTING_LEFT_OUT, /* the text has little influence, and is left out */
  SS_SETTING_MATTERS,  /* the text changes the time, and is left out */
  SS_SETTING_RECIPE,   /* names a program that sets a model and a strategy */
  SS_SETTING_REFUSED   /* unless it is off; the text says why */
} ss_setting_use;

/* What several settings make attributes of: numbers, and texts. */
typedef enum ss_sheet_value {
  SS_VALUE_NOTHING, /* of a word that is as good as none */
  SS_VALUE_NODES,
  SS_VALUE_GPUS_OF_NODE,
  SS_VALUE_TASKS_OF_NODE, /* processes that a scheduler starts on a node */
  SS_VALUE_PROCESSES,     /* of all nodes, one for each GPU */
  SS_VALUE_VOCABULARY_MULTIPLE,
  SS_VALUE_Q_RANK,
  SS_VALUE_KV_RANK,
  SS_VALUE_ROPE_SIZE,
  SS_VALUE_LATENT, /* 1: the attention is */
  SS_VALUE_LATENT_HEAD,
  SS_VALUE_VALUE_HEAD,
  SS_VALUE_SPARSE, /* 1: an indexer chooses the tokens that attention looks at; 2: of compressed tokens */
  SS_VALUE_INDEX_HEADS,
  SS_VALUE_INDEX_HEAD_SIZE,
  SS_VALUE_INDEX_TOP_K,
  SS_VALUE_INDEX_EVERY,       /* of so many layers one has an indexer */
  SS_VALUE_INDEX_FIRST,       /* and all up to this one */
  SS_VALUE_INDEX_LOSS,        /* what its loss is multiplied by */
  SS_VALUE_INDEX_LOSS_CHOSEN, /* 1: the loss is over chosen tokens */
  SS_VALUE_SPARSE_KERNELS,    /* 1: kernels of their own compute all that */
  SS_VALUE_STREAMED,          /* 1: there are residual streams */
  SS_VALUE_STREAMS,
  SS_VALUE_STREAMS_FUSED, /* 1: with kernels of their own */
  SS_VALUE_STATE_HEADS,
  SS_VALUE_STATE_HEAD_SIZE,
  SS_VALUE_STATE_SIZE,
  SS_VALUE_STATE_GROUPS,
  SS_VALUE_STATE_EXPANSION, /* heads times their size, over the hidden size */
  SS_VALUE_HYBRID_STACK,    /* 1: layers are of kinds that a share of attention lays out */
  SS_VALUE_ATTENTION_SHARE, /* of layers */
  SS_VALUE_MLP_SHARE,
  SS_VALUE_SHORT_CONVOLUTION, /* tokens that one spans */
  SS_VALUE_LINEAR,            /* 1: layers attend by a gated delta rule, but some */
  SS_VALUE_LINEAR_HEADS,
  SS_VALUE_LINEAR_HEAD_SIZE,
  SS_VALUE_LINEAR_KEY_HEADS,
  SS_VALUE_LINEAR_KEY_SIZE,
  SS_VALUE_LINEAR_CONVOLUTION,
  SS_VALUE_WINDOW,
  SS_VALUE_TOP_K,
  SS_VALUE_EXPERT_FFN,
  SS_VALUE_SHARED_FFN,
  SS_VALUE_GROUPED,      /* 1: a module has all experts */
  SS_VALUE_FUSED,        /* 1: one kernel has their products, and activates, in MXFP8 */
  SS_VALUE_ROUTER,       /* 1: one kernel chooses experts */
  SS_VALUE_ROUTER_FP32,  /* 1: it is chosen by logits in fp32 */
  SS_VALUE_LEGACY,       /* 1: that module is the one ahead of Transformer Engine's */
  SS_VALUE_PERMUTED,     /* 1: kernels of Transformer Engine copy tokens in the order of experts */
  SS_VALUE_DISPATCHED_8, /* 1: tokens go to experts in MXFP8, and the gradients of their results back */
  SS_VALUE_COMBINED_8,
  SS_VALUE_HYBRID,      /* 1: Hybrid-EP dispatches */
  SS_VALUE_LOSS_FUSED,  /* 1: kernels of the loss are */
  SS_VALUE_LOSS_ONLINE, /* 1: by those of Transformer Engine */
  SS_VALUE_CAPACITY,    /* of an expert, over the mean */
  SS_VALUE_ROUTER_PADS, /* 1: to what products in 8 bits need, where tokens are routed */
  SS_VALUE_PADDED,      /* 1: to it */
  SS_VALUE_PAIRED,
  SS_VALUE_DELAYED,
  SS_VALUE_DROPOUT, /* the largest of them */
  SS_VALUE_ADAPTER_DROPOUT,
  SS_VALUE_ADAPTERS, /* 1: only adapters are trained, 2: beside weights in 4 bits; 0: all weights */
  SS_VALUE_ADAPTER_RANK,
  SS_VALUE_ULYSSES,    /* ranks of DeepSpeed that split sequences by all-to-alls */
  SS_VALUE_ADAPTS_ALL, /* 1: all products have one, whatever else is said */
  SS_VALUE_QUANTISED,  /* 1: weights that are not trained have 4 or 8 bits */
  SS_VALUE_PACKS,      /* 1: sequences are full of samples, or filled up */
  SS_VALUE_PRETRAINS,  /* 1: it is no fine-tuning */
  SS_VALUE_BASE,       /* 1: bf16, 2: fp16 */
  SS_VALUE_BF16,       /* 1: weights and activations are; 0: they are not */
  SS_VALUE_FP16,
  SS_VALUE_AUTOCAST,    /* 1: operations cast weights in fp32 */
  SS_VALUE_BF16_MASTER, /* 1: weights of the optimizer have 16 bits, too, with bf16, and with fp16 */
  SS_VALUE_FP16_MASTER,
  SS_VALUE_BF16_MOMENTS,  /* 1: and its moments */
  SS_VALUE_MAIN_16,       /* 1: gradients that the optimizer takes have 16 bits */
  SS_VALUE_WHOLE_STATES,  /* 0: it has no remainders of weights, but weights */
  SS_VALUE_REDUCED_WHOLE, /* 1: gradients are reduced in fp32; 0: in 16 bits */
  SS_VALUE_SUMMED_WHOLE,  /* the same of their sums over micro-batches */
  SS_VALUE_WEIGHTS_16,    /* 1: weights are kept in 16 bits only; 0: in fp32 */
  SS_VALUE_MOMENT_16,     /* the same of the first moment, and of gradients behind their sums */
  SS_VALUE_GRADIENTS_16,
  SS_VALUE_FP8,           /* 1: hybrid, 2: e4m3 */
  SS_VALUE_RECIPE,        /* 1: delayed, 2: current, 3: blocks, of TorchTitan rows, 4: mxfp8 */
  SS_VALUE_WGRAD16,       /* 1: products for gradients of weights have 16 bits all the same */
  SS_VALUE_WGRAD8,        /* 0: the same */
  SS_VALUE_TENSOR_SCALES, /* 1: tensor- and context-parallel ranks agree on scales by themselves */
  SS_VALUE_SHARED_SCALES, /* 0: each rank has scales of its own */
  SS_VALUE_ATTENTION_8,   /* 1: fused attention takes 8 bits, in recipes that it does so in */
  SS_VALUE_FP4,
  SS_VALUE_GATHERED_8, /* 1: weights are kept and gathered in 8 bits */
  SS_VALUE_GATHERED_4, /* 1: in 4 bits */
  SS_VALUE_HALVES,     /* 1: first and last layers stay in 16 bits */
  SS_VALUE_FIRST_HALVES,
  SS_VALUE_LAST_HALVES,
  SS_VALUE_PRECISE_MODULES,  /* 1: modules that predict a token further stay in 16 bits */
  SS_VALUE_QUANT_RECIPE,     /* 1: a file says which products have how many bits */
  SS_VALUE_MUON_MODE,        /* 1: blockwise, 2: duplicated, 3: distributed */
  SS_VALUE_LEAN_STATES,      /* 1: the optimizer keeps remainders of weights in place of weights */
  SS_VALUE_RECOMPUTED,       /* layers */
  SS_VALUE_RECOMPUTES_MOE,   /* 1: layers of experts, whatever else is */
  SS_VALUE_BUDGET_MODE,      /* 1: a compiler decides what is, within memory of a share */
  SS_VALUE_BUDGET,           /* the share */
  SS_VALUE_STOPS_EARLY,      /* 0: what runs again runs to its end */
  SS_VALUE_COMPILED,         /* 1: torch.compile is on */
  SS_VALUE_SELECTIVE,        /* 1: not all of a model is computed again */
  SS_VALUE_OFFLOADS,         /* 1: activations of whole layers go to the host */
  SS_VALUE_OFFLOADED,        /* layers */
  SS_VALUE_HOST_STEPS,       /* 1: what is there of the states */
  SS_VALUE_HOST_OVERLAPS,    /* 1: gradients and weights come and go beside that */
  SS_VALUE_STATES_MOVE,      /* 1: the GPU steps, and states are on the host in between */
  SS_VALUE_OFFLOADED_SHARE,  /* of the states */
  SS_VALUE_OFFLOADS_WEIGHTS, /* 1: and their weights */
  SS_VALUE_LAYERS_OF_CHUNK,
  SS_VALUE_ENDS_COUNT,            /* 1: the embedding and the output count as a layer each, where stages are cut */
  SS_VALUE_GRAPHS,                /* of CUDA. 1: none, 2: of parts of layers, 3: of the iteration */
  SS_VALUE_GRAPHS_LAYERS,         /* 1: of parts of layers, as releases say it that have no impl */
  SS_VALUE_GRAPHS_WHOLE,          /* 1: of whole layers, 2: of the iteration */
  SS_VALUE_EXPOSED_SENDS,         /* 1: sends of stages are not beside compute */
  SS_VALUE_HIDDEN_SENDS,          /* 1: they are */
  SS_VALUE_RING_BEHIND_ATTENTION, /* 1: user buffers reduce in a ring what attention writes, 0: in a pipeline */
  SS_VALUE_RING_BEHIND_MLP,       /* the same of what the MLP writes */
  SS_VALUE_BATCHED_SENDS,         /* 1: calls of sends are put together, which comm_overlap says */
  SS_VALUE_GROUP,                 /* micro-batches in a row, of a chunk */
  SS_VALUE_DISTRIBUTED,           /* 1: the optimizer is */
  SS_VALUE_GATHERS,               /* 1: and its weights are gathered beside compute */
  SS_VALUE_FSDP,                  /* 1: Megatron's, 2: PyTorch's */
  SS_VALUE_STRATEGY,              /* of FSDP. 1: none, 2: optimizer, 3: and gradients, 4: and parameters */
  SS_VALUE_STAGES_INSIDE,         /* 1: replicas of a stage are further apart than stages */
  SS_VALUE_REPLICATE,             /* replicas of what is sharded */
  SS_VALUE_OUTER,                 /* 1: they share the optimizer's states */
  SS_VALUE_SHARD,                 /* ranks that share it; -1: all that are left */
  SS_VALUE_RESHARD,               /* 1: as PyTorch finds best, 2: always, 3: never */
  SS_VALUE_PACKED,                /* tokens of a sequence that whole documents are packed into */
  SS_VALUE_GLOBAL_BATCH,
  SS_VALUE_LOCAL_BATCH, /* sequences of a replica in one go */
  SS_VALUE_PIPELINE_BATCH,
  SS_VALUE_PIPELINE_BATCHES, /* micro-batches of a replica in one go */
  SS_VALUE_TOKENS,           /* of a micro-batch */
  SS_VALUE_GLOBAL_TOKENS,    /* of all replicas in an iteration */
  SS_VALUE_ACCUMULATION,     /* of so many of them gradients are added up */
  SS_VALUE_LAYERS_OF_STAGE,
  SS_VALUE_FIRST_STAGE_LESS, /* layers that its embedding counts as */
  SS_VALUE_LAST_STAGE_LESS,  /* the same of the output layer */
  SS_VALUE_ICI_DATA,         /* sizes of axes of MaxText: inside of a slice or node, and across; 0: what is left */
  SS_VALUE_ICI_FSDP,
  SS_VALUE_ICI_FSDP_TRANSPOSE,
  SS_VALUE_ICI_TENSOR,
  SS_VALUE_ICI_SEQUENCE, /* of tensors, too */
  SS_VALUE_ICI_EXPERT,
  SS_VALUE_ICI_CONTEXT,
  SS_VALUE_DCN_DATA,
  SS_VALUE_DCN_FSDP,
  SS_VALUE_DCN_FSDP_TRANSPOSE,
  SS_VALUE_DCN_TENSOR,
  SS_VALUE_DCN_EXPERT,
  SS_VALUE_DCN_CONTEXT,
  SS_VALUE_ICI_STAGES,
  SS_VALUE_DCN_STAGES,
  SS_VALUE_OTHER_AXIS, /* the largest of those that are not taken */
  SS_VALUE_EXPERTS,    /* 1: none */
  SS_VALUE_SPARSE_MOE, /* 0: products of experts are of dense tensors */
  SS_VALUE_DROPS,      /* 0: dropout is off, whatever its rate is */
  SS_VALUE_IOTA,       /* 1: the embedding is a product */
  SS_VALUE_SCALE,      /* of the parameters of a model, a power of two */
  SS_VALUE_ROUTER_GROUPS,
  SS_VALUE_GROUP_TOP_K,
  SS_VALUE_ATTENTION_POST_NORM, /* 1: behind attention, and behind the feed-forward part */
  SS_VALUE_FFN_POST_NORM,
  SS_VALUE_ATTENTION_CAP, /* 1: of attention's logits, and of the model's */
  SS_VALUE_LOGITS_CAP,
  SS_VALUE_LOCAL_LAYERS,    /* 1: layers are without Transformer Engine */
  SS_VALUE_TRITON,          /* 1: attention of Triton */
  SS_VALUE_FETCHED_BY_SUMS, /* 1: all-reduces gather weights */
  SS_VALUE_SCATTERED,       /* 0: gradients are summed by all-reduces, of which ranks take their shares */
  SS_VALUE_GATHERED_LOSS,   /* 1: tensor-parallel ranks have all logits */
  SS_VALUE_POSITION,        /* how positions come in: ss_position */
  SS_VALUE_ROPE,            /* 1: by rotary embedding, whatever that says */
  SS_VALUE_UNPLACED,        /* 1: no vectors of positions are learned */
  SS_VALUE_ROOM,            /* tokens that a model has positions for */
  SS_VALUE_UNBIASED,        /* 1: products have no biases */
  SS_VALUE_BIASED,          /* 0: the same */
  SS_VALUE_EXPANSION,       /* feed-forward size over hidden size */
  SS_VALUES
} ss_sheet_value;

typedef enum ss_sheet_text {
  SS_KEPT_TOKENIZER,
  SS_KEPT_TARGETS,           /* products that have adapters */
  SS_KEPT_TARGET_PARAMETERS, /* and parameters that are no modules, such as those of experts */
  SS_KEPT_SHARDS,            /* what FSDP of PyTorch shards */
  SS_KEPT_LAYER_FREQUENCY,
  SS_KEPT_COMPRESS_RATIOS, /* tokens of a compressed token, layer by layer */
  SS_KEPT_LINEAR_FREQUENCY,
  SS_KEPT_PATTERN,
  SS_KEPT_MODULE_PATTERN,
  SS_KEPT_SPEC,
  SS_KEPT_LAYER_TYPES,
  SS_KEPT_RECOMPUTED_LAYERS,
  SS_KEPT_WINDOW,
  SS_KEPT_WINDOW_SKIP, /* of so many layers one attends to all tokens, or 0 for those that do, and 1 for others */
  SS_KEPT_HIERARCHY,
  SS_KEPT_MODEL,
  SS_KEPT_ACTIVATIONS,
  SS_KEPT_REMAT,
  SS_KEPT_FLAVOR,
  SS_KEPT_PROGRAM, /* that makes the configuration, named after the model and its flavor */
  SS_KEPT_MODULES,
  SS_KEPT_FILTERED,        /* parts of names of layers that stay in 16 bits, with products in fp8 else */
  SS_KEPT_FILTERED_BLOCKS, /* the same of MXFP8 */
  SS_KEPT_MIXED,           /* a recipe of Megatron-Bridge for number formats */
  SS_KEPT_MIXED_CLASS,     /* the class or function that makes them */
  SS_KEPT_COMPILED,        /* parts that torch.compile takes */
  SS_KEPT_SELECTIVE,       /* op, or of how many layers one is computed again */
  SS_SHEET_TEXTS
} ss_sheet_text;

/* Those that are written: X(word, "what it is"). */
#define SS_EMIT_LIST(X)                                                                                                \
  X(megatron, "a command line of Megatron-LM")                                                                         \
  X(nemo, "a configuration of Megatron-Bridge in YAML, for --config-file of its recipes")                              \
  X(torchtitan, "a configuration of TorchTitan in TOML")

typedef enum ss_emit {
#define SS_EMIT_ID(word, help) SS_EMIT_##word,
  SS_EMIT_LIST(SS_EMIT_ID)
#undef SS_EMIT_ID
      SS_EMITS
} ss_emit;

/* The machine that they are written for. */
typedef struct ss_emit_nodes {
  int64_t gpus;        /* of a node, at most */
  int64_t domain_gpus; /* of a scale-up domain */
  bool is_blackwell;   /* or later */
} ss_emit_nodes;

/* A set of them. */
#define SS_BY(word) (1u << SS_EMIT_##word)

typedef struct ss_setting_row {
  const char *key;     /* with dashes; with dots, of tables, too; a star at its end stands for any rest */
  const char *section; /* that it is written in; NULL: none */
  const char *text;
  bool (*when)(const ss_workload *workload); /* it is written; NULL: always where it says more than the default */
  int64_t number, otherwise; /* of COUNT 1: it is written in any case; of KEEP 1: a list; of numbers: least and most,
                                where least is -1, -1 stands for nothing and is kept as 0 */
  ss_setting_use use;
  int which; /* value or text that is kept */
  ss_attribute_index attribute;
  unsigned by; /* who writes it: a set of SS_BY; what is only read has none */
} ss_setting_row;

/* Rows of the frameworks, of which the last one has no key. */
extern const ss_setting_row ss_megatron_rows[], ss_megatron_fork_rows[], ss_titan_rows[], ss_deepspeed_rows[],
    ss_foundry_rows[], ss_maxtext_rows[], ss_trainer_rows[], ss_nanotron_rows[], ss_swift_rows[], ss_neox_rows[],
    ss_automodel_rows[];

#endif
