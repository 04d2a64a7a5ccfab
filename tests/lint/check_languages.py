# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Each catalogue in resources/languages has a text for every template, none that nothing says, and all arguments."""

import json

import languages
import project


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
    return complaints


def check(root):
    texts = languages.templates(root)
    complaints = []
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
    assert not languages.needs_words("{:.2f} → {}")


if __name__ == "__main__":
    project.main(check, self_test)
