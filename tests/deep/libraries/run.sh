#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# Tries every documented way of recording inside the real libraries: run.sh TIDEMARK_CLI ENVIRONMENT OUT_DIR [TRIAL...].
# ENVIRONMENT is a virtual environment outside the tree; it is made where there is none, with the pinned versions (3 GB or
# more). Needs g++; no GPU. With TIDEMARK_TORCH=newest, or a version of it, another torch stands in for the pinned one, in
# an environment of its own beside it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1 environment=$2 out=$3
shift 3
torch=$(grep '^torch==' "$here/requirements.txt")
case ${TIDEMARK_TORCH:-} in
    "") ;;
    newest) torch=torch environment=$environment-newest ;;
    *) torch=torch==$TIDEMARK_TORCH environment=$environment-$TIDEMARK_TORCH ;;
esac
python=$environment/bin/python
if [ ! -x "$python" ]; then
    /usr/bin/python3 -m venv "$environment"
    "$python" -m pip install --quiet "$torch"
    # The others ask for any version of torch, so this one stays.
    "$python" -m pip install --quiet -r <(grep -v '^torch==' "$here/requirements.txt")
fi
if [ ! -d "$environment/sources" ]; then
    "$python" -m pip download --quiet --no-deps -d "$environment/sources" -r "$here/sources.txt"
fi
mkdir -p "$out"
"$python" -B "$here/check_names.py" "$environment/sources"
"$python" -B "$here/check_options.py" "$here/../../../resources/fixes.json" "$environment/sources"
export TAP=$out/tap.so
if [ ! "$TAP" -nt "$here/tap.cpp" ]; then
    mapfile -t flags < <("$python" - <<'PY'
import os

import torch

folder = os.path.dirname(torch.__file__)
print(f"-isystem{folder}/include", f"-L{folder}/lib", f"-Wl,-rpath,{folder}/lib", "-lc10", sep="\n")
PY
    )
    g++ -std=c++17 -O2 -Wall -Wextra -shared -fPIC "$here/tap.cpp" -o "$TAP" "${flags[@]}"
fi
exec "$python" -B "$here/run_trials.py" "$program" "$out" "$@"
