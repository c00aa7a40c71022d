// SPDX-License-Identifier: Apache-2.0

// What the page knows of a bus, kept up by frames. Pure: it knows nothing of the document.

import { Grafts } from './grafts.js';
import { filters, parse } from './seeking.js';
import { microseconds } from './text.js';

export const endedMax = 2000;
const secondsMax = 900, happeningsMax = 500, groupMin = 16;
export const sparkMax = 60;

/// The names of the numbers in a second, behind its time and length.
export const outcomes = [
  'handled', 'delivered', 'cascaded', 'caught', 'unhandled', 'noSubscriber', 'failed', 'timedOut', 'rejected',
  'looped',
];
export const failures = new Set(['failed', 'timedOut', 'rejected', 'looped']);

export class Model {
  epoch = null; frame = 0; when = 0; behind = 0; state = 'away'; since = 0; reason = ''; bus = ''; release = '';
  /// In the past: its moment, what is recorded, and the monitor events before and after it.
  past = null;
  /// The number of nodes that the console does not tell of, because the tree is too large.
  untold = 0;
  buses = []; totals = null; underWay = null; undelivered = []; findings = []; leftOut = null; leftOutAt = 0;
  nodes = new Map(); byPath = new Map(); untoldBelow = new Map(); grafts = new Grafts();
  ended = []; ids = new Map(); seconds = []; happenings = [];
  /// The messages that the last frame has told.
  fresh = [];
  /// Whether questions to sites are left out of the messages.
  hasQuestions = false;
  /// Whether the rows are only those that are sought.
  seeks = false;
  /// Whether nodes have come that are not in order yet.
  #isStale = false;

  /// Takes a frame. Returns what has changed: a set of 'all', 'tree', 'activity', 'ended', 'seconds', 'lists'.
  apply(frame, now = Date.now()) {
    const changes = new Set();
    if (frame.after == null) {
      this.clear();
      changes.add('all').add('tree');
    }
    if (frame.state !== this.state || frame.reason !== this.reason) changes.add('all');
    this.#takeState(frame, now);
    this.#takeNodes(frame, changes);
    this.#takeEnded(frame.ended ?? [], changes);
    this.#takeHistory(frame, changes);
    for (const list of ['underWay', 'undelivered', 'findings', 'totals']) {
      if (frame[list]) {
        this[list] = frame[list];
        changes.add(list === 'totals' ? 'totals' : 'lists');
      }
    }
    if (frame.leftOut) Object.assign(this, { leftOut: frame.leftOut, leftOutAt: now });
    return changes;
  }

  clear() {
    for (const map of [this.nodes, this.byPath, this.untoldBelow, this.ids]) map.clear();
    for (const list of ['ended', 'seconds', 'happenings', 'undelivered', 'findings']) this[list] = [];
    this.totals = this.underWay = null;
    this.hasQuestions = false;
  }

  // MARK: - The parts of a frame

  #takeState(frame, now) {
    for (const name of ['epoch', 'frame', 'when', 'state', 'since', 'reason']) this[name] = frame[name];
    this.behind = now - frame.now;
    this.bus = frame.bus ?? '';
    this.release = frame.release ?? '';
    this.untold = frame.untold ?? 0;
    this.buses = frame.buses ?? this.buses;
    const { moment, from, to, previous, next, then, gap, noTree, file } = frame;
    const past = { ...this.past, moment, from, to, previous, next, then, gap, noTree, file };
    this.past = frame.state === 'past' ? past : null;
  }

  #takeNodes({ gone = [], nodes = [], untoldBelow = [], activity = [], more }, changes) {
    for (const number of gone) for (const map of [this.nodes, this.untoldBelow]) map.delete(number);
    for (const row of nodes) this.#take(row);
    for (const [number, count] of untoldBelow) {
      this.untoldBelow[count ? 'set' : 'delete'](number, count);
      if (this.nodes.has(number)) this.nodes.get(number).untold = count;
    }
    this.#isStale ||= gone.length + nodes.length + untoldBelow.length > 0;
    // Of a tree that comes in several frames the first and the last are drawn.
    if (this.#isStale && !more) changes.add('tree');
    for (const [number, rate, queue, mean, errors] of activity) {
      const node = this.nodes.get(number);
      if (!node) continue;
      Object.assign(node, { rate, queue, mean, errors });
      changes.add('activity');
    }
    this.grafts.follow(this.epoch, this.past != null);
    if (changes.has('tree')) this.order();
  }

  #take([number, parent, name, state, unit, program, user, asked, told, since, site, untold]) {
    const node = this.nodes.get(number) ?? { number, rate: 0, queue: 0, mean: null, errors: 0, spark: [] };
    if (node.state && node.state !== state) Object.assign(node, { spark: [], turned: this.past ? 0 : this.when });
    const words = `${unit} ${program} ${user} ${asked.join(' ')} ${told.join(' ')}`.toLowerCase();
    Object.assign(node, { parent, name, state, unit, program, user, asked, told, since, site, words, alike: null });
    node.untold = untold ?? this.untoldBelow.get(number) ?? 0;
    this.nodes.set(number, node);
  }

  #takeEnded(ended, changes) {
    // Questions to sites, such as those of this page, would hide what the programs of the bus say.
    this.fresh = ended.filter(({ name, outcome }) => name !== 'cascade.Inspect' || failures.has(outcome));
    this.hasQuestions ||= this.fresh.length < ended.length;
    for (const event of this.fresh) {
      event.at = microseconds(event.when);
      event.from = microseconds(event.begun) ?? event.at;
      this.ended.push(event);
      this.ids.set(event.id, event);
      changes.add('ended');
    }
    this.#trim();
  }

  /// Drops the oldest events that are too many: successes before failures, unless half of all are failures.
  #trim() {
    const isMostlyFailures = () => this.ended.filter(e => failures.has(e.outcome)).length > endedMax / 2;
    while (this.ended.length > endedMax) {
      const oldest = Math.max(0, this.ended.findIndex(e => !failures.has(e.outcome)));
      const [event] = this.ended.splice(oldest > endedMax / 4 && isMostlyFailures() ? 0 : oldest, 1);
      this.ids.delete(event.id);
    }
  }

  #takeHistory({ seconds, happenings }, changes) {
    if (seconds || happenings) changes.add('seconds');
    this.seconds.push(...seconds ?? []);
    this.seconds.splice(0, this.seconds.length - secondsMax);
    this.happenings.push(...happenings ?? []);
    this.happenings.splice(0, this.happenings.length - happeningsMax);
    if (seconds) this.#sparks();
  }

  #sparks() {
    for (const node of this.nodes.values()) {
      if (!node.rate && !node.spark.length) continue;
      node.spark.push(node.rate);
      if (node.spark.length > sparkMax) node.spark.shift();
      if (node.spark.every(rate => !rate)) node.spark = [];
    }
  }

  // MARK: - The tree

  /// Puts children below parents, by their numbers, which are in the order of the tree, and opened sites where they
  /// stand.
  order() {
    this.#isStale = false;
    this.grafts.hang(this.nodes, this.untoldBelow, row => this.#take(row), this.past != null);
    for (const node of this.nodes.values()) node.children = [];
    this.roots = [];
    for (const number of [...this.nodes.keys()].sort((a, b) => a - b)) {
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

  /// Whether what is below a node is asked for when it is opened: another site, or children that frames leave out.
  isLazy({ site, opens, untold, children }) {
    return site != null || opens > 0 || untold > 0 && children.every(child => child.of);
  }

  /// The nodes that frames have told.
  get own() { return [...this.nodes.values()].filter(node => !node.of); }

  /// The nodes above one, the nearest first.
  above(node) {
    const list = [];
    for (let p = this.nodes.get(node.parent); p; p = this.nodes.get(p.parent)) list.push(p);
    return list;
  }

  // MARK: - Rows

  /// The rows to show: what matches, with all above it; without what is folded away.
  arrange({ filter, sought, folded, opened, selected }) {
    if (this.#isStale) this.order();
    const query = parse(sought), kept = new Set();
    this.seeks = filter !== 'All' || query.length > 0;
    for (const node of this.nodes.values()) {
      node.row = -1;
      node.isMatch = !(this.seeks && node.note) && filters[filter](node) && query.every(test => test(node));
      if (this.seeks && node.isMatch) this.#keep(node, kept);
    }
    const rows = [];
    this.walk(node => {
      if (this.seeks && !kept.has(node)) return false;
      node.group = null;
      node.row = rows.push(node) - 1;
      return this.seeks || !folded.has(node.path);
    });
    return this.seeks ? rows : this.#grouped(rows, opened, selected);
  }

  /// Keeps a node and all above it.
  #keep(node, kept) { for (let p = node; p && !kept.has(p); p = this.nodes.get(p.parent)) kept.add(p); }

  /// Rows in which many siblings alike without children are one, unless the selected one is among them.
  #grouped(rows, opened, selected) {
    const result = [];
    for (let begin = 0, end; begin < rows.length; begin = end) {
      const first = rows[begin];
      end = endOfAlike(rows, begin, node => node.note || node.untold || this.grafts.isOpen(node));
      const isGroup = end - begin >= groupMin, members = rows.slice(begin, end);
      if (isGroup && members.some(node => node !== first && node.number === selected)) opened.add(first.path);
      if (isGroup && !opened.has(first.path)) {
        first.group = members;
        for (const member of members) member.row = result.length;
        result.push(first);
      } else {
        for (const member of members) {
          member.groupOf = isGroup ? first.number : 0;
          member.row = result.push(member) - 1;
        }
      }
    }
    return result;
  }

  /// What a folded row stands for: the sums, and how many are in trouble.
  sum(node) {
    const sum = { count: 0, rate: 0, queue: 0, errors: 0, silent: 0, vacant: 0, mean: null, isPart: false };
    const add = ({ note, rate, queue, errors, state, untold }) => {
      if (note) return true;
      sum.count += 1;
      sum.isPart ||= untold > 0;
      sum.rate += rate;
      sum.queue += queue;
      sum.errors += errors;
      sum.silent += state === 'unresponsive';
      sum.vacant += state === 'vacant';
      return true;
    };
    if (node.group) node.group.forEach(add); else this.walk(add, [node]);
    return sum;
  }

  // MARK: - Numbers

  /// Whether the bus has left messages out of the list in the last seconds.
  get isCut() { return this.leftOut != null && Date.now() - this.leftOutAt < 2500; }

  /// The number of events that the bus keeps, of which not all may be listed.
  get kept() {
    const { undelivered = 0, held = 0 } = this.totals?.uses ?? {}, { length } = this.undelivered;
    return length && Math.max(length, undelivered + held);
  }

  /// The time by the clock of the console.
  get now() { return Date.now() - this.behind; }

  /// The messages a second of the last whole seconds before the moment shown, from the counters of the bus.
  get perSecond() {
    const at = this.past?.moment ?? Infinity, last = this.seconds.findLast(([when]) => when <= at);
    const [, length, ...numbers] = last ?? [0, 1000];
    return numbers.reduce((a, b) => a + b, 0) * 1000 / Math.max(1, length);
  }
}

/// What nodes have in common that are shown as one row.
const alikeness = node =>
  node.alike ??= `${node.asked}|${node.told}|${(node.unit || node.program).replace(/\d+/g, '#')}`;

/// The index behind the last of the siblings that are like the one at 'begin'. Some stand alone.
function endOfAlike(rows, begin, isAlone) {
  const { parent } = rows[begin];
  let key = null;
  // A vacant place declares nothing, and stays in the group in which it was.
  const joins = node => node?.parent === parent && !node.children.length && !isAlone(node)
    && (node.state === 'vacant' || (key ??= alikeness(node)) === alikeness(node));
  let end = begin + 1;
  if (joins(rows[begin])) while (joins(rows[end])) end++;
  return end;
}
