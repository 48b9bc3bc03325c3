/* Letters from one process to another. */
#ifndef STEPSIM_SIM_CREW_PEERS_LETTER_H
#define STEPSIM_SIM_CREW_PEERS_LETTER_H

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

#endif
