/* Sets of models that have something in common, as rows of keys and of presets name them. Included by these lists only.
 */
#ifndef STEPSIM_SIM_IMPORT_MODELS_CONFIG_SETS_H
#define STEPSIM_SIM_IMPORT_MODELS_CONFIG_SETS_H

#include "sim/import/models/config.h"

#define ALL     SS_OF_ANY
#define GLM_DSA (SS_OF(glm_moe_dsa) | SS_OF(glm4_moe_lite))
#define SPARSE  (SS_OF(deepseek_v32) | SS_OF(glm_moe_dsa)) /* an indexer chooses tokens to attend to */
#define LATENT                                                                                                         \
  (SS_OF(deepseek_v2) | SS_OF(deepseek_v3) | SS_OF(kimi_k2) | SS_OF(kimi_linear) | SS_OF(mistral4) | SPARSE |          \
   GLM_DSA | LONGCAT)
#define LONGCAT SS_OF(longcat_flash)
#define V4      SS_OF(deepseek_v4)
#define GLM_MOE (SS_OF(glm4_moe) | SS_OF(glm4v_moe_text))
#define MIMO    SS_OF(mimo_v2_flash)
#define DELTA   SS_OF(kimi_linear)
#define EXAONE  SS_OF(exaone_moe)
#define HY      SS_OF(hy_v3)
#define TRINITY SS_OF(afmoe)
#define JAMBA   SS_OF(jamba)
#define FALCON  SS_OF(falcon_h1)
#define STEP    SS_OF(step3p5)
#define STEP_3  SS_OF(step3_text)
#define STEPS   (STEP | STEP_3)
#define BAILING (SS_OF(bailing_moe) | SS_OF(bailing_moe_v2))
#define ROUTED                                                                                                         \
  ((LATENT & ~(DELTA | LONGCAT)) | GLM_MOE | SS_OF(dots1) | MIMO | SS_OF(solar_open) | SS_OF(deepseek) | V4)
#define FIRST ((ROUTED & ~(MIMO | V4)) | DELTA | BAILING | EXAONE | HY) /* experts behind some layers without any */
#define MODULES                                                                                                        \
  (SS_OF(deepseek_v3) | SS_OF(deepseek_v32) | SS_OF(kimi_k2) | GLM_MOE | GLM_DSA | BAILING | EXAONE | HY | STEP | V4)
#define NEXT       (SS_OF(qwen3_next) | SS_OF(qwen3_5_text) | SS_OF(qwen3_5_moe_text))
#define OLMO_DELTA SS_OF(olmo_hybrid)
#define NEXT_MOE   (NEXT & ~SS_OF(qwen3_5_text))
#define QWEN3_MOE  (SS_OF(qwen3_moe) | SS_OF(qwen3_vl_moe_text))
#define QWEN_MOE   (SS_OF(qwen2_moe) | QWEN3_MOE | NEXT_MOE)
#define QWEN3      (SS_OF(qwen3) | SS_OF(qwen3_vl_text))
#define QWEN       (SS_OF(qwen2) | SS_OF(mimo) | SS_OF(qwen2_5_vl_text) | QWEN3 | QWEN_MOE | SS_OF(qwen3_5_text))
#define GEMMA_4    SS_OF(gemma4_text)
#define GEMMA      (SS_OF(gemma2) | SS_OF(gemma3_text) | GEMMA_4)
#define GEMMAS     (GEMMA | SS_OF(gemma))
#define ERNIE_MOE  SS_OF(ernie4_5_moe)
#define ERNIE      (SS_OF(ernie4_5) | ERNIE_MOE)
#define HUNYUAN    (SS_OF(hunyuan_v1_dense) | SS_OF(hunyuan_v1_moe))
#define HYBRID     SS_OF(granitemoehybrid)
#define MAMBA_2    (HYBRID | SS_OF(bamba) | FALCON) /* with the keys of Bamba */
#define EIGHT      (JAMBA | FALCON | SS_OF(bamba))  /* heads of keys, unless a file says null */
#define GRANITE    (SS_OF(granite) | SS_OF(granitemoe) | HYBRID)
#define COHERE     (SS_OF(cohere) | SS_OF(cohere2))
#define SHORT      (SS_OF(lfm2) | SS_OF(lfm2_moe)) /* with short convolutions */
#define LIGHTNING  (SS_OF(minimax) | SS_OF(minimax_m1))
#define GPT_2      (SS_OF(gpt2) | SS_OF(gpt_bigcode) | SS_OF(gptj) | SS_OF(codegen)) /* with its names of sizes */
#define MPT        SS_OF(mpt)
#define DBRX       SS_OF(dbrx)
#define CHAT_GLM   SS_OF(chatglm)
#define ENCODERS   (SS_OF(bert) | SS_OF(roberta))
#define LEARNED    (SS_OF(gpt2) | SS_OF(gpt_bigcode) | SS_OF(gpt_neo) | SS_OF(opt) | ENCODERS) /* positions */
#define PURE       (SS_OF(mamba) | SS_OF(mamba2) | SS_OF(falcon_mamba))                        /* no layer attends */
#define MAMBA      (SS_OF(mamba) | SS_OF(falcon_mamba))
/* ffn otherwise */
#define NAMED (GPT_2 | MPT | DBRX | CHAT_GLM | PURE | SS_OF(gpt_neo) | SS_OF(opt) | SS_OF(falcon))
#define LOCAL                                                                                                          \
  (SS_OF(mixtral) | SS_OF(gpt_oss) | SS_OF(phimoe) | SS_OF(llama4_text) | SS_OF(minimax_m2) | SS_OF(granitemoe) |      \
   LIGHTNING)
#define COUNTED                                                                                                        \
  (QWEN_MOE | DELTA | BAILING | SS_OF(olmoe) | SS_OF(lfm2_moe) | EXAONE | HY | TRINITY | JAMBA |                       \
   GEMMA_4) /* num_experts */
#define EXPERTS ((ROUTED | COUNTED | LOCAL | SS_OF(nemotron_h)) & ~DELTA)
#define WINDOWS                                                                                                        \
  (SS_OF(mistral) | SS_OF(mixtral) | SS_OF(phi3) | SS_OF(phimoe) | SS_OF(nemotron) | QWEN | GEMMA | SS_OF(gpt_oss) |   \
   SS_OF(olmo3) | SS_OF(cohere2) | SS_OF(exaone4) | SS_OF(starcoder2) | SS_OF(ministral3) | SS_OF(smollm3) | MIMO |    \
   EXAONE | TRINITY)
#define GATED (~(PLAIN | SQUARED))
#define EQUAL                                                                                                          \
  (SS_OF(gpt_neox) | SS_OF(bloom) | SS_OF(gpt2) | SS_OF(gptj) | SS_OF(codegen) | SS_OF(gpt_neo) | SS_OF(opt) |         \
   ENCODERS) /* as many heads of keys as of queries */
#define PLAIN (EQUAL | SS_OF(phi) | SS_OF(starcoder2) | SS_OF(gpt_bigcode) | SS_OF(falcon) | MPT)
#define SQUARED                                                                                                        \
  (SS_OF(nemotron) | SS_OF(nemotron_h) | SS_OF(arcee) | SS_OF(apertus)) /* or another one without a gate */

#endif
