// SPDX-License-Identifier: Apache-2.0

// The sites that stand at nodes of this tree: the links to them, as 'cascadectl sites' tells them, and the nodes
// of those that are opened, as 'cascadectl tree --sites' tells them.

import { h } from './make.js';
import { age, duration } from './text.js';
import { readDocument, readSite } from './pull.js';
import { openMax } from './grafts.js';
import { say } from './actions.js';

/// The times between two questions for the links, and for the nodes of an opened site, and the time after which
/// what a site told is old, in milliseconds.
const refreshTime = 5000, askTime = 5000, oldTime = 12_000;
const askedMax = 4;
const words = { up: 'up', unresponsive: 'silent', cut: 'cut', refused: 'refused', absent: 'not heard of' };

export class Sites {
  #document = null; #failure = '';
  /// The places that were opened because a path is below them.
  #towards = new Set();

  constructor(page) {
    this.page = page;
    setInterval(() => this.#refresh(), refreshTime);
    setInterval(() => this.#askOpened(), 1000);
  }

  get #isLive() {
    const { model, session, moment, isStopped } = this.page;
    return !document.hidden && session != null && moment == null && !isStopped && model.state === 'live';
  }

  /// Asks for the links, if a site stands anywhere in the tree.
  async #refresh() {
    if (!this.#isLive || ![...this.page.model.nodes.values()].some(node => node.site)) return;
    let document = null, failure = '';
    try { document = await readDocument('sites'); } catch (error) { failure = error.message; }
    this.#document = document;
    this.#failure = failure;
    this.page.tree.draw(true);
  }

  // MARK: - Opened sites

  /// Opens the site at a node, or closes it. A closed one costs nothing.
  open(node, isOpen) {
    const { grafts } = this.page.model;
    if (isOpen && !grafts.open(node)) {
      say(`${openMax} sites are open already: close one of them.`, 'warn');
      return;
    }
    if (!isOpen) grafts.close(node);
    this.page.again();
    this.#askOpened();
    // What was selected may have gone with the site.
    if (!this.page.node) this.page.select(node.number);
  }

  /// Opens the site below which a path is, once: a reader who closes it again has seen it.
  openTowards(path) {
    const { model, moment } = this.page;
    const isMount = node => node.site && path.startsWith(`${node.path}/`) && !model.grafts.isOpen(node);
    const mount = [...model.nodes.values()].find(isMount);
    const way = `${mount?.number} ${path}`;
    if (!mount || moment != null || this.#towards.has(way)) return;
    this.#towards.add(way);
    this.open(mount, true);
  }

  /// Asks the opened sites whose nodes are known no more, a few at once.
  #askOpened() {
    const { nodes, grafts } = this.page.model, all = [...grafts.opened.values()];
    if (!this.#isLive || !all.length) return;
    let room = askedMax - all.filter(graft => graft.isAsked).length;
    for (const graft of all.sort((a, b) => a.triedAt - b.triedAt)) {
      if (room <= 0) break;
      if (graft.isAsked || Date.now() - graft.triedAt < askTime || !nodes.has(graft.mount)) continue;
      room -= 1;
      this.#ask(graft, nodes.get(graft.mount).path);
    }
    this.page.tree.draw(true);
  }

  async #ask(graft, place) {
    graft.isAsked = true;
    try {
      Object.assign(graft, { answer: await readSite(place), failure: '', tookAt: Date.now() });
    } catch (error) { graft.failure = error.message; }
    Object.assign(graft, { isAsked: false, triedAt: Date.now() });
    if (this.page.model.grafts.opened.get(graft.mount) === graft) this.page.again();
  }

  // MARK: - Words

  /// What is known of the site at a node; `undefined` if nothing is.
  #entry(node) { return this.#document?.sites.find(site => site.mount === node.path && site.name === node.site); }

  /// How long ago a site told its nodes, in milliseconds; `null` if it never did.
  #ageOf(graft) { return graft.answer ? Math.max(0, Date.now() - graft.tookAt) : null; }

  /// The classes of a row: those of another site's nodes, and of what is old.
  mark(node) { return node.of ? ` foreign${this.#ageOf(node.of) > oldTime ? ' old' : ''}` : ''; }

  /// Why nothing can be done to a node of another site.
  refusal({ of: { site } }) {
    const where = 'Act by a console or cascadectl at that site.';
    return `This node is of the site '${site}': a bus acts on its own nodes only. ${where}`;
  }

  /// A mark beside the name of a node at which a site stands.
  tag(node) {
    if (!node.site) return null;
    const { grafts } = this.page.model, graft = this.page.moment == null ? grafts.opened.get(node.number) : null;
    const state = this.#entry(node)?.state, isBad = state && state !== 'up', old = graft ? this.#ageOf(graft) : null;
    const tag = (kind, title, text) => h('span', { class: `tag ${kind}`, title }, text);
    const name = isBad ? `site ${node.site}, ${words[state] ?? state}` : `site ${node.site}`;
    const kind = old > oldTime ? 'warn' : '';
    return [
      tag(isBad ? 'warn' : 'site', 'Another bus stands here.', name),
      old != null && tag(kind, 'What is below is asked every five seconds.', `as of ${age(old)} ago`),
    ];
  }

  /// The rows of a node's panel about the site that stands there.
  rows(node) {
    if (!node.site) return [];
    const site = this.#entry(node);
    if (!site) return [h('div', { class: 'kv faint' }, this.#failure || 'Nothing is known of its link yet.')];
    return [
      row('name', site.name), row('link', linkOf(site), site.state === 'up' ? 'good' : 'warn'),
      row('round trip', site.roundTripMicroseconds != null ? duration(site.roundTripMicroseconds) : null),
      row('machine', site.host), row('release', site.release), row('last error', site.lastError, 'bad'),
      ...(site.notCarried ?? []).map(sentence => h('div', { class: 'kv faint', title: sentence }, sentence)),
    ].filter(Boolean);
  }

  /// The rows of the panel of another site's node.
  rowsOfNode(node) {
    const { of: graft, at, site, note } = node, old = this.#ageOf(graft);
    return [
      row('name', graft.site), row('path there', at), row('site at it', site),
      row('told', old == null ? null : `${age(old)} ago, and every 5 s while it is open`),
      row('problem', graft.failure || null, 'bad'), h('div', { class: 'kv faint wide' }, note || this.refusal(node)),
    ].filter(Boolean);
  }

  /// The name of the site that has a place; '' if this bus has it.
  siteOf(path) {
    if (path == null) return '';
    const colon = path.indexOf(':');
    if (colon > 0 && path.lastIndexOf('/', colon) === 0) return path.slice(1, colon);
    // The root of a site has the path of the node at which it stands.
    const stands = ({ site, path: place }) => site && (path === place || path.startsWith(`${place}/`));
    const mounts = [...this.page.model.nodes.values()].filter(stands);
    return mounts.sort((a, b) => b.path.length - a.path.length)[0]?.site ?? '';
  }
}

/// The state of a link, and for how long.
function linkOf({ state, ageSeconds }) {
  const name = words[state] ?? state;
  return ageSeconds == null ? name : `${name} for ${age(ageSeconds * 1000)}`;
}

/// A row of a panel; none without a value.
function row(name, value, kind = '') {
  if (value == null) return null;
  return h('div', { class: 'kv' },
    h('span', { class: 'cut' }, name), h('span', { class: `cut ${kind}`, title: String(value) }, value));
}
