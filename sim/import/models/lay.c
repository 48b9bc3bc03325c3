#include "sim/import/models/lay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ss_status ss_lay_set(const ss_lay *p, char *letters, const char *key, ss_error *error)
{
  return ss_kinds_set(p->config->import, p->config->source->path, &p->kinds, letters, ss_config_line(p->config, key),
                      error);
}

bool ss_lay_has(const ss_lay *p, const char *key)
{
  const json_t *value = json_object_get(p->config->root, key);
  return value != NULL && !json_is_null(value);
}

void ss_lay_no_experts(const ss_lay *p)
{
  static const ss_attribute_index of_experts[] = {SS_AT_model_experts, SS_AT_model_top_k, SS_AT_model_expert_ffn};
  for (size_t i = 0; i < sizeof of_experts / sizeof of_experts[0]; ++i)
    ss_import_unset(p->config->import, of_experts[i]);
}

char ss_lay_letter(ss_lay_words known, const json_t *value)
{
  const char *text = json_string_value(value);
  for (size_t k = 0; k < known.count && text != NULL; ++k)
    if (strcmp(known.word[k].text, text) == 0) return known.word[k].letter;
  return '\0';
}

ss_status ss_lay_refuse_word(const ss_lay *p, const char *key, ss_lay_words known, const json_t *value, ss_error *error)
{
  return ss_config_refuse(p->config, key, value, error, "is unknown; allowed: %s", known.allowed);
}

ss_status ss_lay_read_words(const ss_lay *p, const char *key, ss_lay_words known, char *letters, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, key);
  if (json_array_size(list) != (size_t)p->layers)
    return ss_config_refuse(p->config, key, list, error, "is not a list of %" PRId64 " words", p->layers);
  for (size_t i = 0; i < (size_t)p->layers; ++i) {
    letters[i] = ss_lay_letter(known, json_array_get(list, i));
    if (letters[i] == '\0') return ss_lay_refuse_word(p, key, known, json_array_get(list, i), error);
  }
  return SS_OK;
}

ss_status ss_lay_read_letters(const ss_lay *p, const char *key, const char *known, const char *allowed, char *letters,
                              ss_error *error)
{
  const json_t *value = json_object_get(p->config->root, key);
  const char *text = json_string_value(value);
  if (text == NULL || strlen(text) != (size_t)p->layers || strspn(text, known) != strlen(text))
    return ss_config_refuse(p->config, key, value, error, "is not one of %s for each of %" PRId64 " layers", allowed,
                            p->layers);
  memcpy(letters, text, strlen(text) + 1);
  return SS_OK;
}

ss_status ss_lay_read_marks(const ss_lay *p, const char *key, const char *names, char *letters, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, key);
  bool valid = json_array_size(list) == (size_t)p->layers;
  for (size_t i = 0; valid && i < (size_t)p->layers; ++i) {
    const json_t *mark = json_array_get(list, i);
    const json_int_t number = json_integer_value(mark);
    valid = json_is_integer(mark) && (number == 0 || number == 1);
    letters[i] = names[number == 1];
  }
  return valid ? SS_OK
               : ss_config_refuse(p->config, key, list, error,
                                  "is not a list of 0 and 1 for each of %" PRId64 " layers", p->layers);
}

ss_status ss_lay_read_types(const ss_lay *p, const char *type, char letter, char *letters, bool *found, ss_error *error)
{
  const ss_lay_word known[] = {{type, letter}, {"full_attention", 'f'}, {"attention", 'f'}};
  char allowed[SS_KIND_SIZE];
  *found = ss_lay_has(p, "layer_types");
  if (!*found) return SS_OK;
  (void)snprintf(allowed, sizeof allowed, "full_attention, %s", type);
  return ss_lay_read_words(p, "layer_types", (ss_lay_words){known, sizeof known / sizeof known[0], allowed}, letters,
                           error);
}

ss_status ss_lay_own(ss_lay *p, const char *mixer, char *letters, const char *key, ss_error *error)
{
  ss_kinds_add_own(&p->kinds, mixer, letters, &p->config->import->workload->model.dense_layers);
  return ss_lay_set(p, letters, key, error);
}

ss_status ss_lay_read_list(const ss_lay *p, const char *key, const json_t *list, int64_t first, char *marks,
                           ss_error *error)
{
  bool valid = json_is_array(list);
  memset(marks, '0', (size_t)p->layers);
  for (size_t i = 0; valid && i < json_array_size(list); ++i) {
    const json_t *layer = json_array_get(list, i);
    const json_int_t number = json_integer_value(layer) - first;
    valid = json_is_integer(layer) && number >= 0 && number < p->layers;
    if (valid) marks[number] = '1';
  }
  marks[p->layers] = '\0';
  return valid ? SS_OK
               : ss_config_refuse(p->config, key, list, error,
                                  "is no list of layers; allowed: whole numbers from %" PRId64 " to %" PRId64, first,
                                  first + p->layers - 1);
}
