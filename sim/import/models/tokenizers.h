/* Vocabularies of models, by names of their tokenizers. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_TOKENIZERS_H
#define STEPSIM_SIM_IMPORT_MODELS_TOKENIZERS_H

#include <stdint.h>

/* The rows of the tables of a model whose tokenizer has this name on a hub (OWNER/NAME), or in a folder that is called
 * so; 0: it is not known. */
int64_t ss_tokenizer_vocabulary(const char *name);

#endif
