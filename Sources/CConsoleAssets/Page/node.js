// SPDX-License-Identifier: Apache-2.0

// One node whole: what it is, how it has answered, what it reads and why, what it offers. The root shows the
// bus.

import { $, copyButton, div, h, quoted, redraw, span } from './make.js';
import * as parts from './parts.js';
import { readDocument } from './pull.js';
import { notNow, say } from './actions.js';

const refreshTime = 2000, askingTime = 500, foreignTime = 4500, toldMax = 8;

export class NodePanel {
  /// Which node it is of, when the bus was last asked, and what is drawn.
  #number = 0; #path = ''; #askedAt = 0; #drawn = '';
  /// The node's documents, the key that is explained, and the names of which the node is the last subscriber.
  #document = null; #values = null; #failure = ''; #explained = ''; #explanation = null; #last = new Set();

  constructor(page) {
    this.page = page;
    setInterval(() => {
      const isLive = page.model.state === 'live' && page.bar.isReached;
      if (!document.hidden && isLive && !page.isStopped) this.refresh();
    }, refreshTime);
  }

  /// Shows another node.
  show() {
    this.#forget();
    this.#explained = this.#drawn = '';
    this.#number = this.page.selected;
    this.#askedAt = 0;
    this.#draw();
    this.refresh();
    const { node, sites, actions } = this.page;
    if (this.page.isAsking) this.#askAgain();
    if (!node || sites.isForeign(node)) return;
    actions.learn(node.path);
    if (this.from !== node.path) actions.learn(this.from);
  }

  #forget() {
    this.#document = this.#values = this.#explanation = null;
    this.#failure = '';
  }

  /// Asks for the documents of the node again, unless that was just done.
  async refresh() {
    const { node, selected, session, moment } = this.page, number = this.#number;
    if (number !== selected || !node && this.#drawn) {
      this.show();
      return;
    }
    if (!node) return;
    if (node.path === '/' || node.note || moment != null) {
      this.#forget();
      this.#draw();
      return;
    }
    const least = this.page.sites.isForeign(node) ? foreignTime : askingTime;
    if (!session || Date.now() - this.#askedAt < least) return;
    this.#askedAt = Date.now();
    // A site that did not tell its tree is not asked for more.
    if (node.of?.failure) this.#failure = node.of.failure;
    else try { await this.#read(node); } catch (error) { if (number === this.#number) this.#failure = error.message; }
    if (number === this.#number) this.#draw();
  }

  async #read(node) {
    const { number } = node, told = node.told.slice(0, toldMax), [path, site] = this.page.sites.addressOf(node);
    const ask = (kind, of) => readDocument(kind, { ...of, ...(site && { site }) });
    const [status, values, explanation, ...subscribers] = await Promise.all([
      ask('status', { path }), ask('env', { path }),
      this.#explained ? ask('explain', { path, key: this.#explained }) : null,
      ...told.map(name => ask('subscribers', { name })),
    ]);
    if (number !== this.#number) return;
    this.#document = status.node;
    this.#values = values.values;
    this.#explanation = explanation;
    this.#failure = '';
    this.#last = new Set(told.filter((name, i) => subscribers[i].last.includes(path)));
  }

  /// The path of the node that is shown, or was until it left.
  get path() { return this.#path; }

  /// Reads the node's documents again, because they are others now.
  refreshSoon() {
    this.#askedAt = 0;
    this.refresh();
  }

  #explain(key) {
    this.#explained = this.#explained === key ? '' : key;
    this.#explanation = null;
    this.#drawn = '';
    this.#draw();
    if (this.#explained) this.refreshSoon();
  }

  /// Goes to the first value, for the keyboard.
  focusEnvironment() {
    const value = $('node').querySelector('button.kv');
    if (!value) return;
    document.body.classList.add('sheet');
    value.focus();
    value.scrollIntoView({ block: 'nearest' });
  }

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
    const { page, from } = this, { node } = page, [text, name, payload] = this.parts(question);
    let route = null;
    try {
      route = await readDocument('route', { name, from, ...(payload && { payload }) });
      route.byPath = new Map([...this.#others(name), ...steps(route.responders)]);
    } catch (error) { route = { responders: [], failure: error.message }; }
    // Another node may be selected meanwhile, or nothing be asked any more.
    if (page.isAsking && node === page.node) page.setRoute({ ...route, question: text });
  }

  /// Asks the same of the node that is selected now.
  #askAgain() {
    const { page } = this, { node } = page, { value } = $('question');
    if (!node || page.sites.isForeign(node)) page.endRoute();
    else if (page.route) this.ask(value);
    else page.filters.draw(value);
  }

  /// Why those who are passed by are not asked, by their paths, and who begins.
  #others(name) {
    const { node, model } = this.page;
    const others = model.above(node).map(({ path }) => [path, { order: 0, why: `nothing responds to ${name}` }]);
    return node.parent ? [...others, [node.path, { order: 0, why: 'raises it: begins at its parent' }]] : others;
  }

  /// The question as the event that it asks about, raised as a child of the selected node's parent would.
  question() {
    const [, name, payload] = this.parts($('question').value), body = { name, from: this.from };
    try { if (payload) body.payload = JSON.parse(payload); } catch {
      say('The payload is no JSON.', 'bad');
      return null;
    }
    return body;
  }

  // MARK: - Drawing

  #draw() {
    const { node, model } = this.page;
    if (!node) {
      $('node').replaceChildren(parts.gone(model.past?.noTree ? '' : this.#path));
      return;
    }
    this.#path = node.path;
    const known = [[...this.#last], this.#document, this.#values, this.#failure, this.#explained, this.#explanation];
    const seen = [
      node.path === '/' && model.totals, node.state, node.note, node.of?.failure, this.page.moment != null, model.state,
      this.page.sites.stateOf(node),
    ];
    const state = JSON.stringify([...known, ...seen]);
    if (state !== this.#drawn) redraw($('node'), ...node.path === '/' ? this.#busParts(node) : this.#nodeParts(node));
    this.#drawn = state;
    $('node').querySelector('.facts')?.replaceChildren(...parts.facts(node, model));
    $('node').querySelector('.since')?.replaceChildren(parts.since(node, this.#now));
  }

  #busParts(node) {
    const { model, sites } = this.page, { totals } = model, above = sites.rowsAbove();
    const about = [
      ...[model.release, totals && `pid ${totals.pid}`].filter(Boolean).map(part => `${part}  ·  `),
      span('', model.bus),
    ];
    return [
      parts.head(node, '/', 'The bus itself', about, this.#now), div('facts'),
      above.length ? parts.site(above, 'this bus is one') : '', ...parts.ofBus(totals, this.page.moment == null),
      this.#acts('cascadectl status'),
    ];
  }

  /// A row that stands for no node.
  #noteParts(node) {
    const { model, sites } = this.page, parent = model.nodes.get(node.parent)?.path ?? '', { site } = node.of;
    const about = site == null ? ['', 'Not listed'] : ['a node of another bus'];
    return [
      parts.head(node, site ?? node.name, parent, '', this.#now), div('facts'),
      parts.site(sites.rowsOfNode(node), ...about), this.#acts(`cascadectl status ${quoted(parent)}`),
    ];
  }

  #nodeParts(node) {
    if (node.note) return this.#noteParts(node);
    const { page } = this, { model, sites } = page, document = this.#document, values = this.#values ?? [];
    const isForeign = sites.isForeign(node), [, site] = sites.addressOf(node);
    const isLost = this.#failure || model.state === 'away';
    const waits = isLost ? 'Not known.' : `Asking the ${isForeign ? 'site' : 'bus'} …`;
    const none = text => page.moment != null ? 'Not recorded.' : document ? text : waits;
    const process = parts.process(node, document) || 'no process holds this place';
    // An event that this bus does not know is asked of the site.
    const choose = event => page.choose(!isForeign || model.ids.has(event.id) ? event
      : { id: event.id, name: event.name, outcome: event.outcome, at: event.at, site });
    return [
      parts.head(node, node.name, model.nodes.get(node.parent)?.path ?? '', process, this.#now),
      div('facts'),
      this.#failure ? h('p', { class: 'part bad' }, this.#failure) : '',
      isForeign ? parts.site(sites.rowsOfNode(node), 'a node of another bus')
        : node.site ? parts.site(sites.rows(node)) : '',
      parts.responders(node, document, model, this.#last),
      parts.environment(values.flatMap(entry => this.#value(node, entry)), none('Nothing is set for it.')),
      parts.preferences(document, none('None are offered.')),
      parts.outcomes(document, model.ids, choose, none('None yet.')),
      this.#acts(`cascadectl status ${quoted(node.path)}`),
    ];
  }

  /// The time by the clock of the bus, or the moment that is shown.
  get #now() { return this.page.moment ?? this.page.model.now; }

  #value(node, entry) {
    const isOpen = entry.key === this.#explained, row = parts.value(entry, isOpen, () => this.#explain(entry.key));
    if (!isOpen) return [row];
    const actions = this.page.sites.isForeign(node) ? null : this.page.actions;
    return [row, parts.explanation(entry, node.path, this.#explanation?.candidates, actions, this.#now)];
  }

  #acts(command) {
    const { page } = this, button = { class: 'btn' };
    const denial = page.moment != null ? { 'aria-disabled': 'true', title: notNow } : {};
    const fill = () => $('menu').replaceChildren(...page.actions.menu(page.node).filter(Boolean));
    return div('acts',
      h('button', { ...button, ...denial, onclick: () => page.whatIf() }, 'What if … ', h('kbd', {}, 'w')),
      copyButton(command),
      h('button', { ...button, 'aria-haspopup': 'menu', popovertarget: 'menu', onclick: fill }, 'Act …'));
  }
}

/// What a route says of each node: the order in which it would be asked, and why, or why not.
function steps(responders) {
  const byPath = new Map();
  let order = 0;
  for (const { path, asked, name, kind, why } of responders) {
    const known = byPath.get(path), number = asked ? ++order : 0;
    if (known && (known.order || !number)) continue;
    byPath.set(path, { order: number, why: name ? `${kind} ${name}: ${why}` : why });
  }
  return byPath;
}
