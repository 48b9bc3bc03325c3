#include "sim/crew/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "sim/process/process.h"

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

/* Ends a worker and writes how it ended: one that has stopped already keeps the status it stopped with. */
static void end_worker(worker *w, char fate[SS_FATE_SIZE])
{
  (void)close(w->line);
  (void)kill(w->process, SIGKILL);
  ss_process_wait(w->process, fate);
  free(w->answer);
}

void ss_pool_destroy(ss_pool *pool)
{
  char fate[SS_FATE_SIZE];
  if (pool == NULL) return;
  for (int64_t i = 0; i < pool->count; ++i) end_worker(&pool->worker[i], fate);
  free(pool->worker);
  free(pool->look);
  free(pool);
}

/* The life of a worker. It leaves without flushing what it has inherited from its parent. */
static void serve(const ss_pool *pool, worker *self)
{
  const ss_crew_work *work = pool->work;
  ss_crew_reply *answer = self->answer;
  int64_t item = NO_ITEM;
  while (ss_process_receive(self->line, &item, sizeof item)) {
    memset(answer, 0, pool->reply_size);
    answer->item = item;
    answer->status = work->work(work->context, item, answer + 1, &answer->error);
    if (!ss_process_send(self->line, answer, pool->reply_size)) break;
  }
  _exit(0);
}

/* The child: lets go of the lines of the others, and has one thread, since the threads that OpenMP believes to have
 * stayed behind in the parent. */
static void become_worker(ss_pool *pool, worker *self)
{
  for (int64_t i = 0; i < pool->count; ++i) (void)close(pool->worker[i].line);
#ifdef _OPENMP
  omp_set_num_threads(1);
#endif
  serve(pool, self);
}

static ss_status start_worker(ss_pool *pool, worker *w, ss_error *error)
{
  *w = (worker){.item = NO_ITEM, .answer = calloc(1, pool->reply_size)};
  if (w->answer == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a worker");
  w->process = ss_process_start(&w->line);
  if (w->process < 0) {
    const int problem = errno;
    free(w->answer);
    return ss_error_set(error, SS_ERROR_PROCESS, NULL, 0, "cannot start a process: %s", strerror(problem));
  }
  if (w->process == 0) become_worker(pool, w);
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
  (void)ss_process_send(w->line, &item, sizeof item); /* where it has stopped, ss_pool_take finds out */
  return SS_OK;
}

/* Removes a worker that stopped from the pool; returns a reply that says so. */
static const ss_crew_reply *excuse(ss_pool *pool, worker *w)
{
  ss_crew_reply *reply = &pool->excuse;
  char fate[SS_FATE_SIZE];
  reply->item = w->item;
  end_worker(w, fate);
  *w = pool->worker[--pool->count];
  reply->status = ss_error_set(&reply->error, SS_ERROR_PROCESS, NULL, 0, "the process that worked on item %lld %s",
                               (long long)reply->item, fate);
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
