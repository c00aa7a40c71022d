// SPDX-License-Identifier: Apache-2.0

// One node whole: what it is, how it has answered, what it reads and why, what it offers. The root shows the
// bus.

import { $, copyButton, h, quoted } from './make.js';
import * as parts from './parts.js';
import { readDocument } from './pull.js';
import { say } from './actions.js';

const refreshTime = 2000, toldMax = 8;

/// What tells the buttons of the panel apart.
const nameOf = button => button.dataset.key ?? button.textContent;

export class NodePanel {
  #document = null; #values = null; #failure = ''; #explained = ''; #explanation = null; #number = 0; #askedAt = 0; #drawn = ''; #last = new Set();

  constructor(page) {
    this.page = page;
    setInterval(() => { if (!document.hidden && page.model.state === 'live' && !page.isStopped) this.refresh(); }, refreshTime);
  }

  /// Shows another node.
  show() {
    this.#document = this.#values = this.#explanation = null; this.#explained = this.#failure = this.#drawn = '';
    this.#number = this.page.selected; this.#askedAt = 0;
    this.#draw(); this.refresh();
  }

  /// Asks for the documents of the node again, unless that was just done.
  async refresh() {
    const { node } = this.page, number = this.#number;
    if (!node || number !== this.page.selected || Date.now() - this.#askedAt < 500 || !this.page.session) { if (number !== this.page.selected) this.show(); return; }
    this.#askedAt = Date.now();
    if (node.path === '/' || node.of || this.page.moment != null) { this.#document = this.#values = null; this.#failure = ''; this.#draw(); return; }
    try {
      const { path } = node, told = node.told.slice(0, toldMax);
      const [status, values, explanation, ...subscribers] = await Promise.all([
        readDocument('status', { path }), readDocument('env', { path }),
        this.#explained ? readDocument('explain', { path, key: this.#explained }) : null,
        ...told.map(name => readDocument('subscribers', { name })),
      ]);
      if (number !== this.#number) return;
      this.#document = status.node; this.#values = values.values; this.#explanation = explanation; this.#failure = '';
      this.#last = new Set(told.filter((name, i) => subscribers[i].last.includes(node.path)));
    } catch (error) { if (number === this.#number) this.#failure = error.message; }
    this.#draw();
  }

  async #explain(key) {
    this.#explained = this.#explained === key ? '' : key; this.#explanation = null; this.#drawn = '';
    this.#draw();
    if (!this.#explained) return;
    this.#askedAt = 0;
    await this.refresh();
  }

  /// Opens the explanation of the first value, for the keyboard.
  focusEnvironment() { const value = $('node').querySelector('button.kv'); if (value) { document.body.classList.add('sheet'); value.focus(); value.scrollIntoView({ block: 'nearest' }); } }

  // MARK: - What if

  /// Where an event of the selected node begins: at its parent.
  get from() { const { node, model } = this.page; return model.nodes.get(node?.parent)?.path ?? '/'; }

  /// A question's text, its name and its payload.
  parts(question) {
    const text = question.trim(), space = text.search(/\s/);
    return [text, space < 0 ? text : text.slice(0, space), space < 0 ? '' : text.slice(space).trim()];
  }

  /// Asks who would be asked if the selected node raised an event. Nothing is sent to any node.
  async ask(question) {
    const { page, from } = this, [text, name, payload] = this.parts(question);
    try {
      const route = await readDocument('route', { name, from, ...(payload && { payload }) });
      const told = new Set();
      let order = 0;
      route.question = text;
      route.byPath = this.#others(name);
      for (const step of route.responders) {
        const known = told.has(step.path) ? route.byPath.get(step.path) : null, number = step.asked ? ++order : 0;
        told.add(step.path);
        if (!known || number && !known.order) route.byPath.set(step.path, { order: number, why: step.name ? `${step.kind} ${step.name}: ${step.why}` : step.why });
      }
      page.setRoute(route);
    } catch (error) { page.setRoute({ question: text, responders: [], failure: error.message }); }
  }

  /// Why those who are passed by are not asked, by their paths, and who begins.
  #others(name) {
    const { node, model } = this.page;
    const others = new Map(model.above(node).map(({ path }) => [path, { order: 0, why: `nothing responds to ${name}` }]));
    if (node.parent) others.set(node.path, { order: 0, why: 'raises it: begins at its parent' });
    return others;
  }

  /// The question as the event that it asks about, raised as a child of the selected node's parent would.
  question() {
    const [, name, payload] = this.parts($('question').value), body = { name, from: this.from };
    if (payload) try { body.payload = JSON.parse(payload); } catch { say('The payload is no JSON.', 'bad'); return null; }
    return body;
  }

  /// Reads the node's documents again after an action.
  refreshSoon() { this.#askedAt = 0; this.refresh(); }

  // MARK: - Drawing

  #draw() {
    const { node, model } = this.page;
    if (!node) { $('node').replaceChildren(h('div', { class: 'head muted' }, 'No node is selected.')); return; }
    const known = [[...this.#last], this.#document, this.#values, this.#failure, this.#explained, this.#explanation];
    const state = JSON.stringify([
      ...known, node.path === '/' && model.totals, node.state, this.page.moment != null, node.note, node.of?.failure,
    ]);
    if (state === this.#drawn) { this.#drawFacts(node); return; }
    this.#drawn = state;
    const held = $('node').contains(document.activeElement) && nameOf(document.activeElement);
    const scrolled = $('node').scrollTop;
    $('node').replaceChildren(...node.path === '/' ? this.#busParts(node) : this.#nodeParts(node));
    if (held) [...$('node').querySelectorAll('button')].find(button => nameOf(button) === held)?.focus();
    $('node').scrollTop = scrolled;
    this.#drawFacts(node);
  }

  #drawFacts(node) { $('node').querySelector('.facts')?.replaceChildren(...parts.facts(node, this.page.model)); }

  #busParts(node) {
    const { model } = this.page, { totals } = model;
    const about = [`${model.release}${totals ? `  ·  pid ${totals.pid}` : ''}  ·  `, h('span', {}, model.bus)];
    return [parts.head(node, '/', 'The bus itself', about, this.#now), h('div', { class: 'facts' }), ...parts.ofBus(totals), this.#acts('cascadectl status')];
  }

  /// A node of another site, of which the bus knows no more than its row.
  #foreignParts(node) {
    const { model, sites } = this.page;
    return [
      parts.head(node, node.note ? node.of.site : node.name, model.nodes.get(node.parent)?.path ?? '', parts.process(node), this.#now), h('div', { class: 'facts' }),
      parts.site(sites.rowsOfNode(node), 'a node of another bus'),
      node.note ? '' : parts.responders(node, null, model, this.#last), this.#acts(`cascadectl status ${quoted(node.note ? model.nodes.get(node.parent).path : node.path)}`),
    ];
  }

  #nodeParts(node) {
    if (node.of) return this.#foreignParts(node);
    const { page } = this, { model } = page, document = this.#document, none = text => page.moment == null ? text : 'Not recorded.';
    return [
      parts.head(node, node.name, model.nodes.get(node.parent)?.path ?? '', parts.process(node, document) || 'no process holds this place', this.#now),
      h('div', { class: 'facts' }),
      this.#failure ? h('p', { class: 'part bad' }, this.#failure) : '',
      node.site ? parts.site(page.sites.rows(node)) : '',
      parts.responders(node, document, model, this.#last),
      parts.environment((this.#values ?? []).flatMap(entry => this.#value(node, entry)), none('Nothing is set for it.')),
      parts.preferences(document, none('None are offered.')),
      parts.outcomes(document, model.ids, event => page.choose(event), none('None yet.')),
      this.#acts(`cascadectl status ${quoted(node.path)}`),
    ];
  }

  get #now() { return Date.now() - this.page.model.behind; }

  #value(node, entry) {
    const isOpen = entry.key === this.#explained, row = parts.value(entry, isOpen, () => this.#explain(entry.key));
    return isOpen ? [row, parts.explanation(entry, node.path, this.#explanation?.candidates, this.page.actions)] : [row];
  }

  #acts(command) {
    const { actions, moment } = this.page, isPast = moment != null, fill = () => $('menu').replaceChildren(...actions.menu(this.page.node).filter(Boolean));
    return h('div', { class: 'acts' },
      h('button', {
        class: 'btn', type: 'button', 'aria-disabled': isPast ? 'true' : null, onclick: () => this.page.whatIf(),
        title: isPast ? 'Only the bus of now can be asked.' : null,
      }, 'What if … ', h('kbd', {}, 'w')),
      copyButton(command),
      h('button', { class: 'btn', type: 'button', 'aria-haspopup': 'menu', popovertarget: 'menu', onclick: fill }, 'Act …'));
  }
}
