// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What a report does in a browser: the timeline, the allocations and the stacks that the static page has no room for. Its
// data is what core/report/page_data.cpp writes. Names from a file reach the page as text nodes and on canvases alone.
'use strict';
/** The page of one device. `fixed` is what all of them show; `signal` ends what listens to the document; `open` shows another. */
const drawPage = (page, fixed, signal, open) => {
  const words = page.words;
  const isJob = page.kind === 'job', isPair = page.kind === 'pair', isRun = page.kind === 'run';
  const kBuckets = page.buckets.length, kReserved = kBuckets, kPools = kBuckets + 1;
  const text = index => page.texts[index];

  // ---- figures, in the form that the report has them (core/base/format.cpp)

  const fill = (template, ...values) => {
    let next = 0;
    return template.replace(/\{(\d*)\}/g, (_, number) => values[number === '' ? next++ : Number(number)]);
  };
  const kUnits = [['B', 1], ['KiB', 2 ** 10], ['MiB', 2 ** 20], ['GiB', 2 ** 30]];
  const marked = digits => {
    const [whole, part] = digits.split('.');
    const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, page.marks[1]) : whole;
    return part === undefined ? grouped : grouped + page.marks[0] + part;
  };
  const rounded = (value, decimals) => { // Halves to the even digit, as the program does.
    const scaled = value * 10 ** decimals, low = Math.floor(scaled);
    return (scaled - low === 0.5 && low % 2 === 0 ? low / 10 ** decimals : value).toFixed(decimals);
  };
  const unitOf = size => {
    let unit = 3;
    while (unit > 0 && size / kUnits[unit - 1][1] < (unit === 1 ? 1024 : 1023.5)) unit--;
    return unit;
  };
  const decimalsOf = units => units < 9.995 ? 2 : units < 99.95 ? 1 : 0;
  const bytes = size => {
    const unit = unitOf(Math.abs(size)), units = Math.abs(size) / kUnits[unit][1];
    return (size < 0 ? '−' : '') + marked(rounded(units, unit === 0 ? 0 : decimalsOf(units))) + ' ' + kUnits[unit][0];
  };
  const exact = size => (size < 0 ? '−' : '') + marked(String(Math.abs(size))) + ' B';
  const count = number => marked(String(number));
  const percent = ratio => ratio > 0 && ratio < 0.005 ? '< 1 %' : `${Math.round(ratio * 100)} %`;
  const oneUnit = largest => { // A column of figures with one unit.
    const unit = unitOf(largest), decimals = unit === 0 ? 0 : largest / kUnits[unit][1] < 99.95 ? 2 : 1;
    const least = 10 ** -decimals;
    const of = (size, plus = '') => {
      const units = Math.abs(size) / kUnits[unit][1], sign = size < 0 ? '−' : plus;
      if (size === 0) return '0';
      return unit > 0 && units < least ? `${size < 0 ? '>' : '<'} ${sign}${marked(least.toFixed(decimals))}` : sign + marked(rounded(units, decimals));
    };
    return {name: kUnits[unit][0], of, signed: size => of(size, '+')};
  };
  const clockText = step => { // Microseconds after the first event, as exact as steps of an axis ask for.
    const [unit, size] = step >= 1e6 ? ['s', 1e6] : step >= 1e3 ? ['ms', 1e3] : ['µs', 1];
    return time => `${marked(String(Number((time / size).toFixed(0))))} ${unit}`;
  };
  const timeOf = time => { // "1.234 s"
    const [unit, size] = time >= 1e6 ? ['s', 1e6] : time >= 1e3 ? ['ms', 1e3] : ['µs', 1];
    return `${marked(size === 1 ? String(time) : rounded(time / size, 3))} ${unit}`;
  };
  const eventOf = state => state === 0 ? words.start : fill(words.event, count(state - 1));

  // ---- elements

  const el = (tag, options = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key === 'class') made.className = value;
      else if (key === 'text') made.textContent = value;
      else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value);
    }
    made.append(...children.filter(child => child));
    return made;
  };
  const root = document.documentElement, body = document.body;
  let colours = {};
  const readColours = () => {
    const style = getComputedStyle(root);
    for (const name of ['text', 'quiet', 'line', 'card', 'alarm', 'alarm-text', 'accent'])
      colours[name] = style.getPropertyValue(`--${name}`).trim();
  };
  const kFont = 'system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
  const inkOn = colour => {
    const channel = at => parseInt(colour.slice(at, at + 2), 16);
    return channel(1) * 0.299 + channel(3) * 0.587 + channel(5) * 0.114 > 140 ? '#1c2024' : '#ffffff';
  };
  /** A drawing area that is sharp on every screen, painted at most once per frame. */
  const surface = (canvas, paint) => {
    let waits = false;
    const now = () => {
      waits = false;
      const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
      if (width === 0 || height === 0) return;
      if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
      }
      const g = canvas.getContext('2d');
      g.setTransform(scale, 0, 0, scale, 0, 0);
      g.clearRect(0, 0, width, height);
      g.font = `12px ${kFont}`;
      g.textBaseline = 'middle';
      paint(g, width, height);
    };
    const later = () => { if (!waits) { waits = true; requestAnimationFrame(now); } };
    new ResizeObserver(later).observe(canvas);
    return later;
  };
  const shortened = (g, string, width) => {
    if (g.measureText(string).width <= width) return string;
    let low = 0, high = string.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (g.measureText(string.slice(0, middle) + '…').width <= width) low = middle; else high = middle - 1;
    }
    return low < 2 ? '' : string.slice(0, low) + '…';
  };
  const tip = el('div', {class: 'tip', hidden: ''});
  const showTip = (event, lines) => {
    tip.replaceChildren(...lines.map((line, i) => el('div', {text: line, class: i === 0 ? 'first' : ''})));
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8))}px`;
  };
  const hideTip = () => { tip.hidden = true; };

  // ---- columns

  const unpack = lane => {
    const raw = atob(lane.packed), n = lane.columns;
    let at = 0;
    const next = () => {
      let value = 0, factor = 1, byte;
      do {
        byte = raw.charCodeAt(at++);
        value += (byte & 127) * factor;
        factor *= 128;
      } while (byte > 127);
      return value;
    };
    const signed = () => { const value = next(); return value % 2 ? -(value + 1) / 2 : value / 2; };
    const x = new Float64Array(n + 1), state = new Float64Array(n), total = new Float64Array(n), alive = new Uint8Array(n);
    const values = Array.from({length: kPools + 1}, () => null);
    const now = new Array(kPools + 1).fill(0);
    let position = 0, moment = 0, lives = 0;
    for (let i = 0; i < n; i++) {
      x[i] = position += next();
      state[i] = moment += signed();
      const changed = next();
      for (let b = 0; b <= kPools; b++) if (changed & (1 << b)) now[b] += signed();
      if (changed & (1 << (kPools + 1))) lives = 1 - lives;
      alive[i] = lives;
      for (let b = 0; b <= kPools; b++) {
        if (now[b] !== 0) (values[b] ||= new Float64Array(n))[i] = now[b];
        if (b < kBuckets) total[i] += now[b];
      }
    }
    x[n] = page.extent[1];
    return {...lane, n, x, u: x, state, total, alive, values, valueOf: (b, i) => values[b] ? values[b][i] : 0, clock: lane.times ? unpackTimes(lane.times, n) : null};
  };
  const unpackTimes = (packed, n) => { // Microseconds after the first event, of each column and of the end.
    const raw = atob(packed), times = new Float64Array(n + 1);
    for (let i = 0, at = 0, time = 0; i <= n; i++) {
      let factor = 1, byte;
      do {
        byte = raw.charCodeAt(at++);
        time += (byte & 127) * factor;
        factor *= 128;
      } while (byte > 127);
      times[i] = time;
    }
    return times;
  };
  const lanes = page.lanes.map(unpack);
  const hasClock = isRun && lanes[0].clock !== null && lanes[0].clock[lanes[0].n] > 0;
  // Coordinates are those of the axis in use; `at` translates what the data has, which counts events.
  let isClock = false;
  const eventColumn = x => { // The one that begins at or before a state, on whatever axis.
    const {x: from, n} = lanes[0];
    let low = 0, high = n - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (from[middle] <= x) low = middle; else high = middle - 1;
    }
    return low;
  };
  const at = x => {
    if (!isClock) return x;
    const {x: from, u} = lanes[0], low = eventColumn(x);
    return u[low] + Math.min(Math.max((x - from[low]) / (from[low + 1] - from[low]), 0), 1) * (u[low + 1] - u[low]);
  };
  const used = page.buckets.map((_, b) => lanes.some(lane => lane.values[b]));
  const columnAt = (lane, x) => { // The last one that begins at or before x.
    let low = 0, high = lane.n - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lane.u[middle] <= x) low = middle; else high = middle - 1;
    }
    return low;
  };
  /** Of every pixel the column with the largest total (−1: none), and the most reserved. */
  const perPixel = (lane, from, to, width) => {
    const index = new Int32Array(width), reserved = new Float64Array(width), step = (to - from) / width;
    let i = columnAt(lane, from);
    for (let p = 0; p < width; p++) {
      const right = from + (p + 1) * step;
      let best = -1, most = 0;
      for (; ; i++) {
        if (lane.alive[i]) {
          if (best < 0 || lane.total[i] > lane.total[best]) best = i;
          most = Math.max(most, lane.valueOf(kReserved, i));
        }
        if (i + 1 >= lane.n || lane.u[i + 1] >= right) break;
      }
      if (i + 1 < lane.n && lane.u[i + 1] === right) i++;
      index[p] = best;
      reserved[p] = most;
    }
    return {index, reserved};
  };

  // ---- what is looked at

  const all = {from: page.extent[0], to: page.extent[1]};
  const view = {...all};
  const hidden = new Set();
  const look = {x: null, pinned: null, chosen: -1, moment: 0, band: -1, alone: -1};
  const repaint = [];
  const changed = () => repaint.forEach(paint => paint());
  const isVisible = b => !hidden.has(b);
  const visibleTotal = (lane, i) => {
    if (hidden.size === 0) return lane.total[i];
    let sum = 0;
    for (let b = 0; b < kBuckets; b++) if (isVisible(b)) sum += lane.valueOf(b, i);
    return sum;
  };
  const zoomTo = (from, to) => {
    const least = Math.min(12, all.to - all.from), width = Math.min(Math.max(to - from, least), all.to - all.from);
    const middle = (from + to) / 2;
    view.from = Math.min(Math.max(middle - width / 2, all.from), all.to - width);
    view.to = view.from + width;
    changed();
  };
  const zoomAround = (x, factor) => {
    const part = (x - view.from) / (view.to - view.from), width = (view.to - view.from) * factor;
    zoomTo(x - part * width, x + (1 - part) * width);
  };
  const highest = lanes.reduce((a, b) => b.peak.bytes > a.peak.bytes ? b : a, lanes[0]).peak.x;
  const cursor = () => look.x ?? look.pinned ?? (isRun ? at(page.moments[look.moment].state) : isPair ? highest : null);
  const isZoomed = () => view.to - view.from < all.to - all.from;
  const goTo = x => {
    look.x = null;
    look.pinned = x;
    if (x < view.from || x >= view.to) zoomTo(x - (view.to - view.from) / 2, x + (view.to - view.from) / 2);
    changed();
  };

  // ---- the timeline

  const kLeft = isJob ? 192 : isPair ? 84 : 66, kRight = 14;
  const kTop = isJob ? 8 : 46;
  const laneHeight = isJob ? 62 : isPair ? 150 : 300, laneStep = isJob ? 78 : isPair ? 236 : 0;
  const deltaTop = isPair ? kTop + 2 * laneStep - 36 : 0, deltaHeight = isPair ? 130 : 0;
  const lastBottom = isPair ? deltaTop + deltaHeight
    : isJob ? kTop + (lanes.length - 1) * laneStep + laneHeight : kTop + laneHeight + 36;
  const mapTop = lastBottom + 24, mapHeight = isJob ? 0 : 26;
  const canvas = el('canvas', {class: 'timeline', tabindex: '0', role: 'img', 'aria-label': lanes.map(l => l.words).join(' ')});
  canvas.style.height = `${isJob ? lastBottom + 26 : mapTop + mapHeight + 4}px`;
  const plotWidth = () => Math.max(1, Math.floor(canvas.clientWidth - kLeft - kRight));
  const toPx = x => kLeft + (x - view.from) / (view.to - view.from) * plotWidth();
  const toX = px => view.from + (px - kLeft) / plotWidth() * (view.to - view.from);
  const niceStep = least => {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * ([1, 2, 5].find(f => f * power >= least * 0.999999) || 10);
  };
  const scaleOf = largest => {
    if (hidden.size > 0) {
      let most = 0;
      for (const lane of lanes) for (let i = 0; i < lane.n; i++) most = Math.max(most, visibleTotal(lane, i));
      return 1.04 * Math.max(most, 1);
    }
    return 1.04 * Math.max(largest, 1);
  };
  let scaleKey = '', scaleTop = 1;
  const top = () => {
    const key = [...hidden].join();
    if (key !== scaleKey || scaleTop === 1) {
      scaleKey = key;
      scaleTop = scaleOf(Math.max(...lanes.map(lane => lane.top)));
    }
    return scaleTop;
  };
  const stairs = (g, width, y, from, to) => { // From the first pixel to the last.
    let last = NaN;
    for (let p = from; p < to; p++) {
      const here = y(p);
      if (here !== last) {
        g.lineTo(kLeft + p, Number.isNaN(last) ? here : last);
        g.lineTo(kLeft + p, here);
        last = here;
      }
    }
    g.lineTo(kLeft + to, last);
  };
  const label = (g, x, y, string, colour, width, align = 'center') => { // Kept inside the plot.
    const half = g.measureText(string).width / 2;
    const middle = align === 'left' ? x + half : align === 'right' ? x - half : x;
    const at = Math.min(Math.max(middle, kLeft + half), kLeft + width - half);
    g.textAlign = 'center';
    g.fillStyle = colour;
    g.fillText(string, at, y);
  };
  const paintScale = (g, y0, height, low, high, lines, signs = false) => {
    const width = plotWidth(), size = kUnits[unitOf(Math.max(high, -low))], step = niceStep((high - low) / size[1] / lines);
    g.textAlign = 'right';
    g.lineWidth = 1;
    for (let k = Math.ceil(low / size[1] / step); k * step * size[1] <= high; k++) {
      const y = Math.round(y0 + height - (k * step * size[1] - low) / (high - low) * height) + 0.5;
      g.strokeStyle = k === 0 && signs ? colours.quiet : colours.line;
      g.beginPath(); g.moveTo(kLeft, y); g.lineTo(kLeft + width, y); g.stroke();
      g.fillStyle = colours.quiet;
      const digits = marked(String(Number(Math.abs(k * step).toPrecision(6))));
      g.fillText(`${k < 0 ? '−' : signs && k > 0 ? '+' : ''}${digits}${k === 0 ? '' : ' ' + size[0]}`, kLeft - 8, y);
    }
  };
  const paintBands = (g, lane, pixels, y, width) => {
    const floor = y(0);
    const sums = new Float64Array(width);
    const tops = [];
    for (let b = 0; b < kBuckets; b++) {
      if (!lane.values[b] || !isVisible(b)) continue;
      for (let p = 0; p < width; p++) if (pixels.index[p] >= 0) sums[p] += lane.values[b][pixels.index[p]];
      tops.push([b, sums.slice()]);
    }
    const area = heights => {
      g.beginPath();
      g.moveTo(kLeft, floor);
      stairs(g, width, p => y(heights[p]), 0, width);
      g.lineTo(kLeft + width, floor);
      g.closePath();
      g.fill();
    };
    if (hidden.size === 0) {
      g.fillStyle = colours.quiet; // A tint: cached memory is nobody's.
      g.globalAlpha = 0.16;
      area(pixels.reserved.map((value, p) => Math.max(value, sums[p])));
      g.globalAlpha = 1;
    }
    for (const [b, heights] of tops.reverse()) {
      g.fillStyle = page.buckets[b].colour;
      g.globalAlpha = look.alone >= 0 && look.alone !== b ? 0.35 : 1;
      if (g.globalAlpha < 1) { // Nothing of what lies behind shines through.
        g.save(); g.globalAlpha = 1; g.fillStyle = colours.card; area(heights); g.restore();
        g.fillStyle = page.buckets[b].colour;
        g.globalAlpha = 0.35;
      }
      area(heights);
    }
    g.globalAlpha = 1;
    if (hidden.size === 0) {
      g.strokeStyle = colours.text;
      g.setLineDash([4, 3]);
      for (let from = 0; from < width;) { // Where the run is there.
        let to = from;
        while (to < width && pixels.index[to] >= 0) to++;
        g.beginPath();
        if (to > from) stairs(g, width, p => y(pixels.reserved[p]), from, to);
        g.stroke();
        from = to + 1;
      }
      g.setLineDash([]);
    }
  };
  const paintPhases = (g, lane, y0, width) => {
    g.textAlign = 'left';
    let right = -Infinity, step = 0;
    for (let i = 0; i < lane.phases.length; i += 4) {
      const from = Math.max(toPx(at(lane.phases[i + 1])), kLeft), to = Math.min(toPx(at(lane.phases[i + 2])), kLeft + width);
      if (to <= kLeft || from >= kLeft + width) { step = lane.phases[i + 3]; continue; }
      const phase = page.phases[lane.phases[i]];
      g.fillStyle = phase.colour;
      g.fillRect(from, y0, Math.max(to - from, 0.5), 14);
      g.fillStyle = '#1c2024';
      g.font = `11px ${kFont}`;
      if (to - from > 18 && g.measureText(phase.name).width < to - from - 8) g.fillText(phase.name, from + 4, y0 + 7.5);
      if (lane.phases[i + 3] !== step || right === -Infinity) {
        step = lane.phases[i + 3];
        const name = step > 0 ? fill(words.step, step) : '';
        if (name && from > right && from + g.measureText(name).width < kLeft + width) {
          g.fillStyle = colours.quiet;
          g.fillText(name, from, y0 + 24);
          right = from + g.measureText(name).width + 12;
        } else if (right === -Infinity) {
          right = kLeft;
        }
      }
    }
    g.font = `12px ${kFont}`;
  };
  const paintMarks = (g, lane, y, y0, height, width) => {
    const isInside = x => x >= view.from && x <= view.to;
    if (lane.capacity !== null && y(lane.capacity) >= y0 && hidden.size === 0) {
      const height = Math.round(y(lane.capacity)) + 0.5;
      g.strokeStyle = colours.alarm;
      g.beginPath(); g.moveTo(kLeft, height); g.lineTo(kLeft + width, height); g.stroke();
      if (!isJob) {
        const name = fill(words.capacity, bytes(lane.capacity)), room = g.measureText(name).width + 8;
        const marks = [lane.peak, ...lane.ooms].map(mark => toPx(at(mark.x + 0.5)));
        const left = [kLeft + 4, ...marks.map(x => x + 8)].find(x => x + room < kLeft + width && !marks.some(mark => mark > x - 4 && mark < x + room));
        if (left !== undefined) label(g, left, height - 9, name, colours['alarm-text'], width, 'left');
      }
    }
    g.strokeStyle = colours.alarm;
    g.lineWidth = 1.5;
    for (const oom of lane.ooms) {
      if (!isInside(at(oom.x))) continue;
      g.beginPath(); g.moveTo(toPx(at(oom.x)), y0 - (isJob ? 4 : 12)); g.lineTo(toPx(at(oom.x)), y0 + height); g.stroke();
    }
    g.lineWidth = 1;
    const oom = lane.ooms[lane.ooms.length - 1];
    if (oom && isInside(at(oom.x)) && !isJob) {
      const unit = oneUnit(Math.max(oom.asked, oom.free ?? 0)), sized = size => `${unit.of(size)} ${unit.name}`;
      const figures = oom.free === null ? fill(words.asked, sized(oom.asked)) : fill(words.asked_free, sized(oom.asked), sized(oom.free));
      const lines = isPair ? [`${words.oom} · ${figures}`] : [oom.phase ? `${words.oom} · ${oom.phase}` : words.oom, figures];
      const room = Math.max(...lines.map(line => g.measureText(line).width)) + 16, tall = 8 + 15 * lines.length;
      const left = Math.min(Math.max(toPx(at(oom.x)) - room - 5, kLeft), kLeft + width - room), above = y0 + 14;
      g.fillStyle = '#cc3311';
      g.beginPath(); g.roundRect(left, above, room, tall, 4); g.fill();
      g.fillStyle = '#ffffff';
      g.textAlign = 'left';
      lines.forEach((line, i) => g.fillText(line, left + 8, above + 12 + 15 * i));
    }
    if (lane.peak.x !== undefined && isInside(at(lane.peak.x)) && hidden.size === 0) {
      const x = toPx(at(lane.peak.x + 0.5)), height = y(lane.peak.bytes);
      g.strokeStyle = colours.text;
      g.fillStyle = colours.card;
      g.beginPath(); g.arc(x, height, 4, 0, 7); g.fill(); g.stroke();
      g.font = `600 12px ${kFont}`;
      label(g, x, y0 - 26, fill(words.peak, bytes(lane.peak.bytes)), colours.text, width);
      g.setLineDash([1, 2]);
      g.beginPath(); g.moveTo(x, y0 - 18); g.lineTo(x, height - 5); g.stroke();
      g.setLineDash([]);
      g.font = `12px ${kFont}`;
    }
  };
  const paintAxis = (g, y0, width) => {
    g.fillStyle = colours.quiet;
    if (isJob) {
      g.textAlign = 'left'; g.fillText(page.ends[0], kLeft, y0);
      g.textAlign = 'right'; g.fillText(page.ends[1], kLeft + width, y0);
      return;
    }
    if (isPair) return; // Its units are no events of either.
    const step = Math.max(1, niceStep((view.to - view.from) / Math.max(2, width / 110)));
    const nameOf = isClock ? clockText(step) : x => count(Math.round(x));
    g.textAlign = 'center';
    // Event k leads to state k + 1.
    const ahead = isClock ? 0 : 1;
    for (let k = Math.max(0, Math.ceil((view.from - ahead) / step)); k * step + ahead < view.to; k++) {
      const px = toPx(k * step + ahead), name = nameOf(k * step), half = g.measureText(name).width / 2;
      if (px + half > kLeft + width) break;
      g.fillText(name, Math.max(px, kLeft + half), y0);
    }
    g.textAlign = 'right';
    g.fillText(isClock ? words.axis_time : words.axis, kLeft - 8, y0);
  };
  const paintDelta = (g, a, b, width) => {
    const net = new Float64Array(width), ups = [], downs = [];
    const up = new Float64Array(width), down = new Float64Array(width), both = new Uint8Array(width);
    for (let p = 0; p < width; p++) both[p] = a.index[p] >= 0 && b.index[p] >= 0 ? 1 : 0;
    for (let k = 0; k < kBuckets; k++) {
      if (!used[k] || !isVisible(k)) continue;
      for (let p = 0; p < width; p++) {
        if (!both[p]) continue;
        const more = lanes[1].valueOf(k, b.index[p]) - lanes[0].valueOf(k, a.index[p]);
        net[p] += more;
        if (more > 0) up[p] += more; else down[p] += more;
      }
      ups.push([k, up.slice()]);
      downs.push([k, down.slice()]);
    }
    const high = Math.max(1, ...up) * 1.06, low = Math.min(0, ...down) * 1.06 - (high * 0.04);
    const y = value => deltaTop + deltaHeight - (value - low) / (high - low) * deltaHeight;
    paintScale(g, deltaTop, deltaHeight, low, high, 4, true);
    for (const side of [ups, downs]) {
      for (const [k, heights] of side.reverse()) {
        g.fillStyle = page.buckets[k].colour;
        g.beginPath();
        g.moveTo(kLeft, y(0));
        stairs(g, width, p => y(heights[p]), 0, width);
        g.lineTo(kLeft + width, y(0));
        g.fill();
      }
    }
    g.strokeStyle = colours.text;
    g.beginPath();
    stairs(g, width, p => y(net[p]), 0, width);
    g.stroke();
  };
  const letter = (g, name, colour, y0, height) => {
    g.fillStyle = colour;
    g.beginPath(); g.roundRect(0, y0, 16, height, 3); g.fill();
    g.fillStyle = '#ffffff';
    g.textAlign = 'center';
    g.font = `600 12px ${kFont}`;
    g.fillText(name, 8, y0 + height / 2);
    g.font = `12px ${kFont}`;
  };
  const paintTimeline = g => {
    canvas.dataset.range = `${view.from} ${view.to}`;
    const width = plotWidth();
    const pixels = lanes.map(lane => perPixel(lane, view.from, view.to, width));
    lanes.forEach((lane, k) => {
      const y0 = kTop + k * laneStep, y = value => y0 + laneHeight - value / top() * laneHeight;
      paintScale(g, y0, laneHeight, 0, top(), isJob ? 2 : isPair ? 4 : 6);
      paintBands(g, lane, pixels[k], y, width);
      if (!isJob) paintPhases(g, lane, y0 + laneHeight + 4, width);
      paintMarks(g, lane, y, y0, laneHeight, width);
      if (isPair) letter(g, lane.letter, lane.colour, y0, laneHeight);
      if (isJob) {
        g.textAlign = 'left';
        g.fillStyle = colours.text;
        g.font = `600 12px ${kFont}`;
        g.fillText(shortened(g, lane.is_median ? fill(words.median, lane.name) : lane.name, 130), 0, y0 + 9);
        g.font = `12px ${kFont}`;
        g.fillStyle = colours.quiet;
        g.fillText(fill(words.peak, bytes(lane.peak.bytes)), 0, y0 + 27);
        g.fillStyle = colours['alarm-text'];
        if (lane.ooms.length > 0) g.fillText(lane.is_first ? words.first_oom : words.oom, 0, y0 + 45);
      }
    });
    if (isPair) {
      paintDelta(g, pixels[0], pixels[1], width);
      letter(g, 'Δ', '#6B7078', deltaTop, deltaHeight);
    }
    paintAxis(g, lastBottom + 12, width);
    if (mapHeight > 0) paintMap(g, width);
    paintChosen(g, width);
    const here = cursor();
    if (here !== null && here >= view.from && here <= view.to) {
      const x = Math.round(toPx(here + (isRun && !isClock && look.x === null ? 0.5 : 0))) + 0.5;
      g.strokeStyle = colours.text;
      g.globalAlpha = 0.7;
      g.beginPath(); g.moveTo(x, kTop - 6); g.lineTo(x, lastBottom); g.stroke();
      g.globalAlpha = 1;
    }
    if (drag && drag.box) {
      g.fillStyle = colours.accent;
      g.globalAlpha = 0.2;
      g.fillRect(Math.min(drag.x0, drag.x), kTop, Math.abs(drag.x - drag.x0), lastBottom - kTop);
      g.globalAlpha = 1;
    }
  };
  const paintMap = (g, width) => {
    const most = Math.max(...lanes.map(lane => lane.top), 1);
    g.fillStyle = colours.line;
    g.fillRect(kLeft, mapTop, width, mapHeight);
    lanes.forEach((lane, k) => {
      const pixels = perPixel(lane, all.from, all.to, width);
      g.fillStyle = isPair ? lane.colour : colours.quiet;
      g.globalAlpha = isPair ? 0.55 : 0.7;
      for (let p = 0; p < width; p++) {
        if (pixels.index[p] < 0) continue;
        const tall = lane.total[pixels.index[p]] / most * (mapHeight - 2);
        g.fillRect(kLeft + p, mapTop + mapHeight - tall, 1, tall);
      }
    });
    g.globalAlpha = 1;
    const place = x => kLeft + (x - all.from) / (all.to - all.from) * width;
    const from = place(view.from), to = place(view.to);
    g.fillStyle = colours.card;
    g.globalAlpha = 0.65;
    g.fillRect(kLeft, mapTop, from - kLeft, mapHeight);
    g.fillRect(to, mapTop, kLeft + width - to, mapHeight);
    g.globalAlpha = 1;
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    g.strokeRect(from + 0.75, mapTop + 0.75, Math.max(to - from - 1.5, 3), mapHeight - 1.5);
    g.lineWidth = 1;
  };
  const paintChosen = (g, width) => { // The lifetime of the allocation that is chosen in the list.
    if (!isRun || look.chosen < 0) return;
    const list = page.allocations, i = look.chosen;
    const from = Math.max(toPx(at(list.made[i] + 1)), kLeft), to = Math.min(list.gone[i] < 0 ? kLeft + width : toPx(at(list.gone[i] + 1)), kLeft + width);
    if (to < kLeft || from > kLeft + width) return;
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.16;
    g.fillRect(from, kTop, Math.max(to - from, 1), laneHeight);
    g.globalAlpha = 1;
    g.fillRect(from, kTop + laneHeight - 3, Math.max(to - from, 2), 4);
  };

  const paint = surface(canvas, paintTimeline);
  repaint.push(paint);
  let drag = null;
  const place = event => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const mapX = px => all.from + (px - kLeft) / plotWidth() * (all.to - all.from);
  canvas.addEventListener('wheel', event => {
    if (event.ctrlKey || isJob) return; // The browser's own zoom; a job's page has no more to show.
    event.preventDefault();
    const width = view.to - view.from;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (event.deltaX || event.deltaY) / 800 * width;
      zoomTo(view.from + by, view.to + by);
    } else {
      zoomAround(toX(place(event).x), 1.0015 ** event.deltaY);
    }
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    const {x, y} = place(event);
    canvas.setPointerCapture(event.pointerId);
    drag = {x0: x, x, from: view.from, to: view.to, box: event.shiftKey && !isJob, map: mapHeight > 0 && y >= mapTop, moved: false};
    if (drag.map) moveMap(x);
  });
  const moveMap = px => {
    const half = (view.to - view.from) / 2;
    zoomTo(mapX(px) - half, mapX(px) + half);
  };
  canvas.addEventListener('pointermove', event => {
    const {x, y} = place(event);
    if (drag) {
      drag.x = x;
      drag.moved ||= Math.abs(x - drag.x0) > 3;
      if (drag.map) moveMap(x);
      else if (!drag.box && drag.moved && isZoomed()) {
        const by = (drag.x0 - x) / plotWidth() * (drag.to - drag.from);
        zoomTo(drag.from + by, drag.to + by);
      }
    }
    const isInside = x >= kLeft && x <= kLeft + plotWidth() && (mapHeight === 0 || y < mapTop);
    look.x = isInside ? Math.min(toX(x), all.to - 1e-9) : null;
    look.band = isInside && isRun ? bandAt(y) : -1;
    changed();
  });
  canvas.addEventListener('pointerup', event => {
    if (!drag) return;
    const done = drag;
    drag = null;
    if (done.box && done.moved) zoomTo(toX(Math.min(done.x0, done.x)), toX(Math.max(done.x0, done.x)));
    else if (!done.moved && !done.map && look.x !== null) look.pinned = isRun ? at(shownState(lanes[0])) : look.x;
    changed();
  });
  canvas.addEventListener('pointerleave', () => { look.x = null; look.band = -1; changed(); });
  canvas.addEventListener('dblclick', () => zoomTo(all.from, all.to));
  /** The column that the pixel at the cursor shows. */
  const shownColumn = lane => {
    const here = cursor();
    if (here === null) return -1;
    if (look.x === null) {
      // Several columns may begin at one time; a moment has its own.
      const i = isClock && look.pinned === null ? eventColumn(page.moments[look.moment].state) : columnAt(lane, here);
      return lane.alive[i] ? i : -1;
    }
    const pixel = (view.to - view.from) / plotWidth(), p = Math.floor((here - view.from) / pixel);
    return perPixel(lane, view.from + p * pixel, view.from + (p + 1) * pixel, 1).index[0];
  };
  const shownState = lane => { const i = shownColumn(lane); return i < 0 ? 0 : lane.state[i]; };
  const bandAt = y => {
    const lane = lanes[0], i = shownColumn(lane);
    let height = (kTop + laneHeight - y) / laneHeight * top();
    if (i < 0 || height < 0) return -1;
    for (let b = 0; b < kBuckets; b++) {
      if (!isVisible(b)) continue;
      height -= lane.valueOf(b, i);
      if (height < 0) return b;
    }
    return -1;
  };
  const stepBy = by => {
    const lane = lanes[0], from = columnAt(lane, cursor() ?? view.from);
    let i = Math.min(Math.max(from + by, 0), lane.n - 1);
    while (by < 0 && i > 0 && lane.u[i] === lane.u[from]) i--; // Those of one time are passed at once.
    goTo(lane.u[i]);
  };
  canvas.addEventListener('keydown', event => {
    const middle = cursor() !== null && cursor() >= view.from && cursor() <= view.to ? cursor() : (view.from + view.to) / 2;
    const keys = {
      ArrowLeft: () => stepBy(event.shiftKey ? -20 : -1), ArrowRight: () => stepBy(event.shiftKey ? 20 : 1),
      '+': () => zoomAround(middle, 0.5), '=': () => zoomAround(middle, 0.5), '-': () => zoomAround(middle, 2),
      Home: () => stepBy(-lanes[0].n), End: () => stepBy(lanes[0].n),
    };
    if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // ---- what is at the cursor, which is the legend, too

  const now = el('aside', {class: 'card now', 'aria-live': 'polite'});
  const nowTitle = el('h3'), nowWhen = el('p', {class: 'quiet when'}), nowTable = el('table');
  now.append(nowTitle, nowWhen, nowTable);
  const rows = [];
  const addRow = (b, name) => {
    const row = el('tr'), cells = [];
    const head = el('th', {scope: 'row'});
    if (b >= 0) {
      const square = el('span', {class: 'square'}), button = el('button', {
        type: 'button', 'aria-pressed': 'true', title: page.buckets[b].what, 'data-bucket': page.buckets[b].id}, square, el('span', {text: name}));
      square.style.background = page.buckets[b].colour;
      const flip = alone => {
        if (alone) {
          const others = page.buckets.map((_, k) => k).filter(k => used[k] && k !== b);
          const isAlone = others.every(k => hidden.has(k)) && !hidden.has(b);
          hidden.clear();
          if (!isAlone) others.forEach(k => hidden.add(k));
        } else if (!hidden.delete(b)) {
          hidden.add(b);
        }
        changed();
      };
      button.addEventListener('click', event => flip(event.shiftKey || event.altKey));
      button.addEventListener('pointerenter', () => { look.alone = b; paint(); });
      button.addEventListener('pointerleave', () => { look.alone = -1; paint(); });
      head.append(button);
    } else {
      head.append(el('span', {text: name}));
    }
    row.append(head);
    const columns = isPair ? 3 : isRun ? 2 : 0;
    for (let c = 0; c < columns; c++) { const cell = el('td', {class: 'right'}); cells.push(cell); row.append(cell); }
    rows.push({b, row, head, cells, name});
    nowTable.append(row);
  };
  for (let b = kBuckets - 1; b >= 0; b--) if (used[b]) addRow(b, page.buckets[b].name);
  if (!isJob) {
    addRow(-1, words.total); addRow(-2, words.cached); addRow(-3, words.reserved);
    if (lanes.some(lane => lane.values[kPools])) addRow(-4, words.pools);
  }
  const rankRows = isJob ? lanes.map(lane => {
    const cell = el('td', {class: 'right'}), row = el('tr', {}, el('th', {scope: 'row', text: lane.name}), cell);
    nowTable.append(row);
    return cell;
  }) : [];
  const figureOf = (lane, i, b) => i < 0 ? 0 : b >= 0 ? lane.valueOf(b, i)
    : b === -1 ? visibleTotal(lane, i) : b === -2 ? lane.valueOf(kReserved, i) - lane.total[i] - lane.valueOf(kPools, i)
    : b === -3 ? lane.valueOf(kReserved, i) : lane.valueOf(kPools, i);
  const phaseOf = (lane, event) => {
    for (let k = 0; k < lane.phases.length; k += 4) {
      if (lane.phases[k + 1] <= event && event < lane.phases[k + 2]) {
        const name = page.phases[lane.phases[k]].name, step = lane.phases[k + 3];
        return step > 0 ? `${fill(words.step, step)} · ${name}` : name;
      }
    }
    return '';
  };
  const writeNow = () => {
    const shown = lanes.map(shownColumn);
    const moment = isRun && look.x === null && look.pinned === null ? page.moments[look.moment] : null;
    nowTitle.textContent = moment ? moment.title : words.cursor;
    const i = shown[0];
    const parts = isRun && i >= 0 ? [eventOf(lanes[0].state[i]), hasClock ? timeOf(lanes[0].clock[i]) : '', phaseOf(lanes[0], Math.max(lanes[0].state[i] - 1, 0))]
      : isPair ? lanes.map((lane, k) => shown[k] < 0 ? '' : `${lane.letter} ${eventOf(lane.state[shown[k]])}`) : [];
    nowWhen.textContent = parts.filter(part => part).join(' · ') || (isRun || cursor() !== null ? '\u00a0' : words.hover);
    const unit = oneUnit(Math.max(...lanes.map((lane, k) => shown[k] < 0 ? 0 : lane.valueOf(kReserved, shown[k])), 1));
    for (const {b, row, head, cells} of rows) {
      const figures = lanes.map((lane, k) => figureOf(lane, shown[k], b));
      row.className = [b === -1 ? 'sum' : '', b < -1 ? 'quiet' : '', b >= 0 && b === look.band ? 'lit' : '', b >= 0 && !isVisible(b) ? 'off' : ''].join(' ').trim();
      if (b >= 0) head.firstChild.setAttribute('aria-pressed', String(isVisible(b)));
      const write = (cell, string, size) => { cell.textContent = string; cell.title = exact(size); cell.dataset.bytes = size; };
      if (isRun) {
        write(cells[0], b === -1 ? `${unit.of(figures[0])} ${unit.name}` : unit.of(figures[0]), figures[0]);
        const total = shown[0] < 0 ? 0 : lanes[0].total[shown[0]];
        cells[1].textContent = b >= 0 && total > 0 ? percent(figures[0] / total) : '';
      } else if (isPair) {
        write(cells[0], unit.of(figures[0]), figures[0]);
        write(cells[1], unit.of(figures[1]), figures[1]);
        const more = figures[1] - figures[0];
        write(cells[2], unit.signed(more) + (b === -1 ? ` ${unit.name}` : ''), more);
      }
    }
    rankRows.forEach((cell, k) => {
      const size = figureOf(lanes[k], shown[k], -1);
      cell.textContent = shown[k] < 0 ? '–' : `${unit.of(size)} ${unit.name}`;
      cell.title = exact(size);
      cell.dataset.bytes = size;
    });
  };
  if (isPair) nowTable.prepend(el('tr', {class: 'quiet'}, el('th'), ...[lanes[0].letter, lanes[1].letter, `${lanes[1].letter} − ${lanes[0].letter}`].map(name => el('td', {class: 'right', text: name}))));
  repaint.push(writeNow);

  const tools = el('div', {class: 'tools'});
  const tool = (name, title, act) => { const button = el('button', {type: 'button', text: name, title, onclick: act}); tools.append(button); return button; };
  if (!isJob) {
    tool('−', words.zoom_out, () => zoomAround((view.from + view.to) / 2, 2));
    tool('+', words.zoom_in, () => zoomAround((view.from + view.to) / 2, 0.5));
    tool(words.fit, words.fit_long, () => zoomTo(all.from, all.to));
  }
  /** Events or time on the axis: the same part of the run stays in view, and the cursor where it was. */
  const turnAxis = () => {
    if (!hasClock) return;
    const lane = lanes[0], back = u => { // The event of a coordinate.
      const i = columnAt(lane, u), wide = lane.u[i + 1] - lane.u[i];
      return lane.x[i] + (wide > 0 ? Math.min((u - lane.u[i]) / wide, 1) : 0) * (lane.x[i + 1] - lane.x[i]);
    };
    const [from, to, pinned] = [view.from, view.to, look.pinned].map(u => u === null ? null : back(u));
    const isAll = !isZoomed();
    isClock = !isClock;
    lane.u = isClock ? lane.clock : lane.x;
    [all.from, all.to] = isClock ? [0, lane.clock[lane.n]] : page.extent;
    look.x = null;
    look.pinned = pinned === null ? null : at(isClock ? pinned : Math.floor(pinned + 1e-6));
    axisButton.textContent = isClock ? words.by_time : words.by_event;
    if (isAll) zoomTo(all.from, all.to); else zoomTo(at(from), at(to));
  };
  const axisButton = hasClock ? tool(words.by_event, words.key_axis, turnAxis) : null;
  if (axisButton) axisButton.classList.add('axis');
  if (fixed.devices.length > 0) {
    const choice = el('select', {class: 'device', 'aria-label': words.devices, title: page.devices_left_out > 0 ? fill(words.devices_left_out, count(page.devices_left_out)) : words.devices},
      ...fixed.devices.map((name, k) => el('option', {value: k, text: name})));
    choice.value = String(fixed.at);
    choice.addEventListener('change', () => open(Number(choice.value)));
    tools.prepend(choice);
  }
  const goToMoment = id => {
    const index = page.moments.findIndex(moment => moment.id === id);
    if (index >= 0) { chooseMoment(index); look.pinned = null; look.x = null; if (isZoomed()) goTo(at(page.moments[index].state)); changed(); }
  };
  if (isRun) {
    page.moments.forEach(moment => tool(moment.id === 'oom' ? words.oom : words.to_peak, moment.title, () => goToMoment(moment.id)));
  }
  const note = el('p', {class: 'quiet note'});
  if (isPair) note.textContent = words.aligned;
  const coarse = lanes.filter(lane => lane.stride > 1);
  if (coarse.length > 0) {
    note.textContent += ' ' + fill(words.reduced, count(Math.max(...coarse.map(lane => lane.stride))), count(page.extent[1] - page.extent[0] - 1));
  }

  // ---- allocations

  const tabs = [];
  let chooseMoment = () => {};
  const allocationsTab = () => {
    const list = page.allocations, n = list.size.length;
    const panel = el('div', {class: 'panel'});
    const filter = el('input', {type: 'search', placeholder: words.filter, 'aria-label': words.filter, spellcheck: 'false'});
    const state = el('p', {class: 'quiet', role: 'status'});
    const head = el('tr'), bodyRows = el('tbody'), table = el('table', {class: 'list'}, el('thead', {}, head), bodyRows);
    const scroller = el('div', {class: 'scroller', tabindex: '0'}, table);
    const map = el('canvas', {class: 'map', role: 'img', 'aria-label': words.map});
    const segments = el('div', {class: 'segments', role: 'group'});
    page.moments.forEach((moment, k) => segments.append(el('button', {
      type: 'button', text: `${moment.title} · ${bytes(moment.bytes)}`, onclick: () => { look.pinned = null; chooseMoment(k); }})));
    const columns = [
      ['size', words.size, i => list.size[i], i => bytes(list.size[i]), true],
      ['bucket', words.bucket, i => list.bucket[i], i => page.buckets[list.bucket[i]].name],
      ['role', words.role, i => text(list.role[i]), i => text(list.role[i])],
      ['what', words.what, i => text(list.what[i]), i => text(list.what[i])],
      ['where', words.where, i => text(list.where[i]), i => text(list.where[i]) || words.no_stack],
      ['made', words.made, i => list.made[i], i => list.made[i] < 0 ? words.before : count(list.made[i]), true],
      ['gone', words.gone, i => list.gone[i] < 0 ? Infinity : list.gone[i], i => list.gone[i] < 0 ? words.kept : count(list.gone[i]), true],
    ].filter(([key]) => key !== 'role' || list.role.some(role => text(role) !== ''));
    const order = {key: 'size', down: true};
    for (const [key, name, , , right] of columns) {
      head.append(el('th', {class: right ? 'right' : '', scope: 'col', 'data-key': key}, el('button', {type: 'button', text: name, onclick: () => {
        order.down = order.key === key ? !order.down : key === 'size';
        order.key = key;
        arrange();
      }})));
    }
    const searched = new Array(n);
    const searchOf = i => searched[i] ??= [page.buckets[list.bucket[i]].name, page.buckets[list.bucket[i]].id, text(list.role[i]),
      text(list.what[i]), text(list.where[i]), text(list.caller[i]), text(list.module[i]),
      ...(list.stack[i] < 0 ? [] : list.stacks[list.stack[i]].slice(2).map(text))].join('\n').toLowerCase();
    const matcher = () => {
      const tests = filter.value.toLowerCase().split(/\s+/).filter(word => word).map(word => {
        const size = /^([<>])=?([\d.]+)(b|kib|mib|gib)?$/.exec(word);
        if (!size) return i => searchOf(i).includes(word);
        const limit = Number(size[2]) * {b: 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30}[size[3] || 'mib'];
        return size[1] === '>' ? i => list.size[i] > limit : i => list.size[i] < limit;
      });
      return i => tests.every(test => test(i));
    };
    let shown = [], drawn = 0;
    const kChunk = 200;
    const detail = i => {
      const cell = el('td', {colspan: columns.length});
      const facts = [exact(list.size[i]), text(list.module[i]), `${text(list.reason[i])} (${list.sure[i]} %)`].filter(fact => fact);
      cell.append(el('p', {class: 'quiet', text: facts.join(' · ')}));
      if (list.stack[i] >= 0) {
        const [own, left, ...frames] = list.stacks[list.stack[i]];
        const lines = frames.map((frame, k) => el('li', {text: text(frame), class: k < own ? 'own' : 'quiet'}));
        if (left > 0) lines.push(el('li', {class: 'quiet', text: fill(words.more_frames, count(left))}));
        cell.append(el('ol', {class: 'frames'}, ...lines));
      }
      return el('tr', {class: 'detail'}, cell);
    };
    const rowOf = i => {
      const row = el('tr', {'data-row': i, tabindex: '-1'});
      columns.forEach(([key, , , show, right]) => {
        const cell = el('td', {class: [right ? 'right' : '', key].join(' '), title: key === 'size' ? exact(list.size[i]) : ''});
        if (key === 'bucket') {
          const square = el('span', {class: 'square'});
          square.style.background = page.buckets[list.bucket[i]].colour;
          cell.append(square);
        }
        cell.append(show(i));
        if (key === 'where' && text(list.caller[i])) cell.append(el('span', {class: 'quiet', text: ` ← ${text(list.caller[i])}`}));
        row.append(cell);
      });
      if (i === look.chosen) row.className = 'chosen';
      return row;
    };
    const drawMore = () => {
      const part = shown.slice(drawn, drawn + kChunk);
      for (const i of part) bodyRows.append(rowOf(i), ...(i === look.chosen ? [detail(i)] : []));
      drawn += part.length;
    };
    const arrange = () => {
      const moment = page.moments[look.moment], bit = 1 << look.moment, matches = matcher();
      shown = [];
      let sum = 0;
      for (let i = 0; i < n; i++) if (list.at[i] & bit && matches(i)) { shown.push(i); sum += list.size[i]; }
      const value = columns.find(([key]) => key === order.key)[2], sign = order.down ? -1 : 1;
      shown.sort((a, b) => { const x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : 0) * sign || a - b; });
      for (const cell of head.children) {
        cell.setAttribute('aria-sort', cell.dataset.key !== order.key ? 'none' : order.down ? 'descending' : 'ascending');
      }
      let line = fill(words.listed, count(shown.length), count(moment.count), bytes(sum));
      if (moment.left_out > 0) line += ' ' + fill(words.left_out, count(moment.left_out), bytes(moment.left_out_bytes));
      state.textContent = line;
      [...segments.children].forEach((button, k) => button.setAttribute('aria-pressed', String(k === look.moment)));
      bodyRows.replaceChildren();
      drawn = 0;
      drawMore();
      paintMapLater();
    };
    const choose = i => {
      look.chosen = look.chosen === i ? -1 : i;
      bodyRows.querySelector('.detail')?.remove();
      bodyRows.querySelector('.chosen')?.classList.remove('chosen');
      if (look.chosen >= 0) {
        while (drawn < shown.length && shown.indexOf(look.chosen) >= drawn) drawMore();
        const row = bodyRows.querySelector(`[data-row="${look.chosen}"]`);
        if (row) {
          row.className = 'chosen';
          if (row.nextSibling?.className !== 'detail') row.after(detail(look.chosen));
          row.scrollIntoView({block: 'nearest'});
        }
      }
      paintMapLater();
      changed();
    };
    bodyRows.addEventListener('click', event => {
      const row = event.target.closest('tr[data-row]');
      if (row && String(getSelection()) === '') choose(Number(row.dataset.row));
    });
    scroller.addEventListener('scroll', () => { if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 400) drawMore(); });
    scroller.addEventListener('keydown', event => {
      const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (by === undefined || shown.length === 0) return;
      event.preventDefault();
      const at = shown.indexOf(look.chosen), to = Math.min(Math.max(at < 0 ? 0 : at + by, 0), shown.length - 1);
      if (to !== at) choose(shown[to]);
    });
    filter.addEventListener('input', arrange);
    filter.addEventListener('keydown', event => { if (event.key === 'Escape') { filter.value = ''; arrange(); } });
    let tiles = [];
    const paintMapLater = surface(map, (g, width, height) => {
      tiles = treemap([...shown].sort((a, b) => list.size[b] - list.size[a]), i => list.size[i], width, height);
      for (const tile of tiles) {
        const colour = page.buckets[list.bucket[tile.of]].colour;
        g.fillStyle = colour;
        g.globalAlpha = look.chosen >= 0 && look.chosen !== tile.of ? 0.45 : 1;
        const gap = tile.w > 3 && tile.h > 3 ? 1 : 0;
        g.fillRect(tile.x, tile.y, Math.max(tile.w - gap, 0.3), Math.max(tile.h - gap, 0.3));
        if (tile.w > 52 && tile.h > 15) {
          g.fillStyle = inkOn(colour);
          g.textAlign = 'left';
          g.font = `11px ${kFont}`;
          g.fillText(shortened(g, bytes(list.size[tile.of]), tile.w - 8), tile.x + 4, tile.y + 9);
          if (tile.h > 30) g.fillText(shortened(g, text(list.where[tile.of]), tile.w - 8), tile.x + 4, tile.y + 23);
        }
      }
      g.globalAlpha = 1;
    });
    const tileAt = event => {
      const box = map.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      return tiles.find(tile => x >= tile.x && x < tile.x + tile.w && y >= tile.y && y < tile.y + tile.h);
    };
    map.addEventListener('pointermove', event => {
      const tile = tileAt(event);
      if (!tile) return hideTip();
      const i = tile.of;
      showTip(event, [`${bytes(list.size[i])} · ${page.buckets[list.bucket[i]].name}`, text(list.where[i]) || words.no_stack, text(list.what[i])].filter(line => line));
    });
    map.addEventListener('pointerleave', hideTip);
    map.addEventListener('click', event => { const tile = tileAt(event); if (tile) choose(tile.of); });
    panel.append(el('div', {class: 'row'}, segments, filter, state), map, scroller);
    tabs.push({id: 'allocations', name: words.allocations, panel, filter, arrange, paint: paintMapLater});
    repaint.push(() => {});
    return {arrange, filter, clear: () => { if (look.chosen >= 0) choose(look.chosen); }, paint: paintMapLater};
  };
  /** Squarified: rows along the shorter side, each as square as it gets (Bruls, Huizing, van Wijk 2000). */
  const treemap = (items, sizeOf, width, height) => {
    const sum = items.reduce((total, item) => total + sizeOf(item), 0), tiles = [];
    if (sum <= 0) return tiles;
    const scale = width * height / sum;
    let x = 0, y = 0, w = width, h = height, k = 0;
    while (k < items.length) {
      const side = Math.min(w, h);
      if (side <= 0) break;
      let area = 0, end = k, worst = Infinity;
      const largest = sizeOf(items[k]) * scale;
      for (; end < items.length; end++) {
        const one = Math.max(sizeOf(items[end]) * scale, 1e-9), next = area + one;
        const ratio = Math.max(side * side * largest / (next * next), next * next / (side * side * one));
        if (ratio > worst) break;
        worst = ratio;
        area = next;
      }
      const thick = area / side;
      let at = w >= h ? y : x;
      for (; k < end; k++) {
        const long = sizeOf(items[k]) * scale / thick;
        tiles.push(w >= h ? {of: items[k], x, y: at, w: thick, h: long} : {of: items[k], x: at, y, w: long, h: thick});
        at += long;
      }
      if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    }
    return tiles;
  };

  // ---- stacks

  const stacksTab = filterBy => {
    const panel = el('div', {class: 'panel'}), kRow = 22;
    const icicle = el('canvas', {class: 'icicle', tabindex: '0', role: 'img', 'aria-label': words.stacks});
    const libraries = el('input', {type: 'checkbox', id: 'libraries'});
    const path = el('p', {class: 'path'}), state = el('p', {class: 'quiet', role: 'status'});
    let tree, rootNode = -1, focus = -1, boxes = [], trees = new Map();
    const load = () => {
      const key = `${look.moment}/${libraries.checked}`;
      if (!trees.has(key)) {
        const source = page.moments[look.moment].trees[libraries.checked ? 1 : 0];
        const children = source.name.map(() => []), first = [];
        source.under.forEach((parent, k) => (parent < 0 ? first : children[parent]).push(k));
        const depth = new Array(source.name.length).fill(0);
        source.under.forEach((parent, k) => { depth[k] = parent < 0 ? 0 : depth[parent] + 1; });
        trees.set(key, {...source, children, first, depth});
      }
      tree = trees.get(key);
      rootNode = focus = -1;
      write();
    };
    const name = k => text(tree.name[k]);
    const isOwn = k => tree.library[k] === '0';
    const all = () => page.moments[look.moment].bytes;
    const under = k => k < 0 ? tree.first : tree.children[k];
    const write = () => {
      const chain = [];
      for (let k = rootNode; k >= 0; k = tree.under[k]) chain.unshift(k);
      path.replaceChildren(el('button', {type: 'button', text: words.everything, onclick: () => zoom(-1)}),
        ...chain.flatMap(k => [' › ', el('button', {type: 'button', text: name(k), onclick: () => zoom(k)})]));
      const k = focus >= 0 ? focus : rootNode;
      state.textContent = k < 0 ? fill(words.tree, bytes(all()), page.moments[look.moment].title) + (tree.left_out > 0 ? ' ' + fill(words.calls_left_out, count(tree.left_out)) : '')
        : lines(k).join(' · ');
      icicle.style.height = `${Math.min(Math.max(tree.name.length === 0 ? 1 : deepest(rootNode), 3), 40) * kRow + 4 + (rootNode >= 0 ? kRow : 0)}px`;
      later();
    };
    const deepest = from => { // Of the levels below a node; children stand behind their parents.
      const base = from < 0 ? -1 : tree.depth[from], inside = new Uint8Array(tree.name.length);
      let most = 0;
      tree.under.forEach((parent, k) => {
        inside[k] = parent < 0 ? (from < 0 ? 1 : 0) : parent === from || inside[parent] ? 1 : 0;
        if (inside[k]) most = Math.max(most, tree.depth[k] - base);
      });
      return most;
    };
    const lines = k => [name(k), fill(words.in_allocations, bytes(tree.bytes[k]), count(tree.count[k])), percent(tree.bytes[k] / all())];
    const zoom = k => { rootNode = k; focus = -1; write(); };
    const later = surface(icicle, (g, width) => {
      boxes = [];
      const draw = (k, x, w, level) => {
        boxes.push({k, x, w, level});
        const colour = page.buckets[tree.bucket[k]].colour, y = level * kRow;
        g.fillStyle = colour;
        g.globalAlpha = isOwn(k) ? 1 : 0.45;
        g.fillRect(x, y, Math.max(w - 1, 0.3), kRow - 1);
        g.globalAlpha = 1;
        if (k === focus) { g.strokeStyle = colours.text; g.lineWidth = 2; g.strokeRect(x + 1, y + 1, Math.max(w - 3, 1), kRow - 3); g.lineWidth = 1; }
        if (w > 34) {
          g.textAlign = 'left';
          g.font = `${isOwn(k) ? 600 : 400} 12px ${kFont}`;
          g.fillStyle = isOwn(k) ? inkOn(colour) : colours.text;
          g.fillText(shortened(g, w > 240 ? `${name(k)}  ${bytes(tree.bytes[k])}` : name(k), w - 10), x + 5, y + kRow / 2);
        }
        let at = x;
        for (const child of tree.children[k]) {
          const part = tree.bytes[child] / tree.bytes[k] * w;
          if (part < 0.3) break; // The largest come first.
          draw(child, at, part, level + 1);
          at += part;
        }
      };
      if (rootNode >= 0) return draw(rootNode, 0, width, 0);
      let at = 0;
      for (const k of tree.first) {
        const part = tree.bytes[k] / all() * width;
        if (part < 0.3) break;
        draw(k, at, part, 0);
        at += part;
      }
    });
    const boxAt = event => {
      const area = icicle.getBoundingClientRect(), x = event.clientX - area.left, level = Math.floor((event.clientY - area.top) / kRow);
      return boxes.find(box => box.level === level && x >= box.x && x < box.x + box.w);
    };
    icicle.addEventListener('pointermove', event => {
      const box = boxAt(event);
      icicle.style.cursor = box ? 'pointer' : '';
      if (box) showTip(event, lines(box.k)); else hideTip();
    });
    icicle.addEventListener('pointerleave', hideTip);
    icicle.addEventListener('click', event => { const box = boxAt(event); if (box) zoom(box.k === rootNode ? tree.under[box.k] : box.k); });
    icicle.addEventListener('contextmenu', event => {
      const box = boxAt(event);
      if (box && isOwn(box.k)) { event.preventDefault(); hideTip(); filterBy(name(box.k)); }
    });
    icicle.addEventListener('keydown', event => {
      const beside = by => { const same = focus < 0 ? under(rootNode) : under(tree.under[focus]); return same[Math.min(Math.max(same.indexOf(focus) + by, 0), same.length - 1)]; };
      const keys = {
        ArrowDown: () => under(focus < 0 ? rootNode : focus)[0] ?? focus,
        ArrowUp: () => focus < 0 || tree.under[focus] === rootNode ? focus : tree.under[focus],
        ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
        Enter: () => { if (focus >= 0) zoom(focus); return -1; },
        Backspace: () => { if (rootNode >= 0) zoom(tree.under[rootNode]); return -1; },
        Escape: () => { zoom(-1); return -1; },
        f: () => { if (focus >= 0) filterBy(name(focus)); return focus; },
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      focus = keys[event.key]() ?? -1;
      write();
    });
    libraries.addEventListener('change', load);
    panel.append(el('div', {class: 'row'}, path, el('label', {for: 'libraries', class: 'check'}, libraries, words.libraries)), state, icicle);
    tabs.push({id: 'stacks', name: words.stacks, panel, paint: later});
    return {load, paint: later};
  };

  // ---- the page

  const parts = name => fixed.sections.filter(section => section.dataset.part === name);
  const tidy = section => { // A card that shows its first lines; the rest behind a button.
    if (section.classList.contains('card')) return; // The page of another device did it.
    section.classList.add('card');
    const rest = [...section.children].filter(child => child.tagName !== 'H2').slice(2);
    if (rest.length === 0) return;
    const more = el('div', {class: 'more'}, ...rest), button = el('button', {type: 'button', class: 'why', 'aria-expanded': 'false', text: words.why});
    more.hidden = true;
    button.addEventListener('click', () => {
      more.hidden = !more.hidden;
      button.setAttribute('aria-expanded', String(!more.hidden));
    });
    section.append(button, more);
  };
  const build = () => {
    root.classList.add('live');
    readColours();
    const {sections, title} = fixed;
    const themes = [words.theme_auto, words.theme_light, words.theme_dark], values = ['', 'light', 'dark'];
    const theme = el('button', {type: 'button', class: 'theme', text: themes[0], title: words.theme});
    const nextTheme = () => {
      const next = (values.indexOf(root.dataset.theme || '') + 1) % 3;
      if (values[next]) root.dataset.theme = values[next]; else delete root.dataset.theme;
      theme.textContent = themes[next];
      readColours();
      everything();
    };
    theme.addEventListener('click', nextTheme);
    const help = el('dialog', {class: 'keys'});
    const bar = el('header', {class: 'bar'}, title, el('div', {class: 'tools'}, theme, el('button', {type: 'button', text: words.keys, title: '?', onclick: () => help.showModal()})));
    const first = isRun ? [...parts('verdict'), ...parts('answer')] : sections.slice(0, 1);
    theme.textContent = themes[values.indexOf(root.dataset.theme || '')];
    const strip = el('div', {class: 'strip'}, ...first);
    if (isRun) first.forEach(tidy); else first.forEach(section => section.classList.add('card'));
    const plot = el('div', {class: 'card plot'}, tools, canvas, note);
    const drawing = parts('timeline')[0];
    if (drawing) { drawing.classList.add('replaced'); plot.append(drawing); }
    const stage = el('div', {class: isPair ? 'stage wide-now' : 'stage'}, plot, now);
    const rest = sections.filter(section => !first.includes(section) && section !== drawing);
    let list = null, stacks = null;
    if (isRun) {
      list = allocationsTab();
      stacks = stacksTab(string => { list.filter.value = string.split(' ')[0]; show('allocations'); list.arrange(); });
      chooseMoment = k => {
        look.moment = k;
        if (look.chosen >= 0) list.clear();
        list.arrange();
        stacks.load();
        changed();
      };
      const fixes = rest.filter(section => ['fixes', 'how', 'budget'].includes(section.dataset.part));
      if (fixes.length > 0) tabs.unshift({id: 'fixes', name: words.fixes, panel: el('div', {class: 'panel'}, ...fixes)});
      const others = rest.filter(section => !fixes.includes(section));
      if (others.length > 0) tabs.push({id: 'details', name: words.details, panel: el('div', {class: 'panel'}, ...others)});
    } else {
      tabs.push({id: 'details', name: words.details, panel: el('div', {class: 'panel'}, ...rest)});
    }
    const strips = el('div', {class: 'tabs', role: 'tablist'}), detail = el('div', {class: 'card detail'}, strips);
    for (const tab of tabs) {
      tab.button = el('button', {type: 'button', role: 'tab', id: `tab-${tab.id}`, 'aria-controls': `panel-${tab.id}`, text: tab.name, onclick: () => show(tab.id)});
      tab.panel.id = `panel-${tab.id}`;
      tab.panel.setAttribute('role', 'tabpanel');
      tab.panel.setAttribute('aria-labelledby', tab.button.id);
      strips.append(tab.button);
      detail.append(tab.panel);
    }
    strips.addEventListener('keydown', event => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key], at = tabs.findIndex(tab => !tab.panel.hidden);
      if (by) show(tabs[(at + by + tabs.length) % tabs.length].id, true);
    });
    const show = (id, focuses) => {
      for (const tab of tabs) {
        const is = tab.id === id;
        tab.panel.hidden = !is;
        tab.button.setAttribute('aria-selected', String(is));
        tab.button.tabIndex = is ? 0 : -1;
        if (is) fixed.tab = id;
        if (is && focuses) tab.button.focus();
        if (is && tab.paint) tab.paint();
      }
    };
    const keys = [
      ['← →', words.key_step], ['+ −', words.key_zoom], ['0', words.fit_long], ...(isRun ? [['P', words.key_peak], ['O', words.key_oom]] : []),
      ...(hasClock ? [['X', words.key_axis]] : []), ...(fixed.devices.length > 0 ? [['D', words.key_device]] : []),
      [words.key_drag_name, words.key_drag], ['1 … ' + tabs.length, words.key_tabs], ...(isRun ? [['/', words.filter], ['F', words.key_filter]] : []),
      ['T', words.theme], ['Esc', words.key_escape]].filter(([key]) => !isJob || !['← →', '+ −', '0', words.key_drag_name].includes(key));
    help.append(el('h2', {text: words.keys}), el('table', {}, ...keys.map(([key, what]) => el('tr', {}, el('th', {text: key}), el('td', {text: what})))),
      el('form', {method: 'dialog'}, el('button', {text: words.close})));
    body.replaceChildren(bar, strip, stage, detail, tip, help);
    document.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
      if (event.target.closest('input, select')) return;
      const tab = tabs[Number(event.key) - 1];
      const acts = {
        0: () => zoomTo(all.from, all.to), p: () => goToMoment('peak'), o: () => goToMoment('oom'), t: nextTheme, '?': () => help.showModal(),
        '/': () => { if (list) { show('allocations'); list.filter.focus(); } },
        x: turnAxis, d: () => { if (fixed.devices.length > 0) open((fixed.at + 1) % fixed.devices.length); },
        Escape: () => { look.pinned = look.x = null; look.band = -1; if (list) list.clear(); zoomTo(all.from, all.to); },
      };
      if (event.key === 'p' && !isRun || event.key === 'o' && !isRun) return;
      if (tab) show(tab.id, true);
      else if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
    }, {signal});
    const everything = () => { changed(); tabs.forEach(tab => tab.paint && tab.paint()); };
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); everything(); }, {signal});
    show(tabs.some(tab => tab.id === fixed.tab) ? fixed.tab : tabs[0].id);
    if (isRun) chooseMoment(0);
    changed();
    root.dataset.ready = String(Math.round(performance.now()));
  };
  build();
};
(() => {
  const page = JSON.parse(document.getElementById('tidemark-data').textContent), others = page.devices || [];
  const fixed = {title: document.querySelector('h1'), sections: [...document.querySelectorAll('body > section')],
    devices: others.length > 0 ? [page, ...others].map(device => device.device) : [], at: 0, tab: ''};
  let last = null;
  const open = device => {
    last?.abort();
    last = new AbortController();
    fixed.at = device;
    drawPage(device === 0 ? page : {...page, ...others[device - 1]}, fixed, last.signal, open);
  };
  open(0);
})();
