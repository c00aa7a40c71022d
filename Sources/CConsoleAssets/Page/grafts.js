// SPDX-License-Identifier: Apache-2.0

// The nodes for which the page asks itself, among those of frames, below the nodes that are opened: those of other
// sites, and the children that frames leave out. Pure: it knows nothing of the document.

import { counted } from './text.js';

export const openMax = 64;
/// The number of children that are kept, which frames leave out.
const askedMax = 20_000;
/// Numbers of nodes that hang here begin above all that a bus gives.
const firstNumber = 2 ** 40;

export class Grafts {
  #epoch = null;
  /// The number of each node that ever hung, by its graft and place, and those that hang.
  #numbers = new Map(); #last = firstNumber; #hung = new Set();
  /// What is opened, by the number of the node at which it hangs, in the order of opening.
  opened = new Map();

  isOpen(node) { return this.opened.has(node.number); }

  /// Opens the site at a node, or its children. Returns whether there was room; children make it for others.
  ///
  /// 'above' are the numbers of the nodes above it.
  open(node, above = []) {
    if (this.isOpen(node)) return true;
    const { number: mount, site = null } = node;
    if (this.opened.size >= openMax) this.#drop([mount, ...above]);
    if (this.opened.size >= openMax) return false;
    this.opened.set(mount, { mount, site, answer: null, failure: '', triedAt: 0, isAsked: false, child: null });
    return true;
  }

  close(node) { this.opened.delete(node.number); }

  /// Takes what was told of the nodes below an opened one. Their rates follow from two answers.
  take(graft, answer) {
    const { visits: before, answer: last } = graft, seconds = (answer.when - last?.when) / 1000;
    if (seconds === 0) return;
    const visits = graft.visits = new Map(), paths = answer.paths = new Map();
    // The first is the node at which they hang.
    for (const [row, parent, name] of answer.nodes) paths.set(row, parent ? `${paths.get(parent)}/${name}` : '');
    for (const numbers of answer.activity) {
      const path = paths.get(numbers[0]), number = numbers[5], grown = number - before?.get(path);
      visits.set(path, number);
      if (grown >= 0 && seconds > 0) numbers[1] = Math.round(grown / seconds * 10) / 10;
    }
    Object.assign(graft, { answer, failure: '', tookAt: Date.now() });
  }

  /// Drops the children that were opened first if there are too many. Those in 'kept' stay.
  makeRoom(kept) {
    const count = () => [...this.opened.values()].reduce((sum, { site, answer }) =>
      sum + (site == null && answer ? answer.nodes.length : 0), 0);
    while (count() > askedMax && this.#drop(kept));
  }

  #drop(kept) {
    const graft = [...this.opened.values()].find(({ site, mount }) => site == null && !kept.includes(mount));
    return graft != null && this.opened.delete(graft.mount);
  }

  /// Forgets all that belongs to another bus, or to a daemon that has gone. The past is that of the same bus.
  follow(epoch, isPast) {
    if (isPast || epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.opened.clear();
    this.#numbers.clear();
  }

  /// Puts what is opened among the nodes of frames, and takes away what is no more. 'take' inserts a node by its row,
  /// and 'untold' has the numbers of children that frames leave out.
  hang(nodes, untold, take, isPast) {
    const before = this.#hung;
    this.#hung = new Set();
    if (!isPast) {
      const told = untold.size ? this.#toldBelow(nodes, untold) : null;
      for (const graft of this.opened.values()) {
        const { mount, site } = graft;
        // What is above has been opened before what hangs on it.
        if (nodes.has(mount) && (mount < firstNumber || this.#hung.has(mount))) this.#hangOne(graft, nodes, take, told);
        else if (site == null && mount >= firstNumber) this.opened.delete(mount);
      }
      if (told) this.#hangRests(nodes, untold, take, told);
    }
    for (const number of before) if (!this.#hung.has(number)) nodes.delete(number);
    if (this.#numbers.size < 2 * (this.#hung.size + askedMax)) return;
    for (const [key, number] of this.#numbers) if (!this.#hung.has(number)) this.#numbers.delete(key);
  }

  /// The names of the children that frames have, by the numbers of parents of which they leave some out.
  #toldBelow(nodes, untold) {
    const told = new Map();
    for (const { number, parent, name } of nodes.values()) {
      if (number >= firstNumber || !untold.has(parent)) continue;
      if (!told.has(parent)) told.set(parent, new Set());
      told.get(parent).add(name);
    }
    return told;
  }

  #put(graft, key, nodes, take, parent, rest, more) {
    const number = this.#number(`${graft.mount} ${key}`);
    this.#hung.add(number);
    take([number, parent, ...rest]);
    Object.assign(nodes.get(number), { of: graft, at: null, note: '', opens: 0 }, more);
    return number;
  }

  /// A row that says something, and stands for no node.
  #say(graft, key, nodes, take, state, note, opens = 0) {
    this.#put(graft, `?${key}`, nodes, take, graft.mount, ['…', state, '', '', '', [], [], null], { note, opens });
  }

  #hangOne(graft, nodes, take, told) {
    const { mount, site, failure, answer } = graft, say = (...of) => this.#say(graft, of[0], nodes, take, of[1], of[2]);
    if (failure) say('failure', 'unanswered', failure);
    else if (!answer) say('asked', 'inactive', site == null ? 'asking the bus …' : 'asking the site …');
    if (!answer) return;
    const { nodes: rows, activity, paths, more } = answer, numbers = new Map([[rows[0]?.[0], mount]]);
    rows.forEach(([row, parent, ...rest], i) => {
      if (!parent || site == null && told?.get(mount)?.has(rest[0])) return;
      const at = paths.get(row), [, rate, queue, mean, errors] = activity[i], shown = { at, rate, queue, mean, errors };
      numbers.set(row, this.#put(graft, at, nodes, take, numbers.get(parent), rest, shown));
    });
    const hint = site == null ? ': find one by its path' : '';
    if (more) say('more', 'inactive', `${counted(more, 'more node')} not shown${hint}`);
  }

  /// Says below nodes of which frames have some children alone that there are others.
  #hangRests(nodes, untold, take, told) {
    for (const [mount, count] of untold) {
      if (!nodes.has(mount) || !told.has(mount) || this.opened.has(mount)) continue;
      const note = `${counted(count, 'more node')} not shown: unfold this to ask for them`;
      this.#say({ mount, site: null }, 'rest', nodes, take, 'inactive', note, mount);
    }
  }

  /// The number by which the page knows a node: it stays while the node does.
  #number(key) {
    if (!this.#numbers.has(key)) this.#numbers.set(key, ++this.#last);
    return this.#numbers.get(key);
  }
}
