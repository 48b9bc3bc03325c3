#!/bin/sh
# Installs packages, builds, and predicts GPT-3 175B on 512 GPUs of Perlmutter with a timeline for both kinds of viewer.
set -eu
cd "$(dirname "$0")/.."
scripts/install.sh
cmake --preset release >/dev/null
cmake --build --preset release
build/release/stepsim run workloads/gpt3-175b.xml platforms/perlmutter.xml \
  --trace gpt3-175b.paje --trace gpt3-175b.json --trace-ranks 0..511+32 --trace-micro-batches 0..3,188..191
echo
echo "Timelines: gpt3-175b.paje (Paje, e.g. pj_dump), gpt3-175b.json (ui.perfetto.dev)"
