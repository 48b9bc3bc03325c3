/* Rows of what starts a program on nodes, for frameworks whose own settings say nothing of it. Included by lists of
 * rows behind read_rows.h. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_LAUNCH_ROWS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_LAUNCH_ROWS_H

#include "sim/import/dialects/read_rows.h"

#define RANKS(name, what) NUMBER(name, what, RANKS, 1, SS_SETTING_MOST)

/* clang-format off */
#define SS_LAUNCH_ROWS                                                                                                 \
  RANKS("nnodes", NODES) RANKS("nproc-per-node", GPUS_OF_NODE) RANKS("nproc_per_node", GPUS_OF_NODE)                   \
  RANKS("sbatch.nodes", NODES) RANKS("sbatch.N", NODES) RANKS("sbatch.gpus-per-node", GPUS_OF_NODE)                    \
  RANKS("sbatch.gres", GPUS_OF_NODE) RANKS("srun.nodes", NODES) RANKS("srun.N", NODES)                                 \
  RANKS("srun.gpus-per-node", GPUS_OF_NODE) RANKS("srun.gres", GPUS_OF_NODE)                                           \
  RANKS("sbatch.ntasks-per-node", TASKS_OF_NODE) RANKS("srun.ntasks-per-node", TASKS_OF_NODE)                          \
  RANKS("deepspeed.num-gpus", GPUS_OF_NODE) RANKS("deepspeed.num-nodes", NODES)                                        \
  RANKS("deepspeed.num_gpus", GPUS_OF_NODE) RANKS("deepspeed.num_nodes", NODES)                                        \
  RANKS("accelerate.num-processes", PROCESSES) RANKS("accelerate.num_processes", PROCESSES)                            \
  RECIPE("accelerate.config-file") RECIPE("accelerate.config_file") IDLE("srun.*") IDLE("sbatch.*") IDLE("mpirun.*")   \
  IDLE("accelerate.*") IDLE("nsys.*") IDLE("ncu.*") IDLE("uv.*") IDLE("numactl.*") IDLE("deepspeed.*")                 \
  IDLE("convert.*") IDLE("master-addr") IDLE("master-port") IDLE("master_addr") IDLE("master_port")                    \
  IDLE("node-rank") IDLE("node_rank") IDLE("rdzv*") IDLE("tee") IDLE("max-restarts") IDLE("module") IDLE("no-python")
/* clang-format on */

#endif
