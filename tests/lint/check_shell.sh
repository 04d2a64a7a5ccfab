#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_shell.sh ROOT: shellcheck has nothing to say about any of our scripts.
set -euo pipefail

if ! command -v shellcheck >/dev/null; then
    echo "shellcheck is not installed: the scripts were not checked"
    exit 77
fi
cd "$1"
find packaging tests .ci -type f \( -name '*.sh' -o -path '.ci/run' -o -name AppRun \) -print0 | xargs -0 shellcheck
