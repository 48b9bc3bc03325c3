/* libFuzzer harness: any bytes as YAML. */
#include "sim/import/files/yaml.h"
#include "tests/fuzz/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  read_settings(ss_yaml_read, data, size);
  return 0;
}
