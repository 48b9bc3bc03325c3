#include "model/input/calibration.h"

#include <string.h>

#include "model/input/origin.h"

/* The constants of kernels that a fit is about: the others change an iteration by a few per cent at most. */
static const ss_property_index constants[] = {SS_PROPERTY_matrix_efficiency, SS_PROPERTY_matrix_sustained,
                                              SS_PROPERTY_fp8_sustained,     SS_PROPERTY_mxfp8_sustained,
                                              SS_PROPERTY_nvfp4_sustained,   SS_PROPERTY_hbm_efficiency,
                                              SS_PROPERTY_vector_hbm_share};
enum { CONSTANTS = sizeof constants / sizeof constants[0] };

static bool is_given(const ss_machine *machine, ss_property_index index)
{
  return machine->line[index] != SS_LINE_DEFAULT;
}

/* Whether a constant was overridden, and nobody says what the new one was fitted to. */
static bool is_changed(const ss_machine *machine)
{
  bool changed = false;
  for (int i = 0; i < CONSTANTS; ++i) changed = changed || machine->line[constants[i]] == SS_LINE_OVERRIDE;
  return changed && machine->line[SS_PROPERTY_fitted_to] != SS_LINE_OVERRIDE;
}

ss_calibration ss_calibration_of(const ss_machine *machine)
{
  ss_calibration calibration = {.kernels = SS_KERNELS_DEFAULT,
                                .starts = machine->collective_start_s > 0.0 || machine->simple_fabric_s > 0.0};
  if (is_given(machine, SS_PROPERTY_matrix_efficiency) && is_given(machine, SS_PROPERTY_hbm_efficiency))
    calibration.kernels = SS_KERNELS_GIVEN;
  memcpy(calibration.idealised, machine->idealised, sizeof calibration.idealised);
  if (machine->fitted_to[0] == '\0' || is_changed(machine)) return calibration;
  calibration.kernels = SS_KERNELS_FITTED;
  memcpy(calibration.fitted_to, machine->fitted_to, sizeof calibration.fitted_to);
  return calibration;
}

ss_status ss_calibration_check(const ss_machine *machine, ss_error *error)
{
  const char *text = machine->fitted_to;
  bool any = false;
  if (!is_given(machine, SS_PROPERTY_fitted_to)) return SS_OK;
  if (text[strspn(text, " ")] == '\0')
    return ss_machine_refuse(machine, SS_PROPERTY_fitted_to, error,
                             "is blank; allowed: the measured iterations and their source");
  for (int i = 0; i < CONSTANTS; ++i) any = any || is_given(machine, constants[i]);
  if (any) return SS_OK;
  return ss_machine_refuse(
      machine, SS_PROPERTY_fitted_to, error,
      "needs a constant that can be fitted; allowed: with matrix-efficiency, matrix-sustained, fp8-sustained, "
      "hbm-efficiency or vector-hbm-share");
}

static const struct {
  const char *word, *text;
} kinds[SS_KERNELS_COUNT] = {
#define SS_KERNELS_ROW(id, name, what) [id] = {name, what},
    SS_KERNELS_LIST(SS_KERNELS_ROW)
#undef SS_KERNELS_ROW
};

const char *ss_kernels_word(ss_kernels kernels)
{
  SS_ASSERT((unsigned)kernels < SS_KERNELS_COUNT);
  return kinds[kernels].word;
}

ss_kernels ss_kernels_find(const char *word)
{
  int i = 0;
  while (i < SS_KERNELS_COUNT && strcmp(kinds[i].word, word) != 0) ++i;
  return (ss_kernels)i;
}

const char *ss_kernels_text(ss_kernels kernels)
{
  SS_ASSERT((unsigned)kernels < SS_KERNELS_COUNT);
  return kinds[kernels].text;
}

const ss_unfitted *ss_unfitted_errors(int64_t *count)
{
  static const ss_unfitted rows[] = {
#define SS_UNFITTED(kernels, gpu, fit, error, least, most) {kernels, gpu, error, least, most},
#include "model/input/calibration.def"
  };
  *count = sizeof rows / sizeof rows[0];
  return rows;
}

const ss_unfitted *ss_unfitted_find(ss_kernels kernels, const char *gpu)
{
  int64_t count;
  const ss_unfitted *rows = ss_unfitted_errors(&count);
  for (int64_t i = 0; i < count; ++i)
    if (rows[i].kernels == kernels && strcmp(rows[i].gpu, gpu) == 0) return &rows[i];
  return NULL;
}
