# What Debian wants in a package and an installation does not have: cpack runs this between installing and packing.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/stepsim)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_stepsim ${share}/zsh/vendor-completions/_stepsim)
file(REMOVE_RECURSE ${share}/zsh/site-functions)

file(MAKE_DIRECTORY ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/python3/dist-packages) # where Python of the system looks
file(RENAME ${share}/stepsim/python/stepsim ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/python3/dist-packages/stepsim)
file(REMOVE_RECURSE ${share}/stepsim/python)

file(WRITE ${share}/lintian/overrides/stepsim "# One package has the program, the library and its header.
stepsim: link-to-shared-library-in-wrong-package *
stepsim: package-name-doesnt-match-sonames libstepsim*
stepsim: pkg-config-unavailable-for-cross-compilation *
# cpack writes these calls, beside the trigger.
stepsim: maintscript-calls-ldconfig *
")

file(REMOVE ${doc}/LICENSE) # the system has it
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: stepsim

Files: *
Copyright: 2026 The stepsim contributors
License: Apache-2.0
 On Debian systems, the text of this license is in /usr/share/common-licenses/Apache-2.0.
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if it is set
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
file(WRITE ${doc}/changelog.Debian "stepsim (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * As in changelog.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${share}/man/man1/stepsim.1 COMMAND_ERROR_IS_FATAL ANY)
