// SPDX-License-Identifier: Apache-2.0

// Going back: the moment that is shown. What is known of now is kept aside meanwhile, and the frames of then
// fill the model, so that the rest of the page shows the past as it shows the present.

import { say } from './actions.js';
import { Capture } from './capture.js';
import { Model } from './model.js';
import { age, clock, milliseconds, shown } from './text.js';
import { pullAgain } from './pull.js';

export class Past {
  #live = null; #steps = 0; #choosing = null; #path = null; #capture = null;

  constructor(page) {
    this.page = page;
    addEventListener('dragover', e => e.preventDefault());
    addEventListener('drop', e => {
      e.preventDefault();
      if (e.dataTransfer?.files[0]) this.open(e.dataTransfer.files[0]);
    });
  }

  /// Whether the console shows a file, which has no present. One leaves a file that was dropped on the page.
  get isFile() { return this.page.model.past?.file != null && !this.#capture; }
  /// Whether the page shows a file that was dropped on it, and asks the console for nothing.
  get isDropped() { return this.#capture != null; }

  /// Shows a file of 'cascadectl capture'.
  async open(file) {
    const { page } = this, capture = new Capture(file);
    try { await capture.read(); } catch (error) { say(error.message, 'bad'); return; }
    this.#capture = capture;
    // The file knows nothing of the events of the bus.
    page.choose(null, { keepsHistory: true });
    page.setMoment(capture.to);
  }

  /// What the page asks for besides what it shows.
  get wanted() {
    const { model, moment } = this.page;
    return { epoch: model.epoch ?? undefined, after: model.frame, at: moment ?? undefined };
  }

  /// Another moment is to be shown; null for now.
  show(moment) {
    const { model } = this.page;
    if (moment == null) {
      this.#steps = 0;
      // The bus knows nothing of the events of a file.
      if (this.#capture) this.page.event = null;
      this.#capture = null;
      if (this.#live) Object.assign(model, this.#live);
      this.#live = null;
      pullAgain();
    } else if (this.#capture) {
      this.#capture.frame(moment).then(frame => { if (this.page.moment === moment) this.page.take(frame); });
    } else if (!model.past || model.past.asked != null) pullAgain();
    // A frame that is under way is shown first: while one drags, the tree follows.
    if (model.past) model.past.asked = null;
  }

  /// Prepares for a frame. Returns whether it is of what is shown.
  accepts(frame) {
    const { page } = this, { model } = page, isPast = frame.state === 'past';
    if (this.#capture && frame.file !== this.#capture.name) return false;
    if (frame.file != null && page.moment == null) page.setMoment(frame.moment);
    if (isPast !== (page.moment != null)) return false;
    // Nodes may have other numbers in a recording of another console.
    if (frame.after == null) this.#path = page.node?.path ?? this.#path;
    if (isPast && !this.#live) { this.#live = { ...model }; Object.assign(model, new Model()); }
    return true;
  }

  /// A frame has been taken.
  took(frame) {
    const { page } = this, { past } = page.model, node = page.model.byPath.get(this.#path);
    // Once found, the node is selected no more: one may select another.
    if (node) {
      this.#path = null;
      page.select(node.number, { keepsHistory: true });
    }
    if (!past || frame.more) return;
    past.asked = past.moment;
    // What is asked for before or behind what is recorded is shown at its edge.
    if (page.moment < past.from || page.moment > past.to) page.moment = past.moment;
    if (past.moment !== page.moment) { past.asked = null; return; }
    if (this.#steps) this.step(0); else if (this.#choosing != null) this.#choose();
  }

  /// Goes from one monitor event to another; with 0 as far as was wanted before its frame came.
  step(direction) {
    const { page } = this, { model } = page;
    if (page.moment == null) {
      const last = Math.max(model.ended.at(-1)?.at ?? 0, at(model.happenings.at(-1)) ?? 0);
      if (direction < 0 && last) this.#go(Math.floor(last / 1000));
      return;
    }
    this.#steps += direction;
    if (model.past?.moment !== page.moment || !this.#steps) return;
    const next = this.#steps < 0 ? model.past.previous : model.past.next, isOn = this.#steps > 0;
    this.#steps -= Math.sign(this.#steps);
    if (next != null) { this.#go(next); return; }
    this.#steps = 0;
    if (isOn && !this.isFile) page.setMoment(null);
  }

  #go(moment) {
    const { page } = this;
    if (page.tab !== 'Events') page.show('Events');
    this.#choosing = moment;
    page.setMoment(moment);
  }

  /// Chooses the message that ended at the moment that one went to.
  #choose() {
    const { page } = this, event = page.model.ended.findLast(e => Math.floor(e.at / 1000) === this.#choosing);
    if (this.#choosing === page.moment && event) page.choose(event, { keepsHistory: true });
    this.#choosing = null;
  }

  /// The sentence above the tree.
  get words() {
    const { past, reason } = this.page.model;
    if (!past) return 'Going back …';
    if (past.noTree) return 'This file has no tree: it shows its events only';
    if (past.gap) {
      const [from, to] = past.gap.map(moment => clock(moment));
      return `Nothing was recorded from ${from} to ${to}: as it was at ${from}`;
    }
    if (past.then === 'away') return reason ? `No bus answered then: ${reason}` : 'No bus answered then';
    return 'As it was then. What values were set, and why, was not recorded';
  }

  /// The moment in the bar.
  get title() {
    const { moment, model } = this.page, file = model.past?.file;
    return file != null ? `${clock(moment)} in ${shown(file)}` : `${clock(moment)}, ${age(model.now - moment)} ago`;
  }
}

/// Microseconds since 1970 of a monitor event.
const at = event => event ? milliseconds(event.when) * 1000 : null;
