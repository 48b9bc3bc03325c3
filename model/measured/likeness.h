/* By what measured iterations are like a job. */
#ifndef STEPSIM_MODEL_MEASURED_LIKENESS_H
#define STEPSIM_MODEL_MEASURED_LIKENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/gpu_generation.h"
#include "model/input/machine.h"
#include "model/input/workload.h"

/* What mixes in the layers: X(suffix of enumerator, "words"). */
#define SS_FAMILY_LIST(X)                                                                                              \
  X(DENSE, "dense")                                                                                                    \
  X(EXPERTS, "with experts")                                                                                           \
  X(HYBRID, "with state-space or linear layers")

/* Software by how its kernels come to the GPU: X(suffix of enumerator, "words", what names have in them). */
#define SS_FRAMEWORK_LIST(X)                                                                                           \
  X(ANY, "any software", "")                                                                                           \
  X(MEGATRON, "Megatron-LM and its kin", "megatron nemo primus")                                                       \
  X(PYTORCH, "FSDP or ZeRO 3 of PyTorch", "torchtitan foundry zero3")                                                  \
  X(JAX, "JAX", "maxtext")

/* What launches kernels in the prediction: X(suffix of enumerator). */
#define SS_LAUNCHER_LIST(X)                                                                                            \
  X(GRAPHS)                                                                                                            \
  X(HOST)

/* Sizes of jobs: X(suffix of enumerator, "words"). */
#define SS_SCALE_LIST(X)                                                                                               \
  X(FEW, "up to 8 GPUs")                                                                                               \
  X(MANY, "more than 8 GPUs")

/* Sequences, by how many tokens they have: X(suffix of enumerator, "words"). */
#define SS_LENGTH_LIST(X)                                                                                              \
  X(SHORT, "")                                                                                                         \
  X(LONG, "sequences of 65,536 tokens or more")

/* clang-format off */
typedef enum ss_family {
#define SS_FAMILY_ID(id, text) SS_FAMILY_##id,
  SS_FAMILY_LIST(SS_FAMILY_ID)
#undef SS_FAMILY_ID
} ss_family;

typedef enum ss_framework {
#define SS_FRAMEWORK_ID(id, text, names) SS_FRAMEWORK_##id,
  SS_FRAMEWORK_LIST(SS_FRAMEWORK_ID)
#undef SS_FRAMEWORK_ID
  SS_FRAMEWORKS
} ss_framework;

typedef enum ss_launcher {
#define SS_LAUNCHER_ID(id) SS_LAUNCHER_##id,
  SS_LAUNCHER_LIST(SS_LAUNCHER_ID)
#undef SS_LAUNCHER_ID
} ss_launcher;

typedef enum ss_scale {
#define SS_SCALE_ID(id, text) SS_SCALE_##id,
  SS_SCALE_LIST(SS_SCALE_ID)
#undef SS_SCALE_ID
} ss_scale;

typedef enum ss_length {
#define SS_LENGTH_ID(id, text) SS_LENGTH_##id,
  SS_LENGTH_LIST(SS_LENGTH_ID)
#undef SS_LENGTH_ID
} ss_length;
/* clang-format on */

typedef struct ss_likeness {
  char gpu[SS_GPU_MODEL_SIZE]; /* the model of the GPU without its form and memory: "H100" */
  int bits;                    /* of the operands of most products */
  ss_family family;
  ss_framework framework; /* SS_FRAMEWORK_ANY where nothing is said */
  ss_scale scale;
  ss_launcher launcher;
  ss_length length;
} ss_likeness;

/* What a job on that many GPUs is, in software of this name: "NeMo 24.12", or the word of a stack. */
ss_likeness ss_likeness_of(const ss_workload *workload, const ss_machine *machine, int64_t gpus, const char *software);

/* What tables call such jobs: "dense on Hopper, more than 8 GPUs", with their software where that is of PyTorch or JAX.
 */
void ss_likeness_name(const ss_likeness *likeness, char name[SS_NAME_SIZE]);

/* Words of the lists, and what identifiers of residuals.def end in; static text. */
const char *ss_family_text(ss_family family);
const char *ss_framework_text(ss_framework framework);
const char *ss_scale_text(ss_scale scale);
const char *ss_length_text(ss_length length);
const char *ss_family_id(ss_family family);
const char *ss_framework_id(ss_framework framework);
const char *ss_scale_id(ss_scale scale);
const char *ss_launcher_id(ss_launcher launcher);
const char *ss_length_id(ss_length length);

#endif
