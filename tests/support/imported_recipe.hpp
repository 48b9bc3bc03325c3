/* A recipe in Python as a workload, beside the configuration of a small model. */
#ifndef STEPSIM_TESTS_SUPPORT_IMPORTED_RECIPE_HPP
#define STEPSIM_TESTS_SUPPORT_IMPORTED_RECIPE_HPP

#include "tests/support/inputs.hpp"

extern "C" {
#include "model/input/origin.h"
#include "sim/import/import.h"
}

namespace stepsim
{

/* The workload that files make, and what is said of them. */
struct ImportedRecipe {
  ss_workload workload;
  std::string said, notes;
};

/* Reads config.json, unless it is empty, and a recipe; `gpus` 0: as the recipe says. */
inline ImportedRecipe import_recipe(const std::string &config, const std::string &path, const char *recipe = nullptr,
                                    int64_t gpus = 0)
{
  ImportedRecipe imported;
  ss_import import;
  ss_error error = {};
  char *notes = nullptr;
  ss_import_init(&import, &imported.workload);
  import.recipe = recipe;
  import.gpus = gpus;
  ss_status status = config.empty() ? SS_OK : ss_import_read_text(&import, "config.json", config.c_str(), &error);
  if (status == SS_OK) status = ss_import_read(&import, path.c_str(), &error);
  if (status == SS_OK) status = ss_import_complete(&import, &error);
  imported.said = printed(status, error, path);
  if (status == SS_OK && ss_import_text(&import, "chosen", &notes, &error) == SS_OK) imported.notes = notes;
  free(notes);
  ss_import_free(&import);
  return imported;
}

const std::string small_llama = R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 64,
  "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 8, "num_key_value_heads": 2,
  "tie_word_embeddings": false, "vocab_size": 1024})";

} // namespace stepsim

#endif
