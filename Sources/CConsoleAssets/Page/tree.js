// SPDX-License-Identifier: Apache-2.0

// The tree: as many rows as can be seen, however many there are.

import { $, h, restyle } from './make.js';
import { fillRow, indentBy, worst, x } from './row.js';
import { lacksNumber } from './seeking.js';

export const ROW = 28;
/// Rows that are drawn above and below what is seen.
const spare = 4;
const rulerTokens = ['hair', 'rail', 'warn', 'bad', 'faint'];
const indentMax = 20, indentMin = 5, nameMin = 124;
export const y = row => row * ROW + ROW / 2;

const probe = document.body.appendChild(h('i', { hidden: '' }));
/// The colour of a token in the present theme, for canvases.
export function colour(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

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
  rows = [];
  /// The elements of rows, and which rows they show.
  #pool = []; #first = -1; #last = -1;
  #ruler = null;

  constructor(page) {
    this.page = page;
    this.box = $('tree');
    this.none = this.box.appendChild(h('p', { class: 'none', hidden: '' }));
    this.box.addEventListener('scroll', () => requestAnimationFrame(() => this.draw()));
    this.box.addEventListener('click', e => this.#press(e));
    new ResizeObserver(() => {
      this.#indent();
      this.draw(true);
    }).observe(this.box);
  }

  #press(e) {
    const { page } = this, node = this.rows[e.target.closest('.row')?.index];
    if (!node) return;
    if (e.target.closest('.twist')) {
      page.fold(node, !page.isShut(node));
      return;
    }
    page.select(node.number);
    document.body.classList.add('sheet');
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
    this.box.setAttribute('aria-rowcount', this.rows.length + 1);
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
    if (lacksNumber(sought)) return 'No node matches: rate and queue take a number, as in rate:>100.';
    if (!isWhole) return 'No node matches. Esc in the field of find, or All, shows every node.';
    if (this.rows.length) return 'No node is attached. This attaches one: cascadectl attach /hello --handle Order';
    return model.reason ? `${model.reason} The console goes on trying.` : 'Connecting …';
  }

  /// The selected node and its row, and how far one has scrolled.
  get place() { return [this.page.node?.path, this.rowOf(this.page.node), this.box.scrollTop]; }

  /// Puts the rows in order again. The selected one stays where it was, if it was seen.
  follow([path, row, top]) {
    this.arrange();
    if (this.page.node?.path !== path) return;
    const moved = this.rowOf(this.page.node) - row, place = row * ROW - top;
    if (moved && place >= 0 && place < this.box.clientHeight) this.box.scrollTop = top + moved * ROW;
  }

  /// Gives each level so much that the names of the deepest have room.
  #indent() {
    const width = document.querySelector('.heads > span').offsetWidth;
    const deepest = this.rows.reduce((depth, node) => Math.max(depth, node.depth), 1);
    indentBy(Math.max(indentMin, Math.min(indentMax, Math.floor((width - nameMin) / deepest))));
  }

  /// Shows what is sought from its top, and all nodes where one is.
  narrow() {
    const { page } = this;
    this.box.scrollTop = 0;
    page.arrange();
    if (page.node && !page.model.seeks) this.reveal(page.selected);
  }

  /// The node in whose row another one is seen: itself, or the one around which it is folded.
  standIn(node) {
    while (node && !(node.row >= 0)) node = this.page.model.nodes.get(node.parent);
    return node;
  }

  rowOf(node) { return this.standIn(node)?.row ?? 0; }

  /// Whether a node is seen, or what is folded around it.
  isSeen(node) {
    const { model, folded } = this.page, other = this.standIn(node);
    return other != null && (other === node || !model.seeks && folded.has(other.path));
  }

  reveal(number) {
    const { page, box } = this, node = page.model.nodes.get(number);
    let isFolded = false;
    for (const above of page.model.above(node)) isFolded = page.folded.delete(above.path) || isFolded;
    const other = this.rows[this.rowOf(node)];
    if (other !== node && other?.group?.includes(node)) {
      page.opened.add(other.path);
      isFolded = true;
    }
    if (isFolded) this.arrange();
    const top = this.rowOf(node) * ROW;
    box.scrollTop = Math.max(top + ROW - box.clientHeight, Math.min(box.scrollTop, top));
  }

  // MARK: - Drawing

  draw(force) {
    // What is measured behind a change makes the browser lay out the page once more.
    const { box, rows, page } = this, { scrollTop: top, clientHeight: height } = box;
    const first = Math.max(0, Math.floor(top / ROW) - spare);
    const last = Math.min(rows.length, first + Math.ceil(height / ROW) + 2 * spare + 1);
    const isMoved = first !== this.#first || last !== this.#last;
    if (!isMoved && !force) return;
    this.#first = first;
    this.#last = last;
    this.#drawRows(first, last, force);
    this.#drawRails(first, last);
    this.#drawRoute();
    this.#drawRuler(force, top, height);
    if (page.node) box.setAttribute('aria-activedescendant', `row-${page.node.number}`);
  }

  #drawRows(first, last, force) {
    while (this.#pool.length < last - first) {
      this.#pool.push($('rows').appendChild(h('div', { role: 'row' })));
      // Each row has another element now.
      force = true;
    }
    const used = new Set();
    for (let i = first; i < last; i++) {
      const row = this.#pool[i % this.#pool.length];
      used.add(row);
      if (force || row.index !== i) {
        row.index = i;
        fillRow(row, this.rows[i], i, this.page);
        restyle(row, { transform: `translateY(${i * ROW}px)` });
      }
    }
    for (const row of this.#pool) row.hidden = !used.has(row);
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
    const { page } = this, { byPath } = page.model;
    const asked = [...page.route?.byPath ?? []].filter(([, step]) => step.order);
    asked.sort(([, a], [, b]) => a.order - b.order);
    const stops = page.node ? [page.node, ...asked.map(([path]) => byPath.get(path)).filter(Boolean)] : [];
    const lines = stops.slice(1).map((stop, i) => this.corners(stops[i], stop).map(point => point.join(' ')).join('L'));
    $('lit').setAttribute('d', lines.map(line => `M${line}`).join(''));
  }

  #drawRails(first, last) {
    const { model } = this.page;
    let d = '';
    for (const [k, node] of this.rows.slice(first, last).entries()) {
      const i = first + k, top = i * ROW;
      if (node.depth > 0) d += `M${x(node.depth - 1)} ${top - ROW / 2 + 6}V${y(i) - 5}q0 5 5 5H${x(node.depth) - 8}`;
      // The lines that pass by this row to a later sibling of it or of a node above it.
      for (const above of model.above(node)) if (above.lastRow > i) d += `M${x(above.depth)} ${top}v${ROW}`;
    }
    $('rails').setAttribute('d', d);
  }

  /// All of the tree beside its window: where there is trouble, and where one is. What is costly is done anew
  /// only when rows have changed, not while one scrolls.
  #drawRuler(force, top, height) {
    const { rows } = this, per = Math.min(ROW, height / Math.max(1, rows.length));
    if (force || this.#ruler?.height !== height) this.#ruler = this.#readRuler(height, per);
    const { context, colours, trouble } = this.#ruler;
    const fill = (token, left, top, width, size) => {
      context.fillStyle = colours[token];
      context.fillRect(left, top, width, size);
    };
    context.clearRect(0, 0, 8, height);
    if (rows.length * ROW > height) {
      fill('hair', 0, 0, 8, height);
      fill('rail', 0, top / ROW * per, 8, Math.max(14, height / ROW * per));
    }
    for (const [token, at] of trouble) fill(token, 2, at, 4, Math.max(2, Math.min(3, per)));
  }

  #readRuler(height, per) {
    const marks = this.rows.map((node, i) => [troubleOf(node), i * per + per / 2 - 1]);
    const colours = Object.fromEntries(rulerTokens.map(name => [name, colour(name)]));
    return { height, colours, trouble: marks.filter(([token]) => token), context: surface($('ruler'), 8, height) };
  }
}

/// The colour of what is wrong with a node, if anything is.
function troubleOf(node) {
  const state = worst(node);
  if (state === 'unresponsive') return 'warn';
  if (node.errors) return 'bad';
  return state === 'vacant' ? 'faint' : null;
}
