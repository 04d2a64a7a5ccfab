# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_redact.py TIDEMARK_CLI DATA_DIR [TIDEMARK]: with --redact no file has a name of the recording in any form, the same name
has the same other one, what it says stays the same, and the output says so. PDF with the window's program."""

import base64
import gzip
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile

import harness
import page_data
from hostile_trace import BASE, MIB, MODULE, Trace, frame, snapshot

USER, HOST, PROJECT, SECRET, CLIENT = "adalove", "gpuhost7", "moonshot", "zanzibar", "acmecorp"
NAMES = (USER, HOST, PROJECT, SECRET, CLIENT, "Erika Muster", "10.20.30.40", "bobsleigh")
TRAIN = f"/home/{USER}/{PROJECT}/src/train.py"
MODEL = f"/home/{USER}/{PROJECT}/models/{SECRET}/model.py"


def write(path):
    """A run whose every text has a name in it."""
    trace = Trace()
    main, other = frame("main", TRAIN, 7), frame("run", f"C:\\Users\\Erika Muster\\{CLIENT}\\job.py", 4)
    forward = [frame("forward", MODULE + "linear.py", 125), frame("_call_impl", MODULE + "module.py", 1762),
               frame(f"load_{USER}", MODEL, 20), main]
    inner = [frame("helper", f"/opt/conda/lib/python3.11/site-packages/{CLIENT}_core/ops.py", 3), other, main]
    cached = [frame("call", f"/tmp/torchinductor_{USER}/ab/cabc.py", 9), main]
    trace.event("segment_alloc", BASE, 60 * MIB, forward)
    for k, stack in enumerate([forward, inner, cached] * 4):
        trace.alloc(BASE + 4 * MIB * k, 4 * MIB, stack, user_metadata=f"from {USER}@{HOST}: {MODEL} at 10.20.30.40. tcp://10.20.30.40:29500 "
                    "[0]eth0:10.20.30.40<0> in /home/bobsleigh: of bobsleigh",
                    compile_context=f"{PROJECT}/{SECRET}/graph.py",
                    forward_frames=[f'  File "{MODEL}", line {k}, in forward\n', "    x = self.head(x)\n"])
    trace.oom(64 * MIB, MIB, forward)
    trace.segment(BASE, 60 * MIB, [(4 * MIB, stack) for stack in [forward, inner, cached] * 4] + [(12 * MIB, None)])
    content = snapshot(trace, annotations=[
        {"stage": "START", "name": f"{USER}: {TRAIN}", "device": 0, "time_us": 1_700_000_000_000_001},
        {"stage": "END", "name": f"{USER}: {TRAIN}", "device": 0, "time_us": 1_700_000_000_000_020}])
    content["allocator_settings"]["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:False"
    content["hostname"] = HOST
    content["tidemark"] = {"version": 1, "reason": "oom", "torch": "2.6.0", "python": "3.11", "steps": 0,
                           "settings": {"cwd": f"/home/{USER}/{PROJECT}", "stacks": "python"},
                           "environment": {"USER": USER, "HOSTNAME": HOST, "PROJECT": PROJECT},
                           "error": {"type": "OutOfMemoryError", "message": f"{HOST}: see /scratch/{PROJECT}/{USER}.log"},
                           "warnings": [f"no such file: '/home/{USER}/{SECRET}/a b/c.json'"]}
    path.write_bytes(pickle.dumps(content, protocol=4))


def hidden(checks, what, content):
    """No name, whatever its case, in UTF-8 or UTF-16, in percent signs or in base64."""
    text = content.decode("utf-8", "replace").lower()
    text += content.decode("utf-16-le", "replace").lower() + content[1:].decode("utf-16-le", "replace").lower()
    for packed in re.findall(rb'"(?:packed|times)":"([A-Za-z0-9+/=]+)"', content):
        text += base64.b64decode(packed).decode("latin-1").lower()
    found = [name for name in NAMES if name.lower() in text]
    checks.equal(f"{what}: names", found, [])


def without_texts(value):
    """A JSON answer's figures."""
    if isinstance(value, dict):
        return {key: without_texts(item) for key, item in value.items() if key not in ("notes", "devices_without_details")}
    if isinstance(value, list):
        return [without_texts(item) for item in value]
    return None if isinstance(value, str) else value


def check_reports(checks, program, path, folder):
    for ending in ("html", "md", "json", "csv"):
        out, plain = folder / f"out.{ending}", folder / f"plain.{ending}"
        program.text("report", "--redact", path, "-o", out)
        hidden(checks, f"report .{ending}", out.read_bytes())
        if ending != "csv":
            checks.that("Names are replaced" in out.read_text(encoding="utf-8"), f".{ending} does not say that names are replaced")
        program.text("report", path, "-o", plain)
        checks.that(USER in plain.read_text(encoding="utf-8") or ending in ("md", "csv"), f"the test's run has no name in .{ending}")
    page = (folder / "out.html").read_text(encoding="utf-8")
    texts = "\n".join(page_data.of_page(page)["texts"])
    hidden(checks, "the page's texts", texts.encode())
    for line in ("model.py:20", "train.py:7", "linear.py:125"):
        checks.that(line in texts, f"the page has no {line}")
    before, after = (json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("plain", "out"))
    checks.equal("figures", without_texts(after), without_texts(before))
    finding = program.run("report", "--redact", path, "-o", "-").stdout
    hidden(checks, "the finding", finding.encode())
    checks.that("names replaced" in finding, f"the finding does not say so: {finding[-200:]!r}")
    program.text("report", "--redact", path, path, "-o", folder / "pair.html", "--single-reports")
    hidden(checks, "two runs", (folder / "pair.html").read_bytes())


def check_same_names(checks, program, path, folder):
    """A name is the same one wherever it stands, and the same again the next time."""
    program.text("convert", "--redact", path, "-o", folder / "cut.json")
    told = json.loads((folder / "cut.json").read_text(encoding="utf-8"))
    files = {f["filename"] for event in told["device_traces"][0] for f in event.get("frames", [])}
    train, model = (next(f for f in files if f.endswith(end)) for end in ("/train.py", "/model.py"))
    checks.that(re.fullmatch(r"/home/user-\d+/folder-\d+/src/train\.py", train), f"{train}")
    checks.equal("one folder", os.path.commonpath([train, model]), str(pathlib.PurePath(train).parent.parent))
    user = train.split("/")[2]
    checks.that(f"from {user}@host-1: {model}" in told["device_traces"][0][1]["user_metadata"], told["device_traces"][0][1]["user_metadata"])
    checks.equal("the forward's frames", "".join(told["device_traces"][0][1]["forward_frames"]),
                 f'  File "{model}", line 0, in forward\n    x = self.head(x)\n')
    checks.that(MODULE + "linear.py" in files, "a library's file has another name")
    checks.that(any(f.endswith(f"torchinductor_{user}/" + f.split("/")[3] + "/cabc.py") for f in files if "inductor" in f), "inductor's folder")
    program.text("convert", "--redact", path, "-o", folder / "again.json")
    checks.equal("the second time", (folder / "again.json").read_bytes(), (folder / "cut.json").read_bytes())


def check_public_functions(checks, program, folder):
    """A library's functions are no secret, though one has a user's name in it."""
    trace = Trace()
    own = frame("load_max", "/home/max/run/train.py", 3)
    trace.event("segment_alloc", BASE, 20 * MIB, [own])
    trace.alloc(BASE, 4 * MIB, [frame("at::native::max_pool2d(at::Tensor)", "??", 0), frame("max_pool2d", MODULE + "pooling.py", 9), own])
    trace.segment(BASE, 20 * MIB, [(4 * MIB, [own]), (16 * MIB, None)])
    path = folder / "public.pickle"
    path.write_bytes(pickle.dumps(snapshot(trace), protocol=4))
    program.text("convert", "--redact", path, "-o", folder / "public.json")
    told = json.loads((folder / "public.json").read_text(encoding="utf-8"))
    names = {f["name"] for event in told["device_traces"][0] for f in event.get("frames", [])}
    checks.equal("functions", names, {"at::native::max_pool2d(at::Tensor)", "max_pool2d", "load_user-2"})  # The first is of the path.


def check_exports(checks, program, path, folder):
    for name in ("a.pftrace", "a.pb.gz", "a.speedscope.json", "a.folded", "a.sqlite", "a.csv", "a.pickle", "a.json"):
        out = folder / name
        more = ("--table", "all") if name.endswith(".csv") else ()
        done = program.run("convert", "--redact", path, "-o", out, *more)
        if done.returncode == 2 and "SQLite" in done.stderr:
            continue
        checks.equal(f"{name}: {done.stderr!r}", done.returncode, 0)
        made = sorted(folder.glob("a.*.csv")) if more else [out]
        content = b"".join(file.read_bytes() for file in made)
        content = gzip.decompress(content) if name.endswith(".gz") else content
        hidden(checks, name, content)
        if name not in ("a.folded",):
            checks.that(b"ames" in content and b"replaced" in content or b"redacted" in content, f"{name} does not say that names are replaced")
        if name in ("a.pickle", "a.json"):
            checks.equal(f"{name} opened again", program.json("summary", out)["devices"][0]["peak"]["requested_bytes"],
                         program.json("summary", path)["devices"][0]["peak"]["requested_bytes"])
        for file in made:
            file.unlink()


def check_notes(checks, program, path, folder):
    """Names that only a person's note has."""
    marks = path.with_name(path.name + ".tidemark-bookmarks")
    note = "as carolus@farhost9 said, on farhost9"
    marks.write_text(json.dumps({"tidemark-bookmarks": 1, "bookmarks": [{"device": 0, "event": 3, "note": note}]}), encoding="utf-8")
    for more, shown in ((), note), (("--redact",), None):
        program.text("report", *more, path, "-o", folder / "notes.md")
        page = (folder / "notes.md").read_text(encoding="utf-8")
        checks.equal(f"a note {more}", ["carolus" in page, "farhost9" in page], [shown is not None] * 2)
    marks.unlink()


def check_job(checks, program, data, folder):
    """Hosts and folders of a job."""
    job = folder / f"{PROJECT}-{CLIENT}"
    source = sorted((data / "gpu/jobs/ddp_captured").glob("*.pickle*"))
    if not source:
        source = [p for p in sorted((data / "gpu/jobs/ddp_captured").rglob("*")) if p.suffix in (".pickle", ".xz", ".gz")]
    for k, file in enumerate(source):
        place = job / f"node{k // 2}" / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    for ending in ("html", "md", "json", "csv"):
        out = folder / f"job.{ending}"
        program.text("report", "--redact", job, "-o", out)
        hidden(checks, f"job .{ending}", out.read_bytes())
        checks.that(ending == "csv" or "Names are replaced" in out.read_text(encoding="utf-8"), f"job .{ending} does not say so")


def check_recordings(checks, program, data, folder):
    """What is said of recordings stays the same: labels, causes, fixes and their figures."""
    for name in ("gpt_oom_backward", "conv_train_eval", "lora_train"):
        path = harness.modelled_file(data, name)
        answers = []
        for more in ((), ("--redact",)):
            program.text("report", *more, path, "-o", folder / "run.json")
            answers.append(without_texts(json.loads((folder / "run.json").read_text(encoding="utf-8"))))
        checks.equal(f"{name}: figures", answers[1], answers[0])


def check_pdf(checks, window, path, folder):
    done = subprocess.run([window, "--report", folder / "out.pdf", "--redact", "--paper", "letter", path], capture_output=True, text=True,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, check=False)
    checks.equal(f"the PDF: {done.stderr!r}", done.returncode, 0)
    hidden(checks, "the PDF", (folder / "out.pdf").read_bytes())
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "-layout", folder / "out.pdf", "-"], capture_output=True, check=True).stdout
        hidden(checks, "the PDF's text", text)
        checks.that(b"Names are replaced" in text, "the PDF does not say that names are replaced")
        facts = subprocess.run(["pdfinfo", folder / "out.pdf"], capture_output=True, text=True, check=True).stdout
        checks.that(re.search(r"Page size: +612 x 792", facts), f"the paper is not Letter: {facts}")
        hidden(checks, "what the PDF says of itself", facts.encode())


def main():
    program, data = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "home" / USER / PROJECT
        folder.mkdir(parents=True)
        path = folder / f"{HOST}_Nov_28_10_15_00.pickle"
        write(path)
        check_reports(checks, program, path, folder)
        check_same_names(checks, program, path, folder)
        check_public_functions(checks, program, folder)
        check_exports(checks, program, path, folder)
        check_notes(checks, program, path, folder)
        check_job(checks, program, data, folder)
        check_recordings(checks, program, data, folder)
        if len(sys.argv) > 3:
            check_pdf(checks, sys.argv[3], path, folder)
    checks.finish()


if __name__ == "__main__":
    main()
