# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Window and PDF: no text is outside tr(), and each language has all texts, with the same placeholders.

check_translations.py ROOT LUPDATE. docs/translation.md says what to do about a complaint."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import project

SOURCES = ("ui", "app/tidemark")

TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*"
    r'|(?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")|(?P<text>"(?:[^"\\\n]|\\.)*")'
    r"|'(?:[^'\\]|\\.)+'|[A-Za-z_]\w*|\S",
    re.DOTALL | re.MULTILINE,
)
MARKED = {"tr", "translate", "QT_TR_NOOP", "QT_TRANSLATE_NOOP"}
SENTENCE = re.compile(r"[A-Za-z]{2,},? [A-Za-z]{2,}")

MARKUP = re.compile(r"<[^>]*>|yyyy-MM-dd HH:mm")

# What reads like a text and is none: names of fonts, code, a log's words, samples of widths, the command line.
NO_TEXT = re.compile(
    r"^(DejaVu|Noto|Liberation|Courier) |^(import |#|tidemark-cli )|^out of memory$|^There is no font on this machine"
)
NOT_CHECKED = {"app/tidemark/main.cpp", "app/tidemark/options.cpp", "app/tidemark/screenshot.cpp"}


def outside(code):
    """The sentences of a source file that are not given to tr()."""
    calls, before, inside = [], "", []
    for token in TOKEN.finditer(code):
        word = token[0]
        if word.startswith(("//", "/*")) or word.lstrip().startswith("#"):
            continue
        if token["text"] or token["raw"]:
            inside.append(word.strip('R"'))
            continue
        if inside:
            text = MARKUP.sub("", "".join(inside))
            if SENTENCE.search(text) and not NO_TEXT.search(text) and not (calls and calls[-1] in MARKED):
                yield text
            inside = []
        if word in "([{":
            calls.append(before if word == "(" else word)
        elif word in ")]}" and calls:
            calls.pop()
        before = word


def shape(text):
    """What a translation has to keep: places for arguments, tags, file patterns, a mnemonic, blanks at the ends."""
    return {
        "places": sorted(re.findall(r"%L?[n\d]", text)),
        "tags": sorted(re.findall(r"</?\w+[^>]*>", text)),
        "patterns": re.findall(r"\*\.[\w.]+", text),
        "mnemonics": len(re.findall(r"&\w", text)),
        "lines": text.count("\n"),
        "begin": text[:1].isspace(),
        "end": re.search(r"(\s|…|:)?$", text)[0],
    }


def compare(source, other):
    """Complaints about a translation of `source`."""
    wanted, found = shape(source), shape(other)
    return [f"“{other}” has other {part} than “{source}”" for part in wanted if wanted[part] != found[part]]


def check_messages(name, root_element):
    complaints = []
    for context in root_element.iter("context"):
        of = context.findtext("name")
        if not of.startswith("tidemark::ui::"):
            complaints.append(f"{name}: context {of} is not looked up; lupdate misread the class")
        for message in context.iter("message"):
            source, translation = message.findtext("source"), message.find("translation")
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            if translation.get("type"):
                complaints.append(f"{name}: {of}: “{source}” is {translation.get('type')}")
            elif not all(forms):
                complaints.append(f"{name}: {of}: “{source}” has no text")
            elif len(forms) > 1:
                # The form for one may say "the first row" instead of a number.
                complaints += [f"{name}: {wrong}" for wrong in compare(source, forms[-1])]
            else:
                complaints += [f"{name}: {wrong}" for wrong in compare(source, forms[0])]
    return complaints


def updated(root, path, lupdate):
    """The file as lupdate would write it now."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, path.name)
        shutil.copy(path, copy)
        plurals = ["-pluralonly"] if path.stem.endswith("_en") else []
        command = [lupdate, "-silent", "-I", ".", "-locations", "none", *plurals, *SOURCES, "-ts", copy]
        subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return xml.etree.ElementTree.parse(copy).getroot()


def check(root, lupdate=None):
    complaints = []
    for path in project.files(root, (".cpp", ".h"), SOURCES):
        if str(path) not in NOT_CHECKED:
            complaints += [f"{path}: “{text}” is not given to tr()" for text in outside(project.text(root / path))]
    for path in sorted((root / "resources/languages").glob("*.ts")):
        newest = updated(root, path, lupdate) if lupdate else xml.etree.ElementTree.parse(path).getroot()
        complaints += check_messages(path.name, newest)
    return complaints


def self_test():
    code = '#include "a b/two words.h"\n// "in a comment"\nf(tr("fine words"), QT_TRANSLATE_NOOP("C", "more words"));\n'
    project.expect(check, {"ui/a.cpp": code}, None)
    project.expect(check, {"ui/a.cpp": code + 'g(QStringLiteral("some "\n "words"));'}, "“some words” is not given to tr()")
    assert not compare("&Open %1…", "%1 ö&ffnen…")
    assert not compare("%Ln row(s), %1", "%1, %Ln Zeilen")
    for source, other in [("%1 of %2", "%1 von %3"), ("%Ln rows", "%n Zeilen"), ("&Open", "Öffnen"), ("<b>a</b>", "a"),
                          ("Open…", "Öffnen"), (" a", "a"), ("All (*.png)", "Alle (*.svg)"), ("a\nb", "a b")]:
        assert compare(source, other), (source, other)
    file = '<TS version="2.1" language="de"><context><name>{}</name><message><source>a</source>{}</message></context></TS>'
    for name, translation, complaint in [
        ("tidemark::ui::A", "<translation>b</translation>", None),
        ("A", "<translation>b</translation>", "lupdate misread"),
        ("tidemark::ui::A", '<translation type="unfinished"/>', "is unfinished"),
        ("tidemark::ui::A", '<translation type="vanished">b</translation>', "is vanished"),
        ("tidemark::ui::A", "<translation/>", "has no text"),
    ]:
        project.expect(check, {"resources/languages/tidemark_de.ts": file.format(name, translation)}, complaint)


if __name__ == "__main__":
    tool = sys.argv.pop() if len(sys.argv) == 3 else None
    project.main(lambda root: check(root, tool), self_test)
