/* Whether a command of a script runs, as far as the script says. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_CHANCE_H
#define STEPSIM_SIM_IMPORT_SHELL_CHANCE_H

/* In this order, so that "and" is the smaller one, and "or" the larger one. */
typedef enum ss_chance { SS_CHANCE_NEVER, SS_CHANCE_MAYBE, SS_CHANCE_ALWAYS } ss_chance;

static inline ss_chance ss_chance_and(ss_chance a, ss_chance b)
{
  return a < b ? a : b;
}

static inline ss_chance ss_chance_or(ss_chance a, ss_chance b)
{
  return a > b ? a : b;
}

static inline ss_chance ss_chance_not(ss_chance a)
{
  return (ss_chance)(SS_CHANCE_ALWAYS - a);
}

static inline ss_chance ss_chance_of(int holds)
{
  return holds ? SS_CHANCE_ALWAYS : SS_CHANCE_NEVER;
}

#endif
