#include "sim/import/models/tokenizers.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* vocab_size of the config.json of these models, by the beginnings of their names; the first that fits is it. */
static const struct {
  const char *begins;
  int64_t vocabulary;
} tokenizers[] = {
    {"Llama-4-", 202048},
    {"Llama-3", 128256},
    {"Meta-Llama-3", 128256},
    {"Llama-2-", 32000},
    {"Mixtral-8x7B", 32000},
    {"Mixtral-8x22B", 32000}, /* v0.1; later ones have 32768 */
    {"Mistral-7B-v0.1", 32000},
    {"Qwen3.5-", 248320},
    {"Qwen3.6-", 248320},
    {"Qwen3-", 151936},
    {"Qwen2.5-0.5B", 151936},
    {"Qwen2.5-1.5B", 151936},
    {"Qwen2.5-3B", 151936},
    {"Qwen2.5-", 152064},
    {"DeepSeek-V2", 102400},
    {"DeepSeek-V3", 129280},
    {"DeepSeek-R1-Distill-Qwen-1.5B", 151936},
    {"DeepSeek-R1-Distill-Qwen-", 152064},
    {"DeepSeek-R1-Distill-Llama-", 128256},
    {"DeepSeek-R1", 129280},
    {"Moonlight-16B", 163840},
    {"Kimi-K2", 163840},
    {"gpt-oss-", 201088},
    {"MiniMax-M2", 200064},
    {"GLM-4.5", 151552},
    {"GLM-4.6", 151552},
    {"GLM-4.7-Flash", 154880},
    {"GLM-4.7", 151552},
    {"glm-4-9b", 151552},
    {"GLM-5", 154880},
    {"LFM2-8B-A1B", 65536},
    {"NVIDIA-Nemotron-", 131072},
    {"Nemotron-H-", 131072},
    {"gpt-neox-20b", 50432},
};

int64_t ss_tokenizer_vocabulary(const char *name)
{
  const char *slash = strrchr(name, '/');
  const char *own = slash != NULL ? slash + 1 : name;
  for (size_t i = 0; i < sizeof tokenizers / sizeof tokenizers[0]; ++i)
    if (strncasecmp(own, tokenizers[i].begins, strlen(tokenizers[i].begins)) == 0) return tokenizers[i].vocabulary;
  return 0;
}
