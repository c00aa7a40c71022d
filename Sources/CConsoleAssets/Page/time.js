// SPDX-License-Identifier: Apache-2.0

// A quarter of an hour: the outcomes of each second, failures at the bottom and in colour. Dragging is going
// back.

import { $, h } from './make.js';
import { failures, outcomes } from './model.js';
import { clock, count, milliseconds } from './text.js';
import { colour, surface } from './tree.js';

const span = 900_000, barCount = 180, side = 14;
const kinds = { failed: name => failures.has(name), unhandled: name => name === 'unhandled' || name === 'noSubscriber', handled: name => !failures.has(name) && name !== 'unhandled' && name !== 'noSubscriber' };

export class Time {
  constructor(page) {
    this.page = page; this.box = $('time');
    this.box.addEventListener('pointerdown', e => {
      const move = m => this.#scrub(m.clientX);
      move(e);
      addEventListener('pointermove', move);
      addEventListener('pointerup', () => removeEventListener('pointermove', move), { once: true });
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  get end() { const { past, seconds } = this.page.model; return past?.to ?? seconds.at(-1)?.[0] ?? Date.now(); }
  /// The length of what is shown: a quarter of an hour, or all that is recorded.
  get span() { const { past } = this.page.model; return !past ? span : past.file != null ? Math.max(1000, past.to - past.from) : Math.max(span, past.to - past.from); }
  get width() { return this.span / barCount; }

  #scrub(clientX) {
    const box = this.box.getBoundingClientRect(), share = (clientX - box.left - side) / (box.width - 2 * side), ms = Math.round(this.end - this.span * (1 - Math.max(0, Math.min(1, share)))), { model, past } = this.page;
    this.page.setMoment(share > .985 && !past.isFile ? null : Math.max(ms, model.past?.from ?? model.seconds[0]?.[0] ?? ms));
  }

  /// Goes from monitor event to monitor event.
  step(direction) { this.page.past.step(direction); }

  /// The numbers of a bar's time, from the oldest.
  #bars() {
    const { width } = this, end = Math.ceil(this.end / width) * width, bars = Array.from({ length: barCount }, () => ({ handled: 0, unhandled: 0, failed: 0, seconds: 0 }));
    for (const [at, length, ...numbers] of this.page.model.seconds) {
      const bar = bars[bars.length - 1 - Math.floor((end - at) / width)];
      if (!bar) continue;
      bar.seconds += length / 1000;
      outcomes.forEach((name, i) => { for (const kind in kinds) if (kinds[kind](name)) bar[kind] += numbers[i] ?? 0; });
    }
    return bars;
  }

  draw() {
    const { page } = this, w = this.box.clientWidth, height = this.box.clientHeight, c = surface($('chart'), w, height), bars = this.#bars(), base = height - 19, step = (w - 2 * side) / bars.length;
    const rate = (bar, kind) => bar.seconds ? bar[kind] / bar.seconds : 0, top = Math.max(1, ...bars.map(b => rate(b, 'handled') + rate(b, 'unhandled') + rate(b, 'failed')));
    const place = ms => side + (1 - (this.end - ms) / this.span) * (w - 2 * side), head = page.moment == null ? w - side : place(page.moment);
    const tokens = Object.fromEntries(['bad', 'warn', 'rail', 'hair', 'faint', 'accent', 'good'].map(name => [name, colour(name)]));
    c.font = `500 10.5px ${getComputedStyle(document.body).fontFamily}`;
    c.fillStyle = tokens.hair; c.fillRect(side, base, w - 2 * side, 1);
    bars.forEach((bar, i) => {
      let at = base;
      c.globalAlpha = side + i * step <= head ? 1 : .3;
      for (const [kind, token] of [['failed', 'bad'], ['unhandled', 'warn'], ['handled', 'rail']]) {
        const v = rate(bar, kind) / top * (height - 50);
        if (v > 0) { c.fillStyle = tokens[token]; c.fillRect(side + i * step, at - Math.max(v, 1), Math.max(1, step - 1.2), Math.max(v, 1)); at -= Math.max(v, 1); }
      }
    });
    c.globalAlpha = 1; c.fillStyle = tokens.faint; c.textAlign = 'center';
    const marks = [1, 5, 10, 30, 120, 600, 1800, 7200, 86400].map(s => s * 1000).find(s => this.span / s <= 9) ?? this.span;
    for (let minute = Math.floor(this.end / marks) * marks; minute > this.end - this.span * .96; minute -= marks) if (place(minute) < w - 30) c.fillText(clock(minute).slice(0, marks < 60_000 ? 8 : 5), place(minute), height - 5);
    for (const mark of page.model.happenings) {
      if (!['topology', 'admin'].includes(mark.kind) || mark.what === 'changed') continue;
      const x = place(milliseconds(mark.when));
      if (x < side) continue;
      c.fillStyle = tokens[/lost|unresponsive|violat/.test(mark.what) ? 'warn' : 'accent'];
      c.beginPath(); c.moveTo(x - 4, base + 1.5); c.lineTo(x + 4, base + 1.5); c.lineTo(x, base - 4); c.fill();
    }
    c.fillStyle = tokens[page.moment == null ? 'good' : 'warn']; c.fillRect(head - 1, 25, 2, base - 25); c.beginPath(); c.arc(head, 25, 4, 0, 7); c.fill();
    this.box.setAttribute('aria-valuenow', Math.round(900 * (page.moment == null ? 1 : 1 - (this.end - page.moment) / this.span)));
    this.box.setAttribute('aria-valuetext', page.moment == null ? 'now' : clock(page.moment));
    this.#legend(page.moment == null ? bars.findLast(b => b.seconds) : bars[Math.min(bars.length - 1, Math.floor((head - side) / step))]);
  }

  #legend(bar) {
    const { page } = this, isPast = page.moment != null, item = (token, ...text) => h('span', {}, h('i', { class: `swatch ${token}` }), text), each = kind => count(Math.round((bar?.seconds ? bar[kind] / bar.seconds : 0) * 10) / 10);
    const near = isPast && page.model.happenings.findLast(m => Math.abs(milliseconds(m.when) - page.moment) < this.width);
    const first = page.model.past?.from ?? page.model.seconds[0]?.[0];
    $('legend').replaceChildren(item('rail', `handled ${each('handled')}/s`), item('warn', `unhandled ${each('unhandled')}/s`), item('bad', `failed ${each('failed')}/s`),
      near ? h('span', { class: 'warn cut' }, `${clock(milliseconds(near.when))} ${near.path ?? ''} ${near.what}`) : h('span', { class: 'faint cut' }, isPast ? `recorded since ${clock(first)}` : first ? `known since ${clock(first)}` : 'nothing is known yet'),
      h('span', { class: 'faint end' }, h('kbd', {}, isPast ? '.' : ','), isPast ? ' on · ' : ' back · ', h('kbd', {}, isPast ? 'l' : 'space'), isPast ? ' live' : page.isStopped ? ' go on' : ' stop'));
  }
}
