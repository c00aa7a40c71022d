// SPDX-License-Identifier: Apache-2.0

// A capture that is dropped on the page. The page reads it itself, so that it need not leave the browser: an
// index of the places of its keyframes once, and then for each moment the lines since the keyframe before it.

import { outcomes } from './model.js';
import { milliseconds } from './text.js';

const blockBytes = 8 << 20, marksMax = 500, rowsMax = 900, endedMax = 400;
const member = (line, name) => line.match(new RegExp(`"${name}":"([^"]*)"`))?.[1];

export class Capture {
  #blocks = []; #marks = []; #seconds = new Map();

  constructor(file) { this.file = file; this.name = file.name; }

  get from() { return this.#blocks[0]?.from ?? 0; }
  get to() { return this.#blocks.at(-1)?.until ?? 0; }

  /// Reads the index. Throws if the file is no capture.
  async read() {
    const reader = this.file.stream().getReader(), decoder = new TextDecoder();
    let rest = new Uint8Array(0), offset = 0, isFirst = true;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const bytes = new Uint8Array(rest.length + value.length);
      bytes.set(rest); bytes.set(value, rest.length);
      let begin = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, begin)) {
        const head = decoder.decode(bytes.subarray(begin, Math.min(end, begin + 1024)));
        if (isFirst && member(head, 'schema') !== 'cascade/v1/capture') throw new Error(`${this.name} is not a capture: it does not begin with 'cascade/v1/capture'.`);
        if (!isFirst) this.#note(head, offset + begin, offset + end + 1, () => decoder.decode(bytes.subarray(begin, end)));
        isFirst = false;
        begin = end + 1;
      }
      rest = bytes.slice(begin); offset += begin;
    }
    if (!this.#blocks.length) throw new Error(`${this.name} has no events.`);
  }

  #note(head, begin, end, text) {
    const when = member(head, 'when'), what = member(head, 'what'), isKeyframe = member(head, 'schema') === 'cascade/v1/keyframe', at = when && milliseconds(when);
    if (!at || !isKeyframe && !what) return;
    let block = this.#blocks.at(-1);
    if (isKeyframe || !block || begin - block.begin > blockBytes) this.#blocks.push(block = { begin, end, from: Math.max(at, block?.until ?? at), until: at, hasTree: isKeyframe, events: [] });
    block.end = end; block.until = Math.max(block.until, at);
    if (isKeyframe || ['triggered', 'published', 'delivered', 'sampled'].includes(what)) return;
    if (block.events.at(-1) !== at) block.events.push(at);
    if (what !== 'ended') { const mark = parsed(text()); if (mark) this.#marks.push(mark); this.#marks.splice(0, this.#marks.length - marksMax); return; }
    const second = Math.floor(at / 1000), counts = this.#seconds.get(second) ?? outcomes.map(() => 0), place = outcomes.indexOf(member(head, 'outcome'));
    if (place >= 0) counts[place]++;
    this.#seconds.set(second, counts);
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

  /// Returns the frame of a moment.
  async frame(wanted) {
    const moment = Math.max(this.from, Math.min(this.to, wanted)), number = Math.max(0, this.#blocks.findLastIndex(block => block.from <= moment)), block = this.#blocks[number];
    const tree = new CapturedTree(), ended = [];
    for (const line of (await this.file.slice(block.begin, block.end).text()).split('\n')) {
      const when = member(line.slice(0, 200), 'when');
      if (!when || milliseconds(when) > moment) continue;
      const document = parsed(line);
      if (document?.schema === 'cascade/v1/keyframe') tree.take(document);
      else if (document?.kind === 'topology') tree.change(document);
      else if (document?.what === 'ended') ended.push(document);
    }
    const times = this.#blocks.slice(Math.max(0, number - 1), number + 2).flatMap(({ events }) => events);
    return {
      schema: 'cascade/v1/frame', epoch: `file-${moment}`, frame: 1, state: 'past', when: moment, now: Date.now(), bus: tree.bus, release: '', moment, from: this.from, to: this.to,
      previous: times.findLast(at => at < moment), next: times.find(at => at > moment), file: this.name, noTree: block.hasTree ? undefined : true,
      nodes: tree.rows(), ended: ended.slice(-endedMax), seconds: this.#rows(), happenings: this.#marks, undelivered: tree.undelivered,
    };
  }
}

function parsed(line) { try { return JSON.parse(line); } catch { return null; } }

/// The tree of a keyframe, and what monitor events say of it afterwards.
class CapturedTree {
  bus = ''; undelivered = []; #nodes = new Map(); #last = 0;

  take({ tree, undelivered }) {
    this.bus = tree?.bus ?? ''; this.undelivered = undelivered?.undelivered ?? []; this.#nodes.clear();
    for (const node of tree?.nodes ?? []) this.#put(node.path, { state: node.state, unit: node.unit, program: node.program, user: node.user, pid: node.pid, since: node.since && milliseconds(node.since),
      asked: [...new Set(node.responders?.map(responder => responder.name))], told: [...new Set(node.subscriptions)] });
  }

  #put(path, change) { this.#nodes.set(path, { number: this.#nodes.get(path)?.number ?? ++this.#last, asked: [], told: [], ...this.#nodes.get(path), ...change }); }

  change({ what, path, from, pid, when }) {
    if (!this.#nodes.size) return;
    const isKnown = this.#nodes.has(path), set = state => { if (isKnown) this.#put(path, { state }); };
    switch (what) {
      case 'moved': case 'attached':
        if (what === 'moved') this.#nodes.delete(from);
        for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) if (!this.#nodes.has(path.slice(0, end))) this.#put(path.slice(0, end), { state: 'vacant' });
        this.#put(path, { state: 'live', pid, since: milliseconds(when) });
        break;
      case 'lost': if (isKnown) this.#put(path, { state: 'vacant', since: milliseconds(when) }); break;
      case 'left': case 'detached': if ([...this.#nodes.keys()].some(other => other.startsWith(path + '/'))) set('vacant'); else this.#nodes.delete(path); break;
      case 'gone': this.#nodes.delete(path); break;
      case 'activated': set('live'); break;
      case 'deactivated': set('inactive'); break;
      case 'unresponsive': case 'responsive': for (const [other, node] of this.#nodes) if (pid != null && node.pid === pid) this.#put(other, { state: what === 'responsive' ? 'live' : what });
    }
  }

  rows() {
    const above = path => path === '/' ? '' : path.lastIndexOf('/') === 0 ? '/' : path.slice(0, path.lastIndexOf('/'));
    return [...this.#nodes].map(([path, n]) => [n.number, this.#nodes.get(above(path))?.number ?? 0, path === '/' ? '/' : path.slice(path.lastIndexOf('/') + 1), n.state, n.unit ?? '', n.program ?? '', n.user ?? '', n.asked, n.told, n.since ?? null]);
  }
}
