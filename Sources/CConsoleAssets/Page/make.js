// SPDX-License-Identifier: Apache-2.0

// Everything that is shown is made here, of text: nothing that a process has said is ever markup.

import { shown } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';
const ofSVG = new Set(['svg', 'use', 'path', 'g', 'circle', 'polyline']);

export const $ = id => document.getElementById(id);

/// Makes an element. Properties that begin with "on" are listeners, "style" is an object, and a property
/// without a value is left out. Children that are no elements become text.
export function h(tag, properties = {}, ...children) {
  const element = ofSVG.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value == null || value === false && !name.startsWith('aria-')) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') restyle(element, value);
    else element.setAttribute(name, typeof value === 'string' ? shown(value) : value);
  }
  for (const child of children.flat(2)) {
    if (child == null || child === false) continue;
    element.append(child instanceof Node ? child : shown(String(child), tag === 'pre'));
  }
  return element;
}

/// A box, and a piece of text, with a class.
export const div = (kind, ...children) => h('div', { class: kind }, ...children);
export const span = (kind, ...children) => h('span', { class: kind }, ...children);

/// Sets properties of an element's style. The policy of the page forbids the attribute.
export function restyle(element, style) {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}

/// The colour of each state and verdict.
export const tone = {
  live: 'good', inactive: 'faint', vacant: 'faint', unresponsive: 'warn', leaving: 'warn',
  handled: 'good', answered: 'good', caught: 'warn', cascaded: 'good', passed: 'faint', replaced: 'turn',
  failed: 'bad', timedOut: 'bad', rejected: 'bad', looped: 'bad', unhandled: 'warn', noSubscriber: 'warn',
  delivered: 'down', held: 'faint', quarantined: 'bad', unanswered: 'bad',
};

const shapes = {
  leaving: 'unresponsive', answered: 'handled', caught: 'handled', cascaded: 'delivered', timedOut: 'failed',
  rejected: 'failed', looped: 'failed', noSubscriber: 'unhandled', held: 'inactive', quarantined: 'failed',
  unanswered: 'failed',
};
const words = { unresponsive: 'silent', timedOut: 'timed out', noSubscriber: 'no subscriber' };

/// The word for a state or an outcome.
export const word = name => words[name] ?? name;

/// The shape of a state or verdict, which has a name for those who don't see it.
export const glyph = (name, colour = tone[name] ?? '') =>
  h('svg', { class: `glyph ${colour}`, role: 'img', 'aria-label': word(name) },
    h('use', { href: `#${shapes[name] ?? name}` }));

/// Replaces what an element has, but for what is the same already: a press that has begun on it goes on. So what looks
/// the same must do the same. What had the focus has it again, if something stands in its place.
export function refill(element, ...children) {
  const place = [...element.children].findIndex(child => child.contains(document.activeElement));
  const old = [...element.children], wanted = children.flat().filter(child => child != null && child !== false);
  wanted.forEach((child, i) => {
    if (!old[i]) element.append(child);
    else if (old[i] !== child && !old[i].isEqualNode(child)) old[i].replaceWith(child);
  });
  for (const child of old.slice(wanted.length)) child.remove();
  if (place >= 0 && !element.children[place]?.contains(document.activeElement)) element.children[place]?.focus();
}

/// What tells the buttons of a panel apart.
const nameOf = ({ dataset, textContent }) => dataset.command ?? dataset.key ?? textContent;

/// Replaces what a panel has, which stays where it is scrolled. The button that had the focus has it again; if there is
/// none like it, the first one has.
export function redraw(panel, ...children) {
  const held = document.activeElement, hadFocus = panel.contains(held);
  panel.replaceChildren(...children);
  const same = button => nameOf(button) === nameOf(held);
  const button = [...panel.querySelectorAll('button')].find(same) ?? panel.querySelector('.btn');
  if (hadFocus) button?.focus({ preventScroll: true });
}

/// Lets the arrow keys go through the buttons of a popover. The chosen or the first one has the focus when it opens.
export function walk(box) {
  const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
  box.addEventListener('toggle', e => {
    if (e.newState === 'open') (box.querySelector('[aria-selected=true]') ?? box.querySelector('button'))?.focus();
  });
  box.addEventListener('keydown', e => {
    const step = steps[e.key], buttons = [...box.querySelectorAll('button')];
    if (!step) return;
    const to = buttons.indexOf(document.activeElement) + step;
    buttons[Math.max(0, Math.min(buttons.length - 1, to))].focus();
    e.preventDefault();
    e.stopPropagation();
  });
}

/// A button that does something.
export const pressed = (kind, press, ...children) =>
  h('button', { class: kind, onclick: press }, ...children);

/// A button that copies the command whose output says the same as a panel.
export function copyButton(command, kind = 'btn') {
  const name = 'Copy as command', isWord = kind === 'btn';
  const label = isWord ? name : h('svg', { class: 'glyph', 'aria-hidden': 'true' }, h('use', { href: '#copy' }));
  const copy = async () => {
    let word = isWord ? 'Copied' : '✓';
    try { await navigator.clipboard.writeText(command); } catch { word = isWord ? 'Not allowed to copy' : '✕'; }
    button.replaceChildren(word);
    setTimeout(() => button.replaceChildren(label), 1200);
  };
  const button = h('button', {
    class: kind, title: `${name}: ${command}`, 'aria-label': name, 'data-command': command,
    onclick: copy,
  }, label);
  return button;
}

/// Text as one word of a shell's command line.
export const quoted = text => /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
