/* Which flows the collectives and messages of a world are made of, and which links they cross. */
#ifndef STEPSIM_SIM_ENGINE_CORE_FLOW_SETUP_H
#define STEPSIM_SIM_ENGINE_CORE_FLOW_SETUP_H

#include "sim/engine/core/world.h"

/* Lists the methods of all groups and makes the routes of all replicas, dp_groups and expert-parallel groups.
 * SS_ERROR_MEMORY. */
ss_status ss_wire(ss_world *world);

/* Lays out the links of the machine, where another job has not. SS_ERROR_MEMORY; SS_ERROR_INPUT for link-speed. */
ss_status ss_wire_fabric(ss_world *world, ss_error *error);

/* Finds the paths of all flows that become flows through the machine's fabric. SS_ERROR_MEMORY; SS_ERROR_INPUT where
 * there is no path. */
ss_status ss_wire_network(ss_world *world, ss_error *error);

/* Releases all that. */
void ss_unwire(ss_world *world);

/* A route and who sends over it: a replica, a dp_group, an expert-parallel group or a tie by its index in the
 * world. */
typedef struct ss_owner {
  ss_transfer_kind kind;
  int64_t index;
  int64_t use; /* tells the routes of an owner apart */
  ss_route *route;
} ss_owner;

/* All routes of a world; how many. `owner` has room for them, or is NULL. */
int64_t ss_flow_setup_owners(const ss_world *world, ss_owner *owner);

/* Whether the flows of an owner ever cross the network. */
bool ss_owner_sends(const ss_world *world, const ss_owner *owner);

/* The index of a method in a list; it has to be there. */
int64_t ss_method_find(const ss_method_list *list, ss_method method);

/* How a collective of a layer and of data parallelism is done. */
ss_method ss_call_method(const ss_world *world, const ss_task *task, int64_t call);
ss_method ss_data_method(const ss_world *world, int64_t stage, const ss_stage_op *op);

/* How the ends of the model add up the gradient of their table. */
ss_method ss_tie_method(const ss_world *world);

#endif
