#include "model/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The axes that `order` and `domain` speak of, slowest to change last in the default order. */
enum { AXIS_TP, AXIS_CP, AXIS_DP, AXIS_PP, AXES };
static const char *const axis_names[AXES] = {"tp", "cp", "dp", "pp"};

typedef struct axis_sizes {
  int64_t of[AXES];
} axis_sizes;

static axis_sizes workload_sizes(const ss_workload *workload)
{
  return (axis_sizes){{[AXIS_TP] = workload->parallelism.tp,
                       [AXIS_CP] = workload->parallelism.cp,
                       [AXIS_DP] = workload->parallelism.dp,
                       [AXIS_PP] = workload->parallelism.pp}};
}

static int axis_find(const char *name, size_t length)
{
  for (int axis = 0; axis < AXES; ++axis)
    if (strlen(axis_names[axis]) == length && strncmp(name, axis_names[axis], length) == 0) return axis;
  return -1;
}

/* Reads "tp,cp,dp,pp"; ss_workload_check has made sure that it is a permutation. */
static void parse_order(const char *text, int order[AXES])
{
  for (int i = 0; i < AXES; ++i) {
    const size_t length = strcspn(text, ",");
    order[i] = axis_find(text, length);
    SS_ASSERT(order[i] >= 0);
    text += length + (text[length] == ',');
  }
}

#define DOMAIN_FORM                                                                                                    \
  "allowed: a split such as tp=4,dp=2,pp=1, each dividing its size, with product at most the domain size"

/* Reads "tp=4,dp=2,pp=1"; axes that are not named have 1. */
static ss_status parse_domain(const ss_workload *workload, axis_sizes *split, ss_error *error)
{
  const char *text = workload->placement.domain;
  *split = (axis_sizes){{1, 1, 1, 1}};
  while (*text != '\0') {
    const size_t name_length = strcspn(text, "=,");
    const int axis = axis_find(text, name_length);
    char *end = NULL;
    const long long value = text[name_length] == '=' ? strtoll(text + name_length + 1, &end, 10) : 0;
    if (axis < 0 || value < 1 || end == NULL || (*end != ',' && *end != '\0'))
      return ss_workload_refuse(workload, SS_AT_placement_domain, error, DOMAIN_FORM);
    split->of[axis] = value;
    text = *end == ',' ? end + 1 : end;
  }
  return SS_OK;
}

static ss_status check_domain(const ss_workload *workload, const ss_machine *machine, const axis_sizes *sizes,
                              const axis_sizes *split, ss_error *error)
{
  int64_t product = 1;
  for (int axis = 0; axis < AXES; ++axis) {
    product *= split->of[axis];
    if (sizes->of[axis] % split->of[axis] != 0)
      return ss_workload_refuse(workload, SS_AT_placement_domain, error,
                                "%s=%lld does not divide %s, which is %lld; " DOMAIN_FORM, axis_names[axis],
                                (long long)split->of[axis], axis_names[axis], (long long)sizes->of[axis]);
  }
  if (product > machine->domain_size || (product < ss_workload_gpus(workload) && machine->domain_size % product != 0))
    return ss_workload_refuse(workload, SS_AT_placement_domain, error,
                              "is %lld GPUs, a domain of %s has %lld; " DOMAIN_FORM ", and dividing it",
                              (long long)product, machine->name, (long long)machine->domain_size);
  return SS_OK;
}

/* Position of a rank when the axes of `order` count up like digits, first axis fastest. */
static int64_t mixed_radix(const int order[AXES], const int64_t digit[AXES], const int64_t size[AXES])
{
  int64_t position = 0;
  for (int i = AXES; i-- > 0;) position = position * size[order[i]] + digit[order[i]];
  return position;
}

/* Inside a domain by the low digits, over domains by the high ones; without a split the low digits are all of size 1.
 */
static int64_t split_position(const int order[AXES], const int64_t digit[AXES], const axis_sizes *sizes,
                              const axis_sizes *split)
{
  int64_t low[AXES], high[AXES], high_size[AXES], inside = 1;
  for (int axis = 0; axis < AXES; ++axis) {
    low[axis] = digit[axis] % split->of[axis];
    high[axis] = digit[axis] / split->of[axis];
    high_size[axis] = sizes->of[axis] / split->of[axis];
    inside *= split->of[axis];
  }
  return mixed_radix(order, high, high_size) * inside + mixed_radix(order, low, split->of);
}

static void fill(ss_placement *placement, const ss_workload *workload, const axis_sizes *split)
{
  const axis_sizes sizes = workload_sizes(workload);
  int order[AXES];
  parse_order(workload->placement.order, order);
  const int64_t count = ss_workload_gpus(workload);
  for (int64_t rank = 0; rank < count; ++rank) {
    int64_t digit[AXES], rest = rank;
    for (int axis = 0; axis < AXES; ++axis) {
      digit[axis] = rest % sizes.of[axis];
      rest /= sizes.of[axis];
    }
    placement->gpu[rank] = (int32_t)split_position(order, digit, &sizes, split);
  }
}

ss_status ss_placement_init(ss_placement *placement, const ss_workload *workload, const ss_machine *machine,
                            const int32_t *ranks, ss_error *error)
{
  *placement = (ss_placement){.tp = workload->parallelism.tp,
                              .dp = workload->parallelism.dp,
                              .pp = workload->parallelism.pp,
                              .domain_size = machine->domain_size};
  const int64_t count = ss_workload_gpus(workload);
  if (count > machine->gpus)
    return ss_workload_refuse(workload, SS_AT_parallelism_dp, error,
                              "dp * tp * cp * pp is %lld ranks, more than the GPUs of %s; allowed: up to %lld",
                              (long long)count, machine->name, (long long)machine->gpus);
  axis_sizes split = {{1, 1, 1, 1}};
  const axis_sizes sizes = workload_sizes(workload);
  if (workload->placement.domain[0] != '\0') {
    ss_status status = parse_domain(workload, &split, error);
    if (status == SS_OK) status = check_domain(workload, machine, &sizes, &split, error);
    if (status != SS_OK) return status;
  }
  placement->gpu = malloc((size_t)count * sizeof *placement->gpu);
  if (placement->gpu == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld ranks", (long long)count);
  if (ranks != NULL)
    memcpy(placement->gpu, ranks, (size_t)count * sizeof *ranks);
  else
    fill(placement, workload, &split);
  return SS_OK;
}

void ss_placement_free(ss_placement *placement)
{
  free(placement->gpu);
  *placement = (ss_placement){0};
}

int64_t ss_placement_rank(const ss_placement *placement, ss_coordinates at)
{
  return at.tp + placement->tp * (at.dp + placement->dp * at.pp);
}

int64_t ss_placement_gpu(const ss_placement *placement, ss_coordinates at)
{
  return placement->gpu[ss_placement_rank(placement, at)];
}

int64_t ss_placement_domain(const ss_placement *placement, ss_coordinates at)
{
  return ss_placement_gpu(placement, at) / placement->domain_size;
}

static int compare_gpus(const void *a, const void *b)
{
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

ss_span ss_span_of(int32_t *gpu, int64_t count, int64_t domain_size)
{
  qsort(gpu, (size_t)count, sizeof *gpu, compare_gpus);
  ss_span span = {.size = count, .per_domain = count};
  for (int64_t i = 0; i < count;) {
    int64_t end = i + 1;
    while (end < count && gpu[end] / domain_size == gpu[i] / domain_size) ++end;
    if (end - i < span.per_domain) span.per_domain = end - i;
    span.domains++;
    i = end;
  }
  return span;
}

/* Of all groups that are `count` ranks, `stride` apart, starting at start(i), the one with the smallest share of a
 * domain. */
static ss_span widest(const ss_placement *placement, int64_t count, int64_t stride, bool tensor)
{
  ss_span worst = {.size = count, .domains = 1, .per_domain = count};
  int32_t *group = malloc((size_t)count * sizeof *group);
  SS_ASSERT(group != NULL);
  const int64_t groups = placement->tp * placement->dp * placement->pp / count;
  for (int64_t i = 0; i < groups; ++i) {
    const int64_t first = tensor ? i * count : i % stride + i / stride * stride * count;
    for (int64_t k = 0; k < count; ++k) group[k] = placement->gpu[first + k * stride];
    const ss_span span = ss_span_of(group, count, placement->domain_size);
    if (span.per_domain < worst.per_domain || (span.per_domain == worst.per_domain && span.domains > worst.domains))
      worst = span;
  }
  free(group);
  return worst;
}

ss_span ss_placement_tensor_span(const ss_placement *placement)
{
  return widest(placement, placement->tp, 1, true);
}

ss_span ss_placement_data_span(const ss_placement *placement)
{
  return widest(placement, placement->dp, placement->tp, false);
}

double ss_placement_slow_hops(const ss_placement *placement)
{
  int64_t slow = 0, hops = 0;
  const int64_t stride = placement->tp * placement->dp;
  for (int64_t rank = 0; rank + stride < stride * placement->pp; ++rank, ++hops)
    slow += placement->gpu[rank] / placement->domain_size != placement->gpu[rank + stride] / placement->domain_size;
  return hops == 0 ? 0.0 : (double)slow / (double)hops;
}
