/* The processes that mpirun or srun started together, as far as the crew needs them: letters from one to another. */
#ifndef STEPSIM_SIM_CREW_PEERS_PEERS_H
#define STEPSIM_SIM_CREW_PEERS_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/error.h"
#include "sim/crew/peers/letter.h"

/* Joins the others if the environment says that there may be any. Call it once, before threads and processes start.
 * SS_ERROR_MODULE where MPI cannot be loaded. */
ss_status ss_peers_join(ss_error *error);

/* How many processes there are, at least 1. */
int ss_peers_count(void);

/* Which of them this one is, from 0. */
int ss_peers_self(void);

/* Sends a letter; it may wait until it is received. */
void ss_peers_send(int to, ss_letter_kind kind, const void *bytes, size_t size);

/* Whether a letter has come; of what kind. */
bool ss_peers_look(ss_letter_kind *kind);

/* Receives the letter that ss_peers_look has seen. False where memory ends. */
bool ss_peers_receive(ss_letter *letter);

/* Leaves the others: nothing can be sent or received after this. */
void ss_peers_leave(void);

#endif
