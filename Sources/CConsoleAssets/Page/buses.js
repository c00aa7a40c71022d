// SPDX-License-Identifier: Apache-2.0

// The buses that the console looks at: one is shown at a time, the others by a line each.

import { $, glyph, h, refill, restyle, span, walk } from './make.js';
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
    if (buses.length > 1) {
      $('site').setAttribute('popovertarget', 'buses');
      $('site').setAttribute('aria-haspopup', 'listbox');
    }
    refill($('buses'), buses.map(each => this.#option(each)));
  }

  #option(bus) {
    const { name, state, nodes, trouble } = bus, { page } = this, isLive = state === 'live';
    const isShown = name === (page.bus ?? page.model.buses[0].name);
    const choose = () => {
      $('buses').hidePopover();
      page.showBus(name);
    };
    const properties = { role: 'option', 'aria-selected': String(isShown), 'data-bus': name, onclick: choose };
    return h('button', { class: 'opt', ...properties },
      glyph(isLive ? 'live' : 'unresponsive'), h('b', { class: 'cut' }, name),
      span('muted', isLive && nodes != null ? counted(Math.max(0, nodes - 1), 'node') : ''),
      span(trouble || !isLive ? 'warn' : 'muted', condition(bus, page.model.now)));
  }

  #place() {
    const box = $('site').getBoundingClientRect();
    restyle($('buses'), { left: `${box.left}px`, top: `${box.bottom + 5}px` });
  }
}

/// How busy a bus is and what is wrong, or since when it is away.
function condition({ state, rate = 0, trouble, since }, now) {
  const isLive = state === 'live';
  if (!isLive && !since) return 'no bus has answered yet';
  if (!isLive) return `no bus since ${clock(since)}, ${age(now - since)}`;
  return `${count(rate)}/s${trouble ? `, ${count(trouble)} in trouble` : ''}`;
}
