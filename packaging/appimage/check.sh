#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# packaging/appimage/check.sh APPDIR SNAPSHOT: runs both programs of an AppDir in a root that holds nothing but the
# C library, a shell and the two tools AppRun calls: no Python, no Qt, no desktop, no fonts.
set -euo pipefail

appdir=$(realpath "$1")
snapshot=$(realpath "$2")
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT

mkdir -p "$bare"/{AppDir,proc,tmp,dev}
for program in /bin/dash /usr/bin/readlink /usr/bin/dirname; do
    install -D "$program" "$bare/bin/$(basename "$program")"
    ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
        [ -e "$bare$library" ] || install -D "$library" "$bare$library"
    done
done
ln -s dash "$bare/bin/sh"
# The rest of the C library, which the AppDir must not carry.
loader=$(ldd /bin/dash | grep -o '/[^ ]*libc\.so\.6')
for library in m dl rt pthread resolv util; do
    for file in "$(dirname "$loader")/lib$library".so.*; do
        [ ! -e "$file" ] || install -D "$file" "$bare$file"
    done
done
install -m 644 "$snapshot" "$bare/tmp/snapshot"

cat >"$bare/run" <<'RUN'
#!/bin/dash
set -eu
export PATH=/bin HOME=/tmp XDG_RUNTIME_DIR=/tmp QT_QPA_PLATFORM=offscreen
/AppDir/AppRun cli --version
/AppDir/AppRun cli summary /tmp/snapshot
/AppDir/AppRun --report /tmp/report.pdf /tmp/snapshot
/AppDir/AppRun --screenshot /tmp/picture.png /tmp/snapshot
RUN
chmod +x "$bare/run"
# shellcheck disable=SC2016  # expanded by the inner shell
unshare --map-root-user --mount --pid --fork /bin/sh -euc '
    mount --bind "$1" "$2/AppDir"
    mount -t proc proc "$2/proc"
    exec chroot "$2" /run' sh "$appdir" "$bare"

[ "$(head -c 5 "$bare/tmp/report.pdf")" = %PDF- ]
[ -s "$bare/tmp/picture.png" ]
if command -v pdftotext >/dev/null; then
    [ "$(pdftotext "$bare/tmp/report.pdf" - | tr -d '[:space:]' | wc -c)" -gt 500 ]
fi
echo "the AppDir runs on a bare system"
