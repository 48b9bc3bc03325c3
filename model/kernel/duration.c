#include "model/kernel/duration.h"

const char *ss_group_name(ss_group group)
{
  static const char *const names[] = {
#define SS_GROUP_NAME(id, name, part) name,
      SS_GROUP_LIST(SS_GROUP_NAME)
#undef SS_GROUP_NAME
  };
  return names[group];
}

double ss_duration_kernel_s(ss_duration duration)
{
  return duration.compute_s + duration.memory_s + duration.launch_s;
}

double ss_duration_exposed_s(ss_duration duration)
{
  double sum_s = 0.0;
  for (int group = 0; group < SS_GROUPS; ++group) sum_s += duration.comm_s[group];
  return sum_s;
}

double ss_duration_sum(ss_duration duration)
{
  double sum_s = ss_duration_kernel_s(duration);
  for (int group = 0; group < SS_GROUPS; ++group) sum_s += duration.comm_s[group];
  return sum_s;
}

ss_duration ss_duration_add(ss_duration a, ss_duration b)
{
  ss_duration sum = {a.compute_s + b.compute_s, a.memory_s + b.memory_s, a.launch_s + b.launch_s, {0.0}};
  for (int group = 0; group < SS_GROUPS; ++group) sum.comm_s[group] = a.comm_s[group] + b.comm_s[group];
  return sum;
}

ss_duration ss_duration_scale(double factor, ss_duration duration)
{
  ss_duration scaled = {factor * duration.compute_s, factor * duration.memory_s, factor * duration.launch_s, {0.0}};
  for (int group = 0; group < SS_GROUPS; ++group) scaled.comm_s[group] = factor * duration.comm_s[group];
  return scaled;
}
