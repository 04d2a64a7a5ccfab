# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_doubts.py TIDEMARK_CLI SNAPSHOT: verdicts of files that cannot know: broken, without history, in contradiction
with themselves, mostly without labels. SNAPSHOT is a run that died, whole."""

import pathlib
import pickle
import sys
import tempfile

import harness

MIB = 2**20
HIGH = 0.75  # from here on the window says "confidence high"


def segment(address, total, blocks):
    """Of [size, state] pairs."""
    listed, at = [], address
    for size, state in blocks:
        listed.append({"address": at, "size": size, "requested_size": size, "state": state, "frames": []})
        at += size
    live = sum(size for size, state in blocks if state == "active_allocated")
    return {"address": address, "total_size": total, "allocated_size": live, "active_size": live,
            "requested_size": live, "stream": 0, "device": 0, "segment_type": "large", "segment_pool_id": (0, 0),
            "is_expandable": False, "frames": [], "blocks": listed}


def event(action, address, size, name=""):
    frames = [{"name": name, "filename": "/home/me/x.py", "line": 3}] if name else []
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 1, "frames": frames}


def snapshot(segments, trace):
    return {"segments": segments, "device_traces": [trace], "allocator_settings": {}}


def without_history():
    blocks = [[32 * MIB, "active_allocated"]] * 3
    return snapshot([segment(1 << 30, 96 * MIB, blocks)], [])


def in_contradiction():
    """Twice as much is made as the only segment holds; every other address lies outside of it."""
    trace = [event("alloc", (1 << 30) + i * 32 * MIB, 32 * MIB, "make") for i in range(8)]
    return snapshot([segment(1 << 30, 128 * MIB, [[32 * MIB, "active_allocated"]] * 4)], trace)


def mostly_unlabelled():
    trace = [event("alloc", (1 << 30) + i * 16 * MIB, 16 * MIB) for i in range(8)]
    return snapshot([segment(1 << 30, 128 * MIB, [[16 * MIB, "active_allocated"]] * 8)], trace)


def written(folder, name, value):
    path = folder / f"{name}.pickle"
    path.write_bytes(pickle.dumps(value, protocol=4))
    return path


def check_no_history(program, checks, path):
    answer, text = program.json("diagnose", path), program.text("diagnose", path)
    checks.equal("without history: cause", answer["cause"], "unclear")
    checks.that("No OOM in this recording" not in text, "without history it is said that nothing ran out")
    checks.that("no history to show an OOM" in " ".join(text.split()), "without history: the verdict is silent")
    checks.that(all(fix["status"] != "not-needed" for fix in answer["fixes"]), "without history a fix is not needed")


def check_contradiction(program, checks, path):
    answer, text = program.json("diagnose", path), " ".join(program.text("diagnose", path).split())
    checks.that("contradicts itself" in answer["headline"], f"contradiction: {answer['headline']}")
    checks.that("contradicts itself" in answer["sum_check"], f"contradiction: {answer['sum_check']}")
    checks.that(" = 0.1" not in answer["sum_check"], f"an impossible sum: {answer['sum_check']}")
    checks.that(answer["causes"][0]["score"] < 0.5, "contradiction: the cause is too sure")
    checks.that("No OOM in this recording" not in text, "contradiction: it is said that nothing ran out")


def check_unlabelled(program, checks, path):
    answer = program.json("diagnose", path)
    unknown = program.json("summary", path)["devices"][0]["peak"]["buckets"]["unknown"]
    checks.that(unknown > 64 * MIB, f"the scene has labels: {unknown}")
    checks.that(answer["causes"][0]["score"] < 0.5, "without labels the cause is too sure")
    after = program.json("predict", path, "--apply", "precision=pure-bf16")["devices"][0]["after"]
    checks.equal("what has no label keeps its size", after["peak_requested_bytes"], 128 * MIB)
    checks.that(after["low_bytes"] < 96 * MIB, f"and may be half: {after['low_bytes']}")


def check_cut(program, checks, whole, folder):
    content = whole.read_bytes()
    path = folder / "cut.pickle"
    path.write_bytes(content[:len(content) // 4])
    answer = program.json("diagnose", path)
    checks.that(answer["causes"][0]["score"] < HIGH, f"cut off: {answer['causes'][0]['score']} sure")
    checks.that("%" not in answer["headline"], f"cut off: a share of the unknown: {answer['headline']}")


def main():
    program, whole = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        check_no_history(program, checks, written(folder, "none", without_history()))
        check_contradiction(program, checks, written(folder, "contradiction", in_contradiction()))
        check_unlabelled(program, checks, written(folder, "unlabelled", mostly_unlabelled()))
        check_cut(program, checks, whole, folder)
    checks.finish()


if __name__ == "__main__":
    main()
