#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# What is too long for .ci/run, one after the other; about four hours. With names, only those parts:
#
#   tests/deep/run.sh [apart] [scores] [static] [wheel] [labels] [pairs] [laws] [libraries] [slurm] [exports] [sanitizers] [race] [fuzz] [bench] [window] [monkey] [cycles] [adding]
#
#   scores     all tests, over all that the suite takes a part of
#   apart      every source compiled by itself (preset dev), so that each includes what it uses
#   static     the static tidemark-cli, in an empty root, beside the dynamic one
#   wheel      the wheel around it, installed offline under every Python from 3.9 that is here
#   labels     real PyTorch on the CPU in many people's habits, and how well it is labelled; needs the data folder
#   pairs      predictions of the drawn pairs of tests/data/pairs, those that are kept back too, and of new ones, which the
#              Python of `libraries` records
#   laws       what `predict` says of planned runs of each family, beside the plan of the changed run
#   libraries  the capture module inside the real transformers, TRL, Lightning, Accelerate, DeepSpeed and torch, on the CPU, and
#              the names that it, and the lines to paste, have from torchtitan, vLLM, SGLang, veRL and others; they are installed once,
#              outside the tree (TIDEMARK_LIBRARIES_DIR); TIDEMARK_TORCH=newest takes the newest torch that installs
#   slurm      docs/ranks.md under a real Slurm of three nodes on this machine, which needs root and Debian's slurm-wlm and munge
#   exports    what `convert` writes, in Perfetto's, pprof's and speedscope's own readers, and in PyTorch's viewer under Node
#   sanitizers the core and the command line under the address and undefined-behaviour sanitizers: .ci/run runs what reads
#              other people's bytes alone
#   race       the core tests under the thread sanitizer
#   fuzz       each fuzz target for half an hour (TIDEMARK_FUZZ_SECONDS)
#   bench      the figures of tests/bench, on files of up to 6.5 million events
#   window     the tests of the window on a real one, under Xvfb, with every view and dialog of every recording of tests/data
#   monkey     random keys, clicks and files on the window for an hour (TIDEMARK_MONKEY_SECONDS), with a file of a million
#              events open at first; names what took long, and fails where memory stays held
#   cycles     a file opened and closed a thousand times, over which the window's memory stays flat
#   adding     one word more in each vocabulary, in a copy of the sources: three files each at most, and found by every list

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

step() { printf '\n=== %s (%s s)\n' "$*" "$SECONDS"; }

scores() {
    packaging/setup.sh build dev
    cmake -DTIDEMARK_SAMPLE=1 build/dev > /dev/null
    local failed=
    ctest --preset dev --parallel "$(nproc)" || failed=yes
    cmake -UTIDEMARK_SAMPLE build/dev > /dev/null
    [ -z "$failed" ]
}

apart() { packaging/setup.sh build dev; }

static_program() {
    packaging/setup.sh install static
    packaging/setup.sh build static
}

static() {
    static_program
    cmake --preset dev > /dev/null
    cmake --build build/dev --target tidemark-cli
    /usr/bin/python3 -B tests/package/check_static.py build/static/app/cli/tidemark-cli \
        build/dev/app/cli/tidemark-cli resources/example/gpt_oom.pickle
}

wheel() {
    static_program
    apt-get install -y -qq python3-venv > /dev/null
    local program=build/static/app/cli/tidemark-cli map=build/static/tidemark-cli.map
    local version
    version=$("$program" --version | awk 'NR == 1 { print $2 }')
    /usr/bin/python3 -B tests/package/check_wheel.py "$PWD" "$program" "$version" "$map"
    tests/deep/wheel.sh "$(/usr/bin/python3 -B packaging/wheel/build.py "$program" build/wheel --map "$map")"
}

labels() {
    apt-get install -y -qq python3-torch libtorch-dev python3-dev > /dev/null
    packaging/setup.sh build dev
    tests/deep/scenes/make.sh "${TIDEMARK_DATA_DIR:-../shared}" build/scenes
    /usr/bin/python3 -B tests/cli/score_labels.py build/dev/app/cli/tidemark-cli tests/data build/scenes
}

laws() {
    packaging/setup.sh build dev
    /usr/bin/python3 -B tests/deep/laws/against_plans.py build/dev/app/cli/tidemark-cli . --check
}

pairs() {
    packaging/setup.sh build dev
    local score=(/usr/bin/python3 -B tests/cli/score_drawn.py build/dev/app/cli/tidemark-cli)
    "${score[@]}" tests/data/pairs --check
    "${score[@]}" tests/data/pairs --kept-back --check
    local number
    number=$(date +%s) # so that nobody has seen them
    tests/deep/drawn/make.sh "${TIDEMARK_DATA_DIR:-../shared}" build/drawn {decoder,encoder,vision,convolution,recurrent,cell}_"$number" \
        {scan,perceptron,towers,two_models,library}_"$number"
    "${score[@]}" build/drawn --rows
    "${score[@]}" build/drawn --kept-back
}

libraries() {
    apt-get install -y -qq python3-venv > /dev/null
    packaging/setup.sh build dev
    tests/deep/libraries/run.sh build/dev/app/cli/tidemark-cli \
        "${TIDEMARK_LIBRARIES_DIR:-$HOME/.cache/tidemark/libraries}" build/libraries
}

slurm() {
    packaging/setup.sh build dev
    tests/deep/slurm/run.sh build/dev/app/cli/tidemark-cli build/slurm
}

exports() {
    packaging/setup.sh build dev
    tests/deep/exports/run.sh build/dev/app/cli/tidemark-cli resources/example/gpt_oom.pickle
}

sanitizers() {
    packaging/setup.sh build asan
    ctest --preset asan --parallel "$(nproc)"
}

race() {
    packaging/setup.sh build tsan
    ctest --preset tsan --parallel "$(nproc)"
}

fuzz() {
    packaging/setup.sh build asan foreign_bytes
    TIDEMARK_FUZZ_SECONDS=${TIDEMARK_FUZZ_SECONDS:-1800} tests/fuzz/run.sh build/asan -1
}

bench() {
    packaging/setup.sh install bench
    packaging/setup.sh build bench
    build/bench/tests/bench/tidemark_bench_reader
    build/bench/tests/bench/tidemark_bench_memory_state
    QT_QPA_PLATFORM=offscreen build/bench/tests/bench/tidemark_bench_frames
    build/bench/tests/bench/tidemark_bench_file build/million.pickle 1000000
    QT_QPA_PLATFORM=offscreen build/bench/tests/bench/tidemark_bench_window build/million.pickle
    /usr/bin/python3 -B tests/bench/whole_process.py build/bench --cpython
    /usr/bin/python3 -B tests/bench/whole_process.py build/bench --events 6500000 --runs 3
    /usr/bin/python3 -B tests/bench/ranks.py build/bench
}

window() {
    packaging/setup.sh build dev
    apt-get install -y -qq xvfb openbox > /dev/null
    # Without a window manager no window becomes active. Left out: the test that needs a message bus of its own before X is there,
    # and the monkey, whose drag of selected text waits for the button of a real mouse.
    # shellcheck disable=SC2016
    QT_QPA_PLATFORM=xcb QTEST_FUNCTION_TIMEOUT=7200000 TIDEMARK_EVERY_FILE=1 TIDEMARK_EVERY_PIXEL=1 xvfb-run -a -s "-screen 0 2800x1700x24" bash -c '
        openbox & sleep 1
        for source in tests/ui/tst_*.cpp; do
            name=$(basename "$source" .cpp)
            case $name in tst_desktop_notice | tst_monkey) continue ;; esac
            build/dev/tests/ui/tidemark_test_ui "$name" -maxwarnings 0 || failed="$failed $name"
        done
        [ -z "$failed" ] || { echo "not right on a real window:$failed" >&2; exit 1; }'
}

monkey() {
    packaging/setup.sh build dev
    c++ -O2 -std=c++20 -I. tests/bench/make_file.cpp tests/bench/synthetic_pickle.cpp -lfmt -o build/make_file
    build/make_file build/monkey.pickle 1000000
    local seed=1 until=$((SECONDS + ${TIDEMARK_MONKEY_SECONDS:-3600})) left files
    files=$(find tests/data/modelled -name '*.pickle.xz' -printf '%p:')
    while left=$((until - SECONDS)) && [ "$left" -gt 0 ]; do
        # The program sets the same (returnLargeBlocks).
        MALLOC_MMAP_THRESHOLD_=1048576 \
            QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=7200000 TIDEMARK_MONKEY_SEED=$seed \
            TIDEMARK_MONKEY_SECONDS=$((left < 1200 ? left : 1200)) TIDEMARK_MONKEY_OPEN=build/monkey.pickle \
            TIDEMARK_MONKEY_FILES=$files build/dev/tests/ui/tidemark_test_ui tst_monkey -maxwarnings 0 \
            > build/monkey.log 2>&1 || {
            tail -20 build/monkey.log
            echo "the monkey with seed $seed broke the window" >&2
            return 1
        }
        sed -n 's/^QINFO.*breaksTheWindow() //p; /^  /p' build/monkey.log
        seed=$((seed + 1))
    done
}

cycles() {
    packaging/setup.sh build dev
    QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=7200000 TIDEMARK_CYCLES=1000 \
        build/dev/tests/ui/tidemark_test_ui tst_open_close -maxwarnings 0
}

adding() { /usr/bin/python3 -B tests/deep/adding/run.py build/adding; }

packaging/setup.sh install build interpreter test ci
[ "$#" -gt 0 ] || set -- apart scores static wheel labels libraries pairs laws slurm exports sanitizers race fuzz bench window monkey cycles adding
for name in "$@"; do
    case $name in
        apart | scores | static | wheel | labels | libraries | pairs | laws | slurm | exports | sanitizers | race | fuzz | bench | window | monkey | cycles | adding) step "$name" && "$name" ;;
        *) echo "tests/deep/run.sh: no part $name" >&2 && exit 2 ;;
    esac
done
