#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
#   tests/fuzz/run.sh [BUILD] [EXECUTIONS]
#
# Runs every fuzz target of a build tree (build/asan), as many at a time as there are processors, each for so many
# inputs (10000), the same every time, or for TIDEMARK_FUZZ_SECONDS (60) if that is over first. With -1 for EXECUTIONS
# only the time ends it, and it goes on from what earlier runs found. A target's log is BUILD/fuzz/NAME.log, shown where
# it failed; the input that broke it lies beside it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export build=${1:-build/asan} executions=${2:-10000} seconds=${TIDEMARK_FUZZ_SECONDS:-60}

fuzz() {
    local name=$1 seed=0
    local out=$build/fuzz
    local found=$out/found/$name log=$out/$name.log
    if [ "$executions" -ge 0 ]; then
        rm -rf "$found"
        seed=1
    fi
    mkdir -p "$found"
    if "$build/tests/fuzz/$name" -runs="$executions" -seed="$seed" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
        -artifact_prefix="$out/$name-" -verbosity=0 -print_final_stats=1 \
        "$found" "tests/fuzz/corpus/${name#fuzz_}" > "$log" 2>&1; then
        awk -v name="$name" '/^stat::number_of_executed_units/ { runs = $2 } /^stat::average_exec_per_sec/ { rate = $2 }
            /^stat::peak_rss_mb/ { print name ": " runs " inputs, " rate " a second, " $2 " MiB" }' "$log"
    else
        echo "$name failed with status $?:" >&2
        cat "$log" >&2
        return 1
    fi
}
export -f fuzz

basename -s .cpp tests/fuzz/fuzz_*.cpp | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
