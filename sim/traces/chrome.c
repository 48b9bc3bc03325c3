/* Trace events in JSON, as PyTorch's profiler and this program write them: an array of events, or an object with one
 * called traceEvents. The parser has no more than an event of them at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "sim/traces/bytes.h"
#include "sim/traces/chrome_events.h"

enum { CHUNK = 1 << 18, DEPTH_MAX = 64, KEY_SIZE = 64 };

/* No value of a trace is as long; a parser would keep all of one that is. */
#define VALUE_MAX (64LL << 20)

/* What a level of the document is. */
typedef enum level { LEVEL_OTHER, LEVEL_ROOT, LEVEL_EVENTS, LEVEL_EVENT, LEVEL_ARGS, LEVEL_FACTS, LEVEL_OWN } level;

typedef struct reading {
  ss_chrome_events events;
  ss_chrome_fields fields;
  ss_error *error;
  ss_status status;
  bool has_events;
  int depth;
  level at[DEPTH_MAX + 1]; /* [depth + 1]; the first one is outside of the document */
  char key[KEY_SIZE];      /* of the innermost object */
  int64_t silent_bytes;    /* since the last value ended */
} reading;

static int refuse(reading *r, const char *what)
{
  r->status = ss_error_set(r->error, SS_ERROR_INPUT, NULL, 0, "%s", what);
  return 0;
}

/* What a value is for that stands beside the events; NULL where it is not known. */
static int64_t *find_fact(const reading *r)
{
  ss_trace_sink *sink = r->events.sink;
  const struct {
    level at;
    const char *key;
    int64_t *of;
  } facts[] = {{LEVEL_FACTS, "rank", &sink->rank},
               {LEVEL_FACTS, "world_size", &sink->world_size},
               {LEVEL_OWN, "micro_batches", &sink->micro_batches},
               {LEVEL_OWN, "shown_micro_batches", &sink->shown_micro_batches}};
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; ++i)
    if (facts[i].at == r->at[r->depth] && strcmp(r->key, facts[i].key) == 0) return facts[i].of;
  return NULL;
}

static int take_scalar(reading *r, ss_chrome_value value)
{
  int64_t *fact;
  r->silent_bytes = 0;
  switch (r->at[r->depth]) {
  case LEVEL_EVENT: ss_chrome_fields_set(&r->fields, false, r->key, value); break;
  case LEVEL_ARGS: ss_chrome_fields_set(&r->fields, true, r->key, value); break;
  case LEVEL_FACTS:
  case LEVEL_OWN:
    fact = find_fact(r);
    if (fact != NULL) *fact = ss_chrome_count(value.text, value.length);
    break;
  case LEVEL_OTHER:
  case LEVEL_ROOT:
  case LEVEL_EVENTS: break;
  }
  return r->depth > 0 ? 1 : refuse(r, "is a single value; allowed: trace events");
}

static int take_string(void *self, const unsigned char *value, size_t length)
{
  return take_scalar(self, (ss_chrome_value){(const char *)value, length, true});
}

static int take_number(void *self, const char *value, size_t length)
{
  return take_scalar(self, (ss_chrome_value){value, length, false});
}

static int take_nothing(void *self)
{
  ((reading *)self)->silent_bytes = 0;
  return 1;
}

static int take_boolean(void *self, int value)
{
  (void)value;
  return take_nothing(self);
}

static int take_key(void *self, const unsigned char *key, size_t length)
{
  reading *r = self;
  const size_t kept = length < KEY_SIZE ? length : KEY_SIZE - 1;
  r->silent_bytes = 0;
  memcpy(r->key, key, kept);
  r->key[kept] = '\0';
  return 1;
}

static int enter(reading *r, level inner)
{
  r->silent_bytes = 0;
  if (r->depth == DEPTH_MAX) return refuse(r, "has objects in objects more than 64 deep");
  r->at[++r->depth] = inner;
  return 1;
}

static int begin_object(void *self)
{
  reading *r = self;
  level inner = LEVEL_OTHER;
  if (r->depth == 0) inner = LEVEL_ROOT;
  if (r->at[r->depth] == LEVEL_EVENTS) inner = LEVEL_EVENT;
  if (r->at[r->depth] == LEVEL_EVENT && strcmp(r->key, "args") == 0) inner = LEVEL_ARGS;
  if (r->at[r->depth] == LEVEL_ROOT && strcmp(r->key, "distributedInfo") == 0) inner = LEVEL_FACTS;
  if (r->at[r->depth] == LEVEL_ROOT && strcmp(r->key, "otherData") == 0) inner = LEVEL_OWN;
  if (inner == LEVEL_EVENT) ss_chrome_fields_clear(&r->fields);
  return enter(r, inner);
}

static int begin_array(void *self)
{
  reading *r = self;
  const bool named = r->at[r->depth] == LEVEL_ROOT && strcmp(r->key, "traceEvents") == 0;
  const bool is_events = r->depth == 0 || named;
  r->has_events = r->has_events || is_events;
  return enter(r, is_events ? LEVEL_EVENTS : LEVEL_OTHER);
}

static int leave(void *self)
{
  reading *r = self;
  r->silent_bytes = 0;
  if (r->at[r->depth--] != LEVEL_EVENT) return 1;
  r->status = ss_chrome_events_take(&r->events, &r->fields, r->error);
  return r->status == SS_OK;
}

static const yajl_callbacks callbacks = {.yajl_null = take_nothing,
                                         .yajl_boolean = take_boolean,
                                         .yajl_number = take_number,
                                         .yajl_string = take_string,
                                         .yajl_start_map = begin_object,
                                         .yajl_map_key = take_key,
                                         .yajl_end_map = leave,
                                         .yajl_start_array = begin_array,
                                         .yajl_end_array = leave};

/* A file as it goes through the parser. */
typedef struct passage {
  ss_bytes bytes;
  yajl_handle parser;
  unsigned char *chunk; /* [CHUNK] owned */
  int line;
} passage;

static int count_lines(const unsigned char *text, size_t count)
{
  int lines = 0;
  for (const unsigned char *at = text; (at = memchr(at, '\n', count - (size_t)(at - text))) != NULL; ++at) ++lines;
  return lines;
}

/* Adds the place to what is wrong: to the error of a callback, or of the parser. */
static ss_status fail(reading *r, passage *p, size_t count)
{
  const size_t used = yajl_get_bytes_consumed(p->parser);
  const int line = p->line + count_lines(p->chunk, used < count ? used : count);
  if (r->status != SS_OK && r->status != SS_ERROR_INPUT) return r->status;
  char what[SS_MESSAGE_SIZE];
  unsigned char *text = r->status == SS_OK ? yajl_get_error(p->parser, 0, p->chunk, count) : NULL;
  const char *message = text != NULL ? strchr((const char *)text, ':') : NULL;
  const size_t length = message != NULL ? strcspn(message, "\n") : 0;
  (void)snprintf(what, sizeof what, "%.*s", (int)length, message != NULL ? message : "");
  if (text != NULL) yajl_free_error(p->parser, text);
  if (r->status == SS_OK) return ss_error_set(r->error, SS_ERROR_INPUT, p->bytes.path, line, "is not JSON%s", what);
  (void)snprintf(what, sizeof what, "%s", r->error != NULL ? r->error->message : "");
  return ss_error_set(r->error, SS_ERROR_INPUT, p->bytes.path, line, "%s", what);
}

static ss_status parse(reading *r, passage *p)
{
  size_t count = CHUNK;
  yajl_status state = yajl_status_ok;
  while (count == CHUNK && state == yajl_status_ok) {
    const ss_status status = ss_bytes_read(&p->bytes, p->chunk, CHUNK, &count, r->error);
    if (status != SS_OK) return status;
    r->silent_bytes += (int64_t)count;
    state = r->silent_bytes > VALUE_MAX ? yajl_status_error : yajl_parse(p->parser, p->chunk, count);
    if (r->silent_bytes > VALUE_MAX) (void)refuse(r, "has a value of more than 64 MiB");
    if (state == yajl_status_ok) p->line += count_lines(p->chunk, count);
  }
  if (state == yajl_status_ok) state = yajl_complete_parse(p->parser);
  if (state != yajl_status_ok) return fail(r, p, count);
  if (r->has_events) return SS_OK;
  return ss_error_set(
      r->error, SS_ERROR_INPUT, p->bytes.path, 0,
      "has no traceEvents; allowed: a trace of PyTorch's profiler, or a timeline of stepsim run --trace");
}

static ss_status read_file(reading *r, const char *path)
{
  passage p = {.chunk = malloc(CHUNK), .parser = yajl_alloc(&callbacks, NULL, r), .line = 1};
  ss_status status = SS_OK;
  if (p.chunk == NULL || p.parser == NULL)
    status = ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
  else
    status = ss_bytes_open(&p.bytes, path, r->error);
  if (status == SS_OK) {
    (void)yajl_config(p.parser, yajl_dont_validate_strings, 1);
    status = parse(r, &p);
  }
  ss_bytes_close(&p.bytes);
  if (p.parser != NULL) yajl_free(p.parser);
  free(p.chunk);
  return status;
}

static ss_status read_chrome(const char *path, ss_trace_sink *sink, ss_error *error)
{
  reading *r = calloc(1, sizeof *r);
  if (r == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
  r->events.sink = sink;
  r->error = error;
  const ss_status status = read_file(r, path);
  ss_chrome_events_free(&r->events);
  free(r);
  return status;
}

static bool begins_chrome(const unsigned char *bytes, size_t count)
{
  size_t i = 0;
  while (i < count && strchr(" \t\r\n", bytes[i]) != NULL && bytes[i] != '\0') ++i;
  return i < count && (bytes[i] == '{' || bytes[i] == '[');
}

const ss_trace_reader ss_chrome_reader = {.name = "Chrome", .begins = begins_chrome, .read = read_chrome};
