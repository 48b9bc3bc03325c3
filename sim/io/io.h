/* Reading what a user gives: workload files, platform files, overrides and rank files. */
#ifndef STEPSIM_SIM_IO_IO_H
#define STEPSIM_SIM_IO_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/fabric/topology_generator.h"
#include "model/input/documents.h"
#include "model/input/machine.h"
#include "model/input/node.h"
#include "model/input/words.h"
#include "model/measured/fit.h"
#include "model/measured/measured.h"
#include "model/plan/placement/segment.h"
#include "model/profile/rules.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Reads a workload file over the defaults. The file is checked against the shipped schema and attribute by attribute;
 * what follows from several attributes is left to ss_workload_derive and ss_workload_check, after the overrides.
 * SS_ERROR_INPUT with file, line, what was given and what is allowed. */
ss_status ss_workload_load(const char *path, ss_workload *workload, ss_error *error);

/* Reads a platform file: the properties of its outer zone, and GPUs, bandwidths and latencies of its two zones.
 * Accepts only what SimGrid 3.32 is known to load without aborting. SS_ERROR_INPUT as above. */
ss_status ss_machine_load(const char *path, ss_machine *machine, ss_error *error);

/* Reads the topology of a node as NCCL writes it (NCCL_TOPO_DUMP_FILE) or as it is written for NCCL (NCCL_TOPO_FILE).
 * SS_ERROR_INPUT as above, also where GPUs differ; SS_ERROR_MEMORY. */
ss_status ss_nccl_topology_load(const char *path, ss_node *node, ss_error *error);

/* Applies one override, ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE; either target may be NULL, then the
 * override is refused. SS_ERROR_INPUT names what was given and what is allowed. */
ss_status ss_override(const char *text, ss_workload *workload, ss_machine *machine, ss_error *error);

/* The full name of the one attribute or property that has `length` characters for its name, or is called so elsewhere.
 * False where there is none or more than one. */
bool ss_override_named(const char *name, size_t length, char full[SS_TEXT_SIZE]);

/* Checks that gpu-speed suits the machine, that the hosts of machine->file, which is read again if one of the two was
 * overridden, suit domain-size and nics-per-domain, and that there are the rails and links that rail-domains and
 * link-speed speak of: ss_machine_load has done so for the values of the file, this is for those of overrides, after
 * the last one. SS_ERROR_INPUT as above.
 */
ss_status ss_machine_check(const ss_machine *machine, ss_error *error);

/* Reads a file of the GPUs that may be used: per line domains of the machine, a number or a range such as 0-5, and how
 * many of their GPUs, the first ones, or "gpus" and a list such as 0-3,6 counted inside the domain; '#' starts a
 * comment. A domain occurs at most once, and those that do not occur are not used. SS_ERROR_INPUT as above,
 * SS_ERROR_MEMORY. Release with ss_free_gpus_free after success. */
ss_status ss_free_gpus_load(const char *path, const ss_machine *machine, ss_free_gpus *free_gpus, ss_error *error);

/* Reads the file of routes of a machine, which machine->forwarding is to borrow; NULL without one.
 * Per line a cable of the fabric, named as in link-speed without a direction, and NICs that take it: a list of numbers,
 * ranges 0-5 and every so-manyth of one, 0-95:12. '#' starts a comment. A switch and a NIC occur at most once; what
 * does not occur goes by destination. SS_ERROR_INPUT as above, SS_ERROR_MEMORY. Release with ss_forwarding_destroy. */
ss_status ss_routes_load(const ss_machine *machine, ss_forwarding **forwarding, ss_error *error);

/* Reads a file of the lengths of documents: per line a number of tokens, and how many documents have it where these are
 * more than one; '#' starts a comment. The list is the caller's. SS_ERROR_INPUT as above, SS_ERROR_MEMORY. */
ss_status ss_documents_load(const char *path, ss_document_list **list, ss_error *error);

/* Reads a rank file: one GPU index per line for each of `ranks` ranks, '#' starts a comment; every index is below
 * `gpus` and occurs once. `gpu` is [ranks] and belongs to the caller. SS_ERROR_INPUT as above. */
ss_status ss_ranks_load(const char *path, int64_t ranks, int64_t gpus, int32_t *gpu, ss_error *error);

/* Adds the published measurements of a file to `measured`. Checks each value and each platform property by itself; what
 * depends on the platform is checked when it is predicted. Release with ss_measured_free in any case. SS_ERROR_INPUT as
 * above; SS_ERROR_MEMORY. */
ss_status ss_measured_load(const char *path, ss_measured *measured, ss_error *error);

/* Adds the measurements of all files measured-*.xml of a folder, in the order of their names. SS_ERROR_INPUT if there
 * are none. */
ss_status ss_measured_load_folder(const char *folder, ss_measured *measured, ss_error *error);

/* The text of a file with the collectives among measurements, which ss_measured_load reads; NUL-terminated and released
 * with free(). SS_ERROR_INPUT for a comment that XML cannot have; SS_ERROR_MEMORY. */
ss_status ss_measured_write(const ss_measured *measured, const char *comment, char **text, ss_error *error);

/* Reads a fit file: the files of measurements, which are not opened, and the constants. SS_ERROR_INPUT as above, also
 * if one of the two is missing. */
ss_status ss_fit_load(const char *path, ss_fit_plan *plan, ss_error *error);

/* Adds the rules of a file behind those that are there. SS_ERROR_INPUT as above. */
ss_status ss_rules_load(const char *path, ss_rules *rules, ss_error *error);

/* Parses "25GBps", "2.5us", "312Tf", "80GiB", "0.7" into SI (bytes/s, s, flop/s or flop, bytes, 1). Returns 0, or -1
 * when the text is not a number with a suffix of that unit. */
int ss_quantity_parse(const char *text, ss_unit unit, double *value);

#define SS_QUANTITY_SIZE 40

/* Writes the shortest text that is read as exactly `value`, which is finite and not negative. */
void ss_quantity_format(double value, ss_unit unit, char text[SS_QUANTITY_SIZE]);

/* Room for the value of any property. */
enum { SS_PROPERTY_TEXT_SIZE = SS_LINK_SPEED_SIZE };

/* Writes the value of an attribute of a workload, an ss_attribute_index, so that it is read as exactly that. */
enum { SS_ATTRIBUTE_TEXT_SIZE = SS_TEXT_SIZE };
void ss_attribute_text(const ss_workload *workload, int attribute, char text[SS_ATTRIBUTE_TEXT_SIZE]);

/* Writes the value of a property of a machine as a user would, cut to `size` bytes. */
void ss_property_text(const ss_machine *machine, const ss_property *row, char *text, size_t size);

/* `value` rounded to `digits` significant digits in the suffix of its unit that makes the text shortest. */
double ss_quantity_round(double value, ss_unit unit, int digits);

/* Makes the text of a platform file, NUL-terminated and released with free(): the properties of `machine` that it was
 * given, GPUs and NICs as the design has them, bandwidths and latencies of the machine. `comment` goes before it.
 * SS_ERROR_INPUT where name or comment cannot stand in such a file, SS_ERROR_MEMORY. */
ss_status ss_platform_write(const ss_machine *machine, const ss_topology_design *design, const char *comment,
                            char **text, ss_error *error);

/* Whether an attribute of a workload, an ss_attribute_index, has its value also where nobody says it: as its default,
 * by the stack, or since it follows from others. */
bool ss_workload_is_implied(const ss_workload *workload, int attribute);

/* A property of a platform with the value that it is to have. */
typedef struct ss_platform_change {
  const char *name, *value;
} ss_platform_change;

typedef struct ss_platform_edit {
  const char *name;    /* of the platform */
  const char *comment; /* before those of the file */
  const ss_platform_change *change;
  int64_t changes;
} ss_platform_edit;

/* Makes the text of a platform file from that of `path`, which has been read, with other properties; its comments stay.
 * SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_platform_rewrite(const char *path, const ss_platform_edit *change, char **text, ss_error *error);

/* Makes the text of a workload file, likewise: all that does not follow from the rest of it, so that reading it gives
 * the same workload. Files that the workload names get absolute paths. It is derived, and its stack applied. */
ss_status ss_workload_write(const ss_workload *workload, const char *comment, char **text, ss_error *error);

#endif
