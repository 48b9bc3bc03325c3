#!/bin/sh
# version.sh STEPSIM SOURCE VERSION: the program prints the version of the project, and the files that repeat the version have the same.
set -eu
program=$1 source=$2 version=$3
failed=0
printed=$("$program" --version)
case $printed in
"stepsim $version" | "stepsim $version (commit "*")") ;;
*) echo "--version prints \"$printed\", not $version" >&2; failed=1 ;;
esac
grep -qx "version: $version" "$source/CITATION.cff" || { echo "CITATION.cff has another version than $version" >&2; failed=1; }
grep -q "$version" "$source/CHANGELOG.md" || { echo "CHANGELOG.md does not know version $version" >&2; failed=1; }
exit $failed
