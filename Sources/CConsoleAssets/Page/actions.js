// SPDX-License-Identifier: Apache-2.0

// What the page may ask the bus to change. A button that may not be pressed says why, what concerns several
// nodes asks first and names them, and a request has a name, so that it is carried out once.

import { $, h } from './make.js';
import { count, counted, leaf } from './text.js';
import { act, randomName } from './pull.js';

const words = { retry: 'Raise again', trigger: 'Raise', publish: 'Publish', set: 'Set', activate: 'Activate', deactivate: 'Deactivate', drain: 'Drain', detach: 'Detach', move: 'Move', clear: 'Clear' };
const done = { set: 'The value is set.', activate: 'The node is active.', deactivate: 'The node is inactive.', drain: 'The node drains.', detach: 'The node is detached.', move: 'The node has moved.', clear: 'The list is empty.' };
const namesMax = 12;

export class Actions {
  constructor(page) {
    this.page = page;
    $('form').addEventListener('toggle', e => { if (e.newState === 'open') $('form').querySelector('input, .btn')?.focus(); });
  }

  /// Why an action may not be asked for; '' if it may.
  refusal(name) {
    const { session, moment, model } = this.page, known = session?.actions.find(action => action.name === name);
    if (moment != null) return 'The past cannot be changed.';
    if (model.state === 'away') return 'No bus answers.';
    if (!known) return 'This console only looks: it was started without --allow-actions.';
    return known.allowed ? '' : [known.message, known.file && `${leaf(known.file)}:${known.line}`].filter(Boolean).join('  ');
  }

  /// A button that asks for an action. 'body' are the members of the request, or returns them.
  button(name, body, { label = words[name], kind = 'btn' } = {}) {
    return this.#made(name, label, kind, e => this.run(name, typeof body === 'function' ? body() : body, e.currentTarget));
  }

  /// A button that opens the form of an action.
  opener(name, label, open, kind = 'btn') {
    return this.#made(name, label, kind, () => {
      const refusal = this.refusal(name);
      if (refusal) { say(refusal, 'warn'); return; }
      $('menu').hidePopover();
      open();
    });
  }

  /// A button of an action, which says why it may not be pressed.
  #made(name, label, kind, press) {
    const refusal = this.refusal(name);
    return h('button', { class: kind, type: 'button', 'data-action': name, 'aria-disabled': refusal ? 'true' : null, title: refusal || null, onclick: press }, label);
  }

  /// Asks for an action once, however often the button is pressed until the answer is there.
  async run(name, body, button) {
    const refusal = this.refusal(name);
    if (refusal) { say(refusal, 'warn'); return; }
    if (!body || button?.getAttribute('aria-busy')) return;
    button?.setAttribute('aria-busy', 'true');
    try {
      const document = await act(name, { ...body, request: randomName(12) });
      say(...outcome(name, document));
      if (document.id) this.page.choose({ ...document, at: Date.now() * 1000 });
      this.page.hurry(); this.page.panel.refreshSoon();
    } catch (error) {
      if (error.status === 409 && error.details?.nodes) this.#confirm(name, body, error.details);
      else say(error.message, 'bad');
    } finally { button?.removeAttribute('aria-busy'); }
  }

  /// Empties the list of what was not delivered, after asking.
  clear(number) {
    const about = 'What is cleared is forgotten, and cannot be raised again.';
    this.open(`Clear ${counted(number, 'undelivered event')}?`, about, [], 'Clear', () => void this.run('clear', {}));
  }

  #confirm(name, body, { nodes, count: number = nodes.length }) {
    const more = number - Math.min(number, namesMax);
    this.open(`${words[name]} ${count(number)} nodes?`, '', [], words[name], () => this.run(name, { ...body, confirmed: number }),
      h('ul', { class: 'mono' }, nodes.slice(0, namesMax).map(path => h('li', {}, path)), more ? h('li', {}, `and ${count(more)} more`) : null));
  }

  /// Opens a form. 'submit' gets the texts of the fields, and returns what is wrong with them, if anything is.
  open(title, about, fields, label, submit, extra = null) {
    const inputs = fields.map(([name, value, placeholder]) => h('label', {}, h('span', {}, name), h('input', { class: 'field mono', value, placeholder, spellcheck: 'false', autocomplete: 'off' })));
    inputs.forEach((input, i) => { input.lastChild.value = fields[i][1] ?? ''; });
    const wrong = h('p', { class: 'bad', role: 'alert' }), send = () => {
      const problem = submit(...inputs.map(input => input.lastChild.value.trim()));
      if (typeof problem === 'string') wrong.textContent = problem; else $('form').hidePopover();
    };
    $('form').setAttribute('aria-label', title);
    $('form').replaceChildren(h('h2', {}, title), about ? h('p', { class: 'muted' }, about) : null, extra ?? '', ...inputs, wrong,
      h('div', { class: 'foot' }, h('button', { class: 'btn end', type: 'button', onclick: () => $('form').hidePopover() }, 'Cancel'), h('button', { class: 'btn main', type: 'button', onclick: send }, label)));
    $('form').onkeydown = e => { if (e.key === 'Enter' && e.target.matches('input')) { e.preventDefault(); send(); } e.stopPropagation(); };
    $('form').showPopover();
  }

  // MARK: - Of a node

  /// The actions that concern a node, as a menu.
  menu(node) {
    if (node.of) return [h('p', { class: 'muted' }, this.page.sites.refusal(node))];
    const { path } = node, isRoot = path === '/', below = node.children.length || node.group;
    const item = (name, body, label) => this.button(name, body, { label, kind: 'opt' });
    const form = (name, label, open) => this.opener(name, label, open, 'opt');
    const move = under => under.startsWith('/') ? void this.run('move', { path, under }) : 'A path begins with /.';
    return [
      ['drain', 'set', 'publish'].every(name => this.refusal(name)) && h('p', { class: 'muted' }, this.refusal('drain')),
      isRoot ? null : node.state === 'inactive' ? item('activate', { path }, 'Activate') : item('deactivate', { path }, 'Deactivate'),
      form('set', 'Set a value …', () => this.setValue(path)),
      form('publish', 'Publish here …', () => this.publish(path)),
      isRoot ? null : form('move', 'Move below …', () => this.open(`Move ${node.name}`, 'The node and all below it get another parent.', [['below', '', '/shop']], 'Move', move)),
      isRoot ? null : item('drain', { path, subtree: false }, 'Drain'),
      isRoot || !below ? null : item('drain', { path, subtree: true }, 'Drain with all below'),
      isRoot ? null : item('detach', { path, subtree: false }, 'Detach'),
    ];
  }

  setValue(path, key = '', value) {
    this.open('Set a value', `It is read at ${path} and below, unless something nearer decides.`, [['key', key, 'isSaving'], ['value', value === undefined ? '' : JSON.stringify(value), 'JSON; empty takes it away']], 'Set', (key, text) => {
      if (!key) return 'The key is missing.';
      const body = { at: path };
      if (text === '') body.unset = [key]; else { try { body.values = { [key]: JSON.parse(text) }; } catch { return 'The value is no JSON: texts stand in "quotation marks".'; } }
      this.run('set', body);
    });
  }

  publish(path) {
    this.open('Publish', `To the subscribers at ${path} and below.`, [['name', '', 'Announcement'], ['payload', '', 'JSON, or empty'], ['to', 'last', 'last, firstLevel, lastLevel or all']], 'Publish', (name, text, to) => {
      const body = { at: path, name, to };
      if (text) try { body.payload = JSON.parse(text); } catch { return 'The payload is no JSON.'; }
      this.run('publish', body);
    });
  }
}

/// What is said of an outcome document, and its colour.
function outcome(name, document) {
  if (!document.outcome) return [done[name] ?? 'Done.', 'good'];
  const { outcome, by, paths, error } = document, isGood = ['handled', 'answered', 'delivered', 'cascaded', 'caught'].includes(outcome);
  return [`${document.name ?? 'The message'}: ${outcome}${by ? ` by ${by}` : paths?.length ? ` to ${paths.length}` : ''}${error ? `: ${error.message ?? error.name}` : ''}`, isGood ? 'good' : 'warn'];
}

let saying = 0;
/// Says a sentence for a few seconds.
export function say(text, tone = '') {
  clearTimeout(saying);
  $('said').replaceChildren(h('span', { class: tone }, text));
  $('said').hidden = false;
  saying = setTimeout(() => { $('said').hidden = true; }, 6000);
}
