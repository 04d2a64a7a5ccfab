#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# From a fresh clone to a running program. Safe to repeat: what is there is not done again.
#
#   packaging/setup.sh run     install what is missing, build, open the bundled example
#   packaging/setup.sh test    install what is missing, build, run all tests
#
# Parts of these, for other scripts:
#   packaging/setup.sh packages GROUP...   print the packages of packaging/dependencies.txt
#   packaging/setup.sh install GROUP...    install those that are missing
#   packaging/setup.sh build PRESET [TARGET...]
#                                          configure and build a preset of CMakePresets.json, or targets of it

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
dependencies=$root/packaging/dependencies.txt
example=$root/resources/example/gpt_oom.pickle

# The system's own tools first: a Python, CMake or compiler from pyenv or conda, in front on many a PATH,
# does not know the system's libraries.
export PATH="/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH"

# Seconds of processor time that compiling and testing take, about: what is said beforehand comes from them.
programs_seconds=540
tests_seconds=360
testing_seconds=660

say() { printf '%s\n' "$*"; }

# step N M WHAT [SECONDS]: says what comes now and, where it takes long, about how long.
step() {
    local time=
    if [ -n "${4:-}" ]; then
        time=", $(((${4} / $(jobs) + 59) / 60)) minutes or more the first time"
    fi
    printf '\n[%s/%s] %s%s\n' "$1" "$2" "$3" "$time"
}

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

packages() {
    local group
    for group in "$@"; do
        grep -q "^$group " "$dependencies" || fail "packaging/dependencies.txt has no group '$group'."
    done
    awk -v groups=" $* " '/^[a-z]/ && index(groups, " " $1 " ") { print $2 }' "$dependencies" | sort -u
}

missing_packages() {
    local package
    packages "$@" | while read -r package; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            say "$package"
        fi
    done
}

# Prints the command that runs apt-get with the rights to install, nothing where there is none.
privilege() {
    if [ "$(id -u)" = 0 ]; then
        say env
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        say sudo
    fi
}

install_groups() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        check_tools_without_apt "$@"
        return
    fi
    local missing as
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0

    as=$(privilege)
    if [ -z "$as" ]; then
        fail "these packages are missing and installing them needs root or sudo; ask an administrator for:" \
            "apt-get install ${missing[*]}"
    fi
    say "Installing ${#missing[@]} packages of Debian that are missing: ${missing[*]}"
    # Its progress comes through a descriptor of its own, which sudo would close.
    local apt=("$as" DEBIAN_FRONTEND=noninteractive
        bash -c 'exec apt-get -qq -o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 "$@" 3>&1 >/dev/null' apt-get)
    # A machine that has never been updated knows no package but those it has.
    if ! apt-get -qq --simulate install --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
        update "${apt[@]}"
    fi
    if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" | share_of_apt; then
        # The list of packages may be older than what the mirror still holds.
        update "${apt[@]}"
        "${apt[@]}" install -y --no-install-recommends "${missing[@]}" | share_of_apt \
            || fail "apt-get could not install ${missing[*]}; its message above says why" \
                "(the names are those of Debian 12)."
    fi
}

update() { "$@" update >/dev/null || fail "apt-get update failed; is this machine online?"; }

# Turns what apt-get says of its progress (dlstatus:…:percent:… and pmstatus:…:percent:…) into one line that is
# rewritten on a terminal, and into a line at every quarter elsewhere.
share_of_apt() {
    local kind percent what said=-1
    while IFS=: read -r kind _ percent _; do
        case "$kind" in
        dlstatus) what=downloaded ;;
        pmstatus) what=installed ;;
        *) continue ;;
        esac
        percent=${percent%%.*}
        if [ -t 1 ]; then
            printf '\r    %3d %% %s ' "$percent" "$what"
        elif [ "$what$((percent / 25))" != "$said" ]; then
            said=$what$((percent / 25))
            say "    $percent % $what"
        fi
    done
    [ ! -t 1 ] || printf '\n'
}

check_tools_without_apt() {
    local tool absent=()
    for tool in c++ cmake ninja; do
        command -v "$tool" >/dev/null || absent+=("$tool")
    done
    if [ ${#absent[@]} -gt 0 ]; then
        fail "this is not a Debian system, so nothing was installed, and these tools are missing:" \
            "${absent[*]}. Install them and the equivalents of: $(packages "$@" | tr '\n' ' ')"
    fi
    say "This is not a Debian system: nothing is installed, the libraries must be there already."
}

# One compiler needs up to 2 GiB, so a small machine builds with fewer than its cores.
jobs() {
    local cores memory_gib
    cores=$(nproc)
    memory_gib=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
    local compilers=$((memory_gib / 2 > 0 ? memory_gib / 2 : 1))
    say $((cores < compilers ? cores : compilers))
}

# build PRESET [TARGET...]
build() {
    cd "$root"
    local preset=$1
    shift
    cmake --preset "$preset" --log-level=WARNING || fail "CMake could not configure the build; its message above names what is missing."
    NINJA_STATUS='[%f of %t, %e s] ' cmake --build --preset "$preset" --parallel "$(jobs)" ${1:+--target "$@"} \
        || fail "the build failed; the first error is above."
}

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }

run() {
    step 1 3 "Installing what is missing"
    install_groups build runtime interpreter
    step 2 3 "Building both programs" "$programs_seconds"
    build unity tidemark tidemark-cli # "test" goes on from there
    step 3 3 "Opening the bundled example: a training run that ended in CUDA out of memory"
    local tidemark=$root/build/unity/app/tidemark/tidemark cli=$root/build/unity/app/cli/tidemark-cli
    if has_display; then
        "$tidemark" --example && return 0
        say "The window could not be opened on this display (exit status $?)."
    else
        say "There is no display here."
    fi
    mkdir -p "$root/out"
    QT_QPA_PLATFORM=offscreen "$tidemark" --report "$root/out/report.pdf" "$example"
    QT_QPA_PLATFORM=offscreen "$tidemark" --screenshot "$root/out/timeline.png" "$example"
    say
    "$cli" diagnose "$example"
    say
    say "The example's report is $root/out/report.pdf"
    say "and its picture is      $root/out/timeline.png"
}

run_tests() {
    step 1 3 "Installing what is missing"
    install_groups build runtime interpreter test
    if [ -e "$root/build/unity/app/tidemark/tidemark" ]; then
        step 2 3 "Building the tests" "$tests_seconds"
    else
        step 2 3 "Building the programs and their tests" "$((programs_seconds + tests_seconds))"
    fi
    build unity
    step 3 3 "Running all tests" "$testing_seconds"
    ctest --preset unity --parallel "$(jobs)"
}

usage() {
    sed -n '5,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

case "${1:-}" in
run) run ;;
test) run_tests ;;
packages)
    shift
    packages "$@"
    ;;
install)
    shift
    install_groups "$@"
    ;;
build)
    : "${2:?which preset?}"
    shift
    build "$@"
    ;;
-h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
