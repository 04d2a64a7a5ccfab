#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_libraries.sh PROGRAM: it embeds the system's Python, and needs no Qt.
set -euo pipefail

libraries=$(ldd "$1")
python=$(awk '/libpython/ { print $3 }' <<<"$libraries")
if [ -z "$python" ]; then
    echo "$1 is not linked with libpython" >&2
    exit 1
fi
python=$(realpath "$python")
echo "libpython: $python"
case $python in
/usr/lib/*) ;;
*) echo "this is not the system's: only a libpython below /usr/lib is there where the package is installed" >&2
    exit 1 ;;
esac
if grep -E 'libQt|libQCustomPlot' <<<"$libraries"; then
    echo "tidemark-cli must run where no Qt is installed" >&2
    exit 1
fi
