// SPDX-License-Identifier: Apache-2.0

// The lists below the tree: events, what is under way, what nobody took, and findings. Rows never jump below
// the pointer: new events wait until the list is at its top again and the pointer elsewhere.

import { $, copyButton, glyph, h, restyle, tone, word } from './make.js';
import { age, clock, count, duration, gist, leaf, microseconds } from './text.js';

const ROW = 26;
const isEvent = (page, event) => event.id === page.event?.id;

/// What each list has: its items, how one is shown and chosen, and what is said of it.
const lists = {
  Events: {
    items: ({ model }) => [...model.ended].reverse(),
    command: 'cascadectl monitor', cells: eventCells, kind: '', isChosen: isEvent, none: 'No event has ended yet.',
    choose: (page, event) => page.choose(event),
    about: ({ model }) => model.isCut ? `failures first; ${count(model.leftOut.count)}/s are not listed` : 'every event, the newest first',
  },
  'Under way': {
    items: ({ model, moment }) => moment != null ? [] : model.underWay ?? model.busiest,
    command: 'cascadectl top', cells: item => item.id ? underWayCells(item) : queueCells(item), kind: 'underway', none: 'Nothing waits or is being worked on.',
    isChosen: (page, item) => item.id ? isEvent(page, item) : item.number === page.selected,
    choose(page, item) {
      const node = item.id ? page.model.byPath.get(item.by) : item;
      if (item.id) page.choose(page.model.ids.get(item.id) ?? { ...item, path: item.origin, from: item.since * 1000 });
      if (node) page.select(node.number);
    },
    about: ({ model }) => model.underWay ? 'the oldest first, and until when' : 'who holds how many; this daemon does not say which',
  },
  Undelivered: {
    items: ({ model }) => [...model.undelivered].reverse(),
    command: 'cascadectl undelivered', cells: undeliveredCells, kind: 'undelivered', isChosen: isEvent, none: 'Every event was taken by somebody.', colour: 'warn',
    choose: (page, event) => page.choose(page.model.ids.get(event.id) ?? { ...event, path: event.origin, outcome: event.reason, at: microseconds(event.when), isKept: true }),
    about: page => page.model.undelivered.length ? [page.actions.button('clear', {}, { kind: 'accent' }), '  ·  nobody took it, or it is held'] : 'nobody took it, or it is held',
  },
  Findings: {
    items: ({ model }) => model.findings,
    command: 'cascadectl check', cells: findingCells, kind: 'undelivered', isChosen: (page, finding) => finding.path === page.node?.path, none: 'The declarations agree with each other.',
    choose(page, finding) { const node = page.model.byPath.get(finding.path); if (node) page.select(node.number); },
    about: () => 'what the declarations say',
  },
};
export const tabs = Object.keys(lists);

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
    const { page } = this;
    this.#held = 0;
    this.#items = lists[page.tab].items(page);
    this.box.setAttribute('aria-label', page.tab);
    restyle(this.space, { height: `${this.#items.length * ROW}px` });
    this.#tabs(); this.#about(); this.#paint();
  }

  #newer() { const { ended } = this.page.model, top = this.#items[0]; return top ? ended.length - 1 - ended.lastIndexOf(top) : ended.length; }

  #tabs() {
    const { page } = this, number = Object.fromEntries(tabs.slice(1).map(name => [name, lists[name].items(page).length]));
    const state = JSON.stringify([page.tab, number]);
    if (state === this.#drawnFor) return;
    this.#drawnFor = state;
    const hadFocus = $('tabs').contains(document.activeElement);
    $('tabs').replaceChildren(...tabs.map(name => h('button', { role: 'tab', type: 'button', 'aria-selected': String(name === page.tab), tabindex: name === page.tab ? 0 : -1, onclick: () => page.show(name),
      onkeydown: e => { const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (step) { page.show(tabs[(tabs.indexOf(name) + step + tabs.length) % tabs.length]); e.stopPropagation(); e.preventDefault(); } } },
      name, ' ', number[name] ? h('span', { class: `tag ${lists[name].colour ?? ''}` }, count(number[name])) : null)));
    if (hadFocus) $('tabs').querySelector('[aria-selected=true]').focus();
  }

  #about() {
    const { page } = this, held = page.tab === 'Events' && this.#held;
    $('about').replaceChildren(h('span', { class: 'cut' }, held ? h('button', { class: 'accent', type: 'button', onclick: () => this.reset() }, `${held} newer`) : lists[page.tab].about(page)), copyButton(lists[page.tab].command, 'copy'));
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
    if (this.none) { this.none.hidden = this.#items.length > 0; this.none.textContent = lists[this.page.tab].none; }
  }

  #fill(row, item) {
    const { page } = this, list = lists[page.tab], isChosen = list.isChosen(page, item);
    row.setAttribute('aria-selected', isChosen); row.id = isChosen ? 'chosen' : '';
    if (isChosen) this.box.setAttribute('aria-activedescendant', 'chosen');
    row.className = `event ${list.kind}`;
    row.dataset.id = item.id ?? '';
    row.replaceChildren(...list.cells(item));
  }

  #take(item) {
    if (!item) return;
    lists[this.page.tab].choose(this.page, item);
    this.#paint();
  }

  #key(e) {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 8, PageUp: -8 }[e.key], { page } = this;
    if (!step) return;
    const at = this.#items.findIndex(item => lists[page.tab].isChosen(page, item)), to = Math.max(0, Math.min(this.#items.length - 1, at + step));
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

function underWayCells({ name, by, origin, since, deadline, lane }) {
  const now = Date.now(), share = deadline ? Math.min(1, Math.max(0, (now - since) / Math.max(1, deadline - since))) : 0, tone = share > .6 ? 'warn' : 'accent';
  return [h('b', { class: share > .6 ? 'warn' : '' }, age(now - since)), h('b', { class: 'cut' }, name), h('span', { class: 'cut' }, by ?? 'waits', h('span', { class: 'muted' }, `   from ${origin}${lane === 'error' ? ', an error' : ''}`)),
    h('span', { class: 'num muted' }, deadline ? `${age(deadline - now)} left` : ''), h('span', { class: 'deadline', style: { '--fill': share, '--fillcolor': `var(--${tone})` } })];
}
const queueCells = n => [h('b', { class: n.queue > 8 ? 'warn' : '' }, count(n.queue)), h('span', {}, glyph(n.state)), h('span', { class: 'cut' }, n.path), h('span', { class: 'num muted' }, `${count(n.rate)}/s`), h('span', { class: 'num muted' }, duration(n.mean))];

function undeliveredCells(e) {
  const until = e.heldUntil ? `held, ${age(microseconds(e.heldUntil) / 1000 - Date.now())} left` : word(e.reason);
  return [h('span', { class: 'faint' }, clock(microseconds(e.when) / 1000)), glyph(e.reason, tone[e.reason] ?? 'warn'), h('b', { class: 'cut' }, e.name), h('span', { class: 'muted cut' }, until), h('span', { class: 'cut' }, e.origin, h('span', { class: 'muted' }, '   ', gist(e.payload)))];
}

function findingCells(f) {
  return [h('span', { class: 'faint cut' }, f.kind), glyph('unresponsive', 'warn'), h('b', { class: 'cut' }, f.name), h('span', { class: 'muted cut' }, leaf(f.path)), h('span', { class: 'cut', title: f.message }, f.message)];
}
