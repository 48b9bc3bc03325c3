/* What NCCL makes of steps and bytes. Of its two protocols, Simple passes large slices on and says when each is
 * complete: full bandwidth, long steps. LL sends a flag with every word: short steps, a fraction of the bandwidth. The
 * faster of the two is taken, as src/graph/tuning.cc of NCCL tries to, or on machines with nccl-tuning the one that it
 * takes (model/collective/tuning.h). Its third one, LL128, is not told apart from LL.
 * A machine that states no steps has one protocol, whose steps are those of the links. */
#ifndef STEPSIM_MODEL_COLLECTIVE_PROTOCOL_H
#define STEPSIM_MODEL_COLLECTIVE_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/machine.h"

/* Start-up and transfer of one message or collective that has its links to itself. */
typedef struct ss_comm_time {
  double latency_s, transfer_s;
  /* Of a collective, of the transfer: while NICs move bytes; and how much longer that takes beside another flow. */
  double nic_s, yields_s;
  double nvlink_s; /* of the transfer, while NVLink moves bytes at full speed */
} ss_comm_time;

/* What a machine states; all zero where everything is as its links are. */
typedef struct ss_protocols {
  bool stated; /* anything of this */
  bool steps;  /* of protocols */
  double start_s;
  double simple_nvlink_s, simple_fabric_s, tree_fabric_s, ll_nvlink_s, ll_fabric_s; /* one step */
  double simple_passing_s;      /* over NVLink of what crosses domains */
  bool ll_inside;               /* LL is used inside domains */
  double ll_fabric_bytes_per_s; /* what a GPU passes on across domains by LL; 0: not used there */
  double passing, ll_passing;   /* fabric-passing, ll-passing */
  double copying;               /* nvlink-copying */
  double domain_gpus;
  bool pairs; /* every two GPUs of a domain have links of their own */
} ss_protocols;

ss_protocols ss_protocols_of(const ss_machine *machine);

/* How steps follow one another.
 * rounds:   in each, every rank passes on what it got in the one before: rings
 * pipeline: piece after piece goes through all steps: trees, and switches that reduce
 * burst:    all is sent at once: all-to-all */
typedef enum ss_stepping { SS_ROUNDS, SS_PIPELINE, SS_BURST } ss_stepping;

/* Which of the protocols passes it on. */
typedef enum ss_protocol { SS_FASTEST, SS_SIMPLE, SS_LL } ss_protocol;

/* What a phase of a collective, or a message, asks of the links. */
typedef struct ss_demand {
  ss_stepping stepping;
  ss_protocol protocol; /* LL only if the machine has it there */
  double nvlink_steps, fabric_steps;
  double nvlink_s, fabric_s; /* transfer at the full speed of the ports and of the NICs */
  double links_s;            /* steps at the latency of the links */
  double passed_bytes;       /* through a GPU on their way across domains, in rounds; of a pipeline, each way;
                        0: of what LL does not do, such as switches */
  double copies;             /* steps more, inside a domain, that only copy */
  double peers;              /* GPUs of its domain that each sends to at a time */
  double gpus;               /* of a domain, which pass on what NICs get; 0: none does */
} ss_demand;

/* Start-up and transfer on a machine that states something. The transfer is that of the links at full speed: whatever
 * takes longer, because a protocol, a pair of GPUs or a GPU that passes on cannot use them fully, is start-up, so that
 * flows put no more on the links than they carry. */
ss_comm_time ss_protocol_time(const ss_protocols *protocols, const ss_demand *demand);

#endif
