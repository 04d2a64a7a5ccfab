# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_site.py ROOT: packaging/site.sh makes a site of docs whose links and pictures are there, that asks nothing of the network and runs
no script, so that it can be read from a folder."""

import html.parser
import pathlib
import subprocess
import sys
import tempfile


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.anchors.add(known.get("id"))
        if tag == "a":
            self.links.append(known.get("href", ""))
        elif tag in ("script", "iframe", "img", "link"):
            self.loads.append((tag, known.get("src") or known.get("href") or ""))


def complaints(site):
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for tag, address in page.loads:
            if tag in ("script", "iframe") or ":" in address or not (path.parent / address).exists():
                yield f"{path.relative_to(site)}: loads {tag} {address}"
        for link in page.links:
            target, _, anchor = link.partition("#")
            file = (path.parent / target).resolve() if target else path
            if ":" in target:
                continue
            if file not in pages:
                yield f"{path.relative_to(site)}: links to {link}, which does not exist"
            elif anchor and anchor not in pages[file].anchors:
                yield f"{path.relative_to(site)}: links to {link}, which has no such heading"
    if len(pages) < 20:
        yield f"only {len(pages)} pages"


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder, "site").resolve()
        made = subprocess.run([f"{sys.argv[1]}/packaging/site.sh", str(site)], capture_output=True, text=True)
        if made.returncode:
            print(made.stdout + made.stderr)
            sys.exit(made.returncode)
        found = list(complaints(site))
    print("\n".join(found) or "the site is whole")
    sys.exit(1 if found else 0)


main()
