#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# tests/deep/wheel.sh WHEEL: installs it without any network into a fresh virtual environment of every Python from 3.9
# that is here (the system's and those of pyenv), and runs its README and its Python there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
wheel=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

where="import tidemark_memory; print(tidemark_memory.program())"
export PIP_ROOT_USER_ACTION=ignore
tried=0
for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    if ! [ -x "$python" ] || ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then continue; fi
    rm -rf venv
    "$python" -m venv venv
    venv/bin/python -m pip install -q --no-index --disable-pip-version-check "$wheel"
    [ "$(env -i venv/bin/tidemark-cli --version | head -n 1)" = \
        "tidemark-cli $(venv/bin/python -c 'import tidemark_memory; print(tidemark_memory.__version__)')" ]
    [ "$(venv/bin/python -c "$where")" = "$(realpath venv)/bin/tidemark-cli" ]
    env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 venv/bin/python -B "$root/tests/package/wheel_face.py" "$root" -q
    printf 'import sys\nprint(sys.argv[1:], "tidemark_start" in sys.modules)\n' > program.py
    [ "$(env -i PATH=/usr/bin:/bin venv/bin/tidemark-run -o none.pickle program.py --lr 3 2> said)" = "['--lr', '3'] True" ]
    grep -q "no snapshot was written" said
    [ "$(venv/bin/python program.py)" = "[] False" ]
    venv/bin/python -m pip uninstall -q -y tidemark-memory
    if [ -e venv/bin/tidemark-cli ] || ls -d venv/lib/python*/site-packages/tidemark* 2>/dev/null; then
        echo "uninstalling left something" >&2
        exit 1
    fi
    # Where nothing else is installed, as a folder of its own.
    "$python" -m pip install -q --no-index --disable-pip-version-check --target alone "$wheel"
    [ "$(PYTHONPATH=alone "$python" -c "$where")" = "$(realpath alone)/bin/tidemark-cli" ]
    rm -rf alone
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || { echo "there is no Python with venv and pip here; install python3-venv" >&2 && exit 1; }
echo "installed and run under $tried releases of Python"
