#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_install.sh ROOT BUILD VERSION: what is installed into an empty prefix runs from there.
set -euo pipefail

root=$1 build=$2 version=$3
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
example=$root/resources/example/gpt_oom.pickle

cmake --install "$build" --prefix "$prefix" >/dev/null
cd /

printed=$("$prefix/bin/tidemark-cli" --version)
case $printed in
*"$version"*) ;;
*) echo "tidemark-cli --version printed '$printed', expected $version" >&2; exit 1 ;;
esac

"$prefix/bin/tidemark-cli" diagnose "$example" >"$prefix/diagnosis"
grep -q '[^[:space:]]' "$prefix/diagnosis"
"$prefix/bin/tidemark-cli" report "$example" -o "$prefix/report.json"
/usr/bin/python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))' "$prefix/report.json"

/usr/bin/python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' \
    "$prefix/share/tidemark/capture/tidemark_capture.py"

if [ -x "$prefix/bin/tidemark" ]; then
    printed=$("$prefix/bin/tidemark" --version)
    case $printed in
    *"$version"*) ;;
    *) echo "tidemark --version printed '$printed', expected $version" >&2; exit 1 ;;
    esac
    "$prefix/bin/tidemark" --report "$prefix/report.pdf" "$example"
    [ "$(head -c 5 "$prefix/report.pdf")" = %PDF- ]
    for file in applications/org.tidemark.Tidemark.desktop metainfo/org.tidemark.Tidemark.metainfo.xml \
        mime/packages/org.tidemark.Tidemark.xml icons/hicolor/scalable/apps/org.tidemark.Tidemark.svg \
        icons/hicolor/48x48/apps/org.tidemark.Tidemark.png man/man1/tidemark.1.gz man/man1/tidemark-cli.1.gz; do
        [ -s "$prefix/share/$file" ] || { echo "share/$file is not installed" >&2; exit 1; }
    done
fi
echo "the installed programs run and report"
