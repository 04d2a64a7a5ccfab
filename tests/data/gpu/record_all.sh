#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# record_all.sh OUT SECONDS [part...]: everything that is recorded on a CUDA device, side by side where the card allows it.
# Parts: runs pairs others captured costs messages. Leaves OUT/PART.tar and OUT/PART.log.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=$1 seconds=$2
shift 2
parts=${*:-runs pairs others captured costs messages}
work=$(mktemp -d)
export PYTHONUNBUFFERED=1 SECONDS_LEFT=$seconds TOKENIZERS_PARALLELISM=false
nvidia-smi | head -15
python3 -c 'import torch, transformers, peft, accelerate; print(torch.__version__, transformers.__version__, peft.__version__, accelerate.__version__)'
has() { [[ " $parts " == *" $1 "* ]]; }
if has runs; then
    scenes=$(python3 record_runs.py --list)
    for third in 0 1 2; do
        timeout "$seconds" python3 record_runs.py "$work/runs" $(awk "NR % 3 == $third" <<<"$scenes") >"$out/runs$third.log" 2>&1 &
    done
fi
has pairs && timeout $((seconds + 15)) python3 record_pairs.py "$work/pairs" ${PAIRS:-} >"$out/pairs.log" 2>&1 &
has others && OTHERS=1 timeout $((seconds + 15)) python3 record_pairs.py "$work/others" >"$out/others.log" 2>&1 &
has some_messages && timeout "$seconds" python3 record_messages.py "$work/some_messages" fragmented shared_memory jax cupy &
has captured && timeout $((seconds + 15)) python3 record_capture.py "$work/captured" ${CAPTURED:-} >"$out/captured.log" 2>&1 &
wait
echo "recorded side by side after $SECONDS s"
has costs && timeout 60 python3 record_capture.py "$work/costs" costs 2>&1 | grep -v Warning
has messages && timeout 150 python3 record_messages.py "$work/messages" 2>&1 | tail -5
for part in $parts; do
    [ -d "$work/$part" ] && tar -C "$work" -cf "$out/$part.tar" "$part"
done
tail -q -n 70 "$out"/*.log | cut -c1-200
echo "$SECONDS s"
