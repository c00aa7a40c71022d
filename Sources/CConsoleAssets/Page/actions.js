// SPDX-License-Identifier: Apache-2.0

// What the page may ask the bus to change. A button that may not be pressed says why, what concerns several
// nodes asks first and names them, and a request has a name, so that it is carried out once.

import { $, div, h, pressed, span } from './make.js';
import { count, counted, leaf, oneLine, shown } from './text.js';
import { act, randomName, readRights } from './pull.js';

const words = {
  retry: 'Raise again', trigger: 'Raise', publish: 'Publish', set: 'Set', activate: 'Activate',
  deactivate: 'Deactivate', drain: 'Drain', detach: 'Detach', move: 'Move', clear: 'Clear',
};
const done = {
  set: 'The value is set.', activate: 'The node is active.', deactivate: 'The node is inactive.',
  drain: 'The node is draining.', detach: 'The node is detached.', move: 'The node has moved.',
  clear: 'The undelivered events are cleared.',
};
/// What is said of several nodes, behind their number, and before it happens to them.
const doneToMany = { drain: 'are draining.', detach: 'are detached.', move: 'have moved.' };
const abouts = {
  drain: 'Each is detached once its accepted work has ended.',
  detach: 'Each is detached at once, and its process is told.',
};
/// Why a question cannot be asked while the past is shown.
export const notNow = 'Only the bus of now can be asked.';
const namesMax = 12, sayingTime = 6000, rightsMax = 100;
const goodOutcomes = ['handled', 'answered', 'delivered', 'cascaded', 'caught'];

export class Actions {
  /// What was asked for and is not answered. A panel may draw its buttons again meanwhile.
  #running = new Set();
  /// What a session allows at places other than the root, by their paths, as far as the bus has said it.
  #rights = new Map(); #session = null;

  constructor(page) {
    this.page = page;
    $('form').addEventListener('toggle', e => {
      if (e.newState === 'open') $('form').querySelector('input, .btn').focus();
      else if (document.activeElement === document.body) $('tree').focus();
    });
  }

  /// Asks what may be done at a place. The buttons that are there say it once it is known.
  async learn(path) {
    const { session, moment } = this.page;
    if (session !== this.#session || this.#rights.size > rightsMax) this.#rights.clear();
    this.#session = session;
    // The session has said it of the root. Where nothing is admitted, the place makes no difference.
    if (moment != null || path === '/' || !session?.actions.some(({ admitted }) => admitted)) return;
    let actions = null;
    // What is not known is refused by the console, which says why.
    try { actions = await readRights(path); } catch { return; }
    if (session !== this.#session) return;
    this.#rights.set(path, actions);
    for (const button of document.querySelectorAll('[data-action]')) this.#mark(button);
    this.page.trace.draw();
  }

  /// Why an action may not be asked for at a place; '' if it may.
  refusal(name, path) {
    const { session, moment, model } = this.page, actions = this.#rights.get(path) ?? session?.actions;
    const known = actions?.find(action => action.name === name);
    if (moment != null) return 'The past cannot be changed.';
    if (model.state === 'away') return 'No bus answers.';
    if (!session) return 'This page has no session with the console.';
    if (!known) return 'This console only looks: it was started without --allow-actions.';
    if (known.allowed) return '';
    return known.file ? known.message.replace(known.file, leaf(known.file)) : known.message;
  }

  /// A button that asks for an action at a place. 'place' and 'body', the members of the request, may be functions.
  button(name, place, body, { label = words[name], kind = 'btn' } = {}) {
    const members = typeof body === 'function' ? body : () => body;
    return this.#made(name, place, label, kind, e => this.run(name, members(), e.currentTarget));
  }

  /// A button that opens the form of an action at a place.
  opener(name, place, label, open, kind = 'btn') {
    return this.#made(name, place, label, kind, () => {
      $('menu').hidePopover();
      open();
    });
  }

  /// A button of an action, which says why it may not be pressed.
  #made(name, place, label, kind, press) {
    const button = h('button', { class: kind, 'data-action': name, onclick: e => {
      const refusal = button.refusal();
      if (refusal) say(refusal, 'warn'); else press(e);
    } }, label);
    button.refusal = () => this.refusal(name, typeof place === 'function' ? place() : place);
    this.#mark(button);
    return button;
  }

  #mark(button) {
    const refusal = button.refusal();
    button.ariaDisabled = refusal ? 'true' : null;
    button.title = shown(refusal);
  }

  /// Asks for an action once, however often the button is pressed until the answer is there.
  async run(name, body, button) {
    const asked = `${name} ${JSON.stringify(body)}`;
    if (!body || this.#running.has(asked)) return;
    this.#running.add(asked);
    button?.setAttribute('aria-busy', 'true');
    $('menu').hidePopover();
    try {
      const document = await act(name, { ...body, request: randomName(12) });
      say(...outcome(name, document, body.confirmed));
      if (document.id) this.#show(document, body.id);
      this.page.hurry(); this.page.panel.refreshSoon();
    } catch (error) {
      if (error.status === 409 && error.details?.nodes) this.#confirm(name, body, error.details);
      else say(error.message, 'bad');
    } finally {
      this.#running.delete(asked);
      button?.removeAttribute('aria-busy');
    }
  }

  /// Shows what was raised. What is raised again is the same event as before.
  #show(document, id = document.id) {
    const { event, model } = this.page, known = event?.id === id ? { ...event, from: null } : {};
    model.undelivered = model.undelivered.filter(kept => kept.id !== id);
    this.page.choose({ ...known, ...document, id, at: null });
  }

  /// Empties the list of what was not delivered, after asking.
  clear(number) {
    const about = 'What is cleared cannot be raised again. Held events stay.';
    this.open(`Clear ${counted(number, 'undelivered event')}?`, about, [], 'Clear', () => void this.run('clear', {}));
  }

  #confirm(name, body, { nodes, count: number = nodes.length }) {
    const item = text => h('li', {}, text), more = number - namesMax;
    const rest = more > 0 && item(`and ${count(more)} more`);
    const names = h('ul', { class: 'mono' }, nodes.slice(0, namesMax).map(item), rest);
    const confirm = () => void this.run(name, { ...body, confirmed: number });
    const where = body.under ? ` below ${body.under}` : '';
    const title = `${words[name]} ${counted(number, 'node')}${where}?`;
    this.open(title, abouts[name] ?? '', [], words[name], confirm, names);
  }

  /// Opens a form. 'submit' gets the texts of the fields, and returns what is wrong with them, if anything is.
  open(title, about, fields, label, submit, extra = null) {
    const form = $('form'), wrong = h('p', { class: 'bad', role: 'alert' }), close = () => form.hidePopover();
    const inputs = fields.map(([, value, placeholder]) => {
      const input = h('input', { class: 'field mono', placeholder, spellcheck: 'false', autocomplete: 'off' });
      input.value = value;
      return input;
    });
    const send = () => {
      const problem = submit(...inputs.map(input => input.value.trim()));
      if (problem) wrong.textContent = problem; else close();
    };
    form.setAttribute('aria-label', title);
    form.replaceChildren(
      h('h2', {}, title), h('p', { class: 'muted' }, about), extra ?? '',
      ...inputs.map((input, i) => h('label', {}, span('', fields[i][0]), input)), wrong,
      div('foot', pressed('btn end', close, 'Cancel'), pressed('btn main', send, label)));
    form.onkeydown = e => {
      e.stopPropagation();
      if (e.key !== 'Enter' || !e.target.matches('input')) return;
      e.preventDefault();
      send();
    };
    form.showPopover();
  }

  // MARK: - Of a node

  /// The actions that concern a node, as a menu.
  menu(node) {
    if (this.page.sites.isForeign(node)) return [h('p', { class: 'muted' }, this.page.sites.refusal(node))];
    const { path, state } = node, isRoot = path === '/', hasBelow = node.children.length > 0 || node.group;
    const item = (name, body, label = words[name]) =>
      this.button(name, path, { path, ...body }, { label, kind: 'opt' });
    const form = (name, label, open) => this.opener(name, path, label, open, 'opt');
    const isDenied = ['drain', 'set', 'publish'].every(name => this.refusal(name, path));
    return [
      isDenied && h('p', { class: 'muted' }, this.refusal('drain', path)),
      !isRoot && item(state === 'inactive' ? 'activate' : 'deactivate'),
      form('set', 'Set a value …', () => this.setValue(path)),
      form('publish', 'Publish here …', () => this.publish(path)),
      !isRoot && form('move', 'Move below …', () => this.move(node)),
      !isRoot && item('drain', { subtree: false }),
      !isRoot && hasBelow && item('drain', { subtree: true }, 'Drain with all below'),
      !isRoot && item('detach', { subtree: false }),
    ];
  }

  move({ path, name }) {
    const about = 'The node and all below it get another parent.';
    this.open(`Move ${name}`, about, [['below', '', '/shop']], 'Move', under => {
      if (!under.startsWith('/')) return 'A path begins with /.';
      this.run('move', { path, under });
    });
  }

  setValue(path, key = '', value) {
    const about = `It is read at ${path} and below, unless something nearer decides.`;
    const fields = [['key', key, 'isSaving'], ['value', oneLine(value), 'JSON; empty takes it away']];
    this.open('Set a value', about, fields, 'Set', (key, text) => {
      if (!key) return 'The key is missing.';
      const body = { at: path };
      try {
        if (text) body.values = { [key]: JSON.parse(text) }; else body.unset = [key];
      } catch { return 'The value is no JSON: texts stand in "quotation marks".'; }
      this.run('set', body);
    });
  }

  publish(path) {
    const fields = [
      ['name', '', 'Announcement'], ['payload', '', 'JSON, or empty'],
      ['to', 'last', 'last, firstLevel, lastLevel or all'],
    ];
    this.open('Publish', `To the subscribers at ${path} and below.`, fields, 'Publish', (name, text, to) => {
      const body = { at: path, name, to };
      if (text) try { body.payload = JSON.parse(text); } catch { return 'The payload is no JSON.'; }
      this.run('publish', body);
    });
  }
}

/// What is said of an outcome document, and its colour.
function outcome(name, document, count = 1) {
  const many = count > 1 && doneToMany[name];
  if (!document.outcome) return [many ? `${counted(count, 'node')} ${many}` : done[name] ?? 'Done.', 'good'];
  const { outcome, by, paths, error } = document, cause = error ? `: ${error.message ?? error.name}` : '';
  const whom = by ? ` by ${by}` : paths?.length ? ` to ${paths.length}` : '';
  const sentence = `${document.name ?? 'The message'}: ${outcome}${whom}${cause}`;
  return [sentence, goodOutcomes.includes(outcome) ? 'good' : 'warn'];
}

let saying = 0;
/// Says a sentence for a few seconds.
export function say(text, tone = '') {
  clearTimeout(saying);
  $('said').replaceChildren(span(tone, text));
  $('said').hidden = false;
  saying = setTimeout(() => { $('said').hidden = true; }, sayingTime);
}
