// SPDX-License-Identifier: Apache-2.0

// A row of the tree: the state and the name of a node, what it is asked and told, and its numbers.

import { glyph, h, restyle, span, tone, word } from './make.js';
import { sparkMax } from './model.js';
import { sinceOf } from './parts.js';
import { age, count, duration, leaf } from './text.js';

const states = ['unresponsive', 'vacant', 'leaving', 'inactive'];
/// A line of the last minute: its width and height, and how many seconds it has.
const sparkWidth = 74, sparkHeight = 18;
/// From here on a queue, in messages, and a mean, in microseconds, want a look.
const queueFull = 128, queueHigh = .7, meanHigh = 5000;
const { compare } = new Intl.Collator('en', { numeric: true });
/// The indentation of a level, which is less when there are so many that names would have no room.
let indent = 0;
export const indentBy = pixels => { indent = pixels; };
export const x = depth => 26 + depth * indent;

const cell = (kind, ...children) => h('div', { class: kind, role: 'gridcell' }, ...children);

/// The state of a node, or the worst of those for which its row stands.
export function worst({ state, group }) {
  if (!group) return state;
  return states.find(bad => group.some(node => node.state === bad)) ?? 'live';
}

/// Fills the element of a row.
export function fillRow(row, node, index, page) {
  const isShut = page.isShut(node), isFolded = isShut && (node.group || node.children.length > 0);
  const step = page.route?.byPath?.get(node.path), sum = isFolded ? page.model.sum(node) : node;
  const hasChildren = node.children.length > 0 || node.group || page.isLazy(node);
  const isDim = page.route?.byPath ? !step?.order : !node.isMatch;
  row.className = `grid row ${node.state}${isDim ? ' dim' : ''}${isFolded ? ' folded' : ''}${page.sites.mark(node)}`;
  row.id = `row-${node.number}`;
  if (row.dataset.path !== node.path) delete row.dataset.reached;
  setAttributes(row, {
    'data-path': node.path, 'data-state': node.state, 'aria-level': node.depth + 1, 'aria-rowindex': index + 2,
    'aria-selected': node.number === page.selected, 'aria-expanded': hasChildren ? !isShut : null,
  });
  const twist = hasChildren && h('span', { class: 'twist', 'aria-hidden': 'true' }, isShut ? '▸' : '▾');
  row.replaceChildren(
    nameCell(node, page, [twist, isFolded ? sumTag(sum) : isShut && untoldTag(node)], step, isFolded),
    ...node.note ? [] : [
      step ? whyCell(step) : askedCell(node), cell('cut muted', node.unit || leaf(node.program)),
    ],
    rateCell(node, sum, page.moment != null),
    queueCell(sum.queue), meanCell(isFolded ? null : sum.mean),
    cell(`num ${sum.errors ? 'bad' : 'none'}`, sum.errors ? count(sum.errors) : '·'));
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null) element.removeAttribute(name); else element.setAttribute(name, value);
  }
}

// MARK: - Name

function nameCell(node, page, folding, step, isFolded) {
  const label = node.group ? node.group.label ??= groupLabel(node.group) : node.name, mark = glyph(worst(node));
  mark.classList.add('state');
  restyle(mark, { left: `${x(node.depth) - 6}px` });
  const kind = node.note ? 'name noted' : 'name', style = { 'padding-left': `${x(node.depth) + 4}px` };
  return h('div', { class: kind, role: 'rowheader', style },
    mark, h('b', { class: 'cut', title: label }, label), folding,
    !node.group && page.sites.tag(node), step?.order > 0 && span('order', step.order),
    !page.route && !isFolded && hint(node, page));
}

/// The first and the last of the names of nodes alike.
function groupLabel(group) {
  const names = group.map(node => node.name).sort(compare);
  return `${names[0]} … ${names.at(-1)}`;
}

function sumTag({ count: number, silent, vacant, isPart }) {
  const all = `${number.toLocaleString('en')}${isPart ? ' and more' : ''}`;
  const parts = [all, silent && `${silent} silent`, vacant && `${vacant} vacant`];
  return span(`tag ${silent ? 'warn' : ''}`, parts.filter(Boolean).join(', '));
}

const untoldTag = ({ untold }) => untold > 0 &&
  h('span', { class: 'tag', title: 'The bus is asked for them when this is unfolded.' },
    `${untold.toLocaleString('en')} below`);

/// The word for a state that is not the normal one.
function hint(node, { model, moment }) {
  const { state, note } = node, begun = moment == null && sinceOf(node);
  if (note) return h('span', { class: `cut ${tone[state] ?? ''}`, title: note }, note);
  if (state === 'live') return null;
  const text = begun ? `${word(state)} for ${age(model.now - begun)}` : word(state);
  return h('span', { class: `tag ${state === 'unresponsive' ? 'warn' : ''}`, title: text }, text);
}

// MARK: - What it is asked and told

function askedCell({ asked, told }) {
  const list = (names, mark, colour) =>
    names.length > 0 && span('cut', h('i', { class: colour }, mark), span('cut', names.join('  ')));
  const title = [...asked, ...told].join(', ');
  return h('div', { class: 'ask', role: 'gridcell', title }, list(asked, '↑', 'accent'), list(told, '↓', 'down'));
}

/// Why a node would be asked, or why not.
const whyCell = ({ order, why }) =>
  h('div', { class: `cut ${order ? '' : 'faint'}`, role: 'gridcell', title: why }, why);

// MARK: - Numbers

function rateCell({ path, spark }, { rate }, isPast) {
  const line = isPast || path === '/' || !(spark?.length > 1) ? null : sparkline(spark);
  return cell('rate', line, span(rate ? 'num' : 'num none', rate ? count(rate) : '·'));
}

/// The last minute, whose newest second is at the right.
function sparkline(spark) {
  const top = Math.max(1, ...spark), first = sparkMax - spark.length;
  const step = sparkWidth / (sparkMax - 1);
  const points = spark.map((value, i) => `${(first + i) * step},${sparkHeight - 1 - value / top * (sparkHeight - 3)}`);
  return h('svg', { viewBox: `0 0 ${sparkWidth} ${sparkHeight}`, 'aria-hidden': 'true' },
    h('polyline', { points: points.join(' ') }));
}

function queueCell(queue) {
  const fill = Math.min(1, queue / queueFull), colour = `var(--${fill > queueHigh ? 'warn' : 'accent'})`;
  const bar = queue > 0 && h('i', { style: { '--fill': fill, '--fillcolor': colour } });
  return cell(`queue ${queue ? '' : 'none'}`, bar, queue ? count(queue) : '·');
}

function meanCell(mean) {
  const kind = mean == null ? 'none' : mean > meanHigh ? 'warn' : '';
  return cell(`num ${kind}`, mean == null ? '·' : duration(mean));
}
