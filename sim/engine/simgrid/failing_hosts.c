#include "sim/engine/simgrid/failing_hosts.h"

#include <inttypes.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdlib.h>

#include "sim/engine/simgrid/start.h"

/* What happens at the same time, as a share of the longest run: above the rounding of its times. */
#define TIE_SHARE 1e-13

/* The job on a host: what is its own when the host fails. */
typedef struct job {
  ss_failing_host *host;
  double kept_s; /* of the work, by the last checkpoint that is written */
  int64_t *left; /* of all jobs */
} job;

/* Lets time of a job pass, which stops with its host. An execution would do the same, but SimGrid 3.32 keeps a callback
 * of each one that ends so, and calls all of them whenever a host fails. */
static void spend(double time_s)
{
  if (time_s > 0.0) sg_actor_sleep_for(time_s);
}

/* A piece of work with the pause behind it. The write of the checkpoint before it, if there is
 * one, goes on meanwhile; one that is longer is given up for the next. */
static void work_on(job *j, double done_s, double piece_s)
{
  const double whole_s = piece_s + j->host->rhythm.pause_s, write_s = j->host->rhythm.write_s;
  const double beside_s = done_s > j->kept_s && write_s <= whole_s ? write_s : 0.0;
  spend(beside_s);
  if (beside_s > 0.0) j->kept_s = done_s;
  spend(whole_s - beside_s);
}

/* An actor, which starts again with its host: what was not kept is done again. */
static void job_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  job *j = sg_host_get_data(sg_host_self());
  const double work_s = j->host->work_s, write_s = j->host->rhythm.write_s;
  if (j->kept_s >= work_s) return;
  for (double done_s = j->kept_s; done_s < work_s;) {
    const double piece_s = fmin(j->host->rhythm.interval_s, work_s - done_s);
    work_on(j, done_s, piece_s);
    done_s = piece_s < work_s - done_s ? done_s + piece_s : work_s;
    if (write_s == 0.0) j->kept_s = done_s;
  }
  spend(write_s);
  j->kept_s = work_s;
  j->host->end_s = simgrid_get_clock();
  if (--*j->left == 0) sg_actor_kill_all();
}

/* An actor whose host never fails: the simulator stops where all that are left are off. */
static void stay_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  sg_actor_sleep_for(1e300);
}

static void write_host(const ss_outages *outages, int64_t index, FILE *file)
{
  (void)fprintf(file, "<host id=\"%" PRId64 "\" speed=\"1f\"/>\n", index);
  if (outages->count == 0) return;
  (void)fprintf(file, "<trace id=\"outages-%" PRId64 "\" periodicity=\"-1\">\n", index);
  for (int64_t i = 0; i < outages->count; ++i)
    (void)fprintf(file, "%.17g 0\n%.17g 1\n", outages->item[i].off_s, outages->item[i].on_s);
  (void)fprintf(
      file, "</trace>\n<trace_connect kind=\"HOST_AVAIL\" trace=\"outages-%" PRId64 "\" element=\"%" PRId64 "\"/>\n",
      index, index);
}

/* The last host never fails. */
static ss_status load(const ss_failing_host *host, int64_t count, ss_error *error)
{
  static const ss_outages none;
  FILE *file = ss_simgrid_open(error);
  if (file == NULL) return SS_ERROR_ENGINE;
  (void)fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
              "<platform version=\"4.1\">\n<zone id=\"runs\" routing=\"Full\">\n",
              file);
  for (int64_t i = 0; i < count; ++i) write_host(&host[i].outages, i, file);
  write_host(&none, count, file);
  (void)fputs("</zone>\n</platform>\n", file);
  const bool written = fflush(file) == 0 && ferror(file) == 0;
  if (written) ss_simgrid_load(file);
  (void)fclose(file);
  if (written) return SS_OK;
  return ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0, "cannot write when hosts fail to a file in memory");
}

static sg_host_t find_host(int64_t index)
{
  char name[32];
  (void)snprintf(name, sizeof name, "%" PRId64, index);
  sg_host_t found = sg_host_by_name(name);
  SS_ASSERT(found != NULL);
  return found;
}

static double longest_s(const ss_failing_host *host, int64_t count)
{
  double longest = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const ss_outages *outages = &host[i].outages;
    longest = fmax(longest, host[i].work_s + (outages->count > 0 ? outages->item[outages->count - 1].on_s : 0.0));
  }
  return longest;
}

ss_status ss_failing_hosts_run(ss_failing_host *host, int64_t count, ss_error *error)
{
  int64_t left = count;
  job *jobs = calloc((size_t)count, sizeof *jobs);
  if (jobs == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for hosts that fail");
  ss_simgrid_start(TIE_SHARE * longest_s(host, count), false);
  const ss_status status = load(host, count, error);
  for (int64_t i = 0; status == SS_OK && i < count; ++i) {
    sg_host_t of = find_host(i);
    jobs[i] = (job){.host = &host[i], .left = &left};
    sg_host_set_data(of, &jobs[i]);
    sg_actor_set_auto_restart(sg_actor_create_("job", of, job_main, 0, NULL), 1);
  }
  if (status == SS_OK) {
    (void)sg_actor_create_("stay", find_host(count), stay_main, 0, NULL);
    simgrid_run();
  }
  free(jobs);
  if (status != SS_OK || left == 0) return status;
  return ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "the simulation ended before %" PRId64 " runs did", left);
}
