// SPDX-License-Identifier: Apache-2.0

// The page: what is selected and shown, and who draws it again when something changes.

import { $, h } from './make.js';
import { Model } from './model.js';
import { age, busName, clock } from './text.js';
import { hurry, lookAt, openSession, pull, wake } from './pull.js';
import { Tree } from './tree.js';
import { Tracks } from './tracks.js';
import { NodePanel } from './node.js';
import { Lists } from './events.js';
import { Trace } from './trace.js';
import { Time } from './time.js';
import { Past } from './past.js';
import { listen } from './keys.js';
import { Actions, say } from './actions.js';
import { Buses } from './buses.js';
import { Found } from './found.js';
import { Sites } from './sites.js';
import { Filters } from './filters.js';

const model = new Model();
const page = {
  model, session: null, selected: 1, event: null, tab: 'Events', filter: 'All', sought: '', folded: new Set(), opened: new Set(),
  bus: new URLSearchParams(location.hash.slice(1)).get('bus'), route: null, isAsking: false, moment: null, isStopped: false,

  get node() { return model.nodes.get(page.selected); },
  select(number, { keepsHistory } = {}) {
    if (page.selected === number || !model.nodes.has(number)) return;
    page.selected = number; remember(keepsHistory); tree.reveal(number); tree.draw(true); panel.show();
  },
  choose(event, { keepsHistory } = {}) {
    page.event = event; remember(keepsHistory); lists.draw(); trace.show();
  },
  show(tab) { page.tab = tab; lists.reset(); },
  setFilter(name) { page.filter = name; tree.toTop(); },
  find(text) {
    page.sought = text; remember(true); found.seek(text);
    const event = model.ids.get(text.trim());
    if (event) page.choose(event, { keepsHistory: true });
    tree.toTop();
  },
  /// Whether another site stands at a node, which can be opened now.
  isMount(node) { return node.site != null && page.moment == null; },
  isShut(node) { return Boolean(node.group || page.folded.has(node.number) || page.isMount(node) && !model.grafts.isOpen(node)); },
  fold(node, isFolded) {
    if (page.isMount(node) && !node.group) { page.folded.delete(node.number); sites.open(node, !isFolded); return; }
    if (node.group) page.opened.add(node.number);
    else if (node.groupOf && isFolded) { page.opened.delete(node.groupOf); page.selected = node.groupOf; }
    else page.folded[isFolded ? 'add' : 'delete'](node.number);
    page.arrange();
  },
  arrange() { tree.arrange(); filters.draw(); },
  setMoment(moment) {
    if (moment == null && past.isFile) return;
    page.moment = moment; document.body.classList.toggle('past', moment != null);
    past.show(moment); remember(true);
    if (moment != null) page.endRoute();
    time.draw(); lists.reset(); tracks.clear(); tree.arrange(); panel.refresh(); bar(); filters.draw();
  },
  stop(isStopped = !page.isStopped) { page.isStopped = isStopped; bar(); if (!isStopped) wake(); },
  whatIf(question) { if (page.node?.of) { say(sites.refusal(page.node), 'warn'); return; } page.isAsking = true; filters.draw(question); $('question')?.focus(); },
  setRoute(route) { page.route = route; filters.draw(); tree.draw(true); },
  endRoute() {
    if (!page.isAsking && !page.route) return;
    page.isAsking = false; page.route = null;
    filters.draw(); tree.draw(true); $('tree').focus({ preventScroll: true });
  },
  showBus(name) {
    if (name === page.bus) return;
    page.bus = name; lookAt(name); page.event = null; page.selected = 1; model.epoch = null; page.setMoment(null); hurry();
    openSession().then(began, fail);
  },
  /// Shows a node of any of the buses.
  goTo(bus, path) {
    wanted.set('node', path);
    if (model.buses.length > 1 && bus !== (page.bus ?? model.buses[0].name)) page.showBus(bus); else recall();
    $('tree').focus({ preventScroll: true });
  },
  hurry,
};
const actions = new Actions(page), buses = new Buses(page), sites = new Sites(page), filters = new Filters(page);
const tree = new Tree(page), tracks = new Tracks(page, tree), panel = new NodePanel(page), lists = new Lists(page);
const found = new Found(page), trace = new Trace(page), time = new Time(page), past = new Past(page);
/// Says why a file cannot be shown.
function tell(text) {
  $('spoken').replaceChildren(text);
  $('veil').hidden = false;
  $('veil').replaceChildren(h('h2', {}, 'This file is not shown'), h('p', {}, text));
}
Object.assign(page, { actions, sites, found, again: changed, tree, tracks, panel, lists, trace, time, past, take, tell });

// MARK: - The address

function remember(replaces) {
  const options = new URLSearchParams();
  if (page.bus) options.set('bus', page.bus);
  if (page.node && page.node.path !== '/') options.set('node', page.node.path);
  if (page.event?.id) options.set('event', page.event.id);
  if (page.sought) options.set('find', page.sought);
  if (page.moment != null) options.set('moment', page.moment);
  const address = `#${options}`;
  clearTimeout(remembering);
  // While one types or moves on, only the last of what replaces the address is written.
  if (address !== location.hash) if (replaces) remembering = setTimeout(() => history.replaceState(null, '', address), 200); else history.pushState(null, '', address);
}
let remembering = 0;
let wanted = new URLSearchParams(location.hash.slice(1));
/// Selects what the address says, as soon as it is there.
function recall() {
  if (wanted.has('moment')) { const moment = Number(wanted.get('moment')); wanted.delete('moment'); if (moment > 0) { page.setMoment(moment); return; } }
  const path = wanted.get('node') ?? '', node = model.byPath.get(path), event = wanted.get('event');
  if (node) { page.select(node.number, { keepsHistory: true }); wanted.delete('node'); }
  else if (path) sites.openTowards(path);
  if (event) { page.choose(model.ids.get(event) ?? { id: event }, { keepsHistory: true }); wanted.delete('event'); }
}
addEventListener('popstate', () => { wanted = new URLSearchParams(location.hash.slice(1)); if (!wanted.has('node')) wanted.set('node', '/'); recall(); });

// MARK: - The bar and the filters

function bar() {
  const name = model.buses.length > 1 ? page.bus ?? model.buses[0].name : busName(model.bus || ''), isAway = model.state === 'away', quiet = Date.now() - model.behind - model.when;
  $('bus').replaceChildren(name || 'Cascade'); $('bus').title = model.bus;
  document.title = `${name || 'Cascade'} · Cascade`;
  $('count').replaceChildren(model.nodes.size ? `${(model.own.length - 1).toLocaleString('en')} nodes${model.buses.length > 1 ? ` · 1 of ${model.buses.length} buses ▾` : ''}` : '');
  const isStale = !isAway && page.moment == null && quiet > 2000 && !page.isStopped;
  document.body.classList.toggle('stale', failure != null || isAway && page.moment == null || isStale);
  const [text, colour] = page.moment != null ? [past.title, 'warn']
    : failure ? [failure.status === 401 ? 'Needs a new link' : `Console not reached for ${age(Date.now() - lastTaken)}`, 'bad']
      : isAway ? [model.since ? `No bus since ${clock(model.since)}` : 'Connecting', 'bad']
        : page.isStopped ? ['Stopped', 'warn'] : isStale ? [`${age(quiet)} old`, 'warn'] : ['Live', 'good'];
  $('now').className = `now ${colour}`; $('now').lastChild.textContent = text;
  $('now').title = isAway ? model.reason : page.moment != null || page.isStopped ? 'Back to live (l)' : 'Stop (space)';
}
let failure = null, lastTaken = Date.now();

// MARK: - Frames

function take(frame) {
  failure = null; lastTaken = Date.now(); $('veil').hidden = true;
  if (!past.accepts(frame)) return;
  const wasAway = model.state !== 'live', hadTrouble = trouble();
  const changes = model.apply(frame);
  if (changes.has('all') && !model.nodes.has(page.selected)) page.selected = model.roots?.[0]?.number ?? 1;
  if (changes.has('tree')) tree.arrange(); else if (changes.has('activity') || wasAway) tree.draw(true);
  if (changes.has('tree') || changes.has('seconds') || changes.has('activity')) filters.draw();
  if (model.fresh.length) { tracks.add(model.fresh); lists.add(); }
  tracks.stand();
  if (changes.has('seconds')) time.draw();
  if (changes.has('lists')) lists.draw();
  if (changes.has('tree') || changes.has('all') || changes.has('lists')) panel.refresh();
  // What a bus allows is known only while it answers.
  if (wasAway && model.state === 'live' && page.session) openSession().then(began, fail);
  past.took(frame);
  if (wanted.size) recall();
  if (!page.event && model.ended.length) { page.event = model.ended.findLast(e => e.trail?.length > 1) ?? model.ended.at(-1); lists.draw(); trace.show(); }
  bar(); buses.draw(); if (page.moment == null) speak(hadTrouble);
}
/// Draws the tree again after what hangs in it has changed.
function changed() { model.order(); tree.arrange(); filters.draw(); if (wanted.size) recall(); }
function fail(error) {
  failure = error; bar();
  $('veil').hidden = error.status !== 401 && error.status !== 429;
  $('veil').replaceChildren(h('h2', {}, error.status === 401 ? 'This page needs a new link' : 'Too many pages'), h('p', {}, error.message));
  if (error.status === 401) { page.session = null; setTimeout(() => openSession().then(began, fail), 2000); }
}

const trouble = () => { let n = 0; for (const node of model.own) n += node.state === 'vacant' || node.state === 'unresponsive'; return n + model.undelivered.length; };
let spokenAt = 0;
/// Says what has become worse, at most every ten seconds.
function speak(before) {
  const now = trouble();
  if (now <= before || Date.now() - spokenAt < 10_000) return;
  spokenAt = Date.now();
  const vacant = model.own.filter(n => n.state === 'vacant').length;
  $('spoken').replaceChildren(`${vacant} vacant, ${model.undelivered.length} undelivered`);
}

function began(session) {
  page.session = session; failure = null; wake();
  panel.show(); trace.show();
  $('who').replaceChildren(h('b', {}, `as ${session.user}`), h('br'), h('span', { class: 'muted' }, session.actions.some(action => action.allowed) ? 'may look and act' : 'may look, may not act'));
}

$('now').addEventListener('click', () => { if (page.moment != null && !past.isFile) page.setMoment(null); else if (page.moment == null) page.stop(); });
setInterval(bar, 500);
listen(page);
bar(); filters.draw(); panel.show(); lists.reset(); trace.show(); time.draw();
if (wanted.has('find')) { $('find').value = page.sought = wanted.get('find'); wanted.delete('find'); }
lookAt(page.bus);
openSession().then(began, fail);
pull(() => page.isStopped && page.moment == null || !page.session || past.isDropped ? null : { ...past.wanted, nodes: tree.numbersShown() }, take, fail);
