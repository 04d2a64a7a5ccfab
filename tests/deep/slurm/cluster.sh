#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# cluster.sh start|stop FOLDER: a Slurm of three nodes a, b and c on this machine, for root, that leaves the machine's own Slurm
# and munge alone: all it has is in FOLDER, and it listens on ports of its own. Then: SLURM_CONF=FOLDER/slurm.conf srun -N 3 hostname
set -euo pipefail

readonly NODES=(a b c) PORT=${TIDEMARK_SLURM_PORT:-27310}
mkdir -p "$2"
folder=$(cd "$2" && pwd -P)

stop() {
    local file pid
    for file in "$folder"/slurmd-*.pid "$folder"/slurmctld.pid "$folder"/munged.pid; do
        if [ -s "$file" ] && pid=$(<"$file") && kill "$pid" 2>/dev/null; then
            for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        fi
    done
}

configure() {
    {
        cat <<CONF
ClusterName=tidemark
SlurmctldHost=localhost
SlurmctldPort=$PORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=2
CONF
        local i
        for i in "${!NODES[@]}"; do
            mkdir -p "$folder/spool-${NODES[i]}"
            echo "NodeName=${NODES[i]} NodeHostname=localhost Port=$((PORT + 1 + i)) CPUs=2 State=UNKNOWN"
        done
        echo "PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=YES"
    } > "$folder/slurm.conf"
    mkdir -p "$folder/state"
    if ! [ -s "$folder/munge.key" ]; then
        (umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
    fi
}

start() {
    stop
    configure
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" 2> "$folder/munged.err"
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -c
    local node
    for node in "${NODES[@]}"; do slurmd -N "$node"; done
    for _ in $(seq 60); do
        if [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "${#NODES[@]}" ]; then return; fi
        sleep 0.5
    done
    sinfo >&2
    tail -n 5 "$folder"/*.log >&2
    echo "the nodes did not become idle" >&2
    return 1
}

"$1"
