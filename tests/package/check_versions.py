# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_versions.py ROOT VERSION: one version, one id and one date wherever they are written down."""

import configparser
import pathlib
import re
import sys
import xml.etree.ElementTree

APP_ID = "org.tidemark.Tidemark"


def main():
    root, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    share = root / "packaging/share"
    metainfo = xml.etree.ElementTree.parse(share / f"{APP_ID}.metainfo.xml").getroot()
    mime = xml.etree.ElementTree.parse(share / f"{APP_ID}.mime.xml").getroot()
    desktop = configparser.ConfigParser(interpolation=None, strict=True)
    desktop.optionxform = str
    desktop.read(share / f"{APP_ID}.desktop", encoding="utf-8")
    entry = desktop["Desktop Entry"]
    changelog = re.search(r"^## \[(\d[^\]]*)\] - (\S+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    release = metainfo.find("releases/release")
    types = {element.get("type") for element in mime.findall("{*}mime-type")}

    pairs = [
        ("newest release of the metainfo", release.get("version"), version),
        ("newest version of CHANGELOG.md", changelog.group(1), version),
        ("date of the newest release", release.get("date"), changelog.group(2)),
        ("id of the metainfo", metainfo.findtext("id"), APP_ID),
        ("launchable of the metainfo", metainfo.findtext("launchable"), f"{APP_ID}.desktop"),
        ("icon of the metainfo", metainfo.findtext("icon"), APP_ID),
        ("icon of the desktop entry", entry["Icon"], APP_ID),
        ("window class of the desktop entry", entry["StartupWMClass"], APP_ID),
        ("name of the desktop entry", entry["Name"], metainfo.findtext("name")),
        ("types of the desktop entry", set(entry["MimeType"].strip(";").split(";")), types | {"x-scheme-handler/tidemark"}),
        ("types of the metainfo", {element.text for element in metainfo.findall("provides/mediatype")}, types),
    ]
    for name in ("tidemark", "tidemark-cli"):
        page = (root / f"packaging/man/{name}.1").read_text(encoding="utf-8")
        pairs.append((f"version of {name}.1", re.search(r'"Tidemark (\S+)"', page).group(1), version))
    for name in (f"{APP_ID}.svg", *(f"{size}/{APP_ID}.png" for size in (48, 64, 128, 256))):
        pairs.append((f"resources/icons/{name} is there", (root / "resources/icons" / name).is_file(), True))

    wrong = [f"{what}: {actual!r}, expected {expected!r}" for what, actual, expected in pairs if actual != expected]
    print("\n".join(wrong) or "all agree")
    sys.exit(1 if wrong else 0)


main()
