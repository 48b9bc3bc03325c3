#include "sim/engine/worth.h"

#include "model/schedule/schedule.h"
#include "sim/engine/setup/fold.h"

/* Passes that are one run take as long as a block of others. */
double ss_worth_set_ups(const ss_world *world, int64_t passes)
{
  const double blocks_of_rank = 64.0;
  const ss_job *job = world->job;
  const int64_t chunks = job->stages * job->chunks, blocks = world->whole_passes ? chunks : job->block_first[chunks];
  return (double)(passes * blocks) / (blocks_of_rank * (double)(chunks * world->replica_count * world->width));
}

/* Attempts take at least what it takes to put them together. A large job spares links twice, and then as long as that
 * has taken no more than what a replay with all links takes, of which passes with flows take up to ten times as long as
 * `ss_worth_set_ups` says. Where passes are runs, attempts take little else, as few replicas are left in most of them;
 * live passes take their time in attempts, too. */
int64_t ss_worth_attempts(const ss_world *world, int64_t plainly)
{
  const double longer = world->whole_passes ? 10.0 : 3.0;
  if (!ss_fold_is_large(world)) return INT64_MAX;
  const int64_t replicas = plainly > 0 ? plainly : world->replica_count;
  return 2 + (int64_t)(longer * ss_worth_set_ups(world, replicas * ss_schedule_length(&world->job->shape)));
}
