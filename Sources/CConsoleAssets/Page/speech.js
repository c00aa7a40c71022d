// SPDX-License-Identifier: Apache-2.0

// What is said to those who do not see the page: what has become worse.

import { $ } from './make.js';

const spacing = 10_000;

export class Speech {
  #spokenAt = 0;
  /// How many nodes and events wanted a look when that was said last, or fewer since.
  #known = 0;

  /// Says what has become worse, at most every ten seconds. What comes meanwhile is said after them.
  follow({ own, kept }, now = Date.now()) {
    const number = name => own.filter(({ state }) => state === name).length;
    const silent = number('unresponsive'), vacant = number('vacant'), trouble = silent + vacant + kept;
    this.#known = Math.min(this.#known, trouble);
    if (trouble === this.#known || now - this.#spokenAt < spacing) return;
    this.#known = trouble;
    this.#spokenAt = now;
    $('spoken').replaceChildren(`${silent} silent, ${vacant} vacant, ${kept} undelivered`);
  }
}
