#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_manual.sh PROGRAM PAGE [COMMAND...]: the man page names every command, and every option that --help prints.
set -euo pipefail

program=$1 page=$2
shift 2
text=$(sed 's/\\-/-/g; s/\\f[A-Z]//g' "$page")
help=$("$program" --help)
for command in "$@"; do help+=$'\n'$("$program" "$command" --help); done
mapfile -t commands < <("$program" --help | awk '/^Commands:/ { listed = 1; next } listed && /^  [a-z]/ { print $1 }')
for command in ${commands[@]+"${commands[@]}"}; do
    case " $* " in
    *" $command "*) ;;
    *) echo "the command $command is not among those checked: $*" >&2; exit 1 ;;
    esac
done
missing=0
for word in "$@" $(grep -oE -- '(^|[ ,])--[a-z][a-z-]+' <<<"$help" | tr -d ' ,' | sort -u); do
    if ! grep -qE -- "(^|[^a-z-])$word([^a-z-]|\$)" <<<"$text"; then
        echo "$(basename "$page") does not name $word"
        missing=1
    fi
done
exit "$missing"
