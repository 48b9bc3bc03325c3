#include "sim/session/trace_choice.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/engine/replay.h"

/* Slices of a file of about 6 MiB, the most that is shown of itself: viewers open it at once, and it is written in a
 * tenth of a second. */
#define SLICES_MOST 3e4

#define MIB 1048576.0

/* A file that is worth a warning. */
#define LARGE_BYTES (256.0 * MIB)

static ss_selection first_replica(const ss_job *job)
{
  const int64_t ranks = job->replicas * job->tensor * job->context;
  return (ss_selection){.count = 1, .range = {{0, (job->stages - 1) * ranks, ranks}}};
}

/* The first micro-batches and as many of the last. */
static ss_selection both_ends(const ss_job *job, int64_t count)
{
  const int64_t all = job->micro_batches;
  return (ss_selection){.count = 2, .range = {{0, count - 1, 1}, {all - count, all - 1, 1}}};
}

static ss_status measure(const ss_job *job, ss_trace_choice *choice)
{
  ss_trace_size size;
  const ss_status status = ss_trace_size_of(job, &choice->ranks, &choice->micro_batches, &size);
  choice->slices = size.slices;
  choice->loads = size.loads;
  return status;
}

/* All, or the most that stay below the bound; one at each end anyway. */
static ss_status choose_micro_batches(const ss_job *job, ss_trace_choice *choice)
{
  int64_t least = 1, most = job->micro_batches / 2;
  choice->micro_batches = (ss_selection){.count = 0};
  ss_status status = measure(job, choice);
  if (status != SS_OK || choice->slices <= SLICES_MOST || most == 0) return status;
  while (status == SS_OK && least < most) {
    const int64_t middle = (least + most + 1) / 2;
    choice->micro_batches = both_ends(job, middle);
    status = measure(job, choice);
    if (choice->slices <= SLICES_MOST)
      least = middle;
    else
      most = middle - 1;
  }
  choice->micro_batches = both_ends(job, least);
  return status == SS_OK ? measure(job, choice) : status;
}

ss_status ss_trace_choose(const ss_output_options *options, const ss_session *session, ss_trace_choice *choice,
                          ss_error *error)
{
  const ss_job *job = &session->job;
  const bool names_ranks = options->trace_ranks.count > 0, names_batches = options->trace_micro_batches.count > 0;
  *choice = (ss_trace_choice){.ranks = names_ranks ? options->trace_ranks : first_replica(job),
                              .micro_batches = options->trace_micro_batches,
                              .is_ours = !names_ranks || !names_batches};
  const ss_status status = names_batches ? measure(job, choice) : choose_micro_batches(job, choice);
  return status == SS_OK ? SS_OK : ss_error_set(error, status, NULL, 0, "out of memory for a timeline");
}

static int64_t count_of(const ss_selection *selection, int64_t all)
{
  int64_t count = 0;
  for (int64_t i = 0; i < all; ++i) count += ss_selection_has(selection, i);
  return count;
}

void ss_trace_choice_say(const ss_trace_choice *choice, const ss_session *session, const char *path, double bytes)
{
  const int64_t ranks = ss_workload_gpus(&session->workload), batches = session->job.micro_batches;
  const int64_t shown_ranks = count_of(&choice->ranks, ranks),
                shown_batches = count_of(&choice->micro_batches, batches);
  const bool left_out = choice->is_ours && (shown_ranks < ranks || shown_batches < batches);
  if (!left_out && bytes < LARGE_BYTES) return;
  (void)fprintf(stderr,
                "stepsim: %s shows %" PRId64 " of %" PRId64 " ranks and %" PRId64 " of %" PRId64
                " micro-batches, in about %.1f MiB; --trace-ranks and --trace-micro-batches take a list or \"all\"\n",
                path, shown_ranks, ranks, shown_batches, batches, bytes / MIB);
}
