// SPDX-License-Identifier: Apache-2.0

// One event whole: who was asked and what each answered, what it caused, its payload, its error with the causes.

import { $, copyButton, glyph, h, quoted, tone, word } from './make.js';
import { duration, leaf, microseconds, tick } from './text.js';
import { readDocument } from './pull.js';

const rowsMax = 4096, payloadMax = 65_536;

export class Trace {
  #document = null; #failure = '';

  constructor(page) { this.page = page; }

  /// Shows the chosen event; asks the bus for what it caused.
  async show() {
    const event = this.page.event;
    this.#document = null; this.#failure = '';
    this.#draw();
    if (!event?.id || !this.page.session || this.page.moment != null) return;
    try {
      const document = await readDocument('trace', { id: event.id, sites: 1 });
      if (this.page.event?.id === event.id) { this.#document = document; this.#draw(); }
    } catch (error) { if (this.page.event?.id === event.id) { this.#failure = error.message; this.#draw(); } }
  }

  /// The visits with their places on the axis, and below them the messages that they caused.
  #rows(event) {
    const { sites, model: { ids } } = this.page, d = this.#document, rows = [];
    // Only the trace has the visits at other sites.
    const isJoined = (d?.trail?.length ?? 0) > (event.trail?.length ?? 0), trail = (isJoined ? d.trail : event.trail ?? d?.trail) ?? [];
    const from = (isJoined ? microseconds(d.begun) : null) ?? event.from ?? microseconds(d?.begun) ?? event.at;
    let at = 0, begun = 0, start = 0, last = sites.siteOf(trail[0]?.path);
    for (const visit of trail) {
      const site = sites.siteOf(visit.path);
      // Each site counts from when the event came to it: that is when the site before asked it.
      if (site !== last) { begun = at = start; last = site; }
      start = at = visit.at == null ? at : begun + visit.at;
      const who = visit.path === `/${site}:` ? '/' : leaf(visit.path), what = `${visit.kind} ${visit.name}${site ? ` at the site ${site}` : ''}`;
      rows.push({ ...visit, who, what, site, at, length: visit.microseconds, depth: 0 });
      at += visit.microseconds;
    }
    if (!trail.length) {
      const length = Math.max(1, (event.at ?? from) - from);
      for (const path of event.paths ?? d?.paths ?? []) rows.push({ who: leaf(path), path, what: path, verdict: 'delivered', at: 0, length, depth: 0 });
    }
    const listed = cause => [...ids.values()].filter(e => cause && e.cause === cause).map(e => ({ id: e.id, name: e.name, origin: e.path, outcome: e.outcome }));
    const add = (caused, depth) => {
      for (const { id, name, origin, outcome } of caused) {
        if (rows.length >= rowsMax || depth > 8) return;
        const known = ids.get(id), to = known?.by ?? known?.paths?.[0];
        rows.push({
          id, depth, who: `${name ?? 'a message'}${to ? ` → ${leaf(to)}` : ''}`, what: `raised by ${origin ?? 'a hidden node'}`,
          verdict: outcome ?? 'passed', at: known ? known.from - from : null, length: known ? known.at - known.from : null,
        });
        if (known) add(listed(id), depth + 1);
      }
    };
    add(d?.caused ?? listed(event.id), 1);
    return rows;
  }

  /// The chosen event as the list has it, with what the bus's trace adds.
  get #event() {
    const { event } = this.page, d = this.#document;
    return event && { ...d && { path: d.origin, at: microseconds(d.ended), from: microseconds(d.begun) }, ...d, ...event };
  }

  #draw() {
    const event = this.#event, { model } = this.page;
    if (!event?.id) { $('trace').replaceChildren(h('p', { class: 'none' }, 'No event is chosen.')); return; }
    const rows = this.#rows(event), took = event.at && event.from ? event.at - event.from : 0;
    const axis = new Axis(Math.max(1, took, ...rows.map(row => (row.at ?? 0) + (row.length ?? 0))));
    const visits = rows.filter(row => row.depth === 0), caused = rows.filter(row => row.depth > 0);
    const isKept = event.isKept || model.undelivered.some(e => e.id === event.id), hadFocus = $('trace').contains(document.activeElement);
    $('trace').replaceChildren(
      h('h2', {}, h('span', { class: 'cut' }, event.name ?? ''), h('span', { class: `tag ${tone[event.outcome] ?? ''}` }, ending(event)),
        h('span', { class: 'muted end' }, took > 0 ? duration(took) : '')),
      this.#origin(event),
      h('div', { class: 'scroll' },
        rows.length ? axis.heading(event.trail ? 'Who was asked' : 'Who was told', legend(visits)) : null,
        visits.map(row => this.#hop(row, axis)),
        caused.length ? h('div', { class: 'faint caused' }, 'What it caused') : null, caused.map(row => this.#hop(row, axis)),
        event.omittedVisits ? h('div', { class: 'faint' }, `${event.omittedVisits} visits between the first and the last are left out`) : null,
        (event.unanswered ?? []).map(({ site, message }) => h('div', { class: 'faint' }, `The visits at '${site}' are not shown: ${message}`)),
        causes(event.error), this.#payload(event),
        this.#failure && !event.trail && !event.paths ? h('p', { class: 'faint' }, this.#failure) : null),
      this.#foot(event, isKept));
    if (hadFocus) $('trace').querySelector('.foot .btn')?.focus();
  }

  /// Who raised the event, and what caused it.
  #origin(event) {
    const { ids } = this.page.model, cause = ids.get(event.cause), short = `${event.id.slice(0, 8)}…${event.id.slice(-10)}`;
    const choose = () => this.page.choose(cause ?? { id: event.cause });
    return h('div', { class: 'faint cut by' }, `raised by ${event.path ?? '…'}  ·  `, h('span', { class: 'mono', title: event.id }, short),
      event.cause ? ['  ·  caused by ', h('button', { class: 'accent', type: 'button', onclick: choose }, cause?.name ?? 'another')] : null);
  }

  /// A visit, or a message that the event caused: who, when, and how long.
  #hop(row, axis) {
    const choose = () => { const known = this.page.model.ids.get(row.id); if (known) this.page.choose(known); };
    const who = h(row.id ? 'button' : 'span', { class: 'cut', type: row.id ? 'button' : null, title: row.what, style: { 'padding-left': `${row.depth * 14}px` }, onclick: choose },
      glyph(row.verdict), h('span', { class: 'cut' }, row.who), row.site ? h('span', { class: 'tag site' }, row.site) : null);
    return h('div', { class: 'hop' }, who, h('div', { class: `lane ${tone[row.verdict] ?? ''}`, style: { '--tick': axis.percent(axis.step) } }, row.length == null ? null : bars(row, axis)),
      h('span', { class: 'num muted' }, row.length ? duration(row.length) : ''));
  }

  #foot(event, isKept) {
    const { actions } = this.page, refusal = isKept && actions.refusal('retry');
    const button = (label, press) => h('button', { class: 'btn', type: 'button', onclick: press }, label);
    return h('div', { class: 'foot' },
      isKept ? [actions.button('retry', { id: event.id }), button('What if', () => this.#whatIf(event))] : button('Show on the tree', () => this.#onTree(event)),
      copyButton(`cascadectl trace ${quoted(event.id)}`),
      refusal && h('span', { class: 'faint end refusal', title: refusal }, refusal));
  }

  #payload(event) {
    if (event.leftOutBytes) return h('pre', { class: 'faint' }, `${event.leftOutBytes} bytes are too many to be shown`);
    if (event.payload === undefined) return event.payloadBase64 ? h('pre', {}, `${event.contentType ?? 'binary'}: ${event.payloadBase64.slice(0, 200)}`) : null;
    const text = JSON.stringify(event.payload, null, 1).replace(/\n\s*/g, ' ');
    return h('pre', {}, text.length > payloadMax ? text.slice(0, payloadMax) + ' …' : text);
  }

  #onTree(event) {
    const path = event.by ?? event.paths?.[0] ?? event.trail?.at(-1)?.path ?? event.path, node = this.page.model.byPath.get(path);
    if (node) this.page.select(node.number);
    this.page.tracks.add([event]);
  }

  #whatIf(event) {
    const node = this.page.model.byPath.get(event.path ?? '/');
    if (node) this.page.select(node.number);
    this.page.whatIf(`${event.name}${event.payload === undefined ? '' : ' ' + JSON.stringify(event.payload)}`);
  }
}

/// What the shades of the bars mean.
function legend(visits) {
  if (visits.some(row => row.waited != null)) return h('span', { class: 'end' }, h('span', { class: 'waited' }, '▬'), 'waited ▬worked');
  if (!visits.some(row => row.microseconds != null)) return null;
  const title = 'This daemon tells how long each visit took, not how long it waited.';
  return h('span', { class: 'end', title }, 'waits not measured');
}

/// How an event ended, in a few words.
function ending(event) {
  if (event.outcome === 'handled') return `handled by ${leaf(event.by ?? '/')}`;
  return event.outcome === 'delivered' ? `delivered to ${event.paths?.length ?? 0}` : word(event.outcome ?? 'under way');
}

/// The time of a trace in microseconds, with some three marks.
class Axis {
  constructor(total) {
    this.total = total;
    const raw = total / 2.5, power = 10 ** Math.floor(Math.log10(raw));
    this.step = power * [1, 2, 5, 10].find(m => m * power >= raw);
  }

  percent(value) { return `${(value / this.total * 100).toFixed(2)}%`; }

  heading(title, legend) {
    const ticks = Array.from({ length: Math.ceil(this.total / this.step) }, (_, i) => i * this.step).filter(t => t / this.total < .9);
    return h('div', { class: 'axis' }, h('span', {}, title, legend), h('div', {}, ...ticks.map(t => h('i', { style: { left: this.percent(t) } }, t ? tick(t) : '0'))), h('span'));
  }
}

/// A visit's time in the node's queue, and that of its responder; what was not measured is drawn as work.
function bars({ at, length, waited = 0 }, axis) {
  const bar = (kind, word, from, time) => h('div', { class: `bar ${kind}`, title: `${word} ${duration(time)}`, style: { left: axis.percent(from), width: axis.percent(time) } });
  return [waited ? bar('wait', 'waited', at, waited) : null, bar('', 'worked', at + waited, length - waited)];
}

/// An error and the errors that led to it.
function causes(error) {
  const lines = [];
  for (let e = error; e && lines.length < 32; e = e.cause) {
    const place = e.node ? ` at ${e.node}` : '', message = e.message ? `: ${e.message}` : '';
    lines.push(h('div', { class: lines.length ? 'muted' : 'bad' }, lines.length ? 'because of ' : '', h('b', {}, e.name), place, message));
  }
  return lines.length ? h('div', { class: 'error' }, lines) : null;
}
