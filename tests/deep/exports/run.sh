#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# run.sh CLI SNAPSHOT: what `convert` writes, read by the programs that it is for. Needs a network once: Perfetto's trace processor
# comes with its Python package, pprof with Debian's golang-go, speedscope from npm. TIDEMARK_MEMORY_VIZ names torch/utils/viz/MemoryViz.js of a
# checkout of PyTorch, which then reads the cut snapshot under Node; without it that part is skipped.

set -euo pipefail
cli=$1 snapshot=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readers=${TIDEMARK_READERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/readers}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for tool in chromium go node npm; do command -v "$tool" || missing=yes; done > /dev/null
[ -z "${missing:-}" ] || apt-get install -y -qq --no-install-recommends chromium golang-go nodejs npm python3-venv > /dev/null
[ -x "$readers/bin/python" ] || python3 -m venv "$readers"
"$readers/bin/pip" install -q perfetto==0.59.1 protobuf

for ending in pftrace pb.gz speedscope.json pickle; do
    "$cli" convert "$snapshot" -o "$folder/all.$ending"
done
peak=$("$cli" summary "$snapshot" --json | python3 -c 'import json, sys
print(sum(device["peak"]["requested_bytes"] for device in json.load(sys.stdin)["devices"]))')

"$readers/bin/python" -B "$here/read_perfetto.py" "$folder/all.pftrace" "$peak"

# pprof: all of it, and nothing where a profile is taken from itself.
shown=$(go tool pprof -top -unit=B -sample_index=inuse_space "$folder/all.pb.gz" 2>/dev/null)
grep -q "of ${peak}B total" <<<"$shown" || { echo "pprof does not show $peak bytes: $shown" >&2; exit 1; }
same=$(go tool pprof -top -unit=B -diff_base "$folder/all.pb.gz" "$folder/all.pb.gz" 2>/dev/null)
if ! grep -q "of ${peak}B total" <<<"$same" || grep -Eq '^ *-?[1-9][0-9]*B ' <<<"$same"; then
    echo "pprof shows a difference: $same" >&2
    exit 1
fi

# speedscope names the page after the profile that it has loaded.
(cd "$folder" && npm pack --silent speedscope@1.25.0 > /dev/null && tar xzf speedscope-1.25.0.tgz)
printf 'speedscope.loadFileFromBase64("all.speedscope.json", "%s")' "$(base64 -w0 "$folder/all.speedscope.json")" \
    > "$folder/profile.js"
page="file://$folder/package/dist/release/index.html#localProfilePath=$folder/profile.js"
chromium --headless --no-sandbox --enable-unsafe-swiftshader --allow-file-access-from-files --virtual-time-budget=20000 \
    --user-data-dir="$folder/browser" --dump-dom "$page" 2>/dev/null | grep -qF "<title>$(basename "$snapshot") - speedscope" ||
    { echo "speedscope does not open the profile" >&2; exit 1; }

if [ -f "${TIDEMARK_MEMORY_VIZ:-}" ]; then
    node "$here/read_cut.mjs" "$TIDEMARK_MEMORY_VIZ" "$folder/all.pickle" "$peak"
else
    echo "TIDEMARK_MEMORY_VIZ names no MemoryViz.js: the cut is not shown to it"
fi
echo "the readers read what convert writes"
