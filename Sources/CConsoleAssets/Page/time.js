// SPDX-License-Identifier: Apache-2.0

// A quarter of an hour: the outcomes of each second, failures at the bottom and in colour. Dragging is going
// back.

import { $, h, span } from './make.js';
import { failures, outcomes } from './model.js';
import { clock, count, milliseconds } from './text.js';
import { colour, surface } from './tree.js';

const quarter = 900_000, barCount = 180;
/// The space beside, above and below the bars.
const side = 14, above = 31, below = 19, headTop = 25;
const markTimes = [1, 5, 10, 30, 120, 600, 1800, 7200, 86_400].map(seconds => seconds * 1000);
const tokenNames = ['bad', 'warn', 'rail', 'hair', 'faint', 'accent', 'good'];
/// From the bottom of a bar to its top, with their colours.
const kinds = [['failed', 'bad'], ['unhandled', 'warn'], ['handled', 'rail']];
/// The kind of each outcome, in the order of the numbers of a second.
const kindOf = outcomes.map(name =>
  failures.has(name) ? 'failed' : name === 'unhandled' || name === 'noSubscriber' ? 'unhandled' : 'handled');

const rate = (bar, kind) => bar?.seconds ? bar[kind] / bar.seconds : 0;

export class Time {
  constructor(page) {
    this.page = page;
    this.box = $('time');
    this.box.addEventListener('pointerdown', e => this.#drag(e));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /// The last moment that is shown.
  get end() {
    const { past, seconds } = this.page.model;
    return past?.to ?? seconds.at(-1)?.[0] ?? this.page.model.now;
  }

  /// The length of what is shown: a quarter of an hour, or all that is recorded.
  get span() {
    const { past } = this.page.model;
    if (!past) return quarter;
    return Math.max(past.file != null ? 1000 : quarter, past.to - past.from);
  }

  /// The time that a bar stands for.
  get width() { return this.span / barCount; }

  /// Goes from monitor event to monitor event.
  step(direction) { this.page.past.step(direction); }

  // MARK: - Dragging

  #drag(e) {
    const move = ({ clientX }) => this.#scrub(clientX);
    move(e);
    addEventListener('pointermove', move);
    addEventListener('pointerup', () => removeEventListener('pointermove', move), { once: true });
  }

  #scrub(clientX) {
    const box = this.box.getBoundingClientRect();
    this.seek((clientX - box.left - side) / (box.width - 2 * side));
  }

  /// Goes to a part of what is shown, from 0 to 1; live at its end.
  seek(share) {
    const { page } = this, { model, past } = page;
    const moment = Math.round(this.end - this.span * (1 - Math.max(0, Math.min(1, share))));
    const first = model.past?.from ?? model.seconds[0]?.[0] ?? moment;
    page.setMoment(share > .985 && !past.isFile ? null : Math.max(moment, first));
  }

  // MARK: - Drawing

  draw() {
    const { page } = this, isNow = page.moment == null;
    this.w = this.box.clientWidth;
    this.height = this.box.clientHeight;
    this.base = this.height - below;
    this.tokens = Object.fromEntries(tokenNames.map(name => [name, colour(name)]));
    const c = surface($('chart'), this.w, this.height), bars = this.#bars();
    const head = isNow ? this.w - side : this.#place(page.moment), step = (this.w - 2 * side) / bars.length;
    this.#drawBars(c, bars, step, head);
    this.#drawClock(c);
    this.#drawMarks(c);
    this.#drawHead(c, head);
    const share = isNow ? 1 : 1 - (this.end - page.moment) / this.span;
    this.box.setAttribute('aria-valuenow', Math.round(900 * share));
    this.box.setAttribute('aria-valuetext', isNow ? 'now' : clock(page.moment));
    // A bar of a short recording may stand for less than the second that was counted.
    const last = Math.min(barCount - 1, Math.floor((head - side) / step)), first = last - Math.ceil(1000 / this.width);
    const shown = isNow ? bars : bars.slice(Math.max(0, first), last + 1);
    this.#legend(shown.findLast(bar => bar.seconds));
  }

  /// The numbers of each bar, from the oldest.
  #bars() {
    const { width } = this, end = Math.ceil(this.end / width) * width;
    const bars = Array.from({ length: barCount }, () => ({ handled: 0, unhandled: 0, failed: 0, seconds: 0 }));
    for (const [at, length, ...numbers] of this.page.model.seconds) {
      const bar = bars[barCount - 1 - Math.floor((end - at) / width)];
      if (!bar) continue;
      bar.seconds += length / 1000;
      numbers.forEach((number, i) => { bar[kindOf[i]] += number; });
    }
    return bars;
  }

  /// Where a moment is, from the left.
  #place(moment) { return side + (1 - (this.end - moment) / this.span) * (this.w - 2 * side); }

  #drawBars(c, bars, step, head) {
    const total = bar => kinds.reduce((sum, [kind]) => sum + rate(bar, kind), 0);
    const top = Math.max(1, ...bars.map(total)), room = this.base - above;
    c.fillStyle = this.tokens.hair;
    c.fillRect(side, this.base, this.w - 2 * side, 1);
    const isKnown = bar => bar.seconds > 0, first = bars.findIndex(isKnown), last = bars.findLastIndex(isKnown);
    const begun = this.page.model.seconds[0]?.[0] < this.end - this.span ? -1 : first;
    this.hasGaps = false;
    bars.forEach((bar, i) => {
      const x = side + i * step;
      // Nothing was counted while no page looked, or no bus answered. A file has no seconds in which nothing ended.
      if (i > begun && i < last && !isKnown(bar) && this.page.model.past?.file == null) {
        c.fillStyle = this.tokens.hair;
        c.fillRect(x, above, step + 1, room);
        this.hasGaps = true;
        return;
      }
      let bottom = this.base;
      c.globalAlpha = x <= head ? 1 : .3;
      for (const [kind, token] of kinds) {
        if (!rate(bar, kind)) continue;
        // However few have failed, they are seen.
        const height = Math.max(1, rate(bar, kind) / top * room);
        bottom -= height;
        c.fillStyle = this.tokens[token];
        c.fillRect(x, bottom, Math.max(1, step - 1.2), height);
      }
    });
    c.globalAlpha = 1;
  }

  #drawClock(c) {
    const between = markTimes.find(time => this.span / time <= 9) ?? this.span, length = between < 60_000 ? 8 : 5;
    c.font = `500 10.5px ${getComputedStyle(document.body).fontFamily}`;
    c.fillStyle = this.tokens.faint;
    c.textAlign = 'center';
    const first = this.end - this.span * .96;
    for (let at = Math.floor(this.end / between) * between; at > first; at -= between) {
      if (this.#place(at) < this.w - 30) c.fillText(clock(at).slice(0, length), this.#place(at), this.height - 5);
    }
  }

  /// Marks when the topology, rules or policy changed.
  #drawMarks(c) {
    for (const { kind, what, when } of this.page.model.happenings) {
      if (!['topology', 'admin'].includes(kind) || what === 'changed') continue;
      const x = this.#place(milliseconds(when));
      if (x < side || x > this.w - side) continue;
      c.fillStyle = this.tokens[/lost|unresponsive|violat/.test(what) ? 'warn' : 'accent'];
      c.beginPath();
      c.moveTo(x - 4, this.base + 1.5);
      c.lineTo(x + 4, this.base + 1.5);
      c.lineTo(x, this.base - 4);
      c.fill();
    }
  }

  /// The moment that is shown.
  #drawHead(c, x) {
    const { moment, isStopped, model } = this.page;
    c.fillStyle = this.tokens[moment != null || isStopped ? 'warn' : model.state === 'away' ? 'faint' : 'good'];
    c.fillRect(x - 1, headTop, 2, this.base - headTop);
    c.beginPath();
    c.arc(x, headTop, 4, 0, 7);
    c.fill();
  }

  #legend(bar) {
    const each = ([kind, token]) => span('', h('i', { class: `swatch ${token}` }),
      `${kind} ${count(Math.round(rate(bar, kind) * 10) / 10)}/s`);
    $('legend').replaceChildren(...kinds.toReversed().map(each), this.#known(), this.#keys());
  }

  /// What happened shortly before the moment, or since when something is known.
  #known() {
    const { model, moment } = this.page, first = model.past?.from ?? model.seconds[0]?.[0];
    const gaps = this.hasGaps ? ' ·  grey: not recorded' : '';
    const say = (colour, ...words) => span(`${colour} cut`, words.join(' '));
    if (!first) return say('faint', 'nothing is known yet');
    if (moment == null) return say('faint', 'known since', clock(first), gaps);
    const ago = ({ when }) => moment - milliseconds(when);
    const near = model.happenings.findLast(other => ago(other) >= 0 && ago(other) < this.width);
    if (near) return say('warn', clock(milliseconds(near.when)), near.path ?? '', near.what);
    return say('faint', 'recorded since', clock(first), gaps);
  }

  #keys() {
    const { moment, isStopped } = this.page, key = name => h('kbd', {}, name);
    const live = this.page.past.isFile ? [] : [' · ', key('l'), ' live'];
    if (moment != null) return span('faint end', key(','), ' back · ', key('.'), ' on', ...live);
    return span('faint end', key(','), ' back · ', key('space'), isStopped ? ' go on' : ' stop');
  }
}
