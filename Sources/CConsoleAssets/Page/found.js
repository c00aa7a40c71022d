// SPDX-License-Identifier: Apache-2.0

// Nodes of all buses that the console shows: what is sought with 'bus:*', or 'bus:' and a pattern; and those of a tree
// that is too large for the page.

import { $, glyph, h, restyle, span } from './make.js';
import { findNodes } from './pull.js';
import { leaf } from './text.js';

const pause = 250;

export class Found {
  #waiting = 0; #sought = '';

  constructor(page) {
    this.page = page;
    $('found').addEventListener('keydown', e => this.#key(e));
  }

  #key(e) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], options = [...$('found').querySelectorAll('.opt')];
    e.stopPropagation();
    if (e.key !== 'Escape' && !step) return;
    e.preventDefault();
    if (e.key === 'Escape') this.hide();
    const next = step ? options.indexOf(document.activeElement) + step : -1;
    (next < 0 ? $('find') : options[Math.min(options.length - 1, next)]).focus();
  }

  get isOpen() { return $('found').matches(':popover-open'); }

  /// Looks in all buses for a text, if it asks for that, or if the page has not all nodes.
  seek(text) {
    clearTimeout(this.#waiting);
    this.#sought = text;
    const isPart = this.page.model.untold > 0 && this.page.moment == null && text.trim();
    if (isPart || /(^|\s)bus:\S/i.test(text)) this.#waiting = setTimeout(() => this.#ask(text), pause);
    else this.hide();
  }

  hide() { if (this.isOpen) $('found').hidePopover(); }

  /// Puts the focus on the first row. Returns whether there is one.
  focus() {
    const first = this.isOpen ? $('found').querySelector('.opt') : null;
    first?.focus();
    return first != null;
  }

  async #ask(text) {
    if (!this.page.session) return;
    let rows;
    try {
      rows = this.#rows(await findNodes(text));
    } catch (error) { rows = [h('p', { class: 'bad' }, error.message)]; }
    // What is sought may be something else meanwhile.
    if (text === this.#sought) this.#show(rows);
  }

  #rows({ found, more, away = [] }) {
    const say = (kind, text) => h('p', { class: kind }, text);
    return [
      ...found.map(row => this.#option(row)),
      found.length === 0 && say('muted', this.page.model.untold
        ? 'None of the nodes that the console knows is such. The bus is asked for a whole path, as /shop/laser.'
        : 'No bus has such a node.'),
      more && say('muted', `These are the first ${found.length}; there are more.`),
      away.length > 0 && say('warn', `As they were before they were away: ${away.join(', ')}`),
    ];
  }

  #option([bus, path, state, unit]) {
    const choose = () => {
      this.hide();
      this.page.goTo(bus, path);
    };
    const properties = { role: 'option', 'data-bus': bus, 'data-path': path, onclick: choose };
    const isOne = this.page.model.buses.length < 2;
    return h('button', { class: 'opt', ...properties },
      glyph(state), isOne ? null : h('b', { class: 'cut' }, bus), span('cut', path),
      span('cut muted', leaf(unit)));
  }

  #show(children) {
    const box = $('find').closest('label').getBoundingClientRect();
    $('found').replaceChildren(...children.filter(Boolean));
    restyle($('found'), { left: `${box.left}px`, top: `${box.bottom + 5}px` });
    if (!this.isOpen) $('found').showPopover();
  }
}
