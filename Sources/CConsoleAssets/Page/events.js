// SPDX-License-Identifier: Apache-2.0

// The lists below the tree: one is shown, as many rows of it as can be seen. Rows never jump below the pointer:
// new events wait until the list is at its top again and the pointer elsewhere.

import { $, copyButton, div, h, pressed, refill, restyle, span } from './make.js';
import { lists, tabs } from './lists.js';
import { count } from './text.js';

const ROW = 26;
const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

export class Lists {
  #items = []; #pool = []; #isOver = false; #held = 0; #drawnTabs = '';

  constructor(page) {
    this.page = page;
    this.box = $('list');
    this.space = this.box.appendChild(div('space'));
    this.none = this.box.appendChild(h('p', { class: 'none', hidden: '' }));
    this.box.addEventListener('scroll', () => requestAnimationFrame(() => this.paint()));
    this.box.addEventListener('pointerenter', () => { this.#isOver = true; });
    this.box.addEventListener('pointerleave', () => this.#leave());
    this.box.addEventListener('click', e => this.#choose(this.#items[e.target.closest('.event')?.index]));
    this.box.addEventListener('keydown', e => this.#key(e));
    new ResizeObserver(() => this.paint()).observe(this.box);
  }

  get #list() { return lists[this.page.tab]; }

  /// New events have ended.
  add() {
    if (this.page.tab !== 'Events') return;
    if (this.#isOver || this.box.scrollTop > 0 || this.page.moment != null) {
      this.#held = this.#newer();
      this.#about();
    } else this.draw();
  }

  /// What the lists have has changed, but for new events. Rows that are held stay where they are.
  refresh() {
    if (this.page.tab !== 'Events' || this.page.moment != null) this.draw();
    else {
      this.#tabs();
      this.#about();
    }
  }

  /// Shows the list from its top.
  reset() {
    this.box.scrollTop = 0;
    this.draw();
  }

  draw() {
    const { page } = this;
    this.#held = 0;
    this.#items = this.#list.items(page);
    this.box.setAttribute('aria-label', page.tab);
    restyle(this.space, { height: `${this.#items.length * ROW}px` });
    this.none.hidden = this.#items.length > 0;
    this.none.replaceChildren(this.#list.none(page));
    this.#tabs();
    this.#about();
    this.paint();
  }

  #leave() {
    this.#isOver = false;
    if (this.#held) this.draw();
  }

  /// The number of items that are newer than the first that is shown.
  #newer() {
    const items = this.#list.items(this.page), place = items.indexOf(this.#items[0]);
    return place < 0 ? items.length : place;
  }

  // MARK: - Drawing

  #tabs() {
    const { page } = this, { kept } = page.model, lengthOf = name => lists[name].items(page).length;
    const numbers = tabs.map(name => name === 'Events' ? 0 : name === 'Undelivered' ? kept : lengthOf(name));
    const state = JSON.stringify([page.tab, numbers, page.moment != null]);
    if (state === this.#drawnTabs) return;
    this.#drawnTabs = state;
    const hadFocus = $('tabs').contains(document.activeElement);
    $('tabs').replaceChildren(...tabs.map((name, i) => this.#tab(name, numbers[i])));
    if (hadFocus) $('tabs').querySelector('[aria-selected=true]').focus();
  }

  #tab(name, number) {
    const { page } = this, isShown = name === page.tab, isUnknown = page.moment != null && lists[name].isLive;
    const turn = e => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      page.show(tabs.at((tabs.indexOf(name) + step) % tabs.length));
      e.stopPropagation();
      e.preventDefault();
    };
    const properties = { role: 'tab', 'aria-selected': String(isShown), tabindex: isShown ? 0 : -1 };
    return h('button', { ...properties, onclick: () => page.show(name), onkeydown: turn },
      name, ' ',
      name !== 'Events' && span(`tag ${number && lists[name].colour || ''}`, isUnknown ? '–' : count(number)));
  }

  /// What is said of the list, and what one may do with it as a whole.
  #about() {
    const { page } = this, list = this.#list;
    const text = this.#held ? pressed('accent', () => this.reset(), `${count(this.#held)} newer`) : list.about?.(page);
    refill($('about'), span('cut', text), list.extra?.(page), copyButton(list.command(page), 'copy'));
  }

  /// Fills the rows that are seen. What is held goes on being held.
  paint() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 2);
    const last = Math.min(this.#items.length, first + Math.ceil(this.box.clientHeight / ROW) + 4);
    while (this.#pool.length < last - first) this.#pool.push(this.space.appendChild(h('div', { role: 'option' })));
    this.#pool.forEach((row, k) => {
      row.hidden = first + k >= last;
      if (!row.hidden) this.#fill(row, first + k);
    });
  }

  #fill(row, index) {
    const item = this.#items[index], list = this.#list, isChosen = list.isChosen(this.page, item);
    row.index = index;
    row.className = `event ${list.kind}`;
    row.id = isChosen ? 'chosen' : '';
    row.dataset.id = item.id ?? '';
    row.setAttribute('aria-selected', isChosen);
    if (isChosen) this.box.setAttribute('aria-activedescendant', 'chosen');
    restyle(row, { transform: `translateY(${index * ROW}px)` });
    row.replaceChildren(...list.cells(item, this.page.model.now));
  }

  // MARK: - Choosing

  #choose(item, how) {
    if (!item) return;
    this.#list.choose(this.page, item, how);
    this.paint();
  }

  #key(e) {
    const step = steps[e.key];
    if (!step || e.ctrlKey || e.metaKey || e.altKey) return;
    const at = this.#items.findIndex(item => this.#list.isChosen(this.page, item));
    const to = Math.max(0, Math.min(this.#items.length - 1, at + step));
    this.#choose(this.#items[to], { keepsHistory: true });
    const { box } = this, lowest = (to + 1) * ROW - box.clientHeight;
    box.scrollTop = Math.max(lowest, Math.min(box.scrollTop, to * ROW));
    e.preventDefault();
    e.stopPropagation();
  }
}
