#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# packaging/site.sh [FOLDER]: the pages of docs as a static site in FOLDER (default: build/site), by Debian's mkdocs. A warning, such as
# a link that leads nowhere, is an error.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
site=$(realpath -m "${1:-$root/build/site}")

if ! command -v mkdocs >/dev/null; then
    echo "mkdocs is not installed: packaging/setup.sh install test" >&2
    exit 77
fi
# Two builds of one commit are equal.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
mkdocs build --quiet --strict --clean --config-file "$root/packaging/mkdocs.yml" --site-dir "$site"
echo "$site/index.html"
