#!/bin/sh
# Installs packages and runs all tests: an optimised build, the same with address and undefined behaviour sanitizers, and the checks
# of format and style.
set -eu
cd "$(dirname "$0")/.."
scripts/install.sh
cmake --preset release -DBUILD_TESTING=ON >/dev/null
cmake --workflow --preset release
cmake --workflow --preset sanitize
scripts/lint.sh
