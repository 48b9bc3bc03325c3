/* Files that come with the program and the library, found by name from anywhere. */
#ifndef STEPSIM_SIM_IO_SHIPPED_H
#define STEPSIM_SIM_IO_SHIPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"

/* Kinds of files: X(enumerator, "word", "folder", what names of files begin with, "root element", "what one is"). */
#define SS_SHIPPED_LIST(X)                                                                                             \
  X(SS_SHIPPED_WORKLOADS, "workloads", "workloads", "", "workload", "workload")                                        \
  X(SS_SHIPPED_PLATFORMS, "platforms", "platforms", "", "platform", "platform")                                        \
  X(SS_SHIPPED_MEASUREMENTS, "measurements", "validation", "measured-", "measured", "file of measurements")            \
  X(SS_SHIPPED_FITS, "fits", "validation/fit", "", "fit", "fit file")                                                  \
  X(SS_SHIPPED_RULES, "rules", "rules", "", "rules", "file of rules")

typedef enum ss_shipped {
  SS_SHIPPED_NONE,
#define SS_SHIPPED_ID(id, word, folder, prefix, root, noun) id,
  SS_SHIPPED_LIST(SS_SHIPPED_ID)
#undef SS_SHIPPED_ID
      SS_SHIPPED_COUNT
} ss_shipped;

enum { SS_SHIPPED_FOLDERS = 16 };

/* Folders that are searched, the first one first: those of the environment variable STEPSIM_PATH, with colons between
 * them, and the folder that is installed with the program or library, or the sources where it was built. */
typedef struct ss_shipped_path {
  char folder[SS_SHIPPED_FOLDERS][SS_PATH_SIZE]; /* [count] */
  int count;
  bool has_data; /* the last one is that of the program; false where there is none beside it */
} ss_shipped_path;

/* The folders of now; what STEPSIM_PATH has beyond SS_SHIPPED_FOLDERS is left out. */
void ss_shipped_path_init(ss_shipped_path *path);

/* Finds the file that a user calls `name`: the file of that path, or the path with .xml; else that name in one of the
 * folders or in the folder of its kind there, with or without .xml and what its kind begins with, with '-' for '_' at
 * the last. SS_ERROR_INPUT, with the names that are near, where it is nowhere. */
ss_status ss_shipped_find(ss_shipped kind, const char *name, char path[SS_PATH_SIZE], ss_error *error);

/* The folder of a kind beside the program. SS_ERROR_INPUT where there is none. */
ss_status ss_shipped_folder(ss_shipped kind, char folder[SS_PATH_SIZE], ss_error *error);

enum { SS_SHIPPED_NAME_SIZE = 64, SS_SHIPPED_TITLE_SIZE = 1024 };

typedef struct ss_shipped_file {
  char name[SS_SHIPPED_NAME_SIZE];
  char path[SS_PATH_SIZE];
  char title[SS_SHIPPED_TITLE_SIZE]; /* the first sentence of its first comment; may be empty */
} ss_shipped_file;

typedef struct ss_shipped_files {
  ss_shipped_file *file; /* [count]; owned */
  int64_t count;
} ss_shipped_files;

/* Lists the files of a kind, each name once: that which ss_shipped_find finds. Release with ss_shipped_files_free in
 * any case. SS_ERROR_INPUT where there are no folders to look in; SS_ERROR_MEMORY. */
ss_status ss_shipped_files_init(ss_shipped_files *files, ss_shipped kind, ss_error *error);
void ss_shipped_files_free(ss_shipped_files *files);

/* The word of a kind, for the command line; the kind of a word, SS_SHIPPED_NONE where it is none. */
const char *ss_shipped_word(ss_shipped kind);
ss_shipped ss_shipped_kind_of(const char *word);

#endif
