/* Processes that go on with the code of this one, whatever program or library that is in, and report over a line. */
#ifndef STEPSIM_SIM_PROCESS_PROCESS_H
#define STEPSIM_SIM_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Starts a process; in it, returns 0. `line` is the end of either side of a line between both. The process dies with
 * the thread that started it, has no signal handler of this one and no signal blocked; it has to end by _exit, so that
 * it runs and flushes nothing of a host that it has a copy of. Nothing is flushed here either: a stream that another
 * thread waits on would not let this one go on. -1, with errno, where there is none. */
pid_t ss_process_start(int *line);

/* Sends and receives all of it; false where the other side has gone. */
bool ss_process_send(int line, const void *bytes, size_t size);
bool ss_process_receive(int line, void *bytes, size_t size);

enum { SS_FATE_SIZE = 96 };

/* Waits for the end of a process and writes how it was: "stopped with status 1" or "was ended by signal 9 (Killed)". */
void ss_process_wait(pid_t process, char fate[SS_FATE_SIZE]);

#endif
