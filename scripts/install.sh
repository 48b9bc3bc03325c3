#!/bin/sh
# Installs what stepsim needs to build, test and check itself from the packages of Debian 12.
set -eu
packages="git g++ cmake ninja-build pkg-config libsimgrid-dev libxml2-dev libjansson-dev libyaml-dev libgtest-dev pajeng libxml2-utils
  libsqlite3-dev libxxhash-dev libnlopt-dev libyajl-dev zlib1g-dev libopenmpi-dev openmpi-bin protobuf-compiler
  python3 python3-setuptools python3-wheel python3-pip clang-format clang-tidy cppcheck mypy mkdocs doxygen
  chromium chromium-driver python3-selenium librsvg2-dev file dpkg-dev libomp-dev"
missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install.sh: missing$missing; run it as root, or install sudo" >&2; exit 1; }
  as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 -- a list of words
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
