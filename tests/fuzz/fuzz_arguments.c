/* libFuzzer harness: any bytes as a shell script. */
#include "sim/import/files/arguments.h"
#include "tests/fuzz/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  read_settings(ss_arguments_read, data, size);
  return 0;
}
