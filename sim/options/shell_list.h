/* The shells that complete command lines. */
#ifndef STEPSIM_SIM_OPTIONS_SHELL_LIST_H
#define STEPSIM_SIM_OPTIONS_SHELL_LIST_H

/* X(enumerator, "word", function that writes what the shell reads). */
#define SS_SHELL_LIST(X)                                                                                               \
  X(SS_SHELL_BASH, "bash", ss_complete_bash)                                                                           \
  X(SS_SHELL_ZSH, "zsh", ss_complete_zsh)                                                                              \
  X(SS_SHELL_FISH, "fish", ss_complete_fish)

#endif
