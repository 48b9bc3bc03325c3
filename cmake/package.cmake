# A Debian package: cpack in the folder of a release build.
set(CPACK_GENERATOR DEB CACHE STRING "Kinds of packages that cpack makes")
set(CPACK_PACKAGE_NAME stepsim)
set(CPACK_PACKAGE_CONTACT "The stepsim contributors <maintainers@stepsim.example>" CACHE STRING "Maintainer of packages, with an address")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "prediction of the training time of transformers on GPU clusters")
set(CPACK_PACKAGE_DESCRIPTION "From a description of a model, its parallel strategy and a machine,
stepsim predicts one training iteration with a closed form and with a
replay of every rank and message on SimGrid, searches strategies and
placements, and says how far off predictions were where iterations were
measured.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n") # the system knows libstepsim, and who needs it
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libstepsim ${abi} stepsim (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers ${PROJECT_BINARY_DIR}/debian/shlibs)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, python3-matplotlib, python3-pandas, pkg-config")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
include(CPack)
