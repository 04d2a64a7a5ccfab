#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# packaging/pictures.sh [TIDEMARK]: makes the pictures of the documents anew, without a display. pngquant (Debian's package) keeps each
# below 150 KB.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tidemark=${1:-build/unity/app/tidemark/tidemark}
example=resources/example/gpt_oom.pickle
compared=tests/data/compared
export QT_QPA_PLATFORM=offscreen

# picture VIEW FILE...
picture() {
    "$tidemark" --screenshot "docs/pictures/$1.png" --view "$1" --size 1280x760 --theme light --language en "${@:2}"
    pngquant --force --ext .png --speed 1 --strip 96 "docs/pictures/$1.png"
}

for view in overview whatif fixes memory; do
    picture "$view" "$example"
done
picture compare "$compared/llama.pickle.xz" "$compared/llama_sequence_512.pickle.xz"
