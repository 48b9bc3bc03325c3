#include "sim/engine/failures.h"

#include "sim/engine/apart.h"
#include "sim/engine/simgrid/simgrid.h"
#include "sim/module/module.h"
#include "sim/process/process.h"

typedef struct question {
  ss_failing_host *host;
  int64_t count;
  ss_error *error;
  ss_status status;
} question;

/* The status, and with it the error, or when each run ends. */
static bool run(void *self, int line)
{
  question *q = self;
  ss_error error = {0};
  const ss_simgrid_methods *simgrid = ss_module_load("simgrid", &error);
  const ss_status status = simgrid != NULL ? simgrid->fail(q->host, q->count, &error) : SS_ERROR_MODULE;
  bool sent = ss_process_send(line, &status, sizeof status) && ss_process_send(line, &error, sizeof error);
  for (int64_t i = 0; sent && i < q->count; ++i)
    sent = ss_process_send(line, &q->host[i].end_s, sizeof q->host[i].end_s);
  return sent;
}

static bool receive(void *self, int line)
{
  question *q = self;
  bool received =
      ss_process_receive(line, &q->status, sizeof q->status) && ss_process_receive(line, q->error, sizeof *q->error);
  for (int64_t i = 0; received && i < q->count; ++i)
    received = ss_process_receive(line, &q->host[i].end_s, sizeof q->host[i].end_s);
  return received;
}

ss_status ss_play_failures(ss_failing_host *host, int64_t count, ss_error *error)
{
  question q = {host, count, error, SS_OK};
  const ss_status status = ss_apart_run(&(ss_apart){"simgrid", &q, run, receive}, error);
  return status != SS_OK ? status : q.status;
}
