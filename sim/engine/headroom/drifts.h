/* Drifts: how much earlier or later parts of a replay would be at most if no flow were taken for another one. Transfers
 * gain for as long as one of their flows would be faster, and lose for as long as one would have to leave it something
 * of a link. A replica goes on with what it has gained or lost, less what it would wait for all the same; so it hands
 * that on to its transfers, and these to who waits for them (max-plus algebra: Baccelli et al., Synchronization and
 * Linearity, 1992). What lies beside the path of what is waited for moves nothing, where a sum over all flows counts
 * it.
 *
 * That goes to first order: it presumes that flows meet the same others though they come a little earlier or later.
 * They do not: what a transfer loses to others comes or goes by chance, at most as much as flows are apart from when
 * they would come. These chances are taken to be independent, so that their squares add up along the path of what is
 * waited for: as in a random walk, replicas waver. No bound, as where the same transfers meet in every pass their
 * chances are the same, but more than all that was found.
 *
 * What all replicas of a class do in step changes by more than chance where they get out of step, which takes next to
 * nothing (encounters.h). A ring waits for the slowest of its flows, each of which meets others at other times then:
 * all that data-parallel collectives leave to other transfers along the path of what is waited for may come once more,
 * or not at all. What the rest leaves to others mostly averages out over many passes: it counts whole where it is
 * little, and beyond that grows with its square root. That is calibrated, on jobs that were compared with exact replays
 * (docs/replay.md), and no proof.
 *
 * Where links of the upper levels are short, messages that come early meet others there or none, and may gain all that
 * they leave to these: that is added up along the path of what is waited for, too. Where little is ahead, but much is
 * left to others, the sum of all that flows are ahead is less, and takes the place of both. Where flows go on in sets
 * there, what each of these is early is added up, whichever replicas wait for it, beside what the latest replica is
 * late. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_DRIFTS_H
#define STEPSIM_SIM_ENGINE_HEADROOM_DRIFTS_H

#include "sim/engine/core/world.h"
#include "sim/engine/headroom/encounters.h"

/* At most so much earlier, and so much later; the sum of the squares of what wavers; what transfers left to those of
 * other sorts (encounters.h), and of that what data-parallel collectives did; and what they left to any others on links
 * of the upper levels. */
typedef struct ss_drift {
  double early_s, late_s, wavered_s2, left_s, rings_left_s, upper_left_s;
} ss_drift;

/* What is known of the flow of a kind that is in progress. */
typedef struct ss_drifting_kind {
  int64_t begun;  /* how often it has */
  ss_drift phase; /* of the flows in a phase of which it is the first */
  double end_s;   /* when the last of these has ended */
  double share;   /* of its time that it loses now */
  double since_s; /* from then on; where its flow is over, when it has ended */
  double lost_s;  /* until then */
} ss_drifting_kind;

/* What a type of a kind has gained in the flow that has begun so often. */
typedef struct ss_drifting_type {
  int64_t begun;
  double gained_s;
} ss_drifting_type;

/* Messages of an outbox, or collectives of a data-parallel group, which go one after the other. */
typedef struct ss_drifting_lane {
  ss_drift start, arrived; /* of the one that is on its way, and of the last one that was */
  double last_s;           /* when all until now would have arrived at the latest */
  double alone_s;          /* by how much sooner than those of its group the last one would have arrived */
} ss_drifting_lane;

/* Zeroed: nothing drifts. */
typedef struct ss_drifts {
  const ss_presumption *presumption; /* borrowed */
  ss_observer observer;
  ss_world *world;        /* that is in vain where drifts are more than is tolerated; borrowed */
  ss_drifting_kind *kind; /* [kinds], owned */
  int64_t losing;         /* kinds whose flows lose something now */
  ss_drifting_type *type; /* [types], owned */
  ss_drift *replica;      /* [replicas], owned */
  int64_t kept;
  ss_drift *arrived;      /* [kept] transfers, the last ones, each at its number modulo `kept`; owned */
  ss_drifting_lane *lane; /* [replica][side], then [dp_group]; owned */
  double *message_last_s; /* [replica][side][chunk] when all messages until now would have come at the latest; owned */
  double *data_last_s;    /* [stages] the same of data-parallel collectives; owned */
  double sum_s;           /* what all sets were ahead, one after the other; 0 where any flow is waited for by itself */
  double ahead_s;         /* what all flows are ahead, one after the other */
  double apart_s;         /* flows come at most so long before or behind when they would */
  ss_drift most;          /* of all replicas at all times */
} ss_drifts;

/* Drifts of a world, to which they listen from now on. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_drifts_open(ss_drifts *drifts, const ss_presumption *presumption, ss_world *world);
void ss_drifts_free(ss_drifts *drifts);

/* The flow of a kind begins. */
void ss_drifts_begin(ss_drifts *drifts, int32_t kind);

/* A type of a kind would have gained so much time more. */
void ss_drifts_gain(ss_drifts *drifts, int32_t kind, int32_t type, double gained_s);

/* The flow of a kind has lost a share of its time until now, and loses another one from now on. */
void ss_drifts_lose(ss_drifts *drifts, int32_t kind, double share, double now_s);

/* All flows would be ahead of others by so much by now, one after the other. */
void ss_drifts_ahead(ss_drifts *drifts, double ahead_s);

/* The flow of a kind has ended, and left so much time to others. */
void ss_drifts_leave(ss_drifts *drifts, int32_t kind, ss_left left_s);

/* How far off the end of the replay may be, in s, by what is early and late, how far it wavers beside that, and what
 * replicas that are not in step would change beside both. */
double ss_drifts_most_s(const ss_drifts *drifts);
double ss_drifts_wavered_s(const ss_drifts *drifts);
double ss_drifts_out_of_step_s(const ss_drifts *drifts);

#endif
