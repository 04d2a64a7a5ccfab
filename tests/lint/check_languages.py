# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Each catalogue in resources/languages has a text for every template, none that nothing says, and all that it needs.

No sentence of window and PDF is outside tr(). docs/translation.md says what to do about a complaint."""

import json
import re

import languages
import project


SOURCES = ("ui", "app/tidemark")
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*"
    r'|(?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")|(?P<text>"(?:[^"\\\n]|\\.)*")'
    r"|'(?:[^'\\]|\\.)+'|[A-Za-z_]\w*|\S",
    re.DOTALL | re.MULTILINE,
)
MARKED = {"tr", "say", "sayCounted", "toSay", "translate", "QT_TR_NOOP", "QT_TRANSLATE_NOOP"}
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
    """What a translation keeps beside its arguments: tags, file patterns, a mnemonic, lines."""
    return {
        "tags": sorted(re.findall(r"</?[a-z]\w*[^>]*>", text)),
        "file patterns": re.findall(r"\*\.[\w.]+", text),
        "mnemonics": len(re.findall(r"&\w", text)),
        "lines": text.count("\n"),
    }


def compare(texts, catalogue, name):
    """What a catalogue {English: other} lacks or has wrong."""
    complaints = [f"{name}: no text for “{text}” of {path}" for text, path in texts.items() if text not in catalogue]
    for text, other in catalogue.items():
        if text not in texts:
            complaints.append(f"{name}: nothing says “{text}”")
        elif languages.arguments(text) != languages.arguments(other):
            complaints.append(f"{name}: “{other}” takes other arguments than “{text}”")
        elif text and (text[-1] in " .:,;") != (other[-1:] in " .:,;"):
            complaints.append(f"{name}: “{other}” ends otherwise than “{text}”")
        elif text.startswith(" ") != other.startswith(" "):
            complaints.append(f"{name}: “{other}” begins otherwise than “{text}”")
        else:
            wanted, found = shape(text), shape(other)
            complaints += [f"{name}: “{other}” has other {part} than “{text}”" for part in wanted if wanted[part] != found[part]]
    return complaints


def check(root):
    texts = languages.templates(root)
    complaints = []
    for path in project.files(root, (".cpp", ".h"), SOURCES):
        if str(path) not in NOT_CHECKED:
            complaints += [f"{path}: “{text}” is not given to tr()" for text in outside(project.text(root / path))]
    for path in sorted((root / "resources/languages").glob("*.json")):
        complaints += compare(texts, json.loads(project.text(path))["texts"], path.name)
    return complaints


def self_test():
    code = 'a = say("One {} " /* or */ "two.", n); // say("no")\n' \
           'b = sayCounted(f(x, ","), "{} thing", "{} \\"things\\"", n); c = {toSay("later")}; say(text);'
    assert list(languages.said_in(code)) == ["One {} two.", "{} thing", '{} "things"', "later"]
    assert languages.arguments("{} of {:.2f} «name» {{}}") == languages.arguments("«name»: {1:.2f}, {0}")
    texts = {"a {}": "x.cpp", "b": "x.cpp"}
    assert not compare(texts, {"a {}": "{} A", "b": "B"}, "de")
    for wrong in ({"a {}": "A {}"}, {"a {}": "A", "b": "B"}, {"a {}": "A {}", "b": "B", "c": "C"},
                  {"a {}": "A {}", "b": "B."}):
        assert len(compare(texts, wrong, "de")) == 1, wrong
    assert not languages.needs_words("{:.2f} → {}") and not languages.needs_words("%1: %Ln")
    window = 'a = tr("%Ln row|" "%Ln rows", nullptr, n); b = QT_TRANSLATE_NOOP("C", "later"); tr("A | B");'
    assert list(languages.said_in(window)) == ["%Ln row", "%Ln rows", "later", "A | B"]
    assert languages.arguments("%1 of %L2") == languages.arguments("%L2: %1") != languages.arguments("%1")
    for source, other in [("&Open", "Öffnen"), ("<b>a</b>", "a"), ("All (*.png)", "Alle (*.svg)"), ("a\nb", "a b")]:
        assert compare({source: "x.cpp"}, {source: other}, "de"), source
    assert not compare({"&Open %1…": "x.cpp"}, {"&Open %1…": "%1 ö&ffnen…"}, "de")
    code = '#include "a b/two words.h"\n// "in a comment"\nf(tr("fine words"), QT_TRANSLATE_NOOP("C", "more words"));\n'
    assert not list(outside(code))
    assert list(outside(code + 'g(QStringLiteral("some "\n "words"));')) == ["some words"]


if __name__ == "__main__":
    project.main(check, self_test)
