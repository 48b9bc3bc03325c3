/* doctor: what the program finds where it runs, for reports of defects. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "include/stepsim.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/io/shipped.h"
#include "sim/module/module.h"
#include "sim/report/table.h"

enum { VERSION_SIZE = 1024, NAME_WIDTH = 10 };

/* What libraries say of themselves, in the ways that they do. */
typedef union symbol {
  void *address;
  const char *(*text)(void);
  void (*parts)(int *major, int *minor, int *patch);
  int (*lines)(char *text, int *length);
  const char **number; /* 20914 for 2.9.14 */
} symbol;

static void say_text(symbol s, char version[VERSION_SIZE])
{
  (void)snprintf(version, VERSION_SIZE, "%s", s.text());
}

static void say_parts(symbol s, char version[VERSION_SIZE])
{
  int major, minor, patch;
  s.parts(&major, &minor, &patch);
  (void)snprintf(version, VERSION_SIZE, "%d.%d.%d", major, minor, patch);
}

/* MPI_Get_library_version writes at most 256 bytes with MPICH and Open MPI, some of them in lines. */
static void say_line(symbol s, char version[VERSION_SIZE])
{
  int length = 0;
  if (s.lines(version, &length) != 0) version[0] = '\0';
  version[strcspn(version, "\n,")] = '\0';
}

static void say_number(symbol s, char version[VERSION_SIZE])
{
  const long number = strtol(*s.number, NULL, 10);
  (void)snprintf(version, VERSION_SIZE, "%ld.%ld.%ld", number / 10000, number / 100 % 100, number % 100);
}

/* The libraries, and the modules that bring them. SimGrid has functions of MPI, too, and comes after it. */
static const struct {
  const char *name, *module, *symbol;
  void (*say)(symbol s, char version[VERSION_SIZE]);
  const char *who; /* alone needs it; NULL: everybody */
} libraries[] = {
    {"MPI", "mpi", "MPI_Get_library_version", say_line, "several processes"},
    {"SimGrid", "simgrid", "sg_version_get", say_parts, "--flows simulated and --simgrid-trials"},
    {"libxml2", NULL, "xmlParserVersion", say_number, NULL},
    {"SQLite", NULL, "sqlite3_libversion", say_text, NULL},
    {"Jansson", NULL, "jansson_version_str", say_text, NULL},
    {"NLopt", NULL, "nlopt_version", say_parts, NULL},
};

static bool print_libraries(void)
{
  bool complete = true;
  printf("\nLibraries\n");
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; ++i) {
    char version[VERSION_SIZE] = "";
    ss_error error = {0};
    const bool loads = libraries[i].module == NULL || ss_module_load(libraries[i].module, &error) != NULL;
    const symbol s = {.address = loads ? ss_module_symbol(libraries[i].module, libraries[i].symbol) : NULL};
    if (s.address != NULL) libraries[i].say(s, version);
    const char *who = version[0] == '\0' ? libraries[i].who : NULL;
    printf("  %-*s %s%s%s%s\n", NAME_WIDTH, libraries[i].name, version[0] != '\0' ? version : "not found",
           who != NULL ? ", which only " : "", who != NULL ? who : "", who != NULL ? " need" : "");
    if (!loads) printf("  %-*s %s\n", NAME_WIDTH, "", error.message);
    complete = complete && (version[0] != '\0' || libraries[i].who != NULL);
  }
  return complete;
}

/* How many files of each kind a folder has that are found there. */
static void print_folder(const char *folder)
{
  char *line = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&line, &size);
  SS_ASSERT(stream != NULL);
  for (int kind = SS_SHIPPED_NONE + 1; kind < SS_SHIPPED_COUNT; ++kind) {
    ss_shipped_files files;
    int64_t count = 0;
    if (ss_shipped_files_init(&files, (ss_shipped)kind, NULL) == SS_OK)
      for (int64_t i = 0; i < files.count; ++i) count += strncmp(files.file[i].path, folder, strlen(folder)) == 0;
    (void)fprintf(stream, "%s%" PRId64 " %s", kind > SS_SHIPPED_NONE + 1 ? ", " : "", count,
                  ss_shipped_word((ss_shipped)kind));
    ss_shipped_files_free(&files);
  }
  (void)fclose(stream);
  printf("  %s\n    ", folder);
  ss_table_print_wrapped(stdout, line, 4);
  free(line);
}

static bool print_folders(void)
{
  ss_shipped_path path;
  const char *variable = getenv("STEPSIM_PATH");
  ss_shipped_path_init(&path);
  printf("\nFiles by name, the first one first\n  STEPSIM_PATH is %s\n", variable != NULL ? variable : "not set");
  for (int i = 0; i < path.count; ++i) print_folder(path.folder[i]);
  if (!path.has_data) printf("  nothing beside the program: this is not all of an installation\n");
  return path.has_data;
}

static void print_machine(void)
{
  struct utsname name;
  const double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (double)(1 << 30);
  if (uname(&name) == 0) printf("  %-*s %s %s %s\n", NAME_WIDTH, "system", name.sysname, name.release, name.machine);
  printf("  %-*s %ld cores, %.1f GiB\n", NAME_WIDTH, "machine", sysconf(_SC_NPROCESSORS_ONLN), gib);
#ifdef _OPENMP
  printf("  %-*s %s, OpenMP %d\n", NAME_WIDTH, "compiler", __VERSION__, _OPENMP);
#else
  printf("  %-*s %s, without OpenMP\n", NAME_WIDTH, "compiler", __VERSION__);
#endif
}

int ss_command_doctor(const ss_options *options)
{
  (void)options;
  printf("stepsim %s\n", stepsim_version());
  print_machine();
  const bool has_libraries = print_libraries();
  const bool has_files = print_folders();
  printf("\nA report of a defect needs this, the command, its inputs, and what it printed.\n");
  return has_libraries && has_files ? SS_EXIT_DONE : SS_EXIT_FAILED;
}
