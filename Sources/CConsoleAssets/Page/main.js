// SPDX-License-Identifier: Apache-2.0

// The page: what is selected and shown, and who draws it again when something changes.

import { Address } from './address.js';
import { $, h, span } from './make.js';
import { Model } from './model.js';
import { hurry, isAdmitted, lookAt, openSession, pull, wake } from './pull.js';
import { Tree } from './tree.js';
import { Tracks } from './tracks.js';
import { NodePanel } from './node.js';
import { Lists } from './events.js';
import { Trace } from './trace.js';
import { Time } from './time.js';
import { Past } from './past.js';
import { listen } from './keys.js';
import { Actions, notNow, say } from './actions.js';
import { Bar } from './bar.js';
import { Buses } from './buses.js';
import { Found } from './found.js';
import { Sites } from './sites.js';
import { Filters } from './filters.js';
import { Speech } from './speech.js';

const sessionTime = 2000, behindTime = 1000, recentTime = 2000;
/// What is said above the sentence of a refusal, by its name.
const titles = { tooManyPages: 'Too many pages', tooManyKeys: 'Too many wrong keys' };
/// Whether the bus did not answer when the session began, or since.
let wasLost = false;
/// Whether frames have come that are not drawn.
let isBehind = false;
/// When a frame was drawn last.
let drawnAt = 0;

const model = new Model();
const page = {
  model, session: null, bus: null,
  selected: 1, event: null, tab: 'Events', failsOnly: false, filter: 'All', sought: '',
  folded: new Set(), opened: new Set(), route: null, isAsking: false, moment: null, isStopped: false,

  get node() { return model.nodes.get(page.selected); },
  select(number, { keepsHistory } = {}) {
    if (page.selected === number || !model.nodes.has(number)) return;
    page.selected = number;
    address.remember(keepsHistory);
    tree.reveal(number);
    tree.draw(true);
    panel.show();
  },
  choose(event, { keepsHistory } = {}) {
    page.event = event;
    address.remember(keepsHistory);
    lists.paint();
    trace.show();
  },
  show(tab) {
    page.tab = tab;
    lists.reset();
  },
  showFails() {
    page.failsOnly = !page.failsOnly;
    page.show('Events');
  },
  setFilter(name) {
    page.filter = name;
    tree.narrow();
  },
  find(text) {
    const id = text.trim(), event = model.ids.get(id) ?? (/^[0-9a-f]{32}-\d+$/.test(id) ? { id } : null);
    // No node has the ID of an event.
    page.sought = event ? '' : text;
    address.remember(true);
    found.seek(page.sought);
    if (event) page.choose(event, { keepsHistory: true });
    tree.narrow();
  },
  /// Whether what is below a node is asked for when it is opened, and can be asked for now.
  isLazy(node) { return page.moment == null && model.isLazy(node); },
  isShut(node) {
    return Boolean(node.group || page.folded.has(node.path) || page.isLazy(node) && !model.grafts.isOpen(node));
  },
  fold(node, isFolded) {
    const isLazy = page.isLazy(node) && !node.group;
    page.folded[isFolded && !isLazy && !node.group && !node.groupOf ? 'add' : 'delete'](node.path);
    // What was asked for is dropped when it is not seen.
    if (isLazy || isFolded && model.grafts.isOpen(node)) {
      sites.open(model.nodes.get(node.opens) ?? node, !isFolded);
      return;
    }
    if (node.group) page.opened.add(node.path);
    else if (node.groupOf && isFolded) {
      page.opened.delete(model.nodes.get(node.groupOf)?.path);
      page.selected = node.groupOf;
    }
    page.arrange();
  },
  arrange() {
    tree.arrange();
    filters.draw();
  },
  setMoment(moment) {
    if (moment == null && past.isFile) return;
    const wasNow = page.moment == null;
    page.moment = moment;
    document.body.classList.toggle('past', moment != null);
    const { event } = page;
    past.show(moment);
    if (page.event !== event || wasNow !== (moment == null)) trace.show();
    address.remember(true);
    if (moment != null) page.endRoute();
    time.draw();
    lists.reset();
    tracks.clear();
    tree.arrange();
    panel.show();
    bar.draw();
    filters.draw();
  },
  stop(isStopped = !page.isStopped) {
    page.isStopped = isStopped;
    filters.draw();
    bar.draw();
    time.draw();
    if (!isStopped) wake();
  },
  whatIf(question) {
    const isForeign = page.node && sites.isForeign(page.node);
    const refusal = page.moment != null ? notNow : isForeign ? sites.refusal(page.node) : '';
    if (refusal) { say(refusal, 'warn'); return; }
    document.body.classList.remove('sheet');
    page.isAsking = true;
    filters.draw(question);
    $('question').focus();
    $('question').select();
  },
  setRoute(route) {
    page.route = route;
    filters.draw();
    tree.draw(true);
  },
  endRoute() {
    if (!page.isAsking && !page.route) return;
    page.isAsking = false;
    page.setRoute(null);
    $('tree').focus();
  },
  showBus(name) {
    if (name === page.bus) return;
    page.bus = name;
    lookAt(name);
    page.event = null;
    page.selected = 1;
    page.folded.clear();
    page.opened.clear();
    model.epoch = null;
    page.setMoment(null);
    trace.show();
    hurry();
    beginSession();
  },
  /// Shows a node of any of the buses.
  goTo(bus, path) {
    address.want('node', path);
    sites.seekAgain();
    if (model.buses.length > 1 && bus !== (page.bus ?? model.buses[0].name)) page.showBus(bus); else address.recall();
    $('tree').focus();
  },
  /// Draws the tree again after what hangs in it has changed.
  again() {
    model.order();
    page.arrange();
    address.recall();
  },
  hurry, take, beginSession,
};
const bar = page.bar = new Bar(page), actions = new Actions(page), buses = new Buses(page);
const sites = new Sites(page), filters = new Filters(page), speech = new Speech();
const tree = new Tree(page), tracks = new Tracks(page, tree), panel = new NodePanel(page), lists = new Lists(page);
const address = new Address(page), found = new Found(page), trace = new Trace(page), time = new Time(page);
const past = new Past(page);
Object.assign(page, { actions, sites, filters, found, tree, tracks, panel, lists, trace, time, past });

function veil(title, text) {
  $('veil').hidden = false;
  $('veil').replaceChildren(h('h2', {}, title), h('p', {}, text));
}

// MARK: - Frames

/// Takes a frame, and draws what has changed.
function take(frame) {
  bar.reached();
  $('veil').hidden = true;
  if (!past.accepts(frame)) return;
  const wasAway = model.state !== 'live', { place } = tree, changes = model.apply(frame);
  // Of frames that belong together the first and the last are drawn, and one a second if they do not end.
  isBehind ||= Boolean(frame.more && frame.after != null && page.moment == null);
  const isOld = Date.now() - drawnAt > behindTime || wasAway !== (model.state !== 'live');
  if (isBehind && frame.more && !isOld) return;
  drawnAt = Date.now();
  const wasBehind = isBehind;
  if (wasBehind) for (const part of ['tree', 'seconds', 'lists']) changes.add(part);
  isBehind = false;
  const has = (...parts) => parts.some(part => changes.has(part));
  if (has('all') && !model.nodes.has(page.selected)) page.selected = model.roots?.[0]?.number ?? 1;
  // A node that comes back is selected again.
  if (!page.node) page.selected = model.byPath.get(panel.path)?.number ?? page.selected;
  // Rows tell ages, which grow while nothing changes.
  if (has('tree')) tree.follow(place); else if (has('activity', 'seconds') || wasAway) tree.draw(true);
  if (has('all', 'tree', 'seconds', 'activity')) filters.draw();
  if (model.fresh.length || wasBehind) {
    // What ended before the page looked does not move.
    const recent = (frame.now - recentTime) * 1000;
    tracks.add(model.fresh.filter(event => event.at >= recent));
    lists.add();
  }
  const hasLists = has('lists', 'totals', 'seconds');
  trace.follow(model.fresh, hasLists);
  tracks.stand();
  if (has('all', 'seconds')) time.draw();
  if (has('all')) lists.draw(); else if (hasLists) lists.refresh();
  if (has('all', 'tree', 'lists', 'totals')) panel.refresh();
  // What a bus allows is known only while it answers.
  wasLost ||= model.state === 'away';
  if (wasLost && model.state === 'live' && page.session) beginSession();
  past.took(frame);
  address.recall();
  if (!page.event && model.ended.length) chooseFirst();
  bar.draw();
  buses.draw();
  if (page.moment == null) speech.follow(model);
}

/// Shows at first the last event that went farther than to one node.
function chooseFirst() {
  page.event = model.ended.findLast(event => event.trail?.length > 1) ?? model.ended.at(-1);
  lists.draw();
  trace.show();
}

function fail(error) {
  bar.fail(error);
  filters.draw();
  $('veil').hidden = true;
  const title = error.status === 401 ? 'This page needs a new link' : titles[error.refusal];
  if (title) veil(title, error.message);
  if (error.status === 401) page.session = null;
  if (page.session) return;
  beginning ||= setTimeout(beginSession, sessionTime);
  lists.draw();
  trace.draw();
  panel.refresh();
}

// MARK: - The session

let beginning = 0;
function beginSession() { beginning = 0; openSession().then(began, fail); }

function began(session) {
  clearTimeout(beginning);
  beginning = 0;
  page.session = session;
  wasLost = false;
  bar.reached();
  $('veil').hidden = true;
  wake();
  panel.show();
  trace.show();
  const has = right => session.actions.some(action => action[right]), may = has('allowed') ? 'look and act' : null;
  const rights = `may ${may ?? (has('admitted') ? 'act where policy allows' : 'look, may not act')}`;
  $('who').replaceChildren(h('b', {}, `as ${session.user}`), h('br'), span('muted', rights));
}

/// What the page asks for, or `null` while it needs no frames.
function asked() {
  const isHeld = page.isStopped && page.moment == null, isBegun = page.session || isAdmitted();
  return isHeld || !isBegun || past.isDropped ? null : past.wanted;
}

page.bus = address.take('bus');
$('find').value = page.sought = address.take('find') ?? '';
lookAt(page.bus);
beginSession();
pull(asked, take, fail);
listen(page);
