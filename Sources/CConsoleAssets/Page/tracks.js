// SPDX-License-Identifier: Apache-2.0

// Events on their way, after the fact and at a pace that eyes can follow. A dot is one real event, and moves
// along its real trail.

import { $, glyph, h, restyle, span, tone } from './make.js';
import { about, age } from './text.js';
import { failures } from './model.js';
import { x } from './row.js';
import { ROW, y } from './tree.js';

/// Seconds from node to node, at each, and until a dot is gone.
const HOP = .55, STAY = .75, FADE = .5, LEG = HOP + STAY;
/// The part of its stay after which a node has answered.
const answered = .55;
/// The seconds between two that set out, so that they can be told apart.
const spacing = .35;
const dotMax = 12, waitingMax = 4;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const ease = f => f < .5 ? 4 * f ** 3 : 1 - (-2 * f + 2) ** 3 / 2;
const seconds = () => performance.now() / 1000;

export class Tracks {
  #travels = []; #waiting = []; #begun = []; #lastBegun = 0; #leftOutAt = -Infinity; #isRunning = false;
  /// What is painted: shapes, and the notes beside the rows by their lines.
  #shapes = []; #notes = new Map();

  constructor(page, tree) {
    this.page = page;
    this.tree = tree;
  }

  /// How many set out in the last second.
  get shownPerSecond() {
    const now = seconds();
    this.#begun = this.#begun.filter(at => now - at < 1);
    return this.#begun.length;
  }

  /// Whether one did not set out in the last seconds, because there were too many.
  get hasLeftOut() { return seconds() - this.#leftOutAt < 2.5; }

  /// Takes messages that have ended. Failures go before the rest when not all can be shown.
  add(events) {
    if (this.page.moment != null || document.hidden) return;
    if (calm.matches) {
      this.#markArrivals(events);
      return;
    }
    const isFar = e => e.outcome === 'unhandled' || e.trail?.length > 1;
    const weight = e => failures.has(e.outcome) ? 2 : isFar(e) ? 1 : 0;
    const all = [...this.#waiting, ...events].filter(e => e.trail?.length || e.paths?.length);
    this.#waiting = all.sort((a, b) => weight(b) - weight(a)).slice(0, waitingMax);
    if (all.length > waitingMax) this.#leftOutAt = seconds();
    if (this.#isRunning) return;
    this.#isRunning = true;
    requestAnimationFrame(() => this.#step());
  }

  clear() {
    this.#travels = this.#waiting = [];
    $('dots').replaceChildren();
    $('notes').replaceChildren();
  }

  /// Paints what is held, unless dots move and paint it anyway.
  stand() {
    if (this.#isRunning || document.hidden) return;
    if (this.#held().length || $('notes').firstChild) this.#paint(seconds());
  }

  /// Without motion, the rows that an event has reached are marked for a moment.
  #markArrivals(events) {
    const paths = new Set(events.flatMap(e => [...(e.trail ?? []).map(visit => visit.path), ...e.paths ?? []]));
    for (const row of $('rows').children) {
      if (!paths.has(row.dataset.path)) continue;
      row.dataset.reached = '';
      // A row that is reached again and again stays marked: flickering is motion too.
      clearTimeout(row.fading);
      row.fading = setTimeout(() => { delete row.dataset.reached; }, 600);
    }
  }

  // MARK: - Time

  #step() {
    const now = seconds(), isFree = this.#travels.length < dotMax && now - this.#lastBegun > spacing;
    if (this.#waiting.length && isFree) this.#begin(this.#waiting.shift(), now);
    this.#travels = this.#travels.filter(travel => this.#goesOn(travel, now));
    this.#paint(now);
    this.#isRunning = this.#travels.length + this.#waiting.length > 0;
    if (this.#isRunning) requestAnimationFrame(() => this.#step());
  }

  #begin(event, now) {
    const legs = this.#legs(event);
    if (!legs) return;
    this.#travels.push({ event, legs, begun: now, isDown: event.kind === 'publish' });
    this.#begun.push(now);
    this.#lastBegun = now;
  }

  /// A node may leave, or its row, while an event is on its way to it.
  #goesOn({ begun, legs }, now) {
    const { nodes } = this.page.model, isThere = node => nodes.get(node.number) === node && this.tree.isSeen(node);
    return now - begun < legs.length * LEG + FADE && legs.every(({ from, to }) => isThere(from) && isThere(to));
  }

  /// The way of an event from node to node, with what each answered; `null` if one is not known.
  #legs({ kind, path, paths, trail }) {
    const { byPath } = this.page.model, legs = [];
    const stops = kind === 'publish' ? [{ path: paths[0], verdict: 'delivered' }] : trail;
    let from = byPath.get(path);
    if (!from) return null;
    for (const { path, verdict } of stops) {
      const to = byPath.get(path);
      if (!to) return null;
      if (legs.length && to === from) legs.at(-1).verdict = verdict; else legs.push({ from, to, verdict });
      from = to;
    }
    return legs;
  }

  /// What takes longer than a dot would stay stands at the node that has it, in real time.
  #held() {
    const { underWay, byPath, now } = this.page.model, since = now - LEG * 1000;
    const isLong = e => e.by && e.since < since && this.tree.isSeen(byPath.get(e.by));
    return (underWay ?? []).filter(isLong).slice(0, dotMax).map(e => ({ ...e, node: byPath.get(e.by) }));
  }

  // MARK: - Painting

  #paint(now) {
    this.#shapes = [];
    this.#notes = new Map();
    if (!this.page.route && this.page.moment == null) {
      for (const travel of this.#travels) this.#paintTravel(travel, now);
      for (const event of this.#held()) this.#paintHeld(event);
    }
    for (const note of this.#notes.values()) if (note.more) note.append(span('faint', `+${note.more}`));
    const left = ($('rows').firstElementChild?.children[1]?.offsetLeft ?? 280) - 9;
    restyle($('notes'), { '--left': `${left}px` });
    $('dots').replaceChildren(...this.#shapes);
    $('notes').replaceChildren(...this.#notes.values());
  }

  #paintTravel({ event, legs, begun, isDown }, now) {
    const time = now - begun, over = time - legs.length * LEG, fade = over > 0 ? 1 - over / FADE : 1;
    const colour = isDown ? 'down' : 'accent', done = [];
    let spot = null, isAsked = false;
    legs.forEach(({ from, to, verdict }, k) => {
      const since = time - k * LEG, points = this.tree.corners(from, to);
      if (since < 0) return;
      spot = along(points, ease(Math.min(1, since / HOP)));
      const way = [...points.slice(0, spot.corners + 1), spot.at].map(point => point.join(' ')).join('L');
      this.#shapes.push(h('path', { class: `way ${colour}`, d: `M${way}`, opacity: .75 * fade }));
      if (since < HOP) return;
      const hasAnswered = since > HOP + STAY * answered;
      if (hasAnswered) done.push(verdict); else isAsked = true;
      const radius = hasAnswered ? 6 : 8 + Math.sin(time * 9) * 1.2;
      if (hasAnswered && k < legs.length - 1) return;
      this.#circle(`ring ${hasAnswered ? tone[verdict] ?? '' : colour}`, spot.at, radius, fade);
    });
    if (!spot) return;
    this.#circle(`dot ${colour}`, spot.at, 3.6, fade);
    if (fade < .75) return;
    this.#note(spot.at[1], isDown ? event.paths.length - 1 : 0, h('b', { class: `cut ${colour}` }, event.name),
      about(event) && span('muted cut', about(event)), done.map(verdict => glyph(verdict)),
      isAsked && span('faint', 'asked …'));
  }

  /// The state of the node is seen in the ring.
  #paintHeld({ name, since, node }) {
    const { depth, row } = this.tree.standIn(node), at = [x(depth), y(row)];
    this.#circle('ring accent', at, 8.5, 1);
    const time = span('faint cut', `asked ${age(this.page.model.now - since)} ago`);
    this.#note(at[1], 0, h('b', { class: 'cut accent' }, name), time);
  }

  #circle(kind, [cx, cy], r, opacity) { this.#shapes.push(h('circle', { class: kind, cx, cy, r, opacity })); }

  /// Writes beside a row what is there; what else is there is counted.
  #note(at, more, ...parts) {
    const { box } = this.tree, line = Math.floor(at / ROW), other = this.#notes.get(line);
    const top = y(line) - box.scrollTop;
    if (top < 6 || top > box.clientHeight - 6) return;
    if (other) other.more++;
    if (other) return;
    const note = h('div', { class: 'note', style: { top: `${top}px` } }, ...parts);
    this.#notes.set(line, Object.assign(note, { more }));
  }
}

/// The point of a way at a fraction of its length, and the number of corners before it.
function along(points, fraction) {
  const lengths = points.slice(1).map(([x, y], i) => Math.hypot(x - points[i][0], y - points[i][1]));
  let left = fraction * lengths.reduce((sum, length) => sum + length, 0);
  for (const [i, length] of lengths.entries()) {
    if (left <= length) {
      const share = length ? left / length : 0, [from, to] = [points[i], points[i + 1]];
      return { at: from.map((value, k) => value + (to[k] - value) * share), corners: i };
    }
    left -= length;
  }
  return { at: points.at(-1), corners: points.length - 1 };
}
