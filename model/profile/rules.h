/* Rules that say, from their names, what class kernels and groups of ranks are of, and what annotations mean. */
#ifndef STEPSIM_MODEL_PROFILE_RULES_H
#define STEPSIM_MODEL_PROFILE_RULES_H

#include <stdint.h>

#include "model/profile/kernel_class.h"

/* What a rule is about: X(enumerator, "element", it has a class, "what it does"). */
/* clang-format off */
#define SS_RULE_LIST(X) \
  X(SS_RULE_KERNEL, "kernel", true, "the class of kernels") \
  X(SS_RULE_GROUP, "group", true, "the class of collectives, from the description of their group") \
  X(SS_RULE_STEP, "step", false, "an annotation around an iteration; its number follows") \
  X(SS_RULE_LAYER, "layer", false, "an annotation around a layer; its number follows")
/* clang-format on */

typedef enum ss_rule_kind {
#define SS_RULE_ID(id, element, has_class, help) id,
  SS_RULE_LIST(SS_RULE_ID)
#undef SS_RULE_ID
      SS_RULE_COUNT
} ss_rule_kind;

enum { SS_RULES_MAX = 1024, SS_RULE_PATTERN_SIZE = 128 };

typedef struct ss_rule {
  ss_rule_kind kind;
  ss_kernel_class class_of;
  char pattern[SS_RULE_PATTERN_SIZE];
} ss_rule;

/* Of several rules that match, the first one counts. */
typedef struct ss_rules {
  int64_t count;
  ss_rule rule[SS_RULES_MAX];
} ss_rules;

/* Where in a text the pattern ends that occurs in it first; NULL where it does not occur. `*` in a pattern is any text,
 * letters are the same in both cases. */
const char *ss_pattern_find(const char *pattern, const char *text);

/* The class of a kernel or of a group; SS_CLASS_COUNT where no rule matches. */
ss_kernel_class ss_rules_class(const ss_rules *rules, ss_rule_kind kind, const char *name);

/* The number of a step or a layer; -1 where no rule matches. */
int64_t ss_rules_number(const ss_rules *rules, ss_rule_kind kind, const char *name);

#endif
