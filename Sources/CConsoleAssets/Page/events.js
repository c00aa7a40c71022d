// SPDX-License-Identifier: Apache-2.0

// The lists below the tree: events, what is under way, what nobody took, and findings. Rows never jump below
// the pointer: new events wait until the list is at its top again and the pointer elsewhere.

import { $, glyph, h, restyle, tone, word } from './make.js';
import { age, clock, count, duration, gist, leaf, microseconds } from './text.js';

const ROW = 26;
export const tabs = ['Events', 'Under way', 'Undelivered', 'Findings'];

export class Lists {
  #items = []; #pool = []; #isOver = false; #held = 0; #drawnFor = '';

  constructor(page) {
    this.page = page; this.box = $('list');
    this.space = this.box.appendChild(h('div', { class: 'space' }));
    this.box.addEventListener('scroll', () => requestAnimationFrame(() => this.#paint()));
    this.box.addEventListener('pointerenter', () => this.#isOver = true);
    this.box.addEventListener('pointerleave', () => { this.#isOver = false; if (this.#held) this.draw(); });
    this.box.addEventListener('click', e => { const row = e.target.closest('.event'); if (row) this.#take(this.#items[row.index]); });
    this.box.addEventListener('keydown', e => this.#key(e));
    new ResizeObserver(() => this.#paint()).observe(this.box);
  }

  /// New events have ended.
  add() {
    if (this.page.tab !== 'Events') return;
    if (this.#isOver || this.box.scrollTop > 0 || this.page.moment != null) { this.#held = this.#newer(); this.#about(); return; }
    this.draw();
  }

  /// Shows the list from its top.
  reset() { this.box.scrollTop = 0; this.#held = 0; this.draw(); }

  draw() {
    const { page } = this, { model } = page;
    this.#held = 0;
    this.#items = page.tab === 'Events' ? [...model.ended].reverse()
      : page.tab === 'Undelivered' ? [...model.undelivered].reverse()
        : page.tab === 'Findings' ? model.findings : [...model.nodes.values()].filter(n => n.queue).sort((a, b) => b.queue - a.queue);
    this.box.setAttribute('aria-label', page.tab);
    restyle(this.space, { height: `${this.#items.length * ROW}px` });
    this.#tabs(); this.#about(); this.#paint();
  }

  #newer() { const { ended } = this.page.model, top = this.#items[0]; return top ? ended.length - 1 - ended.lastIndexOf(top) : ended.length; }

  #tabs() {
    const { page } = this, { model } = page, busy = [...model.nodes.values()].filter(n => n.queue).length, number = { 'Under way': busy, Undelivered: model.undelivered.length, Findings: model.findings.length };
    const state = JSON.stringify([page.tab, number]);
    if (state === this.#drawnFor) return;
    this.#drawnFor = state;
    const hadFocus = $('tabs').contains(document.activeElement);
    $('tabs').replaceChildren(...tabs.map(name => h('button', { role: 'tab', type: 'button', 'aria-selected': String(name === page.tab), tabindex: name === page.tab ? 0 : -1, onclick: () => page.show(name),
      onkeydown: e => { const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (step) { page.show(tabs[(tabs.indexOf(name) + step + tabs.length) % tabs.length]); e.stopPropagation(); e.preventDefault(); } } },
      name, ' ', number[name] ? h('span', { class: `tag ${name === 'Undelivered' ? 'warn' : ''}` }, count(number[name])) : null)));
    if (hadFocus) $('tabs').querySelector('[aria-selected=true]').focus();
  }

  #about() {
    const { page } = this, { model } = page, left = model.leftOut && Date.now() - model.leftOutAt < 2500;
    $('about').replaceChildren(page.tab === 'Events' ? this.#held ? h('button', { class: 'accent', type: 'button', onclick: () => this.reset() }, `${this.#held} newer`) : left ? `failures first; ${count(model.leftOut.count)}/s are not listed` : 'every event, the newest first'
      : page.tab === 'Findings' ? 'what the declarations say' : page.tab === 'Under way' ? 'who holds how many; this daemon does not say which' : 'nobody took it, or it is held');
  }

  #paint() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 2), last = Math.min(this.#items.length, first + Math.ceil(this.box.clientHeight / ROW) + 4);
    while (this.#pool.length < last - first) this.#pool.push(this.space.appendChild(h('div', { role: 'option' })));
    this.#pool.forEach((row, k) => {
      const i = first + k, item = this.#items[i];
      row.hidden = i >= last;
      if (row.hidden) return;
      row.index = i;
      restyle(row, { transform: `translateY(${i * ROW}px)` });
      this.#fill(row, item);
    });
    if (!this.#items.length && !this.none) this.none = this.box.appendChild(h('p', { class: 'none' }));
    if (this.none) { this.none.hidden = this.#items.length > 0; this.none.textContent = { Events: 'No event has ended yet.', 'Under way': 'Nothing waits or is being worked on.', Undelivered: 'Every event was taken by somebody.', Findings: 'The declarations agree with each other.' }[this.page.tab]; }
  }

  #fill(row, item) {
    const { page } = this, isChosen = page.tab === 'Under way' ? item.number === page.selected : page.tab === 'Findings' ? item.path === page.node?.path : item.id === page.event?.id;
    row.setAttribute('aria-selected', isChosen); row.id = isChosen ? 'chosen' : '';
    if (isChosen) this.box.setAttribute('aria-activedescendant', 'chosen');
    row.className = `event ${{ Events: '', 'Under way': 'underway', Undelivered: 'undelivered', Findings: 'undelivered' }[page.tab]}`;
    row.dataset.id = item.id ?? '';
    row.replaceChildren(...{ Events: () => eventCells(item), 'Under way': () => underWayCells(item), Undelivered: () => undeliveredCells(item), Findings: () => findingCells(item) }[page.tab]());
  }

  #take(item) {
    const { page } = this;
    if (!item) return;
    if (page.tab === 'Under way') page.select(item.number);
    else if (page.tab === 'Findings') { const node = page.model.byPath.get(item.path); if (node) page.select(node.number); }
    else page.choose(page.model.ids.get(item.id) ?? (page.tab === 'Undelivered' ? { ...item, path: item.origin, outcome: item.reason, at: microseconds(item.when), isKept: true } : item));
    this.#paint();
  }

  #key(e) {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 8, PageUp: -8 }[e.key], { page } = this;
    if (!step) return;
    const at = this.#items.findIndex(item => page.tab === 'Under way' ? item.number === page.selected : item.id === page.event?.id), to = Math.max(0, Math.min(this.#items.length - 1, at + step));
    this.#take(this.#items[to]);
    if (to * ROW < this.box.scrollTop) this.box.scrollTop = to * ROW;
    if ((to + 1) * ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = (to + 1) * ROW - this.box.clientHeight;
    e.preventDefault(); e.stopPropagation();
  }
}

/// Where an event began and where it ended.
export function way(event) {
  const to = event.by ? leaf(event.by) : event.paths?.length ? leaf(event.paths[0]) + (event.paths.length > 1 ? ` +${event.paths.length - 1}` : '') : event.error ? event.error.name : 'nobody';
  return `${leaf(event.path)} → ${to}`;
}

const marks = event => event.trail ? event.trail.slice(-8).map(visit => glyph(visit.verdict)) : (event.paths ?? []).slice(0, 8).map(() => glyph('delivered'));

function eventCells(e) {
  return [h('span', { class: 'faint' }, clock(e.at / 1000, 3)), glyph(e.outcome), h('b', { class: 'cut' }, e.name), h('span', { class: 'trailmarks' }, marks(e)),
    h('span', { class: 'cut' }, way(e), h('span', { class: 'muted' }, '   ', e.error?.message ?? gist(e.payload))), h('span', { class: 'num muted' }, e.trail?.length ? duration(e.at - e.from) : '')];
}
const underWayCells = n => [h('b', { class: n.queue > 8 ? 'warn' : '' }, count(n.queue)), glyph(n.state), h('span', { class: 'cut' }, n.path), h('span', { class: 'num muted' }, `${count(n.rate)}/s`), h('span', { class: 'num muted' }, duration(n.mean))];
const undeliveredCells = e => [h('span', { class: 'faint' }, clock(microseconds(e.when) / 1000)), glyph(e.reason, tone[e.reason] ?? 'warn'), h('b', { class: 'cut' }, e.name), h('span', { class: 'muted cut' }, e.heldUntil ? `held, ${age(microseconds(e.heldUntil) / 1000 - Date.now())} left` : word(e.reason)), h('span', { class: 'cut' }, e.origin, h('span', { class: 'muted' }, '   ', gist(e.payload)))];
const findingCells = f => [h('span', { class: 'faint cut' }, f.kind), glyph('unresponsive', 'warn'), h('b', { class: 'cut' }, f.name), h('span', { class: 'muted cut' }, leaf(f.path)), h('span', { class: 'cut', title: f.message }, f.message)];
