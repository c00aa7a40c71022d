// SPDX-License-Identifier: Apache-2.0

// All of the page works by keys alone.

import { $, h } from './make.js';

const list = [['↑ ↓  j k', 'the node above, below'], ['← →', 'fold, unfold'], ['/', 'find'], ['e', 'environment of the node'], ['w', 'what if'], ['u', 'undelivered, under way'], ['t', 'trace'], ['enter', 'the node’s panel'], [', .', 'one event back, on'], ['space', 'stop, go on'], ['l', 'live'], ['?', 'these keys'], ['esc', 'back']];

export function listen(page) {
  const tree = $('tree');
  $('keys').replaceChildren(h('h2', {}, 'Keys'), ...list.flatMap(([key, text]) => [h('kbd', {}, key), h('span', {}, text)]));
  $('find').addEventListener('input', e => page.find(e.target.value));
  $('find').addEventListener('keydown', e => {
    if ((e.key === 'Enter' || e.key === 'ArrowDown') && page.found.focus()) e.preventDefault();
    else if (e.key === 'Escape') { if (e.target.value) page.find(e.target.value = ''); tree.focus(); }
    else if (e.key === 'Enter' || e.key === 'ArrowDown') { const match = page.tree.rows.find(n => n.isMatch); if (match) page.select(match.number); tree.focus(); }
    e.stopPropagation();
  });
  $('theme').addEventListener('click', () => theme(isDark() ? 'light' : 'dark'));
  theme(localStorage.getItem('cascade-console-theme') ?? '');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => again());
  addEventListener('keydown', e => { if (!e.ctrlKey && !e.metaKey && !e.altKey && !e.defaultPrevented && act(e)) e.preventDefault(); });

  function isDark() { return (document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'; }
  function theme(name) {
    if (name) { document.documentElement.dataset.theme = name; localStorage.setItem('cascade-console-theme', name); }
    again();
  }
  function again() { page.time.draw(); page.tree.draw(true); }

  function move(step) {
    const { rows } = page.tree;
    if (!rows.length) return;
    const to = rows[Math.max(0, Math.min(rows.length - 1, page.tree.rowOf(page.node) + step))];
    page.select(to.number, { keepsHistory: true });
    tree.focus({ preventScroll: true });
  }

  /// Does what a key stands for. Returns whether it stands for something.
  function act(e) {
    const isButton = e.target.closest?.('button, input, [role=tab]'), { node } = page;
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
    if (Object.hasOwn(steps, e.key)) { if (document.activeElement.id === 'time') return false; move(steps[e.key]); return true; }
    switch (e.key) {
      case 'ArrowLeft':
        if (document.activeElement.id === 'time') { page.time.step(-1); return true; }
        if (!node) return false;
        if ((node.children.length || page.isMount(node)) && !page.isShut(node) || node.groupOf) page.fold(node, true); else if (node.parent) page.select(node.parent, { keepsHistory: true });
        return true;
      case 'ArrowRight':
        if (document.activeElement.id === 'time') { page.time.step(1); return true; }
        if (node && page.isShut(node)) page.fold(node, false);
        return true;
      case '/': $('find').focus(); $('find').select(); return true;
      case '?': $('keys').togglePopover(); return true;
      case 'e': page.panel.focusEnvironment(); return true;
      case 'w': page.isAsking ? page.endRoute() : page.moment == null && page.whatIf(); return true;
      case 'u': page.show(page.tab === 'Undelivered' ? 'Under way' : 'Undelivered'); $('list').focus({ preventScroll: true }); return true;
      case 't': if (page.tab !== 'Events') page.show('Events'); $('list').focus({ preventScroll: true }); return true;
      case ',': page.time.step(-1); return true;
      case '.': page.time.step(1); return true;
      case 'l': page.setMoment(null); page.stop(false); return true;
      case ' ': if (isButton) return false; page.stop(); return true;
      case 'Enter': if (isButton) return false; document.body.classList.add('sheet'); $('node').querySelector('button')?.focus(); return true;
      case 'Escape':
        if (page.isAsking || page.route) page.endRoute(); else if (page.moment != null) page.setMoment(null); else if (document.body.classList.contains('sheet') && innerWidth <= 1180) document.body.classList.remove('sheet');
        tree.focus({ preventScroll: true });
        return true;
      default: return false;
    }
  }
}
