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
      const document = await readDocument('trace', { id: event.id });
      if (this.page.event?.id === event.id) { this.#document = document; this.#draw(); }
    } catch (error) { if (this.page.event?.id === event.id) { this.#failure = error.message; this.#draw(); } }
  }

  /// The visits with their places on the axis, and below them the messages that they caused.
  #rows(event) {
    const { ids } = this.page.model, d = this.#document, trail = event.trail ?? d?.trail ?? [], from = event.from ?? microseconds(d?.begun) ?? event.at, rows = [];
    let at = 0;
    for (const visit of trail) { rows.push({ ...visit, who: leaf(visit.path), what: `${visit.kind} ${visit.name}`, at, length: visit.microseconds, depth: 0 }); at += visit.microseconds; }
    if (!trail.length) for (const path of event.paths ?? d?.paths ?? []) rows.push({ who: leaf(path), path, what: path, verdict: 'delivered', at: 0, length: Math.max(1, (event.at ?? from) - from), depth: 0 });
    const add = (caused, depth) => {
      for (const { id, name, origin, outcome } of caused) {
        if (rows.length >= rowsMax || depth > 8) return;
        const known = ids.get(id), to = known?.by ?? known?.paths?.[0];
        rows.push({ id, who: `${name ?? 'a message'}${to ? ` → ${leaf(to)}` : ''}`, what: `raised by ${origin ?? 'a hidden node'}`, verdict: outcome ?? 'passed', at: known ? known.from - from : null, length: known ? known.at - known.from : null, depth });
        if (known) add([...ids.values()].filter(e => e.cause === id).map(e => ({ id: e.id, name: e.name, origin: e.path, outcome: e.outcome })), depth + 1);
      }
    };
    add(d?.caused ?? [...ids.values()].filter(e => event.id && e.cause === event.id).map(e => ({ id: e.id, name: e.name, origin: e.path, outcome: e.outcome })), 1);
    return rows;
  }

  #draw() {
    const event = this.page.event && { ...this.#document && { path: this.#document.origin, at: microseconds(this.#document.ended), from: microseconds(this.#document.begun) }, ...this.#document, ...this.page.event };
    if (!event?.id) { $('trace').replaceChildren(h('p', { class: 'none' }, 'No event is chosen.')); return; }
    const rows = this.#rows(event), total = Math.max(1, event.at && event.from ? event.at - event.from : 0, ...rows.map(row => (row.at ?? 0) + (row.length ?? 0))), percent = v => `${(v / total * 100).toFixed(2)}%`;
    const raw = total / 2.5, power = 10 ** Math.floor(Math.log10(raw)), step = power * [1, 2, 5, 10].find(m => m * power >= raw), ticks = Array.from({ length: Math.ceil(total / step) }, (_, i) => i * step).filter(t => t / total < .9);
    const how = event.outcome === 'handled' ? `handled by ${leaf(event.by ?? '/')}` : event.outcome === 'delivered' ? `delivered to ${event.paths?.length ?? 0}` : word(event.outcome ?? 'under way');
    const hop = row => h('div', { class: 'hop' }, h(row.id ? 'button' : 'span', { class: 'cut', type: row.id ? 'button' : null, title: row.what, style: { 'padding-left': `${row.depth * 14}px` }, onclick: () => { const known = this.page.model.ids.get(row.id); if (known) this.page.choose(known); } }, glyph(row.verdict), h('span', { class: 'cut' }, row.who)),
      h('div', { class: `lane ${tone[row.verdict] ?? ''}`, style: { '--tick': percent(step) } }, row.length == null ? null : h('div', { class: 'bar', style: { left: percent(row.at), width: percent(row.length) } })), h('span', { class: 'num muted' }, row.length ? duration(row.length) : ''));
    const visits = rows.filter(row => row.depth === 0), caused = rows.filter(row => row.depth > 0);
    $('trace').replaceChildren(
      h('h2', {}, h('span', { class: 'cut' }, event.name ?? ''), h('span', { class: `tag ${tone[event.outcome] ?? ''}` }, how), h('span', { class: 'muted end' }, event.at && event.from && event.at > event.from ? duration(event.at - event.from) : '')),
      h('div', { class: 'faint cut by' }, `raised by ${event.path ?? '…'}  ·  `, h('span', { class: 'mono', title: event.id }, `${event.id.slice(0, 8)}…${event.id.slice(-10)}`), event.cause ? ['  ·  caused by ', h('button', { class: 'accent', type: 'button', onclick: () => this.page.choose(this.page.model.ids.get(event.cause) ?? { id: event.cause }) }, this.page.model.ids.get(event.cause)?.name ?? 'another')] : null),
      h('div', { class: 'scroll' },
        rows.length ? h('div', { class: 'axis' }, h('span', {}, event.trail ? 'Who was asked' : 'Who was told'), h('div', {}, ...ticks.map(v => h('i', { style: { left: percent(v) } }, v ? tick(v) : '0'))), h('span')) : null,
        visits.map(hop), caused.length ? h('div', { class: 'faint caused' }, 'What it caused') : null, caused.map(hop),
        event.omittedVisits ? h('div', { class: 'faint' }, `${event.omittedVisits} visits between the first and the last are left out`) : null,
        causes(event.error), this.#payload(event), this.#failure && !event.trail && !event.paths ? h('p', { class: 'faint' }, this.#failure) : null),
      h('div', { class: 'foot' }, event.isKept || event.outcome === 'unhandled' ? [h('button', { class: 'btn', type: 'button', disabled: '', title: 'This console only looks: it was started without --allow-actions.' }, 'Raise again'), h('button', { class: 'btn', type: 'button', onclick: () => this.#whatIf(event) }, 'What if')] : h('button', { class: 'btn', type: 'button', onclick: () => this.#onTree(event) }, 'Show on the tree'),
        copyButton(`cascadectl trace ${quoted(event.id)}`), h('span', { class: 'faint end cut', title: 'The daemon tells how long each visit took, not how long it waited between two.' }, rows.some(r => r.length != null && event.trail) ? 'waits are not measured' : '')));
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

/// An error and the errors that led to it.
function causes(error) {
  const lines = [];
  for (let e = error; e && lines.length < 32; e = e.cause) lines.push(h('div', { class: lines.length ? 'muted' : 'bad' }, lines.length ? 'because of ' : '', h('b', {}, e.name), e.node ? ` at ${e.node}` : '', e.message ? `: ${e.message}` : ''));
  return lines.length ? h('div', { class: 'error' }, lines) : null;
}
