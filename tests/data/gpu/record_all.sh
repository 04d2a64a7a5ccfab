#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# record_all.sh OUT SECONDS [part...]: everything that is recorded on a CUDA device, side by side where the card allows it.
# Parts: runs pairs others captured jobs costs messages. Leaves OUT/PART.tar and OUT/PART.log.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
out=$1 seconds=$2
shift 2
[ $# -gt 0 ] || set -- runs pairs others captured jobs costs messages
parts=" $* "
work=$(mktemp -d)
export PYTHONUNBUFFERED=1 SECONDS_LEFT=$seconds TOKENIZERS_PARALLELISM=false
read -ra pairs <<<"${PAIRS:-}"
read -ra captured <<<"${CAPTURED:-}"
nvidia-smi | head -15
python3 -c 'import torch, transformers, peft, accelerate; print(torch.__version__, transformers.__version__, peft.__version__, accelerate.__version__)'
has() { [[ "$parts" == *" $1 "* ]]; }
if has runs; then
    for third in 0 1 2; do
        mapfile -t scenes < <(python3 record_runs.py --list | awk "NR % 3 == $third")
        timeout "$seconds" python3 record_runs.py "$work/runs" "${scenes[@]}" >"$out/runs$third.log" 2>&1 &
    done
fi
has pairs && timeout $((seconds + 15)) python3 record_pairs.py "$work/pairs" "${pairs[@]}" >"$out/pairs.log" 2>&1 &
has others && OTHERS=1 timeout $((seconds + 15)) python3 record_pairs.py "$work/others" >"$out/others.log" 2>&1 &
has captured && timeout $((seconds + 15)) python3 record_capture.py "$work/captured" "${captured[@]}" >"$out/captured.log" 2>&1 &
wait
echo "recorded side by side after $SECONDS s"
has jobs && timeout $((seconds + 60)) python3 record_jobs.py "$work/jobs" >"$out/jobs.log" 2>&1 # after the others: one of them fills the card
has costs && timeout 120 python3 record_costs.py "$work/costs" 2>&1 | grep -v Warning
has messages && timeout 200 python3 record_messages.py "$work/messages" 2>&1 | tail -5
for part in "$@"; do
    [ -d "$work/$part" ] && tar -C "$work" -cf "$out/$part.tar" "$part"
done
tail -q -n 70 "$out"/*.log | cut -c1-200
