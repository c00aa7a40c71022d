// SPDX-License-Identifier: Apache-2.0

// One node whole: what it is, how it has answered, what it reads and why, what it offers. The root shows the
// bus.

import { $, copyButton, glyph, h, quoted, tone, word } from './make.js';
import { age, bytes, count, duration, gist, leaf, microseconds, oneLine } from './text.js';
import { readDocument } from './pull.js';

const refreshTime = 2000;

export class NodePanel {
  #document = null; #values = null; #failure = ''; #explained = ''; #explanation = null; #number = 0; #askedAt = 0; #drawn = '';

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
    if (node.path === '/' || this.page.moment != null) { this.#document = this.#values = null; this.#failure = ''; this.#draw(); return; }
    try {
      const [status, values, explanation] = await Promise.all([readDocument('status', { path: node.path }), readDocument('env', { path: node.path }), this.#explained ? readDocument('explain', { path: node.path, key: this.#explained }) : null]);
      if (number !== this.#number) return;
      this.#document = status.node; this.#values = values.values; this.#explanation = explanation; this.#failure = '';
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

  /// Asks who would be asked if the selected node raised an event. Nothing is sent to any node.
  async ask(question) {
    const { page } = this, text = question.trim(), space = text.search(/\s/), name = space < 0 ? text : text.slice(0, space), payload = space < 0 ? '' : text.slice(space).trim();
    const node = page.node, from = node && node.path !== '/' ? page.model.nodes.get(node.parent)?.path ?? '/' : '/';
    try {
      const route = await readDocument('route', { name, from, ...(payload && { payload }) });
      let order = 0;
      route.question = text; route.byPath = new Map();
      for (const step of route.responders) {
        const known = route.byPath.get(step.path), number = step.asked ? ++order : 0;
        if (!known || number && !known.order) route.byPath.set(step.path, { order: number, why: step.name ? `${step.kind} ${step.name}: ${step.why}` : step.why });
      }
      page.setRoute(route);
    } catch (error) { page.setRoute({ question: text, responders: [], failure: error.message }); }
  }

  // MARK: - Drawing

  #draw() {
    const { node, model } = this.page;
    if (!node) { $('node').replaceChildren(h('div', { class: 'head muted' }, 'No node is selected.')); return; }
    const state = JSON.stringify([this.#document, this.#values, this.#failure, this.#explained, this.#explanation, node.path === '/' && model.totals]) + node.state;
    if (state === this.#drawn) { this.#drawFacts(node); return; }
    this.#drawn = state;
    const held = document.activeElement?.dataset?.key, scrolled = $('node').scrollTop;
    $('node').replaceChildren(...node.path === '/' ? this.#busParts(node) : this.#nodeParts(node));
    if (held) $('node').querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
    $('node').scrollTop = scrolled;
    this.#drawFacts(node);
  }

  #head(node, name, over, under) {
    return h('div', { class: 'head' }, h('div', { class: 'muted cut' }, over), h('h2', {}, h('span', { class: 'cut' }, name), h('span', { class: `tag ${tone[node.state]}` }, word(node.state)), node.since && h('span', { class: 'faint since' }, `for ${age(Date.now() - this.page.model.behind - node.since)}`)),
      h('div', { class: 'muted cut' }, under), h('button', { class: 'icon shut', type: 'button', 'aria-label': 'Close', onclick: () => document.body.classList.remove('sheet') }, '×'));
  }

  #drawFacts(node) {
    const box = $('node').querySelector('.facts'), { totals } = this.page.model;
    if (!box) return;
    const fact = (value, label, token = '') => h('div', {}, h('b', { class: token }, value), h('small', {}, label));
    box.replaceChildren(...node.path === '/' ? [fact(count(this.page.model.perSecond), 'ended/s'), fact(count(totals?.counters['sessions'] ?? 0), 'sessions'), fact(count((totals?.counters.eventsUnderWay ?? 0) + (totals?.counters.publicationsUnderWay ?? 0)), 'under way'), fact(count(totals?.counters.nodesLost ?? 0), 'nodes lost', totals?.counters.nodesLost ? 'warn' : '')]
      : [fact(`${count(node.rate)}/s`, 'events'), fact(count(node.queue), 'queued', node.queue > 8 ? 'warn' : ''), fact(duration(node.mean) || '–', 'mean', node.mean > 5000 ? 'warn' : ''), fact(count(node.errors), 'errors', node.errors ? 'bad' : '')]);
  }

  #busParts(node) {
    const { model } = this.page, { totals } = model, line = (name, value, rest = '') => h('div', { class: 'kv' }, h('span', { class: 'cut' }, name), h('span', { class: 'mono cut' }, value), h('span', { class: 'faint' }, rest));
    const counters = Object.entries(totals?.counters ?? {}).filter(([name, value]) => value && !name.startsWith('nodes.'));
    const uses = Object.entries(totals?.uses ?? {}).filter(([, value]) => value);
    return [this.#head(node, '/', 'The bus itself', [h('span', {}, model.bus), `  ·  ${model.release}`, totals ? `  ·  pid ${totals.pid}` : '']), h('div', { class: 'facts' }),
      part('Counters', 'since the daemon began', counters.map(([name, value]) => line(name, value.toLocaleString('en')))),
      part('Limits', 'what is used of them', uses.map(([name, value]) => line(name, value.toLocaleString('en'), `of ${count(totals.limits[name] ?? 0)}`))),
      this.#acts('cascadectl status')];
  }

  #nodeParts(node) {
    const d = this.#document, isPast = this.page.moment != null, preferences = Object.entries(d?.preferences ?? {});
    const about = [[d?.unit ?? node.unit, leaf(d?.program ?? node.program)].filter(Boolean).join('  ·  '), d?.pid && `pid ${d.pid}`, (d?.user ?? node.user) && `user ${d?.user ?? node.user}`, d?.residentBytes && bytes(d.residentBytes)].filter(Boolean).join('  ·  ');
    return [this.#head(node, node.name, this.page.model.nodes.get(node.parent)?.path ?? '', about || 'no process holds this place'), h('div', { class: 'facts' }),
      this.#failure && h('p', { class: 'part bad' }, this.#failure),
      part('Responders', '', [...(d?.responders ?? node.asked.map((name, index) => ({ index, kind: '', name }))).map(r => h('div', { class: 'kv resp' }, h('span', {}, h('span', { class: 'faint' }, `${r.index}  `), r.kind), h('b', {}, r.name), r.when && h('span', { class: 'mono cut', title: r.when }, r.when))),
        ...(d?.subscriptions ?? node.told).map((name, i) => h('div', { class: 'kv resp' }, h('span', {}, h('span', { class: 'faint' }, `${i}  `), 'subscribe'), h('b', { class: 'down' }, name), h('span', { class: 'muted' }, node.state === 'inactive' ? 'not while inactive' : '')))], 'It asks to be asked for nothing.'),
      part('Environment', 'what it reads, and why', (this.#values ?? []).flatMap(entry => this.#value(node, entry)), isPast ? 'Not recorded.' : 'Nothing is set for it.', h('kbd', {}, 'e')),
      part('Preferences', 'its own and those below, reduced', preferences.map(([key, value]) => h('div', { class: 'kv' }, h('span', { class: 'cut' }, key), h('span', { class: 'mono cut' }, oneLine(value)))), isPast ? 'Not recorded.' : 'None are offered.'),
      part('Last outcomes', 'raised or handled here', (d?.outcomes ?? []).map(e => h('button', { class: 'last', type: 'button', onclick: () => this.page.choose(this.page.model.ids.get(e.id) ?? { ...e, at: microseconds(e.when) }) }, glyph(e.outcome), h('span', { class: 'cut' }, e.name), h('span', { class: 'muted cut' }, e.error?.message ?? gist(this.page.model.ids.get(e.id)?.payload)), h('span', { class: 'muted' }, outcomeTime(this.page.model.ids.get(e.id))))), isPast ? 'Not recorded.' : 'None yet.'),
      this.#acts(`cascadectl status ${quoted(node.path)}`)];
  }

  #value(node, entry) {
    const isOpen = entry.key === this.#explained, from = entry.from ?? '', isRule = /:\d+$/.test(from), isSet = from.startsWith('/') && !isRule;
    const row = h('button', { class: 'kv', type: 'button', 'aria-expanded': String(isOpen), 'data-key': entry.key, onclick: () => this.#explain(entry.key) }, h('span', { class: 'cut' }, entry.key), h('span', { class: 'mono cut' }, oneLine(entry.value) || '–'), h('span', { class: isSet ? 'accent cut' : 'faint cut', title: from }, isSet ? `set at ${from}` : isRule ? leaf(from) : from));
    if (!isOpen) return [row];
    const now = Date.now();
    return [row, h('div', { class: 'why' }, ...(this.#explanation?.candidates ?? []).flatMap(c => [glyph(c.won ? 'handled' : 'passed', c.won ? 'good' : 'faint'), h('span', { class: `mono cut ${c.won ? '' : 'lost'}` }, c.value === undefined ? c.kind : `${c.kind} ${oneLine(c.value)}`), h('span', { class: 'faint from', title: c.from ?? '' }, c.kind === 'rule' ? leaf(c.from ?? '') : c.from ?? ''),
      h('small', {}, [c.why, c.by && `by ${c.by}`, c.kind === 'set' && c.since && `${age(now - microseconds(c.since) / 1000)} ago`].filter(Boolean).join(', '))]),
    h('span', { class: 'wide' }, this.#explanation ? copyButton(`cascadectl env explain ${quoted(entry.key)} --at ${quoted(node.path)}`) : 'Asking the bus …'))];
  }

  #acts(command) {
    return h('div', { class: 'acts' }, h('button', { class: 'btn', type: 'button', onclick: () => this.page.whatIf() }, 'What if … ', h('kbd', {}, 'w')), copyButton(command), h('span', { class: 'faint', title: 'This console was started without --allow-actions.' }, 'looks only'));
  }
}

const outcomeTime = event => event?.trail?.length ? duration(event.at - event.from) : '';

function part(title, about, rows, none = '', mark = null) {
  return h('div', { class: 'part' }, h('h3', {}, title, h('span', {}, about), mark), rows.length ? rows : none && h('div', { class: 'kv faint' }, none));
}
