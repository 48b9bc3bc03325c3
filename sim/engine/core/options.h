/* What a replay is asked, and what it answers. */
#ifndef STEPSIM_SIM_ENGINE_CORE_OPTIONS_H
#define STEPSIM_SIM_ENGINE_CORE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/plan/job.h"
#include "model/result/contention.h"
#include "model/result/history.h"
#include "model/result/link_writer.h"
#include "model/result/prediction.h"
#include "model/result/timeline.h"
#include "sim/engine/core/budget.h"

/* X(enumerator, "word", "what it is"). */
#define SS_FLOWS_LIST(X)                                                                                               \
  X(SS_FLOWS_SHARED, "shared", "only collectives that share links; the others take their computed time")               \
  X(SS_FLOWS_ALL, "all", "every collective")                                                                           \
  X(SS_FLOWS_SIMULATED, "simulated", "every collective, and SimGrid simulates its flows")

typedef enum ss_flow_mode {
#define SS_FLOWS_ID(id, word, help) id,
  SS_FLOWS_LIST(SS_FLOWS_ID)
#undef SS_FLOWS_ID
      SS_FLOWS_COUNT
} ss_flow_mode;

/* X(enumerator, "word", "what it is"). */
#define SS_FOLD_LIST(X)                                                                                                \
  X(SS_FOLD_AUTO, "auto", "exact, and near for large jobs")                                                            \
  X(SS_FOLD_EXACT, "exact", "what provably behaves the same only once")                                                \
  X(SS_FOLD_NEAR, "near", "what nearly does, with flows ahead by 0.5 % of the iteration in all, and how many were")    \
  X(SS_FOLD_FLAT, "flat", "exact, as if the upper levels of the fabric were never short, and how many links were")     \
  X(SS_FOLD_NONE, "none", "everything")

typedef enum ss_fold {
#define SS_FOLD_ID(id, word, help) id,
  SS_FOLD_LIST(SS_FOLD_ID)
#undef SS_FOLD_ID
      SS_FOLD_COUNT
} ss_fold;

typedef struct ss_replay_options {
  bool private_links; /* no contention: every message and collective takes its computed time; no network simulator */
  bool only_time;     /* with these: nobody asks how the iteration divides, which need not be added up then */
  ss_flow_mode flows;
  ss_fold fold;
  const ss_job *co_scheduled; /* another job on other GPUs of the machine, over and over; or NULL */
  uint64_t seed;              /* of what is drawn: noise, stalls, documents */
  ss_budget budget;
  bool verbose;           /* print the pinned engine settings on standard error */
  ss_timeline *timelines; /* [timeline_count] trace writers, closed by a replay that succeeds */
  int64_t timeline_count;
  ss_link_writer *links;          /* told what every link carried, and closed, by a replay that succeeds; or NULL */
  ss_history *history;            /* filled by a replay that succeeds, zeroed before; or NULL */
  const char *title;              /* of the traces */
  void (*progress)(double share); /* called now and then with the share of the work that is done; or NULL */
} ss_replay_options;

typedef struct ss_replay_result {
  ss_breakdown breakdown; /* of the replica that finished last */
  int64_t critical_stage, critical_replica;
  int64_t co_scheduled_iterations; /* that the other job has finished in that time, and their mean */
  double co_scheduled_iteration_s;
  int64_t flows;                     /* that crossed the network, counting what is simulated once as often as it is */
  double nvlink_bytes, fabric_bytes; /* they carried, by zone of their first link */
  int64_t stage_replicas,
      simulated_stage_replicas; /* stages of replicas; those of them that were simulated, for the others, too */
  ss_shortcuts shortcuts;       /* what keeps it from being exact */
  ss_exposed exposed;           /* of the replica that finished last */
  double behind_s;              /* that it waited for others in collectives, since their kernels took longer */
  ss_busy_links links;
  ss_critical_path path;
} ss_replay_result;

#endif
