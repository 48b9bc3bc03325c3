#include "sim/import/python/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/python/parse_program.h"

/* Files that a recipe may lead to, and names behind one another of imports. */
enum { MOST_MODULES = 400 };

static const char launcher[] = SS_PY_LAUNCHER ".py";

bool ss_py_ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), size = strlen(end);
  return length >= size && strcmp(text + length - size, end) == 0;
}

static bool is_there(const char *path)
{
  FILE *stream = fopen(path, "rb");
  if (stream != NULL) (void)fclose(stream);
  return stream != NULL;
}

static const char *copy_of(ss_py *py, const char *text, size_t length)
{
  char *copy = ss_scratch_take(py->memory, length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* The name that a file has as a module: folders from the first package on, without the end. */
static const char *name_of(ss_py *py, const char *path, size_t root)
{
  char *name = (char *)copy_of(py, path + root, strlen(path + root));
  char *end = strrchr(name, '.');
  if (end != NULL) *end = '\0';
  for (char *c = name; *c != '\0'; ++c)
    if (*c == '/') *c = '.';
  if (ss_py_ends_with(name, ".__init__")) name[strlen(name) - strlen(".__init__")] = '\0';
  return name;
}

/* The folder that encloses another one, with its slash: where its path ends; 0: it has none. */
static size_t outer_of(const char *path, size_t folder)
{
  for (folder -= folder > 0; folder > 0 && path[folder - 1] != '/';) --folder;
  return folder;
}

/* The innermost folder on the way to a file that has another one: where its path ends. */
static bool find_beside(const char *path, const char *name, size_t *root)
{
  *root = strlen(path) + 1;
  do {
    char beside[SS_PATH_SIZE + 32];
    *root = outer_of(path, *root);
    (void)snprintf(beside, sizeof beside, "%.*s%s", (int)*root, path, name);
    if (is_there(beside)) return true;
  } while (*root > 0);
  return false;
}

/* Where packages begin: where the path has a folder of the name of Megatron-Bridge's package, where the program is that
 * starts recipes, or above the outermost folder that has an __init__.py. */
static size_t root_of(const char *path)
{
  static const char first[] = "megatron/bridge/";
  const char *at = NULL;
  for (const char *next = path; (next = strstr(next, first)) != NULL; ++next)
    if (next == path || next[-1] == '/') at = next;
  if (at != NULL) return (size_t)(at - path);
  size_t root;
  if (find_beside(path, launcher, &root)) return root;
  root = strrchr(path, '/') != NULL ? (size_t)(strrchr(path, '/') - path) + 1 : 0;
  while (root > 1) {
    char beside[SS_PATH_SIZE + 16];
    (void)snprintf(beside, sizeof beside, "%.*s__init__.py", (int)root, path);
    if (!is_there(beside)) break;
    for (--root; root > 0 && path[root - 1] != '/';) --root;
  }
  return root;
}

/* The path of a file from the outermost folder on. */
static const char *whole_path(ss_py *py, const char *path)
{
  char *whole = realpath(path, NULL);
  const char *copy = whole != NULL ? copy_of(py, whole, strlen(whole)) : path;
  free(whole);
  return copy;
}

/* The path by which folders are found: as it is given, or where that names too few, from the outermost one on. */
static const char *path_to_root(ss_py *py, const char *path)
{
  size_t root;
  const char *whole = path[0] != '/' ? whole_path(py, path) : path;
  return !find_beside(path, launcher, &root) && find_beside(whole, launcher, &root) ? whole : path;
}

/* The folder src that is nearest to a file: packages beside those of the file itself. NULL: there is none. */
static const char *library_of(ss_py *py, const char *path)
{
  size_t root;
  if (!find_beside(path, "src/", &root)) path = whole_path(py, path);
  return find_beside(path, "src/", &root) ? ss_py_join(py, copy_of(py, path, root), "src/", "") : NULL;
}

static ss_py_module *module_new(ss_py *py, const char *name, const char *path)
{
  ss_py_module *module = ss_scratch_take(py->memory, sizeof *module);
  *module = (ss_py_module){.name = name, .path = path, .next = py->modules};
  py->modules = module;
  return module;
}

ss_status ss_py_modules_begin(ss_py *py, const ss_source *source, ss_error *error)
{
  const char *path = path_to_root(py, source->path);
  const size_t root = root_of(path);
  py->root = copy_of(py, path, root);
  py->library = library_of(py, path);
  py->own = module_new(py, name_of(py, path, root), copy_of(py, source->path, strlen(source->path)));
  py->own->is_there = true;
  return ss_py_parse(source, py->memory, &py->own->program, error);
}

/* The path of a module that a folder has; NULL: it has none. */
static const char *path_in(ss_py *py, const char *root, const char *name)
{
  static const char *const ends[] = {".py", "/__init__.py"};
  char path[SS_PATH_SIZE];
  for (int i = 0; i < 2; ++i) {
    const int length = snprintf(path, sizeof path, "%s%s%s", root, name, ends[i]);
    if (length >= SS_PATH_SIZE) return NULL;
    for (char *c = path + strlen(root); c < path + length - strlen(ends[i]); ++c)
      if (*c == '.') *c = '/';
    if (is_there(path)) return copy_of(py, path, (size_t)length);
  }
  return NULL;
}

/* The path of a module that is there; NULL: none is. */
static const char *path_of(ss_py *py, const char *name)
{
  const char *path = path_in(py, py->root, name);
  return path != NULL || py->library == NULL ? path : path_in(py, py->library, name);
}

/* Reads a file; one that is no Python that is read is as good as not there, which is said. */
static void read_module(ss_py *py, ss_py_module *module)
{
  char text[2 * SS_PATH_SIZE];
  ss_error why = {0};
  ss_status status = ss_source_read(module->path, &module->source, &why);
  if (status == SS_OK) status = ss_py_parse(&module->source, py->memory, &module->program, &why);
  module->is_there = status == SS_OK;
  if (status == SS_OK || strcmp(why.message, "is empty") == 0) return;
  (void)snprintf(text, sizeof text, "%s:%d, which %.200s", module->path, why.line, why.message);
  ss_py_say(py, SS_PY_NOTE_NAMED, copy_of(py, text, strlen(text)));
}

ss_py_module *ss_py_module_named(ss_py *py, const char *name)
{
  int count = 0;
  for (ss_py_module *module = py->modules; module != NULL; module = module->next, ++count)
    if (strcmp(module->name, name) == 0) return module->is_there ? module : NULL;
  const char *path = count < MOST_MODULES ? path_of(py, name) : NULL;
  if (count == MOST_MODULES) return NULL;
  ss_py_module *module = module_new(py, copy_of(py, name, strlen(name)), path != NULL ? path : "");
  if (path != NULL) read_module(py, module);
  return module->is_there ? module : NULL;
}

const char *ss_py_module_from(ss_py *py, const ss_py_module *module, const ss_py_node *from)
{
  size_t length = strlen(module->name);
  if (from->number == 0.0) return from->text;
  const bool is_package = ss_py_ends_with(module->path, "/__init__.py");
  for (int up = is_package; up < (int)from->number; ++up)
    while (length > 0 && module->name[--length] != '.') {
    }
  const char *folder = copy_of(py, module->name, length);
  return ss_py_join(py, folder, *folder != '\0' && *from->text != '\0' ? "." : "", from->text);
}

/* The name that an import makes known. */
static bool is_alias(const ss_py_node *alias, bool of_module, const char *name)
{
  const size_t first = strcspn(alias->text, ".");
  if (alias->alias != NULL) return strcmp(alias->alias, name) == 0;
  if (!of_module) return strcmp(alias->text, name) == 0;
  return strlen(name) == first && strncmp(alias->text, name, first) == 0;
}

static const ss_py_node *alias_in(const ss_py_node *statement, const char *name)
{
  const ss_py_node *alias = statement->first;
  while (alias != NULL && !is_alias(alias, statement->kind == SS_PY_IMPORT, name)) alias = alias->next;
  return alias;
}

static bool assigns(const ss_py_node *statement, const char *name)
{
  for (const ss_py_node *target = statement->first; target != NULL; target = target->next)
    if (target->kind == SS_PY_READ && strcmp(target->text, name) == 0) return true;
  return false;
}

/* Whether a statement gives a name itself. */
static bool gives(const ss_py_node *statement, const char *name, ss_py_definition *found)
{
  bool is = false;
  found->alias = NULL;
  switch (statement->kind) {
  case SS_PY_DEF:
  case SS_PY_CLASS: is = strcmp(statement->text, name) == 0; break;
  case SS_PY_ASSIGN: is = assigns(statement, name); break;
  case SS_PY_DECLARE:
    is = statement->b != NULL && statement->a->kind == SS_PY_READ && strcmp(statement->a->text, name) == 0;
    break;
  case SS_PY_IMPORT:
  case SS_PY_FROM: is = (found->alias = alias_in(statement, name)) != NULL; break;
  default: break;
  }
  if (is) found->statement = statement;
  return is;
}

/* In a list of statements the last one counts. Of a try it is that of what is tried, since what is installed is not
 * known to be missing; of two branches only a run knows. */
static ss_py_definition definition_in(const ss_py_node *first, const char *name)
{
  ss_py_definition last = {NULL, NULL, false};
  for (const ss_py_node *statement = first; statement != NULL; statement = statement->next) {
    ss_py_definition own = {NULL, NULL, false};
    if (statement->kind == SS_PY_TRY || statement->kind == SS_PY_IF) {
      own = definition_in(statement->body, name);
      const ss_py_definition other = definition_in(statement->other, name);
      if (own.statement == NULL)
        own = other;
      else if (other.statement != NULL && statement->kind == SS_PY_IF)
        own.is_open = true;
    } else
      (void)gives(statement, name, &own);
    if (own.statement != NULL) last = own;
  }
  return last;
}

ss_py_definition ss_py_definition_of(const ss_py_module *module, const char *name)
{
  return definition_in(module->program, name);
}

static void name_all(ss_py *py, const ss_py_node *first, ss_py_value *names)
{
  for (const ss_py_node *statement = first; statement != NULL; statement = statement->next) {
    const bool is_import = statement->kind == SS_PY_IMPORT || statement->kind == SS_PY_FROM;
    for (const ss_py_node *one = statement->first; one != NULL; one = one->next) {
      const char *name = is_import ? (one->alias != NULL ? one->alias : one->text)
                         : statement->kind == SS_PY_ASSIGN && one->kind == SS_PY_READ ? one->text
                                                                                      : NULL;
      if (name != NULL) ss_py_append(py->memory, names, ss_py_text(py, name));
    }
    if (statement->kind == SS_PY_DEF || statement->kind == SS_PY_CLASS)
      ss_py_append(py->memory, names, ss_py_text(py, statement->text));
    if (statement->kind == SS_PY_TRY || statement->kind == SS_PY_IF) name_all(py, statement->body, names);
  }
}

ss_py_value *ss_py_module_names(ss_py *py, const ss_py_module *module)
{
  ss_py_value *names = ss_py_new(py, SS_PY_IS_LIST);
  name_all(py, module->program, names);
  return names;
}

void ss_py_modules_free(ss_py_module *modules)
{
  for (ss_py_module *module = modules; module != NULL; module = module->next) ss_source_free(&module->source);
}
