/* Messages between pipeline stages: activations forward, gradients backward, in the order of the passes that send. */
#ifndef STEPSIM_SIM_ENGINE_CORE_MESSAGES_H
#define STEPSIM_SIM_ENGINE_CORE_MESSAGES_H

#include "sim/engine/core/stage_replica.h"

/* The transfer of an outbox before its first message. */
ss_transfer ss_message_transfer(ss_world *world, ss_stage_replica *replica, ss_pass side);

/* Queues the message of the pass that a replica has just ended; it leaves when those before it have arrived. */
void ss_message_send(ss_world *world, ss_stage_replica *replica);

/* Whether that goes to another stage: what stays is there at once. */
bool ss_message_leaves(const ss_world *world, const ss_stage_replica *replica);

/* The message that an outbox has on its way, or had last; not before its first one. */
ss_message ss_message_of(const ss_transfer *transfer);

/* Bytes of a rank's part of a message. */
static inline double ss_message_bytes(const ss_job *job, const ss_message *message)
{
  return job->message_bytes[message->cargo];
}

#endif
