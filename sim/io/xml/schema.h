/* The shipped XML schemas, embedded by the build as NUL-terminated text. */
#ifndef STEPSIM_SIM_IO_XML_SCHEMA_H
#define STEPSIM_SIM_IO_XML_SCHEMA_H

extern const char ss_workload_xsd[];
extern const char ss_platform_xsd[];
extern const char ss_measured_xsd[];
extern const char ss_fit_xsd[];
extern const char ss_rules_xsd[];

#endif
