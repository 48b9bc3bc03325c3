#include "model/input/gpu_generation.h"

#include <stddef.h>
#include <string.h>

void ss_gpu_model(const char *accelerator, char gpu[SS_GPU_MODEL_SIZE])
{
  const size_t length = strcspn(accelerator, "-");
  memset(gpu, 0, SS_GPU_MODEL_SIZE);
  if (length < SS_GPU_MODEL_SIZE) memcpy(gpu, accelerator, length);
}

const char *ss_gpu_generation(const char *gpu)
{
  static const struct {
    const char *gpu, *generation;
  } rows[] = {{"V100", "Volta"},      {"A100", "Ampere"},     {"H100", "Hopper"},    {"H200", "Hopper"},
              {"H800", "Hopper"},     {"GH200", "Hopper"},    {"B200", "Blackwell"}, {"B300", "Blackwell"},
              {"GB200", "Blackwell"}, {"GB300", "Blackwell"}, {"MI300X", "CDNA 3"},  {"MI325X", "CDNA 3"},
              {"MI355X", "CDNA 4"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (strcmp(rows[i].gpu, gpu) == 0) return rows[i].generation;
  return "";
}
