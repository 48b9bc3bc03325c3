/* libFuzzer harness: any bytes as a platform file, as an override of a property and as a rank file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the models rely on. */
static void check(const ss_machine *machine)
{
  SS_ASSERT(machine->gpus > 0 && machine->gpus % machine->domain_size == 0);
  SS_ASSERT(machine->nvlink_bytes_per_s > 0 && machine->fabric_bytes_per_s > 0);
  SS_ASSERT(machine->nvlink_latency_s >= 0 && machine->fabric_latency_s >= 0);
  const int64_t nics = machine->gpus / machine->domain_size * machine->nics_per_domain;
  SS_ASSERT(ss_machine_nic(machine, machine->gpus - 1) < nics);
  for (double size = 1; size < 1e20; size *= 10) {
    const double ratio = ss_curve_value(&machine->matrix_efficiency, size);
    SS_ASSERT(ratio > 0 && ratio <= 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  ss_machine machine;
  write_input("platform", data, size, path);
  const ss_status status = ss_machine_load(path, &machine, &error);
  SS_ASSERT(status == error.code);
  if (status == SS_OK) {
    check(&machine);
    SS_ASSERT(ss_machine_check(&machine, &error) == SS_OK);
  }
  ss_free_gpus free_gpus;
  if (status == SS_OK && ss_free_gpus_load(path, &machine, &free_gpus, &error) == SS_OK) ss_free_gpus_free(&free_gpus);
  int32_t gpu[8];
  (void)ss_ranks_load(path, 8, 8, gpu, &error);
  (void)remove(path);

  char *text = malloc(size + 1);
  SS_ASSERT(text != NULL);
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  ss_machine_init(&machine);
  (void)ss_override(text, NULL, &machine, &error);
  free(text);
  return 0;
}
