// SPDX-License-Identifier: Apache-2.0

// The line above the tree: how many nodes are in each state, or the question of a what-if.

import { $, copyButton, glyph, h, pressed, quoted, refill, span, tone } from './make.js';
import { filters } from './seeking.js';
import { count, counted, leaf, questionOf } from './text.js';

const marks = { Live: 'live', Inactive: 'inactive', Vacant: 'vacant', Silent: 'unresponsive' };

export class Filters {
  #drawnRoute = null;
  /// The buttons stay when their numbers change, so that a press that has begun is not lost.
  #chips = Object.keys(filters).map(name => h('button', { class: 'chip', onclick: () => this.page.setFilter(name) },
    marks[name] && glyph(marks[name], tone[marks[name]]), name, h('b')));

  constructor(page) { this.page = page; }

  /// Draws the line again. 'question' is what a new what-if begins with.
  draw(question) {
    if (!this.page.isAsking) { this.#drawFilters(); return; }
    // What one types is kept until there is another answer.
    if (question == null && $('question') && this.#drawnRoute === this.page.route) return;
    this.#drawnRoute = this.page.route;
    this.#drawQuestion(question);
  }

  #drawQuestion(question) {
    const { page } = this, { route, panel, actions } = page;
    const failure = route?.failure, text = route?.question ?? question ?? questionOf(page.event);
    const press = e => {
      if (e.key === 'Enter') panel.ask(e.target.value); else if (e.key === 'Escape') page.endRoute();
      e.stopPropagation();
    };
    const field = h('input', {
      id: 'question', class: 'field mono', 'aria-label': 'Name and payload', spellcheck: 'false', autocomplete: 'off',
      placeholder: 'PrintJob {"kind": "pdf"}', onkeydown: press,
    });
    field.value = text;
    const hadFocus = document.activeElement.id === 'question';
    $('tools').replaceChildren(
      h('b', { class: 'accent' }, 'What if'), field,
      h('span', { class: `cut ${failure ? 'bad' : 'muted'}`, id: 'answer', title: failure }, this.#answer(route)),
      span('end'), copyButton(this.#command(route), 'copy'),
      actions.button('trigger', () => panel.from, () => panel.question(), { label: 'Raise it' }),
      pressed('btn', () => page.endRoute(), 'Done ', h('kbd', {}, 'esc')));
    if (hadFocus) field.focus();
  }

  #answer(route) {
    const from = leaf(this.page.node?.path ?? '/'), asked = route?.responders.filter(step => step.asked).length;
    if (!route) return `from ${from}: press Enter. Nothing is sent.`;
    return route.failure ?? `from ${from}, ${asked} would be asked. Nothing is sent.`;
  }

  /// The command that asks the same question.
  #command(route) {
    const { panel } = this.page, [, name, payload] = panel.parts(route?.question ?? $('question')?.value ?? '');
    const words = [name || 'NAME', payload, '--from', panel.from].filter(Boolean).map(quoted);
    return ['cascadectl route', ...words].join(' ');
  }

  #drawFilters() {
    const { page } = this, names = Object.keys(filters), numbers = Object.fromEntries(names.map(name => [name, 0]));
    for (const node of page.model.nodes.values()) {
      if (node.parent && !node.note) for (const name of names) if (filters[name](node)) numbers[name]++;
    }
    names.forEach((name, i) => {
      this.#chips[i].ariaPressed = String(name === page.filter);
      this.#chips[i].lastChild.textContent = numbers[name].toLocaleString('en');
    });
    refill($('tools'), this.#chips, this.#untold(), span('faint end cut', this.#way()));
  }

  /// What is said of nodes that are not shown.
  #untold() {
    const { model, node, moment } = this.page, path = node?.path ?? '/';
    if (!model.untold) return null;
    const command = path === '/' ? 'cascadectl tree' : `cascadectl tree ${quoted(path)}`;
    const text = `${counted(model.untold, 'node')} not listed`, isNow = moment == null;
    const title = `${text}, of the lower levels. A node that is unfolded asks for those below it; find takes a path.`;
    const said = span('cut', isNow ? `${text}: unfold, or find by path` : text);
    return h('span', { class: 'warn untold', title: isNow ? title : text }, said, isNow && copyButton(command, 'copy'));
  }

  /// What is shown of what moves.
  #way() {
    const { model, moment, past, tracks, bar, isStopped } = this.page, rate = model.perSecond;
    if (moment != null) return past.words;
    if (!bar.isReached) return model.nodes.size ? 'As it was when the console was last reached' : '';
    if (model.state === 'away') return model.nodes.size ? 'As it was when the bus was lost' : '';
    if (isStopped) return 'As it was when it was stopped';
    if (!rate || !model.isCut && !tracks.hasLeftOut) return 'Each event is shown on its way';
    // At least one is not shown.
    const all = Math.ceil(rate), shown = Math.min(tracks.shownPerSecond, all - 1);
    return `Shown on their way: ${shown} of ${count(all)} a second`;
  }
}
