/* The frameworks whose settings are known. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_DIALECT_H
#define STEPSIM_SIM_IMPORT_DIALECTS_DIALECT_H

#include "model/base/spelling.h"
#include "sim/import/dialects/sheet.h"
#include "sim/import/files/settings.h"

/* What holds where no setting says it; `of_model` only where the file has a model, `of_release` unless training.stack
 * names the release of the framework. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) -- in the order in which rows are read
typedef struct ss_setting_default {
  ss_attribute_index attribute;
  int64_t value;
  bool of_model, of_release;
} ss_setting_default;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) -- likewise
typedef struct ss_dialect {
  const char *title;
  bool in_json;          /* its files are JSON; those of the others are not */
  const char *json_mark; /* or some are, which have this key, with dashes; NULL: none */
  const ss_setting_row *rows;
  const ss_setting_row *read_rows;    /* behind them, of programs that are built on it: never written; NULL: none */
  bool builds_up;                     /* one file says what another one goes on with */
  const char *const *sections;        /* beginnings of keys that say nothing; the last is NULL */
  const ss_setting_default *defaults; /* [defaults_count] */
  int defaults_count;
  const ss_stack *stacks; /* its releases are these and all built on them; the last is SS_STACK_NONE */
  const ss_joint *joints; /* [*joint_count], read one after the other */
  const int *joint_count;
  bool (*is_void)(const ss_settings *settings, const ss_setting *setting); /* NULL: none is */
} ss_dialect;

/* Their rows, one after the other; the last has no title. */
extern const ss_dialect ss_dialects[];

/* That of Megatron-LM, and of what is built on it. */
const ss_dialect *ss_megatron_dialect(void);

/* The framework that knows the most settings of a file, in JSON or not, the first of them where several do; what has no
 * influence does not count. NULL: none knows any. */
const ss_dialect *ss_dialect_of(const ss_settings *settings, bool in_json);

/* The first row for a setting; NULL: it is not known. */
const ss_setting_row *ss_dialect_row(const ss_dialect *dialect, const char *key);

/* Names that a key without a row is near to, with dashes, behind sections that say nothing. */
ss_hint ss_dialect_hint(const ss_dialect *dialect, const char *key);

/* Whether another section of the file goes over a setting when the framework starts. */
bool ss_dialect_is_void(const ss_dialect *dialect, const ss_settings *settings, const ss_setting *setting);

/* Whether one that counts says the same as a setting, by the same name in another section. */
bool ss_dialect_repeats(const ss_dialect *dialect, const ss_settings *settings, const ss_setting *setting);

/* Whether settings are more than the launcher's of a job, whichever framework it is of. */
bool ss_dialect_has_strategy(const ss_dialect *dialect, const ss_settings *settings);

/* What an attribute is where no setting says it. */
int64_t ss_dialect_default(const ss_dialect *dialect, ss_attribute_index attribute);

#endif
