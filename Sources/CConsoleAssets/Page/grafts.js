// SPDX-License-Identifier: Apache-2.0

// The nodes of other sites, among those of the bus, below the nodes at which the sites stand. Pure: it knows
// nothing of the document.

export const openMax = 64;
/// Numbers of nodes of other sites begin above all that a bus gives.
const firstNumber = 2 ** 40;

export class Grafts {
  #epoch = null;
  /// The number of each node that ever hung, by its graft and place, and those that hang.
  #numbers = new Map(); #last = firstNumber; #hung = new Set();
  /// What is opened, by the number of the node at which the site stands, in the order of opening.
  opened = new Map();

  isOpen(node) { return this.opened.has(node.number); }

  /// Opens the site at a node. Returns whether there was room.
  open(node) {
    if (this.opened.size >= openMax && !this.isOpen(node)) return false;
    const graft = { mount: node.number, site: node.site, answer: null, failure: '', triedAt: 0, isAsked: false };
    if (!this.isOpen(node)) this.opened.set(node.number, graft);
    return true;
  }

  close(node) { this.opened.delete(node.number); }

  /// Forgets all that belongs to another bus, or to a daemon that has gone. The past is that of the same bus.
  follow(epoch, isPast) {
    if (isPast || epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.opened.clear();
    this.#numbers.clear();
  }

  /// Puts the nodes of the opened sites among those of the bus, and takes away those that are no more.
  /// 'take' inserts a node by its row.
  hang(nodes, take, isPast) {
    const before = this.#hung;
    this.#hung = new Set();
    for (const graft of isPast ? [] : this.opened.values()) {
      const { mount } = graft;
      // The site above has been opened before one that stands on it.
      if (nodes.has(mount) && (mount < firstNumber || this.#hung.has(mount))) this.#hangOne(graft, nodes, take);
    }
    for (const number of before) if (!this.#hung.has(number)) nodes.delete(number);
  }

  #hangOne(graft, nodes, take) {
    const put = (key, parent, rest, more) => {
      const number = this.#number(`${graft.mount} ${key}`);
      this.#hung.add(number);
      take([number, parent, ...rest]);
      Object.assign(nodes.get(number), { of: graft, at: null, note: '' }, more);
      return number;
    };
    const say = (key, state, note) => put(`?${key}`, graft.mount, ['…', state, '', '', '', [], [], null], { note });
    if (graft.failure) say('failure', 'unanswered', graft.failure);
    else if (!graft.answer) say('asked', 'inactive', 'asking the site …');
    if (!graft.answer) return;
    const { nodes: rows, activity, more } = graft.answer, numbers = new Map(), paths = new Map();
    const numbersOf = new Map(activity.map(([number, , queue, mean, errors]) => [number, { queue, mean, errors }]));
    for (const [row, parent, ...rest] of rows) {
      // The root of the site is the node at which it stands.
      if (!parent) {
        numbers.set(row, graft.mount);
        paths.set(row, '');
        continue;
      }
      const at = `${paths.get(parent)}/${rest[0]}`;
      paths.set(row, at);
      numbers.set(row, put(at, numbers.get(parent), rest, { at, ...numbersOf.get(row) }));
    }
    if (more) say('more', 'inactive', `${more.toLocaleString('en')} more nodes are not shown`);
  }

  /// The number by which the page knows a node: it stays while the node does.
  #number(key) {
    if (!this.#numbers.has(key)) this.#numbers.set(key, ++this.#last);
    return this.#numbers.get(key);
  }
}
