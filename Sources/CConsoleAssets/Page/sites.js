// SPDX-License-Identifier: Apache-2.0

// The sites that stand at nodes of this tree: the links to them, as 'cascadectl sites' tells them, and the nodes
// of those that are opened, as 'cascadectl tree --sites' tells them. And the children that frames leave out of a tree
// that is too large.

import { div, h, span } from './make.js';
import { age, clock, duration } from './text.js';
import { readChildren, readDocument, readSite } from './pull.js';
import { openMax } from './grafts.js';
import { say } from './actions.js';

/// The times between two questions for the links, and for the nodes of an opened site, and the time after which
/// what a site told is old, in milliseconds.
const refreshTime = 5000, askTime = 5000, oldTime = 12_000;
const askedMax = 4;
const notAbove = 'What is above this bus is not looked into here: a console of that site shows it.';
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
    // Who holds the root of a site takes questions to others.
    const isSite = node => node.site || !node.parent && node.asked.includes('cascade.Inspect');
    if (!this.#isLive || ![...this.page.model.nodes.values()].some(isSite)) return;
    let document = null, failure = '';
    try { document = await readDocument('sites'); } catch (error) { failure = error.message; }
    this.#document = document;
    this.#failure = failure;
    this.page.tree.draw(true);
  }

  // MARK: - Opened sites

  /// The numbers of a node and of those above it.
  #lineOf(node) { return [node, ...this.page.model.above(node)].map(({ number }) => number); }

  /// Opens the site at a node or its children, or closes it. What is closed costs nothing.
  open(node, isOpen) {
    const { grafts } = this.page.model;
    if (isOpen && !grafts.open(node, this.#lineOf(node))) {
      say(`${openMax} sites are open already: close one of them.`, 'warn');
      return;
    }
    if (!isOpen) grafts.close(node);
    this.page.again();
    this.#askOpened();
    // What was selected may have gone with the site.
    if (!this.page.node) this.page.select(node.number);
  }

  /// Lets what a reader has closed be opened again.
  seekAgain() { this.#towards.clear(); }

  /// Opens the site or the node below which a path is, once: a reader who closes it again has seen it.
  openTowards(path) {
    const { model, moment } = this.page;
    if (moment == null && model.untold) this.#openChildren(path);
    const isMount = node => node.site && path.startsWith(`${node.path}/`) && !model.grafts.isOpen(node);
    const mount = [...model.nodes.values()].find(isMount);
    const way = `${mount?.number} ${path}`;
    if (!mount || moment != null || this.#towards.has(way)) return;
    this.#towards.add(way);
    this.open(mount, true);
  }

  /// Opens the node next above a path, and asks for what is on the way.
  #openChildren(path) {
    const { byPath, grafts } = this.page.model;
    let end = path.length;
    do end = path.lastIndexOf('/', end - 1); while (end > 0 && !byPath.has(path.slice(0, end)));
    const node = byPath.get(path.slice(0, end) || '/'), way = `${node?.number} ${path}`;
    if (!node?.untold || this.#towards.has(way)) return;
    this.#towards.add(way);
    this.page.folded.delete(node.path);
    if (!grafts.open(node, this.#lineOf(node))) return;
    const next = path.indexOf('/', end + 1), graft = grafts.opened.get(node.number);
    Object.assign(graft, { child: next < 0 ? path : path.slice(0, next), triedAt: 0 });
    this.page.again();
    this.#askOpened();
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
    const { model } = this.page, { child } = graft;
    try {
      const answer = graft.site == null ? await readChildren(place, child) : await readSite(place);
      graft.failure = '';
      model.grafts.take(graft, answer);
    } catch (error) { graft.failure = error.message; }
    // Another child may be sought meanwhile.
    Object.assign(graft, { isAsked: false, triedAt: child === graft.child ? Date.now() : 0 });
    if (model.grafts.opened.get(graft.mount) !== graft) return;
    model.grafts.makeRoom(this.#lineOf(model.nodes.get(graft.mount) ?? { number: graft.mount }));
    this.page.again();
  }

  // MARK: - Words

  /// What is known of the site at a node; `undefined` if nothing is.
  #entry(node) { return this.#document?.sites.find(site => site.mount === node.path && site.name === node.site); }

  /// How long ago a site told its nodes, in milliseconds; `null` if it never did.
  #ageOf(graft) { return graft.answer ? Math.max(0, Date.now() - graft.tookAt) : null; }

  /// Whether a row is that of another site's node, or of none.
  isForeign({ of, note }) { return of != null && (of.site != null || Boolean(note)); }

  /// The classes of a row: those of another site's nodes, and of what is old.
  mark(node) {
    const isOld = node.of && this.#ageOf(node.of) > oldTime;
    return `${this.isForeign(node) ? ' foreign' : ''}${isOld ? ' old' : ''}`;
  }

  /// Why nothing can be done to a node of another site.
  refusal({ of: { site } }) {
    if (site == null) return 'This row stands for no node.';
    const where = 'Act by a console or cascadectl at that site.';
    return `This node is of the site '${site}': a bus acts on its own nodes only. ${where}`;
  }

  /// The path of a node on its own bus, and the place of that site; `undefined` for this bus.
  addressOf({ path, at, of }) {
    return of?.site == null ? [path] : [at, this.page.model.nodes.get(of.mount)?.path];
  }

  /// The link of this bus to the site above it; `undefined` if nothing is known of one.
  get #above() {
    return this.#document?.sites.find(({ name, parent }) => name === this.#document.site && parent);
  }

  /// A mark beside the root of a bus that stands at a node of another one.
  #rootTag() {
    const above = this.#above;
    if (!above) return null;
    const { mount, parent, state } = above, isUp = state === 'up';
    return h('span', { class: `tag ${isUp ? 'site' : 'warn'}`, title: notAbove },
      `at ${mount ?? 'a node'} of ${parent}${isUp ? '' : `, ${words[state] ?? state}`}`);
  }

  /// The rows of the root's panel about the site above.
  rowsAbove() {
    const above = this.#above;
    if (!above) return [];
    return [
      row('name', above.name), row('stands at', above.mount), row('of the site', above.parent),
      row('way from the top', this.#document.path.join(' → ')), ...this.#linkRows(above),
      div('kv faint wide', notAbove),
    ].filter(Boolean);
  }

  /// A mark beside the name of a node at which a site stands.
  tag(node) {
    if (!node.parent) return this.#rootTag();
    if (!node.site) return null;
    const { grafts } = this.page.model, graft = this.page.moment == null ? grafts.opened.get(node.number) : null;
    const state = this.#entry(node)?.state, isBad = state && state !== 'up', old = graft ? this.#ageOf(graft) : null;
    const name = isBad ? `site ${node.site}, ${words[state] ?? state}` : `site ${node.site}`;
    const asked = old == null ? '' : ` What is below is as of ${age(old)} ago, and asked every five seconds.`;
    return [
      h('span', { class: `tag ${isBad ? 'warn' : 'site'}`, title: `Another bus stands here.${asked}` }, name),
      // The state vacant, which the row shows, says already that no answer can be newer.
      old > oldTime && node.state !== 'vacant' && span('tag warn', `as of ${age(old)} ago`),
    ];
  }

  /// What the rows of a node's panel about sites say.
  stateOf(node) {
    return JSON.stringify([this.#entry(node), this.#failure, node.parent ? 0 : this.#above, node.of?.tookAt]);
  }

  /// The rows of a node's panel about the site that stands there.
  rows(node) {
    if (!node.site) return [];
    const site = this.#entry(node);
    const none = this.#document ? 'The site of this bus knows nothing of its link.' : 'Asking the site of this bus …';
    if (!site) return [row('name', node.site), div('kv faint', this.#failure || none)];
    return [row('name', site.name), ...this.#linkRows(site)].filter(Boolean);
  }

  #linkRows(site) {
    return [
      row('link', linkOf(site), site.state === 'up' ? 'good' : 'warn'),
      row('round trip', site.roundTripMicroseconds != null ? duration(site.roundTripMicroseconds) : null),
      row('machine', site.host), row('release', site.release), row('last error', site.lastError, 'bad'),
      ...(site.notCarried ?? []).map(sentence => div('kv faint', sentence)),
    ];
  }

  /// The rows of the panel of another site's node.
  rowsOfNode(node) {
    const { of: graft, at, site, note } = node, old = this.#ageOf(graft);
    if (graft.site == null) return [div('kv faint wide', note)];
    return [
      row('name', graft.site), row('path there', at), row('site at it', site),
      row('told', old == null ? null : `at ${clock(graft.tookAt)}, and every 5 s while it is open`),
      div('kv faint wide', note || this.refusal(node)),
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
  return div('kv pair', span('cut', name), span(kind, value));
}
