/* What the name of a GPU says: its model, and the generation of that. */
#ifndef STEPSIM_MODEL_INPUT_GPU_GENERATION_H
#define STEPSIM_MODEL_INPUT_GPU_GENERATION_H

enum { SS_GPU_MODEL_SIZE = 16 };

/* The model of an accelerator without its form and memory: "H100" of "H100-SXM5-80GB"; empty where that is longer than
 * any that is known. */
void ss_gpu_model(const char *accelerator, char gpu[SS_GPU_MODEL_SIZE]);

/* The generation of a GPU of that name, as its maker calls it, "Hopper"; empty where it is not known. Static text. */
const char *ss_gpu_generation(const char *gpu);

#endif
