// SPDX-License-Identifier: Apache-2.0

// What the page knows of a bus, kept up by frames. Pure: it knows nothing of the document.

import { Grafts } from './grafts.js';
import { microseconds } from './text.js';

export const endedMax = 2000;
const secondsMax = 900;
const sparkMax = 60;
const groupMin = 16;

/// The names of the numbers in a second, behind its time and length.
export const outcomes = ['handled', 'delivered', 'cascaded', 'caught', 'unhandled', 'noSubscriber', 'failed', 'timedOut', 'rejected', 'looped'];
export const failures = new Set(['failed', 'timedOut', 'rejected', 'looped']);

export const filters = {
  All: () => true,
  Live: n => n.state === 'live',
  Inactive: n => n.state === 'inactive',
  Vacant: n => n.state === 'vacant',
  Silent: n => n.state === 'unresponsive',
  Busy: n => n.queue > 8 || n.mean > 5000,
};

export class Model {
  epoch = null; frame = 0; when = 0; behind = 0; state = 'away'; since = 0; reason = ''; bus = ''; release = '';
  /// In the past: its moment, what is recorded, and the monitor events before and after it.
  past = null;
  buses = []; totals = null; underWay = null; undelivered = []; findings = []; leftOut = null; leftOutAt = 0;
  nodes = new Map(); byPath = new Map(); grafts = new Grafts(); ended = []; seconds = []; happenings = []; ids = new Map();

  /// Takes a frame. Returns what has changed: a set of 'all', 'tree', 'activity', 'ended', 'seconds', 'lists'.
  apply(frame, now = Date.now()) {
    const changes = new Set();
    if (frame.after == null) { this.clear(); changes.add('all').add('tree'); }
    if (frame.state !== this.state || frame.reason !== this.reason) changes.add('all');
    this.epoch = frame.epoch; this.frame = frame.frame; this.when = frame.when; this.behind = now - frame.now;
    this.state = frame.state; this.since = frame.since; this.reason = frame.reason;
    this.bus = frame.bus ?? ''; this.release = frame.release ?? ''; this.buses = frame.buses ?? this.buses;
    this.past = frame.state === 'past' ? { ...this.past, moment: frame.moment, from: frame.from, to: frame.to, previous: frame.previous, next: frame.next, then: frame.then, gap: frame.gap, noTree: frame.noTree, file: frame.file } : null;
    for (const number of frame.gone ?? []) { this.nodes.delete(number); changes.add('tree'); }
    for (const row of frame.nodes ?? []) { this.#take(row); changes.add('tree'); }
    for (const [number, rate, queue, mean, errors] of frame.activity ?? []) {
      const node = this.nodes.get(number);
      if (node) { Object.assign(node, { rate, queue, mean, errors }); changes.add('activity'); }
    }
    this.grafts.follow(frame.epoch, this.past != null);
    if (changes.has('tree')) this.order();
    this.fresh = [];
    for (const event of frame.ended ?? []) {
      event.at = microseconds(event.when); event.from = microseconds(event.begun) ?? event.at;
      this.ended.push(event); this.ids.set(event.id, event); this.fresh.push(event); changes.add('ended');
    }
    this.#trim();
    if (frame.seconds) { this.seconds.push(...frame.seconds); this.#sparks(); changes.add('seconds'); }
    this.seconds.splice(0, this.seconds.length - secondsMax);
    if (frame.happenings) { this.happenings.push(...frame.happenings); changes.add('seconds'); }
    this.happenings.splice(0, this.happenings.length - 500);
    for (const list of ['underWay', 'undelivered', 'findings', 'totals']) if (frame[list]) { this[list] = frame[list]; changes.add('lists'); }
    if (frame.leftOut) { this.leftOut = frame.leftOut; this.leftOutAt = now; }
    return changes;
  }

  /// Drops the oldest events that are too many: successes before failures, unless half of all are failures.
  #trim() {
    const isMostlyFailures = () => this.ended.filter(e => failures.has(e.outcome)).length > endedMax / 2;
    while (this.ended.length > endedMax) {
      const oldest = this.ended.findIndex(e => !failures.has(e.outcome)), [event] = this.ended.splice(oldest > endedMax / 4 && isMostlyFailures() ? 0 : Math.max(0, oldest), 1);
      this.ids.delete(event.id);
    }
  }

  clear() {
    this.nodes.clear(); this.byPath.clear(); this.ids.clear();
    this.ended = []; this.seconds = []; this.happenings = []; this.undelivered = []; this.findings = []; this.totals = null; this.underWay = null;
  }

  #take([number, parent, name, state, unit, program, user, asked, told, since, site]) {
    const node = this.nodes.get(number) ?? { number, rate: 0, queue: 0, mean: null, errors: 0, spark: [] };
    if (node.state && node.state !== state) node.spark = [];
    Object.assign(node, { parent, name, state, unit, program, user, asked, told, since, site });
    node.alike = null;
    node.words = `${unit} ${program} ${user} ${asked.join(' ')} ${told.join(' ')}`.toLowerCase();
    this.nodes.set(number, node);
  }

  /// Puts children below parents, by their numbers, which are in the order of the tree, and opened sites where they
  /// stand.
  order() {
    this.grafts.hang(this.nodes, row => this.#take(row), this.past != null);
    for (const node of this.nodes.values()) node.children = [];
    const numbers = [...this.nodes.keys()].sort((a, b) => a - b);
    this.roots = [];
    for (const number of numbers) {
      const node = this.nodes.get(number), parent = this.nodes.get(node.parent);
      (parent ? parent.children : this.roots).push(node);
    }
    this.byPath.clear();
    this.walk(node => {
      const parent = this.nodes.get(node.parent);
      node.depth = parent ? parent.depth + 1 : 0;
      node.path = !parent ? '/' : parent.path === '/' ? '/' + node.name : `${parent.path}/${node.name}`;
      this.byPath.set(node.path, node);
      return true;
    });
  }

  /// Visits nodes in the tree's order; 'visit' returns whether to go on below the node.
  walk(visit, from = this.roots ?? []) {
    const rest = [...from].reverse();
    while (rest.length) {
      const node = rest.pop();
      if (visit(node)) for (let i = node.children.length - 1; i >= 0; i--) rest.push(node.children[i]);
    }
  }

  #sparks() {
    for (const node of this.nodes.values()) {
      if (!node.rate && !node.spark.length) continue;
      node.spark.push(node.rate);
      if (node.spark.length > sparkMax) node.spark.shift();
      if (!node.rate && node.spark.every(v => !v)) node.spark = [];
    }
  }

  /// The rows to show: what matches, with all above it; without what is folded away.
  arrange({ filter, sought, folded, opened }) {
    const query = parse(sought), seeks = filter !== 'All' || query.length > 0, kept = new Set();
    for (const node of this.nodes.values()) {
      node.row = -1;
      node.isMatch = !(seeks && node.note) && filters[filter](node) && query.every(test => test(node));
      if (seeks && node.isMatch) for (let p = node; p && !kept.has(p); p = this.nodes.get(p.parent)) kept.add(p);
    }
    const rows = [];
    this.walk(node => {
      if (seeks && !kept.has(node)) return false;
      node.row = rows.push(node) - 1; node.group = null;
      if (!seeks && folded.has(node.number)) return false;
      return true;
    });
    return seeks ? rows : this.#grouped(rows, opened);
  }

  /// Rows in which many siblings alike without children are one.
  #grouped(rows, opened) {
    const result = [];
    for (let i = 0; i < rows.length; i++) {
      const first = rows[i];
      let end = i, key = null;
      // A vacant place declares nothing, and stays in the group in which it was.
      const joins = node => {
        if (!node || node.parent !== first.parent || node.children.length || node.note || this.grafts.isOpen(node)) return false;
        if (node.state === 'vacant') return true;
        return (key ??= alikeness(node)) === alikeness(node);
      };
      if (joins(first)) while (joins(rows[end + 1])) end++;
      if (end - i + 1 >= groupMin && !opened.has(first.number)) {
        first.group = rows.slice(i, end + 1);
        for (const member of first.group) member.row = result.length;
        result.push(first);
      } else {
        for (let j = i; j <= end; j++) { rows[j].row = result.length; rows[j].groupOf = end - i + 1 >= groupMin ? first.number : 0; result.push(rows[j]); }
      }
      i = end;
    }
    return result;
  }

  /// What a folded row stands for: the sums, and how many are in trouble.
  sum(node) {
    const sum = { count: 0, rate: 0, queue: 0, errors: 0, silent: 0, vacant: 0, mean: null };
    const add = n => { if (n.note) return true; sum.count++; sum.rate += n.rate; sum.queue += n.queue; sum.errors += n.errors; sum.silent += n.state === 'unresponsive'; sum.vacant += n.state === 'vacant'; return true; };
    if (node.group) node.group.forEach(add); else this.walk(add, [node]);
    return sum;
  }

  /// The nodes of the bus itself.
  get own() { return [...this.nodes.values()].filter(node => !node.of); }

  /// The nodes above one, the nearest first.
  above(node) { const list = []; for (let p = this.nodes.get(node.parent); p; p = this.nodes.get(p.parent)) list.push(p); return list; }

  /// Whether the bus has left messages out of the list in the last seconds.
  get isCut() { return this.leftOut != null && Date.now() - this.leftOutAt < 2500; }

  /// The nodes that have messages, the most first.
  get busiest() { return this.own.filter(n => n.queue).sort((a, b) => b.queue - a.queue); }

  /// The messages a second of the last whole seconds, from the counters of the bus.
  get perSecond() {
    const [, length, ...numbers] = this.seconds.at(-1) ?? [0, 1000];
    return numbers.reduce((a, b) => a + b, 0) * 1000 / Math.max(1, length);
  }
}

const alikeness = node => node.alike ??= `${node.asked}|${node.told}|${(node.unit || node.program).replace(/\d+/g, '#')}`;

/// Reads what is sought: words, and conditions such as state:vacant or queue:>0.
export function parse(text) {
  const compare = (value, bound) => bound.startsWith('>') ? value > Number(bound.slice(1)) : bound.startsWith('<') ? value < Number(bound.slice(1)) : value === Number(bound);
  const fields = {
    state: (n, v) => n.state === (v === 'silent' ? 'unresponsive' : v), asked: (n, v) => n.asked.some(name => name.toLowerCase() === v),
    told: (n, v) => n.told.some(name => name.toLowerCase() === v), unit: (n, v) => matches(n.unit.toLowerCase(), v), user: (n, v) => n.user.toLowerCase() === v,
    rate: (n, v) => compare(n.rate, v), queue: (n, v) => compare(n.queue, v),
  };
  // Of which bus is said to the console, which looks in all of them.
  return text.trim().toLowerCase().split(/\s+/).filter(part => part && !part.startsWith('bus:')).map(part => {
    const colon = part.indexOf(':'), field = colon > 0 && Object.hasOwn(fields, part.slice(0, colon)) ? fields[part.slice(0, colon)] : null;
    return field ? node => field(node, part.slice(colon + 1)) : node => node.path.toLowerCase().includes(part) || node.words.includes(part);
  });
}

/// Whether a text is of a pattern with asterisks.
function matches(text, pattern) {
  const parts = pattern.split('*');
  if (parts.length === 1) return text === pattern;
  let at = parts[0].length;
  if (!text.startsWith(parts[0]) || !text.endsWith(parts.at(-1))) return false;
  for (const part of parts.slice(1, -1)) { at = text.indexOf(part, at); if (at < 0) return false; at += part.length; }
  return at <= text.length - parts.at(-1).length;
}
