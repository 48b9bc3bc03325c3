#include "model/estimate/exposure.h"

ss_exposure ss_exposure_add(ss_exposure a, double factor, ss_exposure b, ss_exposure c)
{
  return (ss_exposure){.data_s = a.data_s + factor * (b.data_s - c.data_s),
                       .offload_s = a.offload_s + factor * (b.offload_s - c.offload_s),
                       .slowed_s = a.slowed_s + factor * (b.slowed_s - c.slowed_s),
                       .host_s = a.host_s + factor * (b.host_s - c.host_s),
                       .step_s = a.step_s + factor * (b.step_s - c.step_s),
                       .weight_s = a.weight_s + factor * (b.weight_s - c.weight_s),
                       .tail_s = a.tail_s + factor * (b.tail_s - c.tail_s)};
}
