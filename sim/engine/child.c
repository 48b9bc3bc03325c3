#include "sim/engine/child.h"

#include <stdlib.h>

#include "sim/engine/apart.h"
#include "sim/process/process.h"

static bool send_known(int line, const ss_known *known)
{
  return ss_process_send(line, known->crowded.link, (size_t)known->crowded.count * sizeof *known->crowded.link) &&
         ss_process_send(line, known->tight.link, (size_t)known->tight.count * sizeof *known->tight.link) &&
         ss_process_send(line, known->marks.mark, (size_t)known->marks.count * sizeof *known->marks.mark);
}

/* NULL where it could not be received. */
static void *receive_list(int line, size_t size)
{
  void *list = malloc(size > 0 ? size : 1);
  if (list != NULL && ss_process_receive(line, list, size)) return list;
  free(list);
  return NULL;
}

/* What is known follows the rest. */
static bool receive_outcome(int line, ss_outcome *out)
{
  const bool received = ss_process_receive(line, out, sizeof *out);
  ss_known *known = &out->known;
  known->crowded.link = NULL; /* the child's */
  known->tight.link = NULL;
  known->marks.mark = NULL;
  if (!received) return false;
  known->crowded.link = receive_list(line, (size_t)known->crowded.count * sizeof *known->crowded.link);
  if (known->crowded.link == NULL) return false;
  known->tight.link = receive_list(line, (size_t)known->tight.count * sizeof *known->tight.link);
  if (known->tight.link == NULL) return false;
  known->marks.mark = receive_list(line, (size_t)known->marks.count * sizeof *known->marks.mark);
  return known->marks.mark != NULL;
}

/* The lists of a history follow its counts. */
static bool send_history(int line, const ss_history *history)
{
  bool sent = ss_process_send(line, history, sizeof *history);
#define SS_HISTORY_SEND(name)                                                                                          \
  sent = sent && ss_process_send(line, history->name, (size_t)history->name##_count * sizeof *history->name);
  SS_HISTORY_LISTS(SS_HISTORY_SEND)
#undef SS_HISTORY_SEND
  return sent;
}

static bool receive_history(int line, ss_history *history)
{
  ss_history told;
  bool received = ss_process_receive(line, &told, sizeof told);
  ss_history_free(history);
  if (!received) return false;
  *history = told;
#define SS_HISTORY_FORGET(name) history->name = NULL; /* the child's */
  SS_HISTORY_LISTS(SS_HISTORY_FORGET)
#undef SS_HISTORY_FORGET
#define SS_HISTORY_RECEIVE(name)                                                                                       \
  if (received) history->name = receive_list(line, (size_t)told.name##_count * sizeof *told.name);                     \
  received = received && history->name != NULL;
  SS_HISTORY_LISTS(SS_HISTORY_RECEIVE)
#undef SS_HISTORY_RECEIVE
  return received;
}

/* What is asked for, and what came of it. */
typedef struct question {
  const ss_replay_options *options;
  void *self;
  void (*answer)(void *self, ss_outcome *out);
  ss_outcome *out;
} question;

static bool run(void *self, int line)
{
  static ss_outcome out; /* too large for comfort on a stack; the child has it to itself */
  const question *q = self;
  q->answer(q->self, &out);
  bool sent = ss_process_send(line, &out, sizeof out) && send_known(line, &out.known);
  if (q->options->history != NULL) sent = sent && send_history(line, q->options->history);
  return sent;
}

static bool receive(void *self, int line)
{
  const question *q = self;
  bool received = receive_outcome(line, q->out);
  if (q->options->history != NULL) received = received && receive_history(line, q->options->history);
  return received;
}

void ss_child_run(const ss_replay_options *options, void (*answer)(void *self, ss_outcome *out), void *self,
                  ss_outcome *out)
{
  question q = {options, self, answer, out};
  ss_error error = {0};
  *out = (ss_outcome){.status = SS_OK};
  const char *module = options->flows == SS_FLOWS_SIMULATED ? "simgrid" : NULL;
  const ss_status status = ss_apart_run(&(ss_apart){module, &q, run, receive}, &error);
  if (status == SS_OK) return; /* what the child has sent says how it went */
  out->status = status;
  out->error = error;
}

/* A replay that is asked for. */
typedef struct request {
  const ss_job *job;
  const ss_replay_options *options;
  const ss_known *known;
  ss_purpose purpose;
} request;

static void play(void *self, ss_outcome *out)
{
  const request *asked = self;
  ss_play(asked->job, asked->options, asked->known, asked->purpose, out);
}

void ss_play_in_child(const ss_job *job, const ss_replay_options *options, const ss_known *known, ss_purpose purpose,
                      ss_outcome *out)
{
  ss_child_run(options, play, &(request){job, options, known, purpose}, out);
}
