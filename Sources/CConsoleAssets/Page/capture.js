// SPDX-License-Identifier: Apache-2.0

// A capture that is dropped on the page. The page reads it itself, so that it need not leave the browser: an
// index of the places of its keyframes once, and then for each moment the lines since the keyframe before it.

import { outcomes } from './model.js';
import { leaf, milliseconds } from './text.js';

const blockBytes = 8 << 20, headBytes = 1024, lineFeed = 10;
const marksMax = 500, rowsMax = 900, endedMax = 400, toldMax = 100_000;
/// What a step from event to event passes by.
const passedBy = ['triggered', 'published', 'delivered'];

/// A member of a line whose value is a text, without reading the whole line.
const member = (line, name) => line.match(new RegExp(`"${name}":"([^"]*)"`))?.[1];

function parsed(line) {
  try { return JSON.parse(line); } catch { return null; }
}

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}

export class Capture {
  /// The parts of the file that are read at once for a moment, and the times of the events in each.
  #blocks = [];
  #marks = [];
  /// The numbers of outcomes of each second.
  #seconds = new Map();

  constructor(file) {
    this.file = file;
    this.name = file.name;
  }

  get from() { return this.#blocks[0]?.from ?? 0; }
  get to() { return this.#blocks.at(-1)?.until ?? 0; }

  // MARK: - The index

  /// Reads the index. Throws if the file is no capture.
  async read() {
    const { file } = this, head = await file.slice(0, headBytes).text();
    if (member(head, 'schema') !== 'cascade/v1/capture') {
      throw new Error(`${this.name} is not a capture: it does not begin with 'cascade/v1/capture'.`);
    }
    let parts = [], begin = 0;
    for await (const part of file.stream()) {
      parts.push(part);
      // A line of many parts is put together once.
      if (!part.includes(lineFeed)) continue;
      const bytes = joined(parts), end = this.#readLines(bytes, begin);
      parts = [bytes.slice(end)];
      begin += end;
    }
    if (!this.#blocks.length) throw new Error(`${this.name} has no events of a bus.`);
  }

  /// Notes the whole lines of bytes that are at 'offset' in the file. Returns where the first torn one begins.
  #readLines(bytes, offset) {
    const decoder = new TextDecoder(), text = (from, to) => decoder.decode(bytes.subarray(from, to));
    let begin = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, begin)) {
      const [from, to] = [begin, end], head = text(from, Math.min(to, from + headBytes));
      this.#note({ begin: offset + from, end: offset + to + 1, head }, () => text(from, to));
      begin = end + 1;
    }
    return begin;
  }

  #note(line, text) {
    const when = member(line.head, 'when'), what = member(line.head, 'what');
    const isKeyframe = member(line.head, 'schema') === 'cascade/v1/keyframe', at = when && milliseconds(when);
    if (!at || !isKeyframe && !what) return;
    const block = this.#blockOf(line, at, isKeyframe);
    block.end = line.end;
    block.until = Math.max(block.until, at);
    if (isKeyframe || passedBy.includes(what)) return;
    if (what === 'sampled') {
      for (const [name, number] of Object.entries(parsed(text())?.leftOut ?? {})) this.#count(at, name, number);
      return;
    }
    if (block.events.at(-1) !== at) block.events.push(at);
    if (what === 'ended') this.#count(at, member(line.head, 'outcome')); else this.#mark(parsed(text()));
  }

  #blockOf({ begin, end }, at, isKeyframe) {
    const last = this.#blocks.at(-1);
    if (last && !isKeyframe && begin - last.begin <= blockBytes) return last;
    const from = Math.max(at, last?.until ?? at);
    const block = { begin, end, from, until: at, hasTree: isKeyframe, events: [] };
    this.#blocks.push(block);
    return block;
  }

  #count(at, outcome, number = 1) {
    const second = Math.floor(at / 1000), counts = this.#seconds.get(second) ?? outcomes.map(() => 0);
    const place = outcomes.indexOf(outcome);
    if (place >= 0) counts[place] += number;
    this.#seconds.set(second, counts);
  }

  #mark(mark) {
    if (mark) this.#marks.push(mark);
    this.#marks.splice(0, this.#marks.length - marksMax);
  }

  // MARK: - A moment

  /// Returns the frame of a moment.
  async frame(wanted) {
    const moment = Math.max(this.from, Math.min(this.to, wanted));
    const number = Math.max(0, this.#blocks.findLastIndex(block => block.from <= moment)), block = this.#blocks[number];
    const { tree, ended } = await this.#replay(block, moment);
    const times = this.#blocks.slice(Math.max(0, number - 1), number + 2).flatMap(({ events }) => events);
    return {
      schema: 'cascade/v1/frame', epoch: `file-${moment}`, frame: 1, state: 'past', when: moment, now: Date.now(),
      bus: tree.bus, release: '', moment, from: this.from, to: this.to, file: this.name,
      noTree: block.hasTree ? undefined : true,
      previous: times.findLast(at => at < moment), next: times.find(at => at > moment),
      nodes: tree.rows(toldMax), untold: Math.max(0, tree.size - toldMax),
      ended: ended.slice(-endedMax), undelivered: tree.undelivered,
      seconds: this.#rows(), happenings: this.#marks,
    };
  }

  /// The tree and the events of a block until a moment.
  async #replay({ begin, end }, moment) {
    const tree = new CapturedTree(), ended = [], text = await this.file.slice(begin, end).text();
    for (const line of text.split('\n')) {
      const when = member(line.slice(0, headBytes), 'when');
      if (!when || milliseconds(when) > moment) continue;
      const document = parsed(line);
      if (document?.schema === 'cascade/v1/keyframe') tree.take(document);
      else if (document?.kind === 'topology') tree.change(document);
      else if (document?.what === 'ended') ended.push(document);
    }
    return { tree, ended };
  }

  /// The outcomes of the whole file in at most 900 rows.
  #rows() {
    const length = Math.max(1, Math.ceil((this.to - this.from) / 1000 / rowsMax)), rows = new Map();
    for (const [second, counts] of this.#seconds) {
      const end = (Math.floor(second / length) + 1) * length, row = rows.get(end) ?? outcomes.map(() => 0);
      rows.set(end, row.map((n, i) => n + counts[i]));
    }
    return [...rows].map(([end, counts]) => [end * 1000, length * 1000, ...counts]);
  }
}

const above = path => path === '/' ? '' : path.slice(0, path.lastIndexOf('/')) || '/';
const names = list => [...new Set(list)];

/// The tree of a keyframe, and what monitor events say of it afterwards.
class CapturedTree {
  bus = ''; undelivered = []; #nodes = new Map(); #last = 0;

  /// Begins with a keyframe.
  take({ tree, undelivered }) {
    this.bus = tree?.bus ?? '';
    this.undelivered = undelivered?.undelivered ?? [];
    this.#nodes.clear();
    for (const { path, state, unit, program, user, pid, since, responders, subscriptions } of tree?.nodes ?? []) {
      this.#put(path, {
        state, unit, program, user, pid, since: since && milliseconds(since),
        asked: names(responders?.map(({ name }) => name)), told: names(subscriptions),
      });
    }
  }

  #put(path, change) {
    const known = this.#nodes.get(path) ?? { number: ++this.#last, asked: [], told: [] };
    this.#nodes.set(path, { ...known, ...change });
  }

  /// Takes a monitor event of the topology. Nothing is known of a tree that no keyframe has told.
  change(event) {
    if (!this.#nodes.size) return;
    const { what, path, from, pid, when } = event, isKnown = this.#nodes.has(path);
    if (what === 'moved') this.#nodes.delete(from);
    if (what === 'moved' || what === 'attached') this.#attach(path, pid, milliseconds(when));
    else if (what === 'lost' && isKnown) this.#put(path, { state: 'vacant', since: milliseconds(when) });
    else if (what === 'left' || what === 'detached') this.#leave(path);
    else if (what === 'gone') this.#nodes.delete(path);
    else if (what === 'activated' && isKnown) this.#put(path, { state: 'live' });
    else if (what === 'deactivated' && isKnown) this.#put(path, { state: 'inactive' });
    else if (what === 'unresponsive') this.#setProcess(pid, 'unresponsive');
    else if (what === 'responsive') this.#setProcess(pid, 'live');
  }

  #attach(path, pid, since) {
    for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
      const place = path.slice(0, end);
      if (!this.#nodes.has(place)) this.#put(place, { state: 'vacant' });
    }
    this.#put(path, { state: 'live', pid, since });
  }

  /// A place with nodes below it stays when its node leaves.
  #leave(path) {
    const isEmpty = ![...this.#nodes.keys()].some(other => other.startsWith(path + '/'));
    if (isEmpty) this.#nodes.delete(path); else if (this.#nodes.has(path)) this.#put(path, { state: 'vacant' });
  }

  #setProcess(pid, state) {
    if (pid == null) return;
    for (const [path, node] of this.#nodes) if (node.pid === pid) this.#put(path, { state });
  }

  get size() { return this.#nodes.size; }

  /// The nodes as a frame has them; of too many those of the upper levels.
  rows(max) {
    const depth = ([path]) => path === '/' ? 0 : path.split('/').length;
    const nodes = [...this.#nodes];
    if (nodes.length > max) nodes.sort((a, b) => depth(a) - depth(b));
    return nodes.slice(0, max).map(([path, node]) => [
      node.number, this.#nodes.get(above(path))?.number ?? 0, leaf(path), node.state, node.unit ?? '',
      node.program ?? '', node.user ?? '', node.asked, node.told, node.since ?? null,
    ]);
  }
}
