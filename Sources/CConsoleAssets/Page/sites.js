// SPDX-License-Identifier: Apache-2.0

// The sites that stand at nodes of this tree, and the links to them, as 'cascadectl sites' tells them.

import { h } from './make.js';
import { age, duration } from './text.js';
import { readDocument } from './pull.js';

const refreshTime = 5000;
const words = { up: 'up', unresponsive: 'silent', cut: 'cut', refused: 'refused', absent: 'not heard of' };

export class Sites {
  #askedAt = 0; #document = null; #failure = '';

  constructor(page) {
    this.page = page;
    setInterval(() => this.#refresh(), refreshTime);
  }

  /// Asks for the links, if a site stands anywhere in the tree.
  async #refresh() {
    const { model, session, moment, isStopped } = this.page;
    if (document.hidden || !session || moment != null || isStopped || model.state !== 'live') return;
    if (![...model.nodes.values()].some(node => node.site)) return;
    try { this.#document = await readDocument('sites'); this.#failure = ''; } catch (error) { this.#document = null; this.#failure = error.message; }
    this.page.tree.draw(true);
  }

  /// What is known of the site at a node; `undefined` if nothing is.
  #entry(node) { return this.#document?.sites.find(site => site.mount === node.path && site.name === node.site); }

  /// A mark beside the name of a node at which a site stands.
  tag(node) {
    if (!node.site) return null;
    const state = this.#entry(node)?.state, isBad = state && state !== 'up';
    return h('span', { class: `tag ${isBad ? 'warn' : 'site'}`, title: 'Another bus stands here.' }, `site ${node.site}${isBad ? `, ${words[state] ?? state}` : ''}`);
  }

  /// The rows of a node's panel about the site that stands there.
  rows(node) {
    if (!node.site) return [];
    const site = this.#entry(node), row = (name, value, kind = '') => value == null ? null : h('div', { class: 'kv' }, h('span', { class: 'cut' }, name), h('span', { class: `cut ${kind}`, title: String(value) }, value));
    if (!site) return [h('div', { class: 'kv faint' }, this.#failure || 'Nothing is known of its link yet.')];
    return [
      row('name', site.name), row('link', [words[site.state] ?? site.state, site.ageSeconds != null && `for ${age(site.ageSeconds * 1000)}`].filter(Boolean).join(' '), site.state === 'up' ? 'good' : 'warn'),
      row('round trip', site.roundTripMicroseconds != null ? duration(site.roundTripMicroseconds) : null),
      row('machine', site.host), row('release', site.release), row('last error', site.lastError, 'bad'),
      ...(site.notCarried ?? []).map(sentence => h('div', { class: 'kv faint', title: sentence }, sentence)),
    ].filter(Boolean);
  }
}
