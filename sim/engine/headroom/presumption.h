/* Presumption: flows of a folded replay that are presumed to do the same though they cross links that differ, such as
 * the flows of a data-parallel ring, of which two share their ports with the messages of a slow replica.
 *
 * Such flows are of one kind and of several types: those of a type cross links of the same classes. One flow stands for
 * the kind, and crosses the links of all types. Each link is crossed by as many flows of each kind as all others of its
 * class. So what is fair and fits on the folded network fits on the whole one; and it is fair there, too, if every flow
 * has a bottleneck on its own path: a link that is full, on which no flow is faster. Then it is what the whole network
 * does, as fair rates are unique (Bertsekas and Gallager, Data Networks, 6.5.2).
 *
 * Whether every type has a bottleneck is watched (presumption_watch.h). Where one has none, or would be ahead of others
 * by more than is tolerated, its flows get a mark that tells them apart, and the replay starts again. Types that have
 * none at the same times, and would be as fast then, get the same mark: they are presumed to be alike again. Where
 * flows may be taken for others, only those get a mark that are well ahead, and the same one where they are about as
 * much. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_PRESUMPTION_H
#define STEPSIM_SIM_ENGINE_HEADROOM_PRESUMPTION_H

#include "sim/engine/core/transfer.h"
#include "sim/engine/headroom/headroom.h"

/* A flow, by the number that it has before the fold, and all marks that it got, mixed. */
typedef struct ss_flow_mark {
  int32_t flow;
  uint64_t mark;
} ss_flow_mark;

/* So many attempts may go by groups: with what marks tell apart by then, the next ones hardly leave fewer replicas than
 * where messages tell them apart. */
#define SS_PRESUMED_GROUPS_MOST 4

/* Zeroed: no marks. */
typedef struct ss_flow_marks {
  bool all;          /* nothing is presumed: every link tells flows apart */
  int64_t given;     /* by all attempts; a flow may have got several */
  int64_t by_groups; /* attempts in which messages told no replicas of expert groups apart */
  int64_t count;
  ss_flow_mark *mark; /* [count] flows that have any, in the order of their numbers; owned */
} ss_flow_marks;

/* Whether more is told apart than before. */
static inline bool ss_flow_marks_tell_more(const ss_flow_marks *before, const ss_flow_marks *after)
{
  return after->all > before->all || after->given > before->given || after->by_groups > before->by_groups;
}

/* Zeroed: nothing is presumed. */
typedef struct ss_presumption {
  const ss_flow_marks *known; /* borrowed */
  double tolerance_s;         /* flows are taken for others until these would be so much ahead in all; 0: never */
  double tolerance;           /* or, where that is longer, so much of the time that has passed */
  double patience;            /* so many times as much where that would be found out at length; 0: once */
  bool meets_at_ports;        /* no flow crosses a link between its ports that takes part */
  int64_t kinds, flows;
  uint8_t *sort;     /* [kinds] ss_transfer_kind of the transfers that have flows of each; owned */
  bool *is_upper;    /* [links] crossed between ports of flows, such as from leaf switches up; owned; NULL: none is */
  int32_t *together; /* [kinds] of each the first kind whose flows a transfer waits for beside its own: those of a
                        phase; owned */
  int32_t *type_of_flow; /* [flows], -1: crosses all links of its kind; owned */
  ss_lists types;        /* int32_t: a kind, and the links that a type of it crosses, in order; without those types that
                            cross all that their kind does */
  int64_t *first_type;   /* [kinds + 1] of `type`; owned */
  int32_t *type;         /* the types of each kind; owned */
  ss_lists sets;         /* int32_t: the first kind of a phase, and flows of it that are waited for together: their
                            types, or `ss_presumption_whole` of their kind. Those who wait for a set go on when the last
                            of it has arrived, whoever else has the same class */
  int64_t *first_set;    /* [kinds + 1] of `set`; owned; NULL: any flow may be waited for by itself */
  int32_t *set;          /* the sets of each first kind; owned */
} ss_presumption;

/* What stands in a set for flows that cross all links of their kind, and the kind that it stands for. */
static inline int32_t ss_presumption_whole(int32_t kind)
{
  return -1 - kind;
}

/* Begins to presume, of so many flows of so many kinds, each by itself. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_presumption_init(ss_presumption *presumption, int64_t kinds, int64_t flows);
void ss_presumption_free(ss_presumption *presumption);

/* Adds a flow of a kind, which crosses some of the links of the kind. `item`: the kind, then the links, in order,
 * [count]. SS_ERROR_MEMORY. */
ss_status ss_presumption_add(ss_presumption *presumption, int64_t flow, const int32_t *item, int64_t count);

/* Lists the types of each kind, when all flows have been added. SS_ERROR_MEMORY. */
ss_status ss_presumption_sort(ss_presumption *presumption);

/* Adds a set of flows that are waited for together, `item` [count]; and lists those of each first kind, when all have
 * been added. SS_ERROR_MEMORY. */
ss_status ss_presumption_add_set(ss_presumption *presumption, const int32_t *item, int64_t count);
ss_status ss_presumption_sort_sets(ss_presumption *presumption);

/* Numbers the links of the types as the narrowed paths do (ss_link_paths_narrow), over which the flows are watched: no
 * more flows are added then. SS_ERROR_MEMORY. */
ss_status ss_presumption_narrow(ss_presumption *presumption, const ss_link_paths *paths, const ss_link_paths *narrow);

/* As much as flows may be ahead of others at a time. */
double ss_presumption_tolerated_s(const ss_presumption *presumption, double now_s);

/* The kind of a type. */
int32_t ss_presumption_kind(const ss_presumption *presumption, int32_t type);

/* The links that a type crosses. */
const int32_t *ss_presumption_type(const ss_presumption *presumption, int32_t type, int64_t *count);

#endif
