#include "model/input/gpu_speed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"

static const char blanks[] = " \t\r\n";

/* Nobody writes longer numbers. */
enum { ENTRY_SIZE = 64 };

const char *ss_list_entry(const char *text, int *length)
{
  text += strspn(text, blanks);
  *length = (int)strcspn(text, blanks);
  return text;
}

/* Digits without a sign, behind "gpu-" or not, which links are called by; where they end. */
static const char *read_gpu(const char *text, int64_t *gpu)
{
  static const char name[] = "gpu";
  char *end = NULL;
  errno = 0;
  if (strncmp(text, name, strlen(name)) == 0 && (text[strlen(name)] == '-' || text[strlen(name)] == '_'))
    text += strlen(name) + 1;
  if (*text < '0' || *text > '9') return NULL;
  *gpu = strtoll(text, &end, 10);
  return errno == 0 ? end : NULL;
}

/* A plain decimal number at the end of the text. */
static bool read_factor(const char *text, double *factor)
{
  char *end = NULL;
  if (strspn(text, "0123456789.eE-") != strlen(text) || *text == '-') return false;
  *factor = strtod(text, &end);
  return end != text && *end == '\0' && *factor > 0.0 && *factor <= 1.0;
}

bool ss_gpu_speed_read(const char *entry, int length, ss_gpu_speed *speed)
{
  static const char dots[] = "..";
  char text[ENTRY_SIZE];
  *speed = (ss_gpu_speed){.end = entry + length};
  if (length >= ENTRY_SIZE) return false;
  memcpy(text, entry, (size_t)length);
  text[length] = '\0';
  const char *at = read_gpu(text, &speed->first);
  speed->last = speed->first;
  if (at != NULL && *at == '-')
    at = read_gpu(at + 1, &speed->last);
  else if (at != NULL && strncmp(at, dots, strlen(dots)) == 0)
    at = read_gpu(at + strlen(dots), &speed->last);
  return at != NULL && *at == ':' && speed->last >= speed->first && read_factor(at + 1, &speed->factor);
}

void ss_gpu_speeds(const char *text, int64_t gpus, double *factor)
{
  ss_gpu_speed speed;
  int length;
  for (int64_t gpu = 0; gpu < gpus; ++gpu) factor[gpu] = 1.0;
  for (text = ss_list_entry(text, &length); length > 0; text = ss_list_entry(speed.end, &length)) {
    SS_ASSERT(ss_gpu_speed_read(text, length, &speed) && speed.last < gpus);
    for (int64_t gpu = speed.first; gpu <= speed.last; ++gpu) factor[gpu] = speed.factor;
  }
}
