#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_format.sh ROOT CLANG_FORMAT: every source is as clang-format 14 writes it.
set -euo pipefail

cd "$1"
folders=()
for folder in core ui app tests; do
    [ ! -d "$folder" ] || folders+=("$folder")
done
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 "$2" --dry-run -Werror
