#include "sim/io/shipped.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/spelling.h"
#include "sim/io/file.h"
#include "sim/io/title.h"

#if !defined SS_DATA_FROM_PROGRAM || !defined SS_DATA_FROM_LIBRARY
#error "the build defines where shipped files are from the folders that the program and the library are installed in"
#endif

#define SUFFIX ".xml"

static const struct {
  const char *word, *folder, *prefix, *root, *noun;
} kinds[SS_SHIPPED_COUNT] = {
#define KIND_ROW(id, word, folder, prefix, root, noun) [id] = {word, folder, prefix, root, noun},
    SS_SHIPPED_LIST(KIND_ROW)
#undef KIND_ROW
};

const char *ss_shipped_word(ss_shipped kind)
{
  return kinds[kind].word;
}

ss_shipped ss_shipped_kind_of(const char *word)
{
  for (int kind = SS_SHIPPED_NONE + 1; kind < SS_SHIPPED_COUNT; ++kind)
    if (strcmp(kinds[kind].word, word) == 0) return (ss_shipped)kind;
  return SS_SHIPPED_NONE;
}

static bool exists(const char *path, bool folder)
{
  struct stat node;
  return stat(path, &node) == 0 && (S_ISDIR(node.st_mode) != 0) == folder;
}

/* The folder of the library or program that this code is in; the name of a program may be no path. */
static bool find_home(char folder[SS_PATH_SIZE])
{
  Dl_info place;
  struct link_map *object = NULL;
  const bool is_known = dladdr1(kinds, &place, (void **)&object, RTLD_DL_LINKMAP) != 0 && object != NULL;
  char *path = realpath(is_known && object->l_name[0] != '\0' ? object->l_name : "/proc/self/exe", NULL);
  const bool fits = path != NULL && snprintf(folder, SS_PATH_SIZE, "%s", path) < SS_PATH_SIZE;
  free(path);
  if (fits) *strrchr(folder, '/') = '\0';
  return fits;
}

/* Beside it: where it is installed, or, where it was built, in a folder that links to the sources. */
static bool find_data(char folder[SS_PATH_SIZE])
{
  static const char *const places[] = {SS_DATA_FROM_PROGRAM, SS_DATA_FROM_LIBRARY, "share/stepsim"};
  char home[SS_PATH_SIZE];
  if (!find_home(home)) return false;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
    char way[2 * SS_PATH_SIZE];
    (void)snprintf(way, sizeof way, "%s/%s", home, places[i]);
    char *place = realpath(way, NULL);
    const bool found = place != NULL && snprintf(folder, SS_PATH_SIZE, "%s", place) < SS_PATH_SIZE;
    free(place);
    if (found && exists(folder, true)) return true;
  }
  return false;
}

void ss_shipped_path_init(ss_shipped_path *path)
{
  *path = (ss_shipped_path){.count = 0};
  const char *at = getenv("STEPSIM_PATH");
  while (at != NULL && *at != '\0' && path->count < SS_SHIPPED_FOLDERS - 1) {
    const size_t length = strcspn(at, ":");
    if (length > 0 && length < SS_PATH_SIZE)
      (void)snprintf(path->folder[path->count++], SS_PATH_SIZE, "%.*s", (int)length, at);
    at += length + (at[length] == ':');
  }
  path->has_data = find_data(path->folder[path->count]);
  path->count += path->has_data;
}

static ss_status refuse_no_data(ss_error *error)
{
  return ss_error_set(
      error, SS_ERROR_INPUT, NULL, 0,
      "the files that are shipped are not where the program is; allowed: all of an installation, a path, "
      "or their folders in STEPSIM_PATH");
}

ss_status ss_shipped_folder(ss_shipped kind, char folder[SS_PATH_SIZE], ss_error *error)
{
  ss_shipped_path folders;
  ss_shipped_path_init(&folders);
  if (!folders.has_data) return refuse_no_data(error);
  const int written = snprintf(folder, SS_PATH_SIZE, "%s/%s", folders.folder[folders.count - 1], kinds[kind].folder);
  return written < SS_PATH_SIZE ? SS_OK : refuse_no_data(error);
}

/* FOLDER/NAME and FOLDER/NAME.xml, the first that is a file; `folder` may be empty. */
static bool find_in(const char *folder, const char *prefix, const char *name, char path[SS_PATH_SIZE])
{
  static const char *const suffixes[] = {"", SUFFIX};
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
    const int written = snprintf(path, SS_PATH_SIZE, "%s%s%s%s", folder, prefix, name, suffixes[i]);
    if (written < SS_PATH_SIZE && exists(path, false)) return true;
  }
  return false;
}

static bool find_in_folder(const char *folder, ss_shipped kind, const char *name, char path[SS_PATH_SIZE])
{
  char own[SS_PATH_SIZE], of_kind[SS_PATH_SIZE];
  if (snprintf(own, sizeof own, "%s/", folder) >= SS_PATH_SIZE) return false;
  if (find_in(own, "", name, path)) return true;
  if (snprintf(of_kind, sizeof of_kind, "%s%s/", own, kinds[kind].folder) >= SS_PATH_SIZE) return false;
  return find_in(of_kind, "", name, path) || find_in(of_kind, kinds[kind].prefix, name, path);
}

/* The name of a file without what all of its kind have: "mlperf" of ".../measured-mlperf.xml". */
static void short_name(ss_shipped kind, const char *path, char name[SS_SHIPPED_NAME_SIZE])
{
  const char *slash = strrchr(path, '/'), *begin = slash != NULL ? slash + 1 : path;
  const size_t prefix = strlen(kinds[kind].prefix);
  if (strncmp(begin, kinds[kind].prefix, prefix) == 0) begin += prefix;
  const size_t length = strlen(begin), suffix = strlen(SUFFIX);
  const bool has_suffix = length > suffix && strcmp(begin + length - suffix, SUFFIX) == 0;
  (void)snprintf(name, SS_SHIPPED_NAME_SIZE, "%.*s", (int)(has_suffix ? length - suffix : length), begin);
}

/* The kind of file that a name without a folder is of; SS_SHIPPED_NONE where there is none. */
static ss_shipped kind_with(const ss_shipped_path *folders, const char *name)
{
  char path[SS_PATH_SIZE];
  for (int kind = SS_SHIPPED_NONE + 1; kind < SS_SHIPPED_COUNT; ++kind)
    for (int i = 0; i < folders->count; ++i)
      if (find_in_folder(folders->folder[i], (ss_shipped)kind, name, path)) return (ss_shipped)kind;
  return SS_SHIPPED_NONE;
}

static ss_status refuse(ss_shipped kind, const ss_shipped_path *folders, const char *name, ss_error *error)
{
  ss_shipped_files files;
  char stem[SS_SHIPPED_NAME_SIZE], what[SS_NEAR_SIZE] = "neither a file nor the name";
  const ss_shipped other = kind_with(folders, name);
  if (other != SS_SHIPPED_NONE) (void)snprintf(what, sizeof what, "the name of a %s, not", kinds[other].noun);
  short_name(kind, name, stem);
  ss_status status = ss_shipped_files_init(&files, kind, error);
  ss_near near = ss_near_to(stem);
  for (int64_t i = 0; i < files.count; ++i) ss_near_offer(&near, files.file[i].name);
  if (status == SS_OK)
    status = ss_error_set(error, SS_ERROR_INPUT, name[0] != '\0' ? name : "\"\"", 0,
                          "is %s of a %s%s; allowed: a path, or what \"stepsim list %s\" lists", what, kinds[kind].noun,
                          ss_near_hint(&near).text, kinds[kind].word);
  ss_shipped_files_free(&files);
  return status;
}

/* Refuses a path that is nowhere, with the names that are near in its folder or, without one, among those shipped. */
static ss_status refuse_path(ss_shipped kind, const char *name, ss_error *error)
{
  char pattern[SS_PATH_SIZE], folder[SS_PATH_SIZE], stem[SS_SHIPPED_NAME_SIZE];
  const char *base = strrchr(name, '/') + 1;
  glob_t found = {.gl_pathc = 0};
  ss_shipped_files files;
  (void)snprintf(folder, sizeof folder, "%.*s", (int)(base - name), name);
  short_name(kind, name, stem);
  ss_near near = ss_near_to(base), of_kind = ss_near_to(stem);
  near.prefix = folder;
  const bool fits = snprintf(pattern, sizeof pattern, "%s*" SUFFIX, folder) < SS_PATH_SIZE;
  if (fits && glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) ss_near_offer(&near, found.gl_pathv[i] + strlen(folder));
  ss_status status = ss_shipped_files_init(&files, kind, error);
  for (int64_t i = 0; i < files.count; ++i) ss_near_offer(&of_kind, files.file[i].name);
  const ss_hint hint = ss_near_hint(near.count > 0 ? &near : &of_kind);
  if (status == SS_OK)
    status = ss_error_set(error, SS_ERROR_INPUT, name, 0, "cannot be read: %s%s", strerror(ENOENT), hint.text);
  ss_shipped_files_free(&files);
  globfree(&found);
  return status;
}

/* A name with '-' for '_', in one of the folders: names that are shipped have no '_'. */
static bool find_spelt(const ss_shipped_path *folders, ss_shipped kind, const char *name, char path[SS_PATH_SIZE])
{
  char plain[SS_SHIPPED_NAME_SIZE];
  if (strlen(name) >= sizeof plain || strchr(name, '_') == NULL) return false;
  (void)snprintf(plain, sizeof plain, "%s", name);
  for (char *at = plain; *at != '\0'; ++at)
    if (*at == '_') *at = '-';
  for (int i = 0; i < folders->count; ++i)
    if (find_in_folder(folders->folder[i], kind, plain, path)) return true;
  return false;
}

ss_status ss_shipped_find(ss_shipped kind, const char *name, char path[SS_PATH_SIZE], ss_error *error)
{
  ss_shipped_path folders;
  if (find_in("", "", name, path)) return SS_OK;
  ss_shipped_path_init(&folders);
  for (int i = 0; i < folders.count && name[0] != '/'; ++i)
    if (find_in_folder(folders.folder[i], kind, name, path)) return SS_OK;
  const bool has_folder = strchr(name, '/') != NULL;
  const bool is_path = has_folder || exists(name, true) || strlen(name) >= SS_PATH_SIZE;
  if (!is_path && find_spelt(&folders, kind, name, path)) return SS_OK;
  if (!is_path) return refuse(kind, &folders, name, error);
  if (strlen(name) >= SS_PATH_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, name, 0, "has a path that is too long; allowed: at most %d bytes",
                        SS_PATH_SIZE - 1);
  if (has_folder && access(name, F_OK) != 0 && errno == ENOENT) return refuse_path(kind, name, error);
  (void)snprintf(path, SS_PATH_SIZE, "%s", name);
  return SS_OK;
}

/* Adds a file, unless one of that name is there or, where other kinds may be, it is of another one. */
static ss_status add_file(ss_shipped_files *files, ss_shipped kind, const char *path, bool only_kind, ss_error *error)
{
  ss_shipped_file file = {.name = ""};
  ss_file text;
  short_name(kind, path, file.name);
  (void)snprintf(file.path, sizeof file.path, "%s", path);
  for (int64_t i = 0; i < files->count; ++i)
    if (strcmp(files->file[i].name, file.name) == 0) return SS_OK;
  if (ss_file_read(path, &text, NULL) != SS_OK) return SS_OK; /* whoever names it learns why */
  const bool is_one = only_kind || ss_title_has_root(text.text, kinds[kind].root);
  if (is_one) ss_title_of(text.text, file.title, sizeof file.title);
  ss_file_free(&text);
  if (!is_one) return SS_OK;
  ss_shipped_file *grown = realloc(files->file, ((size_t)files->count + 1) * sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a list of files");
  files->file = grown;
  files->file[files->count++] = file;
  return SS_OK;
}

/* The files of a folder, or of the one of their kind in it, in the order of their names. */
static ss_status add_folder(ss_shipped_files *files, ss_shipped kind, const char *folder, bool of_kind, ss_error *error)
{
  char pattern[SS_PATH_SIZE];
  glob_t found;
  const int written =
      of_kind ? snprintf(pattern, sizeof pattern, "%s/%s/%s*" SUFFIX, folder, kinds[kind].folder, kinds[kind].prefix)
              : snprintf(pattern, sizeof pattern, "%s/*" SUFFIX, folder);
  if (written >= SS_PATH_SIZE || glob(pattern, 0, NULL, &found) != 0) return SS_OK;
  ss_status status = SS_OK;
  for (size_t i = 0; status == SS_OK && i < found.gl_pathc; ++i)
    status = add_file(files, kind, found.gl_pathv[i], of_kind, error);
  globfree(&found);
  return status;
}

ss_status ss_shipped_files_init(ss_shipped_files *files, ss_shipped kind, ss_error *error)
{
  ss_shipped_path folders;
  *files = (ss_shipped_files){.count = 0};
  ss_shipped_path_init(&folders);
  if (folders.count == 0) return refuse_no_data(error);
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && i < folders.count; ++i) {
    status = add_folder(files, kind, folders.folder[i], false, error);
    if (status == SS_OK) status = add_folder(files, kind, folders.folder[i], true, error);
  }
  return status;
}

void ss_shipped_files_free(ss_shipped_files *files)
{
  free(files->file);
  *files = (ss_shipped_files){.count = 0};
}
