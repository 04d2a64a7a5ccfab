#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# tests/deep/slurm/run.sh TIDEMARK_CLI FOLDER: what docs/ranks.md tells people on a cluster to do, under a real Slurm of three nodes on
# this machine. For each job of tests/data/gpu/jobs `srun`, and a job array, write summaries beside its dumps; `ranks` of these
# says what `ranks` of the dumps says. Installs nothing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)
program=$(realpath "$1")
mkdir -p "$2"
work=$(cd "$2" && pwd -P)
# shellcheck disable=SC2016  # for the shell of each task
readonly SUMMARIZE='"$TIDEMARK" summary --json --for-ranks "$f" > "$f.summary.json"'

missing=()
for tool in munged slurmctld slurmd srun sbatch sinfo; do
    command -v "$tool" > /dev/null || missing+=("$tool")
done
if [ "${#missing[@]}" -gt 0 ]; then
    echo "missing: ${missing[*]}; on Debian: apt-get install -y slurm-wlm munge" >&2
    exit 2
fi
[ "$(id -u)" = 0 ] || { echo "a Slurm of one's own needs root" >&2; exit 2; }

# What `ranks` says of a folder; that a rank ran out is no failure here.
answer() { "$program" ranks --json --no-compare "$1" > "$2" || [ $? = 1 ]; }

with_srun() {
    # shellcheck disable=SC2016
    srun -Q --ntasks="$(wc -l < list)" --overcommit sh -c 'f=$(sed -n "$((SLURM_PROCID + 1))p" list); '"$SUMMARIZE"
}

with_array() {
    # shellcheck disable=SC2016
    sbatch -Q --wait --output=/dev/null --array=1-"$(wc -l < list)" \
        --wrap 'f=$(sed -n "${SLURM_ARRAY_TASK_ID}p" list); '"$SUMMARIZE"
}

trap '"$root/tests/deep/slurm/cluster.sh" stop "$work/cluster"' EXIT
"$root/tests/deep/slurm/cluster.sh" start "$work/cluster"
export SLURM_CONF=$work/cluster/slurm.conf TIDEMARK=$program
# shellcheck disable=SC2016
srun -N 3 sh -c 'echo "node $SLURMD_NODENAME"' | sort

failed=
for job in "$root"/tests/data/gpu/jobs/*/; do
    name=$(basename "$job")
    answer "$job" "$work/$name.json"
    for way in with_srun with_array; do
        rm -rf "${work:?}/$name" && cp -r "$job" "$work/$name"
        cd "$work/$name"
        find . -name '*.pickle.xz' | sort > list
        "$way"
        [ "$(find . -name '*.summary.json' -size +0 | wc -l)" = "$(wc -l < list)" ] || { echo "$name $way: summaries are missing"; failed=yes; }
        answer . "$work/$name.beside.json"
        xargs rm < list # Nothing but the summaries is left.
        answer . "$work/$name.alone.json"
        for seen in beside alone; do
            printf '%s, %s, %s: ' "$name" "${way#with_}" "$seen"
            /usr/bin/python3 -B "$root/tests/cli/same_ranks.py" "$work/$name.json" "$work/$name.$seen.json" || failed=yes
        done
    done
done
[ -z "$failed" ]
