// SPDX-License-Identifier: Apache-2.0

// A quarter of an hour: the outcomes of each second, failures at the bottom and in colour. Dragging is going
// back.

import { $, h } from './make.js';
import { failures, outcomes } from './model.js';
import { clock, count } from './text.js';
import { colour, surface } from './tree.js';

const span = 900_000, width = 5000, side = 14;
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

  get end() { return this.page.model.seconds.at(-1)?.[0] ?? Date.now(); }

  #scrub(clientX) {
    const box = this.box.getBoundingClientRect(), share = (clientX - box.left - side) / (box.width - 2 * side), ms = this.end - span * (1 - Math.max(0, Math.min(1, share)));
    this.page.setMoment(share > .985 ? null : Math.max(ms, this.page.model.seconds[0]?.[0] ?? ms));
  }

  /// Goes from event to event.
  step(direction) {
    const { page } = this, { ended } = page.model, now = (page.moment ?? Infinity) * 1000;
    const next = direction < 0 ? ended.findLast(e => e.at < now - 1) : ended.find(e => e.at > now + 1);
    if (page.tab !== 'Events') page.show('Events');
    if (next) { page.setMoment(next.at / 1000); page.choose(next, { keepsHistory: true }); } else if (direction > 0) page.setMoment(null);
  }

  /// The numbers of five seconds at a time, from the oldest.
  #bars() {
    const end = Math.ceil(this.end / width) * width, bars = Array.from({ length: span / width }, () => ({ handled: 0, unhandled: 0, failed: 0, seconds: 0 }));
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
    const place = ms => side + (1 - (this.end - ms) / span) * (w - 2 * side), head = page.moment == null ? w - side : place(page.moment);
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
    for (let minute = Math.floor(this.end / 120_000) * 120_000; minute > this.end - span + 40_000; minute -= 120_000) if (place(minute) < w - 30) c.fillText(clock(minute).slice(0, 5), place(minute), height - 5);
    for (const mark of page.model.happenings) {
      if (!['topology', 'admin'].includes(mark.kind)) continue;
      const x = place(Date.parse(mark.when.slice(0, 23) + 'Z'));
      if (x < side) continue;
      c.fillStyle = tokens[/lost|unresponsive|violat/.test(mark.what) ? 'warn' : 'accent'];
      c.beginPath(); c.moveTo(x - 4, base + 1.5); c.lineTo(x + 4, base + 1.5); c.lineTo(x, base - 4); c.fill();
    }
    c.fillStyle = tokens[page.moment == null ? 'good' : 'warn']; c.fillRect(head - 1, 25, 2, base - 25); c.beginPath(); c.arc(head, 25, 4, 0, 7); c.fill();
    this.box.setAttribute('aria-valuenow', Math.round(900 - (page.moment == null ? 0 : (this.end - page.moment) / 1000)));
    this.box.setAttribute('aria-valuetext', page.moment == null ? 'now' : clock(page.moment));
    this.#legend(page.moment == null ? bars.findLast(b => b.seconds) : bars[Math.min(bars.length - 1, Math.floor((head - side) / step))]);
  }

  #legend(bar) {
    const { page } = this, isPast = page.moment != null, item = (token, ...text) => h('span', {}, h('i', { class: `swatch ${token}` }), text), each = kind => count(Math.round((bar?.seconds ? bar[kind] / bar.seconds : 0) * 10) / 10);
    const near = isPast && page.model.happenings.findLast(m => Math.abs(Date.parse(m.when.slice(0, 23) + 'Z') - page.moment) < width);
    const first = page.model.seconds[0]?.[0];
    $('legend').replaceChildren(item('rail', `handled ${each('handled')}/s`), item('warn', `unhandled ${each('unhandled')}/s`), item('bad', `failed ${each('failed')}/s`),
      near ? h('span', { class: 'warn cut' }, `${clock(Date.parse(near.when.slice(0, 23) + 'Z'))} ${near.path ?? ''} ${near.what}`) : h('span', { class: 'faint cut' }, isPast ? '' : first ? `known since ${clock(first)}` : 'nothing is known yet'),
      h('span', { class: 'faint end' }, h('kbd', {}, isPast ? '.' : ','), isPast ? ' on · ' : ' back · ', h('kbd', {}, isPast ? 'l' : 'space'), isPast ? ' live' : page.isStopped ? ' go on' : ' stop'));
  }
}
