/* Configurations of models, imported from their text. */
#ifndef STEPSIM_TESTS_SUPPORT_IMPORT_TEXT_HPP
#define STEPSIM_TESTS_SUPPORT_IMPORT_TEXT_HPP

#include <string>
#include <vector>

#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

namespace stepsim
{

inline std::string import_text(const std::string &text, ss_workload *workload,
                               std::vector<std::string> *notes = nullptr)
{
  const std::string path = write("config.json", text);
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  const ss_status status = ss_import_read(&import, path.c_str(), &error);
  for (int64_t i = 0; notes != nullptr && i < import.count; ++i)
    if (import.note[i].kind < SS_NOTE_KINDS)
      notes->push_back(std::to_string(import.note[i].kind) + " " + import.note[i].text);
  ss_import_free(&import);
  return printed(status, error, path);
}

/* Files that go over one another, imported from their text: what is said, and the notes of what matters and of what a
 * name has told. */
struct Imported {
  ss_workload workload;
  std::string said, matters, named;
};

inline Imported import_texts(const std::vector<std::string> &texts, int64_t gpus = 0)
{
  Imported got = {};
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &got.workload);
  ss_status status = SS_OK;
  for (size_t i = 0; status == SS_OK && i < texts.size(); ++i)
    status = ss_import_read_text(&import, "FILE", texts[i].c_str(), &error);
  import.gpus = gpus;
  if (status == SS_OK) status = ss_import_complete(&import, &error);
  for (int64_t i = 0; i < import.count; ++i) {
    const std::string text = std::string(import.note[i].text) + ". ";
    if (import.note[i].kind == SS_NOTE_MATTERS) got.matters += text;
    if (import.note[i].kind == SS_NOTE_NAMED) got.named += text;
  }
  ss_import_free(&import);
  got.said = status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
  return got;
}

/* A configuration with null for sizes that classes have by themselves, where it does not say them. */
inline std::string whole(std::string text)
{
  for (const std::string key : {"intermediate_size",
                                "intermediate_size_mlp",
                                "shared_intermediate_size",
                                "num_key_value_heads",
                                "head_dim",
                                "sliding_window",
                                "q_lora_rank",
                                "qk_rope_head_dim",
                                "qk_nope_head_dim",
                                "v_head_dim",
                                "ssm_state_size",
                                "mamba_head_dim",
                                "n_groups",
                                "chunk_size",
                                "layer_types",
                                "num_experts_per_tok",
                                "num_experts_per_token",
                                "moe_k",
                                "moe_top_k",
                                "moe_topk",
                                "moe_intermediate_size",
                                "n_shared_experts",
                                "num_shared_experts",
                                "moe_num_shared_experts",
                                "num_shared_expert",
                                "share_expert_dim",
                                "shared_expert_intermediate_size",
                                "moe_shared_expert_intermediate_size",
                                "first_k_dense_replace",
                                "n_group",
                                "topk_group"})
    if (text.find('"' + key + '"') == std::string::npos) text.insert(text.rfind('}'), ", \"" + key + "\": null");
  return text;
}

inline std::string import_text(const std::string &text)
{
  ss_workload workload;
  return import_text(text, &workload);
}

} // namespace stepsim

#endif
