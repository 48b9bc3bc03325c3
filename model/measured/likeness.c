#include "model/measured/likeness.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/block/recipe.h"
#include "model/input/layer_kinds.h"

/* One node of most machines. */
#define FEW_GPUS 8
/* Causal attention of a model of 8 B has as many flop as its products at about 53,000 tokens: beyond, an iteration is
 * another mix of kernels than those that most have measured. */
#define LONG_TOKENS 65536

static const struct {
  const char *id, *text;
} families[] = {
#define SS_FAMILY_ROW(id, text) {#id, text},
    SS_FAMILY_LIST(SS_FAMILY_ROW)
#undef SS_FAMILY_ROW
};

static const struct {
  const char *id, *text, *names;
} frameworks[] = {
#define SS_FRAMEWORK_ROW(id, text, names) {#id, text, names},
    SS_FRAMEWORK_LIST(SS_FRAMEWORK_ROW)
#undef SS_FRAMEWORK_ROW
};

static const struct {
  const char *id, *text;
} scales[] = {
#define SS_SCALE_ROW(id, text) {#id, text},
    SS_SCALE_LIST(SS_SCALE_ROW)
#undef SS_SCALE_ROW
};

static const struct {
  const char *id, *text;
} lengths[] = {
#define SS_LENGTH_ROW(id, text) {#id, text},
    SS_LENGTH_LIST(SS_LENGTH_ROW)
#undef SS_LENGTH_ROW
};

const char *ss_family_text(ss_family family)
{
  return families[family].text;
}

const char *ss_family_id(ss_family family)
{
  return families[family].id;
}

const char *ss_framework_text(ss_framework framework)
{
  return frameworks[framework].text;
}

const char *ss_framework_id(ss_framework framework)
{
  return frameworks[framework].id;
}

const char *ss_scale_text(ss_scale scale)
{
  return scales[scale].text;
}

const char *ss_scale_id(ss_scale scale)
{
  return scales[scale].id;
}

const char *ss_length_text(ss_length length)
{
  return lengths[length].text;
}

const char *ss_length_id(ss_length length)
{
  return lengths[length].id;
}

const char *ss_launcher_id(ss_launcher launcher)
{
  static const char *const ids[] = {
#define SS_LAUNCHER_NAME(id) #id,
      SS_LAUNCHER_LIST(SS_LAUNCHER_NAME)
#undef SS_LAUNCHER_NAME
  };
  return ids[launcher];
}

/* Whether `name` is somewhere in `text`, in small letters or large ones. */
static bool has_name(const char *text, const char *name, size_t length)
{
  for (; *text != '\0'; ++text) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)text[i]) == name[i]) ++i;
    if (i == length) return true;
  }
  return false;
}

static ss_framework framework_of(const char *software)
{
  for (int i = 0; i < SS_FRAMEWORKS; ++i)
    for (const char *name = frameworks[i].names; *name != '\0'; name += strspn(name, " ")) {
      const size_t length = strcspn(name, " ");
      if (has_name(software, name, length)) return (ss_framework)i;
      name += length;
    }
  return SS_FRAMEWORK_ANY;
}

static ss_family family_of(const ss_workload *workload)
{
  if (ss_workload_is_hybrid(workload)) return SS_FAMILY_HYBRID;
  return ss_workload_has_experts(workload) ? SS_FAMILY_EXPERTS : SS_FAMILY_DENSE;
}

ss_likeness ss_likeness_of(const ss_workload *workload, const ss_machine *machine, int64_t gpus, const char *software)
{
  const ss_format format = ss_recipe_of(workload->training.precision)->forward;
  ss_likeness likeness = {.bits = (int)(8.0 * ss_format_row_of(format)->value_bytes),
                          .family = family_of(workload),
                          .framework = framework_of(software),
                          .scale = gpus > FEW_GPUS ? SS_SCALE_MANY : SS_SCALE_FEW,
                          .length = workload->model.sequence >= LONG_TOKENS ? SS_LENGTH_LONG : SS_LENGTH_SHORT,
                          .launcher =
                              workload->training.host != SS_HOST_GRAPHS ? SS_LAUNCHER_HOST : SS_LAUNCHER_GRAPHS};
  ss_gpu_model(machine->accelerator, likeness.gpu);
  return likeness;
}

void ss_likeness_name(const ss_likeness *likeness, char name[SS_NAME_SIZE])
{
  const char *generation = ss_gpu_generation(likeness->gpu);
  const char *gpu = generation[0] != '\0' ? generation : likeness->gpu;
  const bool is_told = likeness->framework == SS_FRAMEWORK_PYTORCH || likeness->framework == SS_FRAMEWORK_JAX;
  (void)snprintf(name, SS_NAME_SIZE, "%s on %s, %s%s%s", ss_family_text(likeness->family),
                 gpu[0] != '\0' ? gpu : "a GPU", ss_scale_text(likeness->scale), is_told ? ", " : "",
                 is_told ? ss_framework_text(likeness->framework) : "");
}
