/* libFuzzer harness: any bytes as a file of rules. */
#include <stdint.h>
#include <stdio.h>

#include "model/base/error.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static ss_rules rules;
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  rules.count = 0;
  write_input("rules", data, size, path);
  const ss_status status = ss_rules_load(path, &rules, &error);
  (void)remove(path);
  SS_ASSERT(status == error.code);
  for (int64_t i = 0; i < rules.count; ++i) {
    const char *end = ss_pattern_find(rules.rule[i].pattern, path);
    SS_ASSERT(end == NULL || (end >= path && end <= path + PATH_ROOM));
  }
  return 0;
}
