/* What attributes of a workload are called, take and mean: name, default, range and help of each field of
 * model/input/workload_fields.h. The XML reader, `--set`, the schema test and the documentation follow from both.
 *
 * Rows:  TEXT(element, field, "name", fallback, help)
 *        NUMBER(element, field, "name", fallback, minimum, maximum, help)
 *        CHOICE(element, field, "name", fallback, help)
 *        SET(element, field, "name", list, help)    of words with blanks between them; none by default
 * A count with fallback SS_REQUIRED must be given; with fallback SS_DERIVED it follows from the others (the help says
 * how). */
#ifndef STEPSIM_MODEL_INPUT_WORKLOAD_ATTRIBUTES_H
#define STEPSIM_MODEL_INPUT_WORKLOAD_ATTRIBUTES_H

/* clang-format off */
#define SS_ATTRIBUTES_model(TEXT, NUMBER, CHOICE, SET) \
  TEXT(model, name, "name", "unnamed", "name of the model, for reports")                                               \
  NUMBER(model, layers, "layers", SS_REQUIRED, 1, 100000, "transformer layers")                                        \
  NUMBER(model, hidden, "hidden", SS_REQUIRED, 1, 10000000, "hidden size e")                                           \
  NUMBER(model, ffn, "ffn", SS_DERIVED, 1, 100000000, "feed-forward size f; default 4 * hidden")                       \
  NUMBER(model, heads, "heads", SS_REQUIRED, 1, 1000000, "attention heads h")                                          \
  NUMBER(model, kv_heads, "kv-heads", SS_DERIVED, 1, 1000000, "key/value heads; default heads")                        \
  NUMBER(model, head_size, "head-size", SS_DERIVED, 1, 1000000, "size of one head; default hidden / heads")            \
  NUMBER(model, value_head_size, "value-head-size", 0, 0, 1000000, "size of the values of a head, where it is another one than that of keys (v_head_dim of MLA, beside the head-size without its rotary part); 0: head-size") \
  NUMBER(model, sequence, "sequence", SS_REQUIRED, 1, 1000000000, "tokens per sequence l")                             \
  NUMBER(model, vocabulary, "vocabulary", 0, 0, 100000000, "vocabulary size; 0 is a model without embedding and output layer") \
  CHOICE(model, tied_embeddings, "tied-embeddings", SS_NO, "embedding and output layer share one table; with several stages, the first and the last each have a copy and sum its gradient (calibrated costs)") \
  CHOICE(model, mlp, "mlp", SS_MLP_GELU, "gelu: GPT layer; swiglu: Llama layer with three matrices, RMSNorm, rotary embedding, no biases") \
  CHOICE(model, causal, "causal", SS_YES, "attention looks back only; flash attention then skips half of it")          \
  NUMBER(model, q_rank, "q-rank", 0, 0, 1000000, "latent attention (MLA): rank of the queries; 0 projects them directly") \
  NUMBER(model, kv_rank, "kv-rank", 0, 0, 1000000, "latent attention (MLA): rank of keys and values; 0 is ordinary attention") \
  NUMBER(model, rope_size, "rope-size", 0, 0, 1000000, "latent attention (MLA): rotary part of a head, beside head-size") \
  NUMBER(model, experts, "experts", 0, 0, 100000, "experts of a layer; 0 is a dense model")                            \
  NUMBER(model, top_k, "top-k", 2, 1, 100000, "experts that a token goes to")                                          \
  NUMBER(model, expert_ffn, "expert-ffn", SS_DERIVED, 1, 100000000, "feed-forward size of one expert; default ffn")    \
  NUMBER(model, expert_latent, "expert-latent", 0, 0, 10000000, "size that tokens have on their way to the routed experts and in them (LatentMoE): a product ahead of the dispatch makes them so, one behind the combination makes them of hidden again; 0: hidden, without these products") \
  NUMBER(model, shared_experts, "shared-experts", 0, 0, 100000, "experts that every token goes to, beside the top-k")  \
  NUMBER(model, routed_domains, "routed-domains", 0, 0, 1000000, "domains that the experts of a token may be in, as DeepSeek-V3 limits nodes; 0: any. It counts with schedule.dispatch once") \
  NUMBER(model, router_groups, "router-groups", 0, 0, 1000, "equal groups of experts, one behind the other, of which a token may take some only (n_group of DeepSeek-V3, moe_router_num_groups of Megatron-LM); 0: none. It counts with schedule.dispatch once") \
  NUMBER(model, router_group_top_k, "router-group-top-k", 0, 0, 1000, "of model.router-groups, those that the experts of a token are in (topk_group, moe_router_group_topk)") \
  NUMBER(model, dense_layers, "dense-layers", 0, 0, 100000, "first layers that have no experts") \
  NUMBER(model, mtp_modules, "mtp-modules", 0, 0, 8, "modules that predict a token further each (arXiv 2412.19437 section 2.2), of a layer like the last one; they lie before the output layer, or at the m of parallelism.layout") \
  CHOICE(model, mixer, "mixer", SS_MIXER_ATTENTION, "what mixes tokens in a layer: attention; mamba (Mamba-2), linear (gated delta rule), kda (the same with a decay of each channel, arXiv 2510.26692) with the state sizes below; convolution (a short one between two gates, LFM2); none") \
  CHOICE(model, feed_forward, "feed-forward", SS_FEED_FORWARD_AUTO, "feed-forward part of a layer: auto: experts, if the model has any, else an MLP; mlp; none") \
  NUMBER(model, window, "window", 0, 0, 1000000000, "tokens that a token attends to, itself and those before it; 0: all") \
  NUMBER(model, chunk, "chunk", 0, 0, 1000000000, "tokens of the parts, one after the other, that a sequence, or each of its documents, has for attention: a token attends to tokens of its own part only; 0: all") \
  CHOICE(model, parallel, "parallel", SS_NO, "attention and feed-forward part read the same norm, and their outputs are added up together") \
  CHOICE(model, qk_norm, "qk-norm", SS_NO, "norms of queries and keys, head by head") \
  CHOICE(model, attention_output_gate, "attention-output-gate", SS_NO, "what attention writes is multiplied by the sigmoid of a gate ahead of its projection; the product that makes the queries makes the gate, too, which is as wide (Qwen3-Next)") \
  CHOICE(model, post_norms, "post-norms", SS_NO, "norms behind attention and behind the feed-forward part, too: four in a layer") \
  CHOICE(model, soft_cap, "soft-cap", SS_NO, "a tanh caps the logits of attention, inside its kernel, and of the output layer") \
  NUMBER(model, state_heads, "state-heads", 0, 0, 1000000, "heads of mamba; value heads of linear and kda") \
  NUMBER(model, state_head_size, "state-head-size", 64, 1, 1000000, "size of one of them") \
  NUMBER(model, state_size, "state-size", 128, 1, 1000000, "state size of mamba; size of a key head of linear and kda") \
  NUMBER(model, state_groups, "state-groups", 1, 1, 1000000, "groups of mamba, which share the projections of its state; key heads of linear and kda") \
  NUMBER(model, state_chunk, "state-chunk", 256, 1, 1000000, "tokens that mamba, linear and kda treat at once, as products") \
  NUMBER(model, convolution, "convolution", 4, 1, 1000, "tokens that their convolution, or that of mixer convolution, spans") \
  NUMBER(model, vision_layers, "vision-layers", 0, 0, 10000, "layers of a vision tower, an encoder of images ahead of the embedding: with it, or on stages of its own (parallelism.vision-stages, or the `V` of parallelism.layout); 0: the model has none") \
  NUMBER(model, vision_hidden, "vision-hidden", 0, 0, 10000000, "its hidden size") \
  NUMBER(model, vision_ffn, "vision-ffn", SS_DERIVED, 1, 100000000, "its feed-forward size; default 4 * vision-hidden") \
  NUMBER(model, vision_heads, "vision-heads", 0, 0, 1000000, "its attention heads, of vision-hidden / vision-heads; attention looks both ways, within an image") \
  CHOICE(model, vision_mlp, "vision-mlp", SS_MLP_GELU, "its layers, as in mlp") \
  NUMBER(model, vision_tokens, "vision-tokens", 0, 0, 100000000, "patches of an image, or of each tile of one, which are the tokens of the tower") \
  NUMBER(model, vision_images, "vision-images", 1, 1, 1000000, "images, or tiles, in a sequence") \
  NUMBER(model, vision_window, "vision-window", 0, 0, 100000000, "patches of a window, inside of which attention of a layer of the tower stays (64 of Qwen2.5-VL, arXiv 2502.13923 section 2.1.1); 0: all of an image") \
  NUMBER(model, vision_full_every, "vision-full-every", 0, 0, 10000, "of so many layers the last one attends to all of an image all the same (8: layers 7, 15, 23 and 31 of Qwen2.5-VL); 0: none does") \
  NUMBER(model, vision_patch, "vision-patch", 0, 0, 1000000, "values of a patch: 588 for 14 x 14 of three colours") \
  NUMBER(model, vision_positions, "vision-positions", 0, 0, 100000000, "vectors of positions that are learned; 0: none") \
  NUMBER(model, vision_merge, "vision-merge", 1, 1, 100000, "patches that become one token of the decoder; model.sequence has these tokens, too") \
  CHOICE(model, vision_join, "vision-join", SS_YES, "patches that become one token are put side by side; no: their mean is taken") \
  NUMBER(model, vision_projector, "vision-projector", 0, 0, 100000000, "feed-forward size of an MLP from there to the hidden size of the decoder; 0: one product") \
  TEXT(model, kinds, "kinds", "", "layers of several kinds, each a letter and what it has of its own, such as `w window=4096; M mixer=mamba feed-forward=none; f`: mixer, feed-forward, window, chunk, heads, kv-heads, head-size, ffn, mlp, parallel, qk-norm, attention-output-gate, post-norms, experts, top-k, expert-ffn, shared-experts") \
  TEXT(model, pattern, "pattern", "", "kinds of the layers in order, such as `wf` or `M-M*(M-)*2`, repeated until all layers have one; `*n` repeats a letter, `( )*n` several")

#define SS_ATTRIBUTES_training(TEXT, NUMBER, CHOICE, SET) \
  NUMBER(training, global_batch, "global-batch", 1, 1, 100000000, "sequences per iteration over all replicas")         \
  NUMBER(training, micro_batch, "micro-batch", 1, 1, 1000000, "sequences per micro-batch b")                           \
  CHOICE(training, precision, "precision", SS_PRECISION_BF16, "type of weights and activations; all but bf16 and fp16: of the products of layers only. fp8: scales of tensors from earlier iterations (delayed scaling); fp8-wgrad16: the same, with the gradients of weights in 16 bits; fp8-current: scales from the values themselves; fp8-rows: the same for each row, along either axis, of what is kept in 16 bits (rowwise of torchao); fp8-block: scales for 1 x 128 and, of weights, 128 x 128 values; mxfp8: for 32 values; nvfp4: 4 bits, for 16 values and for the tensor") \
  NUMBER(training, bf16_first_layers, "bf16-first-layers", 0, 0, 100000, "first layers of the model that stay in 16 bits (num-layers-at-start-in-bf16 of Megatron-LM with first-last-layers-bf16)") \
  NUMBER(training, bf16_last_layers, "bf16-last-layers", 0, 0, 100000, "last ones (num-layers-at-end-in-bf16); multi-token-prediction modules behind them do not") \
  CHOICE(training, gradients, "gradients", SS_GRADIENTS_AUTO, "type in which gradients are summed and reduced; auto: 16 bits with fp16, else fp32 (sc24: 16 bits)") \
  CHOICE(training, gradient_accumulation, "gradient-accumulation", SS_ACCUMULATION_FUSED, "fused: the product of a weight gradient also adds it up over micro-batches; separate: another kernel does; separate-experts: the same of routed experts only, whose gradient of each product is one tensor (GroupedMLP of Megatron-LM: moe-use-legacy-grouped-gemm) (calibrated costs)") \
  CHOICE(training, optimizer_step, "optimizer-step", SS_STEP_FUSED, "fused: one kernel reads gradients as they are; separate: further kernels copy them to fp32, check and unscale (fp16), clip, and copy weights back; foreach: that, and Adam as eight kernels over lists of tensors (AdamW of PyTorch that is not fused); tensors: the same tensor by tensor, for the step of each of which the host waits (DecoupledAdamW of Composer)") \
  CHOICE(training, dispatch_type, "dispatch-type", SS_DISPATCH_16BIT, "type in which tokens go to their experts, and backward the gradients of their results; what comes back has 16 bits. fp8: in 1 byte, with a scale of 4 bytes for 128 values (DeepSeek-V3); what ranks that share an expert then gather has 16 bits; where products take 8 bits") \
  CHOICE(training, gather_type, "gather-type", SS_AS_16BIT, "type in which tensor-parallel ranks gather what products read, with sequence parallelism. operands: quantised before, as Transformer Engine does; partial sums are reduced as reduce-type says") \
  CHOICE(training, reduce_type, "reduce-type", SS_AS_16BIT, "type in which user buffers reduce what products write forward. operands: in 8 bits (fp8_buf of Transformer Engine), for which scales from earlier iterations are there (calibrated costs)") \
  CHOICE(training, attention_type, "attention-type", SS_AS_16BIT, "type in which flash attention computes. operands: as products of layers, in fp8 or mxfp8; queries, keys and values are quantised ahead of it, and the gradient of its output backward (fp8_dot_product_attention of Megatron-LM, fp8_dpa of Transformer Engine; calibrated costs)") \
  CHOICE(training, output_type, "output-type", SS_AS_16BIT, "type in which products of the output layer compute. operands: as those of layers, with casts of what they read (fp8_output_proj of Megatron-LM; calibrated costs)") \
  CHOICE(training, weights_type, "weights-type", SS_AS_16BIT, "type in which a GPU keeps weights of layers, and ranks gather what they have stepped. operands: as products take them (fp8-param-gather of Megatron-LM), so that there is no copy in 16 bits; mxfp8 gathers 16 bits all the same") \
  CHOICE(training, amax_reduction, "amax-reduction", SS_AMAX_ALL, "with scales from earlier iterations, ranks that agree on the largest values by an all-reduce behind forward and backward of each chunk (calibrated costs). all: tensor, context and data-parallel ones (amax_reduction_group of Transformer Engine in Megatron-LM); tensor: tensor and context-parallel ones (--tp-only-amax-red); none (reduce_amax of its recipe)") \
  CHOICE(training, optimizer, "optimizer", SS_OPTIMIZER_ADAM, "muon: one moment, and five Newton-Schulz steps on each matrix of a layer; with sharding, each rank steps whole matrices. All else is Adam's") \
  CHOICE(training, muon_tp_mode, "muon-tp-mode", SS_MUON_BLOCKWISE, "matrices that tensor-parallel ranks share out, as in Megatron-LM, whose default is duplicated. blockwise: each rank orthogonalises the block that it has; duplicated: ranks gather the whole, in fp32, and each does all of it; distributed: each step adds up a product of the matrix with itself over the ranks, along the side that is not cut") \
  CHOICE(training, master_weights, "master-weights", SS_MASTER_FP32, "type of the weights that the optimizer keeps. 16bit: what fp32 has beyond the weights in 16 bits (store_param_remainders of Megatron-LM)") \
  CHOICE(training, moments, "moments", SS_MOMENTS_FP32, "type of the moments that the optimizer keeps (exp_avg_dtype and exp_avg_sq_dtype of Megatron-LM)") \
  CHOICE(training, attention, "attention", SS_ATTENTION_FLASH, "flash: one fused kernel; unfused: logits in memory")   \
  CHOICE(training, unpadding, "unpadding", SS_NO, "queries, keys and values are copied without padding ahead of flash attention, and its output back, also where there is none: bert_padding of flash-attn, as llm-foundry calls it. The host counts the tokens of each first, for which it waits with training.host eager (calibrated costs)") \
  CHOICE(training, recompute, "recompute", SS_RECOMPUTE_NONE, "what backward computes again: nothing; selective: the modules of recompute-modules; full: whole layers; per-op: all but flash attention, largest values, reduce-scatters, all-to-alls and every first of two products (selective_ac_option op of torchtitan); keep-products: all but products, whose results, or their sums over ranks, are kept (remat_policy minimal of MaxText)") \
  SET(training, recompute_modules, "recompute-modules", recompute_module, "modules of selective recomputation, as Megatron-LM has them. moe_act (activation of routed experts), layernorm (input and pre-MLP norms; Megatron-LM leaves alone those that Transformer Engine fuses with the product behind them, which are taken for norms of their own here), mla_up_proj (MLA up-projections with rotary embedding): what they put out is discarded; core_attn (with flash attention the fused kernel, too), mlp (of layers without experts), moe (all of an expert layer behind its norm, with its all-to-alls), shared_experts: what they take is kept. Default: the core of unfused attention") \
  CHOICE(training, recompute_method, "recompute-method", SS_RECOMPUTE_BLOCK, "what recompute-layers counts. block: layers that recompute; uniform: with recompute full, layers of a group, of which only the input is kept, so that backward computes the whole group again") \
  CHOICE(training, recompute_early_stop, "recompute-early-stop", SS_NO, "with recompute full, what runs again ends where all that gradients need is there: the last product of a layer, and what is behind it, does not run again (checkpoints of PyTorch that are not reentrant, from 2.1 on, and torch.compile); per-op and keep-products always do so") \
  NUMBER(training, recompute_layers, "recompute-layers", SS_DERIVED, 1, 100000, "layers of each stage and chunk that recompute, counted from its first; default all. With recompute-method uniform, layers of a group") \
  TEXT(training, recompute_layer_ids, "recompute-layer-ids", "", "layers of the model that recompute, from 0 on, such as `0,3,8-11` (recompute_layer_ids of Primus); the others, the layers of multi-token-prediction modules and those of a vision tower do not. Without: all, or as recompute-layers says") \
  CHOICE(training, fused, "fused", SS_YES, "chains of element-wise operations touch memory once: bias + GELU, SwiGLU, bias + dropout + add, scale + mask + softmax, RMSNorm, rotary embedding") \
  NUMBER(training, capacity_factor, "capacity-factor", 0, 0, 1000, "tokens that every expert takes, padded or dropped, relative to the mean; 0: as many as come") \
  NUMBER(training, imbalance, "imbalance", 1, 1, 100000, "tokens of the fullest expert-parallel rank, relative to the mean") \
  CHOICE(training, offload_weights, "offload-weights", SS_NO, "keep weights in the platform's second memory tier")     \
  CHOICE(training, offload_activations, "offload-activations", SS_NO, "keep activations in the second memory tier between forward and backward") \
  SET(training, offload_modules, "offload-modules", offload_module, "modules whose inputs go there, as Megatron-LM has them: attn_norm, qkv_linear, core_attn (queries, keys and values), attn_proj (its output), mlp_norm, expert_fc1 (tokens of routed experts), moe_act. Default: all that layers keep") \
  NUMBER(training, offload_layers, "offload-layers", SS_DERIVED, 1, 100000, "layers of each stage and chunk whose activations go there, counted from its first (cpu-offloading-num-layers of Transformer Engine); default all") \
  CHOICE(training, offload_optimizer, "offload-optimizer", SS_NO, "keep optimizer states in the second memory tier")   \
  CHOICE(training, dropout, "dropout", SS_YES, "dropout after attention, projection and feed-forward")                 \
  CHOICE(training, freeze_vision, "freeze-vision", SS_NO, "the vision tower goes forward only, up to its projector: no gradients, also none that other stages send to it, optimizer states or kept activations") \
  CHOICE(training, host, "host", SS_HOST_GRAPHS, "graphs: CUDA graphs, launches take the host no time; eager: it launches each kernel (host-forward, host-backward, host-collective of the platform), runs ahead of the GPU, and waits for it before each pass where stages exchange messages that do not run beside compute; eager-timed: before each pass in any case, as with the timers of Megatron-LM until 2022; eager-layers: before each layer, too, and behind each collective in one, as where iterations are put together from profiles of single layers (calibrated costs)") \
  SET(training, graphs, "graphs", graph_module, "modules of layers that are in CUDA graphs, with training.host eager, as Megatron-LM has them (--cuda-graph-scope): a launch for all kernels that follow one another in them. attn, mamba, mlp: with the norm before and the addition behind; moe_router (with its norm, and moe_preprocess); moe: the whole of it, with a capacity") \
  CHOICE(training, expert_kernels, "expert-kernels", SS_EXPERT_KERNELS_EACH, "kernels of products of routed experts and of what quantises their operands. each: the host launches one for every expert (general_grouped_gemm of Transformer Engine), whose tokens it has to know, with training.host eager; grouped: one for all, which reads them itself; fused: with MXFP8 that, and the first product also activates, backward the second one, and both quantise what they write (NVTE_CUTEDSL_FUSED_GROUPED_MLP of Transformer Engine); sequential: a module for each expert (SequentialMLP of Megatron-LM, which has it without moe-grouped-gemm), whose rows are copied together behind it, as gradients of its input are, and in 8 or 4 bits cut") \
  CHOICE(training, expert_padding, "expert-padding", SS_NO, "kernels of their own pad the rows of each expert for products in 8 or 4 bits, and take the padding out of what comes back (Fp8Padding of Transformer Engine in experts.py of Megatron-LM); no: dispatch or permutation do so on the way, as Hybrid-EP does, or nothing is padded (calibrated costs)") \
  CHOICE(training, router, "router", SS_ROUTER_FUSED, "kernels that choose experts, with those of the loss that balances them. fused: one (moe_router_fusion of Megatron-LM, from Transformer Engine 2.6 on); separate: 28 of PyTorch, 13 backward (calibrated costs)") \
  CHOICE(training, router_type, "router-type", SS_ROUTER_16BIT, "type of the logits that experts are chosen by. fp32: gradients of the product that makes them are products in fp32, with casts of what it reads and of these (moe_router_dtype of Megatron-LM; calibrated costs)") \
  CHOICE(training, permutation, "permutation", SS_PERMUTATION_FUSED, "kernels that copy tokens in the order of experts, and add up what comes back. fused: one each, of Transformer Engine (moe_permute_fusion of Megatron-LM) or of the dispatch; separate: those of PyTorch, which find indices (masked_select, for which the host waits with training.host eager), copy by them, and add up by atomic additions (calibrated costs)") \
  CHOICE(training, router_weights, "router-weights", SS_ROUTER_WEIGHTS_OUTPUTS, "what the router's weights multiply. outputs: what experts return, which is kept for the gradients of these weights; activations: what the second product of an expert reads, so that nothing of what it returns is kept (Megatron-LM from core_v0.13.0 on)") \
  CHOICE(training, cross_entropy, "cross-entropy", SS_CROSS_ENTROPY_SEPARATE, "kernels of the loss. separate: passes over logits in fp32, one by one; fused: in chains (--cross-entropy-loss-fusion of Megatron-LM, native); online: one for maximum and sum, one that leaves the gradient in place of the logits, in 16 bits (that of Transformer Engine, Liger and others)") \
  NUMBER(training, loss_metrics, "loss-metrics", 0, 0, 100, "metrics of the loss that each micro-batch computes beside it, without gradients, each over logits in fp32: cross entropy and perplexity are two (LanguageCrossEntropy and LanguagePerplexity of Composer). With training.host eager, their sums are gathered behind each step, into a tensor for each GPU (calibrated costs)") \
  CHOICE(training, projections, "projections", SS_PROJECTIONS_FUSED, "products that read the same tokens: queries, keys and values; gate and up-projection of SwiGLU. fused: one product each, as Megatron-LM has them; separate: one for every matrix, as in torchtitan and Hugging Face, whose gradients of these tokens another kernel sums before they are reduced (calibrated costs)") \
  CHOICE(training, norms, "norms", SS_NORMS_FRAMEWORK, "kernels of norms. framework: those of PyTorch or Transformer Engine; cudnn: those of cuDNN (NVTE_NORM_FWD_USE_CUDNN and NVTE_NORM_BWD_USE_CUDNN of Transformer Engine), which have cudnn-norm-share of the bandwidth, write MXFP8 themselves, and do not look for the largest value (calibrated costs)") \
  CHOICE(training, rotary, "rotary", SS_ROTARY_FUSED, "kernels of rotary embedding. fused: one, with fused=\"yes\"; complex: a cast to fp32, a product of complex numbers, and a cast back, also with fused=\"yes\", since torch.compile generates no code for complex numbers (apply_rotary_emb of torchtitan, pytorch/torchtitan issue 15; calibrated costs)") \
  CHOICE(training, biases, "biases", SS_BIASES_FUSED, "kernels of biases, with mlp=\"gelu\" and fused=\"yes\". fused: products add them, and kernels that read gradients anyway sum these up, as those of Transformer Engine; separate: that of queries, keys and values is added behind their product, and each gradient is a sum of its own (LinearWithGradAccumulationAndAsyncCommunication and GeLUFunction of Megatron-LM; calibrated costs)") \
  CHOICE(training, layout_copies, "layout-copies", SS_NO, "copies that Megatron-LM makes of what does not lie as the next kernel reads it: queries of grouped heads behind the product that makes them, all gradients ahead of those of that product; with attention unfused, the output of the heads; with two sequences and more in a micro-batch, what a mamba mixer reads and writes, from tokens first to sequences first and back. With projections separate those of torchtitan: keys and values of grouped heads, repeated for each head; with two sequences and more, what ranks gather and reduce along the sequence, but with products in pieces") \
  CHOICE(training, stack, "stack", SS_STACK_NONE, "software that sets what the workload does not say itself, neither in its file nor with --set, as its release does (docs/stacks.md)") \
  CHOICE(training, framework, "framework", SS_RUNNER_ANY, "framework that has to run it: strategies that it cannot run are refused, by rows of model/plan/frameworks.def. megatron: Megatron-LM; nemo: Megatron-Bridge and NeMo; torchtitan: TorchTitan") \
  CHOICE(training, documents, "documents", SS_DOCUMENTS_NONE, "lengths of documents, which are packed into sequences (training.packing); attention stays inside a document (reset-attention-mask of Megatron-LM, the document mask of Llama 3), and micro-batches differ. none: a sequence is one document; fixed; uniform: from 0 to twice the mean; exponential; lognormal; listed: as often as document-lengths has them") \
  NUMBER(training, document_mean, "document-mean", 0, 0, 1e12, "mean tokens of a document: fixed, uniform, exponential, lognormal")  \
  NUMBER(training, document_sigma, "document-sigma", 0, 0, 6, "standard deviation of the logarithm of a length: lognormal")          \
  TEXT(training, document_lengths, "document-lengths", "", "file of the lengths of documents, a line TOKENS or TOKENS DOCUMENTS for each: listed") \
  CHOICE(training, packing, "packing", SS_PACKING_CUT, "how documents get into sequences. cut: concatenated, and cut wherever a sequence ends (pre-training); the others leave documents whole, and what is left of a sequence is padding (supervised fine-tuning). next-fit: in random order, each into the sequence that is open, or a new one (torchtune); first-fit: in random order, each into the first sequence with room (first_fit_shuffle of Megatron-Bridge and NeMo); first-fit-decreasing: the same, the longest ones first (first_fit_decreasing)") \
  NUMBER(training, document_padding, "document-padding", SS_DERIVED, 1, 1000000, "tokens that each whole document is padded to a multiple of (pad_seq_to_mult of Megatron-Bridge). Default 2 cp where context-parallel ranks share each document out, and cp * tp with sequence parallelism, the least multiple of both; without, 1") \
  CHOICE(training, long_documents, "long-documents", SS_LONG_TRUNCATED, "whole documents that are longer than a sequence. truncate: to what fits; drop: they are left out") \
  NUMBER(training, tokens, "tokens", 0, 0, 1e18, "tokens of the whole training run, from which its days follow; 0: unknown")

#define SS_ATTRIBUTES_parallelism(TEXT, NUMBER, CHOICE, SET) \
  CHOICE(parallelism, tensor, "tensor", SS_TENSOR_1D, "layout of tensor parallelism")                                  \
  NUMBER(parallelism, tp, "tp", 1, 1, 1000000, "tensor-parallel size (heads)")                                         \
  NUMBER(parallelism, tp2, "tp2", 1, 1, 1000000, "second tensor-parallel size of 2d and summa (sequence)")             \
  NUMBER(parallelism, panels, "panels", SS_DERIVED, 1, 1000000, "panels of a summa product; default the larger of tp and tp2") \
  NUMBER(parallelism, cp, "cp", 1, 1, 1000000, "context-parallel size (sequence)")                                     \
  CHOICE(parallelism, cp_exchange, "cp-exchange", SS_CP_RING, "gather: keys and values before attention; ring: passed around beside attention; all-to-all: each rank gets all tokens of some heads, then returns them") \
  CHOICE(parallelism, cp_sums, "cp-sums", SS_CP_SUMS_KERNEL, "what sums partial results of attention up, one for the keys of each context-parallel rank, and gradients of keys and values. kernel: attention itself, in 16 bits; fp32: kernels beside it, in fp32, in which ranks pass gradients around, too; exchanges are then beside attention with gather as well (_templated_ring_attention of PyTorch)") \
  NUMBER(parallelism, cp_inner, "cp-inner", 1, 1, 1000000, "hierarchical context parallelism: neighbours of the context-parallel group that exchange heads by all-to-all; cp-exchange is then across the cp / cp-inner groups of them") \
  CHOICE(parallelism, cp_balance, "cp-balance", SS_YES, "the context-parallel ranks share causal attention evenly")    \
  CHOICE(parallelism, cp_split, "cp-split", SS_CP_SPLIT_DOCUMENT, "what context-parallel ranks share out where sequences have several documents. document: each document, evenly (thd of Transformer Engine, 2 cp pieces of each); sequence: the sequence as it is (Llama 3), so that ranks have unlike shares of attention, and wait for the one that has most") \
  NUMBER(parallelism, pp, "pp", 1, 1, 1000000, "pipeline stages")                                                      \
  NUMBER(parallelism, first_stage_layers, "first-stage-layers", SS_DERIVED, 1, 100000, "layers of the first stage; default an even share") \
  NUMBER(parallelism, last_stage_layers, "last-stage-layers", SS_DERIVED, 1, 100000, "layers of the last stage; default an even share") \
  NUMBER(parallelism, vision_stages, "vision-stages", 0, 0, 100000, "virtual stages, the first of the pp * interleave, that have only layers of the vision tower, as even as can be; the others share out those of the decoder, the first of them with the embedding (encoder_pipeline_model_parallel_size of NeMo 2, nemo/collections/vlm, whose stages come on top of pp there). 0: the tower is ahead of the embedding, or where parallelism.layout has it") \
  NUMBER(parallelism, vision_tp, "vision-tp", SS_DERIVED, 1, 1000000, "tensor-parallel ranks, neighbours, that split the vision tower and its projector: tp, or a divisor of it; the groups of so many then have both and encode all images, and they add up the gradients ahead of the step (1: encoders of Hugging Face in Megatron-Bridge, whose parameters have average_gradients_across_tp_domain; encoder_tensor_model_parallel_size of NeMo 2 is 1, too. Between them: the same is assumed). Default tp where it divides vision-heads (Megatron-LM, examples/multimodal/model.py, copies the configuration of the decoder), else 1") \
  CHOICE(parallelism, vision_share, "vision-share", SS_IMAGES_WHOLE, "ranks that have the same of the vision tower share the images of a micro-batch out, whole ones, and gather what the projector makes of them. no: each of them encodes all images, context-parallel ones, too (Megatron-LM, megatron/core/models/multimodal/llava_model.py, splits sequences behind that); yes: the tensor-parallel groups of vision-tp do, 1 by default then (vision_dp_when_tp of forks of Megatron-Bridge); context: context-parallel ranks do, and add up the gradients of all images backward (vision_dp_when_cp of Megatron-Bridge, vision_dp_over_cp of its Nemotron Omni); all: both") \
  CHOICE(parallelism, account_for_embedding, "account-for-embedding", SS_NO, "the embedding counts as a layer where layers are shared out: the first stage (or its first chunk) has one less") \
  CHOICE(parallelism, account_for_loss, "account-for-loss", SS_NO, "the output layer and its loss count as a layer where layers are shared out: the last stage (or its last chunk) has one less") \
  TEXT(parallelism, layout, "layout", "", "layers of every virtual stage, as Megatron-LM writes them, such as `Et*3|(tt|)*29,t|L`: `E` embedding, `t` layer, `L` output layer and loss; ahead of `E`, `V` layer of the vision tower (none: all of it is there), with the patches at the first and the projector behind the last; `|` ends a virtual stage; `*n` repeats a letter, `( )*n` several; commas do nothing. Virtual stage k is chunk k / pp of stage k mod pp; where a schedule lays its chunks out as a V, part k of the model") \
  NUMBER(parallelism, interleave, "interleave", 1, 1, 100000, "model chunks per stage, for the interleaved pipeline")  \
  NUMBER(parallelism, dp, "dp", 1, 1, 1000000, "data-parallel replicas")                                               \
  NUMBER(parallelism, ep, "ep", 1, 1, 1000000, "expert-parallel size: ranks that share the experts out")                \
  NUMBER(parallelism, etp, "etp", SS_DERIVED, 1, 1000000, "expert-tensor-parallel size: ranks that share the matrices of an expert, default tp; etp * ep divides tp * cp * dp, and the others hold the same experts") \
  CHOICE(parallelism, expert_groups, "expert-groups", SS_EXPERTS_INSIDE, "how the ranks of a stage are numbered for experts, fastest first. inside: etp, ep, then those that hold the same experts; across: these before ep; replicas: cp before ep, so that groups are of ranks at the same place of neighbouring replicas") \
  CHOICE(parallelism, sequence_parallel, "sequence-parallel", SS_YES, "shard norms and dropout: reduce-scatter + all-gather instead of all-reduce") \
  CHOICE(parallelism, tp_redo, "tp-redo", SS_YES, "with sequence parallelism, keep the sharded input of a product and gather it again in backward (calibrated costs)") \
  CHOICE(parallelism, sharding, "sharding", SS_SHARDING_OPTIMIZER, "what is sharded over replicas: ZeRO 0, 1, 2, 3 (FSDP)") \
  NUMBER(parallelism, shard_size, "shard-size", SS_DERIVED, 2, 1000000, "ranks that share a copy of what is sharded, neighbours of all that hold the same dense weights; these then add up the gradients of the copies (HSDP; Megatron-LM's instances of the distributed optimizer); default all: one copy") \
  CHOICE(parallelism, fsdp, "fsdp", SS_FSDP_IN_PLACE, "what FSDP copies beside its collectives, with sharding gradients or parameters. flat: gradients of a layer side by side, which it divides in the type of the reduction ahead of that (FullyShardedDataParallel of PyTorch); per-parameter: each weight out of what was gathered, forward and backward (fully_shard); in-place: neither (calibrated costs)") \
  CHOICE(parallelism, shards, "shards", SS_SHARDS_FP32, "what a GPU keeps of sharded parameters. fp32: master weights, cast as they are gathered (PyTorch's FSDP); 16bit: a copy in 16 bits beside them (DeepSpeed's ZeRO 3)")

#define SS_ATTRIBUTES_schedule(TEXT, NUMBER, CHOICE, SET) \
  CHOICE(schedule, pipeline, "pipeline", SS_PIPELINE_1F1B, "order of forward and backward on a stage; eager-1f1b warms up twice as long as 1f1b; zero-bubble splits backward in two; so do v-min, v-half and v-zb, whose stages hold two chunks in a V, and dualpipe-v, which runs forward of one beside backward of the other (overlap-ep); dualpipe does so with two copies of the model, which begin at either end and add up their gradients") \
  NUMBER(schedule, interleave_group, "interleave-group", SS_DERIVED, 1, 1000000, "micro-batches that go through a chunk of a stage in a row before its next chunk has its turn, with the interleaved pipeline; default pp") \
  CHOICE(schedule, overlap_dp, "overlap-dp", SS_YES, "data-parallel collectives run beside compute")                   \
  CHOICE(schedule, overlap_pp, "overlap-pp", SS_NO, "pipeline sends run beside compute")                               \
  CHOICE(schedule, overlap_tp, "overlap-tp", SS_TP_OVERLAP_BACKWARD, "tensor-parallel collectives beside products, but those of experts, whose tokens the dispatcher gathers. backward: reductions of input gradients beside the weight gradient (calibrated costs; not of summa); pipe, ring: all beside their product, in 4 pieces or one per rank; user-buffers: as Transformer Engine mixes these; symmetric-memory: in layers, in one piece per rank, gathers behind a copy of what this rank has, and reductions of a single product whose pieces a kernel sums up (asynchronous tensor parallelism of PyTorch)") \
  CHOICE(schedule, tp_reduction, "tp-reduction", SS_TP_REDUCTION_PIPE, "how user buffers reduce what products write forward, beside these. pipe: in 4 pieces (method pipeline of Transformer Engine); ring: in one piece per rank, which a kernel sums up behind the last (ring_exchange)") \
  CHOICE(schedule, overlap_cp, "overlap-cp", SS_YES, "keys, values and their gradients go to other context-parallel ranks beside attention, where it is in pieces: with cp-exchange ring, or cp-sums fp32. no: each exchange is waited for where it starts (functional collectives of PyTorch that torch.compile has traced)") \
  CHOICE(schedule, overlap_ep, "overlap-ep", SS_EP_OVERLAP_NONE, "all-to-alls of experts beside kernels of the other direction. paired: a backward and a forward pass take turns at each all-to-all (Megatron-LM's --overlap-moe-expert-parallel-comm); delayed: those of backward start before the gradients of the expert weights (--delay-wgrad-compute)") \
  NUMBER(schedule, bucket, "bucket", 0, 0, 1e15, "bytes of gradients (and of weights at the start) in one collective; 0: each layer by itself") \
  CHOICE(schedule, pipeline_rs_ag, "pipeline-rs-ag", SS_NO, "without sequence parallel: each tensor rank sends its share of a message, the receivers gather") \
  NUMBER(schedule, prefetch, "prefetch", 1, 0, 1000, "number of layers that FSDP gathers, and offload reads, ahead of the one that computes; as many for each of two passes in a pair (overlap-ep)") \
  CHOICE(schedule, all_reduce, "all-reduce", SS_ALGORITHM_AUTO, "algorithm; auto: the fastest of ring, double-tree (across domains), in-network (where the platform supports it) and bucket (over whole dimensions of a torus)") \
  CHOICE(schedule, all_gather, "all-gather", SS_ALGORITHM_AUTO, "algorithm; auto: the fastest of ring, in-network (inside a domain, where the platform supports it) and bucket (over whole dimensions of a torus)") \
  CHOICE(schedule, reduce_scatter, "reduce-scatter", SS_ALGORITHM_AUTO, "algorithm; auto: the fastest of ring, in-network (inside a domain, where the platform supports it) and bucket (over whole dimensions of a torus)") \
  CHOICE(schedule, all_to_all, "all-to-all", SS_ALGORITHM_AUTO, "algorithm: direct; hierarchical, where messages first change GPUs inside the domain; or pairwise, where each rank exchanges with one after the other; auto: direct") \
  CHOICE(schedule, dispatch, "dispatch", SS_DISPATCH_COPIES, "what goes to experts and comes back. copies: a token for each of its experts, by an all-to-all; once: a token once to each domain, then once to each GPU that has some of them, over NVLink (DeepEP)")

#define SS_ATTRIBUTES_placement(TEXT, NUMBER, CHOICE, SET) \
  TEXT(placement, order, "order", "tp,cp,dp,pp", "coordinates in the order in which they advance over the GPUs, fastest first") \
  TEXT(placement, domain, "domain", "", "how many of each coordinate share a domain, or its segment, e.g. tp=4,dp=2,pp=1; tp2 is another name for cp") \
  NUMBER(placement, segment, "segment", SS_DERIVED, 1, 1000000, "GPUs used of each domain, with their NICs, one domain after the other; default: all, but where the domain is no power of two what the groups of the job divide") \
  TEXT(placement, free, "free", "", "file of the GPUs that may be used, a line DOMAINS COUNT or DOMAINS gpus LIST for domains such as 0-5; others are not used. Default: all") \
  TEXT(placement, ranks, "ranks", "", "file with one GPU index per rank; rank = tp + TP (cp + CP (dp + DP pp)), tp2 in place of cp for 2d and summa")

#define SS_ATTRIBUTES_run(TEXT, NUMBER, CHOICE, SET) \
  CHOICE(run, checkpoint, "checkpoint", SS_CHECKPOINT_ASYNCHRONOUS, "how weights and optimizer states are kept. synchronous: the job stands still until all is written; asynchronous: until it is in the memory of the hosts, which write it beside the next iterations") \
  CHOICE(run, checkpoint_to, "checkpoint-to", SS_CHECKPOINT_TO_STORAGE, "where they go: storage that all nodes share (platform.storage-bandwidth), or the disks of each node (platform.disk-bandwidth), where a copy on other disks has to take the place of those that are lost") \
  NUMBER(run, checkpoint_bytes, "checkpoint-bytes", 0, 0, 1e18, "bytes of a checkpoint; 0: all weights and optimizer states of the model, once") \
  NUMBER(run, interval_s, "interval", 0, 0, 1e9, "seconds of work between two checkpoints, at least an iteration and the time that writing one takes; 0: the best") \
  NUMBER(run, software_failures, "software-failures", 0.026, 0, 1e6, "how often in a year of a GPU software interrupts the job; the default is that of Llama 3 405B: 63 of 419 interruptions in 54 days of 16,384 GPUs (arXiv 2407.21783 table 5)") \
  NUMBER(run, detection_s, "detection", 600, 0, 1e9, "seconds until an interruption is noticed and found out; the default is what MegaScale stays below in the mean (arXiv 2402.15627 section 6.3)") \
  NUMBER(run, restart_s, "restart", 300, 0, 1e9, "seconds until all processes run again, beside reading the checkpoint; the default is a guess") \
  CHOICE(run, recovery, "recovery", SS_RECOVERY_RESTART, "what follows when a node is lost. restart: all processes start again, on a spare node; swap: a spare node takes its place among processes that stay; shrink: as restart, but without a spare the job goes on with fewer replicas, and a batch as much smaller, until a node is repaired, and waits without a whole replica. Where no node is lost (switches, software) all processes start again") \
  NUMBER(run, swap_s, "swap", 60, 0, 1e9, "with recovery swap: seconds in place of those of restart where a node is lost; the default is a guess") \
  NUMBER(run, spares, "spares", -1, -1, 1000000, "nodes that stand by; -1: as many as let the job wait for one 0.1 % of its time at most, and half of what interruptions take") \
  NUMBER(run, repair_s, "repair", 86400, 0, 1e9, "seconds until a node that was lost is back, in the mean; the default is a guess") \
  NUMBER(run, slow_detection_s, "slow-detection", 0, 0, 1e9, "seconds until a slow GPU (platform.slow-rate) is found and taken out with its node, for a restart, and a spare until the node is repaired; 0: nobody looks for it") \
  NUMBER(run, slow_nic_detection_s, "slow-nic-detection", 0, 0, 1e9, "the same of a slow NIC (platform.slow-nic-rate)") \
  NUMBER(run, slow_cable_detection_s, "slow-cable-detection", 0, 0, 1e9, "seconds until a slow cable (platform.slow-cable-rate) is found, and switched off until it is mended, where other ways are faster; 0: it stays") \
  NUMBER(run, slow_switch_detection_s, "slow-switch-detection", 0, 0, 1e9, "the same of a slow switch (platform.slow-switch-rate)") \
  TEXT(run, phases, "phases", "", "phases of the run, one after the other, with `;` between them: TOKENS:NAME=VALUE,... with settings as of --set, such as `252e6:training.global-batch=512,model.sequence=4096; 2.87e12:`. Tokens of the last may be left out: the rest of training.tokens")

/* All rows, element by element. */
#define SS_WORKLOAD_ATTRIBUTES(TEXT, NUMBER, CHOICE, SET) \
  SS_ATTRIBUTES_model(TEXT, NUMBER, CHOICE, SET)                \
  SS_ATTRIBUTES_training(TEXT, NUMBER, CHOICE, SET)             \
  SS_ATTRIBUTES_parallelism(TEXT, NUMBER, CHOICE, SET)          \
  SS_ATTRIBUTES_schedule(TEXT, NUMBER, CHOICE, SET)             \
  SS_ATTRIBUTES_placement(TEXT, NUMBER, CHOICE, SET)            \
  SS_ATTRIBUTES_run(TEXT, NUMBER, CHOICE, SET)

/* clang-format on */

#endif
