# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_newer_torch.py TIDEMARK_CLI: what torch 2.9 to 2.15 brought into snapshots, each by the smallest file that has it."""

import copy
import pathlib
import pickle
import sys
import tempfile

import harness

MIB, BASE, FAR = 1 << 20, 0x7F0000000000, 0x7F8000000000
TIME = 1_700_000_000_000_000


def event(action, address, size, time, **more):
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": TIME + time,
            "frames": [{"name": "train", "filename": "/work/train.py", "line": time}], **more}


def block(address, size, requested=0):
    return {"address": address, "size": size, "requested_size": requested, "frames": [],
            "state": "active_allocated" if requested else "inactive"}


def segment(address, blocks, **more):
    used = [b["size"] for b in blocks if b["requested_size"]]
    return {"device": 0, "address": address, "total_size": sum(b["size"] for b in blocks), "allocated_size": sum(used),
            "active_size": sum(used), "requested_size": sum(b["requested_size"] for b in blocks), "stream": 0,
            "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks,
            **more}


def snapshot(segments=(), trace=(), **more):
    return {"segments": list(segments), "device_traces": [list(trace)], "external_annotations": [],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False}, **more}


class Files:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def put(self, value):
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(value))
        return path

    def summary(self, value):
        """(text, JSON)"""
        path = self.put(value)
        return self.program.text("summary", path), self.program.json("summary", path)


def codes(summary):
    return {note["code"] for note in summary["notes"]}


def check_backends_that_do_not_record(checks, files):
    done = files.program.run("summary", files.put({}))
    checks.equal("{}: status", done.returncode, 2)
    checks.that("a backend that records no memory" in done.stderr, done.stderr)


def pinned(requested_is_told):
    """100 MiB + 1 B in a block of 128 MiB, and one of 4 MiB that served 3 MiB and lies idle."""
    first = block(BASE, 128 * MIB, 100 * MIB + 1 if requested_is_told else 128 * MIB)
    host = {"device": -1, "segment_type": "small"}
    return snapshot(host_segments=[segment(BASE, [first], **host),
                                   segment(FAR, [block(FAR, 4 * MIB)], **{**host, "requested_size": 4 * MIB})],
                    host_traces=[event("alloc", BASE, 100 * MIB + 1, 1), event("alloc", FAR, 3 * MIB, 2),
                                 event("free_requested", FAR, 3 * MIB, 3), event("free_completed", FAR, 3 * MIB, 3)])


def check_pinned_memory(checks, files):
    for told in (True, False):
        text, summary = files.summary(pinned(told))
        host = harness.by_device(summary, -1)
        name = f"pinned, {'request' if told else 'block'} in the segment"
        checks.equal(f"{name}: notes", codes(summary), {"host-only"})
        checks.equal(f"{name}: violations", host["consistency"]["violations"], 0)
        checks.equal(f"{name}: requested", host["peak"]["requested_bytes"], 103 * MIB + 1)
        checks.equal(f"{name}: blocks", (host["peak"]["block_bytes"], host["peak"]["block_bytes_exact"]), (132 * MIB, True))
        checks.equal(f"{name}: at the end", host["end_requested_bytes"], 100 * MIB + 1)
        checks.that("Lost to rounding at the peak  29.0 MiB" in text, text)
        checks.equal(f"{name}: torch", summary["torch"], {"version": None, "at_least": "2.14"})
        text = files.program.text("diagnose", files.put(pinned(told)))
        checks.that("nothing to explain" not in text and "host memory" in text.lower(), f"{name}: {text}")
    gone = snapshot(host_traces=[event("alloc", BASE, 3 * MIB, 1), event("free_requested", BASE, 3 * MIB, 2),
                                 event("free_completed", BASE, 3 * MIB, 2)])
    text, _ = files.summary(gone)
    checks.that("Lost to rounding at the peak  0–1.0 MiB" in text, text)


def switched(expandable_at_the_end=False):
    """Expandable segments on, then off: a range of mapped pages and a segment from cudaMalloc."""
    return snapshot(
        [segment(BASE, [block(BASE, 18 * MIB, 18 * MIB), block(BASE + 18 * MIB, 2 * MIB)], is_expandable=True),
         segment(FAR, [block(FAR, 20 * MIB)])],
        [event("segment_map", BASE, 20 * MIB, 0), event("alloc", BASE, 18 * MIB, 1),
         event("segment_alloc", FAR, 20 * MIB, 2), event("alloc", FAR, 19 * MIB + MIB // 2, 3),
         event("free_requested", FAR, 19 * MIB + MIB // 2, 4), event("free_completed", FAR, 19 * MIB + MIB // 2, 4)],
        allocator_settings={"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": expandable_at_the_end})


def check_segments_of_both_kinds(checks, files):
    for at_the_end in (False, True):
        text, summary = files.summary(switched(at_the_end))
        checks.equal("both kinds: notes", codes(summary), {"mixed-segments"})
        checks.that("expandable_segments was switched mid-run" in " ".join(text.split()), text)
        peak = summary["devices"][0]["peak"]
        # Whether the half MiB behind the second block was cut off follows from the setting at that time.
        checks.equal("both kinds: block sizes", (peak["block_bytes_low"], peak["block_bytes_high"]),
                     (37 * MIB + MIB // 2, 38 * MIB))
    one_kind = switched()
    del one_kind["segments"][1], one_kind["device_traces"][0][2:]
    checks.equal("one kind: notes", codes(files.summary(one_kind)[1]), set())


def dies_with(pool):
    """A pool that holds most of the card, all of it idle, while the program asks outside of it."""
    return snapshot(
        [segment(BASE, [block(BASE, 200 * MIB)], segment_pool_id=pool), segment(FAR, [block(FAR, 20 * MIB, 20 * MIB)])],
        [event("segment_alloc", BASE, 200 * MIB, 0, pool_id=pool), event("alloc", BASE, 200 * MIB, 1, pool_id=pool),
         event("free_requested", BASE, 200 * MIB, 2, pool_id=pool), event("free_completed", BASE, 200 * MIB, 2, pool_id=pool),
         event("segment_alloc", FAR, 20 * MIB, 3, pool_id=(0, 0)), event("alloc", FAR, 20 * MIB, 4, pool_id=(0, 0)),
         {"action": "oom", "device_free": MIB, "size": 64 * MIB, "stream": 0, "time_us": TIME + 5, "pool_id": (0, 0),
          "frames": []}])


def check_whose_pools(checks, files):
    for pool, owner in (((5, 0), "Private pools of CUDA graphs reserve 200 MiB"),
                        ((0, 3), "NCCL symmetric memory, a shared CUDA graph pool, or torch.cuda._use_uvm()")):
        path = files.put(dies_with(pool))
        text = " ".join(files.program.text("diagnose", path).split())
        checks.that(owner in text, f"{pool}: {text}")
        checks.that("does nothing inside one" in text, f"{pool}: {text}")
        checks.equal(f"{pool}: torch", files.program.json("summary", path)["torch"]["at_least"], "2.12")


def check_who_wrote_it(checks, files):
    small = [event("alloc", BASE, 512, 1)]
    for more, oldest in (({"user_metadata": "mine"}, "2.10"), ({"compile_context": "0/0"}, "2.8"), ({}, "2.3"),
                         ({"user_metadata": "", "compile_context": "N/A"}, "2.3"),
                         ({"internal_metadata": "mallocWithAddress"}, "2.15")):
        text, summary = files.summary(snapshot(trace=[{**small[0], **more}]))
        checks.equal(f"torch of {more}", summary["torch"], {"version": None, "at_least": oldest})
        checks.that(f"torch {oldest} or newer, judging by the file's fields" in text, text)
    old = {"segments": [], "device_traces": [small]}
    checks.equal("torch without settings", files.summary(old)[1]["torch"]["at_least"], "2.2")
    bare = {"segments": [], "device_traces": [[{k: v for k, v in small[0].items() if k != "time_us"}]]}
    checks.equal("torch without anything", files.summary(bare)[1]["torch"]["at_least"], None)


def check_attached_dictionaries(checks, files):
    """torch 2.15 writes a dictionary as compact JSON; `annotate` is of what lives at the address."""
    trace = [event("segment_alloc", BASE, 20 * MIB, 0), event("alloc", BASE, 20 * MIB, 1, user_metadata='{"layer":3,"of":"mlp"}'),
             event("annotate", BASE, 20 * MIB, 2, user_metadata="packed", memory_tag="mine")]
    path = files.put(snapshot([segment(BASE, [block(BASE, 20 * MIB, 20 * MIB)])], trace))
    row = files.program.json("allocations", path)["devices"][0]["allocations"][0]
    checks.equal("attached", row["metadata"], [{"layer": 3, "of": "mlp"}, "packed"])
    text = files.program.text("diagnose", path)
    checks.that("layer: 3, of: mlp; packed" in text, text)
    checks.equal("a key of a private build", codes(files.program.json("summary", path)), {"unknown-keys"})


def check_ranks_without_segments(checks, files):
    """Traces of two ranks in one file, with the segments of the first."""
    trace = [event("segment_alloc", BASE, 20 * MIB, 0), event("alloc", BASE, 8 * MIB, 1), event("alloc", BASE + 8 * MIB, 4 * MIB, 2),
             event("free_requested", BASE, 8 * MIB, 3), event("free_completed", BASE, 8 * MIB, 3)]
    blocks = [block(BASE, 8 * MIB), block(BASE + 8 * MIB, 4 * MIB, 4 * MIB), block(BASE + 12 * MIB, 8 * MIB)]
    both = {**snapshot([segment(BASE, blocks)]), "device_traces": [trace, copy.deepcopy(trace)]}
    _, summary = files.summary(both)
    checks.equal("ranks: notes", codes(summary), {"segments-from-trace"})
    first, second = summary["devices"]
    of_first, of_second = first.pop("for_ranks"), second.pop("for_ranks")
    checks.equal("ranks: alike", {**second, "device": first["device"]}, first)
    checks.equal("ranks: numbers, segments", [(r["rank"], r["has_segments"]) for r in (of_first, of_second)], [(0, True), (1, False)])
    checks.equal("ranks: at the end", (second["end_requested_bytes"], second["consistency"]["violations"]), (4 * MIB, 0))
    del both["segments"], both["device_traces"][1]
    checks.equal("no segments: notes", codes(files.summary(both)[1]), {"no-segments", "segments-from-trace"})


def check_settings_that_clash(checks, files):
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": True, "max_split_size": 128 * MIB}
    trace = [event("segment_map", BASE, 20 * MIB, 0), event("alloc", BASE, 20 * MIB, 1)]
    one = segment(BASE, [block(BASE, 20 * MIB, 20 * MIB)], is_expandable=True)
    for size, is_found in ((128 * MIB, True), (-1, False)):
        path = files.put(snapshot([one], trace, allocator_settings={**settings, "max_split_size": size}))
        found = {f["id"] for f in files.program.json("diagnose", path)["findings"]}
        checks.equal(f"max_split_size {size}", "max-split-beside-expandable" in found, is_found)


def captured(torch):
    return snapshot([segment(BASE, [block(BASE, 20 * MIB, 20 * MIB)])],
                    [event("segment_alloc", BASE, 20 * MIB, 0), event("alloc", BASE, 20 * MIB, 1)],
                    tidemark={"version": 1, "reason": "end", "torch": torch})


def check_two_releases(checks, files):
    """What changed between two releases is asked first where a run fitted and no longer does."""
    paths = [files.folder / f"{name}.pickle" for name in "abc"]
    for path, torch in zip(paths, ("2.9.0", "2.10.0", "2.10.0")):
        path.write_bytes(pickle.dumps(captured(torch)))
    compared = files.program.json("compare", *paths[:2])
    checks.equal("two releases", compared["settings"], ["torch: 2.9.0 → 2.10.0"])
    checks.that("torch: 2.9.0 → 2.10.0" in files.program.text("compare", *paths[:2]), "two releases: not in the text")
    checks.equal("one release", files.program.json("compare", *paths[1:])["settings"], [])
    plain = captured("")
    del plain["tidemark"]
    paths[2].write_bytes(pickle.dumps(plain))
    checks.equal("one that is not known", files.program.json("compare", *paths[1:])["settings"], [])
    checks.equal("who wrote it", files.program.json("summary", paths[0])["torch"], {"version": "2.9.0", "at_least": "2.3"})


def main():
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as folder:
        files = Files(harness.Program(sys.argv[1]), pathlib.Path(folder))
        for check in (check_backends_that_do_not_record, check_pinned_memory, check_segments_of_both_kinds,
                      check_whose_pools, check_who_wrote_it, check_attached_dictionaries, check_ranks_without_segments,
                      check_settings_that_clash, check_two_releases):
            check(checks, files)
    checks.finish()


main()
