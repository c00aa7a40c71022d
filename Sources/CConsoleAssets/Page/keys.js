// SPDX-License-Identifier: Apache-2.0

// All of the page works by keys alone.

import { $, h, span, walk } from './make.js';

const help = [
  ['↑ ↓  j k', 'the node above, below'], ['← →', 'fold, unfold'], ['/', 'find'],
  ['e', 'environment of the node'], ['w', 'what if'], ['enter', 'the node’s panel'],
  ['u', 'undelivered, under way'], ['t', 'events and the trace'], ['f', 'only what has failed'],
  [', .', 'one event back, on'], ['space', 'stop, go on'], ['l', 'live'], ['home end', 'on the time: its ends'],
  ['?', 'these keys'], ['esc', 'back'],
];
const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
const themeKey = 'cascade-console-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

export function listen(page) {
  const tree = $('tree'), toTree = () => tree.focus();
  $('keys').replaceChildren(
    h('h2', {}, 'Keys'), ...help.flatMap(([key, text]) => [h('kbd', {}, key), span('', text)]));
  listenToFind(page, toTree);
  listenToTheme(page);
  walk($('menu'));
  addEventListener('keydown', e => {
    if (!e.ctrlKey && !e.metaKey && !e.altKey && !e.defaultPrevented && act(e)) e.preventDefault();
  });

  /// Does what a key stands for. Returns whether it stands for something.
  function act(e) {
    const isOnTime = document.activeElement.id === 'time';
    // Where one reads a list, a trace or the panel, they scroll that.
    const isMoving = e.key in steps || e.key === 'ArrowLeft' || e.key === 'ArrowRight';
    if (isMoving && e.key.length > 1 && e.target.closest?.('#list, #trace, #node')) return false;
    // What lies over the page is closed first.
    if (e.key === 'Escape' && document.querySelector(':popover-open:not([popover=manual])')) return false;
    if (e.key in steps) {
      const step = steps[e.key];
      if (!isOnTime) move(step); else if (Number.isFinite(step)) page.time.step(-step); else page.time.seek(step);
      return true;
    }
    // A button that has the focus is pressed by these.
    if ((e.key === ' ' || e.key === 'Enter') && e.target.closest?.('button, input, [role=tab]')) return false;
    const meaning = meanings[e.key];
    meaning?.(isOnTime);
    return meaning != null;
  }

  const meanings = {
    ArrowLeft: isOnTime => isOnTime ? page.time.step(-1) : fold(),
    ArrowRight: isOnTime => isOnTime ? page.time.step(1) : unfold(),
    '/': () => { $('find').focus(); $('find').select(); },
    '?': () => $('keys').togglePopover(),
    e: () => page.panel.focusEnvironment(),
    w: () => page.isAsking ? page.endRoute() : page.whatIf(),
    u: () => showList(page.tab === 'Undelivered' ? 'Under way' : 'Undelivered'),
    t: () => showList('Events'),
    f: () => page.showFails(),
    ',': () => page.time.step(-1),
    '.': () => page.time.step(1),
    l: () => { page.setMoment(null); page.stop(false); },
    ' ': () => page.stop(),
    Enter: enterPanel,
    Escape: () => { goBack(); toTree(); },
  };

  function move(step) {
    const { rows } = page.tree, to = Math.max(0, Math.min(rows.length - 1, page.tree.rowOf(page.node) + step));
    if (!rows.length) return;
    page.select(rows[to].number, { keepsHistory: true });
    toTree();
  }

  /// Folds a node; from one that has nothing to fold, goes to its parent.
  function fold() {
    const { node } = page;
    if (!node) return;
    const canFold = (node.children.length || page.isLazy(node)) && !page.isShut(node);
    if (canFold || node.groupOf) page.fold(node, true);
    else if (node.parent) page.select(node.parent, { keepsHistory: true });
  }

  function unfold() {
    const { node } = page;
    if (node && page.isShut(node)) page.fold(node, false);
  }

  function showList(tab) {
    if (page.tab !== tab) page.show(tab);
    $('list').focus();
  }

  function enterPanel() {
    document.body.classList.add('sheet');
    $('node').querySelector('button:not(.shut)')?.focus();
  }

  /// Ends what one is in, from the innermost.
  function goBack() {
    if (page.isAsking || page.route) page.endRoute();
    else if (page.moment != null) page.setMoment(null);
    else document.body.classList.remove('sheet');
  }
}

function listenToFind(page, toTree) {
  const find = $('find');
  find.addEventListener('input', () => page.find(find.value));
  find.addEventListener('keydown', e => {
    e.stopPropagation();
    const isDown = e.key === 'Enter' || e.key === 'ArrowDown';
    if (isDown && page.found.focus()) e.preventDefault();
    else if (e.key === 'Escape') {
      if (find.value) page.find(find.value = '');
      toTree();
    } else if (isDown) {
      const match = page.tree.rows.find(node => node.isMatch);
      if (match) page.select(match.number);
      toTree();
    }
  });
}

function listenToTheme(page) {
  const root = document.documentElement;
  const again = () => { page.time.draw(); page.tree.draw(true); };
  const show = name => {
    localStorage.setItem(themeKey, root.dataset.theme = name);
    again();
  };
  const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches;
  $('theme').addEventListener('click', () => show(isDark() ? 'light' : 'dark'));
  prefersDark.addEventListener('change', again);
  const chosen = localStorage.getItem(themeKey);
  if (chosen) root.dataset.theme = chosen;
}
