/* libFuzzer harness: any bytes as a file to import. Whatever is accepted must be in range, and be written and read. */
#include <stdint.h>
#include <stdlib.h>

#include "model/base/error.h"
#include "model/input/workload.h"
#include "model/plan/check/workload_check.h"
#include "sim/import/import.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_back(const ss_workload *workload)
{
  char *text, path[PATH_ROOM];
  ss_error error;
  ss_workload read;
  SS_ASSERT(ss_workload_write(workload, "", &text, &error) == SS_OK);
  size_t length = 0;
  while (text[length] != '\0') ++length;
  write_input("imported", (const uint8_t *)text, length, path);
  free(text);
  SS_ASSERT(ss_workload_load(path, &read, &error) == SS_OK);
  (void)remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  ss_workload workload;
  ss_import import;
  write_input("import", data, size, path);
  ss_import_init(&import, &workload);
  const ss_status status = ss_import_read(&import, path, &error);
  (void)remove(path);
  ss_import_free(&import);
  SS_ASSERT(status == error.code);
  if (status != SS_OK) return 0;
  ss_workload_derive(&workload);
  if (ss_workload_check(&workload, &error) == SS_OK) write_back(&workload);
  return 0;
}
