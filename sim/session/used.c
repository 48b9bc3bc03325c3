#include "sim/session/used.h"

#include "model/input/machine.h"
#include "model/input/replayed.h"
#include "model/input/workload.h"
#include "sim/io/io.h"

/* Constants of kernels, launches and NCCL's protocols: published costs have a flat efficiency, one start-up time and
 * rings (ss_kernel_duration, ss_network_of, ss_host_plan_of). */
static const ss_property_index calibrated_properties[] = {SS_PROPERTY_matrix_efficiency,
                                                          SS_PROPERTY_fp8_efficiency,
                                                          SS_PROPERTY_fp8_block_efficiency,
                                                          SS_PROPERTY_fp8_tile_efficiency,
                                                          SS_PROPERTY_mxfp8_efficiency,
                                                          SS_PROPERTY_nvfp4_efficiency,
                                                          SS_PROPERTY_attention_forward,
                                                          SS_PROPERTY_attention_backward,
                                                          SS_PROPERTY_latent_forward,
                                                          SS_PROPERTY_latent_backward,
                                                          SS_PROPERTY_fp8_attention_forward,
                                                          SS_PROPERTY_fp8_attention_backward,
                                                          SS_PROPERTY_fp8_latent_forward,
                                                          SS_PROPERTY_fp8_latent_backward,
                                                          SS_PROPERTY_mxfp8_attention_forward,
                                                          SS_PROPERTY_mxfp8_attention_backward,
                                                          SS_PROPERTY_mxfp8_latent_forward,
                                                          SS_PROPERTY_mxfp8_latent_backward,
                                                          SS_PROPERTY_scan_efficiency,
                                                          SS_PROPERTY_tile_start_bytes,
                                                          SS_PROPERTY_matrix_sustained,
                                                          SS_PROPERTY_fp8_sustained,
                                                          SS_PROPERTY_mxfp8_sustained,
                                                          SS_PROPERTY_nvfp4_sustained,
                                                          SS_PROPERTY_vector_efficiency,
                                                          SS_PROPERTY_hbm_efficiency,
                                                          SS_PROPERTY_vector_hbm_share,
                                                          SS_PROPERTY_cudnn_norm_share,
                                                          SS_PROPERTY_kernel_speed,
                                                          SS_PROPERTY_launch_overhead_s,
                                                          SS_PROPERTY_host_forward_s,
                                                          SS_PROPERTY_host_backward_s,
                                                          SS_PROPERTY_host_collective_s,
                                                          SS_PROPERTY_dispatch_efficiency,
                                                          SS_PROPERTY_collective_start_s,
                                                          SS_PROPERTY_simple_nvlink_s,
                                                          SS_PROPERTY_simple_passing_s,
                                                          SS_PROPERTY_ll_passing,
                                                          SS_PROPERTY_nccl_tuning,
                                                          SS_PROPERTY_simple_fabric_s,
                                                          SS_PROPERTY_tree_fabric_s,
                                                          SS_PROPERTY_ll_nvlink_s,
                                                          SS_PROPERTY_ll_fabric_s,
                                                          SS_PROPERTY_ll_fabric_bytes_per_s};

/* What fuses, gathers or launches operations otherwise (ss_builder of model/block), and the loss, which they leave out.
 */
static const ss_attribute_index calibrated_attributes[] = {
    SS_AT_training_fused,          SS_AT_training_cross_entropy, SS_AT_training_host,
    SS_AT_training_gather_type,    SS_AT_parallelism_tp_redo,    SS_AT_training_norms,
    SS_AT_training_attention_type, SS_AT_training_output_type,   SS_AT_training_reduce_type};

/* What is drawn for iterations: one by itself is as it is without. */
static const ss_property_index trial_properties[] = {SS_PROPERTY_iteration_noise, SS_PROPERTY_stall_rate_per_s,
                                                     SS_PROPERTY_stall_time_s};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* The name of the first of some properties that the command line sets; NULL: it sets none. */
static const char *find_set(const ss_machine *machine, const ss_property_index *properties, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (machine->line[properties[i]] == SS_LINE_OVERRIDE) return ss_machine_properties()[properties[i]].name;
  return NULL;
}

static ss_status refuse_cost(const char *element, const char *name, ss_cost cost, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, SS_OVERRIDE_FILE, 0,
                      "%s.%s does nothing with --cost %s; allowed: not to set it, or --cost %s", element, name,
                      ss_cost_word(cost), ss_cost_word(SS_COST_CALIBRATED));
}

ss_status ss_used_with_cost(const ss_workload *workload, const ss_machine *machine, ss_cost cost, ss_error *error)
{
  if (!ss_cost_traits_of(cost).as_published) return SS_OK;
  const char *name = find_set(machine, calibrated_properties, COUNT(calibrated_properties));
  if (name != NULL) return refuse_cost("platform", name, cost, error);
  for (size_t i = 0; i < COUNT(calibrated_attributes); ++i) {
    const ss_attribute *row = &ss_workload_attributes()[calibrated_attributes[i]];
    if (workload->line[calibrated_attributes[i]] == SS_LINE_OVERRIDE)
      return refuse_cost(row->element, row->name, cost, error);
  }
  return SS_OK;
}

/* Refuses the first of some properties that the command line sets: it does nothing where it stands. */
static ss_status refuse_set(const ss_machine *machine, const ss_property_index *properties, size_t count,
                            const char *where, const char *instead, ss_error *error)
{
  const char *name = find_set(machine, properties, count);
  if (name == NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, SS_OVERRIDE_FILE, 0,
                      "platform.%s does nothing %s; allowed: not to set it, or %s", name, where, instead);
}

ss_status ss_used_without_replay(const ss_machine *machine, const char *replays, ss_error *error)
{
  return refuse_set(machine, ss_replayed_properties(), SS_REPLAYED_TOTAL, "in the closed form", replays, error);
}

ss_status ss_used_without_trials(const ss_machine *machine, ss_error *error)
{
  return refuse_set(machine, trial_properties, COUNT(trial_properties), "without trials", "run --trials N, or plan",
                    error);
}
