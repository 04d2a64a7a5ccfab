# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""constants.py SCRATCH [--factors=0.75,1.25] [--only=WORD] RECORDING...: which constants of core/label, core/program and core/diagnose
move an answer.

Copies the sources to SCRATCH and turns each named number there (`constexpr double kShare = 0.8;`) and each number inside a
comparison (`a * 10 >= b * 9`, `0.8 * all`) into one that the environment can change; builds tidemark-cli of that once; then
multiplies them by each of the factors (whole numbers change by one at least) and compares what `labels`, `program`, `diagnose` and
`predict` say of each recording. All that a recording asks for and nothing has moved yet are varied together; where the answer
differs they are halved until the single one that moves it is found, where it is the same none of them does. (Two effects could
cancel each other, which is rare; one that keeps another from being asked for is seen, and the other varied by itself.)
The quickest recordings come first, two at a time. Without RECORDING those of SMALL; each also without its frames and without its
first events.

A constant that moves nothing is in no recording's way. One that --factors=0 or --factors=1e5 does not move, over all recordings
that there are, guards a condition that none of them needs: it goes, or a line says what it is for. What was found is added to
SCRATCH/found-PROGRAM-FACTORS.txt, one line each: what moved, at which value, by which command and recording; or which
recording has nothing more to say. A run is taken up from there."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "deep"))

import rule_coverage  # noqa: E402

FOLDERS = ("core/label", "core/program", "core/diagnose")
COPIED = ("app", "cmake", "core", "resources")
# Of every kind: with and without frames, whole, cut, dead; transformers, convolutions, recurrent; inference; adapters; 16 bits.
SMALL = [f"tests/data/{name}.pickle.xz" for name in (
    "gpu/pairs/lstm_fp32 gpu/others/gru_fp32 gpu/runs/oom_activations gpu/pairs/oom_resnet50 modern/r_lstm modern/r_ring "
    "modern/oom_lora_activations modelled/gpt_oom_first_step modelled/gpt_ring_truncated modelled/conv_train_eval "
    "gpu/pairs/oom_own_attention gpu/others/unet_fp32 modern/oom_first_optimizer_step modern/r_diffusion_ema "
    "gpu/pairs/oom_gpt2_logits gpu/runs/llama_compiled modelled/lora_train modelled/eval_accumulation gpu/runs/llama_sgd "
    "gpu/runs/llama_pure_bf16 modern/r_own_attention gpu/runs/llama_adamw modern/hf_mixtral gpu/runs/generate "
    "modern/hf_llama").split()]
# Changes whose laws are asked; the others' are part of what `diagnose` tries.
CHANGES = ("micro-batch=0.5", "sequence=2", "checkpointing=full", "precision=bf16", "precision=pure-bf16", "lora=16", "fused-loss=on",
           "attention=flash", "optimizer=sgd", "foreach=off", "zero=3,gpus=4", "accumulation=4")
COMMANDS = (("labels", "--json"), ("program", "--json"), ("diagnose", "--json"),
            *(("predict", "--json", "--laws", "--apply", change) for change in CHANGES))
TYPE = r"(?:double|int|std::(?:int64_t|int32_t|uint32_t|uint8_t|size_t|ptrdiff_t)|float)"
NUMBER = r"-?\d[\d']*(?:\.\d+)?"
NAMED = re.compile(rf"^(\s*)((?:static |inline )*)constexpr ({TYPE}) (k[A-Z]\w*) ?= ?({NUMBER}(?: << \d+)?);")
DEFINED = re.compile(r"\bconstexpr [^=;()]*?\b(k[A-Z]\w*)\b(?= ?[={;]|$)")
FRACTION = re.compile(r"(?<![\w.\"'%])(\d+\.\d+)(?![\w.\"'%])")
FACTOR = re.compile(r"(?<=\* )(\d+)(?![\w.\d])")
COMPARES = re.compile(r"(?<![-<])[<>]=? |std::m(?:in|ax)\(|std::clamp\(")
HEADER = """
#pragma once
#include <atomic>
#include <cstdlib>
#include <cstdio>
#include <sstream>
#include <string>
#include <unordered_map>
namespace tidemark::experiment {
/// What TIDEMARK_CONSTANT says: "id=value;id=value".
inline const std::unordered_map<std::string, double>& said()
{
    static const auto all = [] {
        std::unordered_map<std::string, double> found;
        const char* text = std::getenv("TIDEMARK_CONSTANT");
        std::istringstream in(text ? text : "");
        for (std::string one; std::getline(in, one, ';');) {
            const std::size_t at = one.find('=');
            found[one.substr(0, at)] = std::atof(one.c_str() + at + 1);
        }
        return found;
    }();
    return all;
}

/// A number that the environment can change. TIDEMARK_ASKED names a file for the ids asked for.
template <class T> class Constant {
public:
    constexpr Constant(const char* id, T value) : m_id(id), m_value(value) {}
    operator T() const
    {
        if (!m_is_known.load(std::memory_order_acquire)) {
            look();
        }
        return m_value;
    }
private:
    void look() const
    {
        if (const auto one = said().find(m_id); one != said().end()) {
            m_value = static_cast<T>(one->second);
        }
        m_is_known.store(true, std::memory_order_release);
        if (const char* file = std::getenv("TIDEMARK_ASKED")) {
            if (std::FILE* out = std::fopen(file, "a")) {
                std::fprintf(out, "%s\\n", m_id);
                std::fclose(out);
            }
        }
    }
    const char* m_id;
    mutable T m_value;
    mutable std::atomic<bool> m_is_known{false};
};
} // namespace tidemark::experiment
#define TIDEMARK_VARIED(id, value) \\
    ([]() -> decltype(value) { \\
        static const ::tidemark::experiment::Constant<decltype(value)> one(id, value); \\
        return one; \\
    }())
"""


def value_of(text):
    number, _, shift = text.replace("'", "").partition(" << ")
    return float(number) if "." in number else int(number) << int(shift or 0)


class Sources:
    """The copied tree. `constants`: {id: (value, line as it was)}."""

    def __init__(self, scratch):
        self.tree, self.constants, self.fixed = scratch / "tree", {}, set()
        self.fixed_file = scratch / "fixed.txt"  # ids that must be known at compile time
        if self.fixed_file.is_file():
            self.fixed = set(self.fixed_file.read_text(encoding="utf-8").split())
        self.files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").splitlines()
                      for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".cpp", ".h")}
        self.defined = collections.Counter(m for lines in self.files.values() for line in lines for m in DEFINED.findall(line))

    def copy(self):
        for name in COPIED:
            shutil.copytree(ROOT / name, self.tree / name, dirs_exist_ok=True, copy_function=copy_if_new, ignore=ignored)
        write_if_new(self.tree / "core/base/experiment.h", HEADER)
        lists = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        write_if_new(self.tree / "CMakeLists.txt", lists.replace("add_subdirectory(packaging)\n", ""))

    def vary(self):
        self.constants.clear()
        of_headers = self.names_of_headers()
        for file, lines in self.files.items():
            own = self.names_of(file)
            names = own | (of_headers - {m[1] for line in lines for m in DEFINED.finditer(line)})
            use = re.compile(rf"\b({'|'.join(sorted(names))})\b") if names else None
            varied = [self.varied(file, at, lines, own, use) for at in range(len(lines))]
            if varied != lines:
                first = next(i for i, line in enumerate(varied) if line.startswith("#include"))
                varied.insert(first, '#include "core/base/experiment.h"')
            write_if_new(self.tree / file, "\n".join(varied) + "\n")

    def names_of(self, file):
        """The named numbers of a file that are varied: all of one name, or none; of a header's, if nothing else has the name."""
        names, fixed = set(), set()
        for number, line in enumerate(self.files[file], 1):
            named = NAMED.match(line)
            for defined in DEFINED.findall(line):
                varies = (named and f"{file}:{named[4]}@{number}" not in self.fixed and 0 < abs(value_of(named[5])) < 1e12
                          and (file.endswith(".cpp") or self.defined[defined] == 1))
                (names if varies else fixed).add(defined)
        return names - fixed

    def names_of_headers(self):
        return set().union(*(self.names_of(file) for file in self.files if file.endswith(".h")))

    def varied(self, file, at, lines, own, use):
        code, slashes, comment = lines[at].partition("//")
        if not code.strip() or code.startswith("#"):
            return lines[at]
        named = NAMED.match(code)
        if named and named[4] in own:
            indent, _, kind, name, text = named.groups()
            identity = f"{file}:{name}@{at + 1}"
            self.constants[identity] = (value_of(text), lines[at].strip())
            body = f'{{ return TIDEMARK_VARIED("{identity}", static_cast<{kind}>({text})); }}'
            if not indent:
                return f"[[maybe_unused]] inline {kind} {name}() {body} {slashes}{comment}"
            if self.is_in_class(lines, at):
                return f"{indent}static {kind} {name}() {body} {slashes}{comment}"
            return f"{indent}static const auto {name} = []() -> {kind} {body}; {slashes}{comment}"
        if '"' not in code and "constexpr" not in code and "case " not in code:
            code = self.varied_inline(file, at, lines, code)
        return (use.sub(r"\1()", code) if use and "using " not in code else code) + slashes + comment

    def varied_inline(self, file, at, lines, code):
        # A condition may go over several lines.
        around = " ".join(lines[max(0, at - 1):at + 2])
        patterns = [FRACTION] + [FACTOR] * bool(COMPARES.search(around))
        for match in sorted((m for p in patterns for m in p.finditer(code)), key=lambda m: -m.start()):
            identity = f"{file}:{at + 1}:{match.start()}"
            if identity not in self.fixed and value_of(match[1]) not in (0.0, 1.0):
                self.constants[identity] = (value_of(match[1]), lines[at].strip())
                code = code[:match.start()] + f'TIDEMARK_VARIED("{identity}", {match[1]})' + code[match.end():]
        return code

    @staticmethod
    def is_in_class(lines, at):
        """Whether the brace around a line is that of a class, which its opening line says."""
        indent = len(lines[at]) - len(lines[at].lstrip())
        for line in reversed(lines[:at]):
            if line.strip() and len(line) - len(line.lstrip()) < indent and not line.strip().endswith(":"):
                return bool(re.search(r"\b(class|struct)\b", line))
        return False

    def build(self):
        build = self.tree / "build"
        if not (build / "build.ninja").is_file():
            subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
                            "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DTIDEMARK_BUILD_GUI=OFF", "-DTIDEMARK_BUILD_TESTS=OFF",
                            "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DCMAKE_UNITY_BUILD=ON",
                            "-DCMAKE_UNITY_BUILD_BATCH_SIZE=24"], check=True, stdout=subprocess.DEVNULL)
        while True:
            done = subprocess.run(["ninja", "-k", "0", "-C", build, "tidemark-cli"], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return build / "app/cli/tidemark-cli"
            wrong = self.needed_at_compile_time(done.stdout)
            if not wrong:
                sys.exit(done.stdout[-6000:])
            print(f"{len(wrong)} stay constant: {' '.join(sorted(wrong))}", flush=True)
            self.fixed |= wrong
            self.fixed_file.write_text("\n".join(sorted(self.fixed)), encoding="utf-8")
            self.vary()

    def needed_at_compile_time(self, log):
        """The ids on lines that errors name: by place, or by a name that is there."""
        wrong = set()
        for path, line in re.findall(r"^(\S+?):(\d+):\d+: (?:error|note)", log, re.M):
            path = path.partition("/tree/")[2] or path
            if not path.startswith("/") and (self.tree / path).is_file():
                code = (self.tree / path).read_text(encoding="utf-8").splitlines()[int(line) - 1]
                wrong |= {i for i in re.findall(r'"(core/[^"]+:[^"]+)"', code) if i in self.constants}
                # Files of other folders use what a header of these defines as it was.
                used = set(re.findall(r"\b(k[A-Z]\w*)\(\)" if path in self.files else r"\b(k[A-Z]\w*)\b", code))
                wrong |= {i for i in self.constants if re.split("[:@]", i)[1] in used
                          and (i.startswith(path + ":") or ".h:" in i)}
        return wrong - self.fixed


def ignored(folder, names):
    """What `vary` writes."""
    own = any(pathlib.Path(folder).is_relative_to(ROOT / of) for of in FOLDERS)
    return [name for name in names if own and name.endswith((".cpp", ".h"))]


def copy_if_new(source, target):
    write_if_new(pathlib.Path(target), pathlib.Path(source).read_bytes())
    shutil.copymode(source, target)


def write_if_new(path, content):
    content = content.encode() if isinstance(content, str) else content
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Answers:
    """What a program says of recordings, as hashes."""

    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch

    def of(self, recording, command, values, seconds):
        """(hash, ids asked for) with those values of some constants."""
        with tempfile.NamedTemporaryFile("r", dir=self.scratch) as asked:
            environment = {**os.environ, "TIDEMARK_ASKED": asked.name,
                           "TIDEMARK_CONSTANT": ";".join(f"{i}={value}" for i, value in values.items())}
            try:
                done = subprocess.run([self.program, *command, recording], capture_output=True, env=environment, timeout=seconds,
                                      check=False)
            except subprocess.TimeoutExpired:
                return "no end", set(values)
            return hashlib.sha1(done.stdout).hexdigest(), set(asked.read().splitlines())


class Found:
    """What is known so far, of this program."""

    def __init__(self, program, factors, scratch):
        self.file = scratch / f"found-{hashlib.sha1(program.read_bytes()).hexdigest()[:12]}-{','.join(factors)}.txt"
        self.lock, self.moved, self.asked, self.done = threading.Lock(), {}, {}, set()
        for line in self.file.read_text(encoding="utf-8").splitlines() if self.file.is_file() else []:
            self.take(*json.loads(line))

    def take(self, kind, key, value):
        if kind == "moves":
            self.moved[key] = value
        elif kind == "asks":
            self.asked[tuple(key)] = value
        else:
            self.done.add(tuple(key))

    def add(self, kind, key, value=None):
        with self.lock, self.file.open("a", encoding="utf-8") as out:
            self.take(kind, key, value)
            print(json.dumps([kind, key, value]), file=out)


class Search:
    """Through one recording after the other."""

    def __init__(self, answers, found, constants, factors):
        self.answers, self.found, self.constants, self.factors = answers, found, constants, factors

    def ask(self, recording):
        """What it says and asks for as it is; the seconds that this takes."""
        for command in COMMANDS:
            key = recording, " ".join(command)
            if key not in self.found.asked:
                begin = time.monotonic()
                said, asked = self.answers.of(recording, command, {}, 300)
                self.found.add("asks", key, [said, sorted(asked), time.monotonic() - begin])
        return sum(self.found.asked[recording, " ".join(command)][2] for command in COMMANDS)

    def vary(self, recording):
        for command in COMMANDS:
            for factor in self.factors:
                key = recording, " ".join(command), factor
                if key not in self.found.done:
                    self.of(recording, command, factor, [i for i in self.found.asked[key[:2]][1] if i in self.constants])
                    self.found.add("done", key)

    def of(self, recording, command, factor, group, differs=False):
        """Whether something of the group moves the answer, which is known to differ if all of it is varied."""
        group = [i for i in group if i not in self.found.moved]
        if not group:
            return False
        if len(group) == 1 or not differs:
            before, _, seconds = self.found.asked[recording, " ".join(command)]
            values = {i: times(self.constants[i][0], float(factor)) for i in group}
            said, asked = self.answers.of(recording, command, values, 10 + 10 * seconds)
            if said == before:
                hidden = [i for i in group if i not in asked]
                return len(hidden) < len(group) and self.of(recording, command, factor, hidden)
            if len(group) == 1:
                self.found.add("moves", group[0], [values[group[0]], " ".join(command), recording])
                return True
        half = len(group) // 2
        first = self.of(recording, command, factor, group[:half])
        return self.of(recording, command, factor, group[half:], not first) or first


def with_variants(recordings, folder):
    """Each as it is and, where its truth is known, without its frames, without its first 57 % of events, and without both."""
    folder.mkdir(exist_ok=True)
    found = []
    for path in map(pathlib.Path, recordings):
        truth = path.with_name(rule_coverage.harness.bare_name(path) + ".truth.json")
        told = json.loads(truth.read_text(encoding="utf-8")) if truth.is_file() else None
        for name, file, _ in rule_coverage.variants(path, told, folder):
            if name and f"{rule_coverage.CUTS[0]} %" not in name and name != " without frames":
                continue
            kept = folder / f"{path.name}{name}.pickle"
            found.append(str(path if not name else shutil.copy(file, kept)))
    return found


def times(value, factor):
    """A whole number changes by one at least."""
    if isinstance(value, float):
        return value * factor
    changed = round(value * factor)
    return changed if changed != value else value + (1 if factor > 1 else -1)


def main():
    options = dict(a[2:].partition("=")[::2] for a in sys.argv[1:] if a.startswith("--"))
    scratch, *recordings = [a for a in sys.argv[1:] if not a.startswith("--")]
    scratch = pathlib.Path(scratch).resolve()
    factors = options.get("factors", "0.75,1.25").split(",")
    recordings = with_variants(recordings or [ROOT / name for name in SMALL], scratch / "recordings")
    sources = Sources(scratch)
    sources.copy()
    sources.vary()
    program = sources.build()
    print(f"{len(sources.constants)} constants", flush=True)
    varied = {i: of for i, of in sources.constants.items() if options.get("only", "") in i}
    found = Found(program, factors, scratch)
    search = Search(Answers(program, scratch), found, varied, factors)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        seconds = dict(zip(recordings, pool.map(search.ask, recordings)))
        for number, _ in enumerate(pool.map(search.vary, sorted(recordings, key=seconds.get)), 1):
            print(f"{number} of {len(recordings)} recordings: {len(found.moved)} move something", flush=True)
    asked = collections.Counter(i for _, ids, _ in found.asked.values() for i in ids)
    for title, chosen in (("move nothing", [i for i in varied if asked[i]]), ("are not asked for", [i for i in varied if not asked[i]])):
        left = [i for i in chosen if i not in found.moved]
        print(f"\n{len(left)} {title}:", *(f"{i} {varied[i][0]} {asked[i]} | {varied[i][1]}" for i in left), sep="\n    ")


if __name__ == "__main__":
    main()
