#include "sim/cli/shared/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void note(int number)
{
  (void)number;
  interrupted = 1;
}

const volatile int *ss_interrupt_catch(void)
{
  const struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
  (void)sigaction(SIGINT, &action, NULL);
  return &interrupted;
}
