#include "sim/engine/core/transfer.h"

#include <math.h>

void ss_transfer_choose_route(ss_transfer *transfer, const ss_method_list *list, const ss_route *routes)
{
  ss_transfer_take_route(transfer, &routes[ss_method_list_find(list, transfer->method, transfer->top_k)]);
}

void ss_transfer_take_route(ss_transfer *transfer, const ss_route *route)
{
  transfer->route = route;
  transfer->phases = route->phases;
  transfer->on_network = transfer->world->common->network != NULL;
}

ss_start_up ss_transfer_start_up(const ss_transfer *transfer)
{
  const ss_job *job = transfer->world->job;
  const double whole_bytes = transfer->volume_bytes / transfer->starts;
  ss_network own;
  const ss_network *network = ss_network_with(&job->network, transfer->top_k, &own);
  const ss_comm_time time =
      ss_collective_phase(network, transfer->method, transfer->route->span, whole_bytes, transfer->phase);
  const double latency_s = transfer->starts * time.latency_s;
  return (ss_start_up){latency_s, latency_s};
}

static void tell_kernels(ss_transfer *transfer, int change)
{
  if (transfer->world->slows) transfer->type->slow_kernels(transfer, change);
}

static int64_t flows_of_phase(const ss_transfer *transfer)
{
  return ss_route_first(transfer->route, transfer->phase + 1) - ss_route_first(transfer->route, transfer->phase);
}

/* On the network, start-up passes before the flows of a phase. */
static void start_phase(ss_transfer *transfer)
{
  ss_world *world = transfer->world;
  const double now_s = world->common->now_s;
  const ss_start_up start_up = transfer->type->start_up(transfer);
  SS_ASSERT(transfer->flows.left == 0);
  transfer->flows.left = flows_of_phase(transfer);
  transfer->latency_s += fmax(start_up.inside_s, start_up.across_s);
  if (start_up.inside_s == start_up.across_s) {
    ss_world_schedule(world, now_s + start_up.across_s, SS_EVENT_LAUNCH, transfer);
  } else {
    ss_world_schedule(world, now_s + start_up.inside_s, SS_EVENT_LAUNCH_INSIDE, transfer);
    ss_world_schedule(world, now_s + start_up.across_s, SS_EVENT_LAUNCH_ACROSS, transfer);
  }
}

static void begin(ss_transfer *transfer, ss_comm_time time)
{
  ss_world *world = transfer->world;
  transfer->active = true;
  transfer->start_s = world->common->now_s;
  transfer->phase = 0;
  transfer->latency_s = transfer->on_network ? 0.0 : time.latency_s;
  transfer->alone_s = time.transfer_s;
  SS_TELL(&world->observers, transfer_begin, transfer);
  tell_kernels(transfer, 1);
}

void ss_transfer_meet(ss_transfer *transfer)
{
  transfer->is_meeting = true;
  begin(transfer, (ss_comm_time){0});
  ss_transfer_arrived(transfer);
}

void ss_transfer_start(ss_transfer *transfer, ss_comm_time time)
{
  ss_world *world = transfer->world;
  transfer->is_meeting = false;
  begin(transfer, time);
  if (transfer->on_network)
    start_phase(transfer);
  else
    ss_world_schedule(world, world->common->now_s + ss_comm_time_sum(time), SS_EVENT_ARRIVED, transfer);
}

static void count_flow(const ss_transfer *transfer, const ss_flow *flow)
{
  ss_world *world = transfer->world;
  const double bytes = flow->share * transfer->volume_bytes, alike = (double)flow->alike;
  world->result.flows += flow->alike;
  if (flow->fabric)
    world->result.fabric_bytes += alike * bytes;
  else
    world->result.nvlink_bytes += alike * bytes;
}

static void set_alarm(ss_world *world, ss_flow_alarm alarm)
{
  if (alarm.batch != NULL) ss_world_schedule(world, alarm.time_s, SS_EVENT_FLOWS, alarm.batch);
}

static void start_flow(ss_transfer *transfer, const ss_flow *flow)
{
  ss_world *world = transfer->world;
  const ss_flow_network *network = world->common->network;
  const double bytes = flow->share * transfer->volume_bytes;
  count_flow(transfer, flow);
  set_alarm(world, network->start(network->self, &transfer->flows, flow, bytes, world->common->now_s));
}

/* Starts the flows of an exchange between experts as one thing, if they may go as such. */
static bool start_together(ss_transfer *transfer, const ss_flow *flow, int64_t count)
{
  ss_world *world = transfer->world;
  const ss_flow_network *network = world->common->network;
  if (transfer->type->kind != SS_TRANSFER_EXPERT) return false;
  const ss_flow_alarm alarm =
      network->start_together(network->self, &transfer->flows, flow, transfer->volume_bytes, world->common->now_s);
  if (alarm.batch == NULL) return false;
  for (int64_t i = 0; i < count; ++i) count_flow(transfer, &flow[i]);
  set_alarm(world, alarm);
  return true;
}

void ss_transfer_launch(ss_transfer *transfer, ss_wave wave)
{
  const int64_t count = flows_of_phase(transfer);
  if (count == 0) {
    ss_transfer_flows_over(transfer);
    return;
  }
  const ss_flow *flow = &transfer->route->flow[ss_route_first(transfer->route, transfer->phase)];
  if (wave == SS_WAVE_ALL && start_together(transfer, flow, count)) return;
  for (int64_t i = 0; i < count; ++i)
    if (wave == SS_WAVE_ALL || (wave == SS_WAVE_ACROSS) == flow[i].fabric) start_flow(transfer, &flow[i]);
}

void ss_transfer_flows_over(ss_transfer *transfer)
{
  if (++transfer->phase < transfer->phases)
    start_phase(transfer);
  else
    ss_transfer_arrived(transfer);
}

ss_exposed ss_transfer_parts(double all_s, double start_ups_s, double alone_s)
{
  const double latency_s = fmin(start_ups_s, all_s);
  const double bandwidth_s = fmin(alone_s, all_s - latency_s);
  return (ss_exposed){latency_s, bandwidth_s, all_s - latency_s - bandwidth_s};
}

/* Collectives inside a replica have no number: its live task waits for them, which is no wait for somebody else. */
static void note_ending(ss_transfer *transfer)
{
  transfer->ended.parts =
      ss_transfer_parts(transfer->world->common->now_s - transfer->start_s, transfer->latency_s, transfer->alone_s);
  if (transfer->type->kind == SS_TRANSFER_CALL) return;
  transfer->ended.last = transfer->asked.replica;
  transfer->previous = transfer->ended.transfer;
  transfer->ended.transfer = transfer->world->arrivals++;
}

void ss_transfer_arrived(ss_transfer *transfer)
{
  transfer->active = false;
  note_ending(transfer);
  SS_TELL(&transfer->world->observers, transfer_end, transfer);
  tell_kernels(transfer, -1);
  transfer->type->arrived(transfer);
}
