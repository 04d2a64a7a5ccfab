#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# Draws pairs of runs and records them, see draw.py (SCRIPT=compared.py: the runs of tests/data/compared;
# SCRIPT=transformers_runs.py: models of transformers, for ../walk_fit.py):
#
#   tests/deep/drawn/make.sh DATA_DIR OUT [NAME...]
#
# Needs a Python with torch and transformers (tests/deep/libraries/run.sh makes one; TIDEMARK_LIBRARIES_DIR says where).

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=$(cd "$1" && pwd)
out=$2
shift 2
python=${TIDEMARK_LIBRARIES_DIR:-$HOME/.cache/tidemark/libraries}/bin/python3

recorder=$(mktemp -d)
trap 'rm -rf "$recorder"' EXIT
cp "$data"/tools/modern/* "$here"/*.py "$recorder"
chmod -R u+w "$recorder"
mkdir -p "$out"
out=$(cd "$out" && pwd)
SCRIPT=${SCRIPT:-draw.py} PY=$python bash "$recorder/make.sh" "$recorder" "$out" "$@"
for pickle in "$out"/*.pickle; do
    xz -9 -e -f "$pickle"
done
