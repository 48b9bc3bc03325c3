/* What program and library call themselves. */
#ifndef STEPSIM_SIM_SESSION_VERSION_H
#define STEPSIM_SIM_SESSION_VERSION_H

/* The version of the project and, where it was built from a checkout, the commit: "0.1.0 (commit 0123456789ab)", with
 * "-dirty" behind a commit that is not all. Written by cmake/version.cmake. */
extern const char *const ss_version;

#endif
