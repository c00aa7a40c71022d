// SPDX-License-Identifier: Apache-2.0

// The bar on top: which bus is shown, and whether what is shown is so now.

import { $ } from './make.js';
import { age, busName, clock, counted } from './text.js';

const staleTime = 2000, drawTime = 500;

export class Bar {
  #failure = null; #reachedAt = Date.now();

  constructor(page) {
    this.page = page;
    $('now').addEventListener('click', () => {
      if (page.moment == null) page.stop();
      else if (!page.past.isFile) page.setMoment(null);
    });
    setInterval(() => this.draw(), drawTime);
  }

  /// The console has answered.
  reached() {
    this.#failure = null;
    this.#reachedAt = Date.now();
  }

  /// Whether the console answers.
  get isReached() { return this.#failure == null; }

  fail(error) {
    this.#failure = error;
    this.draw();
  }

  draw() {
    const { page } = this, { model, bus } = page, several = model.buses.length > 1;
    const name = (several ? bus ?? model.buses[0].name : busName(model.bus)) || 'Cascade';
    const known = [
      model.nodes.size > 0 && counted(model.own.length - 1 + model.untold, 'node'),
      several && `1 of ${model.buses.length} buses ▾`,
    ];
    document.title = `${name} · Cascade`;
    $('bus').replaceChildren(name);
    $('bus').title = model.bus;
    $('count').replaceChildren(known.filter(Boolean).join(' · '));
    this.#drawNow();
  }

  #drawNow() {
    const { model, moment, isStopped } = this.page, isAway = model.state === 'away' && moment == null;
    const quiet = model.now - model.when;
    const isStale = !isAway && moment == null && !isStopped && quiet > staleTime;
    document.body.classList.toggle('stale', this.#failure != null || isAway || isStale);
    const [text, colour, hint] = this.#condition(isAway, isStale && quiet);
    $('now').className = `now ${colour}`;
    $('now').title = hint;
    $('now').lastChild.textContent = text;
  }

  /// What is shown: its name, its colour, and what pressing it does, or why it is so.
  #condition(isAway, staleFor) {
    const { model, moment, past, isStopped } = this.page, error = this.#failure;
    if (moment != null) return [past.title, 'warn', past.isFile ? '' : 'Back to live (l)'];
    if (error?.status === 401) return ['Needs a new link', 'bad', error.message];
    if (error) return [`Console not reached for ${age(Date.now() - this.#reachedAt)}`, 'bad', ''];
    if (isAway) return [model.since ? `No bus since ${clock(model.since)}` : 'Connecting', 'bad', model.reason ?? ''];
    if (isStopped) return ['Stopped', 'warn', 'Back to live (l)'];
    return staleFor ? [`${age(staleFor)} old`, 'warn', ''] : ['Live', 'good', 'Stop (space)'];
  }
}
