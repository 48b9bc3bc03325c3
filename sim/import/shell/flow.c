#include "sim/import/shell/flow.h"

ss_shell_frame *ss_shell_open(ss_shell_flow *flow, const ss_shell_frame *block)
{
  if (flow->depth == SS_SHELL_DEPTH) {
    ++flow->beyond;
    return NULL;
  }
  ss_shell_frame *frame = &flow->frame[flow->depth++];
  *frame = *block;
  frame->live = ss_chance_and(frame->around, frame->taken);
  return frame;
}

void ss_shell_branch(ss_shell_frame *frame, ss_chance chance)
{
  frame->live = ss_chance_and(frame->around, ss_chance_and(ss_chance_not(frame->taken), chance));
  frame->taken = ss_chance_or(frame->taken, chance);
  ++frame->way;
}

void ss_shell_close(ss_shell_flow *flow, ss_shell_block block)
{
  if (flow->beyond > 0)
    --flow->beyond;
  else if (ss_shell_innermost(flow, block) != NULL)
    --flow->depth;
}

ss_shell_frame *ss_shell_innermost(ss_shell_flow *flow, ss_shell_block block)
{
  ss_shell_frame *frame = flow->depth > 0 ? &flow->frame[flow->depth - 1] : NULL;
  return frame != NULL && flow->beyond == 0 && frame->block == block ? frame : NULL;
}

ss_chance ss_shell_live(const ss_shell_flow *flow)
{
  ss_chance live = flow->beyond > 0 ? SS_CHANCE_MAYBE : SS_CHANCE_ALWAYS;
  for (int i = 0; i < flow->depth; ++i) live = ss_chance_and(live, flow->frame[i].live);
  return live;
}

size_t ss_shell_function(const ss_shell_flow *flow)
{
  for (int i = flow->depth - 1; i >= 0; --i)
    if (flow->frame[i].function > 0) return flow->frame[i].function;
  return 0;
}

const ss_shell_frame *ss_shell_undecided(const ss_shell_flow *flow)
{
  for (int i = flow->depth - 1; i >= 0; --i)
    if (flow->frame[i].live == SS_CHANCE_MAYBE) return &flow->frame[i];
  return NULL;
}
