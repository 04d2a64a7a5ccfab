#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_metadata.sh ROOT: what desktops and software centres read is valid, and the man pages are well-formed.
set -euo pipefail
cd "$1/packaging"

for tool in desktop-file-validate appstreamcli xmllint groff; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed: the metadata was not checked"
        exit 77
    fi
done

desktop-file-validate share/*.desktop
appstreamcli validate --no-net share/*.metainfo.xml
xmllint --noout share/*.xml ../resources/icons/*.svg
for page in man/*.1; do
    complaints=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
    if [ -n "$complaints" ]; then
        printf '%s: %s\n' "$page" "$complaints"
        exit 1
    fi
done
