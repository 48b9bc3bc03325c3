/* A workload that is being put together from files of other programs, and what is said of them. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_DRAFT_H
#define STEPSIM_SIM_IMPORT_MODELS_DRAFT_H

#include <stdint.h>

#include "model/input/workload.h"

/* What is said of a file beside the workload, what matters most first: X(enumerator, "what its notes are"). */
#define SS_NOTE_LIST(X)                                                                                                \
  X(SS_NOTE_MATTERS, "left out, though it matters")                                                                    \
  X(SS_NOTE_PADDED, "padded, as Megatron-LM does")                                                                     \
  X(SS_NOTE_NAMED, "not said, and taken from what is named")                                                           \
  X(SS_NOTE_LEFT_OUT, "left out, with little influence")                                                               \
  X(SS_NOTE_AROUND, "of the model around that of text, left out")                                                      \
  X(SS_NOTE_LATER, "taken, though later releases of Megatron-LM refuse it")                                            \
  X(SS_NOTE_OVER, "not taken, since another section of the file goes over it when Megatron-Bridge starts")             \
  X(SS_NOTE_RECIPE, "named and not read, so that what it sets is not known")                                           \
  X(SS_NOTE_UNDECIDED, "taken, though only a run decides")                                                             \
  X(SS_NOTE_WARNED, "warned of by the program that starts the recipe")                                                 \
  X(SS_NOTE_UNSET, "asked for by conditions, not set here, and taken as empty")                                        \
  X(SS_NOTE_LOOP, "loops of which the first round is read")                                                            \
  X(SS_NOTE_SOURCED, "sourced and not read, so that what they set is not known")                                       \
  X(SS_NOTE_OPEN, "among the arguments, and not read, since only a run knows what it is")                              \
  X(SS_NOTE_UNREAD, "not read")                                                                                        \
  X(SS_NOTE_UNKNOWN, "said by no file, and taken as 1")                                                                \
  X(SS_NOTE_STACK, "left open, for --set training.stack to say")                                                       \
  X(SS_NOTE_OFF, "not understood, but off or empty")                                                                   \
  X(SS_NOTE_IDLE, "without influence on time")

typedef enum ss_note_kind {
#define SS_NOTE_ID(id, text) id,
  SS_NOTE_LIST(SS_NOTE_ID)
#undef SS_NOTE_ID
      SS_NOTE_KINDS,
  SS_NOTE_READ = SS_NOTE_KINDS /* a file that was read; no line has it */
} ss_note_kind;

/* Who pads the rows of experts for products in 8 bits; of several files that which says most. */
typedef enum ss_expert_pads { SS_PADS_UNKNOWN, SS_PADS_KERNELS, SS_PADS_ON_THE_WAY } ss_expert_pads;

typedef struct ss_note {
  ss_note_kind kind;
  char *text; /* owned */
} ss_note;

/* The files that a workload is from. Zeroed is empty. */
typedef struct ss_import {
  ss_workload *workload; /* borrowed */
  ss_note *note;         /* [count], as they came; owned */
  int64_t count, room;
  bool has_strategy;      /* some file has settings of a framework, not a model alone */
  bool read_recipe;       /* some file has recipes */
  bool names_vocabulary;  /* the vocabulary is that of a tokenizer that a file names */
  bool spreads_states;    /* copies of what is sharded share the optimizer's states */
  const ss_stack *stacks; /* of ss_dialect: those of the framework whose settings were read last; NULL: none were */
  bool of_release[SS_ATTRIBUTE_TOTAL]; /* what a framework does that no file says, for training.stack to go over */
  int64_t
      replica_batch;    /* sequences of a replica in an iteration, where files say these and not those of all; else 0 */
  int64_t shard_copies; /* copies of what is sharded, where files say these and not all replicas; else 0 */
  int64_t shard_ranks;  /* ranks that share one of them, where files say these and not all replicas; else 0 */
  int64_t vocabulary_multiple; /* that a framework pads the vocabulary to, times tp; 0: it does not */
  int64_t gpus;                /* of all replicas, which whoever imports says; 0: nobody does */
  const char *recipe;      /* of a file that has several, which whoever imports names; NULL: nobody does; borrowed */
  int64_t recipe_gpus;     /* of all replicas, which a recipe is for; 0: none says so */
  unsigned axes;           /* those of parallelism whose products these are that a file has, in bits */
  bool recomputes_core;    /* selective recomputation is of attention's core, where no module is named */
  bool recomputes_experts; /* and of layers of experts, whatever is named */
  ss_expert_pads pads;
  struct json_t *config;            /* the last config.json that was read; NULL: none; owned */
  struct ss_shell_variables *given; /* what files that only do so give variables; NULL: nothing; owned */
  struct ss_sheet *earlier; /* what files of Megatron-LM have said so far, one over the other; NULL: none; owned */
  bool experts_stay;        /* in 16 bits, where files have other products in 8 */
} ss_import;

/* Sets a count or a choice of the workload, at a line of a file. */
void ss_import_set(ss_import *import, ss_attribute_index index, int64_t value, int line);

/* Gives a count back its default, as if no file had it. */
void ss_import_unset(ss_import *import, ss_attribute_index index);

/* Adds a note. SS_ERROR_MEMORY. */
ss_status ss_import_note(ss_import *import, ss_note_kind kind, const char *text, ss_error *error);

/* What notes of a kind say, in a line such as "not read: a, b"; NULL where there are none. What files name is none
 * where it was read. Owned by the caller. SS_ERROR_MEMORY. */
ss_status ss_import_notes(const ss_import *import, ss_note_kind kind, char **line, ss_error *error);

#endif
