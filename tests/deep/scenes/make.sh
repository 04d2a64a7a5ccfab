#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# Writes the runs of habits.py and its neighbours with their truth: make.sh DATA_DIR OUT_DIR [SCENE...]; with SCENES=pairs
# those of pairs.py, with SCENES=record_deaths those of deaths.py, which run out of memory. Needs python3-torch, libtorch-dev.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
TOOLS=$(cd "$1" && pwd)/tools/modelled
mkdir -p "$2"
TAP=$(cd "$2" && pwd)/tap.so
export TOOLS TAP
[ "$TAP" -nt "$TOOLS/hook.cpp" ] || g++ -O2 -shared -fPIC -std=c++17 "$TOOLS/hook.cpp" -o "$TAP" -I/usr/include/python3.11 -lc10
exec /usr/bin/python3 -B "$here/${SCENES:-record}.py" "${@:2}"
