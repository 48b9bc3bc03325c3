/* The branches and loops that a place of a shell script is inside of. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_FLOW_H
#define STEPSIM_SIM_IMPORT_SHELL_FLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/import/shell/chance.h"
#include "sim/import/shell/expand.h"

enum { SS_SHELL_DEPTH = 32 };

typedef enum ss_shell_block { SS_BLOCK_IF, SS_BLOCK_CASE, SS_BLOCK_LOOP, SS_BLOCK_GROUP } ss_shell_block;

typedef struct ss_shell_frame {
  ss_shell_block block;
  ss_chance around;      /* it is reached, if the block around it runs */
  ss_chance live;        /* its branch runs then, too */
  ss_chance taken;       /* one of its branches so far does */
  bool awaits_pattern;   /* of a case */
  ss_shell_word subject; /* of a case */
  size_t choice;         /* where it begins in the source, counted from 1 */
  int way;               /* its branch, counted from 0 */
  size_t function;       /* where the function begins that it is the body of, counted from 1; 0: of none */
} ss_shell_frame;

typedef struct ss_shell_flow {
  ss_shell_frame frame[SS_SHELL_DEPTH]; /* [depth] */
  int depth;
  int beyond; /* blocks that had no room, and run perhaps */
} ss_shell_flow;

/* Begins a block, whose first branch runs by the chance that it is taken. NULL: it has no room. */
ss_shell_frame *ss_shell_open(ss_shell_flow *flow, const ss_shell_frame *block);

/* Goes on with the next branch of a block, which runs by a chance unless an earlier one did. */
void ss_shell_branch(ss_shell_frame *frame, ss_chance chance);

/* Ends a block, if it is the innermost one. */
void ss_shell_close(ss_shell_flow *flow, ss_shell_block block);

/* The innermost block, if it is of this kind; else NULL. */
ss_shell_frame *ss_shell_innermost(ss_shell_flow *flow, ss_shell_block block);

/* Whether the place runs. */
ss_chance ss_shell_live(const ss_shell_flow *flow);

/* Where the function begins whose body the place is in, counted from 1; 0: in none. */
size_t ss_shell_function(const ss_shell_flow *flow);

/* The innermost block that only a run decides; NULL: there is none. */
const ss_shell_frame *ss_shell_undecided(const ss_shell_flow *flow);

#endif
