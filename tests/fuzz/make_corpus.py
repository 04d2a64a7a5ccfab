#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Writes the seeds of the fuzz targets: small files of every form a snapshot can have, and of the forms it must not have.

    tests/fuzz/make_corpus.py [FOLDER]        (default: corpus beside this script)

The same on every run with the same Python; the committed files need not be made again to be used.
"""

import base64
import bz2
import gzip
import io
import json
import lzma
import pathlib
import pickle
import struct
import sys
import tarfile
import zipfile
import zlib

ADDRESS = 0x7F0000000000


def frames(last="forward"):
    return [
        {"name": last, "filename": "/home/me/model.py", "line": 7},
        {"name": "<module>", "filename": "train.py", "line": 70},
    ]


def event(action, addr, size, time_us, **more):
    place = "device_free" if action == "oom" else "addr"
    return {"action": action, place: addr, "size": size, "stream": 0, "time_us": time_us, "frames": frames(), **more}


def block(size, requested, state, **more):
    return {"size": size, "requested_size": requested, "state": state, "frames": frames(), **more}


def segment(**more):
    blocks = [
        block(512, 400, "active_allocated", address=ADDRESS),
        block((2 << 20) - 512, 0, "inactive", address=ADDRESS + 512),
    ]
    return {
        "device": 0,
        "address": ADDRESS,
        "total_size": 2 << 20,
        "allocated_size": 512,
        "active_size": 512,
        "requested_size": 400,
        "stream": 0,
        "segment_type": "small",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "blocks": blocks,
        **more,
    }


def snapshot():
    trace = [
        event("segment_alloc", ADDRESS, 2 << 20, 1700000000000000),
        event("alloc", ADDRESS, 400, 1700000000000001),
        event("alloc", ADDRESS + 512, 512, 1700000000000002),
        event("free_requested", ADDRESS + 512, 512, 1700000000000003),
        event("free_completed", ADDRESS + 512, 512, 1700000000000003),
        event("oom", 1 << 20, 1 << 30, 1700000000000004),
    ]
    return {
        "segments": [segment()],
        "device_traces": [trace, []],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False, "max_split_size": -1},
        "external_annotations": [
            {"stage": "START", "name": "step", "device": 0, "time_us": 1700000000000000},
            {"stage": "END", "name": "step", "device": 0, "time_us": 1700000000000004},
        ],
    }


def one_trace(*events):
    return {"segments": [], "device_traces": [list(events)]}


def captured():
    """What the capture module leaves: one device, two moments, one tensor."""
    columns = {"kind": ["forward_begin", "dump"], "name": ["training", "end"], "step": [0, 0], "time_us": [1, 2],
               "marker_bytes": [0, 0], "clocks": [{"device": 0, "operations": [1, 3], "epoch": [0, 0]}]}
    known = {
        "version": 1, "reason": "oom", "torch": "2.9", "rank": 0, "world_size": 2, "settings": {"stacks": "python"},
        "devices": [{"index": 0, "name": "GPU", "total_bytes": 1 << 30, "capacity_bytes": 1 << 29, "operations": 3, "epoch": 0}],
        "oom": {"device": 0, "requested_bytes": 1 << 30, "total_bytes": 1 << 30, "free_bytes": 1 << 20},
        "moments": columns,
        "things": {"bucket": ["parameter"], "role": ["frozen"], "name": ["w"], "shape": ["10x10"], "dtype": ["float32"]},
        "tensors": {"moment": [1], "thing": [0], "device": [0], "address": [ADDRESS], "bytes": [400]},
        "warnings": [],
    }
    return {"segments": [segment()], "device_traces": [snapshot()["device_traces"][0][:4]], "tidemark": known}


def layouts():
    """Name -> a snapshot in the form of one version or maker of torch."""
    old_block = {"size": 512, "state": "active_allocated", "history": [{"addr": ADDRESS, "real_size": 400, "frames": frames()}]}
    old = segment(blocks=[old_block, {"size": (2 << 20) - 512, "state": "inactive"}])
    for key in ("requested_size", "segment_pool_id", "is_expandable"):
        del old[key]
    expandable = [
        event("segment_map", ADDRESS, 20 << 20, 1),
        event("alloc", ADDRESS, 1 << 20, 2, compile_context="0/0", pool_id=(0, 1)),
        event("segment_unmap", ADDRESS + (2 << 20), 2 << 20, 3),
        event("snapshot", 0, 1 << 20, 4),
        event("user_defined", 0, 0, 5),
    ]
    profile = one_trace({"action": "alloc", "addr": 1, "size": 2, "stream": 0, "frames": [], "category": "gradient"})
    profile["categories"] = ["parameter", "gradient"]
    host = snapshot()
    host["host_segments"] = [segment()]
    host["host_traces"] = [[event("alloc", 64, 64, 1)]]
    notes = {"user_metadata": "epoch 1", "forward_frames": ["File a.py\n", "  x = f(x)\n"], "pool_id": [0, 1]}
    fx = {"name": "f", "filename": "<eval>", "line": 0, "fx_node_op": "call", "fx_node_name": None}
    return {
        "full": snapshot(),
        "segment_list": [segment()],
        "history": {"segments": [old], "device_traces": [[]]},
        "no_traces": {"segments": [segment()]},
        "expandable": {"segments": [segment(is_expandable=True)], "device_traces": [expandable]},
        "profile": profile,
        "host": host,
        "annotated": one_trace(event("annotate", ADDRESS, 400, 9, **notes), event("worker_freed", 1, 2, 3)),
        "fx_frames": one_trace({**event("alloc", 1, 2, 3), "frames": [fx, {**fx, "fx_original_trace": "a\nb"}]}),
        "unsigned": one_trace(event("alloc", 18446720620317114368, 512, 1), event("alloc", -1, -5, 1 << 62)),
        "captured": captured(),
        "overflow": {**snapshot(), "trace_alloc_overflowed": [True], "rank": 3, "_meta": {"a": None}},
        "wrong_types": {
            "segments": [segment(blocks=None), 5, {"address": "x", "blocks": [1, None, {}]}],
            "device_traces": [None, [1, "x", {}, {"action": 5, "addr": 1.5, "frames": {"a": 1}}], {"a": [True]}],
            "allocator_settings": [1],
            "external_annotations": {"name": 5},
        },
        "texts": one_trace({**event("alloc", 1, 2, 3), "frames": [{"name": "ä\0\u2028" + "n" * 300, "filename": "", "line": 1 << 40}]}),
    }


def opcodes():
    """Plain data with every opcode that Python's and torch's picklers, or a person, could use for it."""
    text = b"(dp0\nVsegments\np1\n(lsS'device_traces'\n(l(l(dVaction\nVseg\\u0041\nsS\"addr\"\nL139L\nsVsize\nI512\nsVstream\nI00\nsa"
    text += b"as."
    binary = b"\x80\x02}q\0(U\x08segments]r\1\0\0\0T\x0d\0\0\0device_traces](](}(X\4\0\0\0sizeM\0\2"
    binary += b"X\4\0\0\0addr\x8b\2\0\0\0\0\1X\6\0\0\0stream\x8a\0X\4\0\0\0lineG?\xf0\0\0\0\0\0\0X\5\0\0\0otherJ\xff\xff\xff\xff"
    binary += b"X\6\0\0\0framesh\0X\1\0\0\0aj\1\0\0\0ueeu."
    stack = b"\x80\x04}(\x8c\x01a(NN1N\x8c\x01bN\x85\x94\x8c\x01cN2\x86\x8c\x01d)\x8c\x01e\x88N0\x8c\x01fNNN\x87u."
    body = b"}(\x8d\x08\0\0\0\0\0\0\0segments]\x8c\x0ddevice_traces]]au."
    long_text = b"\x80\x04\x95" + struct.pack("<Q", len(body)) + body
    data = b"\x80\x05}(\x8c\x01aC\x02hi\x8c\x01bB\x02\0\0\0hi\x8c\x01c\x8e\x02\0\0\0\0\0\0\0hi\x8c\x01d\x96\x02\0\0\0\0\0\0\0hi"
    data += b"\x8c\x01e\x8f\x8c\x01f(K\x01\x91u."
    return {"op_text": text, "op_binary": binary, "op_stack": stack, "op_long_text": long_text, "op_bytes": data}


def wrapped():
    """Calls: four that are harmless, and each way to ask for one that is not."""
    ordered = b"\x80\x02}(X\x08\0\0\0segments]X\x0d\0\0\0device_traces]X\x01\0\0\0sccollections\nOrderedDict\n)RX\x01\0\0\0kK\x01su."
    tag = b"\x80\x02ctorch.jit._pickle\nrestore_type_tag\n}(X\x08\0\0\0segments]X\x0d\0\0\0device_traces]uX\x03\0\0\0Any\x86R."
    ints = b"\x80\x02}(X\x08\0\0\0segments]X\x01\0\0\0lctorch.jit._pickle\nbuild_intlist\n](K\x01e\x85Rq\x01u."
    device = b"\x80\x04}(\x8c\x08segments]\x8c\x01d\x8c\x05torch\x8c\x06device\x93\x8c\x04cudaK\x00\x86Ru."
    call = b"cos\nsystem\n"
    return {
        "wrap_ordered": ordered,
        "wrap_tag": tag,
        "wrap_list": ints,
        "wrap_device": device,
        "bad_reduce": call + b"(S'true'\ntR.",
        "bad_stack_global": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
        "bad_inst": b"(S'true'\nios\nsystem\n.",
        "bad_obj": b"\x80\x02(" + call + b"S'true'\no.",
        "bad_newobj": b"\x80\x02" + call + b")\x81.",
        "bad_build": b"\x80\x02}}b.",
        "bad_persid": b"\x80\x02}(X\x01\0\0\0aK\x01Qu.",
    }


def shapes():
    """Structures that are odd rather than wrong."""
    itself = b"\x80\x04}(\x8c\x08segments]\x94h\x00a\x8c\x0ddevice_tracesh\x00u."
    laughs = b"\x80\x02}(X\x08\0\0\0segments]q\x00" + b"".join(b"](h%ch%ceq%c0" % (i, i, i + 1) for i in range(12)) + b"X\x01\0\0\0ah\x0cu."
    return {"itself": itself, "laughs": laughs, "marks": b"\x80\x02" + b"(" * 100 + b"1" * 99 + b"N.", "lengths": b"\x80\x04\x8d" + b"\xff" * 8}


def pickles():
    files = {f"protocol{p}": pickle.dumps(snapshot(), p) for p in (0, 1, 2, 4, 5)}
    files.update({f"layout_{name}": pickle.dumps(value, 4) for name, value in layouts().items() if name != "full"})
    files["torch"] = torch_pickle(snapshot())
    files["padded"] = pickle.dumps(one_trace(event("alloc", 1, 2, 3)), 4) + b"\0\0\0"
    files["cut"] = pickle.dumps(snapshot(), 4)[:600]
    return {**files, **opcodes(), **wrapped(), **shapes()}


def torch_pickle(value):
    """As torch's own pickler in C++ writes it: protocol 2, memo by text, 8-byte integers, marks always."""
    memo = {}

    def write(v):
        if v is None or isinstance(v, bool):
            return {None: b"N", True: b"\x88", False: b"\x89"}[v]
        if isinstance(v, int):
            if 0 <= v < 256:
                return b"K" + bytes([v])
            return b"\x8a\x08" + struct.pack("<q", v)
        if isinstance(v, str):
            if v in memo:
                return b"h" + bytes([memo[v]])
            memo[v] = len(memo)
            return b"X" + struct.pack("<I", len(v.encode())) + v.encode() + b"q" + bytes([memo[v]])
        if isinstance(v, tuple):
            return write(v[0]) + write(v[1]) + b"\x86"
        if isinstance(v, list):
            return b"](" + b"".join(write(x) for x in v) + b"e"
        return b"}(" + b"".join(write(k) + write(x) for k, x in v.items()) + b"u"

    return b"\x80\x02" + write(value) + b"."


def jsons():
    files = {name: json.dumps(value).encode() for name, value in layouts().items()}
    files["indented"] = json.dumps(one_trace(event("alloc", 1, 2, 3)), indent=2).encode()
    files["marked"] = b"\xef\xbb\xbf \r\n\t" + json.dumps({"segments": []}).encode() + b"\n"
    files["escapes"] = rb'{"segments":[],"device_traces":[[{"action":"\u0061lloc","addr":1,"frames":[{"name":"\ud83d\ude00\"\\\/\b\n"}]}]]}'
    files["lone"] = rb'{"segments":[],"x":"\ud83d","y":"\udc00\ud83d"}'
    files["numbers"] = b'{"segments":[],"device_traces":[[{"addr":18446744073709551615,"size":1e3,"time_us":-0.5E-3,"stream":99999999999999999999}]]}'
    files["constants"] = b'{"segments":null,"device_traces":[true,false],"a":NaN,"b":-Infinity}'
    files["twice"] = b'{"segments":[],"segments":[{}],"device_traces":[]}'
    files["deep"] = b'{"segments":' + b"[" * 70 + b"]" * 70 + b"}"
    files["cut"] = files["full"][:700]
    files["other"] = b'{"traceEvents":[{"ph":"X"}]}'
    return files


def pages():
    def page(files, before="", after=""):
        local = json.dumps([{"name": name, "base64": base64.b64encode(content).decode()} for name, content in files])
        script = f"<!DOCTYPE html>\n<html><body>{before}<script type=\"module\">\nconst local_files = {local};\n</script>{after}"
        return script.encode()

    small = pickle.dumps(one_trace(event("alloc", 1, 2, 3)), 4)
    first = page([("a.pickle", small)])
    return {
        "page": page([("/tmp/a \"b\".pickle", pickle.dumps(snapshot(), 4) + b"\0\0")]),
        "two": page([("a", small), ("b", torch_pickle({"segments": []}))]),
        "not_first": page([("a", pickle.dumps(5)), ("b", small)]),
        "json_inside": page([("a", b'{"segments":[]}')]),
        "packed_inside": page([("a", gzip.compress(small, mtime=0))]),
        "other_lists": page([("a", small)], before="<script>x=[{\"k\":1}];y=[{\"name\":\"n\"}]</script>"),
        "wrapped_lines": first.replace(b"gASV", b"gA\nSV"),
        "broken_base64": first.replace(b"gASV", b"gA*V"),
        "cut": first[:250],
        "refused": page([("a", wrapped()["bad_reduce"])]),
        "no_list": b"<html>const a = [{x: 1}, [{\"k\": \"v\"}]]</html>",
        "no_bytes": page([]),
    }


class Pipe(io.RawIOBase):
    """A file that cannot go back, so that zip puts the lengths behind the bytes."""

    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, data):
        self.bytes += bytes(data)
        return len(data)


def zipped(files, method=zipfile.ZIP_DEFLATED, target=None):
    out = target or io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.bytes if target else out.getvalue()


def tarred(files, form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue().rstrip(b"\0") + b"\0" * 1024


def zstandard(content, size_known=True):
    """A frame of one block that is stored, and one that repeats a byte."""
    size = b"\x20" + bytes([len(content)]) if len(content) < 256 else b"\x60" + struct.pack("<H", len(content) - 256)
    head = b"\x28\xb5\x2f\xfd" + (size if size_known else b"\x00\x58")
    return head + struct.pack("<I", (len(content) << 3) | (1 if size_known else 0))[:3] + content + (
        b"" if size_known else struct.pack("<I", (5 << 3) | 3)[:3] + b"\0")


def archives():
    small = pickle.dumps(one_trace(event("alloc", 1, 2, 3)), 4)
    full = pickle.dumps(snapshot(), 4)
    packed = gzip.compress(full, mtime=0)
    locked = bytearray(zipped([("a.pickle", small)]))
    locked[6] |= 1
    named = b"\x1f\x8b\x08\x1c\0\0\0\0\0\3\4\0abcda.pickle\0a comment\0" + packed[10:]
    torch_zip = zipped([("archive/data.pkl", b"\x80\x02}."), ("archive/version", b"3\n")], zipfile.ZIP_STORED)
    files = {
        "gzip": packed,
        "gzip_twice": gzip.compress(packed, mtime=0),
        "gzip_in_a_row": gzip.compress(small[:50], mtime=0) + gzip.compress(small[50:], mtime=0),
        "gzip_named": named,
        "gzip_cut": packed[:-40],
        "gzip_bomb": gzip.compress(b"\x80\x02" + b"]" * 400000, mtime=0),
        "gzip_json": gzip.compress(json.dumps(snapshot()).encode(), mtime=0),
        "gzip_page": gzip.compress(pages()["page"], mtime=0),
        "xz": lzma.compress(full),
        "xz_in_zip": zipped([("a.xz", lzma.compress(small))], zipfile.ZIP_STORED),
        "bzip2": bz2.compress(full),
        "bzip2_cut": bz2.compress(full)[:200],
        "zstd": zstandard(small),
        "zstd_blocks": b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + zstandard(small, size_known=False),
        "lz4": b"\x04\x22\x4d\x18\x60\x40\x82" + struct.pack("<I", 1 << 31 | len(small)) + small + bytes(4),
        "zip": zipped([("run/", b""), ("run/notes.txt", b"hello"), ("run/a.pickle", full)]),
        "zip_stored": zipped([("a.pickle", small)], zipfile.ZIP_STORED),
        "zip_bzip2": zipped([("a.pickle", small)], zipfile.ZIP_BZIP2),
        "zip_lzma": zipped([("a.pickle", small)], zipfile.ZIP_LZMA),
        "zip_pipe": zipped([("a.pickle", small), ("b.pickle", full)], target=Pipe()),
        "zip_pipe_stored": zipped([("a.pickle", small)], zipfile.ZIP_STORED, target=Pipe()),
        "zip_gzip": zipped([("readme", b"no"), ("a.pickle.gz", packed)], zipfile.ZIP_STORED),
        "zip_empty": zipped([]),
        "zip_locked": bytes(locked),
        "zip_cut": zipped([("a.pickle", full)])[:300],
        "zip_torch": torch_zip,
        "zip_in_zip": zipped([("b.zip", zipped([("a.pickle", small)]))]),
        "tar": tarred([("notes", b"hello"), ("../a.pickle", small)]),
        "tar_gz": gzip.compress(tarred([("a.pickle", full)]), mtime=0),
        "tar_gnu": tarred([("d/" * 80 + "a.pickle", small)], tarfile.GNU_FORMAT),
        "tar_pax": tarred([("d/" * 130 + "ä.pickle", small)])[:4096],
    }
    files["gzip_wrong_sum"] = packed[:-8] + struct.pack("<I", zlib.crc32(b"other")) + packed[-4:]
    return files


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "corpus")
    kinds = {"pickle": pickles(), "json": jsons(), "html": pages(), "archive": archives()}
    for kind, files in kinds.items():
        folder = root / kind
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for name, content in files.items():
            if len(content) > 4096:
                raise SystemExit(f"{kind}/{name} has {len(content)} bytes, 4,096 allowed")
            (folder / name).write_bytes(content)
        print(f"{kind}: {len(files)} files, {sum(map(len, files.values()))} bytes")


if __name__ == "__main__":
    main()
