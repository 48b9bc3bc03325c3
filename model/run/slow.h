/* Parts that become slow and well again, and what that makes of the speed of a job. */
#ifndef STEPSIM_MODEL_RUN_SLOW_H
#define STEPSIM_MODEL_RUN_SLOW_H

#include <stdbool.h>

#include "model/fabric/link.h"
#include "model/fabric/part_counts.h"

/* Parts that all wait for while they are slow: X(enumerator, "label", "key", "property", whether it is taken out with
 * its node). A node that is taken out is repaired; what is of the fabric is switched off until it is mended. */
#define SS_SLOW_LIST(X)                                                                                                \
  X(SS_SLOW_GPU, "GPUs", "gpus", "slow-rate", true)                                                                    \
  X(SS_SLOW_NIC, "NICs", "nics", "slow-nic-rate", true)                                                                \
  X(SS_SLOW_CABLE, "cables", "cables", "slow-cable-rate", false)                                                       \
  X(SS_SLOW_SWITCH, "switches", "switches", "slow-switch-rate", false)

typedef enum ss_slow_kind {
#define SS_SLOW_ID(id, label, key, property, of_node) id,
  SS_SLOW_LIST(SS_SLOW_ID)
#undef SS_SLOW_ID
      SS_SLOW_KINDS
} ss_slow_kind;

const char *ss_slow_label(ss_slow_kind kind);
const char *ss_slow_key(ss_slow_kind kind);
const char *ss_slow_property(ss_slow_kind kind);
bool ss_slow_is_of_node(ss_slow_kind kind);

/* Parts of a kind that are all alike. GPUs are, and so are NICs; of cables and switches there are several lists, by
 * their place and by what they carry. */
typedef struct ss_slow {
  double rate_per_s, speed; /* of all of them; of the job meanwhile */
  double mean_s;            /* that it lasts, exponentially distributed */
  double detection_s;       /* until the part is taken out with its node, or switched off; 0: never */
  double exclusion_s;       /* that taking it out with its node takes */
  ss_slow_kind kind;
  double off_speed;  /* of the job while the part is switched off, above `speed` where it ever is */
  double parts;      /* of these that the job has */
  const char *place; /* of cables and switches; borrowed, as the next */
  const char *link;  /* that was slow, or at the switch, in the replay that `speed` is from; empty without one */
} ss_slow;

/* The lists: that of GPUs, that of NICs, and those of places in the fabric. */
enum { SS_SLOW_ROLES = 3, SS_SLOW_MOST = SS_SLOW_CABLE + 2 * SS_FABRIC_LEVELS };

/* Cables or switches at a place of the fabric that carry about the same. */
typedef struct ss_slow_place {
  ss_slow_kind kind;
  char place[32];               /* "above level 1" */
  char link[SS_LINK_NAME_SIZE]; /* of the part that was replayed; empty without a replay */
  double parts;                 /* that the job uses */
  double speed;                 /* of the job while one of them is slow, as a share */
  double off_speed;             /* and while one of them is switched off; `speed` where nobody would, or could */
} ss_slow_place;

/* How slow a job is with slow parts of the fabric. Zeroed: it has none. */
typedef struct ss_slow_fabric {
  ss_slow_place place[SS_SLOW_MOST - SS_SLOW_CABLE]; /* [count] */
  int count;
} ss_slow_fabric;

/* How long a part that becomes slow stays so in the job, in the mean: until it is well, taken out or switched off. */
double ss_slow_stays_s(const ss_slow *slow);

/* Whether the job notices: a part of the fabric with which it has all of its speed takes nothing. */
bool ss_slow_matters(const ss_slow *slow);

/* How often a slow part is taken out with its node. */
double ss_slow_out_per_s(const ss_slow *slow);

/* The mean share of its speed that a job has with slow parts, of [count] lists in the order of their kinds. At any time
 * a Poisson number of parts of a list are slow, rate times how long one stays so, and of what is of the fabric another
 * one are switched off, rate times what is left until it is mended. Of a kind, the one with which the job is slowest
 * counts; the speeds of kinds multiply. */
double ss_slow_mean_speed(const ss_slow *slow, int count);

#endif
