#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# check_setup.sh ROOT: packaging/setup.sh finds what is missing, and says what to do where it cannot install.
# The package manager, sudo and the user are stand-ins in a folder of their own, first on the PATH.
set -euo pipefail

setup=$1/packaging/setup.sh
fake=$(mktemp -d)
trap 'rm -rf "$fake"' EXIT

die() {
    echo "$*" >&2
    exit 1
}

stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" >"$fake/$1"
    chmod +x "$fake/$1"
}

# The script puts the system's folders in front of the PATH, so it runs from a copy that does not.
mkdir "$fake/packaging"
sed 's|^export PATH=.*||' "$setup" >"$fake/packaging/setup.sh"
cp "$1/packaging/dependencies.txt" "$fake/packaging/"
run() { PATH="$fake:$PATH" bash "$fake/packaging/setup.sh" "$@" 2>&1 </dev/null; }

stand_in dpkg-query "[ \"\${*: -1}\" = \"\$ABSENT\" ] || echo installed"
stand_in apt-get "case \"\$*\" in *--simulate*) exit \${UNKNOWN:-0} ;; esac; echo apt-get \"\$@\" >&2; echo pmstatus:cmake:50.5:half >&3; echo Noise"
stand_in id "echo \$FAKE_UID"
stand_in sudo "[ \"\$1\" = -n ] && exit \${SUDO_REFUSES:-0}; echo sudo; \"\$@\""
stand_in env "while [[ \$1 = *=* ]]; do shift; done; \"\$@\""

output=$(ABSENT='' FAKE_UID=1000 SUDO_REFUSES=1 run install build test)
[ -z "$output" ] || die "nothing is missing, but it said: $output"

output=$(ABSENT=cmake FAKE_UID=0 run install build)
grep -q '^apt-get .*install -y --no-install-recommends cmake$' <<<"$output" || die "as root: $output"
! grep -q update <<<"$output" || die "updated without need: $output"
grep -q '^    50 % installed$' <<<"$output" || die "no progress is said: $output"
! grep -q Noise <<<"$output" || die "the package manager's own words: $output"

output=$(ABSENT=cmake FAKE_UID=0 UNKNOWN=1 run install build)
grep -q '^apt-get .*update$' <<<"$output" || die "a machine without package lists: $output"

sudo_was_used=$(mktemp -p "$fake")
stand_in sudo "if [ \"\$1\" = -n ]; then exit \${SUDO_REFUSES:-0}; fi; echo yes >'$sudo_was_used'; env \"\$@\""
ABSENT=cmake FAKE_UID=1000 run install build >/dev/null
[ -s "$sudo_was_used" ] || die "a user with sudo: sudo was not used"

if output=$(ABSENT=cmake FAKE_UID=1000 SUDO_REFUSES=1 run install build); then
    die "a user without sudo: it went on"
fi
grep -q 'needs root or sudo.*apt-get install cmake' <<<"$output" || die "a user without sudo: $output"
[ "$(wc -l <<<"$output")" = 1 ] || die "more than one sentence: $output"

if output=$(run packages nonsense); then die "an unknown group was accepted"; fi
if output=$(run fly); then die "an unknown command was accepted"; fi
grep -q 'packaging/setup.sh run' <<<"$output" || die "no usage: $output"

# Every package of the list has a known group, and none stands twice in one group.
bad=$(grep -Ev '^(#.*|(build|runtime|interpreter|test|static|ci|appimage|bench) [a-z0-9.+-]+|)$' "$1/packaging/dependencies.txt" || true)
[ -z "$bad" ] || die "packaging/dependencies.txt: $bad"
twice=$(grep -v '^#' "$1/packaging/dependencies.txt" | sort | uniq -d | grep . || true)
[ -z "$twice" ] || die "packaging/dependencies.txt names twice: $twice"
echo "packaging/setup.sh installs what is missing and nothing else"
