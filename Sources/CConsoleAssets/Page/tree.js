// SPDX-License-Identifier: Apache-2.0

// The tree: as many rows as can be seen, however many there are.

import { $, glyph, h, restyle, tone, word } from './make.js';
import { age, count, duration, leaf } from './text.js';

const ROW = 28;
const indentMax = 20, indentMin = 5, nameMin = 124;
/// The indentation of a level, which is less when there are so many that names would have no room.
let indent = indentMax;
export const x = depth => 26 + depth * indent;
export const y = row => row * ROW + ROW / 2;

const probe = document.body.appendChild(h('i', { hidden: '' }));
/// The colour of a token in the present theme, for canvases.
export function colour(name) { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; }
/// Prepares a canvas of a size in CSS pixels.
export function surface(canvas, width, height) {
  const ratio = devicePixelRatio;
  canvas.width = width * ratio; canvas.height = height * ratio;
  restyle(canvas, { width: `${width}px`, height: `${height}px` });
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  return context;
}

export class Tree {
  rows = []; #pool = []; #first = -1; #last = -1; #ruler = null;

  constructor(page) {
    this.page = page; this.box = $('tree');
    this.none = this.box.appendChild(h('p', { class: 'none', hidden: '' }));
    this.box.addEventListener('scroll', () => requestAnimationFrame(() => this.draw()));
    this.box.addEventListener('click', e => {
      const row = e.target.closest('.row'), node = row && this.rows[row.index];
      if (!node) return;
      if (e.target.closest('.twist')) page.fold(node, !page.isShut(node)); else { page.select(node.number); document.body.classList.add('sheet'); }
    });
    new ResizeObserver(() => { this.#indent(); this.draw(true); }).observe(this.box);
  }

  /// Puts the rows in order again.
  arrange() {
    const { page } = this;
    this.rows = page.model.roots ? page.model.arrange(page) : [];
    for (const node of this.rows) {
      const parent = page.model.nodes.get(node.parent);
      if (parent) parent.lastRow = node.row;
      node.lastRow = -1;
    }
    restyle($('rows'), { height: `${this.rows.length * ROW}px` });
    this.box.setAttribute('aria-rowcount', this.rows.length);
    this.none.replaceChildren(this.#emptiness());
    this.none.hidden = !this.none.firstChild.length;
    restyle(this.none, { top: `${this.rows.length * ROW + 14}px` });
    this.#indent();
    this.draw(true);
  }

  /// Why there are no nodes to be seen; '' if there are.
  #emptiness() {
    const { model, moment, past, sought, filter } = this.page, isWhole = !sought.trim() && filter === 'All';
    if (this.rows.length > (isWhole ? 1 : 0)) return '';
    if (moment != null) return past.words;
    if (!this.rows.length && model.state === 'away') return model.reason ? `${model.reason} The console goes on trying.` : 'Connecting …';
    return isWhole ? 'No node is attached. This attaches one: cascadectl attach /hello --handle Order' : 'No node matches. Esc in the field of find, or All, shows every node.';
  }

  #indent() {
    const width = document.querySelector('.heads > span').offsetWidth;
    const deepest = this.rows.reduce((depth, node) => Math.max(depth, node.depth), 1);
    indent = Math.max(indentMin, Math.min(indentMax, Math.floor((width - nameMin) / deepest)));
  }

  toTop() { this.box.scrollTop = 0; this.page.arrange(); }
  numbersShown() { return this.rows.slice(Math.max(0, this.#first), this.#last).filter(node => !node.of).map(node => node.number); }
  /// The row that stands for a node: its own, or that of what is folded around it.
  rowOf(node) { return this.standIn(node)?.row ?? 0; }
  standIn(node) { while (node && !(node.row >= 0)) node = this.page.model.nodes.get(node.parent); return node; }
  /// Whether a node is seen, or what is folded around it.
  isSeen(node) {
    const { model, folded } = this.page, other = this.standIn(node);
    return other != null && (other === node || !model.seeks && folded.has(other.number));
  }

  reveal(number) {
    const { page, box } = this, node = page.model.nodes.get(number);
    let isFolded = false;
    for (const above of page.model.above(node)) isFolded = page.folded.delete(above.number) || isFolded;
    const standsIn = this.rows[this.rowOf(node)];
    if (standsIn?.group && standsIn !== node && standsIn.group.includes(node)) { page.opened.add(standsIn.number); isFolded = true; }
    if (isFolded) this.arrange();
    const top = this.rowOf(node) * ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
  }

  // MARK: - Drawing

  draw(force) {
    const { box, rows } = this, first = Math.max(0, Math.floor(box.scrollTop / ROW) - 4), last = Math.min(rows.length, first + Math.ceil(box.clientHeight / ROW) + 9);
    if (first === this.#first && last === this.#last && !force) return;
    if (this.page.model.nodes.size > 1000 && (first !== this.#first || last !== this.#last)) this.page.hurry();
    this.#first = first; this.#last = last;
    while (this.#pool.length < last - first) { this.#pool.push($('rows').appendChild(h('div', { role: 'row' }))); force = true; }
    const used = new Set();
    for (let i = first; i < last; i++) {
      const row = this.#pool[i % this.#pool.length];
      used.add(row);
      if (force || row.index !== i) { row.index = i; this.#fill(row, rows[i], i); }
      row.hidden = false;
    }
    for (const row of this.#pool) if (!used.has(row)) row.hidden = true;
    this.#drawRails(first, last); this.#drawRoute();
    this.#drawRuler(force);
    if (this.page.node) this.box.setAttribute('aria-activedescendant', `row-${this.page.node.number}`);
  }

  /// The corners between two nodes, along the lines that are there.
  corners(a, b) {
    const { nodes } = this.page.model, seen = node => this.standIn(node) ?? node;
    [a, b] = [seen(a), seen(b)];
    const up = (node, above) => {
      const points = [[x(node.depth), y(node.row)]];
      for (let n = node; n !== above && nodes.get(n.parent); n = nodes.get(n.parent)) {
        const p = nodes.get(n.parent);
        points.push([x(p.depth), y(this.rowOf(n))], [x(p.depth), y(this.rowOf(p))]);
      }
      return points;
    };
    const aboveB = new Set([b, ...this.page.model.above(b)]);
    let common = a;
    while (!aboveB.has(common)) common = nodes.get(common.parent);
    return [...up(a, common), ...up(b, common).reverse().slice(1)];
  }

  /// The way that an event would take, from the selected node by those who would be asked.
  #drawRoute() {
    const { page } = this, asked = [...page.route?.byPath ?? []].filter(([, step]) => step.order).sort(([, a], [, b]) => a.order - b.order).map(([path]) => page.model.byPath.get(path));
    const stops = page.node ? [page.node, ...asked.filter(Boolean)] : [];
    $('lit').setAttribute('d', stops.slice(1).map((stop, i) => `M${this.corners(stops[i], stop).map(point => point.join(' ')).join('L')}`).join(''));
  }

  #drawRails(first, last) {
    const { nodes } = this.page.model;
    let d = '';
    for (let i = first; i < last; i++) {
      const node = this.rows[i];
      if (node.depth > 0) d += `M${x(node.depth - 1)} ${i * ROW - ROW / 2 + 6}V${y(i) - 5}q0 5 5 5H${x(node.depth) - 8}`;
      // The lines that pass by this row to a later sibling of it or of a node above it.
      for (let p = nodes.get(node.parent); p; p = nodes.get(p.parent)) if (p.lastRow > i) d += `M${x(p.depth)} ${i * ROW}v${ROW}`;
    }
    $('rails').setAttribute('d', d);
  }

  #fill(row, node, i) {
    const { page } = this, step = page.route?.byPath?.get(node.path), isShut = page.isShut(node), isFolded = isShut && (node.group || node.children.length > 0);
    const sum = isFolded ? page.model.sum(node) : node, hasChildren = node.children.length > 0 || node.group || page.isMount(node);
    const isDim = page.route?.byPath ? !step?.order : !node.isMatch;
    row.className = `grid row ${node.state}${isDim ? ' dim' : ''}${isFolded ? ' folded' : ''}${page.sites.mark(node)}`;
    row.id = `row-${node.number}`;
    restyle(row, { transform: `translateY(${i * ROW}px)` });
    const attributes = {
      'data-path': node.path, 'data-state': node.state, 'aria-level': node.depth + 1, 'aria-rowindex': i + 1,
      'aria-selected': node.number === page.selected, 'aria-expanded': hasChildren ? !isShut : null,
    };
    for (const [name, value] of Object.entries(attributes)) if (value == null) row.removeAttribute(name); else row.setAttribute(name, value);
    row.replaceChildren(
      this.#name(node, sum, isFolded, hasChildren && (isShut ? '▸' : '▾'), step), this.#asked(node, step),
      cell('cut muted', node.unit || leaf(node.program)), rateCell(node, sum, page.moment != null), queueCell(sum.queue),
      cell(`num ${sum.mean > 5000 ? 'warn' : sum.mean != null && !isFolded ? '' : 'none'}`, isFolded ? '·' : duration(sum.mean) || '·'),
      cell(`num ${sum.errors ? 'bad' : 'none'}`, sum.errors ? count(sum.errors) : '·'));
  }

  #name(node, sum, isFolded, twist, step) {
    const label = node.group ? node.group.label ??= groupLabel(node.group) : node.name, mark = glyph(node.group ? worst(node.group) : node.state);
    mark.classList.add('state'); restyle(mark, { left: `${x(node.depth) - 6}px` });
    const folded = isFolded && [sum.count.toLocaleString('en'), sum.silent && `${sum.silent} silent`, sum.vacant && `${sum.vacant} vacant`].filter(Boolean).join(', ');
    return h('div', { class: 'name', role: 'rowheader', style: { 'padding-left': `${x(node.depth) + 4}px` } },
      mark, h('b', { class: 'cut', title: label }, label),
      twist && h('span', { class: 'twist', 'aria-hidden': 'true' }, twist),
      isFolded && h('span', { class: `tag ${sum.silent ? 'warn' : ''}` }, folded),
      !node.group && this.page.sites?.tag(node),
      step?.order > 0 && h('span', { class: 'order' }, step.order),
      !this.page.route && this.#hint(node));
  }

  /// The word for a state that is not the normal one.
  #hint({ state, since, note }) {
    if (note) return h('span', { class: `cut ${tone[state] ?? ''}`, title: note }, note);
    if (state === 'live') return null;
    const { model, moment } = this.page, isVacant = state === 'vacant' && moment == null;
    const text = isVacant ? `vacant for ${age(Date.now() - model.behind - since)}` : word(state);
    return h('span', { class: `tag ${state === 'unresponsive' ? 'warn' : ''}` }, text);
  }

  #asked(node, step) {
    if (step) return h('div', { class: `cut ${step.order ? '' : 'faint'}`, role: 'gridcell', title: step.why }, step.why);
    const list = (names, mark, tone) => names.length ? h('span', { class: 'cut' }, h('i', { class: tone }, mark), h('span', { class: 'cut' }, names.join('  '))) : null;
    return h('div', { class: 'ask', role: 'gridcell', title: [...node.asked, ...node.told].join(', ') }, list(node.asked, '↑', 'accent'), list(node.told, '↓', 'down'));
  }

  /// All of the tree beside its window: where there is trouble, and where one is. What is costly is done anew
  /// only when rows have changed, not while one scrolls.
  #drawRuler(force) {
    const { box, rows } = this, height = box.clientHeight, per = Math.min(ROW, height / Math.max(1, rows.length));
    if (force || !this.#ruler || this.#ruler.height !== height) {
      const trouble = [];
      rows.forEach((node, i) => {
        const state = node.group ? worst(node.group) : node.state, token = state === 'unresponsive' ? 'warn' : node.errors ? 'bad' : state === 'vacant' ? 'faint' : null;
        if (token) trouble.push([token, i * per + per / 2 - 1]);
      });
      this.#ruler = { height, trouble, context: surface($('ruler'), 8, height), colours: Object.fromEntries(['hair', 'rail', 'warn', 'bad', 'faint'].map(name => [name, colour(name)])) };
    }
    const { context, colours, trouble } = this.#ruler;
    context.clearRect(0, 0, 8, height);
    if (rows.length * ROW > height) {
      context.fillStyle = colours.hair; context.fillRect(0, 0, 8, height);
      context.fillStyle = colours.rail; context.fillRect(0, box.scrollTop / ROW * per, 8, Math.max(14, height / ROW * per));
    }
    for (const [token, at] of trouble) { context.fillStyle = colours[token]; context.fillRect(2, at, 4, Math.max(2, Math.min(3, per))); }
  }
}

const { compare } = new Intl.Collator('en', { numeric: true });
/// The first and the last of the names of nodes alike.
function groupLabel(group) {
  const names = group.map(node => node.name).sort(compare);
  return `${names[0]} … ${names.at(-1)}`;
}

const cell = (classes, text) => h('div', { class: classes, role: 'gridcell' }, text);
const worst = group => ['unresponsive', 'vacant', 'leaving', 'inactive'].find(state => group.some(n => n.state === state)) ?? 'live';

function rateCell(node, sum, isPast) {
  const spark = isPast ? [] : node.spark ?? [], top = Math.max(1, ...spark), from = 37 - Math.min(37, spark.length - 1), shown = spark.slice(-38);
  const points = shown.map((v, i) => `${(from + i) * 2},${17 - v / top * 15}`).join(' ');
  return h('div', { class: 'rate', role: 'gridcell' }, shown.length > 1 && node.path !== '/' ? h('svg', { viewBox: '0 0 74 18', 'aria-hidden': 'true' }, h('polyline', { points })) : null,
    h('span', { class: sum.rate ? 'num' : 'num none' }, sum.rate ? count(sum.rate) : '·'));
}

function queueCell(queue) {
  const fill = Math.min(1, queue / 128);
  return h('div', { class: `queue ${queue ? '' : 'none'}`, role: 'gridcell' }, queue ? h('i', { style: { '--fill': fill, '--fillcolor': `var(--${fill > .7 ? 'warn' : 'accent'})` } }) : null, queue ? count(queue) : '·');
}
