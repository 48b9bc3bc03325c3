/* For builds that count lines: a process that leaves by _exit - the child of a replay, a worker of a crew - writes its
 * counts first. Linked with --wrap=_exit. */
void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
  __gcov_dump();
  __real__exit(status);
}
