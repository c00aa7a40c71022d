// SPDX-License-Identifier: Apache-2.0

// Events on their way, after the fact and at a pace that eyes can follow. A dot is one real event, and moves
// along its real trail.

import { $, glyph, h, restyle, tone } from './make.js';
import { age, gist } from './text.js';
import { failures } from './model.js';
import { x, y } from './tree.js';

const HOP = .55, STAY = .75, FADE = .5;
const dotMax = 12, waitingMax = 4;
/// The time between two that set out, so that they can be told apart.
const spacing = .35;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const ease = f => f < .5 ? 4 * f ** 3 : 1 - (-2 * f + 2) ** 3 / 2;

export class Tracks {
  #travels = []; #waiting = []; #begun = []; #lastBegun = 0; #isRunning = false;

  constructor(page, tree) { this.page = page; this.tree = tree; }

  /// How many set out in the last second.
  get shownPerSecond() { const now = performance.now() / 1000; this.#begun = this.#begun.filter(at => now - at < 1); return this.#begun.length; }

  /// Takes messages that have ended. Failures go before the rest when not all can be shown.
  add(events) {
    if (this.page.moment != null || document.hidden) return;
    if (calm.matches) { this.#markArrivals(events); return; }
    const weight = e => failures.has(e.outcome) ? 2 : e.outcome === 'unhandled' || e.trail?.length > 1 ? 1 : 0;
    this.#waiting = [...this.#waiting, ...events].filter(e => e.trail?.length || e.paths?.length).sort((a, b) => weight(b) - weight(a)).slice(0, waitingMax);
    if (!this.#isRunning) { this.#isRunning = true; requestAnimationFrame(() => this.#step()); }
  }

  clear() { this.#travels = []; this.#waiting = []; $('dots').replaceChildren(); $('notes').replaceChildren(); }

  /// Without motion, the rows that an event has reached are marked for a moment.
  #markArrivals(events) {
    const paths = new Set(events.flatMap(e => [...(e.trail ?? []).map(v => v.path), ...(e.paths ?? [])]));
    for (const row of $('rows').children) if (paths.has(row.dataset.path)) { row.classList.add('reached'); setTimeout(() => row.classList.remove('reached'), 600); }
  }

  #step() {
    const now = performance.now() / 1000;
    if (this.#waiting.length && this.#travels.length < dotMax && now - this.#lastBegun > spacing) {
      const event = this.#waiting.shift(), travel = this.#travel(event, now);
      if (travel) { this.#travels.push(travel); this.#begun.push(now); this.#lastBegun = now; }
    }
    // A node may leave while an event is on its way to it.
    const { nodes } = this.page.model, isThere = node => nodes.get(node.number) === node && this.tree.isSeen(node);
    this.#travels = this.#travels.filter(t => now - t.begun < t.legs.length * (HOP + STAY) + FADE && t.legs.every(leg => isThere(leg.from) && isThere(leg.to)));
    this.#paint(now);
    if (this.#travels.length || this.#waiting.length) requestAnimationFrame(() => this.#step()); else this.#isRunning = false;
  }

  /// What takes longer than a dot would stay stands at the node that has it, in real time.
  #held() {
    const { model } = this.page, since = Date.now() - (HOP + STAY) * 1000;
    return (model.underWay ?? []).filter(e => e.by && e.since < since && this.tree.isSeen(model.byPath.get(e.by))).slice(0, dotMax).map(e => ({ ...e, node: model.byPath.get(e.by) }));
  }

  /// Paints what is held, unless dots move and paint it anyway.
  stand() { if (!this.#isRunning && !document.hidden && (this.#held().length || $('notes').firstChild)) this.#paint(performance.now() / 1000); }

  #travel(event, begun) {
    const { byPath } = this.page.model, isDown = event.kind === 'publish', from = byPath.get(event.path);
    if (!from) return null;
    const stops = isDown ? event.paths.slice(0, 1).map(path => [path, 'delivered']) : event.trail.map(visit => [visit.path, visit.verdict]), legs = [];
    let at = from;
    for (const [path, verdict] of stops) {
      const to = byPath.get(path);
      if (!to) return null;
      if (legs.length && to === at) legs.at(-1).verdict = verdict; else legs.push({ from: at, to, verdict });
      at = to;
    }
    return { event, begun, legs, isDown, more: isDown ? event.paths.length - 1 : 0 };
  }

  #paint(now) {
    const dots = [], notes = new Map(), { box } = this.tree;
    /// Writes beside a row what is there; what else is there is counted.
    const note = (at, more, ...parts) => {
      const top = at - box.scrollTop, line = Math.round(top / 28), other = notes.get(line);
      if (top < 6 || top > box.clientHeight - 6) return;
      if (other) other.more++; else notes.set(line, Object.assign(h('div', { class: 'note', style: { top: `${top}px` } }, ...parts), { more }));
    };
    if (this.page.route || this.page.moment != null) { $('dots').replaceChildren(); $('notes').replaceChildren(); return; }
    for (const travel of this.#travels) {
      const time = now - travel.begun, total = travel.legs.length * (HOP + STAY), fade = time > total ? 1 - (time - total) / FADE : 1, token = travel.isDown ? 'down' : 'accent';
      const done = []; let spot = null, isAsked = false;
      travel.legs.forEach((leg, k) => {
        const since = time - k * (HOP + STAY);
        if (since < 0) return;
        const points = this.tree.corners(leg.from, leg.to), f = Math.min(1, since / HOP), at = along(points, ease(f));
        spot = at;
        dots.push(h('path', { class: `way ${token}`, d: 'M' + [...points.slice(0, at[2] + 1), at].map(p => `${p[0]} ${p[1]}`).join('L'), opacity: .75 * fade }));
        if (f < 1) return;
        const hasAnswered = since > HOP + STAY * .55, isLast = k === travel.legs.length - 1;
        if (hasAnswered) done.push(leg.verdict); else isAsked = true;
        if (!hasAnswered || isLast) dots.push(h('circle', { class: `ring ${hasAnswered ? tone[leg.verdict] ?? '' : token}`, cx: at[0], cy: at[1], r: hasAnswered ? 6 : 8 + Math.sin(time * 9) * 1.2, opacity: fade }));
      });
      if (!spot) continue;
      dots.push(h('circle', { class: `dot ${token}`, cx: spot[0], cy: spot[1], r: 3.6, opacity: fade }));
      const { event } = travel, about = event.error?.message ?? gist(event.payload);
      if (fade >= .75) note(spot[1], travel.more, h('b', { class: token }, event.name), about && h('span', { class: 'muted cut' }, about),
        done.map(verdict => glyph(verdict)), isAsked ? h('span', { class: 'faint' }, 'asked …') : null);
    }
    for (const { name, since, node } of this.#held()) {
      const { depth, row } = this.tree.standIn(node), at = [x(depth), y(row)];
      // The state of the node is seen in the ring.
      dots.push(h('circle', { class: 'ring accent', cx: at[0], cy: at[1], r: 8.5 }));
      note(at[1], 0, h('b', { class: 'accent' }, name), h('span', { class: 'faint' }, `asked ${age(Date.now() - since)} ago`));
    }
    for (const note of notes.values()) if (note.more) note.append(h('span', { class: 'faint' }, `+${note.more}`));
    const left = ($('rows').firstElementChild?.children[1]?.offsetLeft ?? 280) - 9;
    restyle($('notes'), { '--left': `${left}px` });
    $('dots').replaceChildren(...dots); $('notes').replaceChildren(...notes.values());
  }
}

/// The point of a way at a fraction of its length, and the number of corners before it.
function along(points, fraction) {
  const lengths = points.slice(1).map((p, i) => Math.hypot(p[0] - points[i][0], p[1] - points[i][1]));
  let left = fraction * lengths.reduce((sum, length) => sum + length, 0);
  for (let i = 0; i < lengths.length; i++) {
    if (left <= lengths[i]) { const k = lengths[i] ? left / lengths[i] : 0; return [points[i][0] + (points[i + 1][0] - points[i][0]) * k, points[i][1] + (points[i + 1][1] - points[i][1]) * k, i]; }
    left -= lengths[i];
  }
  return [...points.at(-1), points.length - 1];
}
