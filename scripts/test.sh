#!/bin/sh
# Installs packages and runs all tests: an optimised build, the checks of format and style, and the same build with address and
# undefined behaviour sanitizers.
set -eu
cd "$(dirname "$0")/.."
scripts/install.sh
cmake --workflow --preset test
scripts/lint.sh
cmake --workflow --preset sanitize
