#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_format.sh ROOT: every source is as clang-format 14 writes it; another version formats otherwise.
set -euo pipefail

if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "clang-format 14 is not installed: formatting was not checked"
    exit 77
fi
cd "$1"
folders=()
for folder in core ui app tests; do
    [ ! -d "$folder" ] || folders+=("$folder")
done
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format --dry-run -Werror
