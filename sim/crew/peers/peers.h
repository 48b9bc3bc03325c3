/* The processes that mpirun or srun started together, as far as the crew needs them: letters from one to another. */
#ifndef STEPSIM_SIM_CREW_PEERS_PEERS_H
#define STEPSIM_SIM_CREW_PEERS_PEERS_H

#include <stdbool.h>
#include <stddef.h>

/* Number 0 is the first, with which all others exchange letters: X(enumerator, who sends it and what it says). */
#define SS_LETTER_LIST(X)                                                                                              \
  X(SS_LETTER_OFFER, "to the first: I can work on so many items more at a time")                                       \
  X(SS_LETTER_ITEM, "from the first: work on this item")                                                               \
  X(SS_LETTER_REPLY, "to the first: the outcome of an item")                                                           \
  X(SS_LETTER_END, "from the first: there are no more items")                                                          \
  X(SS_LETTER_AGREED, "to the first: I have seen the end, and nothing of that work is still to come from me")          \
  X(SS_LETTER_VERDICT, "from the first: all have agreed, and so it has ended")                                         \
  X(SS_LETTER_SHARE, "from the first: bytes that all need")                                                            \
  X(SS_LETTER_LEAVING, "to the first: I am about to stop")                                                             \
  X(SS_LETTER_QUIT, "from the first: everybody stops")                                                                 \
  X(SS_LETTER_BYE, "to the first: the last letter")

typedef enum ss_letter_kind {
#define SS_LETTER_ID(id, meaning) id,
  SS_LETTER_LIST(SS_LETTER_ID)
#undef SS_LETTER_ID
      SS_LETTER_COUNT
} ss_letter_kind;

/* A letter received. Starts as all zero; the bytes are kept for the next letter, and freed by the owner. */
typedef struct ss_letter {
  int from;
  ss_letter_kind kind;
  void *bytes;
  size_t size, room;
} ss_letter;

/* Joins the others if the environment says that there may be any. Call it once, before threads and processes start. */
void ss_peers_join(void);

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
