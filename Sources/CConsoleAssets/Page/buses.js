// SPDX-License-Identifier: Apache-2.0

// The buses that the console looks at: one is shown at a time, the others by a line each.

import { $, glyph, h, refill, walk } from './make.js';
import { age, clock, count, counted } from './text.js';

export class Buses {
  #drawn = '';

  constructor(page) {
    this.page = page;
    $('buses').addEventListener('beforetoggle', () => this.#place());
    walk($('buses'));
  }

  /// Draws the switcher again if a bus has changed.
  draw() {
    const { buses = [], bus } = this.page.model, state = JSON.stringify([buses, this.page.bus ?? bus]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    $('site').disabled = buses.length < 2;
    for (const [name, value] of buses.length < 2 ? [] : [['popovertarget', 'buses'], ['aria-haspopup', 'listbox']]) $('site').setAttribute(name, value);
    refill($('buses'), buses.map(each => this.#option(each)));
  }

  #option({ name, state, nodes, rate, trouble, since }) {
    const isLive = state === 'live', isShown = name === this.page.bus || !this.page.bus && this.page.model.buses[0].name === name;
    const text = isLive ? [`${count(rate ?? 0)}/s`, trouble && `${count(trouble)} in trouble`].filter(Boolean).join(', ') : since ? `no bus since ${clock(since)}, ${age(Date.now() - since)}` : 'no bus has answered yet';
    return h('button', { class: 'opt', type: 'button', role: 'option', 'aria-selected': String(isShown), 'data-bus': name, onclick: () => { $('buses').hidePopover(); this.page.showBus(name); } },
      glyph(isLive ? 'live' : 'unresponsive'), h('b', { class: 'cut' }, name), h('span', { class: 'muted' }, isLive ? counted(Math.max(0, nodes - 1), 'node') : ''), h('span', { class: trouble || !isLive ? 'warn' : 'muted' }, text));
  }

  #place() {
    const box = $('site').getBoundingClientRect();
    $('buses').style.setProperty('left', `${box.left}px`); $('buses').style.setProperty('top', `${box.bottom + 5}px`);
  }
}
