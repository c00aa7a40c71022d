// SPDX-License-Identifier: Apache-2.0

// Nodes of all buses that the console shows: what is sought with 'bus:*', or 'bus:' and a pattern.

import { $, glyph, h } from './make.js';
import { findNodes } from './pull.js';

const pause = 250;

export class Found {
  #waiting = 0; #sought = '';

  constructor(page) {
    this.page = page;
    $('found').addEventListener('keydown', e => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], options = [...$('found').querySelectorAll('.opt')];
      if (e.key === 'Escape') { this.hide(); $('find').focus(); } else if (!step) { e.stopPropagation(); return; } else {
        const next = options.indexOf(document.activeElement) + step;
        if (next < 0) $('find').focus(); else options[Math.min(options.length - 1, next)]?.focus();
      }
      e.preventDefault(); e.stopPropagation();
    });
  }

  get isOpen() { return $('found').matches(':popover-open'); }

  /// Looks in all buses for a text, if it asks for that.
  seek(text) {
    clearTimeout(this.#waiting);
    this.#sought = text;
    if (!/(^|\s)bus:\S/i.test(text)) { this.hide(); return; }
    this.#waiting = setTimeout(() => this.#ask(text), pause);
  }

  hide() { if (this.isOpen) $('found').hidePopover(); }

  /// Puts the focus on the first row. Returns whether there is one.
  focus() { const first = this.isOpen && $('found').querySelector('.opt'); first?.focus?.(); return Boolean(first); }

  async #ask(text) {
    if (!this.page.session) return;
    try { const answer = await findNodes(text); if (text === this.#sought) this.#draw(answer); }
    catch (error) { if (text === this.#sought) this.#show([h('p', { class: 'bad' }, error.message)]); }
  }

  #draw({ found, more, away = [] }) {
    const option = ([bus, path, state, unit]) => h('button', { class: 'opt', type: 'button', role: 'option', 'data-bus': bus, 'data-path': path, onclick: () => { this.hide(); this.page.goTo(bus, path); } },
      glyph(state), h('b', { class: 'cut' }, bus), h('span', { class: 'cut' }, path), h('span', { class: 'cut muted' }, unit));
    this.#show([...found.map(option),
      found.length ? null : h('p', { class: 'muted' }, 'No bus has such a node.'),
      more ? h('p', { class: 'muted' }, `These are the first ${found.length}; there are more.`) : null,
      away.length ? h('p', { class: 'warn' }, `As they were before they were away: ${away.join(', ')}`) : null]);
  }

  #show(children) {
    const box = $('find').closest('label').getBoundingClientRect();
    $('found').replaceChildren(...children.filter(Boolean));
    $('found').style.setProperty('left', `${box.left}px`); $('found').style.setProperty('top', `${box.bottom + 5}px`);
    if (!this.isOpen) $('found').showPopover();
  }
}
