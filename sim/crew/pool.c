#include "sim/crew/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { NO_ITEM = -1 };

typedef struct worker {
  pid_t process;
  int line;              /* this end of the pair of sockets */
  int64_t item;          /* it works on, or NO_ITEM */
  size_t received;       /* bytes of its reply so far */
  ss_crew_reply *answer; /* with the outcome; owned */
} worker;

struct ss_pool {
  const ss_crew_work *work;
  size_t reply_size;
  worker *worker;      /* [count]; room for limit; owned */
  struct pollfd *look; /* [limit]; owned */
  int64_t count, limit;
  ss_crew_reply excuse; /* for the last worker that stopped */
};

size_t ss_crew_reply_size(const ss_crew_work *work)
{
  return sizeof(ss_crew_reply) + work->outcome_size;
}

const void *ss_crew_reply_outcome(const ss_crew_reply *reply)
{
  return reply + 1;
}

static int64_t threads(void)
{
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

int64_t ss_crew_limit(const ss_crew_work *work)
{
  const int64_t most = work->at_a_time > 0 ? work->at_a_time : threads();
  return most < work->count ? most : work->count;
}

ss_pool *ss_pool_create(const ss_crew_work *work, ss_error *error)
{
  const int64_t limit = ss_crew_limit(work);
  ss_pool *pool = calloc(1, sizeof *pool);
  worker *workers = calloc((size_t)limit, sizeof *workers);
  struct pollfd *look = calloc((size_t)limit, sizeof *look);
  if (pool != NULL && workers != NULL && look != NULL) {
    *pool = (ss_pool){
        .work = work, .reply_size = ss_crew_reply_size(work), .worker = workers, .look = look, .limit = limit};
    return pool;
  }
  free(pool);
  free(workers);
  free(look);
  (void)ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld workers", (long long)limit);
  return NULL;
}

/* Ends a worker; returns what waitpid says about it. */
static int end_worker(worker *w)
{
  int wait_status = 0;
  (void)close(w->line);
  (void)kill(w->process, SIGKILL); /* one that has stopped already keeps the status it stopped with */
  while (waitpid(w->process, &wait_status, 0) < 0 && errno == EINTR) continue;
  free(w->answer);
  return wait_status;
}

void ss_pool_destroy(ss_pool *pool)
{
  if (pool == NULL) return;
  for (int64_t i = 0; i < pool->count; ++i) (void)end_worker(&pool->worker[i]);
  free(pool->worker);
  free(pool->look);
  free(pool);
}

static bool send_all(int line, const void *bytes, size_t size)
{
  const char *data = bytes;
  for (size_t sent = 0; sent < size;) {
    const ssize_t n =
        send(line, data + sent, size - sent, MSG_NOSIGNAL); /* a worker that is gone must not kill this process */
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) sent += (size_t)n;
  }
  return true;
}

static bool receive_all(int line, void *bytes, size_t size)
{
  char *data = bytes;
  for (size_t received = 0; received < size;) {
    const ssize_t n = recv(line, data + received, size - received, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) received += (size_t)n;
  }
  return true;
}

/* The life of a worker. It leaves without flushing what it has inherited from its parent. */
static void serve(const ss_pool *pool, worker *self)
{
  const ss_crew_work *work = pool->work;
  ss_crew_reply *answer = self->answer;
  int64_t item = NO_ITEM;
  while (receive_all(self->line, &item, sizeof item)) {
    memset(answer, 0, pool->reply_size);
    answer->item = item;
    answer->status = work->work(work->context, item, answer + 1, &answer->error);
    if (!send_all(self->line, answer, pool->reply_size)) break;
  }
  _exit(0);
}

/* The child: dies with its parent, lets go of the lines of the others, and has one thread, since the threads that
 * OpenMP believes to have stayed behind in the parent. */
static void become_worker(ss_pool *pool, worker *self, pid_t parent)
{
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0); /* it died before the line above */
  for (int64_t i = 0; i < pool->count; ++i) (void)close(pool->worker[i].line);
#ifdef _OPENMP
  omp_set_num_threads(1);
#endif
  serve(pool, self);
}

static ss_status start_worker(ss_pool *pool, worker *w, ss_error *error)
{
  int ends[2];
  *w = (worker){.item = NO_ITEM, .answer = calloc(1, pool->reply_size)};
  if (w->answer == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a worker");
  const bool paired = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
  const pid_t parent = getpid();
  (void)fflush(NULL);
  w->process = paired ? fork() : -1;
  if (w->process < 0) {
    const int problem = errno;
    for (int i = 0; paired && i < 2; ++i) (void)close(ends[i]);
    free(w->answer);
    return ss_error_set(error, SS_ERROR_PROCESS, NULL, 0, "cannot start a process: %s", strerror(problem));
  }
  w->line = ends[w->process == 0];
  (void)close(ends[w->process != 0]);
  if (w->process == 0) become_worker(pool, w, parent);
  return SS_OK;
}

static worker *idle_worker(const ss_pool *pool)
{
  for (int64_t i = 0; i < pool->count; ++i)
    if (pool->worker[i].item == NO_ITEM) return &pool->worker[i];
  return NULL;
}

bool ss_pool_has_room(const ss_pool *pool)
{
  return pool->count < pool->limit || idle_worker(pool) != NULL;
}

ss_status ss_pool_give(ss_pool *pool, int64_t item, ss_error *error)
{
  worker *w = idle_worker(pool);
  if (w == NULL) {
    SS_ASSERT(pool->count < pool->limit);
    w = &pool->worker[pool->count];
    const ss_status status = start_worker(pool, w, error);
    if (status != SS_OK) return status;
    ++pool->count;
  }
  w->item = item;
  w->received = 0;
  (void)send_all(w->line, &item, sizeof item); /* where it has stopped, ss_pool_take finds out */
  return SS_OK;
}

/* Removes a worker that stopped from the pool; returns a reply that says so. */
static const ss_crew_reply *excuse(ss_pool *pool, worker *w)
{
  ss_crew_reply *reply = &pool->excuse;
  reply->item = w->item;
  const int wait_status = end_worker(w);
  *w = pool->worker[--pool->count];
  reply->status = WIFSIGNALED(wait_status)
                      ? ss_error_set(&reply->error, SS_ERROR_PROCESS, NULL, 0,
                                     "the process that worked on item %lld was ended by signal %d (%s)",
                                     (long long)reply->item, WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)))
                      : ss_error_set(&reply->error, SS_ERROR_PROCESS, NULL, 0,
                                     "the process that worked on item %lld stopped with status %d",
                                     (long long)reply->item, WEXITSTATUS(wait_status));
  return reply;
}

/* Reads what a worker has sent; its reply where that is all of it, else NULL. */
static const ss_crew_reply *read_more(ss_pool *pool, worker *w)
{
  char *data = (char *)w->answer;
  const ssize_t n = recv(w->line, data + w->received, pool->reply_size - w->received, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return NULL;
  if (n <= 0) return excuse(pool, w);
  w->received += (size_t)n;
  if (w->received < pool->reply_size) return NULL;
  w->item = NO_ITEM;
  return w->answer;
}

/* Waits once. A worker without work that stops is noticed when it is given some. */
static const ss_crew_reply *look_once(ss_pool *pool, int timeout_ms)
{
  for (int64_t i = 0; i < pool->count; ++i) {
    const bool busy = pool->worker[i].item != NO_ITEM;
    pool->look[i] = (struct pollfd){.fd = busy ? pool->worker[i].line : -1, .events = POLLIN};
  }
  if (poll(pool->look, (nfds_t)pool->count, timeout_ms) <= 0) return NULL;
  const ss_crew_reply *reply = NULL;
  for (int64_t i = 0; reply == NULL && i < pool->count; ++i)
    if (pool->look[i].revents != 0) reply = read_more(pool, &pool->worker[i]);
  return reply;
}

const ss_crew_reply *ss_pool_take(ss_pool *pool, int timeout_ms)
{
  const ss_crew_reply *reply = look_once(pool, timeout_ms);
  while (reply == NULL && timeout_ms < 0) reply = look_once(pool, timeout_ms);
  return reply;
}
