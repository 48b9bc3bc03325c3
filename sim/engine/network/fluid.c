#include "sim/engine/network/fluid.h"

#include <math.h>

#include "sim/engine/network/occupancy.h"
#include "sim/engine/network/shared_flows.h"

typedef struct fluid {
  double tie_s;
  ss_occupancy occupancy;
  ss_shared_flows shared;
  ss_arrivals arrived;
} fluid;

/* A ss_share. */
static void share(void *context, ss_flow_set *set, const ss_flow *flow, double bytes)
{
  fluid *f = context;
  ss_shared_flows_add(&f->shared, set, flow, bytes, f->occupancy.now_s);
}

static ss_flow_alarm start_flow(void *self, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  fluid *f = self;
  f->occupancy.now_s = now_s;
  return ss_occupancy_enter(&f->occupancy, set, flow, bytes, share, f);
}

static ss_flow_alarm start_together(void *self, ss_flow_set *set, const ss_flow *flow, double volume_bytes,
                                    double now_s)
{
  fluid *f = self;
  f->occupancy.now_s = now_s;
  return ss_occupancy_enter_together(&f->occupancy, set, flow, volume_bytes);
}

static ss_flow_set *end_batch(void *self, ss_flow_batch *batch, double now_s)
{
  fluid *f = self;
  f->occupancy.now_s = now_s;
  return ss_occupancy_end(&f->occupancy, batch);
}

static bool is_idle(const void *self)
{
  const fluid *f = self;
  return f->shared.count == 0 && f->arrived.first == NULL;
}

/* Flows that share links and end until now. A tie is a share of the time that was expected: where a replay takes
 * 100,000 times as long, it is less than the spacing of doubles, and the flows that time has gone on to are still to
 * end. */
static void end_shared(fluid *f, double now_s)
{
  const double before_s = fmax(now_s + f->tie_s, nextafter(now_s, INFINITY));
  for (ss_shared_flow over; ss_shared_flows_take(&f->shared, before_s, &over);) {
    ss_occupancy_leave(&f->occupancy, over.flow, over.start_s, now_s, over.bytes);
    if (--over.set->left == 0) ss_arrivals_add(&f->arrived, over.set);
  }
}

/* Until then, or until flows end before it by more than a tie. */
static double wait_until(void *self, double now_s, double until_s)
{
  fluid *f = self;
  f->occupancy.now_s = now_s;
  ss_shared_flows_share(&f->shared, now_s);
  const double next_s = ss_shared_flows_next_s(&f->shared);
  const double passed_s = until_s - next_s >= f->tie_s ? fmax(now_s, next_s) : until_s;
  end_shared(f, passed_s);
  return passed_s;
}

static ss_flow_set *take_arrived(void *self)
{
  fluid *f = self;
  return ss_arrivals_take(&f->arrived);
}

static ss_status prepare(fluid *f, const ss_networked *networked)
{
  const ss_links *links = networked->links;
  ss_status status = ss_occupancy_init(&f->occupancy, &links->narrow, &links->paths, networked->observers);
  if (status == SS_OK) status = ss_occupancy_find_bursts(&f->occupancy, networked->phase, networked->phases);
  return status == SS_OK ? ss_shared_flows_init(&f->shared, &links->narrow) : status;
}

ss_status ss_fluid_run(const ss_networked *networked, ss_error *error)
{
  fluid f = {.tie_s = networked->tie_s};
  const ss_flow_network network = {&f, start_flow, start_together, end_batch, wait_until, take_arrived, is_idle};
  ss_status status = prepare(&f, networked);
  if (status != SS_OK)
    (void)ss_error_set(error, status, NULL, 0, "out of memory for the links of %s", networked->links->machine->name);
  else
    status = networked->run(networked->self, &network, error);
  ss_shared_flows_free(&f.shared);
  ss_occupancy_free(&f.occupancy);
  return status;
}
