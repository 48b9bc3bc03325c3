/* Status codes, and the error record that carries a message to whoever prints it. */
#ifndef STEPSIM_MODEL_BASE_ERROR_H
#define STEPSIM_MODEL_BASE_ERROR_H

#define SS_STATUS_LIST(X)                                                                                              \
  X(SS_OK, "success")                                                                                                  \
  X(SS_ERROR_MEMORY, "out of memory")                                                                                  \
  X(SS_ERROR_INPUT, "an input file or option is not usable")                                                           \
  X(SS_ERROR_OUTPUT, "a result could not be written")                                                                  \
  X(SS_ERROR_DEADLOCK, "the ranks wait for each other forever")                                                        \
  X(SS_ERROR_ENGINE, "the network simulation stopped early")                                                           \
  X(SS_ERROR_BUDGET, "the limit of time or memory is reached")                                                         \
  X(SS_ERROR_PROCESS, "a worker process stopped early")                                                                \
  X(SS_ERROR_MODULE, "a part of the program cannot be loaded")                                                         \
  X(SS_ERROR_USE, "a function was called with what it does not take")                                                  \
  X(SS_ERROR_STOPPED, "the caller has stopped it")

typedef enum ss_status {
#define SS_STATUS_ID(id, text) id,
  SS_STATUS_LIST(SS_STATUS_ID)
#undef SS_STATUS_ID
      SS_STATUS_COUNT
} ss_status;

#define SS_PATH_SIZE    512
#define SS_MESSAGE_SIZE 3072

/* What went wrong and where. `file` may be empty, `line` 0 when there is none. */
typedef struct ss_error {
  ss_status code;
  char file[SS_PATH_SIZE];
  int line;
  char message[SS_MESSAGE_SIZE];
} ss_error;

/* The fixed text of a status code; never NULL. */
const char *ss_status_text(ss_status code);

/* Fills `error` (which may be NULL) and returns `code`, so that callers write `return ss_error_set(...)`.
 * `file` may be NULL. Texts that do not fit are cut, always terminated. */
ss_status ss_error_set(ss_error *error, ss_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define SS_ERROR_TEXT_SIZE (SS_PATH_SIZE + SS_MESSAGE_SIZE + 16)

/* Writes "FILE:LINE: MESSAGE" into `text`, without a file or line that the error does not have. */
void ss_error_text(const ss_error *error, char text[SS_ERROR_TEXT_SIZE]);

/* Aborts with file and line when a promise inside the program is broken; active in release builds too. */
#define SS_ASSERT(condition) ((condition) ? (void)0 : ss_assert_failed(#condition, __FILE__, __LINE__))

/* Prints the condition with file and line on standard error and aborts; only SS_ASSERT calls it. */
void ss_assert_failed(const char *condition, const char *file, int line) __attribute__((noreturn));

#endif
