'use strict';
(() => {
const read = id => { const e = document.getElementById(id); return e ? JSON.parse(e.textContent) : null; };
const result = read('result'), data = read('data');
const SVG = 'http://www.w3.org/2000/svg';
const tip = document.getElementById('tip');

/* Numbers as people read them. */
const scaled = (v, units) => { let u = units[0]; for (const x of units) if (Math.abs(v) >= 0.9995 * x[1]) u = x; return Number((v / u[1]).toPrecision(4)) + ' ' + u[0]; };
const time = ns => scaled(ns, [['ns', 1], ['\u00b5s', 1e3], ['ms', 1e6], ['s', 1e9]]);
const bytes = v => scaled(v, [['B', 1], ['kB', 1e3], ['MB', 1e6], ['GB', 1e9]]);
const flop = v => scaled(v, [['flop', 1], ['Mflop', 1e6], ['Gflop', 1e9], ['Tflop', 1e12], ['Pflop', 1e15]]);

/* What is under the pointer. `lines` are pairs of texts, or texts. */
function show(event, title, lines) {
  tip.replaceChildren();
  const b = document.createElement('b');
  b.textContent = title;
  const table = document.createElement('table');
  for (const line of lines) {
    const row = table.insertRow();
    for (const text of [].concat(line)) row.insertCell().textContent = text;
    if (!Array.isArray(line)) row.cells[0].colSpan = 2;
  }
  tip.append(b, table);
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), gap = 14;
  let x = event.clientX + gap, y = event.clientY + gap;
  if (x + box.width > innerWidth - 8) x = Math.max(8, event.clientX - gap - box.width);
  if (y + box.height > innerHeight - 8) y = Math.max(8, event.clientY - gap - box.height);
  tip.style.left = x + 'px';
  tip.style.top = y + 'px';
}
const hide = () => { tip.hidden = true; };

/* Shapes with a title show it at once, in place of the slower one of the browser. */
for (const title of document.querySelectorAll('svg.ss :is(rect,circle)>title')) {
  title.parentNode.dataset.tip = title.textContent;
  title.parentNode.setAttribute('aria-label', title.textContent);
  title.remove();
}
for (const title of document.querySelectorAll('svg.ss>title')) {
  title.parentNode.setAttribute('aria-label', title.textContent);
  title.remove();
}
document.addEventListener('pointermove', event => {
  const shape = event.target.closest && event.target.closest('[data-tip]');
  if (shape) show(event, shape.dataset.tip, []);
  else if (!event.target.closest || !event.target.closest('.view')) hide();
});
document.addEventListener('scroll', hide, {passive: true});

/* The data, when somebody looks. */
const shown = document.getElementById('shown');
shown.closest('details').addEventListener('toggle', () => { shown.textContent = JSON.stringify(result, null, 2); });

/* The rows of the timeline, unpacked once for all sizes of it. */
const PASS = 5, WAIT = 4, TRANSFER = 8;
function unpack(timeline) {
  const list = (flat, n) => Array.from({length: flat.length / n}, (_, i) => flat.slice(i * n, (i + 1) * n));
  timeline.transfer = new Map(list(timeline.transfers, TRANSFER).map(
      ([number, from, to, batch, activity, start, took, size]) => [number, {from, to, batch, activity, start, took, size}]));
  for (const row of timeline.rows) {
    let end = 0;
    row.pass = list(row.passes, PASS).map(([gap, took, activity, chunk, batch]) => {
      const start = end + gap;
      end = start + took;
      return {start, took, activity, chunk, batch};
    });
    row.wait = list(row.waits, WAIT).map(([start, took, activity, transfer]) => ({start, took, activity, transfer}));
    row.blocks = row.chunks.map(chunk => list(chunk, 2).map(([kind, layer]) => ({kind, layer})));
  }
}

/* The tasks of a pass, block by block in the order in which it meets them. */
function work(t, row, pass) {
  const index = [t.forward, t.backward, t.weight].indexOf(pass.activity);
  if (index < 0 || !row.blocks[pass.chunk]) return [];
  const blocks = row.blocks[pass.chunk].map(b => ({...b, name: t.blocks[b.kind].name, tasks: t.blocks[b.kind].tasks[index]}));
  return index === 0 ? blocks : blocks.reverse();
}
const seconds = tasks => tasks.reduce((sum, task) => sum + task[1], 0);

function summary(blocks) {
  let flops = 0, hbm = 0;
  const calls = new Map();
  for (const block of blocks) for (const [, , f, b, , c] of block.tasks) {
    flops += f;
    hbm += b;
    for (const [group, kind, size] of c) {
      const key = group + ' ' + kind, old = calls.get(key) || [0, 0];
      calls.set(key, [old[0] + 1, old[1] + size]);
    }
  }
  const lines = [['work', flop(flops)], ['HBM', bytes(hbm)]];
  for (const [key, [count, size]] of calls) lines.push([key, count + ' \u00d7, ' + bytes(size)]);
  return lines;
}

function layersOf(blocks) {
  const layers = blocks.map(b => b.layer).filter(l => l >= 0);
  if (layers.length === 0) return [];
  const first = Math.min(...layers), last = Math.max(...layers);
  return [['layers', first === last ? String(first) : first + ' to ' + last]];
}

/* What ended a wait, in words. */
function cause(t, wait) {
  const transfer = t.transfer.get(wait.transfer);
  if (!transfer) return [[t.activities[wait.activity], time(wait.took)]];
  const what = t.activities[transfer.activity];
  const from = transfer.from === transfer.to ? what : 'message from stage ' + transfer.from +
      (transfer.batch >= 0 ? ', micro-batch ' + transfer.batch : '');
  return [[t.activities[wait.activity], time(wait.took)], ['until', from], ['which has', bytes(transfer.size) + ' in ' + time(transfer.took)]];
}

/* Kinds of tasks, by their number, with their colours. */
const tasks = {2: ['products', 'sky'], 3: ['attention', 'teal'], 4: ['element-wise', 'yellow'], 5: ['collectives', 'vermillion']};
const other = ['others', 'grey'];

/* One drawing of the timeline: pan, zoom, and what is under the pointer. */
function timelineOf(svg, t, tools) {
  const view = svg.querySelector('.view'), ruler = svg.querySelector('.ruler'), overlay = svg.querySelector('.overlay');
  const box = Object.fromEntries(['x', 'y', 'width', 'height'].map(k => [k, view[k].baseVal.value]));
  const end = t.end_s / t.unit_s, height = box.height / t.rows.length, least = Math.min(end, 200);
  const state = {from: 0, to: end};
  const xOf = ns => box.x + box.width * (ns - state.from) / (state.to - state.from);
  const add = (parent, name, attributes, text) => {
    const e = document.createElementNS(SVG, name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    parent.append(e);
    return e;
  };
  svg.tabIndex = 0;

  function drawRuler() {
    ruler.replaceChildren();
    const wanted = Math.max(2, Math.floor(box.width / 90)), span = state.to - state.from;
    const power = 10 ** Math.floor(Math.log10(span / wanted));
    const step = [1, 2, 5, 10].map(d => d * power).find(s => s >= span / wanted);
    const unit = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']].find(u => state.to >= 0.9995 * u[0]) || [1, 'ns'];
    const digits = Math.max(0, Math.ceil(-Math.log10(step / unit[0]) - 1e-9)), bottom = box.y + box.height;
    for (let ns = Math.ceil(state.from / step) * step; ns <= state.to; ns += step) {
      const x = xOf(ns);
      add(ruler, 'line', {class: 'l-grid', x1: x, x2: x, y1: box.y, y2: bottom});
      add(ruler, 'text', {class: 'soft middle', x, y: bottom + 16}, (ns / unit[0]).toFixed(digits));
    }
    add(ruler, 'text', {class: 'soft end', x: box.x + box.width, y: bottom + 33}, 'time (' + unit[1] + ')');
  }

  const shade = pass => pass.activity === t.backward ? 'black' : 'white';

  /* Inside of a pass: its layers and their tasks, at their shares of the time. */
  function drawInside(row, y, pass) {
    const blocks = work(t, row, pass), all = blocks.reduce((sum, b) => sum + seconds(b.tasks), 0);
    let at = pass.start;
    for (const block of blocks) {
      const took = pass.took * seconds(block.tasks) / all, left = xOf(at), width = xOf(at + took) - left;
      if (left + width > box.x && left < box.x + box.width && width > 3) {
        let x = left;
        for (const task of block.tasks) {
          const w = width * task[1] / seconds(block.tasks), a = Math.max(x, box.x), b = Math.min(x + w, box.x + box.width);
          if (b - a > 0.4) add(overlay, 'rect', {class: 'f-' + (tasks[task[4]] || other)[1], x: a, y: y + height / 2, width: Math.max(b - a - 0.3, 0.3), height: height / 2 - 1});
          x += w;
        }
        add(overlay, 'line', {class: 'l-paper', x1: Math.max(left, box.x), x2: Math.max(left, box.x), y1: y + 1, y2: y + height - 1});
        const name = block.layer >= 0 ? 'L' + block.layer : block.name, visible = Math.max(left, box.x);
        if (Math.min(left + width, box.x + box.width) - visible > 7 * name.length + 6 && height >= 22) add(overlay, 'text', {class: 'small on ' + shade(pass), x: visible + 3, y: y + height / 2 - 3}, name);
      }
      at += took;
    }
  }

  /* The critical path as it is, once not all of it is in view. */
  const steps = Array.from({length: t.path.length / 5}, (_, i) => t.path.slice(5 * i, 5 * i + 5));
  const still = view.querySelector('.path');
  function drawPath() {
    const all = state.to - state.from > 0.999 * end;
    still.style.display = all ? '' : 'none';
    if (all) return;
    const y = stage => {
      let i = 0;
      while (i + 1 < t.rows.length && t.rows[i + 1].stage <= stage) ++i;
      const next = i + 1 < t.rows.length ? t.rows[i + 1].stage : t.rows[i].stage + 1;
      return box.y + height * (i + 0.5 + (stage - t.rows[i].stage) / (next - t.rows[i].stage));
    };
    const clip = ns => Math.min(Math.max(ns, state.from), state.to).toFixed(0);
    const points = [];
    for (const [from, to, , start, stop] of steps) {
      if (stop < state.from || start > state.to) continue;
      points.push(xOf(clip(stop)).toFixed(1) + ',' + y(to).toFixed(1), xOf(clip(start)).toFixed(1) + ',' + y(from).toFixed(1));
    }
    for (const look of ['l-paper bold', 'l-ink thick']) add(overlay, 'path', {class: look, d: points.length > 0 ? 'M' + points.join('L') : ''});
  }

  function drawOverlay() {
    overlay.replaceChildren();
    drawPath();
    let labels = 0, insides = 0;
    t.rows.forEach((row, i) => {
      const y = box.y + height * i;
      for (const pass of row.pass) {
        const left = Math.max(xOf(pass.start), box.x), right = Math.min(xOf(pass.start + pass.took), box.x + box.width);
        if (right - left < 16 || pass.batch < 0 || labels > 1500) continue;
        const inside = right - left > 140 && height >= 14;
        if (inside) {
          drawInside(row, y, pass);
          ++insides;
        }
        if (height >= 13 && !inside) add(overlay, 'text', {class: 'middle small on ' + shade(pass), x: (left + right) / 2, y: y + height / 2 + 4}, pass.batch);
        ++labels;
      }
    });
    svg.dataset.insides = insides;
    svg.dispatchEvent(new Event('drawn', {bubbles: true}));
  }

  function draw() {
    view.setAttribute('viewBox', [1e6 * state.from / end, 0, 1e6 * (state.to - state.from) / end, box.height].join(' '));
    drawRuler();
    drawOverlay();
    svg.dataset.from = state.from;
    svg.dataset.to = state.to;
  }
  function go(from, span) {
    span = Math.min(Math.max(span, least), end);
    state.from = Math.min(Math.max(from, 0), end - span);
    state.to = state.from + span;
    draw();
  }
  const zoom = (factor, share) => {
    const span = state.to - state.from, at = state.from + share * span, next = Math.min(Math.max(span * factor, least), end);
    go(at - share * next, next);
  };
  const pan = share => go(state.from + share * (state.to - state.from), state.to - state.from);

  /* Where a pointer is: the share of the view, the time, the row. */
  function locate(event) {
    const m = svg.getScreenCTM();
    const x = (event.clientX - m.e) / m.a - box.x, y = (event.clientY - m.f) / m.d - box.y;
    const share = x / box.width;
    return {share, ns: state.from + share * (state.to - state.from), row: Math.floor(y / height)};
  }
  const rowOf = stage => t.rows.findIndex(row => row.stage === stage);

  function point(event) {
    const at = locate(event), row = t.rows[at.row];
    if (!row) return hide();
    const slack = 1.5 * (state.to - state.from) / box.width;
    const has = p => at.ns >= p.start - slack && at.ns <= p.start + p.took + slack;
    const pass = row.pass.find(p => at.ns >= p.start && at.ns <= p.start + p.took) || row.pass.find(has);
    const wait = row.wait.find(w => at.ns >= w.start && at.ns <= w.start + w.took) ||
        (pass && row.wait.find(w => Math.abs(w.start + w.took - pass.start) < 2));
    drawOverlay();
    if (wait) drawArrow(wait, at.row);
    if (!pass) return wait ? show(event, 'Stage ' + row.stage + ' waits', cause(t, wait)) : show(event, 'Stage ' + row.stage + ' is idle', []);
    const blocks = work(t, row, pass), lines = [['time', time(pass.took) + ' from ' + time(pass.start)]];
    if (pass.batch >= 0) lines.push(['micro-batch', pass.batch]);
    if (row.chunks.length > 1 && pass.chunk >= 0) lines.push(['chunk', pass.chunk]);
    lines.push(...layersOf(blocks));
    if (blocks.length > 0) lines.push(...summary(blocks));
    const task = taskAt(row, pass, blocks, at.ns);
    if (task) lines.push(['here', task]);
    if (wait) lines.push(...cause(t, wait));
    show(event, 'Stage ' + row.stage + ': ' + t.activities[pass.activity], lines);
  }

  /* The task at a time of a pass, at its share of it. */
  function taskAt(row, pass, blocks, ns) {
    const all = blocks.reduce((sum, b) => sum + seconds(b.tasks), 0);
    let left = all * (ns - pass.start) / pass.took;
    for (const block of blocks) for (const task of block.tasks) {
      left -= task[1];
      if (left <= 0) return task[0] + (block.layer >= 0 ? ', layer ' + block.layer : ', ' + block.name);
    }
    return null;
  }

  /* From who sends to who waits. */
  function drawArrow(wait, toRow) {
    const transfer = t.transfer.get(wait.transfer), fromRow = transfer ? rowOf(transfer.from) : -1;
    if (fromRow < 0 || fromRow === toRow) return;
    const y = i => box.y + height * (i + 0.5);
    add(overlay, 'line', {class: 'l-vermillion arrow', x1: xOf(transfer.start), y1: y(fromRow), x2: xOf(transfer.start + transfer.took), y2: y(toRow)});
    add(overlay, 'circle', {class: 'f-vermillion', cx: xOf(transfer.start + transfer.took), cy: y(toRow), r: 4});
  }

  let held = null;
  view.addEventListener('pointerdown', event => {
    held = {share: locate(event).share, from: state.from};
    view.setPointerCapture(event.pointerId);
    view.classList.add('moves');
  });
  view.addEventListener('pointermove', event => {
    if (!held) return point(event);
    hide();
    go(held.from - (locate(event).share - held.share) * (state.to - state.from), state.to - state.from);
  });
  const release = () => { held = null; view.classList.remove('moves'); };
  view.addEventListener('pointerup', release);
  view.addEventListener('pointercancel', release);
  view.addEventListener('pointerleave', () => { hide(); drawOverlay(); });
  view.addEventListener('dblclick', event => zoom(0.4, locate(event).share));
  svg.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) pan((event.deltaY || event.deltaX) / 800);
    else zoom(Math.exp(event.deltaY / 300), Math.min(Math.max(locate(event).share, 0), 1));
  }, {passive: false});
  const keys = {'+': () => zoom(0.5, 0.5), '-': () => zoom(2, 0.5), '0': () => go(0, end), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2)};
  svg.addEventListener('keydown', event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  tools.push(keys);
  draw();
}

const figure = document.querySelector('#timeline figure');
if (data && data.timeline && figure) {
  const tools = [], bar = document.createElement('div');
  unpack(data.timeline);
  bar.className = 'tools';
  for (const [key, text, label] of [['+', '+', 'Zoom in'], ['-', '\u2212', 'Zoom out'], ['ArrowLeft', '\u2190', 'Earlier'], ['ArrowRight', '\u2192', 'Later'], ['0', 'All', 'Show all']]) {
    const button = document.createElement('button');
    button.textContent = text;
    button.title = label;
    button.addEventListener('click', () => tools.forEach(t => t[key]()));
    bar.append(button);
  }
  const hint = document.createElement('span');
  hint.className = 'hint';
  hint.textContent = 'Drag to move; double click, or Ctrl and the wheel, to zoom; point at a pass or a gap to see what it is.';
  bar.append(hint);
  const key = document.createElement('span');
  key.className = 'key';
  for (const [name, colour] of [...Object.values(tasks), other]) {
    const mark = document.createElementNS(SVG, 'svg'), square = document.createElementNS(SVG, 'rect');
    mark.setAttribute('class', 'ss mark');
    for (const [k, v] of [['class', 'f-' + colour], ['width', 10], ['height', 10]]) square.setAttribute(k, v);
    mark.append(square);
    key.append(mark, name);
  }
  figure.addEventListener('drawn', event => {
    if (event.target.clientWidth === 0) return;
    const inside = event.target.dataset.insides > 0;
    key.hidden = !inside;
    hint.hidden = inside;
  });
  bar.append(key);
  figure.prepend(bar);
  for (const svg of figure.querySelectorAll('svg[data-figure]')) timelineOf(svg, data.timeline, tools);
}
document.documentElement.dataset.ready = 'yes';
})();
