// SPDX-License-Identifier: Apache-2.0

// What the page shows, in its address: so it can be sent to a colleague, and the browser goes back.

import { $ } from './make.js';

const writingTime = 200;
const read = () => new URLSearchParams(location.hash.slice(1));

export class Address {
  #wanted = read(); #writing = 0;

  constructor(page) {
    this.page = page;
    addEventListener('popstate', () => {
      this.#wanted = read();
      // A new link was opened in the tab of this page.
      if (this.take('key')) { page.beginSession(); return; }
      if (!this.#wanted.has('node')) this.#wanted.set('node', '/');
      const sought = this.take('find') ?? '';
      if (sought !== page.sought) page.find($('find').value = sought);
      const bus = this.take('bus');
      if (bus !== page.bus) page.showBus(bus);
      else if (page.moment != null && !this.#wanted.has('moment')) page.setMoment(null);
      else this.recall();
    });
  }

  /// Takes a member of the address that holds before there is a frame.
  take(name) {
    const value = this.#wanted.get(name);
    this.#wanted.delete(name);
    return value;
  }

  /// Asks for a member, as if it stood in the address.
  want(name, value) { this.#wanted.set(name, value); }

  /// Writes what is shown. While one types or moves on, only the last of what replaces the address is written.
  remember(replaces) {
    const options = new URLSearchParams(), { bus, node, event, sought, moment } = this.page;
    if (bus) options.set('bus', bus);
    if (node && node.path !== '/') options.set('node', node.path);
    if (event?.id) options.set('event', event.id);
    if (sought) options.set('find', sought);
    if (moment != null) options.set('moment', moment);
    const address = `#${options}`;
    clearTimeout(this.#writing);
    if (address === location.hash) return;
    if (!replaces) history.pushState(null, '', address);
    else this.#writing = setTimeout(() => history.replaceState(null, '', address), writingTime);
  }

  /// Selects what the address says, as soon as it is there.
  recall() {
    if (!this.#wanted.size) return;
    const { page } = this, { byPath, ids } = page.model, moment = Number(this.take('moment'));
    if (moment > 0) {
      page.setMoment(moment);
      return;
    }
    const path = this.#wanted.get('node') ?? '', node = byPath.get(path);
    if (node) {
      page.select(node.number, { keepsHistory: true });
      this.#wanted.delete('node');
    } else if (path) page.sites.openTowards(path);
    const event = this.take('event');
    if (event) page.choose(ids.get(event) ?? { id: event }, { keepsHistory: true });
  }
}
