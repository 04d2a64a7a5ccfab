# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_remote.py TIDEMARK_CLI SNAPSHOT: files of another machine, through ssh and a real sshd of this one."""

import gzip
import json
import os
import pathlib
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness
from far_side import SSHD, FarSide, Remote

PIECE = 8 << 20  # bytes that the other side packs by themselves


def check_whole_files(remote, snapshot, folder):
    checks = remote.checks
    for host in ("zstd", "gzip", "plain"):
        copy = folder / f"from {host}'s $(touch hit).pickle"
        shutil.copy(snapshot, copy)
        remote.same(host, f"{host}:{copy}", copy)
        with open([path for path in remote.copies() if path.name == copy.name][0], "rb") as kept:
            start = kept.read(4)
        expected = {"zstd": b"\x28\xb5\x2f\xfd", "gzip": b"\x1f\x8b"}.get(host, snapshot.read_bytes()[:4])
        checks.that(start.startswith(expected), f"{host}: the copy begins with {start!r}")
    checks.that(not (folder / "hit").exists(), "a name was run")
    url = folder / "a b.pickle"
    shutil.copy(snapshot, url)
    remote.same("URL", f"ssh://zstd{str(url).replace(' ', '%20')}", url)
    packed = folder / "packed.pickle.gz"
    packed.write_bytes(gzip.compress(snapshot.read_bytes()))
    remote.same("packed there", f"zstd:{packed}", packed)


def check_reading_while_it_arrives(remote, snapshot, folder):
    file = folder / "dripping.pickle"
    shutil.copy(snapshot, file)
    remote.same("in drops", f"dripping:{file}", file)
    # The line goes on for ten minutes: whoever waits for its end runs out of time here.
    wrong = folder / "no snapshot.pickle"
    wrong.write_bytes(b"no snapshot " * 20_000)
    remote.refused("no snapshot", "no snapshot.pickle: ", "summary", f"slow:{wrong}")


def check_kept_copies(remote, snapshot, folder):
    file = folder / "kept.pickle"
    shutil.copy(snapshot, file)
    remote.same("first time", f"zstd:{file}", file)
    kept = [path for path in remote.copies() if path.name == file.name][0]
    before = kept.stat().st_ino
    remote.same("second time", f"zstd:{file}", file)
    remote.checks.equal("the copy is used again", kept.stat().st_ino, before)
    os.utime(file, (1, 1))
    remote.same("written anew there", f"zstd:{file}", file)
    remote.checks.that(kept.stat().st_ino != before, "a file that changed there was not fetched again")
    remote.checks.equal("who may read copies", (remote.far.root / "cache/tidemark/remote").stat().st_mode & 0o777, 0o700)


def check_bookmarks(remote, snapshot, folder):
    """They lie beside the copy, where the window puts them, or in the user's folder."""
    file = folder / "marked.pickle"
    shutil.copy(snapshot, file)
    page = folder / "marked.json"
    remote.run("report", f"zstd:{file}", "-o", page)
    copy = [path for path in remote.copies() if path.name == file.name][0]
    key = 0xcbf29ce484222325
    for byte in f"{copy}\n{copy.stat().st_size}".encode():
        key = (key ^ byte) * 0x100000001b3 % 2**64
    away = remote.far.root / "data/tidemark/rules"
    away.mkdir(parents=True)
    for marks in (copy.with_name(copy.name + ".tidemark-bookmarks"), away / f"{copy.name}-{key:016x}.tidemark-bookmarks"):
        marks.write_text(json.dumps({"tidemark-bookmarks": 1, "bookmarks": [{"device": 0, "event": 3, "note": "look"}]}))
        done = remote.run("report", f"zstd:{file}", "-o", page)
        report = json.loads(page.read_text(encoding="utf-8"))["report"]
        remote.checks.equal(f"marks in {marks.parent} ({done.stderr})", [b["note"] for b in report.get("bookmarks", [])], ["look"])
        marks.unlink()


def check_several(remote, snapshot, folder):
    other = folder / "other.pickle"
    shutil.copy(snapshot, other)
    compared = remote.run("compare", "--json", f"zstd:{other}", snapshot)
    remote.checks.equal("compared with a far file", (compared.returncode, compared.stderr), (0, ""))
    log = folder / "train.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity "
                   "of 23.65 GiB of which 1.50 GiB is free.\n")
    explained = remote.run("explain", f"zstd:{log}")
    remote.checks.that("2.00 GiB" in explained.stdout, f"a far log: {explained.stdout!r} {explained.stderr!r}")


def check_jobs(remote, snapshot, folder):
    ranks = folder / "job"
    ranks.mkdir()
    for rank in (1, 10, 0):
        shutil.copy(snapshot, ranks / f"run.rank{rank}-of-16.pickle")
    (ranks / "older.pickle").write_bytes(b"x")
    os.utime(ranks / "older.pickle", (1, 1))
    done = remote.run("summary", "--json", f"zstd:{ranks}/")
    remote.checks.equal("a job: exit", done.returncode, 0)
    remote.checks.equal("a job: what is told", done.stderr, f"tidemark-cli: zstd:{ranks}/: a job of 3 ranks, "
                        "run rank* of 16; 1 other file of the folder is skipped.\n")
    remote.checks.equal("a job: its ranks", [json.loads(line)["file"] for line in done.stdout.splitlines()],
                        [f"zstd:{ranks}/run.rank{rank}-of-16.pickle" for rank in (0, 1, 10)])
    page = folder / "job.html"
    done = remote.run("report", f"zstd:{ranks}/", "-o", page)
    remote.checks.equal(f"a job: its report ({done.stderr})", done.returncode, 0)
    remote.checks.that(page.exists() and "Job of 16 ranks" in page.read_text(encoding="utf-8"), "a job: what it is about")
    shutil.copy(snapshot, ranks / "snapshot.pickle")
    for name, rank in (("snapshot", None), ("run.rank1-of-16", 1)):
        file = f"gpu7:{ranks}/{name}.pickle"  # the host's name is no rank, nor is the folder of the copy
        done = remote.run("ranks", "--json", "--no-compare", file)
        remote.checks.that(done.stdout, f"{file}: {done.stderr!r}")
        rows = json.loads(done.stdout or '{"ranks": []}')["ranks"]
        remote.checks.equal(file, [(row["file"], row["rank"]) for row in rows], [(file, rank)])
    titan = folder / "titan"
    for step in ("step_000000000002", "step_000000000005_exit"):
        (titan / step).mkdir(parents=True)
        for rank in (0, 1):
            shutil.copy(snapshot, titan / step / f"{rank:06d}_{step[:4]}_{int(step[5:17])}.pickle")
    done = remote.run("ranks", "--json", "--no-compare", f"zstd:{titan}")
    remote.checks.that(done.stdout, f"ranks: {done.stderr!r}")
    rows = json.loads(done.stdout or '{"ranks": []}')["ranks"]
    remote.checks.equal("a job in folders", [(row["file"], row["rank"], row["moment"]) for row in rows],
                        [(f"{step}/{rank:06d}_step_{int(step[5:17])}.pickle", rank, moment) for rank in (0, 1)
                         for step, moment in (("step_000000000002", "step 2"), ("step_000000000005_exit", "step 5, exit"))])
    done = remote.run("summary", "--json", f"zstd:{titan}")
    remote.checks.equal("the last of each rank", [json.loads(line)["file"] for line in done.stdout.splitlines()],
                        [f"zstd:{titan}/step_000000000005_exit/{rank:06d}_step_5.pickle" for rank in (0, 1)])


def check_what_fails(remote, snapshot, folder):
    remote.refused("no such file", "No such file on zstd", "summary", f"zstd:{folder}/none.pickle")
    remote.refused("no such host", "Cannot reach nowhere.invalid over ssh", "summary", "nowhere.invalid:/a.pickle")
    remote.refused("a stranger", "Permission denied", "summary", f"stranger:{snapshot}")
    remote.refused("a device", "Not a readable file on zstd", "summary", "zstd:/dev/null")
    remote.refused("an option", "", "summary", "-oProxyCommand=touch hit:/a.pickle")
    listed = folder / "dumps"
    listed.mkdir()
    for age, name in enumerate(["new.pickle", "middle.pickle", "old.pickle"]):
        (listed / name).write_bytes(b"x")
        os.utime(listed / name, (1e9 - age, 1e9 - age))
    remote.refused("a folder", f"such as zstd:{listed}/new.pickle. Newest first: new.pickle, middle.pickle, old.pickle.",
                   "summary", f"zstd:{listed}")
    empty = folder / "empty"
    empty.mkdir()
    remote.refused("an empty folder", "folder has no snapshots", "summary", f"zstd:{empty}/")
    without = {**remote.environment, "PATH": str(folder / "empty")}
    done = subprocess.run([remote.program, "summary", f"zstd:{snapshot}"], env=without, capture_output=True, text=True,
                          timeout=60, stdin=subprocess.DEVNULL, check=False)
    remote.checks.that("ssh is not installed" in done.stderr, f"without ssh: {done.stderr!r}")
    flooding = folder / "flooding"
    flooding.mkdir()
    remote.far.write_tool(flooding / "ssh", "exec yes welcome")
    done = subprocess.run([remote.program, "summary", f"flood:{snapshot}"], capture_output=True, text=True, timeout=60,
                          env={**remote.environment, "PATH": f"{flooding}:{os.environ['PATH']}"},
                          stdin=subprocess.DEVNULL, check=False)
    remote.checks.equal("a login that never ends: exit", done.returncode, 2)
    remote.checks.that("did not answer like a POSIX system" in done.stderr, f"a login that never ends: {done.stderr!r}")


def check_broken_lines(remote, snapshot, folder):
    file = folder / "broken.pickle"
    shutil.copy(snapshot, file)
    done = remote.run("summary", "--json", f"broken:{file}")
    remote.checks.equal("what came is shown", done.returncode, 0)
    remote.checks.that("The connection was lost (97.7 of " in done.stderr, f"broken: {done.stderr!r}")
    remote.checks.that("cut" in done.stdout or "ends" in done.stdout, f"broken: no note in {done.stdout[:400]!r}")
    again = remote.run("summary", "--json", f"broken:{file}")
    remote.checks.that("The connection was lost" in again.stderr, "a part was taken for the whole the second time")


def long_file(snapshot, file):
    """A trace with what takes several pieces, hardly packs and costs no analysis."""
    content = pickle.loads(snapshot.read_bytes())
    trace = max(content["device_traces"], key=len)
    for mib in range((4 * PIECE + PIECE // 2) >> 20):
        trace[100 * mib]["padding"] = random.Random(mib).randbytes(3 << 18).hex()[:1 << 20]
    file.write_bytes(pickle.dumps(content, protocol=4))


def check_copy(remote, what, file):
    """Every byte of it: the analysis looks at the trace alone."""
    with open([path for path in remote.copies() if path.name == file.name][-1], "rb", buffering=0) as copy:
        packer = {b"\x28\xb5": ["zstd", "-dc"], b"\x1f\x8b": ["gzip", "-dc"]}.get(copy.read(2), ["cat"])
        copy.seek(0)
        content = subprocess.run(packer, stdin=copy, stdout=subprocess.PIPE, check=True).stdout
    remote.checks.that(content == file.read_bytes(), f"{what}: the copy is another file")


def check_continued_copies(remote, snapshot, folder):
    file = folder / "long.pickle"
    long_file(snapshot, file)
    pieces = -(-file.stat().st_size // PIECE)
    remote.checks.that(pieces > 3, f"{pieces} pieces are too few")
    for host in ("broken-zstd", "broken-gzip"):
        done = remote.run("summary", "--json", f"{host}:{file}")
        said = f"packed: {2 * PIECE / file.stat().st_size * 100:.0f} % of "
        remote.checks.that("The connection was lost" in done.stderr and said in done.stderr, f"{host}: {done.stderr!r}")
        remote.checks.equal(f"{host}: of what size", json.loads(done.stdout)["file_bytes"], file.stat().st_size)
        remote.same(f"{host}: the rest", f"{host}:{file}", file)
        check_copy(remote, host, file)
        remote.checks.equal(f"{host}: pieces packed", int(remote.far.count(host).read_text()), 3 + pieces - 2)
    # The plain one always breaks after 3,000,000 bytes; what comes then comes from elsewhere.
    done = remote.run("summary", "--json", f"broken-later:{file}")
    remote.checks.that("The connection was lost" in done.stderr, f"plain: {done.stderr!r}")
    remote.same("plain: the rest", f"broken-later:{file}", file)
    check_copy(remote, "plain", file)
    # What changed there meanwhile is no rest of what is here.
    other = folder / "changed.pickle"
    shutil.copy(file, other)
    remote.run("summary", "--json", f"broken-later:{other}")
    os.utime(other, (1, 1))
    done = remote.run("summary", "--json", f"broken-later:{other}")
    remote.checks.that("The connection was lost" in done.stderr, "a file that changed was continued")


def check_interrupts(remote, snapshot, folder):
    file = folder / "slow.pickle"
    shutil.copy(snapshot, file)
    with subprocess.Popen([remote.program, "summary", f"slow:{file}"], env=remote.environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        deadline = time.monotonic() + 60
        parts = []
        while not parts and time.monotonic() < deadline:
            parts = list((remote.far.root / "cache").rglob(".tidemark-*.part"))
            time.sleep(0.05)
        remote.checks.that(parts, "nothing was being fetched")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    remote.checks.equal("left after Ctrl+C", list((remote.far.root / "cache").rglob(".tidemark-*.part")), [])


def check_watch(remote, snapshot, folder):
    watched = folder / "watched"
    watched.mkdir()
    shutil.copy(snapshot, watched / "there before.pickle")
    with subprocess.Popen(
            [remote.program, "watch", "--json", "--every", "0.3", "--count", "2", f"zstd:{watched}"],
            env=remote.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as running:
        time.sleep(3)  # the first look is over: what is there is known
        shutil.copy(snapshot, watched / "first.pickle")
        first = json.loads(running.stdout.readline())
        remote.checks.equal("watched", first["file"], f"zstd:{watched}/first.pickle")
        (watched / "notes.txt").write_text("no dump")
        shutil.copy(snapshot, watched / "second.pickle")
        second = json.loads(running.stdout.readline())
        remote.checks.equal("watched on", second["file"], f"zstd:{watched}/second.pickle")
        remote.checks.equal("after so many", running.wait(timeout=60), 0)
    remote.refused("no folder to watch", "give its folder", "watch", f"zstd:{snapshot}")


def main(program, snapshot):
    if not pathlib.Path(SSHD).exists() or not shutil.which("ssh") or not shutil.which("zstd"):
        print("skipped: needs openssh-server, openssh-client and zstd")
        return harness.SKIPPED
    checks = harness.Checks()
    with tempfile.TemporaryDirectory(prefix="tidemark-remote-") as name:
        far = FarSide(pathlib.Path(name))
        with far.running:
            far.add("zstd", packers=["zstd", "gzip"])
            far.add("gzip", packers=["gzip"])
            far.add("plain")
            far.add("gpu7")
            far.add("stranger", key="stranger")
            far.add("broken", broken_cat="head -c 100000")
            far.add("broken-zstd", packers=["zstd"], broken_packer="zstd")
            far.add("broken-gzip", packers=["gzip"], broken_packer="gzip")
            far.add("broken-later", broken_cat="head -c 3000000")
            far.add("dripping", broken_cat=f"head -c 9; sleep 1; head -c 50000; sleep 1; exec {shutil.which('cat')}")
            far.add("slow", broken_cat="head -c 100000; sleep 600")
            folder = far.root / "runs"
            folder.mkdir()
            remote = Remote(program, far, checks)
            check_whole_files(remote, snapshot, folder)
            check_reading_while_it_arrives(remote, snapshot, folder)
            check_kept_copies(remote, snapshot, folder)
            check_bookmarks(remote, snapshot, folder)
            check_several(remote, snapshot, folder)
            check_jobs(remote, snapshot, folder)
            check_what_fails(remote, snapshot, folder)
            check_broken_lines(remote, snapshot, folder)
            check_continued_copies(remote, snapshot, folder)
            check_interrupts(remote, snapshot, folder)
            check_watch(remote, snapshot, folder)
    checks.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
