# Writes OUTPUT, a C file with the version of the program as --version prints it: VERSION and, if SOURCE is a checkout, its commit. The
# file is left alone if it says that already.
cmake_minimum_required(VERSION 3.25)
set(text "${VERSION}")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if("${top}" STREQUAL "${source}") # and not a repository that the sources happen to lie in
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --match= --always --dirty --abbrev=12
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(APPEND text " (commit ${commit})")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"sim/session/version.h\"\n\nconst char *const ss_version = \"@text@\";\n" @ONLY)
