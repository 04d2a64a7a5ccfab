# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record_jobs.py OUT [NAME...]: jobs of four ranks that share one CUDA device.

OUT/NAME holds the ranks' files, named as a framework names them, and job.json, the truth (its fields: README.md). The ranks talk over gloo: NCCL refuses
two of them on one device, and nccl_on_one_card.json tells how."""

import datetime
import json
import lzma
import multiprocessing
import os
import pathlib
import pickle
import re
import socket
import sys
import tempfile
import time
import traceback

import torch
import torch.distributed as dist

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "resources" / "capture")]

from ranks import SCENES, WORLD, Rank  # noqa: E402


def forked(function, *arguments):
    """The process of function(*arguments), whose output goes to the file that the last argument names."""
    pid = os.fork()
    if pid:
        return pid
    try:
        log = os.open(arguments[-1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1), os.dup2(log, 2)
        function(*arguments[:-1])
    except BaseException:  # noqa: BLE001  (written to the log)
        traceback.print_exc()
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(0)


def join(rank, world, port, backend, timeout, **more):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK="0")
    torch.zeros(1, device="cuda")  # a context takes seconds: no collective's timeout begins before
    dist.init_process_group(backend, rank=rank, world_size=world, timeout=datetime.timedelta(seconds=timeout), **more)


def one_rank(scene, rank, port, folder):
    torch.set_num_threads(3)
    torch.manual_seed(rank)
    join(rank, WORLD, port, "gloo", scene.timeout)
    if scene.capacity:
        torch.cuda.set_per_process_memory_fraction(scene.capacity * 2**30 / torch.cuda.get_device_properties(0).total_memory)
    r, error = Rank(scene, rank, folder), None
    torch._C._cuda_attach_out_of_memory_observer(r.out_of_memory)
    if not scene.captured:
        torch.cuda.memory._record_memory_history(max_entries=200_000, stacks="python")
    try:
        scene.run(r)
        end(r, None)
    except Exception as e:  # noqa: BLE001  (what the frames hold lives until the end has been told)
        error = e
        traceback.print_exc()
        r.failed_at = r.failed_at or time.time()
        end(r, error)


def end(r, error):
    if r.scene.at_end:
        r.dump(r.scene.at_end(r), "end" if error is None else "exit")
    told = r.folder.parent / f"rank{r.rank}.json"
    told.with_suffix(".part").write_text(json.dumps(r.told(error)))
    told.with_suffix(".part").rename(told)
    deadline = time.time() + (0 if r.oom else 2) if error and r.scene.leaves else float("inf")
    while not (r.folder.parent / "go").exists() and time.time() < deadline:
        time.sleep(0.05)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(pids, is_over, seconds):
    """Until it is over or all have ended; who still runs."""
    deadline = time.time() + seconds
    while pids and not is_over() and time.time() < deadline:
        pids = [p for p in pids if os.waitpid(p, os.WNOHANG)[0] == 0]
        time.sleep(0.05)
    return pids


def killed(pids):
    for pid in wait_for(pids, lambda: False, 5):
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def run(name, scene, out):
    """Records the job; what packs its files in the background."""
    began, work = time.time(), pathlib.Path(tempfile.mkdtemp())
    (work / "job").mkdir()
    port = free_port()
    pids = [forked(one_rank, scene, rank, port, work / "job", f"{work}/rank{rank}.log") for rank in range(WORLD)]
    running = wait_for(pids, lambda: len(list(work.glob("rank*.json"))) == WORLD, 60)
    (work / "go").touch()
    killed(running)
    ranks = [json.loads(p.read_text()) for p in sorted(work.glob("rank*.json"))]
    for rank in ranks:  # the capture module names its own files
        rank["files"] = rank["files"] or [{"file": p.name, "rank": rank["rank"], "step": None, "kind": "oom" if ".oom." in p.name else "exit", "at": p.stat().st_mtime}
                                          for p in sorted((work / "job").glob(f"run.rank{rank['rank']}-*"))]
    fallen = sorted((r["oom"]["at"] if r["oom"] else r["failed_at"], r["rank"]) for r in ranks if r["failed_at"])
    truth = {"job": name, "world": WORLD, "names": scene.names, "backend": "gloo", "torch": torch.__version__, "first_to_fail": fallen[0][1] if fallen else None,
             "outliers": scene.outliers, "why": scene.why, "more": scene.more, "capacity": int(scene.capacity * 2**30) or None, "ranks": ranks}
    mib = [f"{r['peak']['allocated'] >> 20}{'!' if r['oom'] else ''}" for r in ranks]
    print(f"{name:24} {time.time() - began:5.1f} s; peaks {' '.join(mib)} MiB; first {truth['first_to_fail']}; {[r['error'] for r in ranks]}; "
          f"processes {[r['end']['processes'] for r in ranks]}", flush=True)
    for rank in ranks:
        if rank["error"]:
            print(f"    rank {rank['rank']} at {rank['failed_at'] - fallen[0][0]:8.4f} s: {rank['message'][:400]}", flush=True)
    pathlib.Path(out, f"{name}.log").write_text("".join(f"== {log.name}\n{log.read_text()}" for log in sorted(work.glob("*.log"))))
    packer = multiprocessing.get_context("fork").Process(target=pack, args=(work / "job", pathlib.Path(out) / name, truth))
    packer.start()
    return packer


def shortened(value, names, seen):
    """Replaces the names of this machine's folders, in place and each string once, as torch shares them."""
    if isinstance(value, str):
        if value not in names:
            names[value] = value.replace(str(ROOT), "/home/me")
        return names[value]
    if isinstance(value, (dict, list)) and id(value) not in seen:
        seen.add(id(value))
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            value[key] = shortened(item, names, seen)
    return value


def pack(folder, target, truth):
    target.mkdir(parents=True, exist_ok=True)
    (target / "job.json").write_text(json.dumps(shortened(truth, {}, set()), separators=(",", ":")) + "\n")
    for path in sorted(folder.rglob("*.pickle")):
        snapshot = shortened(pickle.loads(path.read_bytes()), {}, set())
        packed = target / f"{path.relative_to(folder)}.xz"
        packed.parent.mkdir(parents=True, exist_ok=True)
        packed.write_bytes(lzma.compress(pickle.dumps(snapshot), preset=9))
        print(f"    {target.name}/{path.relative_to(folder)}: {len(snapshot['device_traces'][0])} events, {packed.stat().st_size >> 10} KiB", flush=True)


def two_of_nccl(rank, port):
    os.environ["NCCL_DEBUG"] = "WARN"
    join(rank, 2, port, "nccl", 20)
    print(f"NCCL {torch.cuda.nccl.version()}", flush=True)
    tensor = torch.ones(1 << 20, device="cuda")
    dist.all_reduce(tensor)
    print(f"sum {tensor[0].item()}", flush=True)


def try_nccl(out):
    work, port = pathlib.Path(tempfile.mkdtemp()), free_port()
    killed(wait_for([forked(two_of_nccl, rank, port, f"{work}/{rank}") for rank in range(2)], lambda: False, 30))
    said = {f"rank {rank}": shortened(re.sub(r"^\S+:(\d+):(\d+) ", r"host:\1:\2 ", (work / str(rank)).read_text(), flags=re.M), {}, set()) for rank in range(2)}
    pathlib.Path(out, "nccl_on_one_card.json").write_text(json.dumps(said, indent=1) + "\n")
    print("nccl", said["rank 0"][-1200:], flush=True)


def main():
    out, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    os.makedirs(out, exist_ok=True)
    os.environ.update(GLOO_SOCKET_IFNAME="lo", NCCL_SOCKET_IFNAME="lo")
    deadline = time.time() + float(os.environ.get("SECONDS_LEFT", 100_000))
    packers = [run(n, s, out) for n, s in SCENES.items() if (not names or n in names) and time.time() < deadline]
    if (not names or "nccl" in names) and time.time() < deadline:
        try_nccl(out)
    for packer in packers:
        packer.join()


if __name__ == "__main__":
    main()
