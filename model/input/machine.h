/* A machine: GPUs in NVLink domains on a fabric, with everything the cost models need to know about them. */
#ifndef STEPSIM_MODEL_INPUT_MACHINE_H
#define STEPSIM_MODEL_INPUT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/topology.h"

#define SS_NAME_SIZE       128
#define SS_CURVE_POINTS    24
#define SS_LINK_SPEED_SIZE 2048
#define SS_GPU_SPEED_SIZE  2048
#define SS_FITTED_TO_SIZE  256
#define SS_ROUTES_SIZE     512

/* A value that depends on a size, linear in log(size) between its points and constant outside; sizes increase. */
typedef struct ss_curve {
  int64_t count;
  double size[SS_CURVE_POINTS];
  double value[SS_CURVE_POINTS];
} ss_curve;

/* Units of properties: X(enumerator, "what to write"). A quantity without its unit is refused. */
/* clang-format off */
#define SS_UNIT_LIST(X) \
  X(SS_UNIT_NONE, "a plain number") \
  X(SS_UNIT_FLOP_PER_S, "a rate such as 312Tf (f, kf, Mf, Gf, Tf, Pf)") \
  X(SS_UNIT_BYTES_PER_S, "a bandwidth such as 25GBps or 200Gbps") \
  X(SS_UNIT_BYTES, "a capacity such as 80GB or 80GiB") \
  X(SS_UNIT_SECONDS, "a time such as 2.5us (s, ms, us, ns)") \
  X(SS_UNIT_FLOP, "an amount of work such as 10Gf (f, kf, Mf, Gf, Tf, Pf)") \
  X(SS_UNIT_WATTS, "a power such as 700W (W, kW, MW)")
/* clang-format on */

typedef enum ss_unit {
#define SS_UNIT_ID(id, text) id,
  SS_UNIT_LIST(SS_UNIT_ID)
#undef SS_UNIT_ID
      SS_UNIT_COUNT
} ss_unit;

typedef enum ss_property_type {
  SS_PROPERTY_TEXT,
  SS_PROPERTY_COUNT,
  SS_PROPERTY_QUANTITY,
  SS_PROPERTY_CURVE
} ss_property_type;

/* The one table of platform properties.
 * TEXT(field, "name", size with its 0, fallback, help)
 * COUNT(field, "name", fallback, minimum, maximum, help)
 * QUANTITY(field, "name", unit, fallback, minimum, maximum, help)
 * CURVE(field, "name", unit of the size, fallback, help)                     values are ratios in (0, 1]
 * PRICES(field, "name", unit of the size, help)                              a curve of dollars, linear in the size
 * A fallback of -1 (SS_PROPERTY_REQUIRED) means that the platform must give it, 0 that a curve has no points. */
#define SS_PROPERTY_REQUIRED (-1)
#define SS_LARGEST_RATIO     1.0
#define SS_LARGEST_PRICE     1e12
/* clang-format off */
#define SS_MACHINE_PROPERTIES(TEXT, COUNT, QUANTITY, CURVE, PRICES) \
  TEXT(accelerator, "accelerator", SS_NAME_SIZE, "", "name of the GPU, for reports") \
  TEXT(fitted_to, "fitted-to", SS_FITTED_TO_SIZE, "", "measured iterations that the constants of kernels were fitted to, with their source; without it, reports say that they are not fitted") \
  TEXT(idealised, "idealised", SS_NAME_SIZE, "", "source of a machine that nobody has built, with rates, latencies and efficiencies as that states them; reports say so") \
  QUANTITY(matrix_flop_per_s, "matrix-flops", SS_UNIT_FLOP_PER_S, SS_PROPERTY_REQUIRED, 1.0, 1e21, "peak dense 16-bit matrix rate of a GPU") \
  QUANTITY(fp8_flop_per_s, "fp8-flops", SS_UNIT_FLOP_PER_S, 0, 1.0, 1e21, "peak dense 8-bit matrix rate of a GPU; without it, precision fp8 is refused") \
  QUANTITY(mxfp8_flop_per_s, "mxfp8-flops", SS_UNIT_FLOP_PER_S, 0, 1.0, 1e21, "peak dense matrix rate of a GPU in MXFP8, whose units take a scale for 32 values; without it, precision mxfp8 is refused") \
  QUANTITY(nvfp4_flop_per_s, "nvfp4-flops", SS_UNIT_FLOP_PER_S, 0, 1.0, 1e21, "peak dense matrix rate of a GPU in NVFP4, 4 bits with a scale for 16 values; without it, precision nvfp4 is refused") \
  QUANTITY(vector_flop_per_s, "vector-flops", SS_UNIT_FLOP_PER_S, SS_PROPERTY_REQUIRED, 1.0, 1e21, "peak 16-bit vector rate of a GPU") \
  QUANTITY(hbm_bytes_per_s, "hbm-bandwidth", SS_UNIT_BYTES_PER_S, SS_PROPERTY_REQUIRED, 1.0, 1e18, "memory bandwidth of a GPU") \
  QUANTITY(hbm_bytes, "hbm-capacity", SS_UNIT_BYTES, SS_PROPERTY_REQUIRED, 1.0, 1e18, "memory of a GPU") \
  QUANTITY(memory_reserved_bytes, "memory-reserved", SS_UNIT_BYTES, 0, 0, 1e18, "memory of a GPU that no tensor can have: the context of CUDA, buffers of collectives, fragmentation, often 1 to 4 GiB; jobs have hbm-capacity less this") \
  COUNT(domain_size, "domain-size", SS_PROPERTY_REQUIRED, 1, 1000000, "GPUs joined by NVLink") \
  COUNT(nics_per_domain, "nics-per-domain", SS_PROPERTY_REQUIRED, 1, 1000000, "NICs of a domain, shared evenly by its GPUs") \
  COUNT(nvlink_reduces, "nvlink-reduces", 0, 0, 1, "1: the switch of a domain reduces and multicasts (NVLink SHARP); 0: it does not") \
  COUNT(fabric_reduces, "fabric-reduces", 0, 0, 1, "1: the switches of the fabric reduce (SHARP); 0: they do not") \
  COUNT(adaptive_routing, "adaptive-routing", 0, 0, 1, "1: a fat tree spreads what it carries evenly over all cables that lead on; 0: each pair of NICs has a route of its own, by destination") \
  QUANTITY(nvlink_efficiency, "nvlink-efficiency", SS_UNIT_NONE, SS_PROPERTY_REQUIRED, 1e-6, 1.0, "share of the NVLink bandwidth that a collective reaches") \
  QUANTITY(dispatch_efficiency, "dispatch-efficiency", SS_UNIT_NONE, 0, 0, 1.0, "share of the NVLink bandwidth that kernels reach which send tokens to experts once and add them up on the way back (schedule.dispatch once: DeepEP, Hybrid-EP); 0: nvlink-efficiency") \
  QUANTITY(fabric_efficiency, "fabric-efficiency", SS_UNIT_NONE, SS_PROPERTY_REQUIRED, 1e-6, 1.0, "share of the fabric bandwidth that a collective reaches") \
  QUANTITY(nvlink_bytes_per_s, "nvlink-bandwidth", SS_UNIT_BYTES_PER_S, 0, 1.0, 1e18, "overrides bw of the NVLink zone") \
  QUANTITY(nvlink_latency_s, "nvlink-latency", SS_UNIT_SECONDS, 0, 0, 1e3, "overrides lat of the NVLink zone: the step of a ring, unless a protocol has its own") \
  QUANTITY(fabric_bytes_per_s, "fabric-bandwidth", SS_UNIT_BYTES_PER_S, 0, 1.0, 1e18, "overrides bw of the fabric zone, scaling all its links") \
  QUANTITY(fabric_latency_s, "fabric-latency", SS_UNIT_SECONDS, 0, 0, 1e3, "overrides lat of the fabric zone: the step of a ring, unless a protocol has its own") \
  COUNT(nvlink_pairs, "nvlink-pairs", 0, 0, 1, "1: a domain has no switch, and a GPU splits its links evenly over the other GPUs; 0: it has a switch") \
  QUANTITY(fabric_passing, "fabric-passing", SS_UNIT_NONE, 0, 0, 100, "c: a group with g GPUs of each domain reaches (1 + c/domain-size) / (1 + c/g) of what whole domains reach on the fabric; a tree reaches what g = 1 does") \
  QUANTITY(nvlink_copying, "nvlink-copying", SS_UNIT_NONE, 0, 0, 1.0, "c: a ring inside a domain ends with a step that only copies out what came, while its link waits for c of a step; an all-gather copies its own part, too, and waits for 2 c") \
  QUANTITY(collective_start_s, "collective-start", SS_UNIT_SECONDS, 0, 0, 1e3, "start-up time of a collective or message of NCCL's protocols; this or any of the following turns them on") \
  QUANTITY(simple_nvlink_s, "simple-nvlink-step", SS_UNIT_SECONDS, 0, 0, 1e3, "step over NVLink of NCCL's Simple protocol; 0: lat of the NVLink zone") \
  QUANTITY(simple_passing_s, "simple-passing-step", SS_UNIT_SECONDS, 0, 0, 1e3, "the same in a ring or tree that crosses domains, which has fewer channels, and a host that passes its steps on; 0: as simple-nvlink-step") \
  QUANTITY(simple_fabric_s, "simple-fabric-step", SS_UNIT_SECONDS, 0, 0, 1e3, "step of a ring over the fabric of the Simple protocol; 0: lat of the fabric zone") \
  QUANTITY(tree_fabric_s, "tree-fabric-step", SS_UNIT_SECONDS, 0, 0, 1e3, "step of a tree over the fabric; 0: as simple-fabric-step") \
  QUANTITY(ll_nvlink_s, "ll-nvlink-step", SS_UNIT_SECONDS, 0, 0, 1e3, "step over NVLink of NCCL's LL protocol, at half the bandwidth; 0: LL is not used inside domains, and across them lat of the NVLink zone") \
  QUANTITY(ll_fabric_s, "ll-fabric-step", SS_UNIT_SECONDS, 0, 0, 1e3, "step over the fabric of the LL protocol; 0: lat of the fabric zone") \
  QUANTITY(ll_fabric_bytes_per_s, "ll-fabric-bandwidth", SS_UNIT_BYTES_PER_S, 0, 1.0, 1e18, "bandwidth at which a GPU passes data on over the fabric by LL; without it, LL is not used across domains") \
  QUANTITY(ll_passing, "ll-passing", SS_UNIT_NONE, 0, 0, 100, "c of LL, whose bandwidth of a group with g GPUs of each domain is (1 + c/domain-size) / (1 + c/g) of ll-fabric-bandwidth; 0: as fabric-passing") \
  COUNT(nccl_tuning, "nccl-tuning", 0, 0, 1, "1: of Simple and LL, and of rings and trees, what NCCL 2.18 takes because it expects the least time of it; 0: what is fastest") \
  COUNT(rail_domains, "rail-domains", 0, 0, 1000000, "rails: in runs of this many domains, the n-th NICs of all are neighbours on the fabric; 0: the NICs of each domain are") \
  TEXT(link_speed, "link-speed", SS_LINK_SPEED_SIZE, "", "NAME:FACTOR of links that are slower than they should be, such as nic-5:out:0.5 leaf-2:up-3:0; factor 0 is a dead link, a name without a direction means both directions; the closed form ignores it") \
  TEXT(routes, "routes", SS_ROUTES_SIZE, "", "file of the routes of a fat tree that are not by destination (D-mod-k), such as those of forwarding tables, which stepsim cluster writes; relative to the platform file") \
  CURVE(matrix_efficiency, "matrix-efficiency", SS_UNIT_FLOP, 0.8, "share of matrix-flops that a product of this many flop reaches") \
  CURVE(fp8_efficiency, "fp8-efficiency", SS_UNIT_FLOP, 0, "share of fp8-flops that a product of this many flop reaches, with casts as kernels of their own; without it: matrix-efficiency, and no casts") \
  CURVE(fp8_block_efficiency, "fp8-block-efficiency", SS_UNIT_FLOP, 0, "the same with scales for 128 values of activations and 128 x 128 of weights, forward and for gradients of inputs; without it: fp8-efficiency") \
  CURVE(fp8_tile_efficiency, "fp8-tile-efficiency", SS_UNIT_FLOP, 0, "the same with scales for 128 values of both, for gradients of weights; without it: fp8-efficiency") \
  CURVE(mxfp8_efficiency, "mxfp8-efficiency", SS_UNIT_FLOP, 0, "share of mxfp8-flops that a product of this many flop reaches; without it: fp8-efficiency") \
  CURVE(nvfp4_efficiency, "nvfp4-efficiency", SS_UNIT_FLOP, 0, "share of nvfp4-flops that a product of this many flop reaches; without it: fp8-efficiency") \
  CURVE(attention_forward, "attention-forward", SS_UNIT_NONE, 0, "share of matrix-flops that fused attention over this many tokens reaches in forward; without it: matrix-efficiency, with softmax as matrix work") \
  CURVE(attention_backward, "attention-backward", SS_UNIT_NONE, 0, "the same in backward, which computes the logits again") \
  CURVE(latent_forward, "latent-forward", SS_UNIT_NONE, 0, "the same as attention-forward of latent attention, whose queries and keys are wider than its values, and whose heads share none; without it: attention-forward") \
  CURVE(latent_backward, "latent-backward", SS_UNIT_NONE, 0, "the same in backward; without it: attention-backward") \
  CURVE(fp8_attention_forward, "fp8-attention-forward", SS_UNIT_NONE, 0, "share of fp8-flops that fused attention in fp8 (training.attention-type) reaches in forward; without it: what 16 bits reach") \
  CURVE(fp8_attention_backward, "fp8-attention-backward", SS_UNIT_NONE, 0, "the same in backward") \
  CURVE(fp8_latent_forward, "fp8-latent-forward", SS_UNIT_NONE, 0, "the same of latent attention in forward") \
  CURVE(fp8_latent_backward, "fp8-latent-backward", SS_UNIT_NONE, 0, "the same of latent attention in backward") \
  CURVE(mxfp8_attention_forward, "mxfp8-attention-forward", SS_UNIT_NONE, 0, "share of mxfp8-flops that fused attention in MXFP8 reaches in forward; without it: what 16 bits reach") \
  CURVE(mxfp8_attention_backward, "mxfp8-attention-backward", SS_UNIT_NONE, 0, "the same in backward") \
  CURVE(mxfp8_latent_forward, "mxfp8-latent-forward", SS_UNIT_NONE, 0, "the same of latent attention in forward") \
  CURVE(mxfp8_latent_backward, "mxfp8-latent-backward", SS_UNIT_NONE, 0, "the same of latent attention in backward") \
  CURVE(scan_efficiency, "scan-efficiency", SS_UNIT_NONE, 0, "share of matrix-flops that scans of state spaces and linear attention in chunks of this many tokens reach; without it: matrix-efficiency") \
  QUANTITY(tile_start_bytes, "tile-start", SS_UNIT_BYTES, 0, 1.0, 1e6, "bytes of an operand's row that take as long as a tile takes to begin and to be stored; with it, products that are not square, not whole tiles or not aligned take longer") \
  QUANTITY(matrix_sustained, "matrix-sustained", SS_UNIT_NONE, 1, 1e-6, 1.5, "share of the single-kernel efficiency of products that a whole iteration sustains within its power limit, above 1 where it draws less power than what was measured; fused attention with efficiencies of its own is not affected") \
  QUANTITY(fp8_sustained, "fp8-sustained", SS_UNIT_NONE, 0, 0, 1.5, "the same of products of 8 and 4 bits, which draw another power; 0: matrix-sustained") \
  QUANTITY(mxfp8_sustained, "mxfp8-sustained", SS_UNIT_NONE, 0, 0, 1.5, "the same of products in MXFP8; 0: fp8-sustained") \
  QUANTITY(nvfp4_sustained, "nvfp4-sustained", SS_UNIT_NONE, 0, 0, 1.5, "the same of products in NVFP4; 0: fp8-sustained") \
  CURVE(vector_efficiency, "vector-efficiency", SS_UNIT_FLOP, 0.8, "share of vector-flops that a kernel of this many flop reaches") \
  CURVE(hbm_efficiency, "hbm-efficiency", SS_UNIT_BYTES, 0.85, "share of hbm-bandwidth that a kernel of this many bytes reaches") \
  QUANTITY(vector_hbm_share, "vector-hbm-share", SS_UNIT_NONE, 1, 1e-6, 1.0, "share of hbm-efficiency that norms, softmax, dropout, loss and other element-wise kernels of a framework reach; not the optimizer step") \
  QUANTITY(cudnn_norm_share, "cudnn-norm-share", SS_UNIT_NONE, 0, 0, 1.0, "the same of norms in cuDNN (training.norms); 0: vector-hbm-share") \
  QUANTITY(kernel_speed, "kernel-speed", SS_UNIT_NONE, 1, 1e-3, 1e3, "speed of all kernels of the GPU, relative to what the other properties say: below 1 for libraries that are older than those that these are from") \
  QUANTITY(launch_overhead_s, "launch-overhead", SS_UNIT_SECONDS, 3e-6, 0, 1.0, "time between two kernels on a GPU") \
  QUANTITY(host_forward_s, "host-forward", SS_UNIT_SECONDS, 15e-6, 0, 1.0, "time of the host to launch a kernel from the framework, with training.host eager; the default is that of a100-8x4nic") \
  QUANTITY(host_backward_s, "host-backward", SS_UNIT_SECONDS, 60e-6, 0, 1.0, "the same of a kernel that backward launches, with the nodes and hooks of autograd that come with it") \
  QUANTITY(host_collective_s, "host-collective", SS_UNIT_SECONDS, 80e-6, 0, 1.0, "the same of a collective of a layer, a reduction of gradients, or a message to another stage") \
  TEXT(gpu_speed, "gpu-speed", SS_GPU_SPEED_SIZE, "", "GPUs whose kernels run at a share of the speed, such as 17:0.8 64..71:0.95; the closed form ignores it") \
  QUANTITY(kernel_noise, "kernel-noise", SS_UNIT_NONE, 0, 0, 1.0, "relative standard deviation of the time of every kernel, log-normal with mean 1; the closed form ignores it") \
  QUANTITY(gpu_spread, "gpu-spread", SS_UNIT_NONE, 0, 0, 1.0, "relative standard deviation of kernel times between GPUs, drawn once per replay, log-normal with mean 1; the closed form ignores it") \
  QUANTITY(iteration_noise, "iteration-noise", SS_UNIT_NONE, 0, 0, 1.0, "relative standard deviation of a factor that all kernels of an iteration have in common, log-normal with mean 1; this and the next two are only drawn by --trials, but runs of plan wait for stalls in the mean") \
  QUANTITY(stall_rate_per_s, "stall-rate", SS_UNIT_NONE, 0, 0, 1e3, "how often a GPU stalls for each second in which it runs kernels") \
  QUANTITY(stall_time_s, "stall-time", SS_UNIT_SECONDS, 0, 0, 1e3, "how long a stall takes, in the mean, exponentially distributed") \
  QUANTITY(offload_bytes, "offload-capacity", SS_UNIT_BYTES, 0, 1.0, 1e18, "second memory tier of a GPU, its share of the host's memory; without it, offloading is refused") \
  QUANTITY(offload_bytes_per_s, "offload-bandwidth", SS_UNIT_BYTES_PER_S, 0, 1.0, 1e18, "bandwidth of the second memory tier, each way") \
  QUANTITY(host_step_bytes_per_s, "host-step-bandwidth", SS_UNIT_BYTES_PER_S, 104e9, 1.0, 1e18, "bandwidth at which all cores of a node read and write its memory when they step (training.offload-step), which GPUs of a job on it share; the default is that of two Xeon 8168: 25 billion parameters in 6.74 s (CPU-Adam in arXiv 2101.06840 table 4), each of which moves 28 bytes") \
  QUANTITY(nvlink_compute_cost, "nvlink-compute-cost", SS_UNIT_NONE, 0, 0, 0.9, "share of a GPU's compute that NVLink traffic takes while it runs beside kernels") \
  QUANTITY(fabric_compute_cost, "fabric-compute-cost", SS_UNIT_NONE, 0, 0, 0.9, "share of a GPU's compute that fabric traffic takes while it runs beside kernels") \
  QUANTITY(exchange_compute_cost, "exchange-compute-cost", SS_UNIT_NONE, 0, 0, 0.9, "share of a GPU's compute that an all-to-all of experts takes while it runs beside kernels (schedule.overlap-ep), where that is more than of other traffic") \
  QUANTITY(data_parallel_compute_cost, "data-parallel-compute-cost", SS_UNIT_NONE, 0, 0, 0.9, "share of a GPU's compute that a data-parallel collective over NVLink takes while it runs beside kernels, where that is more than of other traffic") \
  PRICES(gpu_price, "gpu-price", SS_UNIT_BYTES, "price of a GPU with its share of the system, by hbm-capacity; without it, cost is unknown") \
  PRICES(offload_price, "offload-price", SS_UNIT_BYTES, "price of the second memory tier of a GPU, by offload-capacity; without it, the tier is free") \
  QUANTITY(lifetime_years, "lifetime", SS_UNIT_NONE, 4, 0.01, 1000, "years over which prices are spread") \
  QUANTITY(gpu_hour_dollars, "gpu-hour-price", SS_UNIT_NONE, 0, 0, SS_LARGEST_PRICE, "dollars that a GPU is rented for in an hour, with all that belongs to it; it counts instead of prices and energy") \
  QUANTITY(nic_dollars, "nic-price", SS_UNIT_NONE, 0, 0, SS_LARGEST_PRICE, "price of a NIC, where gpu-price does not have it") \
  QUANTITY(switch_dollars, "switch-price", SS_UNIT_NONE, 0, 0, SS_LARGEST_PRICE, "price of a switch of the fabric") \
  QUANTITY(cable_dollars, "cable-price", SS_UNIT_NONE, 0, 0, SS_LARGEST_PRICE, "price of a cable of the fabric with what is at its ends") \
  QUANTITY(nic_cable_price, "nic-cable-price", SS_UNIT_NONE, 1, 0, 1000, "price of the cable between a NIC and its switch, as a share of cable-price: below 1 where it is copper and others are optical") \
  QUANTITY(energy_dollars_per_kwh, "energy-price", SS_UNIT_NONE, 0, 0, 1e6, "dollars for a kWh") \
  COUNT(switch_ports, "switch-ports", 64, 1, 1000000, "ports of a switch of the fabric; switches of a tree that use fewer share one") \
  COUNT(node_gpus, "node-gpus", 0, 0, 1000000, "GPUs of a node, which fails as a whole; 0: those of a domain, but 8 at most") \
  QUANTITY(gpu_power_w, "gpu-power", SS_UNIT_WATTS, 0, 1.0, 1e6, "power of a GPU while it computes; without it, energy is unknown") \
  QUANTITY(gpu_idle_w, "gpu-idle-power", SS_UNIT_WATTS, 0, 0, 1e6, "power of a GPU without a job") \
  QUANTITY(gpu_limit_w, "gpu-power-limit", SS_UNIT_WATTS, 0, 0, 1e6, "watts that a GPU may draw, for which its clock is lowered (power-clock); 0: gpu-power") \
  QUANTITY(gpu_transfer_power, "gpu-transfer-power", SS_UNIT_NONE, 0.5, 0, 1.0, "power of a GPU while it only moves data, as a share of the way from idle to computing") \
  QUANTITY(gpu_wait_power, "gpu-wait-power", SS_UNIT_NONE, 0.2, 0, 1.0, "the same while it waits for other GPUs or its host") \
  CURVE(power_clock, "power-clock", SS_UNIT_NONE, 0, "share of its clock that a GPU keeps where gpu-power-limit is this share of gpu-power; without it, what a GPU draws above idle grows with the clock up to 0.8 of it, and with its third power beyond") \
  QUANTITY(node_power_w, "node-power", SS_UNIT_WATTS, 0, 0, 1e6, "power of a node beside its GPUs and NICs") \
  QUANTITY(nic_power_w, "nic-power", SS_UNIT_WATTS, 0, 0, 1e6, "power of a NIC") \
  QUANTITY(switch_power_w, "switch-power", SS_UNIT_WATTS, 0, 0, 1e6, "power of a switch of the fabric") \
  QUANTITY(cable_power_w, "cable-power", SS_UNIT_WATTS, 0, 0, 1e6, "power of the transceivers at the ends of a cable") \
  QUANTITY(nic_cable_power, "nic-cable-power", SS_UNIT_NONE, 1, 0, 1000, "the same of its power: 0 for copper that is passive") \
  QUANTITY(pue, "pue", SS_UNIT_NONE, 1.2, 1.0, 10, "power usage effectiveness: what the building draws for a watt of the machine; the default is that of Jean Zay (arXiv 2211.02001 section 4.2)") \
  QUANTITY(carbon_kg_per_kwh, "carbon", SS_UNIT_NONE, 0, 0, 10, "kg of CO2 equivalents for a kWh; 0: unknown") \
  QUANTITY(gpu_failures, "gpu-failures", SS_UNIT_NONE, 0.11, 0, 1e6, "how often in a year a GPU interrupts a job; the default is that of Llama 3 405B: 268 of 419 interruptions in 54 days of 16,384 H100 are of GPUs and their memory (arXiv 2407.21783 table 5)") \
  QUANTITY(nic_failures, "nic-failures", SS_UNIT_NONE, 0.003, 0, 1e6, "the same of a NIC: 7 of these") \
  QUANTITY(node_failures, "node-failures", SS_UNIT_NONE, 0.15, 0, 1e6, "the same of the rest of a node: 46 of these on 2048 nodes, 32 of them maintenance that was not planned") \
  QUANTITY(switch_failures, "switch-failures", SS_UNIT_NONE, 0.18, 0, 1e6, "the same of a switch with its cables: 35 of these on the 1280 switches that three levels of 64 ports take") \
  QUANTITY(slow_rate, "slow-rate", SS_UNIT_NONE, 0, 0, 1e6, "how often in a year a GPU becomes slow, and all that wait for it") \
  QUANTITY(slow_speed, "slow-speed", SS_UNIT_NONE, 0.75, 0.001, 1.0, "speed of a job while one of its GPUs is slow, as a share; the default is a guess: jobs of 512 GPUs and more took 34.59 % longer in the mean, with slow times and others (Greyhound, USENIX ATC 2025, arXiv 2410.12588 with its 1.34 times)") \
  QUANTITY(slow_time_s, "slow-time", SS_UNIT_SECONDS, 3600, 0, 1e9, "how long a GPU stays slow, in the mean, where nobody takes it out; the default is a guess: what slowed such jobs lasted 72 minutes in the mean (the same paper)") \
  QUANTITY(slow_nic_rate, "slow-nic-rate", SS_UNIT_NONE, 0, 0, 1e6, "how often in a year a NIC becomes slow, by itself, its cable or its port, and all that wait for its messages") \
  QUANTITY(slow_nic_speed, "slow-nic-speed", SS_UNIT_NONE, 0.5, 0.001, 1.0, "bandwidth of a slow NIC, as a share; how slow the job is then follows, by a replay with plan --replay, else as if the whole fabric were so slow; the default is a guess") \
  QUANTITY(slow_nic_time_s, "slow-nic-time", SS_UNIT_SECONDS, 3600, 0, 1e9, "how long a NIC stays slow, in the mean, where nobody takes it out; the default is a guess, as that of slow-time") \
  QUANTITY(slow_cable_rate, "slow-cable-rate", SS_UNIT_NONE, 0, 0, 1e6, "how often in a year a cable between switches, or of a torus, becomes slow, and all that wait for its messages") \
  QUANTITY(slow_cable_speed, "slow-cable-speed", SS_UNIT_NONE, 0.5, 0.001, 1.0, "bandwidth of a slow cable, as a share; how slow the job is then follows, by replays with plan --replay, else as if the whole fabric were so slow; the default is a guess, as that of slow-nic-speed") \
  QUANTITY(slow_cable_time_s, "slow-cable-time", SS_UNIT_SECONDS, 3600, 0, 1e9, "how long until a slow cable is mended, in the mean; the default is a guess, as that of slow-time") \
  QUANTITY(slow_switch_rate, "slow-switch-rate", SS_UNIT_NONE, 0, 0, 1e6, "how often in a year a switch becomes slow, with all its ports") \
  QUANTITY(slow_switch_speed, "slow-switch-speed", SS_UNIT_NONE, 0.5, 0.001, 1.0, "the same as slow-cable-speed of each port of a slow switch") \
  QUANTITY(slow_switch_time_s, "slow-switch-time", SS_UNIT_SECONDS, 3600, 0, 1e9, "how long until a slow switch is mended, in the mean; the default is a guess, as that of slow-time") \
  QUANTITY(storage_bytes_per_s, "storage-bandwidth", SS_UNIT_BYTES_PER_S, 0, 1.0, 1e18, "bandwidth of the storage that all nodes share; without it, 125 MB/s for each GPU of the machine: 2 TB/s for 16,384 (arXiv 2407.21783 section 3.3.1)") \
  QUANTITY(disk_bytes_per_s, "disk-bandwidth", SS_UNIT_BYTES_PER_S, 8e9, 1.0, 1e18, "bandwidth of the disks of a node; the default is a guess") \
  QUANTITY(snapshot_bytes_per_s, "snapshot-bandwidth", SS_UNIT_BYTES_PER_S, 10e9, 1.0, 1e18, "bandwidth at which a GPU copies to the memory of its host; the default is a guess")
/* clang-format on */

typedef struct ss_property {
  const char *name;
  ss_property_type type;
  ss_unit unit;
  size_t offset; /* into ss_machine: char[size], int64_t, double or ss_curve by type */
  size_t size;   /* of a text, with its 0 */
  double fallback, minimum, maximum;
  const char *help;
} ss_property;

typedef enum ss_property_index {
#define SS_INDEX_TEXT(field, name, size, fallback, help)                       SS_PROPERTY_##field,
#define SS_INDEX_COUNT(field, name, fallback, minimum, maximum, help)          SS_PROPERTY_##field,
#define SS_INDEX_QUANTITY(field, name, unit, fallback, minimum, maximum, help) SS_PROPERTY_##field,
#define SS_INDEX_CURVE(field, name, unit, fallback, help)                      SS_PROPERTY_##field,
#define SS_INDEX_PRICES(field, name, unit, help)                               SS_PROPERTY_##field,
  SS_MACHINE_PROPERTIES(SS_INDEX_TEXT, SS_INDEX_COUNT, SS_INDEX_QUANTITY, SS_INDEX_CURVE, SS_INDEX_PRICES)
#undef SS_INDEX_TEXT
#undef SS_INDEX_COUNT
#undef SS_INDEX_QUANTITY
#undef SS_INDEX_CURVE
#undef SS_INDEX_PRICES
      SS_PROPERTY_TOTAL
} ss_property_index;

/* In model/fabric: forwarding.h, slow_links.h. */
typedef struct ss_forwarding ss_forwarding;
typedef struct ss_slow_links ss_slow_links;

/* Bandwidths are per GPU port (NVLink) and per NIC (fabric), one direction, before the efficiency is applied. */
typedef struct ss_machine {
  char name[SS_NAME_SIZE]; /* id of the outer zone */
  char file[SS_PATH_SIZE]; /* where it was read from; the engine loads the same file */
  int64_t gpus;            /* hosts of the NVLink zone; as many NICs as nics-per-domain says */
  double zone_nvlink_bytes_per_s, zone_fabric_bytes_per_s; /* bw of the two zones as the file has it */
  ss_shape shape;                                          /* of the fabric zone */
  const ss_forwarding *forwarding; /* what `routes` has, once it is read; NULL without one; borrowed */
  const ss_slow_links *slow_links; /* beside those of link-speed, in a what-if; NULL without; borrowed */
#define SS_FIELD_TEXT(field, name, size, fallback, help)                       char field[size];
#define SS_FIELD_COUNT(field, name, fallback, minimum, maximum, help)          int64_t field;
#define SS_FIELD_QUANTITY(field, name, unit, fallback, minimum, maximum, help) double field;
#define SS_FIELD_CURVE(field, name, unit, fallback, help)                      ss_curve field;
#define SS_FIELD_PRICES(field, name, unit, help)                               ss_curve field;
  SS_MACHINE_PROPERTIES(SS_FIELD_TEXT, SS_FIELD_COUNT, SS_FIELD_QUANTITY, SS_FIELD_CURVE, SS_FIELD_PRICES)
#undef SS_FIELD_TEXT
#undef SS_FIELD_COUNT
#undef SS_FIELD_QUANTITY
#undef SS_FIELD_CURVE
#undef SS_FIELD_PRICES
  int line[SS_PROPERTY_TOTAL]; /* where each property was read, or SS_LINE_* of origin.h */
} ss_machine;

/* Memory of a GPU that tensors of a job can have. */
double ss_machine_tensor_bytes(const ss_machine *machine);

/* The table as an array of SS_PROPERTY_TOTAL rows. */
const ss_property *ss_machine_properties(void);

/* The row of a property; NULL when there is none. */
const ss_property *ss_machine_property(const char *name);

/* Sets all properties to their defaults, required ones to 0. */
void ss_machine_init(ss_machine *machine);

/* Refuses a property: the message is NAME="TEXT": and the formatted problem, with file and line of the property, which
 * is a text, a count or a quantity (printed in SI units). Always SS_ERROR_INPUT. */
ss_status ss_machine_refuse(const ss_machine *machine, ss_property_index index, ss_error *error, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));

/* What a user may write for a unit, such as "a bandwidth such as 25GBps or 200Gbps"; static text. */
const char *ss_unit_text(ss_unit unit);

/* Value of a curve at a size; linear in log(size) between points, constant outside. */
double ss_curve_value(const ss_curve *curve, double size);

/* Price at a size, in dollars: linear between the points of a curve and beyond them, but never below 0. A single point
 * applies to all sizes; without points the price is 0. */
double ss_price_value(const ss_curve *prices, double size);

/* Whether the machine has slow GPUs or noise: gpu-speed, kernel-noise or gpu-spread. */
bool ss_machine_has_perturbation(const ss_machine *machine);

/* Whether replays depend on a seed: kernel-noise or gpu-spread. */
bool ss_machine_has_chance(const ss_machine *machine);

/* Whether iterations of the machine differ, as its file says: iteration-noise, or stalls. */
bool ss_machine_has_uneven_iterations(const ss_machine *machine);

/* The price of a GPU with both of its memory tiers, in dollars; 0 without a gpu-price. */
double ss_machine_gpu_dollars(const ss_machine *machine);

/* What a GPU draws while it computes: gpu-power, or its limit where that is less. Watts; 0 where it is unknown. */
double ss_machine_gpu_power_w(const ss_machine *machine);

/* The share of its clock that a GPU keeps at gpu-power-limit, at most 1: by power-clock, or else such that what it
 * draws above idle is the third power of the clock down to 0.8, as voltage falls with the clock, and proportional to it
 * below, where voltage is at its least (P = C V^2 f). */
double ss_machine_clock(const ss_machine *machine);

/* GPUs of a node. */
int64_t ss_machine_node_gpus(const ss_machine *machine);

/* GPUs in the whole domains that a budget buys; 0 if it buys none, or without a gpu-price. */
int64_t ss_machine_gpus_for(const ss_machine *machine, double dollars);

/* NICs per GPU; below 1 if GPUs share NICs. */
double ss_machine_nics_per_gpu(const ss_machine *machine);

/* Index of the NIC through which a GPU sends its messages. Consecutive GPUs share a NIC if there are fewer NICs than
 * GPUs. */
int64_t ss_machine_nic(const ss_machine *machine, int64_t gpu);

/* What communication goes over: links inside domains, the fabric, or, as a ring of several GPUs on each of several
 * nodes, both; and whether it is between experts, or a collective of data-parallel ranks. */
typedef struct ss_transport {
  bool nvlink, fabric, experts, data;
} ss_transport;

/* The share of a GPU's compute that communication takes from concurrent kernels, which then run at (1 - share). A
 * collective is one kernel of copies, so that the largest share counts. */
double ss_machine_compute_cost(const ss_machine *machine, ss_transport transport);

#endif
