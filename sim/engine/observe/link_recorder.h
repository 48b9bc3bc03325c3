/* A writer of links that keeps what each carried, and the busiest over time, for the history of a replay. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_LINK_RECORDER_H
#define STEPSIM_SIM_ENGINE_OBSERVE_LINK_RECORDER_H

#include "model/result/history.h"
#include "model/result/link_writer.h"

typedef struct ss_link_recorder {
  const ss_busy_links *busiest;
  ss_history *history;
  bool incomplete; /* there was no memory for something */
} ss_link_recorder;

/* The writer of a recorder, which must outlive it. Closing it fails with SS_ERROR_MEMORY. */
ss_link_writer ss_link_recorder_writer(ss_link_recorder *recorder);

#endif
