// SPDX-License-Identifier: Apache-2.0

// One event whole: who was asked and what each answered, what it caused, its payload, its error with the causes.

import { $, copyButton, div, glyph, h, pressed, quoted, redraw, span, tone, word } from './make.js';
import { Payload } from './payload.js';
import { age, atClock, counted, duration, leaf, microseconds, questionOf, tick } from './text.js';
import { readDocument } from './pull.js';

const rowsMax = 4096, depthMax = 8;
/// What no node does if none was asked, by how a message ended.
const undone = { unhandled: 'responds to', held: 'responds to', cascaded: 'acts on', noSubscriber: 'subscribes to' };

export class Trace {
  /// What the bus says of the chosen event, and why it says nothing.
  #document = null; #failure = '';
  /// The event that is drawn, and whether it was kept then.
  #drawn = ''; #drewKept = false;
  /// The number of messages that are caused farther below than is shown, and the identities of those shown.
  #deeper = 0; #shown = new Set();

  constructor(page) {
    this.page = page;
    this.payload = new Payload(page, () => this.draw());
  }

  /// Shows the chosen event; asks the bus for what it caused.
  show() {
    this.#document = null;
    this.#failure = '';
    this.payload.show(this.page.event);
    this.draw();
    this.#ask();
    this.#learn();
  }

  /// Asks whether the chosen event may be raised again where it was raised, if it can be.
  #learn() { if (this.#isKept) this.page.actions.learn(this.page.event.path); }

  /// Messages have ended: the chosen one may be among them, or what it caused.
  follow(fresh, hasLists) {
    const { page } = this, { event } = page, isOpen = event && !event.outcome;
    const ended = fresh.findLast(({ id }) => id === event?.id);
    if (ended && ended !== event) {
      page.event = ended;
      this.show();
    } else if (isOpen && hasLists && !this.#failure && !this.#document?.outcome
      || fresh.some(({ cause }) => this.#shown.has(cause))) {
      this.#ask();
    } else if (event && this.#isKept !== this.#drewKept) {
      this.draw();
      this.#learn();
    }
  }

  /// Whether the bus keeps the chosen event, so that it can be raised again.
  get #isKept() { return this.page.model.undelivered.some(({ id }) => id === this.page.event?.id); }

  async #ask() {
    const { event, session, moment } = this.page;
    if (!event?.id || !session || moment != null) return;
    let document = null, failure = '';
    try {
      document = await readDocument('trace', { id: event.id, sites: 1, ...(event.site && { site: event.site }) });
    } catch (error) { failure = error.message; }
    // Another event may have been chosen meanwhile.
    if (this.page.event?.id !== event.id) return;
    this.#document = document;
    this.#failure = failure;
    this.draw();
  }

  // MARK: - Rows

  /// The visits with their places on the axis, and below them the messages that they caused.
  #rows(event) {
    const d = this.#document;
    // Only the trace has the visits at other sites.
    const isJoined = (d?.trail?.length ?? 0) > (event.trail?.length ?? 0);
    const trail = (isJoined ? d.trail : event.trail ?? d?.trail) ?? [];
    const from = (isJoined ? microseconds(d.begun) : null) ?? event.from ?? microseconds(d?.begun) ?? event.at;
    const rows = trail.length ? this.#visits(trail) : this.#deliveries(event, from);
    this.#deeper = 0;
    this.#addCaused(rows, d?.caused ?? this.#listed(event.id), from, 1);
    this.#shown = new Set([event.id, ...rows.map(({ id }) => id)]);
    this.#shown.delete(undefined);
    return rows;
  }

  #visits(trail) {
    const { sites } = this.page;
    let at = 0, begun = 0, start = 0, last = sites.siteOf(trail[0].path);
    return trail.map(visit => {
      const { path, kind, name, microseconds: length } = visit, site = sites.siteOf(path);
      // Each site counts from when the event came to it: that is when the site before asked it.
      if (site !== last) begun = at = start;
      last = site;
      start = visit.at == null ? at : begun + visit.at;
      at = start + length;
      const who = path === `/${site}:` ? '/' : leaf(path), place = site ? ` at the site ${site}` : '';
      return { ...visit, who, what: `${kind} ${name}${place}`, site, at: start, length, depth: 0 };
    });
  }

  /// Whom a publication was delivered to.
  #deliveries(event, from) {
    const length = Math.max(0, (event.at ?? from) - from), paths = event.paths ?? this.#document?.paths ?? [];
    return paths.map(path => ({ who: leaf(path), path, what: path, verdict: 'delivered', at: 0, length, depth: 0 }));
  }

  /// The messages that one caused, as far as they are listed.
  #listed(cause) {
    if (!cause) return [];
    const caused = [...this.page.model.ids.values()].filter(event => event.cause === cause);
    return caused.map(({ id, name, path, outcome }) => ({ id, name, origin: path, outcome }));
  }

  #addCaused(rows, caused, from, depth) {
    if (depth > depthMax) {
      this.#deeper += caused.length;
      return;
    }
    for (const { id, name = 'a message', origin = 'a hidden node', outcome = 'passed' } of caused) {
      const known = this.page.model.ids.get(id), to = known?.by ?? known?.paths?.[0];
      const times = known ? { at: known.from - from, length: known.at - known.from } : { at: null, length: null };
      const who = to ? `${name} → ${leaf(to)}` : name;
      rows.push({ id, depth, who, what: `raised by ${origin}`, verdict: outcome, ...times });
      if (known) this.#addCaused(rows, this.#listed(id), from, depth + 1);
    }
  }

  /// The chosen event as the list has it, with what the bus's trace adds.
  get #event() {
    const { event } = this.page, d = this.#document;
    if (!d || !event) return event;
    return { path: d.origin, at: microseconds(d.ended), from: microseconds(d.begun), ...d, ...event };
  }

  // MARK: - Drawing

  draw() {
    const event = this.#event;
    if (!event?.id) {
      this.#drawn = '';
      $('trace').replaceChildren(h('p', { class: 'none' }, 'No event is chosen.'));
      return;
    }
    const scrolled = this.#drawn === event.id ? $('trace').querySelector('.scroll').scrollTop : 0;
    this.#drawn = event.id;
    const isKept = this.#drewKept = this.#isKept;
    const took = event.at && event.from ? event.at - event.from : 0, began = event.from ?? event.at;
    redraw($('trace'),
      h('h2', {}, span('cut', event.name ?? ''),
        span(`tag ${tone[event.outcome] ?? ''}`, ending(event, this.#item(event) != null)),
        span('faint end', began ? atClock(began / 1000) : ''), took > 0 && span('muted', duration(took))),
      this.#origin(event), div('scroll', this.#body(event, took)), this.#foot(event, isKept));
    if (scrolled) $('trace').querySelector('.scroll').scrollTop = scrolled;
  }

  #body(event, took) {
    const all = this.#rows(event), rows = all.slice(0, rowsMax), folded = all.length - rows.length + this.#deeper;
    const faint = (...parts) => div('faint', ...parts);
    const command = `cascadectl trace ${quoted(event.id)}`;
    const axis = new Axis(Math.max(1, took, ...rows.map(row => (row.at ?? 0) + (row.length ?? 0))));
    const visits = rows.filter(row => row.depth === 0), caused = rows.filter(row => row.depth > 0);
    const { omittedVisits: omitted, unanswered = [], trail, paths } = event;
    return [
      rows.length > 0 && axis.heading(trail ? 'Asked' : 'Told', legend(visits)),
      visits.map(row => this.#hop(row, axis)),
      !event.outcome && this.#waits(event), caused.length > 0 && div('faint caused', 'What it caused'),
      caused.map(row => this.#hop(row, axis)),
      folded > 0 && faint(
        `${counted(folded, 'more row')} not shown: '${command}' prints all. `, copyButton(command, 'copy')),
      omitted > 0 && faint(`${counted(omitted, 'visit')} between the first and the last left out`),
      unanswered.map(({ site, place, message }) => faint(`The visits at '${site ?? place}' are not shown: ${message}`)),
      !rows.length && undone[event.outcome] && faint(`No node on its way ${undone[event.outcome]} it.`),
      !event.outcome && this.page.moment != null && faint('It is not among what is listed of then.'),
      causes(event.error) ?? message(event), this.payload.parts(event),
      !trail && !paths && this.#failure && faint(this.#failure),
    ];
  }

  #item({ id }) { return this.page.model.underWay?.find(item => item.id === id); }

  /// Who has an event that has not ended, and how long it may yet take.
  #waits(event) {
    const item = this.#item(event), { now } = this.page.model;
    if (!item) return null;
    const left = item.deadline ? `, and has ${age(item.deadline - now)} left` : '';
    const asked = `${item.by} was asked ${age(now - item.since)} ago${left}.`;
    return div('', item.by ? asked : 'No node has been asked yet.');
  }

  /// Who raised the event, and what caused it.
  #origin(event) {
    const { page } = this, cause = page.model.ids.get(event.cause);
    const choose = () => page.choose(cause ?? { id: event.cause });
    const id = h('span', { class: 'mono', title: event.id }, `${event.id.slice(0, 8)}…${event.id.slice(-10)}`);
    const causedBy = event.cause && ['  ·  caused by ', pressed('accent', choose, cause?.name ?? 'another')];
    const kind = event.kind === 'publish' ? 'publication' : event.lane ?? 'event';
    return div('faint by', kind === 'event' ? '' : kind + ' ', `raised by ${event.path ?? '…'}  ·  `, id, causedBy);
  }

  /// A visit, or a message that the event caused: who, when, and how long.
  #hop(row, axis) {
    const { id, what, depth, verdict, site, length } = row, known = this.page.model.ids.get(id);
    const isButton = id ? { onclick: () => known && this.page.choose(known) } : {};
    const who = h(id ? 'button' : 'span',
      { class: 'cut', title: what, style: { 'padding-left': `${depth * 14}px` }, ...isButton },
      glyph(verdict), span('cut', row.who), site && span('tag site', site));
    const lane = { class: `lane ${tone[verdict] ?? ''}`, style: { '--tick': axis.percent(axis.step) } };
    return div('hop', who, h('div', lane, length == null ? null : bars(row, axis)),
      span('num muted', length ? duration(length) : ''));
  }

  #foot(event, isKept) {
    const { actions } = this.page, refusal = isKept && actions.refusal('retry', event.path);
    const again = () => [
      actions.button('retry', event.path, { id: event.id }), pressed('btn', () => this.#whatIf(event), 'What if'),
    ];
    return div('foot',
      isKept ? again() : pressed('btn', () => this.#onTree(event), 'Show on the tree'),
      copyButton(`cascadectl trace ${quoted(event.id)}`, refusal ? 'copy' : 'btn'),
      refusal && h('span', { class: 'faint end refusal', title: refusal }, refusal));
  }

  // MARK: - What one does with it

  #onTree(event) {
    const path = event.by ?? event.paths?.[0] ?? event.trail?.at(-1)?.path ?? event.path;
    const node = this.page.model.byPath.get(path);
    if (node) this.page.select(node.number);
    this.page.tracks.add([event]);
  }

  #whatIf(event) {
    const node = this.page.model.byPath.get(event.path ?? '/');
    if (node) this.page.select(node.number);
    this.page.whatIf(questionOf(event));
  }
}

/// What the shades of the bars mean.
function legend(visits) {
  return visits.some(row => row.waited != null) && span('end', span('waited', '▬'), ' waited ▬ worked');
}

/// How an event ended, in a few words.
function ending(event, isUnderWay) {
  const { outcome = isUnderWay ? 'under way' : 'not known', by = '/', paths = [] } = event;
  if (outcome === 'handled') return `handled by ${leaf(by)}`;
  return outcome === 'delivered' ? `delivered to ${paths.length}` : word(outcome);
}

/// The time of a trace in microseconds, with some three marks.
class Axis {
  constructor(total) {
    this.total = total;
    const raw = total / 2.8, power = 10 ** Math.floor(Math.log10(raw));
    this.step = power * [1, 2, 5, 10].find(m => m * power >= raw);
  }

  percent(value) { return `${(value / this.total * 100).toFixed(2)}%`; }

  heading(title, legend) {
    const all = Array.from({ length: Math.ceil(this.total / this.step) }, (_, i) => i * this.step);
    // The last would stand beside the lane.
    const ticks = all.filter(time => time / this.total < .9);
    const marks = ticks.map(time => h('i', { style: { left: this.percent(time) } }, time ? tick(time) : '0'));
    return div('axis', span('', title, legend), div('', marks), span());
  }
}

/// A visit's time in the node's queue, and that of its responder; what was not measured is drawn as work.
function bars({ at, length, waited = 0 }, axis) {
  const bar = (kind, word, from, time) => h('div', {
    class: `bar ${kind}`, title: `${word} ${duration(time)}`,
    style: { left: axis.percent(from), width: axis.percent(time) },
  });
  return [waited ? bar('wait', 'waited', at, waited) : null, bar('', 'worked', at + waited, length - waited)];
}

/// What an error says that did not end as one.
function message({ trail }) {
  const { title, message } = trail?.find(visit => visit.title || visit.message) ?? {};
  return title || message ? div('error', [title, message].filter(Boolean).join(': ')) : null;
}

/// An error and the errors that led to it.
function causes(error) {
  const lines = [];
  for (let e = error; e && lines.length < 32; e = e.cause) {
    const place = e.node ? ` at ${e.node}` : '', message = e.message ? `: ${e.message}` : '';
    const [kind, before] = lines.length ? ['muted', 'because of '] : ['bad', ''];
    lines.push(div(kind, before, h('b', {}, e.name), place, message));
  }
  return lines.length ? div('error', lines) : null;
}
