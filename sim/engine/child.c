/* A replay in a process of its own, which sends back what came of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/engine/play.h"
#include "sim/module/module.h"
#include "sim/process/process.h"

static bool send_known(int line, const ss_known_links *known)
{
  return ss_process_send(line, known->crowded.link, (size_t)known->crowded.count * sizeof *known->crowded.link) &&
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

/* What is known of links follows the rest. */
static bool receive_outcome(int line, ss_outcome *out)
{
  const bool received = ss_process_receive(line, out, sizeof *out);
  ss_known_links *known = &out->known;
  known->crowded.link = NULL; /* the child's */
  known->marks.mark = NULL;
  if (!received) return false;
  known->crowded.link = receive_list(line, (size_t)known->crowded.count * sizeof *known->crowded.link);
  if (known->crowded.link == NULL) return false;
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

static void run_child(const ss_job *job, const ss_replay_options *options, const ss_known_links *known, int line)
{
  static ss_outcome out; /* too large for comfort on a stack; the child has it to itself */
  ss_play(job, options, known, &out);
  bool sent = ss_process_send(line, &out, sizeof out) && send_known(line, &out.known);
  if (options->history != NULL) sent = sent && send_history(line, options->history);
  _exit(sent ? 0 : 1);
}

void ss_play_in_child(const ss_job *job, const ss_replay_options *options, const ss_known_links *known, ss_outcome *out)
{
  int line;
  char fate[SS_FATE_SIZE];
  *out = (ss_outcome){.status = SS_ERROR_MODULE};
  if (ss_module_load("simgrid", &out->error) == NULL) return; /* here, for all replays of this process */
  const pid_t child = ss_process_start(&line);
  if (child < 0) {
    out->status = ss_error_set(&out->error, SS_ERROR_ENGINE, NULL, 0, "cannot start a process: %s", strerror(errno));
    return;
  }
  if (child == 0) run_child(job, options, known, line);
  bool received = receive_outcome(line, out);
  if (options->history != NULL) received = received && receive_history(line, options->history);
  (void)close(line);
  ss_process_wait(child, fate);
  if (!received)
    out->status = ss_error_set(&out->error, SS_ERROR_ENGINE, NULL, 0, "the network simulation (process %ld) %s",
                               (long)child, fate);
}
