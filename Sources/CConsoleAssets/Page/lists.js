// SPDX-License-Identifier: Apache-2.0

// What each of the lists below the tree has: its items, how one is shown and chosen, and what is said of it.

import { glyph, h, span, tone, word } from './make.js';
import { failures } from './model.js';
import { about, age, atClock, clock, clockOrDay, count, duration, gist, leaf, microseconds } from './text.js';

const name = text => h('b', { class: 'cut' }, text);
/// The marks for which there is room.
const marksMax = 5;
/// The number of events that can be cleared: those that are held stay.
function clearable({ undelivered, totals }) {
  const { length } = undelivered.filter(({ heldUntil }) => !heldUntil);
  return length && Math.max(length, totals?.uses?.undelivered ?? 0);
}
const isEvent = (page, { id }) => id === page.event?.id;

export const lists = {
  Events: {
    items: ({ model, failsOnly }) => model.ended.filter(e => !failsOnly || failures.has(e.outcome)).reverse(),
    command: () => 'cascadectl monitor', kind: '', cells: eventCells, isChosen: isEvent,
    choose: (page, event, how) => page.choose(event, how),
    none: ({ failsOnly }) => failsOnly
      ? 'No event that is listed has failed.' : 'No event of this daemon has ended since the console began to look.',
    about({ model, failsOnly }) {
      if (model.isCut) return `${count(model.leftOut.count)}/s more`;
      if (failsOnly) return '';
      return model.hasQuestions ? 'without inspections' : '';
    },
    extra: page => h('button', {
      class: 'chip', 'aria-pressed': String(page.failsOnly), title: 'Only what has failed (f)',
      onclick: () => page.showFails(),
    }, 'failed'),
  },
  'Under way': {
    items: ({ model, moment }) => moment != null ? [] : model.underWay ?? [],
    command: () => 'cascadectl under-way', kind: 'underway', isLive: true, cells: underWayCells, isChosen: isEvent,
    choose(page, item, how) {
      const node = page.model.byPath.get(item.by);
      page.choose(page.model.ids.get(item.id) ?? { ...item, path: item.origin, from: item.since * 1000 }, how);
      if (node) page.select(node.number, how);
    },
    none({ moment, model }) {
      if (moment != null) return 'What was under way was not recorded.';
      return model.underWay ? 'Nothing waits or is being worked on.' : 'This bus has not said what is under way.';
    },
    about: () => 'the oldest first',
  },
  Undelivered: {
    // The bus tells those that are held behind the others.
    items: ({ model }) => [...model.undelivered].sort((a, b) => (a.when < b.when) - (a.when > b.when)),
    command: () => 'cascadectl undelivered', kind: 'undelivered', cells: undeliveredCells, isChosen: isEvent,
    colour: 'warn',
    choose: (page, event, how) => page.choose(page.model.ids.get(event.id) ?? {
      ...event, path: event.origin, outcome: event.reason, at: microseconds(event.when),
    }, how),
    none: () => 'No event is undelivered.',
    about({ model }) {
      const more = model.kept - model.undelivered.length;
      return more > 0 ? `+${count(more)} older` : '';
    },
    extra: ({ model, actions }) => clearable(model)
      ? actions.opener('clear', '/', 'Clear …', () => actions.clear(clearable(model)), 'accent') : null,
  },
  Findings: {
    items: ({ model }) => model.findings,
    command: () => 'cascadectl check', kind: 'undelivered', isLive: true, cells: findingCells,
    // A node may have several.
    isChosen: ({ node, finding }, { path, name, kind }) =>
      path === node?.path && name === finding?.name && kind === finding.kind,
    choose(page, finding, how) {
      const node = page.model.byPath.get(finding.path);
      page.finding = finding;
      if (node) page.select(node.number, how);
    },
    none: ({ moment }) => moment != null ? 'Findings were not recorded.' : 'The declarations agree with each other.',
  },
};
export const tabs = Object.keys(lists);

// MARK: - Events

/// Where an event began and where it ended.
function way({ path, by, paths, error }) {
  let to = error ? word(error.name) : 'nobody';
  if (by) to = leaf(by);
  else if (paths?.length) to = leaf(paths[0]) + (paths.length > 1 ? ` +${paths.length - 1}` : '');
  return `${leaf(path)} → ${to}`;
}

/// What the last of those who were asked have answered.
function marks({ trail, paths }) {
  if (!trail) return paths?.length > 0 && glyph('delivered');
  const last = trail.slice(-marksMax).map(visit => glyph(visit.verdict));
  return trail.length > marksMax ? ['…', ...last.slice(2)] : last;
}

function eventCells(e) {
  return [
    span('faint', clock(e.at / 1000, 3)), glyph(e.outcome), name(e.name), span('trailmarks', marks(e)),
    span('cut', way(e), span('muted', '   ', about(e))),
    span('num muted', e.trail?.length ? duration(e.at - e.from) : ''),
  ];
}

// MARK: - Under way

function underWayCells({ name: what, by, origin, since, deadline, lane }, now) {
  const time = deadline ? Math.max(1, deadline - since) : Infinity;
  const share = Math.min(1, Math.max(0, (now - since) / time)), isLate = share > .6;
  const left = { '--fill': share, '--fillcolor': `var(--${isLate ? 'warn' : 'accent'})` };
  return [
    h('b', { class: isLate ? 'warn' : '' }, age(now - since)), name(what),
    span('cut', by ?? 'waits', span('muted', `   from ${origin}${lane === 'error' ? ', an error' : ''}`)),
    span('num muted', deadline ? `${age(deadline - now)} left` : ''), h('span', { class: 'deadline', style: left }),
  ];
}

// MARK: - Undelivered, findings

function undeliveredCells(e, now) {
  const left = microseconds(e.heldUntil) / 1000 - now, ended = microseconds(e.when) / 1000;
  return [
    h('span', { class: 'faint', title: atClock(ended) }, clockOrDay(ended)),
    glyph(e.reason, tone[e.reason] ?? 'warn'), name(e.name),
    span('muted cut', e.heldUntil ? `held for ${age(left)}` : word(e.reason)),
    span('cut', e.origin, span('muted', '   ', gist(e.payload))),
  ];
}

function findingCells(f) {
  return [
    span('faint cut', f.kind), glyph('unresponsive', 'warn'), name(f.name), span('muted cut', leaf(f.path)),
    h('span', { class: 'cut', title: f.message }, f.message),
  ];
}
