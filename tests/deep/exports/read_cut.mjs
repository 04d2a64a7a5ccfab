// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// read_cut.mjs MEMORY_VIZ CUT PEAK_BYTES: PyTorch's viewer unpickles the cut, and its plot of active memory reaches the peak.
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

const [viz, cut, peak] = process.argv.slice(2);
// Its functions alone: what draws needs a browser. In newer versions those that compute are a file of their own.
const beside = join(dirname(viz), 'process_alloc_data.js');
const source = [...(existsSync(beside) ? [beside] : []), viz].map(file => readFileSync(file, 'utf8')).join('\n')
  .replace(/^import [^;]*;$/gms, '').replace(/^export \{[^}]*\};?$/gms, '').replace(/^export /gm, '');
const pure = source.slice(0, source.indexOf('const kinds = {'));
const viewer = new Function(`${pure}; return {unpickle, annotate_snapshot, process_alloc_data};`)();
const bytes = readFileSync(cut);
const snapshot = viewer.unpickle(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
viewer.annotate_snapshot(snapshot);
let total = 0;
for (const [device, trace] of snapshot.device_traces.entries()) {
  if (trace.length > 0) {
    total += viewer.process_alloc_data(snapshot, device, false, 1e9).max_size;
  }
}
if (total !== Number(peak)) {
  console.error(`the viewer's plot reaches ${total}, not ${peak}`);
  process.exit(1);
}
