// SPDX-License-Identifier: Apache-2.0

// The payload of an event: 64 KiB of it at first, and on request up to 1 MiB, as far as the bus has it.

import { copyButton, div, h, pressed, quoted } from './make.js';
import { counted } from './text.js';
import { readDocument } from './pull.js';

const firstMax = 65_536, wholeMax = 1_048_576;
/// How events end that the bus keeps no longer.
const taken = new Set(['handled', 'delivered', 'cascaded', 'caught', 'noSubscriber']);

const note = (...parts) => div('faint', ...parts);

export class Payload {
  /// The event; what the bus says of it when it is asked, or why it does not; whether more than the first part is
  /// shown.
  #id = ''; #asked = null; #failure = ''; #isWhole = false;

  constructor(page, draw) { Object.assign(this, { page, draw }); }

  /// Begins with another event. The lists have no long payloads: one that fits into the first part is asked for.
  show(event) {
    this.#id = event?.id;
    this.#asked = null;
    this.#failure = '';
    this.#isWhole = false;
    if (event?.leftOutBytes <= firstMax && this.#isKept(event)) this.#ask();
  }

  #isKept({ outcome }) { return !taken.has(outcome) && this.page.moment == null && this.page.session != null; }

  async #ask() {
    const id = this.#id;
    let asked = null, failure = '';
    try {
      const { undelivered } = await readDocument('undelivered', { id });
      asked = undelivered.find(event => event.id === id);
      if (!asked) failure = 'The bus does not keep this event any more.';
      else if (asked.leftOutBytes) failure = 'This daemon shows 64 KiB of a payload at most.';
      else if (asked.payload === undefined) failure = 'This console shows no payloads.';
    } catch (error) { failure = error.message; }
    // Another event may have been chosen meanwhile.
    if (id !== this.#id) return;
    this.#asked = failure ? null : asked;
    this.#failure = failure;
    this.draw();
  }

  #showAll() {
    this.#isWhole = true;
    this.draw();
  }

  /// The payload of the event as far as it is shown, and what is said of the rest.
  parts(event) {
    const text = textOf(this.#asked ?? event);
    if (text == null) return event.leftOutBytes ? this.#leftOut(event) : null;
    const max = this.#isWhole ? wholeMax : firstMax;
    if (text.length <= max) return h('pre', {}, text);
    return [h('pre', {}, text.slice(0, max) + ' …'), this.#isWhole ? this.#longer(text) : this.#more(text)];
  }

  #more({ length }) {
    return pressed('btn', () => this.#showAll(), length > wholeMax
      ? `Show 1 MiB of ${counted(length, 'character')}` : `Show all ${counted(length, 'character')}`);
  }

  #longer({ length }) {
    const command = `cascadectl undelivered show ${quoted(this.#id)}`;
    return note(`The payload has ${counted(length, 'character')}: '${command}' prints all of them. `,
      copyButton(command, 'copy'));
  }

  #leftOut(event) {
    const size = counted(event.leftOutBytes, 'byte'), isKept = this.#isKept(event);
    if (this.#failure) return note(`The payload of ${size} is not shown. ${this.#failure}`);
    if (event.leftOutBytes > wholeMax) {
      return note(`The payload has ${size}. No more than 1 MiB of one is shown; a responder gets all of it.`);
    }
    if (this.page.moment != null) return note(`The payload of ${size} was not recorded.`);
    if (!isKept) {
      return note(`The payload has ${size}. The bus shows 64 KiB of one, and more only of undelivered events.`);
    }
    const show = () => {
      this.#isWhole = true;
      this.#ask();
    };
    return pressed('btn', show, `Show the payload of ${size}`);
  }
}

/// A payload as text; `null` if the event has none.
function textOf({ payload, payloadBase64, contentType = 'binary' }) {
  if (payload !== undefined) return JSON.stringify(payload, null, 1).replace(/\n\s*/g, ' ');
  return payloadBase64 ? `${contentType}: ${payloadBase64}` : null;
}
