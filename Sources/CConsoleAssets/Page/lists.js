// SPDX-License-Identifier: Apache-2.0

// What each of the lists below the tree has: its items, how one is shown and chosen, and what is said of it.

import { glyph, h, span, tone, word } from './make.js';
import { failures } from './model.js';
import { age, clock, count, duration, gist, leaf, microseconds } from './text.js';

const name = text => h('b', { class: 'cut' }, text);
const isEvent = (page, { id }) => id === page.event?.id;

export const lists = {
  Events: {
    items: ({ model, failsOnly }) => model.ended.filter(e => !failsOnly || failures.has(e.outcome)).reverse(),
    command: () => 'cascadectl monitor', kind: '', cells: eventCells, isChosen: isEvent,
    choose: (page, event) => page.choose(event),
    none: ({ failsOnly }) => failsOnly
      ? 'No event that is listed has failed.' : 'No event has ended since the console looks.',
    about({ model, failsOnly }) {
      if (model.isCut) return `${count(model.leftOut.count)}/s not listed`;
      if (failsOnly) return '';
      return model.hasQuestions ? 'without inspections' : '';
    },
    extra: page => h('button', {
      class: 'chip', 'aria-pressed': String(page.failsOnly), title: 'Only what has failed (f)',
      onclick: () => page.showFails(),
    }, 'failed'),
  },
  'Under way': {
    items: ({ model, moment }) => moment != null ? [] : model.underWay ?? model.busiest,
    command: ({ model }) => `cascadectl ${model.underWay ? 'under-way' : 'top'}`, kind: 'underway',
    cells: item => item.id ? underWayCells(item) : queueCells(item),
    isChosen: (page, item) => item.id ? isEvent(page, item) : item.number === page.selected,
    choose(page, item) {
      const node = item.id ? page.model.byPath.get(item.by) : item;
      if (item.id) page.choose(page.model.ids.get(item.id) ?? { ...item, path: item.origin, from: item.since * 1000 });
      if (node) page.select(node.number);
    },
    none({ moment }) {
      return moment != null ? 'What was under way was not recorded.' : 'Nothing waits or is being worked on.';
    },
    about: ({ model }) => model.underWay ? 'the oldest first' : 'who holds how many; this daemon does not say which',
  },
  Undelivered: {
    items: ({ model }) => [...model.undelivered].reverse(),
    command: () => 'cascadectl undelivered', kind: 'undelivered', cells: undeliveredCells, isChosen: isEvent,
    colour: 'warn',
    choose: (page, event) => page.choose(page.model.ids.get(event.id) ?? {
      ...event, path: event.origin, outcome: event.reason, at: microseconds(event.when), isKept: true,
    }),
    none: () => 'Every event was taken by somebody.',
    about({ model }) {
      const { undelivered = 0, held = 0 } = model.totals?.uses ?? {};
      const more = undelivered + held - model.undelivered.length;
      if (more > 0) return `${count(more)} older are not listed`;
      return model.undelivered.length ? '' : 'taken by nobody, or held';
    },
    extra: ({ model, actions }) => model.undelivered.length
      ? actions.opener('clear', 'Clear …', () => actions.clear(model.undelivered.length), 'accent') : null,
  },
  Findings: {
    items: ({ model }) => model.findings,
    command: () => 'cascadectl check', kind: 'undelivered', cells: findingCells,
    isChosen: (page, finding) => finding.path === page.node?.path,
    choose(page, finding) {
      const node = page.model.byPath.get(finding.path);
      if (node) page.select(node.number);
    },
    none: ({ moment }) => moment != null ? 'Findings were not recorded.' : 'The declarations agree with each other.',
    about: () => 'what the declarations say',
  },
};
export const tabs = Object.keys(lists);

// MARK: - Events

/// Where an event began and where it ended.
function way({ path, by, paths, error }) {
  let to = error ? error.name : 'nobody';
  if (by) to = leaf(by);
  else if (paths?.length) to = leaf(paths[0]) + (paths.length > 1 ? ` +${paths.length - 1}` : '');
  return `${leaf(path)} → ${to}`;
}

/// The last of who was asked and what each answered, or whom it was delivered to.
function marks({ trail, paths }) {
  if (trail) return trail.slice(-8).map(visit => glyph(visit.verdict));
  return (paths ?? []).slice(0, 8).map(() => glyph('delivered'));
}

function eventCells(e) {
  return [
    span('faint', clock(e.at / 1000, 3)), glyph(e.outcome), name(e.name), span('trailmarks', marks(e)),
    span('cut', way(e), span('muted', '   ', e.error?.message ?? gist(e.payload))),
    span('num muted', e.trail?.length ? duration(e.at - e.from) : ''),
  ];
}

// MARK: - Under way

function underWayCells({ name: what, by, origin, since, deadline, lane }) {
  const now = Date.now(), time = deadline ? Math.max(1, deadline - since) : Infinity;
  const share = Math.min(1, Math.max(0, (now - since) / time)), isLate = share > .6;
  const left = { '--fill': share, '--fillcolor': `var(--${isLate ? 'warn' : 'accent'})` };
  return [
    h('b', { class: isLate ? 'warn' : '' }, age(now - since)), name(what),
    span('cut', by ?? 'waits', span('muted', `   from ${origin}${lane === 'error' ? ', an error' : ''}`)),
    span('num muted', deadline ? `${age(deadline - now)} left` : ''), h('span', { class: 'deadline', style: left }),
  ];
}

function queueCells(node) {
  return [
    h('b', { class: node.queue > 8 ? 'warn' : '' }, count(node.queue)), h('span', {}, glyph(node.state)),
    span('cut', node.path), span('num muted', `${count(node.rate)}/s`), span('num muted', duration(node.mean)),
  ];
}

// MARK: - Undelivered, findings

function undeliveredCells(e) {
  const left = microseconds(e.heldUntil) / 1000 - Date.now();
  return [
    span('faint', clock(microseconds(e.when) / 1000)), glyph(e.reason, tone[e.reason] ?? 'warn'), name(e.name),
    span('muted cut', e.heldUntil ? `held, ${age(left)} left` : word(e.reason)),
    span('cut', e.origin, span('muted', '   ', gist(e.payload))),
  ];
}

function findingCells(f) {
  return [
    span('faint cut', f.kind), glyph('unresponsive', 'warn'), name(f.name), span('muted cut', leaf(f.path)),
    h('span', { class: 'cut', title: f.message }, f.message),
  ];
}
