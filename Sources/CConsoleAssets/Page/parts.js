// SPDX-License-Identifier: Apache-2.0

// The parts of the panel of a node: its responders, what it reads and why, what it offers, how it answered.

import { $, copyButton, div, glyph, h, pressed, quoted, span, tone, word } from './make.js';
import { age, bytes, clock, count, duration, gist, leaf, microseconds, oneLine } from './text.js';

const line = (kind, ...children) => div(`kv ${kind}`, ...children);

/// A part with a title; 'none' is said if it has no rows.
function part(title, about, rows, none, mark = null) {
  const heading = h('h3', {}, title, span('', about), mark);
  return div('part', heading, rows.length ? rows : line('faint', none));
}

/// The name of a node, its state and its process.
export function head(node, name, over, under, now) {
  return div('head',
    div('muted cut', over),
    h('h2', {}, span('whole', name), span(`tag ${tone[node.state]}`, word(node.state)),
      node.since && span('faint since', since(node, now))),
    div('muted under', under),
    h('button', { class: 'icon shut', 'aria-label': 'Close',
      onclick: () => { document.body.classList.remove('sheet'); $('tree').focus(); } }, '×'));
}

/// Since when a node is in its state, as far as it is known: the bus tells since when it is there, or is vacant, and
/// the page knows when it was silent or inactive meanwhile.
export const sinceOf = ({ state, since, turned = 0 }) =>
  ['live', 'vacant'].includes(state) ? Math.max(since, turned) : turned;

/// For how long a node has been in its state.
export function since(node, now) {
  const begun = sinceOf(node);
  return begun ? `for ${age(now - begun)}` : `attached ${age(now - node.since)} ago`;
}

/// What is said of a node that has left; '' if there was none.
export function gone(path) {
  if (!path) return div('head muted', 'No node is selected.');
  const title = h('h2', {}, span('whole', leaf(path)), span('tag', 'gone'));
  return div('head', title, span('muted', `No node is at ${path} now.`));
}

/// Four numbers: of a node, or of the bus.
export function facts(node, { perSecond, totals }) {
  const fact = (value, label, token = '') => div('', h('b', { class: token }, value), h('small', {}, label));
  if (node.path !== '/') {
    return [
      fact(`${count(node.rate)}/s`, 'events'),
      fact(count(node.queue), 'queued', node.queue > 8 ? 'warn' : ''),
      fact(duration(node.mean) || '–', 'mean', node.mean > 5000 ? 'warn' : ''),
      fact(count(node.errors), 'errors', node.errors ? 'bad' : ''),
    ];
  }
  const counter = name => totals?.counters[name] ?? 0, known = number => totals ? count(number) : '–';
  // Held events are listed with the undelivered ones.
  const underWay = counter('eventsUnderWay') + counter('publicationsUnderWay') - (totals?.uses?.held ?? 0);
  return [
    fact(count(perSecond), 'ended/s'), fact(known(counter('sessions')), 'sessions'),
    fact(known(underWay), 'under way'),
    fact(known(counter('nodesLost')), 'nodes lost', counter('nodesLost') ? 'warn' : ''),
  ];
}

/// The counters of the bus, and what is used of its limits.
export function ofBus(totals, isNow) {
  const number = value => value.toLocaleString('en');
  const some = numbers => Object.entries(numbers ?? {}).filter(([, value]) => value);
  const row = (name, value, rest = '') =>
    line('counted', span('cut', name), span('num', number(value)), span('faint num', rest));
  const none = text => totals ? text : isNow ? 'Asking the bus …' : 'Not recorded.';
  const counters = some(totals?.counters).filter(([name]) => !name.startsWith('nodes.'));
  const limits = some(totals?.uses).map(([name, value]) => row(name, value, `of ${number(totals.limits[name] ?? 0)}`));
  return [
    part('Counters', 'since the daemon began', counters.map(([name, value]) => row(name, value)), none('None yet.')),
    part('Limits', 'what is used of them', limits, none('Nothing.')),
  ];
}

/// What is known of the process that holds a place.
export function process(node, document) {
  const { unit, program, user, pid, residentBytes } = { ...node, ...document };
  const memory = residentBytes && bytes(residentBytes);
  return [unit, leaf(program), pid && `pid ${pid}`, user && `user ${user}`, memory].filter(Boolean).join('  ·  ');
}

/// What a node asks to be asked and told, and how it has answered.
export function responders(node, document, model, last) {
  const asked = document?.responders ?? node.asked.map((name, index) => ({ index, kind: '', name }));
  const told = document?.subscriptions ?? node.told;
  const place = (index, kind) => span('', span('faint', `${index}  `), kind);
  const named = (kind, name) => h('b', { class: kind, title: name }, name);
  const isLast = name => node.state === 'inactive' ? 'not while inactive' : last.has(name) ? 'is the last' : '';
  return part('Responders', '', [
    ...asked.map(({ index, kind, name, when }) => line('resp', place(index, kind), named('cut', name),
      span('cut end', when && h('span', { class: 'mono', title: when }, `${when} `), share(model, node.path, index)))),
    ...told.map((name, index) => line('resp', place(index, 'subscribe'), named('cut down', name),
      span('muted end', isLast(name)))),
  ], node.state === 'vacant' ? 'No process holds this node.' : 'It responds to nothing and subscribes to nothing.');
}

/// How a responder has answered, as far as its visits are listed: a bar of their shares.
function share(model, path, index) {
  const counts = new Map();
  for (const event of model.ended) {
    for (const visit of event.trail ?? []) {
      if (visit.path !== path || visit.responder !== index) continue;
      counts.set(visit.verdict, (counts.get(visit.verdict) ?? 0) + 1);
    }
  }
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (!total) return null;
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const text = sorted.map(([verdict, n]) => `${Math.round(n / total * 100)} % ${word(verdict)}`).join(', ');
  const title = `${text}: of the ${count(total)} visits that are listed`;
  return h('span', { class: 'share', role: 'img', title, 'aria-label': text },
    sorted.map(([verdict, n]) => h('i', { class: tone[verdict] ?? 'faint', style: { flex: n } })));
}

/// The site that stands at the node, and the link to it.
export const site = (rows, about = 'another bus stands here', title = '') => part(title || 'Site', about, rows, '');

export function environment(rows, none) {
  return part('Environment', 'what it reads, and why', rows, none, h('kbd', {}, 'e'));
}

/// A value that a node reads. 'open' explains it.
export function value({ key, value, from = '' }, isOpen, open) {
  const isRule = /:\d+$/.test(from), isSet = from.startsWith('/') && !isRule;
  const place = isSet ? `set at ${from}` : isRule ? leaf(from) : from;
  return h('button', { class: 'kv', 'aria-expanded': String(isOpen), 'data-key': key, onclick: open },
    span('cut', key), h('span', { class: 'mono cut', title: oneLine(value) }, oneLine(value) || '–'),
    h('span', { class: isSet ? 'accent cut' : 'faint cut', title: from }, place));
}

/// Each value that could have been read, and why it won or lost.
export function explanation({ key, value }, path, candidates, actions, now) {
  if (!candidates) return div('why', span('wide', 'Asking the bus …'));
  const row = c => [
    glyph(c.won ? 'handled' : 'passed', c.won ? 'good' : 'faint'),
    span(`mono cut ${c.won ? '' : 'lost'}`, c.value === undefined ? c.kind : `${c.kind} ${oneLine(c.value)}`),
    h('span', { class: 'faint from', title: c.from ?? '' }, c.kind === 'rule' ? leaf(c.from ?? '') : c.from ?? ''),
    h('small', {}, [
      c.why, c.by && `by ${c.by}`,
      c.kind === 'set' && c.since && `${age(now - microseconds(c.since) / 1000)} ago`,
    ].filter(Boolean).join(', ')),
  ];
  const copy = copyButton(`cascadectl env explain ${quoted(key)} --at ${quoted(path)}`);
  return div('why', ...candidates.flatMap(row),
    span('wide', copy, ' ', actions?.opener('set', path, 'Set …', () => actions.setValue(path, key, value))));
}

export function preferences(document, none) {
  const row = ([key, value]) => line('', span('cut', key), span('mono cut', oneLine(value)));
  const rows = Object.entries(document?.preferences ?? {}).map(row);
  return part('Preferences', 'its own and those below, reduced', rows, none);
}

/// The last outcomes of a node. 'choose' shows one.
export function outcomes(document, ids, choose, none) {
  const row = e => {
    const known = ids.get(e.id), time = known?.trail?.length ? duration(known.at - known.from) : '';
    const about = (e.error?.message ?? gist(known?.payload)) || `at ${clock(microseconds(e.when) / 1000)}`;
    return pressed('last', () => choose(known ?? { ...e, at: microseconds(e.when) }),
      glyph(e.outcome), span('cut', e.name), span('muted cut', about), span('muted', time));
  };
  return part('Last outcomes', 'raised or handled here', (document?.outcomes ?? []).map(row), none);
}
