/* libFuzzer harness: any bytes as TOML. */
#include "sim/import/files/toml.h"
#include "tests/fuzz/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  read_settings(ss_toml_read, data, size);
  return 0;
}
