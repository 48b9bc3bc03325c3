# The documentation as a site that needs no network: target docs writes it to site/ of the build, where there are mkdocs and doxygen.
find_program(MKDOCS mkdocs)
find_program(DOXYGEN doxygen)
if(NOT MKDOCS OR NOT DOXYGEN)
  return()
endif()
set(reference ${PROJECT_BINARY_DIR}/reference)
set(build_docs ${CMAKE_COMMAND} -E env VERSION=${PROJECT_VERSION} OUTPUT=${reference} STEPSIM_API=${reference}/api PYTHONDONTWRITEBYTECODE=1
  sh -euc "mkdir -p $OUTPUT && ${DOXYGEN} docs/Doxyfile && ${MKDOCS} build --quiet --strict --clean -d ${PROJECT_BINARY_DIR}/site")
add_custom_target(docs COMMAND ${build_docs} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
