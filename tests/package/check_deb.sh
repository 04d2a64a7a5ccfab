#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_deb.sh BUILD VERSION: CPack makes a .deb that holds the programs and names what they need.
set -euo pipefail

build=$1 version=$2
for tool in dpkg-deb dpkg-shlibdeps; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed: the .deb was not checked"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(cd "$folder" && cpack --config "$build/CPackConfig.cmake" -B "$folder" >log) || { cat "$folder/log"; exit 1; }
deb=$folder/tidemark_${version}_$(dpkg --print-architecture).deb
[ -f "$deb" ] || { echo "CPack did not write $(basename "$deb")" >&2; exit 1; }

contents=$(dpkg-deb -c "$deb")
depends=$(dpkg-deb -f "$deb" Depends)
for file in usr/bin/tidemark-cli usr/share/man/man1/tidemark-cli.1.gz usr/share/doc/tidemark/copyright \
    usr/share/tidemark/SKILL.md \
    usr/share/tidemark/capture/tidemark_capture.py; do
    grep -q " \./$file\$" <<<"$contents" || { echo "the .deb lacks $file" >&2; exit 1; }
done
if command -v mkdocs >/dev/null && ! grep -q ' \./usr/share/doc/tidemark/html/index.html$' <<<"$contents"; then
    echo "the .deb lacks the documents" >&2
    exit 1
fi
for package in libc6 libpython3.11 libpython3.11-stdlib libarchive13 libfmt9; do
    grep -qE "(^|, )$package( |,|\$)" <<<"$depends" || { echo "the .deb does not depend on $package: $depends" >&2; exit 1; }
done
if grep -q ' \./usr/bin/tidemark$' <<<"$contents"; then
    grep -q libqcustomplot2.1-qt6 <<<"$depends" || { echo "the .deb does not depend on QCustomPlot: $depends" >&2; exit 1; }
fi
outside=$(grep -vE ' \./(usr/(bin|share)/.*|usr/|usr/bin/|usr/share/|)$' <<<"$contents" || true)
[ -z "$outside" ] || { echo "the .deb holds what does not belong there: $outside" >&2; exit 1; }
printf 'the .deb is complete: %s\n' "$depends"
